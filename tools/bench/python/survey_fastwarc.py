"""The survey with FastWARC, and Resiliparse for the pages."""

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.html import HTMLTree

import survey


def read(path, counts):
    for record in ArchiveIterator(path, record_types=WarcRecordType.response, inplace=True):
        url = record.headers.get("WARC-Target-URI")
        if record.http_headers.get("X-Robots-Tag"):
            counts["x-robots-tag"] += 1
        status = int(record.http_headers.status_code or 0)
        if survey.is_robots(url):
            survey.robots_txt(counts, status, record.reader.read() if status // 100 == 2 else b"")
        elif status // 100 == 2 and record.http_content_type == "text/html":
            tree = HTMLTree.parse_from_bytes(record.reader.read(), record.http_charset or "utf-8")
            metas = tree.head.get_elements_by_tag_name("meta") if tree.head else ()
            found = tree.body.query_selector_all('[class*="acap:"]') if tree.body else ()
            survey.page(
                counts,
                [(m.getattr("name") or "", m.getattr("content") or "") for m in metas],
                [e.getattr("class") or "" for e in found],
            )


survey.main(read)
