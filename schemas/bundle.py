#!/usr/bin/env python3
"""Makes generated/, and those parts of other files that come from lists/ (see lists.py).

generated/ contains the contract as AsyncAPI 3.0 (mqtt bindings), the command lines, and the lists. The requests over
HTTP and the console's interface are there as OpenAPI 3.1. The folder also has one schema file for each document, and
the pages of the reference.

    bundle.py            writes the files
    bundle.py --check    fails when a file is not what it would write
"""

import json
import re
import sys

import yaml

import app_api
import catalog
import commands
import http_api
import lists
import reference.site

GENERATED = catalog.HERE / "generated"
SETTING = yaml.safe_load((catalog.HERE / "servers.yaml").read_text(encoding="utf-8"))
# The documents that operators write. The schema of each document needs no other file, so that every editor can use the
# schema.
WRITTEN = ("app", "product")
ROOT = "ll/v1"
BINDING = "0.2.0"
EXAMPLE_MAX = 2048  # bytes of JSON
TOKEN = "lls_q2Jm0Yx8bN1vR4tZ6wK9sD3fG5hL7pA0cE2iU4oM8yQ"

PARAMETERS = {
    "productKey": "The product's key, 32 lowercase hex digits.",
    "mac": "12 lowercase hex digits, or 15 digits (an IMEI).",
    "did": "The device's id.",
    "uid": "The user's id.",
    "appId": "The app's id.",
    "terminalId": "The terminal's id, 32 lowercase hex digits.",
    "scheduleId": "The schedule's id.",
    "sessionId": "The id of the link's session.",
    "name": "The worker's name: status, control, account, reach, session, schedule, scheduler; with a lane's number if there are several, as in status.07.",
    "node": "The process's id, new at each start.",
    "lane": "The lane's name: the worker's with a number, as in status.07.",
}
BATCH = {
    "type": "string",
    "contentEncoding": "binary",
    "description": (
        "Byte 1 is the version of the format. Each message follows: a byte of flags (1 QoS 1, 2 retained, 4 expiry, 8"
        " Response Topic, 16 Correlation Data, 32 source address, 64 Correlation Data that was too long, 128 the user"
        " property traceparent), topic (length in 2 bytes), payload (length in 4 bytes), then the fields that the flags name, in that order: the expiry in seconds (4"
        " bytes), the others with their length in 2 bytes. All numbers are big-endian."
    ),
}
ELSEWHERE = (
    "The answer goes to the request's MQTT 5 Response Topic instead, if that lies in the terminal's own space"
    " outside request/ and has no wildcard. It returns Correlation Data and a user property traceparent in either case."
)
USERS = {
    "product": "`product:{productKey}` with the product secret, client id `{mac}`",
    "device": "`device:{did}` with the device secret, client id `{did}`",
    "app": "`app:{appId}` with the app secret or the session token, client id `{terminalId}`",
    "link": "`ha:{sessionId}` with the link's password, client id of 22 letters and digits",
    "gate": "the broker's plugin",
    "outside": "services by their role",
}


def part_name(file, definition):
    """A name, unique in the generated documents, for a shared definition or for a message inside other messages."""
    entry = catalog.entries().get(definition)
    if entry and entry.file == file:
        return definition
    return f"{file.rsplit('/', 1)[-1]}.{definition}"


def bundled(schema, file, refer=None):
    """A copy of a schema of `file` with new references; `refer` returns the reference to a name's definition.

    Without `refer`, the new references lead to components."""
    refer = refer or (lambda name: component(name)["$ref"])
    if isinstance(schema, list):
        return [bundled(one, file, refer) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: refer(part_name(*catalog.target(value, file))) if key == "$ref" else bundled(value, file, refer)
        for key, value in schema.items()
    }


def defined(name):
    """A reference to a definition in the same file."""
    return "#/definitions/" + name


def components():
    """One component for each message, document, shared definition and side of a method."""
    out = {}
    for file, schema in catalog.files().items():
        for name, definition in schema["definitions"].items():
            if not catalog.is_entry(definition):
                known = part_name(file, name)
                if known in out:
                    raise ValueError(f"{known} is defined twice; one of them needs another name")
                out[known] = bundled(definition, file)
    whole = {**out, **{name: entry_component(name) for name in catalog.entries()}}
    return {component_key(name): schema for name, schema in whole.items()}


def entry_component(name):
    """The component for a message, a document or a side of a method.

    The component for a side of a method gets a title."""
    entry = catalog.entries()[name]
    schema = bundled(catalog.schema(name), entry.file)
    if entry.side is None:
        return schema
    service = entry.file.removeprefix("methods/")
    return {"title": f"{service}/{entry.definition}: {entry.side}", **schema}


