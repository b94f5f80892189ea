"""The services' pages: each method with its params, answer, errors and examples."""

import catalog

from . import contract, markup, request_examples, schema_words

SESSIONS = {
    "always": "It needs the token of a [session](sessions.md).",
    "sometimes": "It needs the token of a [session](sessions.md) for some params.",
    "never": "It needs no session.",
}


def services():
    """A page for each service, as a name and a text."""
    names = dict.fromkeys(method.service for method in contract.methods().values())
    return [(f"service-{name}", page(name)) for name in names]


def page(service):
    methods = [method for method in contract.methods().values() if method.service == service]
    about = markup.escape(catalog.files()[f"methods/{service}"]["description"])
    listed = [[f"[{method.name}](#{method.anchor})", markup.escape(method.summary)] for method in methods]
    head = f"""# Service {service}

{about} Requests go to `ll/v1/app/{{appId}}/{{terminalId}}/request/{service}/METHOD`; the \
envelope, repeats and answers are described in [Requests](requests.md), the examples use the files of \
[Examples](examples.md).

{markup.table(["Method", "What it does"], listed)}"""
    return "\n\n".join([head, *map(section, methods)]) + "\n"


def section(method):
    params, result = (f"{method.place}.{side}" for side in catalog.SIDES)
    errors = ", ".join(f"[{code}](errors.md#{code})" for code in catalog.error_codes(method.name))
    answers = contract.examples(result)
    return markup.paragraphs([
        f"## {method.name} {{#{method.anchor}}}",
        f"{markup.escape(method.summary)} {SESSIONS[catalog.needs_session(method.name)]}",
        f"### Params {{#{method.anchor}-params}}", *side(params),
        f"### Answer {{#{method.anchor}-result}}", *side(result),
        request_examples.json_block(answers[-1][1]) if answers else "",
        f"### Errors {{#{method.anchor}-errors}}", errors + ".",
        f"### Examples {{#{method.anchor}-examples}}", *examples(method.name, contract.examples(params)),
    ])


def side(place):
    text = contract.schemas()[place].get("description", "")
    return "`{}`" if text == "{}" else markup.prose(text), schema_words.tables(place)


def examples(method, cases):
    (_, first), *others = cases
    rows = [[markup.escape(title), markup.code(contract.compact(value))] for title, value in others]
    other = ["Other params that fit:", markup.table(["Case", "Params"], rows)] if rows else []
    needs_token = catalog.needs_session(method) != "never"
    over_http = request_examples.over_http(method, first, needs_token)
    return request_examples.blocks(method, first), "[Over HTTP](http.md):", over_http, *other
