"""Pages of the Swift modules, from the symbol graphs that the compiler makes of them."""
import json
import re

from page import Page, escape, slug
from text import code, from_markdown

KINDS = {"swift.class": "class", "swift.struct": "struct", "swift.enum": "enum", "swift.protocol": "protocol",
         "swift.actor": "actor"}
GROUPS = [("Cases", {"swift.enum.case"}), ("Creation", {"swift.init"}),
          ("Functions", {"swift.method", "swift.type.method", "swift.func.op", "swift.subscript"}),
          ("Properties", {"swift.property"}), ("Constants", {"swift.type.property"}), ("Types", {"swift.typealias"})]
IMPLIED = re.compile(r"^(?:hash\(into:\)|hashValue|==\(|!=\(|encode\(to:\)|init\(from:\)|description|debugDescription|"
                     r"init\(rawValue:\)|rawValue|allCases|localizedDescription|RawValue|ArrayLiteralElement|Element|AllCases)")


def pages(folder, modules):
    """`modules`: pairs of a module, and of the one that programs import it by."""
    symbols = []
    for module, imported in modules:
        graph = json.loads((folder / f"{module}.symbols.json").read_text())
        symbols += [(symbol, imported) for symbol in graph["symbols"] if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]
        for extension in folder.glob(f"{module}@*.symbols.json"):
            symbols += [(symbol, imported) for symbol in json.loads(extension.read_text())["symbols"]
                        if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]
    types = {}
    for symbol, imported in symbols:
        if symbol["kind"]["identifier"] in KINDS:
            types[".".join(symbol["pathComponents"])] = (symbol, imported)
    addresses = {name: f"swift/{name}.html" for name in types}
    result = []
    for name, (symbol, imported) in types.items():
        members = [each for each, _ in symbols if ".".join(each["pathComponents"][:-1]) == name]
        result.append(page(name, symbol, imported, members, addresses))
    result.sort(key=lambda each: each.title)
    # First what a program begins with.
    first = ["CompressionSession", "DecompressionSession", "Reader", "Writer", "Sample", "PixelBuffer"]
    result.sort(key=lambda each: first.index(each.title) if each.title in first else 99)
    for each in result:
        each.is_listed = "." not in each.title and each.title in first
    return [overview(result, types), *result]


def overview(result, types):
    rows = []
    for each in sorted(result, key=lambda one: one.title):
        symbol, imported = types[each.title]
        first = comment(symbol).split("\n\n")[0].replace("\n", " ")
        told, _ = from_markdown(linked_names(first))
        rows.append(f'<tr><td><a href="{each.path.split("/")[-1]}"><code>{each.title}</code></a></td><td>{imported}</td><td>{told}</td></tr>')
    body = ("<h1>Swift</h1><div class=\"lead\"><p>Programs import <code>Nalu</code>, and <code>NaluMedia</code> for containers and "
            "decoding.</p></div><div class=\"table\"><table><thead><tr><th>Type</th><th>Module</th><th></th></tr></thead><tbody>"
            + "".join(rows) + "</tbody></table></div>")
    return Page("swift/index.html", "Swift", "Swift", body, label="All types")


def comment(symbol):
    return "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))


def declaration(symbol):
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    head, parenthesis, rest = text.partition("(")
    if len(text) < 84 or not parenthesis:
        return text
    # One line for each parameter.
    depth, arguments = 0, [""]
    for index, character in enumerate(rest):
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1}.get(character, 0)
        depth -= 1 if character == ">" and rest[index - 1] != "-" else 0
        if depth < 0:
            parts = ",\n    ".join(each.strip() for each in arguments)
            return f"{head}(\n    {parts}\n{rest[index:]}" if len(arguments) > 1 else text
        if character == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += character
    return text


def linked_names(text):
    """``Type/member`` is code."""
    def plain(match):
        return "`" + match[1].replace("/", ".") + "`"

    return re.sub(r"``([^`]+)``", plain, text)


def described(symbol):
    text = linked_names(comment(symbol))
    # The fields of a comment: "- Parameter x:", "- Throws:".
    text = re.sub(r"(?m)^- Parameter (\w+):", r"- `\1`:", text)
    text = re.sub(r"(?m)^- Parameters:\n((?:  .*\n?)*)", lambda match: re.sub(r"(?m)^  - (\w+):", r"- `\1`:", re.sub(
        r"(?m)^    ", "  ", match[1])), text)
    text = re.sub(r"(?m)^- (Throws|Returns|Note|Warning):", r"- **\1**:", text)
    # A list needs an empty line before it.
    text = re.sub(r"(?m)^(?!- |  |$)(.*)\n(?=- )", r"\1\n\n", text)
    body, _ = from_markdown(re.sub(r"(?m)^  (?=\S)", "    ", text))
    return re.sub(r"<(/?)h\d[^>]*>", r"<\1p>", body)


def page(name, symbol, imported, members, addresses):
    body = [f"<h1><code>{name}</code></h1>", code(f"import {imported}\n\n{declaration(symbol)}", "swift"),
            f'<div class="lead">{described(symbol)}</div>']
    contents, names, used = [], {name: slug(name)}, set()
    body[0] = f'<h1 id="{slug(name)}"><code>{name}</code></h1>'
    for title, kinds in GROUPS:
        group = [each for each in members if each["kind"]["identifier"] in kinds
                 and not (IMPLIED.match(each["names"]["title"].split(".")[-1]) and not comment(each))]
        if not group:
            continue
        anchor = "group-" + title.lower()
        body.append(f'<h2 id="{anchor}">{title}</h2>')
        contents.append((anchor, title, 0))
        group.sort(key=lambda each: (each.get("location", {}).get("uri", ""), each.get("location", {}).get("position", {}).get("line", 0)))
        for each in group:
            label = each["pathComponents"][-1]
            anchor = base = re.sub(r"[^\w]+", "-", label).strip("-") or "operator"
            number = 1
            while anchor in used:
                number += 1
                anchor = f"{base}-{number}"
            used.add(anchor)
            body.append(f'<section class="member" id="{anchor}">{code(declaration(each), "swift")}{described(each)}</section>')
            if not contents or contents[-1][1] != label.split("(")[0]:
                contents.append((anchor, label.split("(")[0], 1))
            names.setdefault(f"{name}.{label.split('(')[0]}", anchor)
    for child, address in addresses.items():
        if child.rpartition(".")[0] == name:
            body.append(f'<p>Type inside: <a href="{address.split("/")[-1]}"><code>{child}</code></a></p>')
    if len(contents) > 40:
        contents = [entry for entry in contents if entry[0].startswith("group-")]
    return Page(addresses[name], name, "Swift", "\n".join(body), contents=contents, names=names)
