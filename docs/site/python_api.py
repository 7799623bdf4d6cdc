"""Pages of the Python package, read from its source: nothing is imported, and no library needs to be there."""
import ast
import re

from page import Page, escape
from text import code, from_markdown


# :func:`name`
ROLE = r":\w+:`~?([^`]+)`"


def pages(package, readme):
    """`package`: its folder; `readme`: the body of the page that comes first."""
    result = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if any(part.startswith("_") for part in parts):
            continue
        result.append(page(".".join(parts), Module(path)))
    result.sort(key=lambda each: each.title)
    return [each for each in result if each.names or each.title == "nalu"]


def undescribed(package, found):
    """The names that the package offers and no page describes; `found` are the pages."""
    names = {name for each in found for name in [each.title, *each.names]}
    for path in sorted(package.rglob("__init__.py")):
        module = ".".join(path.parent.relative_to(package.parent).parts)
        yield from (f"{module}.{name}" for name in Module(path).offers if f"{module}.{name}" not in names)


class Module:
    """A source file, and what a package offers of private modules: for its users that is its own."""

    def __init__(self, path):
        self.lines = path.read_text().splitlines()
        self.tree = ast.parse("\n".join(self.lines))
        self.members = [(node, self) for node in self.tree.body]
        self.offers = next((ast.literal_eval(node.value) for node in self.tree.body if name_of(node) == "__all__"), [])
        for node in self.tree.body if path.name == "__init__.py" else []:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and (node.module or "").startswith("_"):
                wanted = {alias.name for alias in node.names} & {*self.offers}
                private = Module(path.parent / f"{node.module}.py")
                self.members += [(each, where) for each, where in private.members if name_of(each) in wanted]

    def comment(self, node):
        """The lines "#:" before it."""
        first = last = node.lineno - 1
        while self.lines[first - 1].lstrip().startswith("#:"):
            first -= 1
        return [line.strip()[2:].strip() for line in self.lines[first:last]]


