"""Access to the console: strangers and viewers can't keep operators out, and their attempts are recorded."""

import contextlib
import http.client
import json
import threading
import time
import unittest

from console import OWN_PAGE, Console, raw
from harness import eventually
from test_websocket import counted, told
from world import World

PASSWORD = "a lamp in the hall"


class Door(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(watch=False)
        cls.addClassCleanup(cls.world.close)
        cls.service = cls.world.service
        for role in ("viewer", "operator", "admin"):
            cls.service.cli("operator", "add", f"one-{role}", "--role", role)
        cls.tokens = {
            role: cls.service.json("operator", "token", f"one-{role}", "--label", "tests")["token"]
            for role in ("viewer", "operator", "admin")}

    def caller(self, role):
        return Console(self.service, self.tokens[role])

    def link(self, name):
        return self.service.json("operator", "link", name)["url"].split("#enter=")[1]

    def stranger(self, path, body, address, **more):
        return Console(self.service).post(path, body, headers={"X-Forwarded-For": address, **more})


class Streams(Door):
    def test_head_begins_no_stream(self):
        for _ in range(65):
            # On a busy machine, up to 64 closed connections can still count against the limit.
            eventually(lambda: self.caller("viewer").ask("HEAD", "/live").status == 405)
        stream = self.caller("operator").events("overview")
        self.addCleanup(stream.close)
        self.assertEqual(stream.next()[0], "hello")

    def test_an_operator_has_eight_streams_and_others_are_not_affected(self):
        streams = [self.caller("viewer").events("overview") for _ in range(8)]
        for stream in streams:
            self.addCleanup(stream.close)
            self.assertEqual(stream.next()[0], "hello")
        self.assertEqual(self.caller("viewer").get("/live").status, 503)
        other = self.caller("admin").events("overview")
        self.addCleanup(other.close)
        self.assertEqual(other.next()[0], "hello")
        streams[0].close()

        def has_place():
            stream = self.caller("viewer").events("overview")
            self.addCleanup(stream.close)
            return stream.status == 200
        eventually(has_place, 15, "a place")


class Bodies(Door):
    def test_the_size_limit_of_bodies_depends_on_the_sender(self):
        token = {"token": "x", "more": "x" * 4096}
        self.assertEqual(self.stranger("/session/enter", token, "192.0.2.1").status, 413)
        long = {"role": "viewer", "more": "x" * (64 << 10)}
        self.assertEqual(self.caller("admin").post("/operators", long).status, 413)
        self.assertEqual(self.caller("viewer").post("/products/check", {"productKey": "x", "name": "x" * (64 << 10)}).status, 200)
        many = b"{" + b",".join(b'"k%d":1' % number for number in range(30_000)) + b"}"
        self.assertEqual(self.caller("viewer").ask("POST", "/products/check", raw=many).status, 413)

    def test_large_bodies_of_strangers_delay_no_operator(self):
        body = b"{" + b",".join(b'"k%d":1' % number for number in range(380_000)) + b"}"
        end = threading.Event()

        def attack():
            while not end.is_set():
                connection = http.client.HTTPConnection("127.0.0.1", self.service.ready["consolePort"], timeout=20)
                with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
                    connection.request("POST", "/api/v1/session/enter", body, OWN_PAGE)
                    connection.getresponse().read()

        attackers = [threading.Thread(target=attack) for _ in range(8)]
        for attacker in attackers:
            attacker.start()
        try:
            for _ in range(6):
                began = time.monotonic()
                self.assertEqual(self.caller("admin").get("/overview").status, 200)
                self.assertLess(time.monotonic() - began, 3)
        finally:
            end.set()
            for attacker in attackers:
                attacker.join()


class SigningIn(Door):
    def test_strangers_tries_do_not_lock_out_the_owner(self):
        self.service.cli("operator", "add", "owner", "--role", "operator")
        owner = Console(self.service)
        answer = owner.post("/session/enter", {"token": self.link("owner")})
        cookies = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie")]
        self.assertTrue(cookies[1].startswith("lamplighter-browser="), cookies)
        owner.cookie = cookies[0].split("=", 1)[1]
        self.assertEqual(owner.ask("PUT", "/session/password", {"password": PASSWORD}).status, 200)
        right, wrong = ({"name": "owner", "password": word} for word in (PASSWORD, "x"))

        for number in range(10):
            self.assertEqual(self.stranger("/session", wrong, "192.0.2.1").status, 401, number)
        self.assertEqual(self.stranger("/session", right, "192.0.2.1").status, 429)
        self.assertEqual(self.stranger("/session", right, "192.0.2.2").status, 200, "another address has tries of its own")
        for number in range(95):
            self.stranger("/session", wrong, f"192.0.2.{10 + number // 10}")
        self.assertEqual(self.stranger("/session", right, "192.0.2.3").status, 429)

        self.assertEqual(self.stranger("/session", right, "192.0.2.1", Cookie=cookies[1]).status, 200)
        forged = cookies[1][:-1] + ("A" if cookies[1][-1] != "A" else "B")
        self.assertEqual(self.stranger("/session", right, "192.0.2.3", Cookie=forged).status, 429)
        for _ in range(10):
            self.assertEqual(self.stranger("/session", wrong, "192.0.2.4", Cookie=cookies[1]).status, 401)
        self.assertEqual(self.stranger("/session", right, "192.0.2.4", Cookie=cookies[1]).status, 429)
        self.assertEqual(self.stranger("/session/enter", {"token": self.link("owner")}, "192.0.2.1").status, 200)

    def test_a_right_link_works_after_any_number_of_wrong_ones(self):
        found = [self.stranger("/session/enter", {"token": f"x{n}"}, "192.0.2.50").status for n in range(35)]
        self.assertEqual((found[0], found[-1]), (401, 429))
        link = self.link("one-viewer")
        self.assertEqual(self.stranger("/session/enter", {"token": link}, "192.0.2.50").status, 200)
        self.assertEqual(self.stranger("/session/enter", {"token": link}, "192.0.2.50").status, 429, "it was used")

    def test_failed_tries_are_refusals_in_list_metric_log_and_audit(self):
        before, address = counted(self.service, "operatorSignIn"), "192.0.2.60"
        for _ in range(12):
            self.stranger("/session", {"name": "one-admin", "password": "x"}, address)
        self.stranger("/session", {"name": "a secret?", "password": "x"}, address)
        self.stranger("/session/enter", {"token": "x"}, address)
        nobody = Console(self.service, "x" * 43)
        self.assertEqual(nobody.get("/overview", headers={"X-Forwarded-For": address}).status, 401)

        def rows():
            found = told(self.service, "operatorSignIn", address)
            return sum(row["times"] for row in found) == 15 and found
        found = eventually(rows, 15, "the refusals")
        self.assertEqual(
            {(row["username"], row["detail"]) for row in found} - {("?", "link"), ("?", "token")},
            {("one-admin", "password"), ("?", "password")})
        self.assertNotIn("a secret?", json.dumps(found))
        self.assertGreaterEqual(counted(self.service, "operatorSignIn") - before, 15)
        audit = self.caller("admin").get("/audit?limit=200&query=kind:loginFailed").json["items"]
        audit = [(row["actor"]["id"], row["detail"]) for row in audit if row["subject"] == f"address {address}"]
        self.assertEqual(audit.count(("one-admin", "password")), 10)
        self.assertEqual(audit.count(("one-admin", "password, too many tries")), 2)
        self.assertEqual(len(audit), 15)
        self.service.log.flush()
        log = (self.service.data.parent / "up.log").read_text(encoding="utf-8")
        self.assertRegex(log, rf"reason=operatorSignIn|operatorSignIn.*{address}|{address}.*operatorSignIn")


class Seen(Door):
    def test_admins_can_read_a_secret_and_each_reading_is_audited(self):
        def connect(role, key):
            return self.caller(role).get(f"/products/{key}/connect/aabbccddeeff").json
        keys = [row["productKey"] for row in self.caller("admin").get("/products").json["items"]]
        demo = next(key for key in keys if "demoSecret" in connect("admin", key))

        def read():
            rows = self.caller("admin").get("/audit?query=act:showConnection").json["items"]
            return [row["subject"] for row in rows].count(f"product {demo}")
        before = read()
        self.assertGreater(before, 0)
        for role in ("viewer", "operator"):
            self.assertNotIn("demoSecret", connect(role, demo))
        self.assertEqual(read(), before)
        connect("admin", demo)
        self.assertEqual(read(), before + 1)

    def test_viewers_cannot_read_codes(self):
        terminal = self.world.terminal(login=False)
        self.addCleanup(terminal.close)
        terminal.get("account/sendCode", {"countryCode": "49", "purpose": "register", "email": "canary@example.org"})

        def codes(role):
            stream = self.caller(role).events("messages")
            with contextlib.closing(stream):
                told = stream.next("messages")[1]["items"]
            return ["code" in row for row in self.caller(role).get("/messages").json["items"] + told]
        self.assertIn(True, eventually(lambda: codes("operator"), 15, "a message"))
        self.assertTrue(codes("viewer"))
        self.assertNotIn(True, codes("viewer"))

    def test_it_answers_only_under_its_own_names(self):
        def ask(host, path):
            lines = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {self.tokens['viewer']}\r\nConnection: close\r\n\r\n"
            return int(raw(self.service, lines.encode()).split()[1])
        for path in ("/console/", "/api/v1/session", "/"):
            with self.subTest(path=path):
                self.assertEqual(ask("evil.example", path), 421)
                self.assertEqual(ask("localhost.evil.example:8082", path), 421)
                self.assertIn(ask("localhost:8082", path), (200, 303))
                self.assertIn(ask("127.0.0.1", path), (200, 303))


if __name__ == "__main__":
    unittest.main()
