"""The operators' console as scripts and browsers use it: requests, sign-in, events, OpenAPI."""

import functools
import http.client
import json
import re
import socket
import time

import jsonschema
import yaml

import contract
from harness import patience

# The headers that the console's own pages send with each request that changes something.
OWN_PAGE = {"Content-Type": "application/json", "X-Lamplighter": "console", "Sec-Fetch-Site": "same-origin"}


class Answer:
    """An answer, with its body parsed if it is JSON."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        kind = self.headers.get_content_type()
        self.json = json.loads(self.body) if kind.endswith("json") and self.body else None

    @property
    def code(self):
        return self.json.get("code") if self.json else None


class Console:
    """A caller of the API, with a cookie, a token, or neither."""

    def __init__(self, service, token=None):
        self.port = service.ready["consolePort"]
        self.service = service
        self.token = token
        self.cookie = None

    def ask(self, method, path, body=None, headers=None, raw=None):
        """Requests a path below /api/v1, as the console's own page does."""
        sent = dict(OWN_PAGE) if method != "GET" else {}
        if self.token:
            sent = {"Authorization": f"Bearer {self.token}", **({"Content-Type": "application/json"} if method != "GET" else {})}
        if self.cookie:
            sent["Cookie"] = f"lamplighter={self.cookie}"
        sent = {k: v for k, v in {**sent, **(headers or {})}.items() if v is not None}
        data = raw if raw is not None else json.dumps(body).encode() if body is not None else b"{}" if method != "GET" else None
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path if path.startswith("/console") else "/api/v1" + path, data, sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, body or {}, **more)

    def enter(self, url=None):
        """Signs in with a one-time link, which is the first operator's link by default."""
        url = url or self.service.json("console")["url"]
        answer = self.post("/session/enter", {"token": url.split("#enter=")[1]})
        assert answer.status == 200, answer.body
        self.cookie = re.search(r"lamplighter=([^;]+)", answer.headers["Set-Cookie"])[1]
        return answer

    def events(self, watch, last=None):
        return Events(self, watch, last)


class Events:
    """An open stream of events."""

    def __init__(self, console, watch, last=None):
        headers = {"Cookie": f"lamplighter={console.cookie}"} if console.cookie else {"Authorization": f"Bearer {console.token}"}
        if last:
            headers["Last-Event-ID"] = last
        self.connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=20)
        self.connection.request("GET", "/api/v1/live?watch=" + watch, headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.last = last

    def next(self, *names, seconds=15):
        """Returns the next event and its data, or None at the stream's end.

        If names are given, events with other names are skipped."""
        seconds = patience(seconds)
        deadline = time.monotonic() + seconds
        self.connection.sock.settimeout(seconds)
        while True:
            fields = {}
            while True:
                line = self.response.readline()
                if not line:
                    return None
                line = line.decode().rstrip("\n")
                if not line:
                    break
                key, value = line.split(": ", 1)
                fields[key] = value
            self.last = fields.get("id", self.last)
            if not names or fields["event"] in names:
                return fields["event"], json.loads(fields["data"])
            if time.monotonic() > deadline:
                raise AssertionError(f"no event {' or '.join(names)} within {seconds} s")

    def close(self):
        # The answer object also holds the socket, so the object must be closed too.
        self.response.close()
        self.connection.close()


def raw(service, data, seconds=20):
    """Sends raw bytes to the console and returns the console's answer."""
    with socket.create_connection(("127.0.0.1", service.ready["consolePort"]), seconds) as connection:
        connection.sendall(data)
        connection.settimeout(seconds)
        out = b""
        try:
            while chunk := connection.recv(65536):
                out += chunk
        except (TimeoutError, ConnectionResetError):
            pass
        return out


@functools.cache
def document():
    text = (contract.SCHEMAS / "generated" / "openapi.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def operations():
    """Yields every operation's method, path and description."""
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


@functools.cache
def _validator(name):
    whole = {"$ref": f"#/components/schemas/{name}", "components": document()["components"]}
    return jsonschema.Draft202012Validator(whole)


def problems(operation_id, value, status=200):
    """Returns the faults of an answer to an operation, as lines."""
    name = "Problem"
    if status == 200:
        found = next(o for _, _, o in operations() if o["operationId"] == operation_id)
        content = found["responses"]["200"]["content"]
        if "application/json" not in content:
            return []
        name = content["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in _validator(name).iter_errors(value)]


def problems_of(schema, value):
    """Checks a value against an OpenAPI schema, and returns a line for each violation."""
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in _validator(schema).iter_errors(value)]
