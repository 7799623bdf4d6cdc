#!/usr/bin/env python3
"""Makes the site: see scripts/docs, which has made ready what this takes.

usage: build.py WORK OUT       WORK has xml (Doxygen's), graphs (the compiler's) and man (the manual as HTML)
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

import headers
import links
import python_api
import swift_api
from page import Page, escape, framed, names_script
from text import code, from_markdown, linked, repointed

ROOT = Path(__file__).absolute().parent.parent.parent
HERE = Path(__file__).absolute().parent
GUIDES = ["threading", "rate-control", "properties", "property-text", "pixel-formats", "loss-recovery", "segments", "parallel",
          "rtp", "streams", "media", "containers", "decoding", "videotoolbox", "command", "packages", "platforms", "abi", "peers",
          "figures", "troubleshooting", "coming-from", "glossary"]


def document(name, path, part, label=""):
    """The page of a Markdown file, and the file, from which its links are resolved."""
    text = (ROOT / name).read_text()
    body, contents = from_markdown(text)
    title = re.search(r"(?m)^# (.*)$", text)
    plain = re.sub(r"[`*]", "", title[1]) if title else path
    return Page(path, plain, part, body, label=label, contents=contents), name


def home():
    page, name = document("README.md", "index.html", "Guides", "Start")
    cards = [("guides/threading.html", "Guides", "threads, rates, pixel formats, loss, containers"),
             ("c/nalu.html", "C", "every header, function and property"), ("videotoolbox/index.html", "VideoToolbox", "its headers"), ("swift/index.html", "Swift", "the modules Nalu and NaluMedia"),
             ("python/index.html", "Python", "the package nalu"), ("command/nalu.html", "Command", "the manual of nalu"),
             ("examples/index.html", "Examples", "complete programs")]
    row = "".join(f'<a class="card" href="{path}"><strong>{title}</strong><span>{text}</span></a>' for path, title, text in cards)
    page.body = page.body.replace("</h1>", f'</h1>\n<div class="cards">{row}</div>', 1)
    return page, name


def examples():
    """The programs, and a page that lists them by their first comments."""
    result, rows = [], []
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix not in (".c", ".swift", ".h", ".txt") or not path.is_file():
            continue
        name = path.relative_to(ROOT / "examples").as_posix()
        text = path.read_text()
        comment = re.match(r"/\*(.*?)\*/|((?:(?://|#).*\n)+)", text, re.S)
        about = re.sub(r"(?m)^\s*(?:\*|//+|#) ?", "", comment[1] or comment[2]).strip() if comment else ""
        about = re.split(r"\n\s*\n|\. ", re.sub(r"SPDX.*", "", about))[0].replace("\n", " ").removeprefix(f"{path.name} - ")
        page = f"examples/{name}.html"
        body = f"<h1><code>{name}</code></h1>" + code(text, {".c": "c", ".h": "c", ".swift": "swift"}.get(path.suffix, "cmake"))
        result.append(Page(page, name, "Examples", body, is_listed=path.suffix in (".c", ".swift")))
        rows.append(f'<tr><td><a href="{name}.html"><code>{name}</code></a></td><td>{about}</td></tr>')
    body = f'<h1>Examples</h1><div class="table"><table><tbody>{"".join(rows)}</tbody></table></div>'
    return [Page("examples/index.html", "Examples", "Examples", body, label="All examples"), *result]


def frameworks():
    """The headers of libVideoToolbox as they are, with an anchor at each exported symbol, and a page that lists them."""
    folder = ROOT / "include" / "frameworks"
    exported = subprocess.run([ROOT / "scripts" / "generate_symbols", "--names", "VideoToolbox"], check=True, capture_output=True,
                              text=True).stdout.split()
    result, rows = [], []
    for path in sorted(path for name in ("CoreMedia", "CoreVideo", "IOSurface", "VideoToolbox") for path in (folder / name).glob("*.h")):
        name, text = path.relative_to(folder).as_posix(), path.read_text().strip("\n")
        # Without its comments, which mention symbols of other headers.
        bare = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)
        declared = {}
        for match in re.finditer(r"\b[A-Z]+_EXPORT\b[^;{}]*", bare):
            for word in re.finditer(r"\w+", match[0]):
                declared.setdefault(word[0], match.start() + word.start())
        lines = code(text, "c").split("\n")
        names = [each for each in exported if each in declared]
        for each in names:
            line = bare.count("\n", 0, declared[each])
            lines[line] = f'<span id="{each}"></span>' + lines[line]
        page = f"videotoolbox/{name}.html"
        body = f"<h1><code>{name}</code></h1>" + "\n".join(lines)
        result.append(Page(page, name, "VideoToolbox", body, names={each: each for each in names}))
        about = re.match(r"/\*\s*\* \S+ - (.*?)(?:\n \*\n|\n? \*/)", text, re.S)
        about = re.sub(r"\s*\n \* ?", " ", about[1]) if about else ""
        rows.append(f'<tr><td><a href="{name}.html"><code>{name}</code></a></td><td>{escape(about)}</td></tr>')
    missing = set(exported) - {name for page in result for name in page.names}
    if missing:
        raise SystemExit(f"docs: no header of the frameworks declares {', '.join(sorted(missing))}")
    body = f'<h1>VideoToolbox, CoreMedia and CoreVideo</h1><div class="table"><table><tbody>{"".join(rows)}</tbody></table></div>'
    return [Page("videotoolbox/index.html", "VideoToolbox, CoreMedia and CoreVideo", "VideoToolbox", body, label="All headers"), *result]


def manual(folder):
    result = []
    for path in sorted(folder.glob("*.html"), key=lambda each: each.stem):
        title = path.stem.replace("-", " ")
        body = re.sub(r"<(/?)h1", r"<\1h2", path.read_text())
        # The name of the program stands in the heading; the tables above and below the text repeat it.
        body = re.sub(r'<table class="(?:head|foot)">.*?</table>', "", body, flags=re.S)
        body = re.sub(r'(<h2 class="Sh".*?><a[^>]*>)([A-Z ]+)(?=<)', lambda match: match[1] + match[2].capitalize(), body)
        contents = [(anchor, text) for anchor, text in re.findall(r'<h2 class="Sh" id="([^"]+)"><a[^>]*>([^<]+)</a>', body)]
        result.append(Page(f"command/{path.stem}.html", title, "Command", f"<h1>{title}</h1>{body}", contents=contents))
    return result


def main():
    work, out = Path(sys.argv[1]), Path(sys.argv[2])
    # A guide that has no place in the list comes last.
    guides = GUIDES + sorted({path.stem for path in (ROOT / "docs").glob("*.md")} - set(GUIDES))
    written = [home(), *(document(f"docs/{name}.md", f"guides/{name}.html", "Guides") for name in guides),
               document("bindings/python/README.md", "python/index.html", "Python", "Package"),
               document("CONTRIBUTING.md", "project/contributing.html", "Project"),
               document("CHANGELOG.md", "project/changelog.html", "Project")]
    pages = [page for page, _ in written]
    c = headers.pages(work / "xml", ROOT / "include")
    vt = frameworks()
    license_text = (ROOT / "LICENSE").read_text()
    pages += [*c, *vt, *swift_api.pages(work / "graphs", [("Nalu", "Nalu"), ("NaluBase", "Nalu"), ("NaluBitstream", "Nalu"), ("NaluMedia", "NaluMedia")]),
              *python_api.pages(ROOT / "bindings" / "python" / "nalu", None), *manual(work / "man"), *examples(),
              Page("project/license.html", "License", "Project", f"<h1>License</h1>{code(license_text, '')}")]

    # Where the files of the repository are in the site.
    places = {name: page.path for page, name in written}
    places |= {f"include/{page.title}": page.path for page in c}
    places |= {f"include/frameworks/{page.title}": page.path for page in vt}
    places |= {f"examples/{page.title}": page.path for page in pages if page.part == "Examples"}
    places |= {"LICENSE": "project/license.html", "include/nalu/properties": "c/properties.html", "examples": "examples/index.html",
               "examples/videotoolbox": "examples/index.html"}
    symbols = {name: path for name, path in places.items() if name.startswith("docs/")}
    for page in c:
        # A header names others as it would include them, and those of its own folder by their names.
        symbols |= {page.title: page.path, page.title.removeprefix("nalu/"): page.path}
    symbols |= {page.title: page.path for page in vt[1:]}
    for part in ("C", "VideoToolbox", "Python", "Swift"):
        for page in pages:
            if page.part == part:
                for name, anchor in page.names.items():
                    symbols.setdefault(name, f"{page.path}#{anchor}")
    for page, name in written:
        page.body = repointed(page.body, name, page.path, places)
    version = ".".join(re.findall(r"#define NALU_VERSION_\w+ (\d+)", (ROOT / "include/nalu/base.h").read_text()))

    shutil.rmtree(out, ignore_errors=True)
    for page in pages:
        own = {name: target for name, target in symbols.items() if page.part not in ("Python", "Swift") or "nalu_" in name.lower()
               or target.startswith(page.path.split("/")[0]) or name.startswith("docs/")}
        page.body = linked(page.body, page.path, own)
        path = out / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(framed(page, pages, version))
    for name in ("style.css", "search.js"):
        shutil.copy(HERE / name, out / name)
    (out / "names.js").write_text(names_script(pages))
    count, problems = links.check(out)
    problems += [f"python: no page describes {name}" for name in python_api.undescribed(ROOT / "bindings/python/nalu", pages)]
    print("\n".join([*problems, f"docs: {len(pages)} pages, {count} links, {len(problems)} problems"]))
    sys.exit(1 if problems else 0)


main()
