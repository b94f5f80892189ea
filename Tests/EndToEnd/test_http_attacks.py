"""Attacks on the HTTP server: ambiguous requests, floods of headers, and too many requests."""

import contextlib
import json
import re
import socket
import unittest

from client import Terminal, fresh_id
from harness import LONG, TOPICS, eventually
from test_http import LIMIT, HTTPTerminal, Stream
from test_keys import Server
from world import EndToEnd, OwnWorldOfClass, World

WHOAMI = f"/{TOPICS}/request/account/whoami"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BODY = b"2\r\n{}\r\n0\r\n\r\n"
TWO = b"Content-Length: 2\r\n"

# A proxy and the service could find the end of these requests at different positions. The service refuses the requests,
# and doesn't read anything after them.
AMBIGUOUS = {
    "both lengths": (b"Content-Length: 2\r\n" + CHUNKED, BODY),
    "both lengths, the other way round": (CHUNKED + b"Content-Length: 30\r\n", b"0\r\n\r\n"),
    "chunked twice": (CHUNKED * 2, BODY),
    "chunked, then identity": (b"Transfer-Encoding: chunked, identity\r\n", BODY),
    "identity": (b"Transfer-Encoding: identity\r\n", BODY),
    "a quoted encoding": (b'Transfer-Encoding: "chunked"\r\n', BODY),
    "an encoding behind a vertical tab": (b"Transfer-Encoding:\x0bchunked\r\n", BODY),
    "a space before the colon": (b"Transfer-Encoding : chunked\r\n", BODY),
    "a folded encoding": (b"Transfer-Encoding:\r\n chunked\r\n", BODY),
    "two equal lengths": (TWO * 2, b"{}"),
    "two lengths": (TWO + b"Content-Length: 3\r\n", b"{}"),
    "a list of lengths": (b"Content-Length: 2, 2\r\n", b"{}"),
    "a negative length": (b"Content-Length: -2\r\n", b"{}"),
    "a length in hexadecimal": (b"Content-Length: 0x2\r\n", b"{}"),
    "a length with a line below": (b"Content-Length: 0_2\r\n", b"{}"),
    "a length of 23 digits": (b"Content-Length: 99999999999999999999999\r\n", b"{}"),
    "no length": (b"Content-Length: \r\n", b"{}"),
    "a chunk's extension that ends with LF": (CHUNKED, b"2;a\n{}\r\n0\r\n\r\n"),
    "chunks that end with LF": (CHUNKED, b"2\n{}\n0\n\n"),
    "a chunk of 0x2": (CHUNKED, b"0x2\r\n{}\r\n0\r\n\r\n"),
    "a space before a chunk's size": (CHUNKED, b" 2\r\n{}\r\n0\r\n\r\n"),
    "a space behind a chunk's size": (CHUNKED, b"2 \r\n{}\r\n0\r\n\r\n"),
    "a negative chunk": (CHUNKED, b"-2\r\n{}\r\n0\r\n\r\n"),
    "a chunk that overflows": (CHUNKED, b"10000000000000002\r\n{}\r\n0\r\n\r\n"),
    "a chunk without an end": (CHUNKED, b"2\r\n{}0\r\n\r\n"),
    "a length behind the chunks": (CHUNKED, b"2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n"),
    "a header that ends with LF": (b"X: a\n" + TWO, b"{}"),
    "a folded header": (b"X: a\r\n b\r\n" + TWO, b"{}"),
    "a CR in a header": (b"X: a\rContent-Length: 50\r\n" + TWO, b"{}"),
    "CR CR LF": (b"X: a\r\r\n" + TWO, b"{}"),
    "NUL in a value": (b"X: a\0b\r\n" + TWO, b"{}"),
    "NUL in a name": (b"X\0: a\r\n" + TWO, b"{}"),
    "a header without a colon": (b"Xabc\r\n" + TWO, b"{}"),
    "a header without a name": (b": x\r\n" + TWO, b"{}"),
    "1,000 headers": (b"".join(b"X-%d: a\r\n" % number for number in range(1000)) + TWO, b"{}"),
    "a header of 100 KB": (b"X: " + b"a" * 100_000 + b"\r\n" + TWO, b"{}"),
    "a header of 1 MB": (b"X: " + b"a" * 1_000_000 + b"\r\n" + TWO, b"{}"),
}
LINES = {
    "a method in lower case": f"post {WHOAMI} HTTP/1.1", "a tab": f"POST\t{WHOAMI} HTTP/1.1", "a space more": f"POST {WHOAMI} HTTP/1.1 ",
    "HTTP 2.0": f"POST {WHOAMI} HTTP/2.0", "NUL": f"POST {WHOAMI}\0 HTTP/1.1", "a path of 100 KB": f"POST /{TOPICS}/{'a' * 100_000} HTTP/1.1",
    "letters of others": f"POST /{TOPICS}/request/account/whoam\u00ed HTTP/1.1",
}


