#!/usr/bin/env python3
"""Doxygen's input filter: writes a header to standard output with its comments in Doxygen's form.

The headers are written to be read as they are. Their conventions, which scripts/check_header_text checks, are: a comment
stands before what it describes, or at the end of its line; `name: text` describes a parameter; `Returns:`, `Threading:`,
`Ownership:` and the fixed lines of a property have those names; four spaces begin an example; two columns are a list.

usage: doxygen_filter.py HEADER
       doxygen_filter.py --lines < MESSAGES     Doxygen's messages, with the lines that the headers themselves have
"""
import bisect
import re
import sys

FIXED = ("Threading", "Ownership", "Type", "Unit", "Range", "Default", "Takes effect", "Available")
# Comments of declarations that have none; docs/site/headers.py knows them.
SHARED = "As above."
INTERNAL = "Internal."
SECTION = re.compile(r"^/\* ---- (.*?) -+ \*/$")
ROW = re.compile(r"^  (\S.*?)\s{2,}(\S.*)$")


def plain(text):
    """Nothing in it is a command of Doxygen or a tag."""
    text = re.sub(r"([\\@])", r"\1\1", text)
    return re.sub(r"([#%])(?=\w)", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def running(text):
    """Running text: what is in backticks is taken as it is."""
    return "".join(part if index % 2 else plain(part) for index, part in enumerate(re.split(r"(`[^`\n]*`)", text)))


def begins_sentence(lines, index):
    return index == 0 or not lines[index - 1] or lines[index - 1].endswith((".", ":")) or lines[index - 1].startswith(" ")


def converted(lines, run=()):
    """The lines of a comment; `run`: the functions that it describes, as text."""
    out = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.startswith("    ") and (index == 0 or not lines[index - 1]):
            block = []
            while index < len(lines) and (lines[index].startswith("    ") or not lines[index]):
                block.append(lines[index][4:])
                index += 1
            while block and not block[-1]:
                block.pop()
            is_code = any(re.search(r"[;{#]", each) for each in block)
            out += ["", "@code{.c}" if is_code else "@verbatim", *block, "@endcode" if is_code else "@endverbatim", ""]
            continue
        label = re.match(r"([A-Za-z][\w ]*(?:, \w+)*):(?:\s+(.*)|$)", line)
        names = re.split(", ", label[1]) if label else []
        row = ROW.match(line)
        if label and label[1] == "Returns":
            out += ["", f"@return {running(label[2] or '')}"]
        elif label and label[1] in FIXED:
            out += ["", f"@par {label[1]}", running(label[2] or "")]
        elif label and run and all(re.fullmatch(r"[a-z_]\w*", name) for name in names) and begins_sentence(lines, index):
            # What only others of the run have, Doxygen would miss in the first.
            own = all(re.search(rf"\b{name}\b", run[0]) for name in names)
            others = all(any(re.search(rf"\b{name}\b", each) for each in run[1:]) for name in names)
            head = f"- **{', '.join(names)}**:" if others and not own else f"@param {','.join(names)}"
            out += ["", f"{head} {running(label[2] or '')}"]
        elif row and not line.startswith("   "):
            out.append(f"- **{running(row[1].removesuffix(':'))}**: {running(row[2])}")
            index += 1
            # Up to where the column ends.
            while index < len(lines) and re.match(r"   +\S", lines[index]):
                out.append("  " + running(lines[index].strip()))
                index += 1
            continue
        elif re.match(r"[A-Z]{5,}[.,: ]", line) and (index == 0 or not lines[index - 1]):
            heading = re.match(r"[A-Z]{5,}", line)[0]
            out += ["", f"**{heading.capitalize()}**{running(line[len(heading):])}"]
        elif out and line and not line.startswith(" ") and index and re.match(r"  \S", lines[index - 1]):
            out += ["", running(line)]
        else:
            out.append(running(line))
        index += 1
    return out


def stripped(comment):
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() if number else line.strip()
             for number, line in enumerate(comment.split("\n"))]
    return [line for line in lines if not line.startswith("SPDX-License-Identifier")]


def declarations(text):
    """The declarations at the beginning of `text`, up to an empty line, a comment or the first member of a struct."""
    found = [""]
    for line in text.lstrip("\n").split("\n"):
        if not line.strip() or line.lstrip().startswith(("/*", "}", "#if", "#e")):
            break
        found[-1] += line + "\n"
        code = re.sub(r"/\*.*", "", line).rstrip()
        if code.endswith("{"):
            break
        is_macro = found[-1].startswith("#define")
        if not code.endswith("\\") if is_macro else code.endswith((";", ",")) and found[-1].count("(") == found[-1].count(")"):
            found.append("")
        if "/*" in line:
            break
    return [each for each in found if each]


