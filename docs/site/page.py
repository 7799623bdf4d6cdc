"""A page of the site, and what all pages have in common: the frame, the navigation, the search."""
import html
import json
import re
from dataclasses import dataclass, field


@dataclass
class Page:
    path: str
    """In the site, with slashes."""
    title: str
    part: str
    """The heading of the navigation that it stands under."""
    body: str
    label: str = ""
    """In the navigation; "" for the title."""
    contents: list = field(default_factory=list)
    """What it has: an anchor and a text, and a level from 0 on, which may be left out."""
    names: dict = field(default_factory=dict)
    """What can be searched for and linked to: names and their anchors."""
    is_listed: bool = True


PARTS = ["Guides", "C", "VideoToolbox", "Swift", "Python", "Command", "Examples", "Project"]


def escape(text):
    return html.escape(text, quote=False)


def slug(text, separator="-"):
    """As GitHub makes anchors of headings."""
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", separator)


def relative(source, target):
    """The address of `target` as a page at `source` has it."""
    up = source.count("/")
    here, there = source.split("/")[:-1], target.split("/")
    while up and here and there and here[0] == there[0] and len(there) > 1:
        here, there, up = here[1:], there[1:], up - 1
    return "../" * len(here) + "/".join(there)


def navigation(pages, current):
    out = []
    for part in PARTS:
        listed = [page for page in pages if page.part == part and page.is_listed]
        if not listed:
            continue
        is_open = " open" if current.part == part else ""
        out.append(f"<details{is_open}><summary>{part}</summary><ul>")
        for page in listed:
            mark = ' aria-current="page"' if page is current else ""
            out.append(f'<li><a href="{relative(current.path, page.path)}"{mark}>{escape(page.label or page.title)}</a></li>')
        out.append("</ul></details>")
    return "\n".join(out)


def contents(page):
    if len(page.contents) < 3:
        return ""
    entries = "".join(f'<li class="level{level[0] if level else 0}"><a href="#{anchor}">{escape(text)}</a></li>'
                      for anchor, text, *level in page.contents)
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ul>{entries}</ul></nav>'


def framed(page, pages, version):
    """The whole file."""
    def to(path):
        return relative(page.path, path)

    part = "" if page.part in ("Guides", "Project") else f" - {page.part}"
    title = "Nalu" if page.path == "index.html" else f"{page.title}{part} - Nalu"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="stylesheet" href="{to('style.css')}">
<script src="{to('names.js')}" defer></script>
<script src="{to('search.js')}" data-root="{to('')}" defer></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header>
<a class="brand" href="{to('index.html')}">Nalu <small>{escape(version)}</small></a>
<search><input id="search" type="search" placeholder="Search" aria-label="Search names" autocomplete="off">
<ul id="found" hidden></ul></search>
</header>
<div class="columns">
<details class="menu"><summary>All pages</summary><nav class="parts" aria-label="Pages">{navigation(pages, page)}</nav></details>
<nav class="parts side" aria-label="Pages">{navigation(pages, page)}</nav>
<main id="main">
{page.body}
</main>
{contents(page)}
</div>
</body>
</html>
"""


def names_script(pages):
    """For the search: every name with its address, every page with its title, and the headings of the guides."""
    entries = [[page.title, page.path, page.part] for page in pages]
    for page in pages:
        entries += [[name, f"{page.path}#{anchor}", page.part] for name, anchor in page.names.items()]
        if page.part == "Guides" or page.label == "Package":
            entries += [[text, f"{page.path}#{anchor}", page.title] for anchor, text, *_ in page.contents]
    return "const names = " + json.dumps(entries, separators=(",", ":")) + ";\n"