class Raw(EndToEnd):
    def setUp(self):
        super().setUp()
        self.app = HTTPTerminal(self.world).login()
        self.app.get("account/whoami")

    def post(self, fields=TWO, body=b"{}", line=f"POST {WHOAMI} HTTP/1.1", host=b"Host: x\r\n"):
        head = f"Authorization: Bearer {self.app.token}\r\nContent-Type: application/json\r\n"
        return line.encode() + b"\r\n" + host + head.encode() + fields + b"\r\n" + body

    def send(self, data, count=9, end=(b"}", b"}\n", b">\n")):
        """Sends bytes, and returns up to `count` statuses, whether the connection closed, and the text."""
        connection = socket.create_connection(("127.0.0.1", self.world.service.http_port), 5)
        text, is_closed = b"", False
        with contextlib.closing(connection):
            with contextlib.suppress(OSError):
                connection.sendall(data)
            connection.settimeout(5)
            with contextlib.suppress(OSError):
                while len(self.statuses(text)) < count or not text.endswith(end):
                    if not (part := connection.recv(65_536)):
                        is_closed = True
                        break
                    text += part
        return self.statuses(text), is_closed, text

    @staticmethod
    def statuses(text):
        return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", text)]


class Smuggling(Raw):
    def test_ambiguous_requests_are_refused_and_nothing_after_them_is_read(self):
        cases = {name: self.post(*case) for name, case in AMBIGUOUS.items()}
        cases |= {name: self.post(line=line) for name, line in LINES.items()}
        cases |= {
            "LF alone": self.post().replace(b"\r\n", b"\n"), "HTTP 0.9": b"GET /healthz\r\n\r\n",
            "a folded first line": self.post(host=b" Host: x\r\n"), "bytes of no text": self.post().replace(b"whoami", b"whoam\xff"),
            "HTTP/2 at once": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 20,
        }
        for name, data in cases.items():
            with self.subTest(name):
                statuses, is_closed, text = self.send(data + NEXT)
                self.assertNotIn(b'{"ok":true}', text)
                # After a long header, the connection can end before the client reads the answer.
                self.assertLessEqual(set(statuses), {400}, text)
                self.assertTrue(statuses or "B" in name)
                self.assertTrue(is_closed)

    def test_unambiguous_requests_are_accepted_and_so_is_the_next_one(self):
        for name, data in {
            "a chunk's extension": self.post(CHUNKED, b"2;a=b\r\n{}\r\n0;c\r\n\r\n"),
            "capitals": self.post(b"Transfer-Encoding: CHUNKED\r\n", BODY),
            "zeros before the length": self.post(b"Content-Length: 0002\r\n"),
            "the whole address": self.post(line=f"POST http://x{WHOAMI} HTTP/1.1"),
            "a query": self.post(line=f"POST {WHOAMI}?x=1 HTTP/1.1"),
        }.items():
            with self.subTest(name):
                statuses, is_closed, text = self.send(data + NEXT, 2)
                self.assertEqual((statuses, is_closed), ([200, 200], False), text)
                self.assertTrue(text.endswith(b'{"ok":true}\n'), text)

    def test_requests_that_a_proxy_could_reroute_or_unpack_are_refused(self):
        for name, data in {
            "no host": self.post(host=b""), "a second host": self.post(b"Host: y\r\n" + TWO),
            "compressed and chunked": self.post(b"Transfer-Encoding: gzip, chunked\r\n", BODY),
        }.items():
            with self.subTest(name):
                statuses, _, text = self.send(data + NEXT, 2)
                self.assertEqual(statuses, [400, 200], text)
                self.assertNotIn(b"uid", text)

    def test_an_old_client_with_chunks_is_disconnected(self):
        statuses, is_closed, text = self.send(self.post(CHUNKED, BODY, f"POST {WHOAMI} HTTP/1.0") + NEXT)
        self.assertTrue(is_closed)
        self.assertNotIn(b'{"ok":true}', text)

    def test_pipelined_requests_are_answered_in_order(self):
        requests = b"".join(self.post(f"Content-Length: {len(body)}\r\n".encode(), body) for body in (
            json.dumps({"id": f"p{number}"}).encode() for number in range(30)))
        statuses, _, text = self.send(requests, 30)
        self.assertEqual(statuses, [200] * 30)
        self.assertEqual(re.findall(rb'"id":"(p\d+)"', text), [b"p%d" % number for number in range(30)])

    def test_paths_are_never_decoded(self):
        own = f"app/test-app/{self.app.terminal_id}"
        for path in (
                "%2e%2e/request/account/whoami", "request/account%2fwhoami", "request/account/whoam%69", "request/account/whoami%00",
                "/request/account/whoami", "request//account/whoami", "request/account/whoami/", "request/account/whoami;x",
                "request/account\\whoami", "./request/account/whoami", "request/account/../account/whoami", "request/account/whoami#x",
                "app/test-app/%2e%2e/request/account/whoami", "app/test-app/+/request/account/whoami", f"{own}%2frequest/account/whoami",
                "app/#/x/request/account/whoami", f"{own}/request/+/whoami", f"{own}/response", f"{own}/http/node/x"):
            with self.subTest(path):
                statuses, _, text = self.send(self.post(line=f"POST /{TOPICS}/{path} HTTP/1.1") + NEXT, 2)
                self.assertEqual(statuses, [404, 200], text)
                self.assertNotIn(b"uid", text)

    def test_other_methods_are_refused(self):
        for method, path, status in (
                ("HEAD", WHOAMI, 405), ("TRACE", WHOAMI, 405), ("PUT", WHOAMI, 405), ("HEAD", f"/{TOPICS}/stream", 405),
                ("POST", f"/{TOPICS}/stream", 405), ("OPTIONS", WHOAMI, 204), ("OPTIONS", f"/{TOPICS}/stream", 204), ("CONNECT", "x:80", 404)):
            with self.subTest(method=method, path=path):
                statuses, _, text = self.send(self.post(b"", b"", f"{method} {path} HTTP/1.1"), 1, (b"\r\n\r\n", b"}", b">\n"))
                self.assertEqual(statuses, [status])
                self.assertNotIn(b"uid", text)
                if status == 405:
                    self.assertRegex(text.decode(), "(?i)\r\nallow: (POST|GET), OPTIONS\r\n")
                if method == "HEAD":
                    self.assertTrue(text.endswith(b"\r\n\r\n"), "an answer to HEAD has no body")


