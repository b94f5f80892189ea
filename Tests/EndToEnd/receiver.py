"""A receiver of webhooks that fails as tests ask, and logs posts and answers."""

import base64
import hashlib
import hmac
import json
import socketserver
import sys
import threading
import time


class Post:
    """One POST as it arrived, and its answer's status (None before the answer)."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.raw = path, headers, body
        self.body = json.loads(body)
        self.at, self.ended, self.status = time.monotonic(), None, None
        self.events = self.body["events"]

    @property
    def id(self):
        return self.headers["webhook-id"]

    def is_signed(self, secret):
        """Returns whether one of the POST's signatures was made with this secret (Standard Webhooks)."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        text = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.raw
        wanted = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        return wanted in self.headers["webhook-signature"].split(" ")


def answer(status, text="", **headers):
    """Answers with a status."""
    def act(connection, post):
        lines = [f"HTTP/1.1 {status} x", f"Content-Length: {len(text)}",
                 *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        connection.sendall("\r\n".join([*lines, "", text]).encode())
        post.status = status
    return act


def slowly(seconds, then=answer(204)):
    """Answers only after some time."""
    def act(connection, post):
        time.sleep(seconds)
        then(connection, post)
    return act


def hang_up(connection, _):
    """Ends the connection in the middle of the answer."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    connection.close()


def drip(connection, _):
    """Sends one byte a second of an answer that is too long to be received completely."""
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + b"x" * 10000:
        connection.sendall(bytes([byte]))
        time.sleep(1)


def long_headers(connection, post):
    """Accepts the events, and answers with 8 KB of headers."""
    answer(200, **{f"x-{n}": "y" * 100 for n in range(75)})(connection, post)


class Receiver:
    """An HTTP server; `plans` has the answers to a path's next posts, `usual` the answer to all later posts."""

    def __init__(self, port=0, otherwise=answer(204)):
        """A post gets the answer `otherwise` if `plans` and `usual` contain no answer for its path."""
        self.posts, self.plans, self.usual, self.lock = [], {}, {}, threading.Lock()
        self.otherwise = otherwise
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    while outer.one(self):
                        pass
                except (OSError, ValueError):  # the service has given up
                    pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = allow_reuse_address = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def one(self, handler):
        line = handler.rfile.readline().decode()
        if not line:
            return False
        headers = {}
        while text := handler.rfile.readline().decode().strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        post = Post(line.split(" ")[1], headers, handler.rfile.read(int(headers["content-length"])))
        with self.lock:
            self.posts.append(post)
            plan = self.plans.get(post.path)
            act = plan.pop(0) if plan else self.usual.get(post.path, self.otherwise)
        try:
            act(handler.connection, post)
        finally:
            post.ended = time.monotonic()
        return act not in (hang_up, drip)

    def url(self, path, host="localhost"):
        return f"http://{host}:{self.port}{path}"

    def of(self, path):
        """The posts to a path, in the order of their arrival."""
        with self.lock:
            return [post for post in self.posts if post.path == path]

    def taken(self, path):
        """The events that were answered with 2xx, in order, each once."""
        seen = {}
        for post in self.of(path):
            if post.status and 200 <= post.status < 300:
                for event in post.events:
                    seen.setdefault(event["id"], event)
        return list(seen.values())

    def fault(self, path):
        """The log's first fault, such as events in the wrong order, or None if the log has no fault.

        The service must not post an event before all earlier events have been accepted. If the webhook's cursor moved before
        a 2xx, an unaccepted event could be skipped. This check would find the gap.
        """
        posts, newest = self.of(path), None
        for before, post in zip(posts, posts[1:]):
            if before.ended is None or post.at < before.ended - 0.001:
                return f"{post.id} began before {before.id} had ended"
            if before.status is None or before.status >= 300:
                first, again = before.events[0]["id"], post.events[0]["id"]
                if again != first:
                    return f"{before.id} was not taken, and {again} followed instead of {first}"
        for event in self.taken(path):
            key = place(event["id"])
            if newest is not None and key < newest:
                return f"{event['id']} came late"
            newest = key
        return None

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def place(id):
    """The place of an event in the log, for comparisons."""
    xid, seq, left = (int(part, 36) for part in id.split("-"))
    return xid, seq, -left


if __name__ == "__main__":
    from eventlogs import write_posts
    write_posts(int(sys.argv[1]), sys.argv[2])
