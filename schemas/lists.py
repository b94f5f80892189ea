"""Reads lists/, from which bundle.py makes everything about the project's codes and reasons.

In a list, `type` names the Swift enum that is made from the list, and `target` names the enum's module. `pages` is
the module that gets the list's texts. `words` names the list's section of the console's words. `definition` names
the list's definition in generated/lists.json, to which the schemas refer. An entry has:

    code                 the value in messages, if it is not the entry's name
    title, cause, cure   or `text`: the page of `lamplighter explain` and of the reference
    meaning              the meaning, if neither the title nor `contract` states it
    contract             the meaning in the schema's description
    short                the console's words for the entry
    words                the section of the console's words, if it is not the list's section
    zh                   the same in Chinese
    is...                a flag of the list
    raised               the errors with this code, by the names of the functions that make them. Each error has a
                         `message`, a reason (`why`), and if needed a place (`at`) and `cures`, which are commands with
                         notes. `{path}` in these texts is a parameter of the function.
"""

import functools
import json
import pathlib
import re

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
WORDS = ROOT / "Sources/Console/Files/base"
SESSIONS = ROOT / "Sources/Reference/Texts/sessions.md"
PAGE = ("title", "cause", "cure", "text")
FIELDS = {"code", *PAGE, "meaning", "contract", "short", "words", "zh", "raised"}
# The members that each entry of `raised` must have, and the members that it may have.
RAISED = ({"message", "why"}, {"message", "why", "at", "cures"})
PLACE = re.compile(r"\{(\w+)\}")
REFERENCE = "generated/lists.json#/definitions/"


@functools.cache
def all_lists():
    """The lists, keyed by the names of their files."""
    found = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((HERE / "lists").glob("*.yaml"))}
    for name, one in found.items():
        check(name, one)
    return found


def check(name, one):
    """Raises an error for unknown or missing members and for repeated codes."""
    page = {tuple(key for key in PAGE if key in entry) for entry in one["entries"].values()}
    if len(page) > 1:
        raise ValueError(f"lists/{name}.yaml: pages differ in their members: {page}")
    for key, entry in one["entries"].items():
        unknown = set(entry) - FIELDS - set(one.get("flags", ()))
        lacking = {"short", "zh"} - set(entry) if "short" in entry or "zh" in entry else set()
        if unknown or lacking or set(entry.get("zh", ())) - set(entry):
            raise ValueError(f"lists/{name}.yaml: {key}: unknown {unknown}, missing {lacking}")
        for made, error in entry.get("raised", {}).items():
            if not RAISED[0] <= set(error) <= RAISED[1]:
                raise ValueError(f"lists/{name}.yaml: {made}: its members are {set(error)}")
    codes = [value(key, entry) for key, entry in one["entries"].items()]
    if len(codes) > len(set(codes)):
        raise ValueError(f"lists/{name}.yaml: a code is given twice")


def value(key, entry):
    """The value that represents an entry in messages and on the command line."""
    return entry.get("code", key)


def definitions():
    """The schemas of the lists, by the names of their definitions."""
    return {one["definition"]: definition(one) for one in all_lists().values() if "definition" in one}


def definition(one):
    """The schema of a list, which allows only values that messages can contain."""
    shown = {value(key, entry): entry for key, entry in one["entries"].items() if not entry.get("isNeverPublished")}
    words = [f"`{code}`: {entry['contract']}." for code, entry in shown.items() if "contract" in entry]
    description = " ".join([one["contract"], *words] if "contract" in one else words)
    return {**({"description": description} if description else {}), "enum": list(shown)}


