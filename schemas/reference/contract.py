"""Provides methods, messages and channels as the pages show them, and schemas with all references resolved.

A place names a file and a definition in it, such as `messages/device#report`. The place of a method's params or
result ends with `.params` or `.result`, as in `methods/device#list.params`.
"""

import functools
import json
from typing import NamedTuple

import catalog


class Method(NamedTuple):
    """A method of a service."""

    name: str  # "device/list"
    summary: str
    place: str  # "methods/device#list"

    @property
    def service(self):
        return self.name.split("/")[0]

    @property
    def anchor(self):
        return self.name.replace("/", "-")

    @property
    def link(self):
        return f"[{self.name}](service-{self.service}.md#{self.anchor})"


class Entry(NamedTuple):
    """A message or document."""

    name: str  # "report"
    file: str  # "messages/device"
    schema: dict


@functools.cache
def methods():
    """The methods by name, in the order of the schemas."""
    return {
        name: Method(name, definition["description"], f"{file}#{name.split('/')[1]}")
        for name, (file, definition) in catalog.methods().items()
    }


@functools.cache
def entries():
    """The messages and documents by name."""
    return {
        name: Entry(name, entry.file, schemas()[f"{entry.file}#{name}"])
        for name, entry in catalog.entries().items() if entry.side is None
    }


def channels():
    """The channels of messages by name, without the channels of methods' requests."""
    return {name: one for name, one in catalog.channels().items() if "params" not in one}


def topic(channel):
    """A channel's whole topic, with the default root."""
    return catalog.topic(channel["address"])


def error_codes():
    return catalog.files()["common"]["definitions"]["errorCode"]["enum"]


def examples(place):
    """The valid examples of values for a place, each with a title in words."""
    file, _, name = place.partition("#")
    known = f"{file.removeprefix('methods/')}.{name}" if file.startswith("methods/") else name
    return [(case.replace("-", " "), value) for case, value in catalog.examples(known, "valid").items()]


def compact(value):
    """A value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Schemas.


@functools.cache
def schemas():
    """The schemas by place, with each reference replaced by the place to which it points."""
    out = {}
    for file, schema in catalog.files().items():
        for name, definition in schema["definitions"].items():
            if file.startswith("methods/") and catalog.is_entry(definition):
                for side, inner in definition["properties"].items():
                    out[f"{file}#{name}.{side}"] = pointed(inner, file)
            else:
                out[f"{file}#{name}"] = pointed(definition, file)
    return out


def pointed(schema, file):
    """A schema of `file`, with each reference replaced by the place to which it points."""
    if isinstance(schema, list):
        return [pointed(one, file) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: "#".join(catalog.target(value, file)) if key == "$ref" else pointed(value, file)
        for key, value in schema.items()
    }


def objects(schema, key):
    """The schemas in one of a schema's lists, such as `oneOf`."""
    return [one for one in schema.get(key, ()) if isinstance(one, dict)]


def members(schema):
    """The members of an object, as pairs of name and schema, in which a name can occur several times."""
    found = schema.get("properties", {})
    return list(found.items()) if isinstance(found, dict) else found


def resolved(schema):
    """Follows a schema's references, including a reference that is the only entry of `allOf`.

    Returns the resolved schema and a place. If several schemas on the way have a description, the first description
    counts. The place names the last definition to which a reference led. Without a reference, the place is None.
    """
    place, description = None, None
    while True:
        description = schema.get("description") if description is None else description
        parts = objects(schema, "allOf")
        only = parts[0] if len(parts) == 1 and "properties" not in schema else {}
        name = (schema if "$ref" in schema else only).get("$ref")
        if name is None:
            break
        schema, place = schemas()[name], name
    if description is not None:
        schema = {**schema, "description": description}
    return merged(schema), place


def merged(schema):
    """Merges the members of the schemas that an object combines (`allOf`)."""
    parts = objects(schema, "allOf")
    bases = [resolved(part)[0] for part in parts if "if" not in part]
    if not bases:
        return schema
    out = dict(schema)
    found = [*members(schema), *(member for part in bases for member in members(part))]
    required = [*schema.get("required", ()), *(name for part in bases for name in part.get("required", ()))]
    for part in bases:
        for key in ("anyOf", "oneOf", "type", "pattern", "enum"):
            if key in part:
                out.setdefault(key, part[key])
    if found:
        out["properties"] = found
    if required:
        out["required"] = required
    out["allOf"] = [part for part in parts if "if" in part]
    if not out["allOf"]:
        del out["allOf"]
    return out


@functools.cache
def nouns():
    """The shared definitions that have their own sections, each as `file#name`."""
    places = [
        f"{file}#{name}" for file, schema in catalog.files().items()
        for name, definition in schema["definitions"].items() if not catalog.is_entry(definition)]
    return [place for place in places if is_noun(resolved(schemas()[place])[0])]


def is_noun(schema):
    return len(members(schema)) > 1 or any("properties" in one for one in objects(schema, "oneOf"))
