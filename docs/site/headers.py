"""Pages of the C headers, from the XML that Doxygen makes of them."""
import re
import xml.etree.ElementTree as ElementTree

from page import Page, escape
from text import code

SHARED = "As above."
INTERNAL = "Internal."


class Item:
    """A declaration, or several with one comment."""

    def __init__(self, kind, name, description, position, source, element):
        self.kind, self.name, self.position, self.source, self.element = kind, name, position, source, element
        self.description = description
        self.others = []
        self.values = []


def pages(xml, include):
    """`xml`: Doxygen's folder; `include`: that of the headers."""
    structs = {}
    files = []
    for entry in sorted(xml.glob("*.xml")):
        root = ElementTree.parse(entry).getroot()
        for compound in root.findall("compounddef"):
            if compound.get("kind") == "struct":
                structs[compound.findtext("compoundname")] = compound
            elif compound.get("kind") == "file":
                files.append(compound)
    found = [page(file, structs, include) for file in files]
    order = ["nalu/nalu.h", "nalu/base.h", "nalu/time.h", "nalu/session.h", "nalu/properties.h"]
    found.sort(key=lambda each: (each.title.count("/"), order.index(each.title) if each.title in order else 99, each.title))
    return found


def page(file, structs, include):
    name = file.find("location").get("file").split("include/")[-1]
    source = (include / name).read_text()
    items = []
    sections = [(match.start(), match[1]) for match in re.finditer(r"(?m)^/\* ---- (.*?) -+ \*/$", source)]
    for member in file.iter("memberdef"):
        kind, its = member.get("kind"), member.findtext("name")
        if kind == "enum":
            its = member.find("enumvalue").findtext("name")
        position = declared(source, kind, its)
        items.append(Item(kind, its, described(member), position, source, member))
    for inner in file.findall("innerclass"):
        struct = structs[inner.text]
        items.append(Item("struct", inner.text, described(struct), declared(source, "struct", inner.text), source, struct))
    items.sort(key=lambda item: item.position)
    # A struct is also a typedef of the same name.
    names = [item.name for item in items if item.kind == "struct"]
    items = [item for item in items if item.description != INTERNAL and not (item.kind == "typedef" and item.name in names)]
    merged = []
    for item in items:
        text = plain(item.element.find("detaileddescription"))
        value = re.fullmatch(r"A value of (\w+)\.", text)
        if text == INTERNAL:
            continue
        if text == SHARED and merged:
            merged[-1].others.append(item)
        elif value and any(other.name == value[1] for other in merged):
            next(other for other in merged if other.name == value[1]).values.append(item)
        else:
            merged.append(item)

    address = f"c/{name.removeprefix('nalu/').removesuffix('.h')}.html"
    body = [f"<h1><code>{name}</code></h1>", f'<div class="lead">{described(file)}</div>']
    contents, anchors, rest = [], {}, sections
    for item in merged:
        while rest and rest[0][0] < item.position:
            title = rest[0][1]
            anchor = "section-" + re.sub(r"\W+", "-", title.lower())
            body.append(f'<h2 id="{anchor}">{escape(title)}</h2>')
            contents.append((anchor, title, 0))
            rest = rest[1:]
        body.append(rendered(item))
        key = re.fullmatch(r'"(\w[\w.]*)"', item.element.findtext("initializer") or "")
        is_property = key and item.name.startswith("NALU_PROPERTY_")
        if item.kind != "enum":
            short = key[1] if is_property else item.name.removeprefix("nalu_").removeprefix("NALU_")
            contents.append((item.name, short, 1 if contents else 0))
        for each in (item, *item.others, *item.values):
            anchors.update({name: name for name in names_of(each)})
            if is_property:
                anchors[key[1]] = item.name
    return Page(address, name, "C", "\n".join(body), label=name.removeprefix("nalu/"), contents=contents, names=anchors)


def declared(source, kind, name):
    """Where the header has the declaration."""
    patterns = {"define": rf"#define {name}\b", "struct": rf"\bstruct {name} \{{", "enum": rf"(?m)^ +{name}\b",
                "function": rf"\b{name}\(", "typedef": rf"(?m)^typedef [^;]*?\b{name}(?:\)\s*\(|;)"}
    code = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), source, flags=re.S)
    match = re.search(patterns.get(kind, rf"\b{name}\b"), code)
    if match is None:
        raise SystemExit(f"docs: {name} is not found in its header")
    return match.start()


def names_of(item):
    if item.kind != "enum":
        return [item.name]
    return [value.findtext("name") for value in item.element.findall("enumvalue")]


def declaration(item):
    element = item.element
    if item.kind == "define":
        parameters = [each.findtext("defname") or "" for each in element.findall("param")]
        value = re.sub(r"\s*\\\n\s*", " ", "".join(element.find("initializer").itertext()) if element.find("initializer") is not None else "")
        arguments = f"({', '.join(parameters)})" if parameters else ""
        return f"#define {item.name}{arguments} {' '.join(value.split())}"
    if item.kind in ("function", "typedef"):
        head, arguments = element.findtext("definition").replace("* ", "*"), element.findtext("argsstring") or ""
        if item.kind == "typedef":
            # Doxygen writes "typedef void(* name) (int)", and the arguments again.
            callback = re.fullmatch(r"(typedef .*?) ?\(\* ?(\w+)\) ?\((.*)\)", head)
            if callback is None:
                return head + ";"
            head, arguments = f"{callback[1]} (*{callback[2]})", f"({callback[3]})"
        arguments = re.sub(r"\* (?=\w)", "*", arguments[1:-1])
        if len(head) + len(arguments) < 80:
            return f"{head}({arguments});"
        return head + "(\n    " + ",\n    ".join(re.split(r", (?![^()]*\))", arguments)) + ");"
    if item.kind == "enum":
        return "enum"
    return f"typedef struct {item.name}"


