"""The survey with warcio, and BeautifulSoup on lxml for the pages."""

from bs4 import BeautifulSoup
from warcio.archiveiterator import ArchiveIterator

import survey


def read(path, counts):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response":
                continue
            url = record.rec_headers.get_header("WARC-Target-URI")
            http = record.http_headers
            if http.get_header("X-Robots-Tag"):
                counts["x-robots-tag"] += 1
            status = int(http.get_statuscode())
            media_type = (http.get_header("Content-Type") or "").partition(";")[0].strip().lower()
            if survey.is_robots(url):
                survey.robots_txt(counts, status, record.content_stream().read() if status // 100 == 2 else b"")
            elif status // 100 == 2 and media_type == "text/html":
                soup = BeautifulSoup(record.content_stream().read(), "lxml")
                metas = soup.head.find_all("meta") if soup.head else ()
                found = soup.body.find_all(class_=lambda c: c and "acap:" in c.lower()) if soup.body else ()
                survey.page(
                    counts,
                    [(m.get("name") or "", m.get("content") or "") for m in metas],
                    [" ".join(e.get("class")) for e in found],
                )


survey.main(read)