def name_of(node):
    """The name of what a statement defines, or ""."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def plain(text):
    """Without the marks of reStructuredText."""
    return re.sub(ROLE, r"\1", text).replace("``", "")


def doc(node):
    return described(ast.get_docstring(node) or "")


def described(text):
    """A docstring as HTML. It is plain text with marks of reStructuredText: ``code``, :func:`names`, "::" and examples."""
    text = re.sub(r"``([^`]+)``", r"`\1`", re.sub(ROLE, r"`\1`", text))
    blocks = []
    for block in re.split(r"\n{2,}", text):
        if block.startswith(">>>"):
            blocks.append("```pycon\n" + block + "\n```")
        elif blocks and blocks[-1].endswith("::") and block.startswith("    "):
            blocks[-1] = blocks[-1][:-1]
            blocks.append("```python\n" + re.sub(r"(?m)^    ", "", block) + "\n```")
        elif blocks and blocks[-1].startswith("```python") and block.startswith("    "):
            blocks[-1] = blocks[-1][:-4] + "\n\n" + re.sub(r"(?m)^    ", "", block) + "\n```"
        else:
            # "`name`: what it is", with what follows indented, is a list.
            block = re.sub(r"(?m)^(`[^`]+`(?:, `[^`]+`)*:)", r"- \1", block)
            blocks.append(re.sub(r"(?m)^(?!- |  )(.+)\n(?=- )", r"\1\n\n", block))
    body, _ = from_markdown("\n\n".join(blocks))
    return re.sub(r"<(/?)h\d[^>]*>", r"<\1p>", body)


def signature(node, name):
    arguments = ast.unparse(node.args)
    result = f" -> {ast.unparse(node.returns)}" if node.returns and name != "__init__" else ""
    arguments = re.sub(r"^self(?:, )?|^cls(?:, )?", "", arguments)
    prefix = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
    if len(arguments) + len(name) < 80:
        return f"{prefix}{name}({arguments}){result}"
    return f"{prefix}{name}(\n    " + ",\n    ".join(separated(arguments)) + f",\n){result}"


def separated(arguments):
    """One by one: not at the commas inside of brackets."""
    parts, depth = [""], 0
    for piece in re.split(r"(, |[\[\](){}])", arguments):
        depth += (piece in ("[", "(", "{")) - (piece in ("]", ")", "}"))
        if piece == ", " and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def is_public(name):
    return not name.startswith("_") or name in ("__enter__", "__getitem__", "__setitem__", "__iter__", "__aiter__", "__len__",
                                                "__add__", "__sub__")


def page(name, module):
    path = f"python/{name}.html"
    body = [f'<h1><code>{name}</code></h1>', f'<div class="lead">{doc(module.tree)}</div>']
    contents, names = [], {}

    def member(anchor, text, told, label, level=0):
        body.append(f'<section class="member" id="{anchor}">{code(text, "python")}{told}</section>')
        names[anchor] = anchor
        contents.append((anchor, label, level))

    for node, where in module.members:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_public(node.name):
            member(f"{name}.{node.name}", signature(node, node.name), doc(node), node.name)
        elif isinstance(node, ast.Assign) and is_public(name_of(node)) and where.comment(node):
            constant = name_of(node)
            member(f"{name}.{constant}", ast.unparse(node), described("\n".join(where.comment(node))), constant)
        elif isinstance(node, ast.ClassDef) and is_public(node.name):
            bases = [ast.unparse(base) for base in node.bases if not ast.unparse(base).startswith(("Unique", "_"))]
            init = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
            text = f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
            if init and len(init.args.args) + len(init.args.kwonlyargs) > 1:
                text += "\n\n" + signature(init, node.name).removeprefix("def ").removesuffix(" -> None")
            fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_")]
            if fields:
                text += "\n"
                for each in fields:
                    text += "".join(f"\n# {plain(line)}" for line in where.comment(each)) + "\n" + ast.unparse(each)
            member(f"{name}.{node.name}", text, doc(node), node.name)
            for each in node.body:
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_public(each.name) and ast.get_docstring(each):
                    marks = [ast.unparse(mark) for mark in each.decorator_list]
                    if any(mark.endswith(".setter") or "overload" in mark for mark in marks):
                        continue
                    if "property" in marks:
                        text = f"{each.name}: {ast.unparse(each.returns) if each.returns else 'object'}"
                    else:
                        text = "".join(f"@{mark}\n" for mark in marks) + signature(each, each.name)
                    member(f"{name}.{node.name}.{each.name}", text, doc(each), each.name, 1)
    if name in ("nalu", "nalu.media"):
        table, listed = exported(name, module.tree)
        body.append(table)
        names.update({each: each for each in listed})
    if len(contents) > 40:
        contents = [entry for entry in contents if entry[2] == 0]
    return Page(path, name, "Python", "\n".join(body), contents=contents, names=names)


def exported(name, module):
    """Where the names of the package are described."""
    rows = []
    for node in module.body:
        if isinstance(node, ast.If):
            imports = [each for each in node.body if isinstance(each, ast.ImportFrom)]
        else:
            imports = [node] if isinstance(node, ast.ImportFrom) else []
        for each in imports:
            if each.level != 1 or not each.module or each.module.startswith("_"):
                continue
            source = f"{name}.{each.module}"
            for alias in each.names:
                rows.append((alias.asname or alias.name, source))
    table = "".join(f"<tr id='{name}.{short}'><td><code>{name}.{short}</code></td><td><code>{source}.{short}</code></td></tr>"
                    for short, source in sorted(rows, key=lambda row: row[0].lower()))
    listed = [f"{name}.{short}" for short, _ in rows]
    return f'<h2 id="names">Names</h2><div class="table"><table><thead><tr><th>Name</th><th>Described as</th></tr></thead><tbody>{table}</tbody></table></div>', listed