class Bodies(Raw):
    def test_64_kib_are_accepted_and_one_byte_more_is_refused(self):
        def whoami(size, **more):
            head = json.dumps({"id": fresh_id("b"), **more, "params": {}})
            body = head + " " * (size - len(head))
            return self.app.send(WHOAMI, body, {
                "Content-Type": "application/json", "Authorization": f"Bearer {self.app.token}"})[0]

        token = {"token": self.app.token}
        self.assertEqual([whoami(LIMIT, **token), whoami(LIMIT + 1, **token), whoami(LIMIT)], [200, 413, 413])

    def test_origins_that_look_like_allowed_ones_are_refused(self):
        for path in (WHOAMI, f"/{TOPICS}/stream", f"/{TOPICS}/events"):
            for origin in ("https://evil.example", "null", "http://localhost.evil.example", "http://evil.example:5173",
                           "http://127.0.0.1.evil.example", "http://user@localhost", "file://", ""):
                for method in ("POST", "GET", "OPTIONS"):
                    with self.subTest(path=path, origin=origin, method=method):
                        status, headers, text = self.app.send(path, None, {
                            "Origin": origin, "Authorization": f"Bearer {self.app.token}"}, method)
                        self.assertEqual(status, 403, text)
                        self.assertNotIn("Access-Control-Allow-Origin", headers)


