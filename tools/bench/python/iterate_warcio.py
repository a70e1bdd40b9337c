"""warcio going through all records; no HTTP header is parsed."""

import json
import sys

from warcio.archiveiterator import ArchiveIterator

records = 0
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for _ in ArchiveIterator(file, no_record_parse=True):
            records += 1
print(json.dumps({"records": records}))
