"""Reads the contract: methods, messages and documents by name, their channels and examples.

Each name stands for a message (`report`), a document (`product`), or one side of a method (`account.login.params`,
`account.login.result`). README.md shows where each of these is described.
"""

import functools
import json
import pathlib
from typing import NamedTuple

import yaml

import lists

HERE = pathlib.Path(__file__).resolve().parent
BASE = "https://lamplighter.example/schemas/"
SUFFIX = ".schema.json"
SIDES = ("params", "result")
FILES = ("common.schema.json", "documents.schema.json", "messages/*.schema.json", "methods/*.schema.json")


class Entry(NamedTuple):
    """The place where a message, a document, or one side of a method is described."""

    file: str  # "methods/account"
    definition: str  # "login"
    side: str | None  # for example "params"; None if the entry is a message or a document


def read(path):
    """Reads a file's JSON, and refuses duplicate members, because one of two cases with the same name would be
    lost."""
    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once)


def _once(pairs):
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"a member is given twice: {[name for name, _ in pairs]}")
    return members


@functools.cache
def files():
    """The contents of the schema files, by path without suffix.

    The lists' definitions replace the references to the lists."""
    paths = sorted(path for pattern in FILES for path in HERE.glob(pattern))
    return {path.relative_to(HERE).as_posix().removesuffix(SUFFIX): lists.inlined(read(path)) for path in paths}


def is_entry(definition):
    """True for the definitions of methods, messages and documents, which alone have titles."""
    return "title" in definition


@functools.cache
def methods():
    """The methods by their names in the form `service/method`, each with its file and its definition."""
    return {
        f"{file.removeprefix('methods/')}/{name}": (file, definition)
        for file, schema in files().items()
        if file.startswith("methods/")
        for name, definition in schema["definitions"].items()
        if is_entry(definition)
    }


@functools.cache
def entries():
    """Every name of the contract, with the place where the name is described."""
    out = {}
    for file, schema in files().items():
        for name, definition in schema["definitions"].items():
            if is_entry(definition):
                for known, entry in _named(file, name):
                    if known in out:
                        raise ValueError(f"{known} is described twice: {out[known].file} and {file}")
                    out[known] = entry
    return out


def _named(file, name):
    if not file.startswith("methods/"):
        return [(name, Entry(file, name, None))]
    service = file.removeprefix("methods/")
    return [(f"{service}.{name}.{side}", Entry(file, name, side)) for side in SIDES]


def schema(name):
    """The schema of a message, a document or a side of a method, with unchanged references."""
    file, definition, side = entries()[name]
    found = files()[file]["definitions"][definition]
    return found["properties"][side] if side else found


def reference(name):
    """The address of a name's schema, for use as `$ref`."""
    file, definition, side = entries()[name]
    return f"{BASE}{file}{SUFFIX}#/definitions/{definition}" + (f"/properties/{side}" if side else "")


def target(reference, file):
    """The file and definition that a `$ref` in `file` leads to."""
    path, _, definition = reference.partition("#/definitions/")
    if not path:
        return file, definition
    folder = [step for step in file.split("/")[:-1] if not path.startswith("../")]
    return "/".join([*folder, path.removeprefix("../").removesuffix(SUFFIX)]), definition


def example_file(name):
    """The file with the examples of a message, of a document, or of both sides of a method."""
    entry = entries()[name]
    return HERE / "examples" / entry.file / f"{entry.definition}.json"


def examples(name, kind):
    """The examples of `name` for a `kind` (`valid` or `invalid`), by the names of their cases."""
    found = read(example_file(name))
    side = entries()[name].side
    return (found[side] if side else found)[kind]


@functools.cache
def channels():
    """The channels: those of channels.yaml, and one for the requests of each method."""
    written = yaml.safe_load((HERE / "channels.yaml").read_text(encoding="utf-8"))["channels"]
    made = {_channel_name(method): _channel(method, definition) for method, (_, definition) in methods().items()}
    return {**written, **made}


# If a channel's address begins with one of these, the channel's topic does not begin with the root topic. Addresses
# that begin with `$` belong to the broker. Home Assistant looks for devices below `homeassistant/`.
_WHOLE = ("$", "homeassistant/")


def topic(address, root="ll/v1"):
    """The whole topic of a channel's address."""
    return address if address.startswith(_WHOLE) else f"{root}/{address}"


def _channel_name(method):
    service, name = method.split("/")
    return service + name[0].upper() + name[1:]


def _channel(method, definition):
    return {
        "address": f"app/{{appId}}/{{terminalId}}/request/{method}",
        "who": "app",
        "method": method,
        "action": "receive",
        **{side: f"{method.replace('/', '.')}.{side}" for side in SIDES},
        "reply": "appResponse",
        "summary": definition["description"],
    }


@functools.cache
def _errors():
    return yaml.safe_load((HERE / "errors.yaml").read_text(encoding="utf-8"))


def needs_session(method):
    """Whether a method needs a session's token: `always`, `sometimes` or `never`."""
    return {"always": "never", "sometimes": "sometimes"}.get(_errors()["open"].get(method), "always")


def error_codes(method, by_key=False):
    """The codes of a method's errors, in the order of `errorCode`.

    `by_key` says whether the request is made with an API key."""
    found = {*_errors()["every"], *_errors()["methods"].get(method, ()), *(_errors()["key"] if by_key else ())}
    if needs_session(method) == "always":
        found.update(_errors()["session"])
    file, definition = methods()[method]
    if "countryCode" in definition["properties"]["params"].get("properties", {}):
        found.update(_errors()["country"])
    return [code for code in files()["common"]["definitions"]["errorCode"]["enum"] if code in found]
