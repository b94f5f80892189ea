"""The schemas themselves: valid in both drafts, with examples both ways, and the bundle up to date."""

import json
import re
import subprocess
import sys
import unittest

import jsonschema
import yaml

import contract

DRAFTS = (jsonschema.Draft202012Validator, jsonschema.Draft7Validator)

# What 2020-12 and draft-07 understand alike; `definitions` rather than `$defs` for the same reason.
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
    """The schema and every schema inside it."""
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


def examples(name, kind):
    return sorted((contract.SCHEMAS / "examples" / name).glob(f"{kind}-*.json"))


MESSAGES = [name for name in contract.schemas() if name != "common"]


class Schemas(unittest.TestCase):
    def test_each_schema_is_valid_in_both_drafts(self):
        for name, schema in contract.schemas().items():
            for draft in DRAFTS:
                with self.subTest(schema=name, draft=draft.__name__):
                    draft.check_schema(schema)

    def test_each_schema_keeps_to_what_both_drafts_share(self):
        for name, schema in contract.schemas().items():
            for inner in subschemas(schema):
                with self.subTest(schema=name):
                    self.assertLessEqual(set(inner), SHARED_KEYWORDS)
                    # Draft-07 ignores what stands beside a reference.
                    if "$ref" in inner:
                        self.assertEqual(set(inner), {"$ref"})

    def test_each_schema_says_what_it_is_for(self):
        for name, schema in contract.schemas().items():
            with self.subTest(schema=name):
                self.assertTrue(schema["title"] and schema["description"])
                self.assertEqual(schema["$id"], f"{contract.BASE}{name}.schema.json")

    def test_each_reference_leads_to_a_definition(self):
        known = contract.schemas()["common"]["definitions"]
        for name, schema in contract.schemas().items():
            for inner in subschemas(schema):
                if "$ref" in inner:
                    file, _, pointer = inner["$ref"].partition("#/definitions/")
                    with self.subTest(schema=name, ref=inner["$ref"]):
                        self.assertIn(file, ("", "common.schema.json"))
                        self.assertIn(pointer, known)

    def test_each_definition_is_used(self):
        text = "".join(json.dumps(s) for s in contract.schemas().values())
        for name in contract.schemas()["common"]["definitions"]:
            with self.subTest(definition=name):
                self.assertTrue(f'#/definitions/{name}"' in text, "nothing uses it")

    def test_valid_examples_pass(self):
        for name in MESSAGES:
            self.assertTrue(examples(name, "valid"), f"{name} has no valid example")
            for path in examples(name, "valid"):
                for draft in DRAFTS:
                    with self.subTest(example=f"{name}/{path.name}", draft=draft.__name__):
                        self.assertEqual(
                            contract.problems(name, json.loads(path.read_text()), draft), [])

    def test_invalid_examples_fail(self):
        for name in MESSAGES:
            self.assertTrue(examples(name, "invalid"), f"{name} has no invalid example")
            for path in examples(name, "invalid"):
                for draft in DRAFTS:
                    with self.subTest(example=f"{name}/{path.name}", draft=draft.__name__):
                        self.assertNotEqual(
                            contract.problems(name, json.loads(path.read_text()), draft), [])

    def test_every_example_belongs_to_a_schema(self):
        for path in (contract.SCHEMAS / "examples").glob("*/*"):
            with self.subTest(example=str(path.relative_to(contract.SCHEMAS))):
                self.assertIn(path.parent.name, MESSAGES)
                self.assertRegex(path.name, r"^(valid|invalid)-[a-z0-9-]+\.json$")


class Channels(unittest.TestCase):
    def test_each_channel_names_schemas_that_exist(self):
        for name, channel in contract.channels().items():
            with self.subTest(channel=name):
                for key in ("payload", "params", "result"):
                    if key in channel:
                        self.assertIn(channel[key], contract.schemas())
                if "reply" in channel:
                    self.assertIn(channel["reply"], contract.channels())

    def test_every_message_schema_is_on_a_channel(self):
        files_only = {"product", "app", "ready"}
        parts = {"error", "request"}
        named = {
            channel[key]
            for channel in contract.channels().values()
            for key in ("payload", "params", "result")
            if key in channel
        }
        self.assertEqual(set(MESSAGES) - files_only - parts, named)

    def test_a_topic_finds_its_channel(self):
        self.assertEqual(contract.channel_of("ll/v1/device/d-1/report")[0], "deviceReport")
        self.assertEqual(
            contract.channel_of("$CONTROL/lamplighter/v1")[0], "gateControl")
        self.assertIsNone(contract.channel_of("ll/v1/device/d-1/nonsense"))


class Bundle(unittest.TestCase):
    def test_the_bundle_is_up_to_date(self):
        done = subprocess.run(
            [sys.executable, str(contract.SCHEMAS / "bundle.py"), "--check"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_reference_in_the_bundle_leads_somewhere(self):
        text = (contract.SCHEMAS / "asyncapi.yaml").read_text()
        document = yaml.safe_load(text)
        for pointer in set(re.findall(r"\$ref: ['\"]?(#[^'\"\s]+)", text)):
            with self.subTest(ref=pointer):
                node = document
                for step in pointer[2:].split("/"):
                    node = node[step.replace("~1", "/").replace("~0", "~")]

    def test_every_channel_has_an_operation(self):
        document = yaml.safe_load((contract.SCHEMAS / "asyncapi.yaml").read_text())
        used = {
            o["channel"]["$ref"].rsplit("/", 1)[1] for o in document["operations"].values()}
        self.assertEqual(used, set(document["channels"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