def shared(text, after_member):
    """The same declarations; each that has the comment of the one before says so. `after_member`: that comment stands at
    the end of the line before."""
    begin = len(text) - len(text.lstrip("\n"))
    found = declarations(text) if begin <= 1 else []
    first = 0 if after_member else 1
    out = [text[:begin], *(separate(each) for each in found[:first])]
    for each in found[first:]:
        each = separate(each)
        out.append(f"{each[:-1]} /**< {SHARED} */\n" if each.startswith("#") else f"/** {SHARED} */ {each}")
    rest = text[begin + sum(map(len, found)):]
    key = re.search(r"#define (NALU_PROPERTY_\w+) ", "".join(found))
    if key:
        rest = re.sub(r'(?m)^(#define NALU_\w+ (?:"[^"]*"|[(\d][^ ]*))$', rf"\1 /**< A value of {key[1]}. */", rest)
    return "".join(out) + alone(rest)


def separate(declaration):
    """Two members of one line, each with the comment."""
    return re.sub(r"^( *)(\w+ )(\w+), (\w+);", rf"\1\2\3; /** {SHARED} */ \2\4;", declaration)


def alone(text):
    """What is known by its name."""
    text = re.sub(r"(?m)^(#define NALU_\w+_INIT\b)", r"/** The defaults of the struct, with its size. */ \1", text)
    return re.sub(r"(?m)^(#define NALU_(?:API|NODISCARD|BEGIN_DECLS|END_DECLS)\b)", rf"/** {INTERNAL} */ \1", text)


def filtered(path):
    """What Doxygen is to read, in pieces: each with the line of the header that it begins in."""
    text = open(path, encoding="utf-8").read()
    out = Pieces(text)
    position = 0
    is_open = False
    begun = after_member = False
    for match in re.finditer(r"^([ \t]*)(\S[^\n]*?)??/\*(.*?)\*/([^\n]*)", text, re.S | re.M):
        between = text[position:match.start()]
        out.append(shared(between, after_member) if begun else alone(between))
        position = match.end()
        out.at(match.start())
        indent, before, comment, after = match[1], match[2] or "", match[3], match[4]
        after_member = bool(before) and not before.startswith("#") and not re.match(r"sizeof|0$", comment.strip())
        section = SECTION.match(match[0])
        if section:
            out.append(("/** @} */ " if is_open else "") + f"/** @name {plain(section[1])} */ /** @{{ */")
            is_open = True
        elif before:
            told = " ".join(running(line) for line in stripped(comment)).strip()
            two = separate(indent + before.rstrip())
            out.append(f"/** {told} */ {two}" if SHARED in two else f"{indent}{before}/**< {told} */{after}")
        elif not begun:
            first, *rest = "\n".join(stripped(comment)).strip().split("\n")
            first = re.sub(r"^nalu/\S+ - ", "", first)
            out.append("/** @file\n" + "\n".join(converted([first[0].upper() + first[1:], *rest])) + "\n*/" + after)
            begun = True
        else:
            run = declarations(text[match.end():]) if text[match.end():match.end() + 2] != "\n\n" else []
            is_function = bool(run) and not run[0].startswith("#") and re.search(
                r"\w\s*\(|\(\*\w+\)\s*\(", re.sub(r"__attribute__\(\(.*?\)\)", "", run[0]))
            lines = stripped(comment)
            out.append(indent + "/** " + "\n".join(converted(lines, run if is_function else ())).strip("\n") + " */" + after)
        out.at(position)
    rest = shared(text[position:], False)
    if is_open:
        before, end, after = rest.rpartition("\nNALU_END_DECLS")
        rest = before + "\n/** @} */" + end + after if end else re.sub(r"(\n#endif\s*)$", r"\n/** @} */\1", rest)
    out.append(rest)
    return out


class Pieces(list):
    """Pieces of a text, and where in another text they come from."""

    def __init__(self, origin):
        super().__init__()
        self._origin = origin
        # The first line of a piece, and that of the origin; both counted from 0.
        self._lines = [(0, 0)]

    def at(self, position):
        """The next piece is from there on."""
        self._lines.append(("".join(self).count("\n"), self._origin.count("\n", 0, position)))

    def line(self, line):
        """The line of the origin, counted from 1 as the given one is. In a comment, whose lines are others, it may be near."""
        index = bisect.bisect_right(self._lines, (line - 1, sys.maxsize)) - 1
        begin, origin = self._lines[index]
        last = self._lines[index + 1][1] if index + 1 < len(self._lines) else self._origin.count("\n")
        return min(origin + line - 1 - begin, last) + 1


def relocated(message):
    """A message of Doxygen, with the line of the header."""
    match = re.match(r"(\S+\.h):(\d+):", message)
    return f"{match[1]}:{filtered(match[1]).line(int(match[2]))}:{message[match.end():]}" if match else message


if sys.argv[1] == "--lines":
    sys.stdout.writelines(relocated(message) for message in sys.stdin)
else:
    sys.stdout.write("".join(filtered(sys.argv[1])))