def standalone(name):
    """The schema of a document, together with all definitions that the schema refers to."""
    file = catalog.entries()[name].file
    schema = bundled(catalog.schema(name), file, defined)
    return {
        "$schema": catalog.files()[file]["$schema"],
        "$id": f"{catalog.BASE}generated/{name}{catalog.SUFFIX}",
        "$comment": "Made by bundle.py; edit documents.schema.json.",
        **schema,
        "definitions": dict(sorted(needed(catalog.schema(name), file).items())),
    }


def needed(schema, file):
    """The definitions to which a schema refers, directly or through other definitions."""
    out = {}
    waiting = [(schema, file)]
    while waiting:
        for other, definition in references(*waiting.pop()):
            name = part_name(other, definition)
            if name not in out:
                found = catalog.files()[other]["definitions"][definition]
                out[name] = bundled(found, other, defined)
                waiting.append((found, other))
    return out


def references(schema, file):
    """The files and definitions that a schema of `file` refers to."""
    if isinstance(schema, list):
        for one in schema:
            yield from references(one, file)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield catalog.target(value, file)
            else:
                yield from references(value, file)


def component_key(name):
    """A schema's key among the document's components.

    The key has no dots, because some tools don't allow dots."""
    return name.replace(".", "-")


def component(name):
    return {"$ref": "#/components/schemas/" + component_key(name)}


def address(channel):
    return catalog.topic(channel["address"], ROOT)


def message(title, payload, summary, examples=()):
    made = {
        "name": title,
        "title": title,
        "summary": summary,
        "contentType": "application/json",
        "payload": payload,
        "bindings": {"mqtt": {"payloadFormatIndicator": 1, "bindingVersion": BINDING}},
    }
    if examples:
        made["examples"] = [{"name": case, "payload": value} for case, value in examples]
    return made


def shown(name, around=lambda value: value):
    """The valid examples of `name` that are not larger than `EXAMPLE_MAX`.

    Each is a pair of the case's name and `around(example)`."""
    cases = catalog.examples(name, "valid").items()
    return [(case, around(value)) for case, value in cases if len(json.dumps(value)) <= EXAMPLE_MAX]


def request_of(method):
    """Returns a function that makes an example request from a method's params.

    The request has a token unless the method never needs one."""
    token = {} if catalog.needs_session(method) == "never" else {"token": TOKEN}
    return lambda params: {"id": "q1", **token, "params": params}


def answer_of(result):
    return {"id": "q1", "ok": True, "result": result}


def envelope(kind, member, inner):
    """The envelope of a request or answer, which contains a method's params or result."""
    return {"allOf": [component(kind), {"properties": {member: component(inner)}}]}


def messages(name, channel, channels):
    """A channel's own message and, if the channel carries answers, one answer for each method."""
    if "binary" in channel:
        batch = message(name, BATCH, channel["summary"])
        batch["contentType"] = "application/octet-stream"
        batch["bindings"]["mqtt"]["payloadFormatIndicator"] = 0
        return {"message": batch}
    if "params" in channel:
        payload = envelope("request", "params", channel["params"])
        examples = shown(channel["params"], request_of(channel["method"]))
        return {"request": message(name + "Request", payload, channel["summary"], examples)}
    examples = shown(channel["payload"])
    out = {"message": message(name, component(channel["payload"]), channel["summary"], examples)}
    for other, asked in channels.items():
        if asked.get("reply") == name and "result" in asked:
            payload = envelope("answer", "result", asked["result"])
            examples = shown(asked["result"], answer_of)
            out[other] = message(other + "Answer", payload, "Answer to: " + asked["summary"], examples)
    return out


def tag(channel):
    """The name of the group that a channel belongs to."""
    if "method" in channel:
        return channel["method"].split("/")[0]
    tags = SETTING["tags"]
    return next(t["name"] for t in tags if channel["address"].startswith(tuple(t["prefixes"])))


def tags():
    """All groups of channels, each with its description."""
    written = {t["name"]: t["description"] for t in SETTING["tags"]}
    services = {
        file.removeprefix("methods/"): schema["description"]
        for file, schema in catalog.files().items() if file.startswith("methods/")
    }
    return [{"name": name, "description": words} for name, words in {**written, **services}.items()]


def channel_item(name, channel, channels):
    item = {
        "address": address(channel),
        "title": name,
        "summary": channel["summary"],
        "description": channel_words(channel),
        "tags": [{"name": tag(channel)}],
        "messages": messages(name, channel, channels),
    }
    parameters = re.findall(r"{(\w+)}", channel["address"])
    if parameters:
        item["parameters"] = {p: {"description": PARAMETERS[p]} for p in parameters}
    return item


