"""Finds dead links in a folder of pages: to files, to anchors, and to anchors that are there twice; and pages without a link to
them."""
import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.anchors, self.doubled = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                if value in self.anchors:
                    self.doubled.append(value)
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append((self.getpos()[0], value))


def check(folder):
    """The number of links and a line for each problem."""
    folder = Path(folder)
    pages = {path.relative_to(folder).as_posix(): Links(path.read_text()) for path in folder.rglob("*.html")}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    problems, count, reached = [], 0, set()
    for name, page in sorted(pages.items()):
        problems += [f"{name}: two anchors #{anchor}" for anchor in page.doubled]
        for line, link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            count += 1
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(address.path))) if address.path else name
            if target != name:
                reached.add(target)
            if target not in files:
                problems.append(f"{name}:{line}: {link} leads nowhere")
            elif address.fragment and target in pages and unquote(address.fragment) not in pages[target].anchors:
                problems.append(f"{name}:{line}: {link}: {target} has no such anchor")
    problems += [f"{name}: no other page leads there" for name in sorted(pages.keys() - reached)]
    return count, problems
