"""Makes the OpenAPI document that describes apps' requests over HTTP, from the methods' schemas.

A method's path is the short form of its topic. Envelopes, examples and errors are the same as over MQTT.
"""

import yaml

import catalog
import lists

DESCRIPTION = """\
The requests of apps over HTTP: the path is the topic, the body the payload, and the answer the same JSON as over MQTT. The same
request with the same `id` has its effect once over both transports together.

- **The caller**: `Authorization: Bearer` with a session's token, which may then be left out of the body; or
  `Basic` with an app's id and secret, for methods without a token.
- **Paths**: with a token, use the short paths below. Without a token, the path names the app and the terminal:
  `/ll/v1/app/{appId}/{terminalId}/request/{service}/{method}`.
- **Status**: the error's code determines the status; `Retry-After` repeats `retryAfter`. 504 with the reason
  `outcomeUnknown` means that the request may have taken effect: repeat it with the same `id`. After every other
  `Unavailable`, the request has had no effect.
"""
STATUSES = {
    "400": ("InvalidRequest", "InvalidCode"), "401": ("InvalidToken", "InvalidCredentials"),
    "403": ("Forbidden", "PolicyRejected", "NotListed", "NotBound", "NotSubscribed", "RegionNotServed"),
    "404": ("ResourceNotFound",), "409": ("Duplicated", "DeviceOffline", "Expired"), "429": ("TooManyRequests",),
    "500": ("Internal",), "503": ("Unavailable",), "504": ("DeviceTimeout", "Unavailable"),
}
OTHER = {"405": "Another method than POST.", "413": "A body of more than 64 KiB.", "415": "A body that is not application/json."}


def operation(method, bundle):
    service, name = method.split("/")
    needed = catalog.needs_session(method)
    prefix = f"{service}.{name}"
    definition = catalog.methods()[method][1]
    codes = {*catalog.error_codes(method), *catalog.error_codes(method, by_key=True)}
    return {
        "operationId": f"{service}{name[0].upper()}{name[1:]}",
        "summary": definition["title"],
        "tags": [service],
        "security": {"always": [{"token": []}], "never": [{"app": []}, {"token": []}]}.get(needed, [{"token": []}, {"app": []}]),
        "requestBody": {
            "required": False,
            "content": {"application/json": {
                "schema": {"allOf": [
                    {"$ref": "#/components/schemas/HTTPRequest"},
                    {"properties": {"params": bundle.component(f"{prefix}.params")}},
                ]},
                **examples(bundle.shown(f"{prefix}.params", lambda params: {"id": "q1", "params": params})),
            }},
        },
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {
                "schema": bundle.envelope("answer", "result", f"{prefix}.result"),
                **examples(bundle.shown(f"{prefix}.result", bundle.answer_of)),
            }}},
            **{
                status: answer(", ".join(code for code in known if code in codes) + ".")
                for status, known in STATUSES.items()
                if any(code in codes for code in known)
            },
            **{status: answer(words) for status, words in OTHER.items()},
        },
    }


def examples(cases):
    return {"examples": {case: {"value": value} for case, value in cases}} if cases else {}


