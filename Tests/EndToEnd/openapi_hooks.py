"""Hooks of schemathesis: the hooks put the caller's user into random requests, so that these requests reach the
methods."""

import os

import schemathesis


@schemathesis.hook
def map_body(context, body):
    """Removes the token from the body, since the header has it; sets the user for a request with an API key; removes
    `wait`, so that no request waits."""
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in ("token", "uid")}
        if uid := os.environ.get("CALLED_FOR"):
            body["uid"] = uid
        if isinstance(body.get("params"), dict):
            body["params"] = {name: value for name, value in body["params"].items() if name != "wait"}
    return body