class Rates(OwnWorldOfClass):
    """The rate limits of a key and of an address apply to both transports together."""

    @classmethod
    def make_world(cls):
        return World(watch=False, settings=[
            "--set", "limits.keyMessagesPerSecond=1", "--set", "limits.keyMessageBurst=20",
            "--set", "limits.addressMessagesPerSecond=1", "--set", "limits.addressMessageBurst=30"])

    def until(self, ask, most):
        """Sends requests until one is refused, and returns the number of requests before that."""
        for count in range(most):
            if ask() == 429:
                return count
        self.fail(f"{most} passed")

    def test_the_rate_of_a_key(self):
        made = self.world.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events", "device")
        server = self.keep(Server(self.world.port, made).come())
        front = HTTPTerminal(self.world, token=made["key"])
        path, body = f"/{TOPICS}/request/events/subscriptions", "{}"
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {made['key']}"}
        self.assertLess(self.until(lambda: front.send(path, body, headers)[0], 40), 26)
        codes = [server.send("events/subscriptions", {}, fresh_id("q")) for _ in range(5)]
        self.assertIn(0x87, codes, "HTTP has used the key's rate up")
        # Another key isn't affected.
        other = self.world.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")
        self.assertEqual(front.send(path, body, {**headers, "Authorization": f"Bearer {other['key']}"})[0], 200)

    def test_the_rate_of_an_address(self):
        class From(HTTPTerminal):
            def send(self, path, body=None, headers=(), method="POST", seconds=60):
                # The service trusts the header of a proxy that runs on the same machine.
                return super().send(path, body, {**dict(headers), "X-Forwarded-For": "203.0.113.7, 127.0.0.77"}, method, seconds)

        terminals = [self.terminal(source="127.0.0.77") for _ in range(2)]
        apps = [From(self.world, one.app_id, one.terminal_id, one.token) for one in terminals]
        for one in apps:
            self.assertLess(self.until(lambda: one.ask("account/whoami")[0], 60), 45)
        # MQTT and HTTP share the rate limit. The requests over HTTP have already used it up.
        codes = [terminals[0].send("account/whoami", {}, fresh_id("q")) for _ in range(5)]
        self.assertIn(0x87, codes)
        other = self.terminal(source="127.0.0.78")
        self.assertEqual(HTTPTerminal(self.world, other.app_id, other.terminal_id, other.token).ask("account/whoami")[0], 200)


class Places(OwnWorldOfClass):
    """Streams can use at most half of the listener's connections, so that streams never block requests."""

    in_all = 512 if LONG else 20

    @classmethod
    def make_world(cls):
        return World(watch=False, settings=[
            "--set", f"limits.httpConnections={cls.in_all * 2}", "--set", "broker.newClientsPerMinute=100000",
            "--set", "limits.newcomersPerSecond=0"])

    def stream(self, app, source):
        stream = Stream(self.world, f"/{TOPICS}/stream", app.token, source)
        self.addCleanup(stream.close)
        return stream

    def test_streams_can_use_half_of_all_places(self):
        apps = [HTTPTerminal(self.world).login() for _ in range(self.in_all + 1)]
        statuses = [self.stream(app, f"127.0.1.{1 + number // 16}").status for number, app in enumerate(apps)]
        self.assertEqual(statuses, [200] * self.in_all + [503])
        self.assertEqual(apps[-1].ask("account/whoami")[0], 200)
        self.doCleanups()
        eventually(lambda: self.stream(apps[-1], "127.0.2.1").status == 200, 5, "a place")


if __name__ == "__main__":
    unittest.main()
