"""Makes the OpenAPI document of the console's interface from http/*.yaml.

In those files an operation has a short form, with its `id`. `role` is the lowest role that may use it. With `none`,
no session is needed. Its `query` parameters are names from common.yaml or written in full. `body` and `answer` are
schemas. A `$ref` contains only the name of a schema.
"""

import re

import yaml

import catalog

FOLDER = catalog.HERE / "http"
METHODS = ("get", "put", "post", "patch", "delete")
KNOWN = {"id", "role", "summary", "description", "query", "path", "body", "answer", "media", "ifMatch", "cookieOnly"}
DESCRIPTION = """\
The interface that the console uses, open to scripts too.

- **The caller**: a browser sends the cookie of its session; a script sends `Authorization: Bearer TOKEN`, with a token from
  `lamplighter operator token`. Each operation names the least role that it needs in `x-role`.
- **Requests that change** something carry JSON (`Content-Type: application/json`) of at most 64 KiB. The document of a
  product or app may have 1 MiB and 20,000 values, and a sign-in may have 4 KiB. The answer to a larger body is 413.
  Requests with a cookie also need the header `X-Lamplighter: console` and must come from the console's own pages
  (`Sec-Fetch-Site: same-origin`).
- **Names**: a request must use one of this machine's names, the name in `console.url` or a name in the console's
  certificate. The answer to a request with any other name is 421.
- **Members** without a value are absent. Times are milliseconds since 1970. Integers lie within ±(2^53−1).
- **Pages**: while an answer has `next`, request the next page with it as `cursor`.
- **Refusals** are problem details (RFC 9457) with our codes.
"""


def parts():
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))]


def merged(key):
    out = {}
    for part in parts():
        for name, value in part.get(key, {}).items():
            if name in out:
                raise ValueError(f"{name} is defined twice in schemas/http")
            out[name] = value
    return out


def referring(schema):
    """A copy of a schema in which each `$ref` is a complete reference in the document instead of just a name."""
    if isinstance(schema, list):
        return [referring(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: f"#/components/schemas/{v}" if k == "$ref" else referring(v) for k, v in schema.items()}


def parameters(path, operation, known):
    """The parameters of an operation: those in its path, and those in its query."""
    for name in re.findall(r"{(\w+)}", path):
        yield {"name": name, "in": "path", "required": True, **(
            {"schema": operation["path"][name]} if name in operation.get("path", {}) else
            {key: referring(value) for key, value in known[name].items() if key != "in"})}
    for one in operation.get("query", []):
        named = {"name": one, **known[one]} if isinstance(one, str) else one
        yield {"in": "query", **{key: referring(value) for key, value in named.items()}}
    if operation.get("ifMatch"):
        yield {"name": "If-Match", "in": "header", "schema": {"type": "string"}, "description": "`updatedAt` as it was read."}


def operation(path, short, known):
    strange = set(short) - KNOWN
    if strange:
        raise ValueError(f"{path}: unknown {strange}")
    media = short.get("media", "application/json")
    out = {"operationId": short["id"], "summary": short["summary"], "x-role": short["role"]}
    if "description" in short:
        out["description"] = short["description"]
    if short.get("cookieOnly"):
        out["x-cookie-only"] = True
    found = list(parameters(path, short, known))
    if found:
        out["parameters"] = found
    if "body" in short:
        needed = bool(short["body"].get("required")) or "$ref" in short["body"]
        out["requestBody"] = {"required": needed, "content": {"application/json": {"schema": referring(short["body"])}}}
    answer = {"$ref": f"#/components/schemas/{short['answer']}"}
    out["responses"] = {
        "200": {"description": "Done.", "content": {media: {"schema": answer}}},
        "default": {"$ref": "#/components/responses/Problem"},
    }
    if short["role"] == "none":
        out["security"] = []
    elif short.get("cookieOnly"):
        out["security"] = [{"cookie": []}, {"plainCookie": []}]
    return out


def document():
    """Returns the OpenAPI document as a dictionary."""
    known = merged("parameters")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lamplighter's console", "version": "1", "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:8082/api/v1", "description": "As `lamplighter up` starts it."}],
        "security": [{"cookie": []}, {"plainCookie": []}, {"token": []}],
        "paths": {
            path: {method: operation(path, short, known) for method, short in operations.items()}
            for path, operations in merged("paths").items()
        },
        "components": {
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "__Host-lamplighter", "description": "With TLS."},
                "plainCookie": {"type": "apiKey", "in": "cookie", "name": "lamplighter", "description": "On loopback without TLS."},
                "token": {"type": "http", "scheme": "bearer"},
            },
            "responses": {
                "Problem": {
                    "description": "It was refused, and nothing changed.",
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                },
            },
            "schemas": {name: referring(schema) for name, schema in merged("schemas").items()},
        },
    }


def text():
    """Returns the text of the OpenAPI document, as it is stored in generated/."""
    head = "# Made by bundle.py from http/; edit there.\n"
    return head + yaml.safe_dump(document(), sort_keys=False, allow_unicode=True, width=120)
