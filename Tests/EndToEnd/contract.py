"""The contract's schemas, with functions that find a topic's schema and check payloads against schemas."""

import functools
import pathlib
import re
import sys
import threading

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schemas"
sys.path.append(str(SCHEMAS))

from catalog import channels, entries, error_codes, examples, files, methods, needs_session, reference, schema, topic  # noqa: E402,F401


# Resolvers store a position, so only one thread may validate at a time. Every client has its own thread.
_checking = threading.Lock()


@functools.cache
def validator(name, draft=jsonschema.Draft202012Validator):
    """Returns a validator of the named schema, which finds the other files without a network."""
    whole = {"$ref": reference(name)}
    store = {file["$id"]: file for file in files().values()}
    resolver = jsonschema.RefResolver(base_uri="", referrer=whole, store=store)
    return draft(whole, resolver=resolver)


def without_nulls(value):
    """Returns a value without its null members, which the schemas treat as absent."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    return value


def problems(name, value, draft=jsonschema.Draft202012Validator):
    """Checks a value as the named message, and returns a line for each fault."""
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
        (re.compile(re.sub(r"\\{[A-Za-z]+\\}", "[^/]+", re.escape(topic(c["address"], root)))), name, c)
        for name, c in channels().items()
    ]


def channel_of(topic, root="ll/v1"):
    """Returns the name and description of the topic's channel, or None if no channel has the topic."""
    for pattern, name, channel in _patterns(root):
        if pattern.fullmatch(topic):
            return name, channel
    return None
