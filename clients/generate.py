#!/usr/bin/env python3
"""Generates the clients' methods from the schemas: python/lamplighter/methods.py and js/methods.js.

    generate.py            writes the files
    generate.py --check    fails if a file differs from its output
"""

import json
import keyword
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "schemas"))

import catalog  # noqa: E402

WIDTH = 120
SIMPLE = {"string": ("str", "string"), "integer": ("int", "number"), "number": ("float", "number"),
          "boolean": ("bool", "boolean"), "null": ("None", "null")}
# Keywords that combine several schemas into one. If the combined schema has no type of its own, its generated type is
# the union of the single schemas' types.
PARTS = ("allOf", "anyOf", "oneOf")


def services():
    """Returns the services, each with its schema and its methods by name."""
    out = {}
    for method, (file, definition) in catalog.methods().items():
        out.setdefault(file, {})[method.split("/")[1]] = definition
    return {file.removeprefix("methods/"): (catalog.files()[file], methods) for file, methods in out.items()}


def resolved(schema, file):
    """Follows a schema's references, and returns the final schema and its file."""
    while "$ref" in schema:
        file, name = catalog.target(schema["$ref"], file)
        schema = catalog.files()[file]["definitions"][name]
    return schema, file


def members(schema, file):
    """Returns an object's members, each with its schema, its file, and whether it's required."""
    schema, file = resolved(schema, file)
    out = {}
    for part in schema.get("allOf", []):
        out.update(members(part, file))
    for name, inner in schema.get("properties", {}).items():
        out[name] = (inner, file, False)
    return {name: (inner, at, needed or name in schema.get("required", [])) for name, (inner, at, needed) in out.items()}


def params(definition, file):
    """Returns the params of a method, required ones first."""
    found = members(definition["properties"]["params"], file)
    return dict(sorted(found.items(), key=lambda item: not item[1][2]))


# Python

