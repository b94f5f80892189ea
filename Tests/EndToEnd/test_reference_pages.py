"""The generator in schemas/reference reads Markdown, draws diagrams, and describes schemas in words."""

import json
import unittest
import xml.etree.ElementTree

import contract as contract_of_tests  # adds the folder of the next modules to sys.path  # noqa: F401
import catalog
from reference import contract, diagrams, markdown, markup, pages, schema_words, site


class Markdown(unittest.TestCase):
    def test_links_between_guides_become_links_or_words(self):
        text = "[one](first-app.md#x), [all](README.md), [`clients`](../../clients/c), [W3C](https://w3.org)"
        self.assertEqual(
            pages.pointed(text), "[one](guide-first-app.md#x), [all](guides.md), `clients`, [W3C](https://w3.org)")

    def test_blocks_are_parsed(self):
        found = markdown.blocks("\n".join([
            "# Title", "", "Two lines", "of text.", "", "## A section {#own}", "- one", "  goes on", "- two", "",
            "1. first", "2. second", "> said", "> twice", "| a | b |", "|---|---|", r"| `x\|y` | \*z |", "",
            "```sh", "# not a heading", "```"]))
        self.assertEqual(found, [
            markdown.Heading(1, "Title", "title"),
            markdown.Paragraph("Two lines of text."),
            markdown.Heading(2, "A section", "own"),
            markdown.Items(["one goes on", "two"], False),
            markdown.Items(["first", "second"], True),
            markdown.Quote("said twice"),
            markdown.Table(["a", "b"], [["`x|y`", r"\*z"]]),
            markdown.Fence("sh", ["# not a heading"]),
        ])

    def test_inline_text_becomes_html(self):
        for text, html in (
            ('a < b & "c"', "a &lt; b &amp; &quot;c&quot;"),
            ("`<x>` **y**", "<code>&lt;x&gt;</code> <strong>y</strong>"),
            ("[z](page.md#there)", '<a href="page.html#there">z</a>'),
            (r"\*no\* `` a`b ``", "*no* <code>a`b</code>"),
            ("a ` alone", "a ` alone"),
        ):
            with self.subTest(text=text):
                self.assertEqual(markdown.inline(text), html)

    def test_escaped_text_stays_unchanged(self):
        for text in ("***", "a_b <c> [d](e) #f", "`x*y` and {root}/{did}|z"):
            with self.subTest(text=text):
                self.assertEqual(markdown.words(markup.escape(text)), text.replace("`", ""))

    def test_plain_names_of_errors_and_methods_become_links(self):
        self.assertEqual(
            markup.prose("Forbidden, as device/list says; `Forbidden` and a/b stay."),
            "[Forbidden](errors.md#Forbidden), as [device/list](service-device.md#device-list) says; "
            "`Forbidden` and a/b stay.")
        self.assertEqual(
            markup.prose("Rules (reference: sessions#life)."), "Rules ([the rules](sessions.md#life)).")

    def test_examples_in_several_languages_are_one_group(self):
        html = markdown.page_html(markdown.blocks("```sh\na\n```\n\n```c\nb\n```\n\n```json\n{}\n```"))
        self.assertIn('data-language="sh" open=""', html)
        self.assertIn('data-language="c"><summary>C', html)
        self.assertTrue(html.endswith('<pre tabindex="0" class="code json"><code>{}</code></pre>'))

    def test_a_diagram_has_its_text_for_screen_readers(self):
        diagram = diagrams.read("sequence name What it shows", ["A | B", "A -> B: hello <there>", "note B: thinks"])
        svg = diagrams.svg(diagram, is_alone=True)
        xml.etree.ElementTree.fromstring(svg)
        self.assertIn("<title>What it shows</title>", svg)
        self.assertIn("A -&gt; B: hello &lt;there&gt;", svg)
        self.assertIn("prefers-color-scheme: dark", svg)
        self.assertNotIn("<style>", diagrams.svg(diagram, is_alone=False))

    def test_every_written_text_is_a_page_or_the_head_of_a_page(self):
        names = {page.name for page in pages.pages()}
        for path in pages.TEXTS.glob("*.md"):
            self.assertIn(path.stem.removesuffix("-head"), names)
        guides = {"guides" if path.stem == "README" else f"guide-{path.stem}" for path in pages.GUIDES.glob("*.md")}
        self.assertLessEqual(guides, names)


class Contract(unittest.TestCase):
    def test_each_method_has_schemas_examples_and_errors(self):
        known = {one["error"] for one in pages.facts("error")}
        self.assertGreater(len(contract.methods()), 60)
        for name, method in contract.methods().items():
            with self.subTest(method=name):
                self.assertIn(method.place + ".params", contract.schemas())
                self.assertIn(method.place + ".result", contract.schemas())
                self.assertTrue(contract.examples(method.place + ".params"))
                self.assertTrue(catalog.error_codes(name))
                self.assertLessEqual(set(catalog.error_codes(name)), known)

    def test_the_message_of_every_channel_is_described(self):
        for name, channel in contract.channels().items():
            if "payload" in channel:
                self.assertIn(channel["payload"], contract.entries(), name)

    def test_the_playground_knows_each_method(self):
        text = json.loads(site.files()["try/contract.json"])
        self.assertEqual([method["name"] for method in text["methods"]], list(contract.methods()))

    def test_types_are_described_in_words(self):
        for schema, expected in (
            ({"type": "string", "minLength": 1, "maxLength": 64}, "text, 1 to 64 characters"),
            ({"type": "string", "minLength": 2, "maxLength": 2, "pattern": "^[a-z]+$"},
             "text, 2 characters, of the form `^[a-z]+$`"),
            ({"type": "integer", "minimum": 1, "maximum": 1000}, "integer, 1 to 1000"),
            ({"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991}, "integer"),
            ({"enum": ["a", 1]}, "`a` or `1`"),
            ({"const": True}, "`true`"),
            ({"type": "boolean"}, "true or false"),
            ({"type": "array", "items": {"type": "number"}, "minItems": 1}, "list of number, at least 1 entry"),
            ({"type": ["string", "null"]}, "text or null"),
            ({"$ref": "common#cid"}, "integer, from 1"),
            ({"$ref": "common#actor"}, "[actor](types.md#type-actor)"),
        ):
            with self.subTest(schema=schema):
                self.assertEqual(schema_words.type_of(schema), expected)

    def test_rules_between_members_are_described_in_words(self):
        for schema, expected in (
            ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "At least one of: `a` given; `b` given."),
            ({"if": {"properties": {"s": {"enum": ["x", "y"]}}, "required": ["s"]}, "then": {"required": ["c"]}},
             "Where `s` is `x` or `y`: `c` given."),
            ({"oneOf": [{"required": ["a"], "not": {"required": ["b"]}}, {"required": ["b"]}]},
             "Exactly one of: `a` given, without `b`; `b` given."),
        ):
            with self.subTest(schema=schema):
                self.assertEqual(schema_words.rules(schema), [expected])


if __name__ == "__main__":
    unittest.main(verbosity=2)
