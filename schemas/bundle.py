#!/usr/bin/env python3
"""Bundles channels.yaml and the schemas into asyncapi.yaml (AsyncAPI 3.0, mqtt bindings, one file).

    bundle.py            writes asyncapi.yaml
    bundle.py --check    fails when asyncapi.yaml is not what it would write
"""

import json
import pathlib
import re
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE / "asyncapi.yaml"
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


def load():
    """The channels and the schemas by name."""
    channels = yaml.safe_load((HERE / "channels.yaml").read_text())["channels"]
    schemas = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text())
        for path in sorted(HERE.glob("*.schema.json"))
    }
    return channels, schemas


def bundled(schema):
    """The schema with its references turned to the bundle's components."""
    if isinstance(schema, list):
        return [bundled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {}
    for key, value in schema.items():
        if key in ("$schema", "$id") and isinstance(value, str):
            continue
        if key == "$ref":
            value = "#/components/schemas/common." + value.rsplit("/", 1)[1]
        out[key] = bundled(value)
    return out


def components(schemas):
    """Every schema as a component; each shared definition is one of its own."""
    out = {}
    for name, schema in schemas.items():
        if name == "common":
            for inner, definition in schema["definitions"].items():
                out["common." + inner] = bundled(definition)
        else:
            out[name] = bundled(schema)
    return out


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
    channels, schemas = load()
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
        "components": {"schemas": components(schemas)},
    }


class Plain(yaml.SafeDumper):
    """Writes without anchors, so that the file reads the same in every tool."""

    def ignore_aliases(self, data):
        return True


def text():
    head = "# Made by bundle.py from channels.yaml and the schemas; edit those.\n"
    return head + yaml.dump(
        document(), Dumper=Plain, sort_keys=False, allow_unicode=True, width=120)


def main():
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text() != text():
            sys.exit("schemas/asyncapi.yaml is not up to date; run schemas/bundle.py")
    else:
        TARGET.write_text(text())


if __name__ == "__main__":
    main()
