"""The contract as schemas: which one belongs to which topic, and whether a payload keeps to it."""

import functools
import pathlib
import re
import sys
import threading

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schemas"
sys.path.append(str(SCHEMAS))

from catalog import channels, entries, error_codes, examples, files, methods, needs_session, reference, schema  # noqa: E402,F401


# A resolver notes where in the files it is while a validator works, and every client checks on a thread of its own.
_checking = threading.Lock()


@functools.cache
def validator(name, draft=jsonschema.Draft202012Validator):
    """A validator of the named schema that finds the other files without a network."""
    whole = {"$ref": reference(name)}
    store = {file["$id"]: file for file in files().values()}
    resolver = jsonschema.RefResolver(base_uri="", referrer=whole, store=store)
    return draft(whole, resolver=resolver)


def without_nulls(value):
    """The value as the schemas read it: a null member is an absent one."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    return value


def problems(name, value, draft=jsonschema.Draft202012Validator):
    """What is wrong with the value as a message of this name, as lines; empty when it is right."""
    with _checking:
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
    """Name and description of the topic's channel, or None for a topic that no channel has."""
    for pattern, name, channel in _patterns(root):
        if pattern.fullmatch(topic):
            return name, channel
    return None
