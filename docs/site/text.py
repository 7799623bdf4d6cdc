"""Text in HTML: code in colours, Markdown, and links from names to where they are described."""
import posixpath
import re

import markdown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from page import escape, relative, slug

FORMATTER = HtmlFormatter(nowrap=True)
# What may become a link: names, and files by their paths.
FILES = r"docs/[\w-]+\.md|(?:\w+/)*\w+\.h"
TEXT_NAMES = rf"\b(?:(?:nalu|NALU)_\w+|{FILES})\b"
CODE_NAMES = rf"\b(?:{FILES}|\w[\w.]*)\b"
LANGUAGES = {"sh": "bash", "cpp": "c++", "text": ""}


def code(source, language):
    """A block of code."""
    source = source.strip("\n")
    try:
        lexer = get_lexer_by_name(LANGUAGES.get(language, language)) if LANGUAGES.get(language, language) else None
    except ClassNotFound:
        lexer = None
    inner = highlight(source, lexer, FORMATTER).rstrip("\n") if lexer else escape(source)
    return f'<pre tabindex="0"><code>{inner}</code></pre>'


def unescaped(text):
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


def from_markdown(source):
    """HTML, and the headings of the second level as pairs of an anchor and a text."""
    reader = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"],
                               extension_configs={"toc": {"slugify": slug}})
    result = reader.convert(source)
    result = re.sub(r'<pre><code class="language-(\w+)">(.*?)</code></pre>',
                    lambda match: code(unescaped(match[2]), match[1]), result, flags=re.S)
    result = re.sub(r"<pre><code>(.*?)</code></pre>", lambda match: code(unescaped(match[1]), ""), result, flags=re.S)
    result = re.sub(r"<table>.*?</table>", r'<div class="table">\g<0></div>', result, flags=re.S)
    headings = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', result)
    return result, [(anchor, unescaped(re.sub(r"<[^>]+>", "", text))) for anchor, text in headings]


def linked(body, path, symbols):
    """The names that are described elsewhere become links: those of C everywhere, others in code."""
    out = []
    inside = {"a": 0, "code": 0, "pre": 0, "h1": 0, "h2": 0, "h3": 0}

    def link(match):
        target = symbols.get(match[0])
        if target is None or target == path:
            return match[0]
        return f'<a href="{relative(path, target)}">{match[0]}</a>'

    for piece in re.split(r"(<[^>]+>)", body):
        tag = re.match(r"<(/?)(\w+)", piece)
        if tag:
            if tag[2] in inside:
                inside[tag[2]] += -1 if tag[1] else 1
            out.append(piece)
        elif inside["a"] or inside["h1"] or inside["h2"] or inside["h3"]:
            out.append(piece)
        else:
            names = CODE_NAMES if inside["code"] or inside["pre"] else TEXT_NAMES
            out.append(re.sub(names, link, piece))
    return "".join(out)


def repointed(body, document, path, places):
    """Links of a document, which lead to files of the repository, lead to their pages; `places` has these. What has no
    page keeps its address, and is then found to be dead."""
    def repoint(match):
        target, _, anchor = match[1].partition("#")
        if re.match(r"[a-z]+:", target) or not target:
            return match[0]
        place = places.get(posixpath.normpath(posixpath.join(posixpath.dirname(document), target)))
        if place is None:
            return match[0]
        return f'href="{relative(path, place)}{"#" + anchor if anchor else ""}"'

    return re.sub(r'href="([^"]*)"', repoint, body)