def inlined(schema):
    """A copy of a schema in which the lists' definitions replace the references to the lists."""
    if isinstance(schema, list):
        return [inlined(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    _, known, name = str(schema.get("$ref", "")).partition(REFERENCE)
    return definitions()[name] if known else {key: inlined(inner) for key, inner in schema.items()}


def swift(one):
    """The data of a list from which Plugins/EmbedTool makes the Swift enum."""
    flags = one.get("flags", {})
    entries = one["entries"]
    return {
        **{key: one[key] for key in ("type", "target", "doc", "pages") if key in one},
        "page": [key for key in PAGE if key in next(iter(entries.values()))] if "pages" in one else [],
        "flags": [{"name": name, "doc": doc} for name, doc in flags.items()],
        "entries": [
            {
                "name": key[0].lower() + key[1:], "value": value(key, entry),
                "doc": next(entry[field] for field in ("meaning", "title", "contract", "cause", "short") if field in entry),
                "page": [entry[field] for field in PAGE if field in entry] if "pages" in one else [],
                "flags": [name for name in flags if entry.get(name)],
                "raised": [raised(made, error) for made, error in entry.get("raised", {}).items()],
            }
            for key, entry in entries.items()
        ],
    }


def raised(name, error):
    """The data of an error from which Plugins/EmbedTool makes a function."""
    cures = [[command, note or ""] for command, note in error.get("cures", {}).items()]
    texts = [error["message"], error.get("at", ""), error["why"], *(text for cure in cures for text in cure)]
    places = [place for text in texts for place in PLACE.findall(text)]
    # A parameter of the function is optional only if the text `at` consists of this parameter alone, and no other text
    # contains the parameter.
    absent = {place for place in places if places.count(place) == 1 and error.get("at") == f"{{{place}}}"}
    kinds = {place: "String?" if place in absent else "some CustomStringConvertible" for place in places}
    return {"name": name, **error, "cures": cures, "parameters": [f"{place}: {kind}" for place, kind in kinds.items()]}


def text():
    """generated/lists.json: the definitions for schemas, and the lists for the program."""
    whole = {
        "$id": "https://lamplighter.example/schemas/generated/lists.json",
        "definitions": definitions(),
        "lists": [swift(one) for one in all_lists().values()],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def console_words(language):
    """The sections of the console's words in a language."""
    sections = {}
    for one in all_lists().values():
        for key, entry in one["entries"].items():
            said = entry if language == "en" else entry.get("zh", {})
            if "short" in said:
                sections.setdefault(entry.get("words", one["words"]), {})[value(key, entry)] = said["short"]
            if language != "en" and "cause" in said:
                sections.setdefault("rules", {})[value(key, entry)] = [said["cause"], said["cure"]]
    return sections


def section(name, words):
    """A section of the file of the console's words, with several entries on a line."""
    lines = [""]
    for key, said in words.items():
        part = f"{json.dumps(key)}: {json.dumps(said, ensure_ascii=False)}"
        if lines[-1] and len(lines[-1]) + len(part) > 160:
            lines.append("")
        lines[-1] += (", " if lines[-1] else "") + part
    return f'  "{name}": {{\n    ' + ",\n    ".join(lines) + "\n  }"


def replaced(text, pattern, part):
    """A copy of a text in which `part` replaces the only place that matches `pattern`."""
    made, count = re.subn(pattern, lambda _: part, text, flags=re.M | re.S)
    if count != 1:
        raise ValueError(f"{pattern} is found {count} times")
    return made


def filled():
    """The files that contain parts made from the lists, each with its text."""
    out = {}
    for language in ("en", "zh"):
        path = WORDS / f"words-{language}.json"
        text = path.read_text(encoding="utf-8")
        for name, words in console_words(language).items():
            text = replaced(text, rf'^  "{name}": \{{.*?\}}(?=,?$)', section(name, words))
        out[path] = text
    ends = all_lists()["session-ends"]["entries"]
    rows = "".join(f"| `{key}` | {entry['contract']} |\n" for key, entry in ends.items())
    head = "| Reason | What happened |\n|---|---|\n"
    out[SESSIONS] = replaced(SESSIONS.read_text(encoding="utf-8"), re.escape(head) + r"(?:\|[^\n]*\n)+", head + rows)
    return out
