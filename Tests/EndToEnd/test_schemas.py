"""The schemas are valid in both drafts and have examples, and the generated files are up to date."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import jsonschema
import yaml

import contract
import catalog
import lists
from harness import ROOT

GENERATED = contract.SCHEMAS / "generated"

DRAFTS = (jsonschema.Draft202012Validator, jsonschema.Draft7Validator)

# The keywords that both drafts, 2020-12 and draft-07, have. The schemas use `definitions` instead of `$defs`, because
# draft-07 doesn't have `$defs`.
SHARED_KEYWORDS = set(
    """$schema $id $ref title description type properties required items minItems maxItems uniqueItems
    minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum enum const allOf anyOf
    oneOf not if then else propertyNames patternProperties minProperties maxProperties additionalProperties definitions
    contentEncoding""".split()
)
NAMED = {"properties", "patternProperties", "definitions"}
LISTS = {"allOf", "anyOf", "oneOf"}
SINGLE = {"items", "not", "if", "then", "else", "propertyNames", "additionalProperties"}


def subschemas(schema):
    """Yields the schema and every schema inside it."""
    yield schema
    for keyword, value in schema.items():
        if keyword in NAMED:
            inner = value.values()
        elif keyword in LISTS:
            inner = value
        elif keyword in SINGLE and isinstance(value, dict):
            inner = [value]
        else:
            continue
        for one in inner:
            yield from subschemas(one)


def definitions():
    """Yields every definition in the schemas, together with its file and its name."""
    for file, schema in contract.files().items():
        for name, definition in schema["definitions"].items():
            yield file, name, definition


def references():
    """Yields every reference in the schemas: its file, its text, and its target's file and name."""
    for file, schema in contract.files().items():
        for inner in subschemas(schema):
            if "$ref" in inner:
                yield file, inner["$ref"], *catalog.target(inner["$ref"], file)


