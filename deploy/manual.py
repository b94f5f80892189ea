"""Writes the manual pages from the program's own descriptions.

    deploy/manual.py PROGRAM FOLDER

lamplighter(1) comes from `--experimental-dump-help`, and lamplighter.yaml(5) from `config --json`. So the pages name
every command, option and setting of this version. The manual plugin of swift-argument-parser would need a toolchain
and a second build. It would make a separate page for each of the sixty commands.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

EXIT_CODES = [
    ("0", "done, or everything is well"),
    ("1", "failed; standard error says why, and what to do"),
    ("2", "wrong usage"),
    ("3", "doctor: warnings only"),
]
EXAMPLES = [
    ("Try it, with a demo product and app, in the current directory:", "lamplighter up"),
    ("Find problems of the packaged service:", "sudo lamplighterctl doctor"),
    ("Add a product, and see its devices:",
     "sudo lamplighterctl product import - < lamp.json\nsudo lamplighterctl device list"),
    ("Learn what an error code means:", "lamplighter explain LL1105"),
]


def quoted(text):
    """Returns the text with escape sequences, so that roff prints the text literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.splitlines())


def discussion(text):
    """Returns the paragraphs after a command's abstract; a paragraph with commands to type keeps its line breaks."""
    lines = []
    for paragraph in text.strip().split("\n\n"):
        lines.append(".PP")
        is_typed = [line.startswith(("lamplighter ", "sudo ", " ")) for line in paragraph.splitlines()]
        shown = quoted(paragraph)
        lines += [".nf", ".RS", shown, ".RE", ".fi"] if any(is_typed) else [shown]
    return lines


def ask(program, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    return subprocess.run(
        [program, *words], check=True, capture_output=True, text=True, env=environment).stdout


def title(name, section, version, what):
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else datetime.datetime.now()
    return [f'.TH {name.upper()} {section} {day:%Y-%m-%d} "Lamplighter {version}" "Lamplighter"',
            ".SH NAME", f"{quoted(name)} \\- {quoted(what)}"]


def flags(argument):
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    return ", ".join(rf"\fB{quoted(name)}\fR" for name in names)


def option(argument):
    """Returns the page's entry for a flag, an option or a positional argument."""
    value = rf"\fI{quoted(argument.get('valueName', ''))}\fR"
    head = {"flag": flags(argument), "option": f"{flags(argument)} {value}"}.get(argument["kind"], value)
    text = argument.get("abstract", "")
    if argument.get("defaultValue") and "default" not in text:
        text += f" (default {argument['defaultValue']})"
    if argument.get("allValues"):
        text += " One of: " + ", ".join(argument["allValues"]) + "."
    return [".TP", head, quoted(text or "See the abstract above.")]


def synopsis(path, command):
    words = [rf"\fB{quoted(' '.join(path))}\fR"]
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True) or is_common(argument):
            continue
        value = rf"\fI{quoted(argument.get('valueName', ''))}\fR"
        name = argument.get("preferredName", {}).get("name", "")
        flag = rf"\fB{quoted('--' + name)}\fR"
        shown = {"flag": flag, "option": f"{flag} {value}"}.get(argument["kind"], value)
        if argument.get("isRepeating"):
            shown += " ..."
        words.append(f"[{shown}]" if argument.get("isOptional") else shown)
    return " ".join(words)


def is_common(argument):
    """Returns whether an option belongs to every command and so is described only once."""
    return argument.get("preferredName", {}).get("name") in COMMON


COMMON = ("data", "config", "set", "json", "help", "version")


def commands(path, command):
    """Yields the command itself if it has no subcommands, and otherwise the commands below it that have none.

    The commands are in order, each with its path."""
    below = [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]
    if not below:
        yield path, command
    for child in below:
        yield from commands([*path, child["commandName"]], child)