def channel_words(channel):
    """A channel's description, which names the other side and says whether messages are retained or expire."""
    words = "Other side: " + USERS[channel["who"]] + "."
    if channel.get("retain"):
        words += " Retained: a subscriber gets the last one at once, and an empty payload takes it away."
    if channel.get("expires"):
        words += " Expires: MQTT 5 tells how long it is kept; the payload says until when it holds."
    return words


def method_words(method):
    """A text that says whether a method needs a token, and that lists its errors."""
    token = {
        "always": "Needs the token of a session.",
        "sometimes": "Needs the token of a session for some params.",
        "never": "Needs no token.",
    }[catalog.needs_session(method)]
    return f"{token} Errors: {', '.join(catalog.error_codes(method))}. {ELSEWHERE}"


def operation(name, channel, action):
    binding = {
        "qos": channel.get("qos", 1),
        "retain": channel.get("retain", False),
        "bindingVersion": BINDING,
    }
    if channel.get("expires"):
        binding["messageExpiryInterval"] = {"type": "integer", "minimum": 1}
    item = {
        "action": action,
        "channel": {"$ref": "#/channels/" + name},
        "summary": channel["summary"],
        "security": [{"$ref": f"#/components/securitySchemes/{s}"} for s in SETTING["principals"][channel["who"]]],
        "tags": [{"name": tag(channel)}],
        "bindings": {"mqtt": binding},
    }
    if "method" in channel:
        item["description"] = method_words(channel["method"])
        item["x-session"] = catalog.needs_session(channel["method"])
        item["x-errors"] = catalog.error_codes(channel["method"])
    if "reply" in channel and action == "receive":
        item["reply"] = reply(name, channel)
    return item


def reply(name, channel):
    answers = "#/channels/" + channel["reply"]
    inner = name if "result" in channel else "message"
    return {"channel": {"$ref": answers}, "messages": [{"$ref": f"{answers}/messages/{inner}"}]}


def operations(channels):
    out = {}
    for name, channel in channels.items():
        both = ("receive", "send")
        actions = both if channel["action"] == "both" else (channel["action"],)
        for action in actions:
            out[action + name[0].upper() + name[1:]] = operation(name, channel, action)
    return out


def document():
    channels = catalog.channels()
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Lamplighter wire protocol",
            "version": "1.0.0",
            "description": "The messages between Lamplighter and devices, app terminals and back-end services."
            f" Addresses stand below {ROOT}, the default root. Operations are seen from the service.",
            "license": {"name": "Apache-2.0"},
            "tags": tags(),
        },
        "defaultContentType": "application/json",
        "servers": {name: server(one) for name, one in SETTING["servers"].items()},
        "channels": {n: channel_item(n, c, channels) for n, c in channels.items()},
        "operations": operations(channels),
        "components": {"schemas": components(), "securitySchemes": SETTING["securitySchemes"]},
    }


def server(written):
    return {
        **written,
        "protocolVersion": "5.0",
        "security": [{"$ref": "#/components/securitySchemes/" + name} for name in SETTING["securitySchemes"]],
        "bindings": {"mqtt": {"maximumPacketSize": 131072, "bindingVersion": BINDING}},
    }


class Plain(yaml.SafeDumper):
    """Writes YAML without anchors, so that every tool understands the file in the same way."""

    def ignore_aliases(self, data):
        return True


def asyncapi():
    head = "# Made by bundle.py from channels.yaml and the schemas; edit those.\n"
    return head + yaml.dump(
        document(), Dumper=Plain, sort_keys=False, allow_unicode=True, width=120)


def outputs():
    """The path and the text of each generated file."""
    made = {f"{n}{catalog.SUFFIX}": json.dumps(standalone(n), indent=2, ensure_ascii=False) + "\n" for n in WRITTEN}
    made |= {
        "asyncapi.yaml": asyncapi(), "commands.json": commands.text(), "lists.json": lists.text(), "openapi.yaml": http_api.text(),
        "openapi-app.yaml": app_api.text(sys.modules[__name__]),
        "reference.txt": reference.site.archive()}
    return {GENERATED / name: text for name, text in made.items()}


def main():
    filled = lists.filled()
    if "--check" not in sys.argv[1:]:
        # These files are written first, because the reference's pages are made from some of them.
        for path, text in filled.items():
            path.write_text(text, encoding="utf-8")
    made = outputs() | filled
    if "--check" in sys.argv[1:]:
        found = {path: path.read_text(encoding="utf-8") for path in {*made, *GENERATED.glob("*")} if path.exists()}
        wrong = [path.name for path in sorted({*made, *found}) if made.get(path) != found.get(path)]
        if wrong:
            sys.exit(f"not up to date: {', '.join(wrong)}; run schemas/bundle.py")
        return
    GENERATED.mkdir(exist_ok=True)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
