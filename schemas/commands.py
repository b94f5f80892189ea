"""Turns commands.yaml into generated/commands.json, from which the build makes the commands' Swift types."""

import json
import pathlib

import yaml

FILE = pathlib.Path(__file__).resolve().parent / "commands.yaml"
COMMAND = {"is", "command", "abstract", "discussion", "subcommands", "defaultSubcommand", "operation", "noted", "inputs"}
KINDS = ("option", "argument", "flag", "group")
INPUT = {*KINDS, "type", "default", "value", "name", "parsing", "title"}


def text():
    """Returns generated/commands.json."""
    targets = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    made = {
        target: {"imports": one["imports"], "commands": [command(*item) for item in one["commands"].items()]}
        for target, one in targets.items()
    }
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def command(name, one):
    """Returns a command with its inputs in order, and raises an error for unknown members."""
    inputs = [{"variable": variable, **made} for variable, made in one.get("inputs", {}).items()]
    unknown = set(one) - COMMAND | {key for made in one.get("inputs", {}).values() for key in set(made) - INPUT}
    if unknown or any(sum(kind in made for kind in KINDS) != 1 for made in inputs):
        raise ValueError(f"commands.yaml: {name}: unknown {unknown}, or an input that isn't one of {KINDS}")
    return {"type": name, **one, "inputs": inputs}
