"""Hooks of schemathesis: they give each random request a valid caller, so that the service runs the method."""

import os

import schemathesis


@schemathesis.hook
def map_body(context, body):
    """Removes the token (the header has it) and `wait`; sets the user of a request with an API key."""
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in ("token", "uid")}
        if uid := os.environ.get("CALLED_FOR"):
            body["uid"] = uid
        if isinstance(body.get("params"), dict):
            body["params"] = {name: value for name, value in body["params"].items() if name != "wait"}
    return body
