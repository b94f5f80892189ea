"""The contract as schemas: which one belongs to which topic, and whether a payload keeps to it."""

import functools
import json
import pathlib
import re

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas"
BASE = "https://lamplighter.example/schemas/"
SUFFIX = ".schema.json"


@functools.cache
def schemas():
    """All schemas by name (`common` holds definitions only)."""
    return {
        path.name[: -len(SUFFIX)]: json.loads(path.read_text())
        for path in sorted(SCHEMAS.glob("*" + SUFFIX))
    }


@functools.cache
def channels():
    """The channels as written in channels.yaml."""
    return yaml.safe_load((SCHEMAS / "channels.yaml").read_text())["channels"]


@functools.cache
def validator(name, draft=jsonschema.Draft202012Validator):
    """A validator of the named schema that finds the shared definitions without a network."""
    schema = schemas()[name]
    store = {s["$id"]: s for s in schemas().values()}
    resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store=store)
    return draft(schema, resolver=resolver)


def without_nulls(value):
    """The value as the contract reads it: a null member is an absent one."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    return value


def problems(name, value, draft=jsonschema.Draft202012Validator):
    """What is wrong with the value as a message of this name, as lines; empty when it is right."""
    errors = validator(name, draft).iter_errors(without_nulls(value))
    return [_line(error) for error in errors]


def _line(error):
    leaf = jsonschema.exceptions.best_match([error]) or error
    where = "/".join(str(step) for step in leaf.absolute_path)
    return f"{where or '(whole)'}: {leaf.message[:300]}"


@functools.cache
def _patterns(root):
    return [
        (re.compile(re.sub(r"\\{[A-Za-z]+\\}", "[^/]+", re.escape(_rooted(c["address"], root)))), name, c)
        for name, c in channels().items()
    ]


def _rooted(address, root):
    return address if address.startswith("$") else f"{root}/{address}"


def channel_of(topic, root="ll/v1"):
    """Name and description of the topic's channel, or None for a topic the contract does not name."""
    for pattern, name, channel in _patterns(root):
        if pattern.fullmatch(topic):
            return name, channel
    return None