def python_type(schema, file):
    schema, file = resolved(schema, file)
    if "enum" in schema:
        return " | ".join(dict.fromkeys(type(value).__name__ for value in schema["enum"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(SIMPLE[one][0] for one in kind)
    if kind in SIMPLE:
        return SIMPLE[kind][0]
    if kind == "array":
        return "list"
    if kind == "object" or "properties" in schema:
        return "dict"
    for part in PARTS:
        if part in schema:
            found = [python_type(one, file) for one in schema[part]]
            known = [one for one in dict.fromkeys(found) if one != "object"]
            return " | ".join(known) or "object"
    return "object"


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def wrapped(text, indent, first=""):
    """Wraps a text at WIDTH characters, but never at `~`, which becomes a space."""
    return textwrap.fill(
        text, WIDTH, initial_indent=" " * indent + first, subsequent_indent=" " * indent, break_on_hyphens=False,
        break_long_words=False).replace("~", " ")


def python_method(service, name, definition, file):
    found = params(definition, file)
    marks = [
        (f"{python_name(n)}: {python_type(s, at)}" + ("" if needed else " | None = None")).replace(" ", "~")
        for n, (s, at, needed) in found.items()
    ]
    arguments = ", ".join(["self", *(["*"] if marks else []), *marks])
    head = f"    def {name}({arguments}):".replace("~", " ")
    if len(head) > WIDTH:
        head = f"    def {name}(\n" + wrapped(arguments + ",", 8) + "\n    ):"
    words = definition["properties"]["params"].get("description", "")
    answers = definition["properties"]["result"].get("description", "")
    doc = [wrapped(definition["description"], 8, '"""')]
    if words and words != "Nothing.":
        doc += ["", wrapped(words, 8)]
    if answers:
        doc += ["", wrapped("Returns: " + answers, 8)]
    doc.append('        """')
    given = ", ".join(f'"{n}":~{python_name(n)}' for n in found)
    call = f'        return self._ask("{service}/{name}", {{{given}}})'.replace("~", " ")
    if len(call) > WIDTH:
        call = f'        return self._ask("{service}/{name}", {{\n' + wrapped(given + ",", 12) + "\n        })"
    return "\n".join([head, *doc, call])


def python_class(service, schema, methods, file):
    head = [f"class {service.capitalize()}:", f'    """{schema["description"]}"""', "",
            "    def __init__(self, ask):", "        self._ask = ask"]
    return "\n\n".join(["\n".join(head), *(python_method(service, n, d, file) for n, d in methods.items())])


def python():
    head = '"""The requests of apps, one method each. Made by clients/generate.py from the schemas; edit those."""\n\n' \
        "from __future__ import annotations"
    classes = [python_class(s, schema, methods, f"methods/{s}") for s, (schema, methods) in services().items()]
    names = ", ".join(f'"{s}": {s.capitalize()}' for s in services())
    tail = f"# The services by name.\nSERVICES = {{{names}}}"
    return "\n\n\n".join([head, *classes, tail]) + "\n"


# JavaScript

class Types:
    """The types that methods refer to, by the names of their definitions."""

    def __init__(self):
        self.written = {}

    def of(self, schema, file):
        """Returns a schema's TypeScript type: for an object with a definition, the definition's name."""
        if "$ref" in schema:
            return self.named(*catalog.target(schema["$ref"], file))
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return "|".join(json.dumps(value) for value in schema["enum"])
        kind = schema.get("type")
        if isinstance(kind, list):
            return "|".join(SIMPLE[one][1] for one in kind)
        if kind in SIMPLE:
            return SIMPLE[kind][1]
        if kind == "array":
            return f"Array<{self.of(schema.get('items', {}), file)}>"
        found = members(schema, file)
        if found:
            return self.object(found)
        if kind == "object":
            return "Object<string, any>"
        for part in PARTS:
            if part in schema:
                return "|".join(dict.fromkeys(self.of(one, file) for one in schema[part]))
        return "any"

    def object(self, found):
        inner = ", ".join(f"{n}{'' if needed else '?'}: {self.of(s, at)}" for n, (s, at, needed) in found.items())
        return f"{{{inner}}}"

    def named(self, file, name):
        schema, at = catalog.files()[file]["definitions"][name], file
        if not members(schema, at):
            return self.of(schema, at)
        known = "ErrorBody" if name == "error" else name[0].upper() + name[1:]
        if known not in self.written:
            self.written[known] = None  # the definition may refer to itself
            words = schema.get("description", "").replace("*/", "* /")
            self.written[known] = (self.object(members(schema, at)), words)
        return known


def javascript_method(service, name, definition, file, types):
    found = params(definition, file)
    needed = any(must for _, _, must in found.values())
    answer = types.of(definition["properties"]["result"], file)
    lines = [wrapped(definition["description"], 3, "* ").replace("\n   ", "\n   * ")]
    words = definition["properties"]["params"].get("description", "")
    if words and words != "Nothing.":
        lines += ["   *", wrapped(words.replace("*/", "* /"), 3, "* ").replace("\n   ", "\n   * ")]
    if found:
        shape = types.object(found)
        lines.append(f"   * @param {{{shape}}} {'params' if needed else '[params]'}")
    lines.append(f"   * @returns {{Promise<{answer}>}}")
    call = f'  {name}({"params" if needed else "params = {}"}) {{ return this.ask("{service}/{name}", params); }}'
    if not found:
        call = f'  {name}() {{ return this.ask("{service}/{name}", {{}}); }}'
    return "\n".join(["  /**", *lines, "   */", call])


def javascript_class(service, schema, methods, file, types):
    name = service.capitalize()
    head = f"/** {schema['description']} */\nexport class {name} {{\n  /** @param {{Ask}} ask */\n" \
        "  constructor(ask) { this.ask = ask; }"
    return "\n\n".join([head, *(javascript_method(service, n, d, file, types) for n, d in methods.items())]) + "\n}"


def javascript():
    types = Types()
    classes = [javascript_class(s, schema, methods, f"methods/{s}", types) for s, (schema, methods) in services().items()]
    head = "// The requests of apps, one method each. Made by clients/generate.py from the schemas; edit those.\n\n" \
        "/** @typedef {(method: string, params: object) => Promise<any>} Ask */"
    defined = [f"/** @typedef {{{shape}}} {name} {words} */".replace("  ", " ")
               for name, (shape, words) in types.written.items()]
    names = ", ".join(f"{s}: {s.capitalize()}" for s in services())
    tail = f"/** The services by name. */\nexport const SERVICES = {{ {names} }};"
    return "\n\n".join([head, "\n".join(defined), *classes, tail]) + "\n"


def outputs():
    """Returns the paths of the generated files, each with the file's text."""
    return {HERE / "python/lamplighter/methods.py": python(), HERE / "js/methods.js": javascript()}


def main():
    if "--check" in sys.argv[1:]:
        wrong = [str(p.relative_to(HERE)) for p, text in outputs().items() if not p.exists() or p.read_text() != text]
        if wrong:
            sys.exit(f"not up to date in clients: {', '.join(wrong)}; run clients/generate.py")
        return
    for path, text in outputs().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
