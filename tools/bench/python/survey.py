"""What the two Python surveys count, whatever they read archives and pages with. Each prints one JSON object of counts,
which `run` compares with what acapscan extracted."""

import json
import sys
from collections import Counter

CRAWLERS = ("robots", "googlebot", "bingbot", "slurp", "msnbot", "searchbot")


def is_robots(url):
    """Reports whether this is a site's robots.txt."""
    return url.split("://", 1)[-1].partition("/")[2] == "robots.txt"


def robots_txt(counts, status, body):
    counts["robots"] += 1
    if status // 100 != 2:
        return
    fields = 0
    for line in body.decode("utf-8", "replace").removeprefix("\ufeff").splitlines():
        name = line.partition("#")[0].partition(":")[0].strip().lower()
        if name.startswith("acap-"):
            fields += 1
    counts["robots-acap-fields"] += fields
    counts["robots-with-acap"] += fields > 0


def page(counts, metas, classes):
    """Counts a page by the (name, content) of its METAs and by its class attributes that may hold a token."""
    counts["html"] += 1
    acap = conventional = False
    for name, content in metas:
        if content.split()[:1] and content.split()[0].lower() == "acap":
            acap = True
        elif name.strip().lower() in CRAWLERS:
            conventional = True
    counts["acap-meta"] += acap
    counts["conventional"] += conventional
    counts["acap-class"] += any(
        token.lower().startswith(("the-acap:", "acap:")) for value in classes for token in value.split()
    )


def main(survey):
    counts = Counter()
    for path in sys.argv[1:]:
        survey(path, counts)
    print(json.dumps(counts, sort_keys=True))
