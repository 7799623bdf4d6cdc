"""The page of nalu inspect --html: well formed, self-contained, accessible."""
import html.parser
import re

from streams import KINDS, inspected, stream
from support import CommandTest, run

VOID = {"meta", "link", "br", "img", "wbr", "hr", "input"}


class Page(html.parser.HTMLParser):
    """Checks that elements are closed in order, and collects attributes and texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts, self.titles = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open[-3:], tag, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "title":
            self.titles.append(data)
        elif "style" not in self.open:
            self.texts.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


class Pages(CommandTest):
    def page(self, path, *options):
        output = self.directory / "page.html"
        result = run("inspect", path, "--html", output, "--force", *options)
        self.assertSucceeds(result)
        text = output.read_text(encoding="utf-8")
        return text, Page(text)

    def test_the_page_is_valid_for_every_kind_of_stream(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = stream(kind)
                facts = inspected(path)
                text, page = self.page(path)
                self.assertTrue(text.startswith("<!DOCTYPE html>"))
                self.assertNotRegex(text, r"(?i)https?://(?!www\.videolan\.org/x264\.html)|<script|<link|@import|url\(|src=|<iframe")
                self.assertNotIn("href", {key for _, attributes in page.elements for key in attributes})
                self.assertEqual(page.of("html"), [{"lang": "en"}])
                identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
                self.assertEqual(len(identifiers), len(set(identifiers)))
                # There is a bar for each frame, coloured by its type.
                for row in facts["pictures"]:
                    bars = [attributes for attributes in page.of("rect")
                            if attributes.get("class") == f"k-{row['type'].lower()}"]
                    self.assertEqual(len(bars), row["count"])
                self.assertEqual(len([1 for attributes in page.of("path") if attributes.get("class") in ("flag", "flag open")]),
                                 len(facts["groups"]))
                fields = "".join(page.texts)
                for record in facts["parameterSets"]:
                    for element in record["elements"]:
                        self.assertIn(element["name"], fields)

    def test_the_page_is_accessible(self):
        text, page = self.page(stream("open groups"))
        for svg in page.of("svg"):
            if svg.get("aria-hidden") == "true":
                continue
            self.assertEqual(svg["role"], "img")
            for name in svg["aria-labelledby"].split():
                self.assertIn(f'id="{name}"', text)
        for table in re.findall(r"<table>.*?</table>", text, re.S):
            self.assertIn("<caption>", table)
            self.assertIn('<th scope="col"', table)
        for scroll in [attributes for attributes in page.of("div") if attributes.get("class") == "scroll"]:
            self.assertEqual(scroll["tabindex"], "0")
            self.assertTrue(scroll["aria-label"])
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertIn("prefers-color-scheme", text)
        self.assertEqual(len(page.of("h1")), 1)
        self.assertTrue(page.titles[0].endswith("nalu inspect"))

    def test_file_names_are_escaped(self):
        path = self.directory / "<b onload='x'>&amp;\"\x01.264"
        path.write_bytes(stream("CAVLC").read_bytes())
        text, page = self.page(path)
        self.assertFalse(page.of("b") and any("onload" in attributes for attributes in page.of("b")))
        self.assertIn(str(path).replace("\x01", "\ufffd"), "".join(page.texts))

    def test_long_streams_make_a_page_of_bounded_size(self):
        path = self.directory / "long.264"
        path.write_bytes(stream("pyramid").read_bytes() * 60)
        text, page = self.page(path)
        self.assertLess(len(text), 3_000_000)
        self.assertIn("Every bar stands for 8 frames", text)

    def test_the_page_can_go_to_standard_output(self):
        result = run("inspect", stream("CAVLC"), "--html", "-")
        self.assertSucceeds(result)
        Page(result.stdout.decode())
        self.assertTrue(result.stdout.decode().rstrip().endswith("</html>"))
        self.assertRefuses(run("inspect", stream("CAVLC"), "--html", "-", "--json"), 64, "--json")

    def test_an_existing_page_is_replaced_only_with_force(self):
        path = self.directory / "same.264"
        path.write_bytes(stream("CAVLC").read_bytes())
        self.assertRefuses(run("inspect", path, "--html", path, "--force"), 1, "itself")
        (self.directory / "page.html").write_text("mine")
        self.assertRefuses(run("inspect", path, "--html", self.directory / "page.html"), 1, " exists; ", "--force")
        self.assertRefuses(run("inspect", path, "--html", self.directory / "no" / "page.html"), 1, "No such file")
