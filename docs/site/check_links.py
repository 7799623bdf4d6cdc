#!/usr/bin/env python3
"""Checks that every link in a directory of pages leads to a file of it, and to an anchor that the file has. DocC's pages are made
by a script in the browser, so only links to them are checked.

usage: check_links.py DIRECTORY
"""
import posixpath
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append((self.getpos()[0], value))


root = Path(sys.argv[1])
# Directories count as files: a server lists their contents.
files = {path.relative_to(root).as_posix() for path in root.rglob("*")}
pages = {name: Links((root / name).read_text()) for name in files if name.endswith(".html") and not name.startswith("swift/")}
problems, count = [], 0
for name, page in sorted(pages.items()):
    for line, link in page.links:
        address = urlsplit(link)
        if address.scheme or address.netloc:
            continue
        count += 1
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(address.path))) if address.path else name
        if target not in files:
            problems.append(f"{name}:{line}: {link} leads nowhere")
        elif address.fragment and target in pages and unquote(address.fragment) not in pages[target].anchors:
            problems.append(f"{name}:{line}: {link}: {target} has no such anchor")
print("\n".join(problems + [f"links: {count} in {len(pages)} pages, {len(problems)} dead"]))
sys.exit(bool(problems))