class Schemas(unittest.TestCase):
    def test_each_schema_is_valid_in_both_drafts(self):
        for file, schema in contract.files().items():
            for draft in DRAFTS:
                with self.subTest(file=file, draft=draft.__name__):
                    draft.check_schema(schema)
        for file, name, definition in definitions():
            for draft in DRAFTS:
                with self.subTest(file=file, definition=name, draft=draft.__name__):
                    draft.check_schema(definition)

    def test_each_schema_stays_within_both_drafts(self):
        for file, schema in contract.files().items():
            for inner in subschemas(schema):
                with self.subTest(file=file):
                    self.assertLessEqual(set(inner), SHARED_KEYWORDS)
                    # Draft-07 ignores the other keywords in a schema that has a reference.
                    if "$ref" in inner:
                        self.assertEqual(set(inner), {"$ref"})

    def test_each_schema_has_a_description(self):
        for file, schema in contract.files().items():
            with self.subTest(file=file):
                self.assertTrue(schema["title"] and schema["description"])
                self.assertEqual(schema["$id"], f"{catalog.BASE}{file}.schema.json")
        for name in contract.entries():
            with self.subTest(name=name):
                self.assertTrue(contract.schema(name)["description"])

    def test_each_file_of_schemas_is_used(self):
        on_disk = {p.relative_to(contract.SCHEMAS) for p in contract.SCHEMAS.rglob("*.schema.json")}
        self.assertEqual(
            {p.as_posix() for p in on_disk if p.parts[0] != "generated"},
            {f"{file}.schema.json" for file in contract.files()})

    def test_each_method_describes_params_and_result(self):
        for method, (file, definition) in catalog.methods().items():
            with self.subTest(method=method):
                self.assertEqual(definition["title"], method)
                self.assertTrue(definition["description"])
                self.assertEqual(set(definition), {"title", "description", "properties"})
                self.assertEqual(set(definition["properties"]), set(catalog.SIDES))

    def test_each_reference_leads_to_a_shared_definition(self):
        for file, reference, other, name in references():
            with self.subTest(file=file, ref=reference):
                self.assertIn(other, contract.files())
                definition = contract.files()[other]["definitions"][name]
                self.assertFalse(catalog.is_entry(definition), "a method or message is not a part of others")
                # A program can resolve the reference as a URL. The result must be the `$id` of the file `other`.
                if not reference.startswith("#"):
                    url = urllib.parse.urljoin(contract.files()[file]["$id"], reference)
                    self.assertEqual(url.partition("#")[0], contract.files()[other]["$id"])
                    self.assertNotEqual(file, other)

    def test_each_shared_definition_is_used(self):
        used = {(file, name) for _, _, file, name in references()}
        for file, name, definition in definitions():
            if not catalog.is_entry(definition):
                with self.subTest(file=file, definition=name):
                    self.assertIn((file, name), used, "nothing uses it")

    def test_common_has_only_definitions_that_several_files_use(self):
        for name, definition in contract.files()["common"]["definitions"].items():
            users = {file for file, _, other, used in references() if (other, used) == ("common", name)}
            with self.subTest(definition=name):
                self.assertFalse(catalog.is_entry(definition))
                self.assertTrue(len(users) > 1 or users == {"common"}, f"only {users} uses it")

    def test_valid_examples_pass(self):
        for name in contract.entries():
            found = contract.examples(name, "valid")
            self.assertTrue(found, f"{name} has no valid example")
            for case, value in found.items():
                for draft in DRAFTS:
                    with self.subTest(example=f"{name}/{case}", draft=draft.__name__):
                        self.assertEqual(contract.problems(name, value, draft), [])

    def test_invalid_examples_fail(self):
        for name in contract.entries():
            found = contract.examples(name, "invalid")
            self.assertTrue(found, f"{name} has no invalid example")
            for case, value in found.items():
                for draft in DRAFTS:
                    with self.subTest(example=f"{name}/{case}", draft=draft.__name__):
                        self.assertNotEqual(contract.problems(name, value, draft), [])

    def test_every_example_belongs_to_a_schema(self):
        known = {catalog.example_file(name) for name in contract.entries()}
        found = {p for p in (contract.SCHEMAS / "examples").rglob("*") if p.is_file()}
        self.assertEqual(found, known)
        for path in found:
            whole = catalog.read(path)
            sides = [whole[s] for s in catalog.SIDES] if "params" in whole else [whole]
            with self.subTest(example=str(path.relative_to(contract.SCHEMAS))):
                self.assertIn(list(whole), (["valid", "invalid"], list(catalog.SIDES)))
                for side in sides:
                    self.assertEqual(list(side), ["valid", "invalid"])
                    for case in [*side["valid"], *side["invalid"]]:
                        self.assertRegex(case, r"^[a-z0-9-]+$")

    def test_a_duplicate_case_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "twice.json"
            path.write_text('{"valid": {"one": 1, "one": 2}}')
            self.assertRaises(ValueError, catalog.read, path)


class Channels(unittest.TestCase):
    def test_each_channel_names_schemas_that_exist(self):
        for name, channel in contract.channels().items():
            with self.subTest(channel=name):
                for key in ("payload", "params", "result"):
                    if key in channel:
                        self.assertIn(channel[key], contract.entries())
                if "reply" in channel:
                    self.assertIn(channel["reply"], contract.channels())

    def test_every_message_schema_is_on_a_channel(self):
        files_only = {n for n, entry in contract.entries().items() if entry.file == "documents"}
        parts = {"error", "request"}
        named = {
            channel[key]
            for channel in contract.channels().values()
            for key in ("payload", "params", "result")
            if key in channel
        }
        self.assertEqual(set(contract.entries()) - files_only - parts, named)

    def test_each_method_has_a_channel(self):
        found = contract.channel_of("ll/v1/app/demo/0123/request/account/login")
        self.assertEqual(found[0], "accountLogin")
        self.assertEqual(found[1]["result"], "account.login.result")
        asked = [c["address"].partition("/request/")[2] for c in contract.channels().values() if "params" in c]
        self.assertEqual(sorted(asked), sorted(catalog.methods()))

    def test_a_topic_finds_its_channel(self):
        self.assertEqual(contract.channel_of("ll/v1/device/d-1/report")[0], "deviceReport")
        self.assertEqual(
            contract.channel_of("$CONTROL/lamplighter/v1")[0], "gateControl")
        self.assertIsNone(contract.channel_of("ll/v1/device/d-1/nonsense"))


