#!/usr/bin/env python3
"""Makes generated/: the contract as AsyncAPI 3.0 (mqtt bindings), and the documents' schemas in one file each.

    bundle.py            writes the files
    bundle.py --check    fails when a file is not what it would write
"""

import json
import re
import sys

import yaml

import catalog

GENERATED = catalog.HERE / "generated"
# The documents that operators write: their schemas need no other file, so that every editor can use them.
WRITTEN = ("app", "product")
ROOT = "ll/v1"
BINDING = "0.2.0"

PARAMETERS = {
    "productKey": "The product's key, 32 lowercase hex digits.",
    "mac": "12 lowercase hex digits, or 15 digits (an IMEI).",
    "did": "The device's id.",
    "uid": "The user's id.",
    "appId": "The app's id.",
    "terminalId": "The terminal's id, 32 lowercase hex digits.",
    "scheduleId": "The schedule's id.",
    "name": "The worker's name: status, control, account, session, schedule, scheduler.",
}
BATCH = {
    "type": "string",
    "contentEncoding": "binary",
    "description": (
        "Byte 1, the version of the form; then message after message: a byte of flags (1 QoS 1, 2 retained, 4 expiry, 8"
        " Response Topic, 16 Correlation Data, 32 source address, 64 Correlation Data that was too long), topic (length"
        " in 2 bytes), payload (length in 4 bytes), then what the flags name, in that order: the expiry in seconds (4"
        " bytes), the others with their length in 2 bytes. All numbers are big-endian."
    ),
}
ELSEWHERE = (
    "Answered on the MQTT 5 Response Topic instead, where the request gives one that lies in the terminal's"
    " own space outside request/ and has no wildcard; Correlation Data is given back either way."
)
USERS = {
    "product": "`product:{productKey}` with the product secret, client id `{mac}`",
    "device": "`device:{did}` with the device secret, client id `{did}`",
    "app": "`app:{appId}` with the app secret or the session token, client id `{terminalId}`",
    "gate": "the broker's plugin",
    "outside": "services by their role",
}


def part_name(file, definition):
    """The name of a shared definition outside its file."""
    return f"{file.rsplit('/', 1)[-1]}.{definition}"


def bundled(schema, file, place="#/components/schemas/"):
    """A schema of `file` with its references turned to `place`."""
    if isinstance(schema, list):
        return [bundled(one, file, place) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: place + part_name(*catalog.target(value, file)) if key == "$ref" else bundled(value, file, place)
        for key, value in schema.items()
    }


def components():
    """Every side of a method, message and document as a component, and every shared definition."""
    out = {}
    for file, schema in catalog.files().items():
        for name, definition in schema["definitions"].items():
            if not catalog.is_entry(definition):
                known = part_name(file, name)
                if known in out:
                    raise ValueError(f"{known} is defined twice; one of them needs another name")
                out[known] = bundled(definition, file)
    return {**out, **{name: entry_component(name) for name in catalog.entries()}}


def entry_component(name):
    """One side of a method, a message or a document; a side gets its title here."""
    entry = catalog.entries()[name]
    schema = bundled(catalog.schema(name), entry.file)
    if entry.side is None:
        return schema
    service = entry.file.removeprefix("methods/")
    return {"title": f"{service}/{entry.definition}: {entry.side}", **schema}


def standalone(name):
    """The schema of a document with all that it refers to."""
    file = catalog.entries()[name].file
    schema = bundled(catalog.schema(name), file, "#/definitions/")
    return {
        "$schema": catalog.files()[file]["$schema"],
        "$id": f"{catalog.BASE}generated/{name}{catalog.SUFFIX}",
        "$comment": "Made by bundle.py; edit documents.schema.json.",
        **schema,
        "definitions": dict(sorted(needed(catalog.schema(name), file).items())),
    }


def needed(schema, file):
    """The definitions that a schema refers to, and those that these refer to."""
    out = {}
    waiting = [(schema, file)]
    while waiting:
        for other, definition in references(*waiting.pop()):
            name = part_name(other, definition)
            if name not in out:
                found = catalog.files()[other]["definitions"][definition]
                out[name] = bundled(found, other, "#/definitions/")
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


