"""FastWARC and Protego: each robots.txt is parsed, and asked once whether any crawler may fetch the root."""

import json
import sys

from fastwarc.warc import ArchiveIterator, WarcRecordType
from protego import Protego

records = allowed = 0
for path in sys.argv[1:]:
    for record in ArchiveIterator(path, record_types=WarcRecordType.response):
        records += 1
        rules = Protego.parse(record.reader.read().decode("utf-8", "replace"))
        allowed += rules.can_fetch(record.headers["WARC-Target-URI"].rsplit("/", 1)[0] + "/", "*")
print(json.dumps({"responses": records, "allowed": allowed}))