def answer(words):
    return {"description": words, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/answer"}}}}


def stream():
    return {
        "operationId": "stream",
        "summary": "The terminal's and its user's messages as server-sent events",
        "description": (
            "Each event is named by its topic behind the root, and its data is the payload. Retained messages are first. The last"
            " event is `end`, with a `reason`: the session's end, `takenOver` by a newer connection of the terminal,"
            " `tooSlow`, or `stopping`."),
        "tags": ["stream"],
        "security": [{"token": []}],
        "parameters": [{
            "name": "filter", "in": "query", "explode": True,
            "description": "Topic filters behind the root, in the terminal's or its user's own space.",
            "schema": {"type": "array", "maxItems": 8, "items": {"type": "string", "minLength": 1, "maxLength": 512}},
        }],
        "responses": {
            "200": {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            **{status: answer(words) for status, words in {
                "400": "Malformed filters.", "401": "No live session.", "403": "A filter outside its own space.",
                "429": "Too many streams of this address, or too many connections of this terminal.",
                "503": "The broker is away, or there are too many streams."}.items()},
        },
    }


def events():
    def names(name, words):
        items = {"type": "string", "minLength": 1, "maxLength": 64}
        return {"name": name, "in": "query", "explode": False, "description": words,
                "schema": {"type": "array", "maxItems": 100, "items": items}}

    def text(name, place, words, pattern):
        return {"name": name, "in": place, "description": words, "schema": {"type": "string", "pattern": pattern}}

    cursor = "^[0-9a-z-]{1,48}$"
    return {
        "operationId": "events",
        "summary": "The event log as server-sent events",
        "description": (
            "For API keys with the scope events. Each event has its `id`, is named by its type, and its data is the event, as"
            " `events/read` returns it. A comment every 15 s has no id. Behind the oldest entry that is kept, `events.gap` is first. The"
            " last event is `end`, with a `reason`: the key's end (`operator`, `expired`, `replaced`), `unsubscribed`,"
            " `takenOver` by a newer stream of the subscription, or `stopping`."),
        "tags": ["stream"],
        "security": [{"token": []}],
        "parameters": [
            names("types", "Types, or groups of types such as `device.*`; all but `device.status` when absent."),
            names("productKeys", "The app's products; all when absent."), names("dids", "The devices; all when absent."),
            text("after", "query", "An entry's id, `start` or `now`; `now` when absent.", cursor),
            text("subscriptionId", "query", "Reads by a subscription's types and from its cursor, in place of the other"
                 " parameters. The cursor stays: `events/ack` moves it.", "^[A-Za-z0-9_-]{1,64}$"),
            text("Last-Event-ID", "header", "The last entry that was received; goes before `after` and the cursor.", cursor),
        ],
        "responses": {
            "200": {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            **{status: answer(words) for status, words in {
                "400": "InvalidRequest, with the parameter as its field.", "401": "No live key.",
                "403": "A session's token, or a key without the scope.", "404": "No such subscription of the app.",
                "429": "Too many streams of this key or address.", "503": "Too many streams, or the store is away."}.items()},
        },
    }


# The scopes that the access token of a linked service can have (reference: oauth#clients).
SCOPES = {
    f"{service}{end}": f"{words} of `{service}`" for service in ("device", "home", "share", "schedule", "notification", "account")
    for end, words in (("", "The methods"), (":read", "The methods that change nothing"))}


def oauth(name, summary, parameters, result):
    """An endpoint of OAuth 2.0 for clients; the parameters are a form."""
    def body(properties, required=()):
        schema = {"type": "object", "properties": {name: {"type": kind} for name, kind in properties.items()}}
        return schema | ({"required": list(required)} if required else {})

    error = {"application/json": {"schema": body({"error": "string", "error_description": "string"}, ["error"])}}
    return {
        "operationId": f"oauth{name}",
        "summary": summary,
        "tags": ["oauth"],
        "security": [{"client": []}, {}],
        "requestBody": {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": body(
            {**dict.fromkeys(parameters, "string"), "client_id": "string", "client_secret": "string"}, parameters[:1])}}},
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": body(result, list(result)[:2])}}},
            **{status: {"description": words, "content": error} for status, words in {
                "400": "An error of RFC 6749.", "401": "invalid_client.", "503": "temporarily_unavailable."}.items()},
        },
    }


def document(bundle):
    """Returns the OpenAPI document as a dictionary."""
    known = bundle.components()
    request = {
        "title": "Request over HTTP", "type": "object",
        "properties": {**known["request"]["properties"]},
        **({"description": known["request"]["description"]} if "description" in known["request"] else {}),
    }
    paths = {f"/{bundle.ROOT}/request/{method}": {"post": operation(method, bundle)} for method in catalog.methods()}
    paths[f"/{bundle.ROOT}/stream"] = {"get": stream()}
    paths[f"/{bundle.ROOT}/events"] = {"get": events()}
    paths["/oauth/token"] = {"post": oauth(
        "Token", "Exchanges a code or a refresh token for an access token",
        ["grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope"],
        {"access_token": "string", "token_type": "string", "expires_in": "integer", "refresh_token": "string", "scope": "string"})}
    paths["/oauth/revoke"] = {"post": oauth("Revoke", "Revokes the link to which a token belongs", ["token", "token_type_hint"], {})}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lamplighter for apps, over HTTP", "version": "1.0.0", "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:8080", "description": "As `lamplighter up` starts it."}],
        "tags": [t for t in bundle.tags() if any(m.split("/")[0] == t["name"] for m in catalog.methods())]
        + [{"name": "stream", "description": "Messages of a user, and the event log."},
           {"name": "oauth", "description": "Tokens of linked services (RFC 6749, RFC 7009)."}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A session's token."},
                "app": {"type": "http", "scheme": "basic", "description": "The app's id and its secret."},
                "client": {"type": "http", "scheme": "basic", "description": "The id and secret of an OAuth client."},
                "linked": {"type": "oauth2", "description": "An access token of a linked service.", "flows": {"authorizationCode": {
                    "authorizationUrl": "http://127.0.0.1:8080/oauth/authorize", "tokenUrl": "http://127.0.0.1:8080/oauth/token",
                    "scopes": SCOPES}}},
            },
            "schemas": reached(paths, {**known, "HTTPRequest": request}),
        },
    }


def reached(value, known):
    """The schemas to which the paths refer, directly or through other schemas."""
    out, waiting = {}, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            if isinstance(one.get("$ref"), str) and (name := one["$ref"].removeprefix("#/components/schemas/")) not in out:
                out[name] = known[name]
                waiting.append(known[name])
            waiting += [v for k, v in one.items() if k != "$ref"]
    return dict(sorted(out.items()))


def text(bundle):
    """Returns the text of the OpenAPI document, as it is stored in generated/."""
    head = "# Made by bundle.py from methods/; edit there.\n"
    return head + yaml.dump(document(bundle), Dumper=bundle.Plain, sort_keys=False, allow_unicode=True, width=120)
