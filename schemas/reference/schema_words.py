"""Says in words what a schema requires, and writes a schema as tables of its members."""

from . import contract, markup

INTEGER_MAX = 9007199254740991
ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")

# Types.


def type_of(schema):
    """The type of a value with its limits, as Markdown."""
    found, place = contract.resolved(schema)
    if place in contract.nouns():
        return f"[{definition(place)}](types.md#{anchor(place)})"
    if "const" in found:
        return code(found["const"])
    if "enum" in found:
        return markup.listed(map(code, found["enum"]), "or")
    choices = contract.objects(found, "anyOf") or contract.objects(found, "oneOf")
    if "type" not in found and choices:
        return " or ".join(dict.fromkeys(map(type_of, choices)))
    kinds = found.get("type", "")
    return markup.listed([plain(found, kind) for kind in (kinds if isinstance(kinds, list) else [kinds])], "or")


def definition(place):
    return place.split("#")[1]


def anchor(place):
    """The anchor of a shared definition's section."""
    return "type-" + definition(place)


def plain(schema, kind):
    match kind:
        case "string":
            return text(schema)
        case "integer" | "number":
            return number(schema, kind)
        case "array":
            items = type_of(schema["items"]) if "items" in schema else "any value"
            return f"list of {items}" + bounds(schema, "Items", "entry", "entries")
        case "object":
            return "object" + bounds(schema, "Properties", "member", "members")
    return {"boolean": "true or false", "null": "null"}.get(kind, "any value")


def text(schema):
    limits = bounds(schema, "Length", "character", "characters")
    if schema.get("contentEncoding") == "base64":
        return "text in base64" + limits
    if "pattern" not in schema:
        return "text" + limits
    return f"text{limits}{',' if limits else ''} of the form {markup.code(schema['pattern'])}"


def number(schema, kind):
    low, high = schema.get("minimum"), schema.get("maximum")
    has_low, has_high = low is not None and low > -INTEGER_MAX, high is not None and high < INTEGER_MAX
    if has_low and has_high:
        return f"{kind}, {low} to {high}"
    if has_low or has_high:
        return f"{kind}, from {low}" if has_low else f"{kind}, up to {high}"
    return kind


def bounds(schema, what, unit, units):
    low, high = schema.get("min" + what, 0), schema.get("max" + what)
    if high is None:
        return f", at least {low} {unit if low == 1 else units}" if low else ""
    if low == high:
        return f", {low} {unit if low == 1 else units}"
    return f", {low} to {high} {units}" if low else f", up to {high} {units}"


def code(value):
    return markup.code(value if isinstance(value, str) else contract.compact(value))


def codes(values, conjunction):
    return markup.listed(map(code, values), conjunction)


# Rules.


def rules(schema):
    """Returns a sentence for each rule that connects an object's members with each other."""
    out = []
    for key, start in (("anyOf", "At least one of: "), ("oneOf", "Exactly one of: ")):
        said = [condition(one) for one in contract.objects(schema, key)]
        if said and all(said):
            out.append(start + "; ".join(said) + ".")
    if "not" in schema and (never := condition(schema["not"])):
        out.append(f"Never: {never}.")
    for one in [schema, *contract.objects(schema, "allOf")]:
        if "if" in one:
            out += rule(one)
    return out


def rule(schema):
    tested = condition(schema["if"])
    then, other = (condition(schema[key]) if key in schema else "" for key in ("then", "else"))
    out = [f"Where {tested}: {then}."] if then else []
    if other:
        out.append(f"{'Otherwise' if then else 'Unless ' + tested}: {other}.")
    return out


def condition(schema):
    """A condition in words, or an empty text if the condition isn't about members."""
    schema, _ = contract.resolved(schema)
    said = [(name, member(name, inner)) for name, inner in contract.members(schema)]
    parts = [words for _, words in said if words]
    named = {name for name, words in said if words}
    required = [name for name in schema.get("required", ()) if name not in named]
    if required:
        parts.append(codes(required, "and") + " given")
    for key, word in (("anyOf", " or "), ("oneOf", " or else ")):
        parts.append(word.join(filter(None, map(condition, contract.objects(schema, key)))))
    parts += map(condition, contract.objects(schema, "allOf"))
    if "not" in schema:
        parts.append(without(schema["not"]))
    return ", ".join(filter(None, parts))


def without(schema):
    required = schema.get("required", [])
    names = [*required, *(name for one in contract.objects(schema, "anyOf") for name in one.get("required", ()))]
    if names:
        return "without " + codes(names, "and" if required else "or")
    words = condition(schema)
    return f"not ({words})" if words else ""


def member(name, schema):
    """What a condition says about a member, or an empty text."""
    name = code(name)
    if not isinstance(schema, dict):
        return "" if schema else f"without {name}"
    if "const" in schema or "enum" in schema:
        return f"{name} is {values(schema)}"
    if "not" in schema:
        said = values(schema["not"])
        return f"{name} is not {said}" if said else ""
    inside = condition(schema)
    if inside:
        return f"in {name} {inside}"
    words = type_of(schema)
    return "" if words == "any value" else f"{name} is {words}"


def values(schema):
    return code(schema["const"]) if "const" in schema else codes(schema.get("enum", ()), "or")


# Tables.


def tables(place):
    """The tables and rules of the schema at a place, or an empty text."""
    schema, _ = contract.resolved(contract.schemas()[place])
    forms = variants(schema)
    parts = [table(schema)]
    for index, form in enumerate(forms):
        ordinal = ORDINALS[index] if index < len(ORDINALS) else "Further"
        parts += [f"**{ordinal} form**", table(form), bullets(form)]
    parts.append(bullets({key: one for key, one in schema.items() if key != "oneOf"} if forms else schema))
    return markup.paragraphs(parts)


def variants(schema):
    """The alternatives of an object if each has its own members, otherwise an empty list."""
    forms = [contract.resolved(one)[0] for one in contract.objects(schema, "oneOf")]
    return forms if all(form.get("type") == "object" for form in forms) else []


def table(schema):
    return markup.table(["Member", "Type", "", "What it is"], rows(schema, "", 0))


def bullets(schema):
    return "\n".join("- " + one for one in rules(schema))


def rows(schema, prefix, depth):
    out = []
    for name, inner in contract.members(schema):
        if not isinstance(inner, dict):
            continue
        found, place = contract.resolved(inner)
        required = "required" if name in schema.get("required", ()) else ""
        out.append([markup.code(prefix + name), type_of(inner), required, description(found)])
        if depth < 4 and place not in contract.nouns():
            out += inside(found, prefix + name, depth)
    return out


def inside(schema, name, depth):
    out = rows(schema, name + ".", depth + 1)
    for form in contract.objects(schema, "oneOf"):
        out += rows(contract.resolved(form)[0], name + ".", depth + 1)
    if isinstance(schema.get("items"), dict):
        found, place = contract.resolved(schema["items"])
        if place not in contract.nouns():
            out += inside(found, name + "[]", depth)
    return [one for index, one in enumerate(out) if one not in out[:index]]


def description(schema):
    said = [markup.prose(schema.get("description", ""))]
    if "properties" in schema or "anyOf" in schema:
        said += rules(schema)
    return " ".join(filter(None, said))