def component(name):
    return {"$ref": "#/components/schemas/" + name}


def address(channel):
    return channel["address"] if channel["address"].startswith("$") else f"{ROOT}/{channel['address']}"


def message(title, payload, summary):
    return {
        "name": title,
        "title": title,
        "summary": summary,
        "contentType": "application/json",
        "payload": payload,
        "bindings": {"mqtt": {"payloadFormatIndicator": 1, "bindingVersion": BINDING}},
    }


def envelope(kind, member, inner):
    """The envelope of a request or answer around this method's params or result."""
    return {"allOf": [component(kind), {"properties": {member: component(inner)}}]}


def messages(name, channel, channels):
    """The messages of one channel: its own, and on the answers' channel one per method."""
    if "binary" in channel:
        batch = message(name, BATCH, channel["summary"])
        batch["contentType"] = "application/octet-stream"
        batch["bindings"]["mqtt"]["payloadFormatIndicator"] = 0
        return {"message": batch}
    if "params" in channel:
        payload = envelope("request", "params", channel["params"])
        return {"request": message(name + "Request", payload, channel["summary"])}
    out = {"message": message(name, component(channel["payload"]), channel["summary"])}
    for other, asked in channels.items():
        if asked.get("reply") == name and "result" in asked:
            payload = envelope("answer", "result", asked["result"])
            out[other] = message(other + "Answer", payload, "Answer to: " + asked["summary"])
    return out


def channel_item(name, channel, channels):
    item = {
        "address": address(channel),
        "title": name,
        "summary": channel["summary"],
        "description": "Other side: " + USERS[channel["who"]] + ".",
        "messages": messages(name, channel, channels),
    }
    parameters = re.findall(r"{(\w+)}", channel["address"])
    if parameters:
        item["parameters"] = {p: {"description": PARAMETERS[p]} for p in parameters}
    return item


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
        "bindings": {"mqtt": binding},
    }
    if "result" in channel:
        item["description"] = ELSEWHERE
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
            "description": "What devices, app terminals and back-end services say to Lamplighter and hear from it."
            f" Addresses stand below {ROOT}, the default root. Operations are seen from the service.",
        },
        "defaultContentType": "application/json",
        "servers": {
            "broker": {
                "host": "127.0.0.1:1883",
                "protocol": "mqtt",
                "protocolVersion": "5.0",
                "description": "The broker that `lamplighter up` starts; MQTT 3.1.1 works too.",
                "bindings": {"mqtt": {"maximumPacketSize": 131072, "bindingVersion": BINDING}},
            }
        },
        "channels": {n: channel_item(n, c, channels) for n, c in channels.items()},
        "operations": operations(channels),
        "components": {"schemas": components()},
    }


class Plain(yaml.SafeDumper):
    """Writes without anchors, so that the file reads the same in every tool."""

    def ignore_aliases(self, data):
        return True


def asyncapi():
    head = "# Made by bundle.py from channels.yaml and the schemas; edit those.\n"
    return head + yaml.dump(
        document(), Dumper=Plain, sort_keys=False, allow_unicode=True, width=120)


def outputs():
    """The generated files by name, with their text."""
    made = {f"{n}{catalog.SUFFIX}": json.dumps(standalone(n), indent=2, ensure_ascii=False) + "\n" for n in WRITTEN}
    return {"asyncapi.yaml": asyncapi(), **made}


def present():
    """The generated files as they are on disk."""
    return {path.name: path.read_text(encoding="utf-8") for path in GENERATED.glob("*")}


def main():
    made = outputs()
    if "--check" in sys.argv[1:]:
        found = present()
        wrong = [name for name in sorted({*made, *found}) if made.get(name) != found.get(name)]
        if wrong:
            sys.exit(f"not up to date in schemas/generated: {', '.join(wrong)}; run schemas/bundle.py")
        return
    GENERATED.mkdir(exist_ok=True)
    for name, text in made.items():
        (GENERATED / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