def main_page(program, version):
    root = json.loads(ask(program, "--experimental-dump-help"))["command"]
    lines = title("lamplighter", 1, version, "cloud for smart devices and their apps")
    lines += [".SH SYNOPSIS", r"\fBlamplighter\fR \fIcommand\fR [\fIoptions\fR]", ".SH DESCRIPTION", quoted(
        "Lamplighter serves smart devices and the apps that control them: accounts, sessions, device registry, status, "
        "commands, schedules and sharing, behind a Mosquitto broker with a gate, with one SQLite file."), ".PP", quoted(
        "The Debian package runs it as lamplighter.service; lamplighterctl(8) runs the commands below on its data."),
        ".SH COMMANDS"]
    common = {}
    for path, command in commands(["lamplighter"], root):
        lines += [f".SS {quoted(' '.join(path[1:]))}", synopsis(path, command), ".PP", quoted(command.get("abstract", ""))]
        if command.get("discussion"):
            lines += discussion(command["discussion"])
        for argument in command.get("arguments", []):
            if not argument.get("shouldDisplay", True):
                continue
            if is_common(argument):
                common.setdefault(argument["preferredName"]["name"], argument)
            else:
                lines += option(argument)
    lines += [".SH COMMON OPTIONS", "Most commands take these:"]
    for name in COMMON:
        lines += option(common[name]) if name in common else []
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES:
        lines += [".TP", code, quoted(meaning)]
    lines += [".SH ENVIRONMENT", ".TP", r"\fBLAMPLIGHTER_CONFIG\fR", "The configuration file.", ".TP",
              r"\fBLAMPLIGHTER_\fISETTING\fR", quoted("Any setting, in capitals with _ for dots; see lamplighter.yaml(5)."),
              ".SH FILES", ".TP", r"\fI/etc/lamplighter/lamplighter.yaml\fR", "Settings of the packaged service.", ".TP",
              r"\fI/var/lib/lamplighter\fR", "Its database, secrets, and its broker's files.", ".SH EXAMPLES"]
    for words, line in EXAMPLES:
        lines += [".PP", quoted(words), ".PP", ".nf", ".RS", quoted(line), ".RE", ".fi"]
    lines += [".SH SEE ALSO", quoted("lamplighter.yaml(5), lamplighterctl(8), mosquitto(8)")]
    return lines


def settings_page(program, version):
    lines = title("lamplighter.yaml", 5, version, "settings of Lamplighter")
    lines += [".SH DESCRIPTION", quoted(
        "A YAML or JSON file. The parts of a name between dots are levels of the file: mqtt.port is port below mqtt. "
        "What a flag says goes before the environment, and that before the file. An unknown name is an error. "
        "`lamplighter config` prints every setting with its value and where it comes from. "
        "Changes take effect when the service is started again."), ".SH SETTINGS"]
    for setting in json.loads(ask(program, "config", "--json"))["items"]:
        default = setting["default"]
        shown = ",".join(default) if isinstance(default, list) else json.dumps(default).strip('"')
        facts = [setting["kind"]] + ([setting["unit"]] if setting["unit"] else [])
        facts += [f"default {shown}" if shown else "no default"] + (["secret"] if setting["secret"] else [])
        lines += [".TP", rf"\fB{quoted(setting['key'])}\fR", quoted(setting["doc"]), ".br",
                  quoted(f"({'; '.join(facts)}; {setting['environment']})")]
    lines += [".SH EXAMPLES", ".nf", ".RS", quoted("mqtt:\n  host: 127.0.0.1\n  port: 1883\nlog:\n  level: notice"), ".RE", ".fi",
              ".SH FILES", r"\fI/etc/lamplighter/lamplighter.yaml\fR", ".SH SEE ALSO", "lamplighter(1)"]
    return lines


def main():
    program, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    version = json.loads(ask(program, "version", "--json"))["version"]
    for name, lines in (("lamplighter.1", main_page(program, version)),
                        ("lamplighter.yaml.5", settings_page(program, version))):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
