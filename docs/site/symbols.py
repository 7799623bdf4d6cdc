#!/usr/bin/env python3
"""Writes a page of the site: each function and constant that the headers of include/frameworks declare, and whether it works, has
no effect, or is missing. The comment of a symbol decides: `Accepted without effect: why`, `No effect: why`, `Not supported: why`. A
symbol that is declared and defined nowhere is missing too.
"""
import re
from pathlib import Path

root = Path(__file__).absolute().parent.parent.parent
WORKS, NO_EFFECT, MISSING = "works", "no effect", "missing"
PARAGRAPH = "\N{PILCROW SIGN}"

NOT_ENCODED = {
    r"kVTProfileLevel_(?!H264|HEVC_Main(10)?_)": "sessions encode H.264, and H.265 in Main and Main 10",
    r"kVTProfileLevel_H264_Extended": "the encoder does not write this profile",
}


def words(comment):
    """The comment as one line; an empty line in it becomes PARAGRAPH."""
    lines = [re.sub(r"^[ \t]*\*", "", line).strip() for line in comment.strip().split("\n")]
    return " ".join(" ".join(line or PARAGRAPH for line in lines).strip(PARAGRAPH + " ").split())


def declarations(text):
    """Each name that is declared, with the comment that is for it: the one after it on its line, or the last one before it
    without an empty line between, which may be for several. True for what is defined."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    comments = [(match.start(), match.end(), words(match[1])) for match in re.finditer(r"/\*\**<?(.*?)\*/", text, re.S)]
    trailing = {}
    for start, stop, said in comments:
        if (line := text.rfind("\n", 0, start)) < (semicolon := text.rfind(";", 0, start)) and semicolon > line:
            trailing[start] = said
    for match in re.finditer(r"\b(?:CM|CV|VT|IOSURFACE)_EXPORT\b([^;{}]*);|\bCG_EXTERN\b([^;{}]*);", text, re.M):
        declaration = without_attributes(re.sub(r"/\*.*?\*/", "", match[1] or match[2], flags=re.S))
        if "(" in declaration:
            names = [re.search(r"\b(\w+)\s*\(", declaration)[1]]
        else:
            names = [re.search(r"(\w+)\s*$", part)[1] for part in declaration.split(",")]
        said = ""
        for start, stop, comment in comments:
            if start in trailing:
                if match.end() <= start and not text[match.end():start].strip() and "\n" not in text[match.end():start]:
                    said = comment
                    break
            elif stop <= match.start():
                said = "" if re.search(r"\n[ \t]*\n", text[stop:match.start()]) else comment
        for name in names:
            yield name, said, match[2] is None


def without_attributes(declaration):
    while match := re.search(r"\b(?:CF|NS|API)_[A-Z_]+\s*\(", declaration):
        depth, stop = 1, match.end()
        while depth and stop < len(declaration):
            depth += {"(": 1, ")": -1}.get(declaration[stop], 0)
            stop += 1
        declaration = declaration[: match.start()] + declaration[stop:]
    return declaration


def first_sentence(text):
    sentence = re.split(rf"\s*{PARAGRAPH}|(?<=[.;])\s+(?=[A-Z`]|k[CV])", text, maxsplit=1)[0].rstrip(".;")
    return sentence if len(sentence) <= 130 else sentence[:127].rsplit(" ", 1)[0] + " …"


def state(name, said, defined):
    if not defined:
        return MISSING, "declared for programs that mention it"
    for pattern, why in NOT_ENCODED.items():
        if re.match(pattern, name):
            return MISSING, why
    if match := re.search(r"Not supported:?\s*(.*)", said):
        return MISSING, first_sentence(match[1].lstrip(". ")) or "kVTPropertyNotSupportedErr"
    # "No effect while ..." is said of what has an effect otherwise.
    if match := re.search(r"(?:Accepted without effect|No effect): *(.*)", said):
        return NO_EFFECT, first_sentence(match[1])
    return WORKS, first_sentence(said)


def cell(text):
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


rows, counts = [], {WORKS: 0, NO_EFFECT: 0, MISSING: 0}
for framework in ("VideoToolbox", "CoreMedia", "CoreVideo", "IOSurface", "CoreGraphics"):
    for header in sorted((root / "include" / "frameworks" / framework).glob("*.h")):
        for name, said, defined in sorted(declarations(header.read_text())):
            found, note = state(name, said, defined)
            counts[found] += 1
            rows.append(f"| `{name}` | {header.stem} | {found} | {cell(note)} |")
print(f"# Symbols of libVideoToolbox\n\nThe headers declare {len(rows)} functions and constants: {counts[WORKS]} work, "
      f"{counts[NO_EFFECT]} have no effect, {counts[MISSING]} are missing.\n\n"
      "| symbol | header | state | note |\n|---|---|---|---|\n" + "\n".join(rows))