def rendered(item):
    run = [item, *item.others]
    out = [f'<section class="member" id="{names_of(item)[0]}">']
    if item.kind == "enum":
        rows = []
        for value in item.element.findall("enumvalue"):
            name = value.findtext("name")
            anchor = "" if name == item.name else f' id="{name}"'
            number = (value.findtext("initializer") or "").removeprefix("= ")
            rows.append(f"<tr{anchor}><td><code>{name}</code></td><td class='value'><code>{escape(number)}</code></td><td>{described(value)}</td></tr>")
        out += [item.description, table("Constant", "Value", "", rows)]
    elif item.kind == "struct":
        rows = []
        for field in item.element.iter("memberdef"):
            text = "".join(field.find("type").itertext()) + " " + field.findtext("name") + (field.findtext("argsstring") or "")
            told = described(field)
            told = "<p>As above.</p>" if told == f"<p>{SHARED}</p>" else told
            rows.append(f"<tr><td><code>{escape(text.replace('* ', '*'))}</code></td><td>{told}</td></tr>")
        out += [code(f"typedef struct {item.name} {{ ... }} {item.name};", "c"), item.description, table("Field", "", rows)]
    else:
        for other in item.others:
            out.append(f'<span id="{other.name}"></span>')
        out += [code("\n".join(declaration(each) for each in run), "c"), item.description]
    if item.values:
        rows = [f'<tr id="{each.name}"><td><code>{each.name}</code></td><td><code>{escape(each.element.findtext("initializer"))}</code></td></tr>'
                for each in item.values]
        out.append(table("Value", "Text", rows))
    return "\n".join([*out, "</section>"])


def table(*heads_and_rows):
    *heads, rows = heads_and_rows
    head = "".join(f"<th>{each}</th>" for each in heads)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def plain(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def described(element):
    """Its description, as HTML."""
    detailed = element.find("detaileddescription")
    brief = element.find("briefdescription")
    text = (blocks(brief) if brief is not None else "") + (blocks(detailed) if detailed is not None else "")
    # Labels that follow each other are one list.
    text = re.sub(r"</dl>\s*<dl>", "\n", text)
    return text


def blocks(element):
    out = []
    for child in element:
        out.append(block(child))
    return "".join(out)


def block(element):
    if element.tag == "para":
        # A paragraph of Doxygen may hold blocks; HTML's may not.
        out, run = [], escape(element.text or "")
        for child in element:
            if child.tag in ("itemizedlist", "orderedlist", "programlisting", "verbatim", "simplesect", "parameterlist", "para"):
                if run.strip():
                    out.append(f"<p>{run.strip()}</p>")
                out.append(block(child))
                run = ""
            else:
                run += inline(child)
            run += escape(child.tail or "")
        if run.strip():
            out.append(f"<p>{run.strip()}</p>")
        return "".join(out)
    if element.tag in ("itemizedlist", "orderedlist"):
        tag = "ul" if element.tag == "itemizedlist" else "ol"
        return f"<{tag}>" + "".join(f"<li>{single(item)}</li>" for item in element.findall("listitem")) + f"</{tag}>"
    if element.tag == "programlisting":
        lines = []
        for line in element.findall("codeline"):
            lines.append("".join(source(part) for part in line))
        return code("\n".join(lines), "c")
    if element.tag == "verbatim":
        return code(element.text or "", "")
    if element.tag == "parameterlist":
        rows = []
        for item in element.findall("parameteritem"):
            names = ", ".join(f"<code>{name.text}</code>" for name in item.iter("parametername"))
            rows.append(f"<dt>{names}</dt><dd>{single(item.find('parameterdescription'))}</dd>")
        return f"<dl>{''.join(rows)}</dl>"
    if element.tag == "simplesect":
        title = "Returns" if element.get("kind") == "return" else element.findtext("title") or ""
        inner = "".join(block(child) for child in element if child.tag != "title")
        inner = re.sub(r"^<p>(.*?)</p>$", r"\1", inner, flags=re.S) if inner.count("<p>") == 1 else inner
        return f'<dl><dt class="label">{title}</dt><dd>{inner}</dd></dl>'
    raise SystemExit(f"docs: Doxygen's <{element.tag}> is not expected in a comment")


def single(element):
    """The blocks of an element; a paragraph on its own has no mark."""
    inner = blocks(element)
    return re.sub(r"^<p>(.*?)</p>", r"\1", inner, count=1, flags=re.S)


def inline(element):
    inner = escape(element.text or "") + "".join(inline(child) + escape(child.tail or "") for child in element)
    if element.tag in ("computeroutput", "bold", "emphasis"):
        tag = {"computeroutput": "code", "bold": "strong", "emphasis": "em"}[element.tag]
        return f"<{tag}>{inner}</{tag}>"
    if element.tag in ("ref", "ulink"):
        return inner
    entities = {"ndash": "--", "mdash": "---", "nonbreakablespace": " ", "lsquo": "'", "rsquo": "'", "linebreak": "<br>"}
    if element.tag in entities:
        return entities[element.tag]
    raise SystemExit(f"docs: Doxygen's <{element.tag}> is not expected in a line of a comment")


def source(element):
    """A piece of a program."""
    if element.tag == "sp":
        return " " + (element.tail or "")
    return (element.text or "") + "".join(source(child) for child in element) + (element.tail or "")