class Lists(unittest.TestCase):
    def test_each_error_of_a_problem_is_raised(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Sources").rglob("*.swift"))
        made = [name for one in lists.all_lists().values() for entry in one["entries"].values() for name in entry.get("raised", ())]
        self.assertGreater(len(made), 40)
        self.assertEqual(len(made), len(set(made)))
        self.assertEqual([name for name in made if f".{name}(" not in sources], [])

    def test_an_invalid_list_is_refused(self):
        faults = {
            "unknown member": {"a": {"title": "x", "colour": "red"}},
            "words in one language": {"a": {"short": "x"}},
            "more in Chinese": {"a": {"short": "x", "zh": {"short": "x", "cause": "x"}}},
            "pages that differ": {"a": {"title": "x"}, "b": {"title": "x", "cause": "x"}},
            "an error without a reason": {"a": {"raised": {"made": {"message": "x"}}}},
            "an error with an unknown member": {"a": {"raised": {"made": {"message": "x", "why": "x", "when": "x"}}}},
            "one code twice": {"a": {"code": "LL1001"}, "b": {"code": "LL1001"}},
        }
        for fault, entries in faults.items():
            with self.subTest(fault):
                self.assertRaises(ValueError, lists.check, "made", {"entries": entries})
        lists.check("made", {"flags": {"isRed": "Whether it is red."}, "entries": {"a": {"title": "x", "isRed": True}}})

    def test_an_optional_place_of_an_error_is_distinguished(self):
        made = lists.raised("made", {"message": "{what} of {path}", "at": "{place}", "why": "x", "cures": {"rm {path}": None}})
        self.assertEqual(
            made["parameters"],
            ["what: some CustomStringConvertible", "path: some CustomStringConvertible", "place: String?"])
        self.assertEqual(made["cures"], [["rm {path}", ""]])


class Generated(unittest.TestCase):
    def test_generated_files_are_up_to_date(self):
        done = subprocess.run(
            [sys.executable, str(contract.SCHEMAS / "bundle.py"), "--check"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_reference_in_the_bundle_exists(self):
        text = (GENERATED / "asyncapi.yaml").read_text()
        document = yaml.safe_load(text)
        for pointer in set(re.findall(r"\$ref: ['\"]?(#[^'\"\s]+)", text)):
            with self.subTest(ref=pointer):
                node = document
                for step in pointer[2:].split("/"):
                    node = node[step.replace("~1", "/").replace("~0", "~")]

    def test_every_channel_has_an_operation(self):
        document = yaml.safe_load((GENERATED / "asyncapi.yaml").read_text())
        used = {
            o["channel"]["$ref"].rsplit("/", 1)[1] for o in document["operations"].values()}
        self.assertEqual(used, set(document["channels"]))

    def test_a_document_needs_no_other_file(self):
        for path in GENERATED.glob("*.schema.json"):
            name = path.name.removesuffix(".schema.json")
            schema = catalog.read(path)
            for inner in subschemas(schema):
                self.assertLessEqual(set(inner), SHARED_KEYWORDS | {"$comment"})
                if "$ref" in inner:
                    self.assertIn(inner["$ref"].removeprefix("#/definitions/"), schema["definitions"])
            for draft in DRAFTS:
                for kind in ("valid", "invalid"):
                    for case, value in contract.examples(name, kind).items():
                        with self.subTest(example=f"{name}/{kind}/{case}", draft=draft.__name__):
                            fits = draft(schema).is_valid(contract.without_nulls(value))
                            self.assertEqual(fits, kind == "valid")


if __name__ == "__main__":
    unittest.main(verbosity=2)
