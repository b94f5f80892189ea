"""The console's HTTP API: permissions, answers, and attacks."""

import json
import re
import socket
import subprocess
import time
import unittest

import console
import tools
from client import Client, Device
from console import OWN_PAGE, Console, Events, document, operations, problems, problems_of, raw
from harness import ENVIRONMENT, SECOND, eventually
from world import LAMP, LISTED, World

ROLES = ["viewer", "operator", "admin"]
# Other tests try these operations, which end the session, change the account or need a separate environment.
ELSEWHERE = {"signOut", "setPassword", "openStream", "makeBackup"}


class TestDocument(unittest.TestCase):
    def test_the_document_is_openapi(self):
        done = subprocess.run(
            [tools.python(), "-m", "openapi_spec_validator", str(console.contract.SCHEMAS / "generated" / "openapi.yaml")],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_planted_fault_is_found(self):
        # The document is small, because the validator is slow with the faults of large documents.
        text = 'openapi: 3.1.0\ninfo: {title: x, version: "1"}\npaths: {/a: {get: {respones: {}, parameters: [{name: 1}]}}}\n'
        done = subprocess.run([tools.python(), "-m", "openapi_spec_validator", "-"], input=text, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)


class TestConsole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(watch=False)
        cls.addClassCleanup(cls.world.close)
        cls.service = cls.world.service
        for role in ROLES:
            cls.service.cli("operator", "add", f"one-{role}", "--role", role)
        cls.tokens = {
            role: cls.service.json("operator", "token", f"one-{role}", "--label", "tests")["token"] for role in ROLES}
        cls.lamp = cls.world.device()
        cls.lamp.report(data={"power": True, "brightness": 40})
        cls.user = cls.world.terminal()

    def with_token(self, role):
        return Console(self.service, self.tokens[role])

    def signed_in(self, role="admin"):
        caller = Console(self.service)
        caller.enter(self.service.json("operator", "link", f"one-{role}")["url"])
        return caller

    def path(self, path):
        """Returns a path that contains the ids of existing objects."""
        for name, value in {
            "did": self.lamp.did, "uid": self.user.uid, "productKey": LAMP["productKey"], "appId": "test-app",
            "mac": "aabbccddeeff", "code": "LL1003",
        }.items():
            path = path.replace("{" + name + "}", value)
        for name in ("sessionId", "scheduleId", "messageId", "tokenId", "keyId", "stream", "name", "provider"):
            path = path.replace("{" + name + "}", "none-of-it")
        return path.replace("{letter}", "999999")

    # MARK: Permissions

    def test_without_a_session_nothing_is_served(self):
        nobody, wrong = Console(self.service), Console(self.service, "x" * 43)
        for method, path, operation in operations():
            if operation["x-role"] == "none":
                continue
            for caller in (nobody, wrong):
                with self.subTest(method=method, path=path, token=caller.token):
                    answer = caller.ask(method, self.path(path))
                    self.assertEqual(answer.status, 401, answer.body)
                    self.assertEqual(problems(operation["operationId"], answer.json, 401), [])

    def test_each_role_has_the_rights_of_the_document(self):
        for method, path, operation in operations():
            least, name = operation["x-role"], operation["operationId"]
            if least == "none" or name in ELSEWHERE:
                continue
            for role in ROLES:
                with self.subTest(method=method, path=path, role=role):
                    answer = self.with_token(role).ask(method, self.path(path), {} if method != "GET" else None)
                    may = ROLES.index(role) >= ROLES.index(least) and not operation.get("x-cookie-only")
                    if may:
                        # Missing or unknown values are reported only after the permission is
                        # checked.
                        self.assertNotIn(answer.status, (401, 403, 405, 500), answer.body)
                    else:
                        self.assertEqual((answer.status, answer.code), (403, "Forbidden"))

    def test_a_viewer_changes_nothing(self):
        before = self.state()
        viewer = self.with_token("viewer")
        for method, path, operation in operations():
            if method != "GET" and operation["operationId"] not in ELSEWHERE:
                viewer.ask(method, self.path(path), {"confirm": self.lamp.did, "enabled": False, "data": {"power": False}})
        self.assertEqual(self.state(), before)

    def state(self):
        admin = self.with_token("admin")
        device = admin.get(f"/devices/{self.lamp.did}").json
        # `cutOffAt` of a session that another test ended can appear at any time.
        sessions = [{key: value for key, value in row.items() if key != "cutOffAt"}
                    for row in admin.get(f"/users/{self.user.uid}/sessions").json["items"]]
        return (device["row"], device["hasSecret"], device["openCommands"], sessions, admin.get("/products").json, admin.get("/apps").json)

    # MARK: Answers

    def test_answers_match_the_document(self):
        admin, needed = self.with_token("admin"), {"showHistory": "?name=brightness", "readEvents": "?appId=test-app"}
        for method, path, operation in operations():
            name = operation["operationId"]
            if method != "GET" or name in ELSEWHERE:
                continue
            asked = self.path(path) + needed.get(name, "")
            with self.subTest(path=path):
                answer = admin.get(asked)
                if answer.status == 200:
                    self.assertEqual(problems(name, answer.json), [])
                else:
                    self.assertEqual(answer.status, 404)
                    self.assertEqual(problems(name, answer.json, 404), [])

    def test_the_doctor_connects_to_the_brokers_real_port_and_returns_its_texts_in_parts(self):
        # The service was started with port 0, which means any free port.
        self.assertIn("--mqtt-port", self.service.command())
        report = self.with_token("viewer").get("/system/doctor").json
        checks = {row["title"]: row for row in report["checks"]}
        broker = checks["the broker answers and drops nothing"]
        self.assertEqual((broker["state"], broker["subject"]), ("pass", f"127.0.0.1:{self.service.ready['mqttPort']}"))
        self.assertEqual(checks["the gate refuses unknown clients"]["state"], "pass")

        def whole(text):
            return re.sub(r"\{(\d+)\}", lambda place: one if isinstance(one := text["values"][int(place[1])], str) else whole(one), text["words"])
        for row in report["checks"]:
            for part, text in row["says"].items():
                self.assertEqual(whole(text), row[part])

    def test_a_device_is_found_by_any_part(self):
        admin = self.with_token("admin")
        for query in (self.lamp.did, self.lamp.did[3:9], "product:lamp online:yes", f"{self.lamp.did} -alert:any",
                      f"{self.lamp.did} seen:<1h registered:yes"):
            with self.subTest(query=query):
                page = admin.get("/devices?query=" + query.replace(" ", "%20").replace(":", "%3A").replace("<", "%3C")).json
                self.assertIn(self.lamp.did, [row["did"] for row in page["items"]])
        self.assertEqual(admin.get(f"/devices?query=-{self.lamp.did}%20{self.lamp.did}").json["items"], [])
        refused = admin.get("/devices?query=colour%3Ared")
        self.assertEqual((refused.status, refused.code), (400, "InvalidRequest"))

    def test_only_a_recent_refusal_is_shown_of_a_new_device(self):
        viewer, key, mac = self.with_token("viewer"), LAMP["productKey"], f"0a{time.time_ns() % 10**10:010}"

        def connection():
            return viewer.get(f"/products/{key}/connect/{mac}").json["connection"]

        stranger = Client(self.world.port, f"product:{key}", "wrong", mac)
        self.assertNotEqual(stranger.connect(), 0)
        stranger.close()
        shown = eventually(lambda: (now := connection())["state"] == "refused" and now, 10, "the refusal")
        self.service.sql(f"UPDATE refusal SET lastAt = lastAt - 601000 WHERE id = {shown['refusal']['id']}")
        self.assertEqual(connection()["state"], "waiting")

    def test_pages_follow_one_another(self):
        admin = self.with_token("admin")
        seen, cursor = [], ""
        while True:
            page = admin.get(f"/products/{LAMP['productKey']}/macs?limit=1&cursor={cursor}").json
            seen += page["items"]
            if "next" not in page:
                break
            cursor = page["next"]
        self.assertEqual(seen, [])
        admin.post(f"/products/{LISTED['productKey']}/macs", {"macs": [f"00000000000{n}" for n in range(5)]})
        macs, cursor = [], ""
        while cursor is not None:
            page = admin.get(f"/products/{LISTED['productKey']}/macs?limit=2&cursor={cursor}").json
            macs += [row["mac"] for row in page["items"]]
            cursor = page.get("next")
        self.assertEqual(macs, [f"00000000000{n}" for n in range(5)])

    def test_a_command_goes_to_the_device_and_into_the_audit(self):
        operator = self.with_token("operator")
        answer = operator.post(f"/devices/{self.lamp.did}/commands", {"data": {"power": False}})
        self.assertEqual(answer.status, 200, answer.body)
        command = self.lamp.command().body
        self.assertEqual(command["data"], {"power": False})
        self.assertEqual(command["actor"], {"kind": "operator", "id": "one-operator"})
        self.lamp.report(data={"power": False}, cid=command["cid"])
        done = eventually(lambda: [
            row for row in operator.get(f"/devices/{self.lamp.did}/commands").json["items"]
            if row["cid"] == command["cid"] and row["state"] == "done"])
        # A command that is sent within its first millisecond has no step "queued".
        steps = [step["state"] for step in done[0]["steps"]]
        self.assertEqual(steps[-2:], ["sent", "done"])
        self.assertIn(steps[:-2], ([], ["queued"]))
        row = operator.get("/audit?query=act%3AcommandDevice").json["items"][0]
        self.assertEqual((row["actor"]["id"], row["subject"]), ("one-operator", f"device {self.lamp.did}"))
        self.assertEqual(row["after"], {"power": False})
        kinds = {entry["kind"] for entry in operator.get(f"/devices/{self.lamp.did}/timeline").json["items"]}
        self.assertLessEqual({"report", "command", "event", "act"}, kinds)

    def test_history_is_summed_up_by_steps(self):
        lamp = self.world.device()
        for value in (10, 20, 60):
            lamp.report(data={"brightness": value})
        chart = self.with_token("viewer").get(f"/devices/{lamp.did}/history?name=brightness&step=1h&zone=Europe/Berlin").json
        self.assertEqual(sum(row["count"] for row in chart["rows"]), 3)
        self.assertEqual((min(row["min"] for row in chart["rows"]), max(row["max"] for row in chart["rows"])), (10, 60))
        text = self.with_token("viewer").get(f"/devices/{lamp.did}/history/export").body.decode()
        self.assertEqual(text.splitlines()[0], "time,brightness")
        self.assertEqual([line.split(",")[1] for line in text.splitlines()[1:]], ["10", "20", "60"])
        told = self.with_token("viewer").get(f"/devices/{lamp.did}/timeline?kinds=report").json["items"]
        times = [line.split(",")[0] for line in text.splitlines()[1:]]
        self.assertEqual([f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(at // 1000))}.{at % 1000:03}Z" for at in sorted(item["at"] for item in told)], times)

    def test_a_product_import_shows_what_would_break(self):
        admin = self.with_token("admin")
        document = admin.get(f"/products/{LAMP['productKey']}").json["document"]
        document["dataPoints"] = [point for point in document["dataPoints"] if point["name"] != "power"]
        check = admin.post("/products/check", document).json
        self.assertIn(("dataPoints.power", "pointRemoved"), [(row["path"], row["why"]) for row in check["breaks"]])
        refused = admin.ask("PUT", f"/products/{LAMP['productKey']}", document)
        self.assertEqual(refused.status, 409, refused.body)
        self.assertEqual(refused.json["code"], "LL1204")
        stale = admin.ask("PUT", f"/products/{LAMP['productKey']}", document, headers={"If-Match": "1"})
        self.assertEqual(stale.status, 412)

    def test_every_fault_of_a_document_is_reported_at_once(self):
        admin = self.with_token("admin")
        product = {"productKey": "9f" * 16, "name": "Lamp", "dataPoint": [], "dataPoints": [{"name": "a", "access": "rw", "type": "date"}], "historyDays": 0}
        app = {"name": "App", "policys": {}, "policies": {"uidLogin": 1}, "providers": {"google": {"baseUrl": "https://a.example"}}}
        for path, document, fields in (
            ("products", product, ["dataPoint", "dataPoints.0.type", "historyDays"]),
            ("apps", app, ["policys", "providers.google.baseUrl", "policies.uidLogin"]),
        ):
            with self.subTest(path=path):
                refused = admin.ask("POST", f"/{path}", document)
                self.assertEqual((refused.status, refused.json["code"], refused.json["field"]), (400, "InvalidRequest", fields[0]))
                self.assertEqual([fault["field"] for fault in refused.json["problems"]], fields)
                self.assertIn("did you mean", refused.json["detail"])
                checked = admin.post(f"/{path}/check", document).json
                self.assertEqual(checked["problems"], refused.json["problems"])
        # If a document has only one fault, the answer has no list of problems.
        self.assertNotIn("problems", admin.ask("POST", "/apps", {"name": ""}).json)

    def test_a_products_losses_are_named_at_their_place(self):
        admin, path = self.with_token("admin"), f"/products/{LAMP['productKey']}"
        lamp = self.world.device()
        self.addCleanup(lamp.close)
        lamp.report(data={"power": True})
        whole = admin.get(path).json["document"]
        self.addCleanup(admin.ask, "PUT", f"{path}?force=true", whole)
        less = whole | {"dataPoints": [point for point in whole["dataPoints"] if point["name"] != "power"]}
        self.assertEqual(admin.ask("PUT", f"{path}?force=false", less).status, 409)
        self.assertEqual(admin.get(path).json["document"], whole)
        self.assertEqual(admin.ask("PUT", f"{path}?force=true", less).status, 200)
        self.assertEqual(admin.get(path).json["document"], less)

    def test_a_session_ends_at_once(self):
        terminal = self.world.terminal()
        self.addCleanup(terminal.close)
        operator = self.with_token("operator")
        live = [s for s in operator.get(f"/users/{terminal.uid}/sessions").json["items"] if "endedAt" not in s]
        ended = operator.ask("DELETE", f"/sessions/{live[0]['sessionId']}")
        self.assertEqual((ended.status, ended.json.get("endReason")), (200, "operator"), ended.body)
        self.assertEqual(ended.json["endedBy"], {"kind": "operator", "id": "one-operator"})
        self.assertNotIn("cutOffAt", ended.json)
        terminal.wait_lost()
        cut = eventually(lambda: (row := operator.get(f"/sessions/{live[0]['sessionId']}").json).get("cutOffAt") and row)
        # The gate keeps the terminal's connection for a moment, so that the terminal receives the reason.
        self.assertGreater(cut["cutOffAt"] - cut["endedAt"], 100)
        self.assertLess(cut["cutOffAt"] - cut["endedAt"], 3000)

    def test_a_session_shows_who_ended_it_and_when_the_broker_cut_it_off(self):
        terminal = self.world.terminal()
        self.addCleanup(terminal.close)
        stream = self.with_token("viewer").events(f"user:{terminal.uid}")
        self.addCleanup(stream.close)
        self.assertNotIn("endedAt", stream.next("user")[1]["sessions"][0])
        terminal.get("account/logout")
        session = {}
        while "cutOffAt" not in session:
            session = stream.next("user")[1]["sessions"][0]
            self.assertEqual(problems_of("Session", session), [])
        self.assertEqual(session["endReason"], "loggedOut")
        self.assertEqual(session["endedBy"], {"kind": "user", "id": terminal.uid})
        # If the terminal has no connection, the service doesn't wait before it sets `cutOffAt`.
        other = self.world.terminal()
        other.close()
        found = self.with_token("viewer").get(f"/users/{other.uid}/sessions").json["items"][0]
        self.with_token("operator").ask("DELETE", f"/sessions/{found['sessionId']}")
        cut = eventually(lambda: (row := self.with_token("viewer").get(f"/sessions/{found['sessionId']}").json).get("cutOffAt") and row)
        self.assertLess(cut["cutOffAt"] - cut["endedAt"], 300)

    def test_forgetting_requires_the_id(self):
        lamp = self.world.device()
        admin = self.with_token("admin")
        self.assertEqual(admin.ask("DELETE", f"/devices/{lamp.did}", {"confirm": "yes"}).status, 400)
        self.assertEqual(admin.ask("DELETE", f"/devices/{lamp.did}", {"confirm": lamp.did}).status, 200)
        self.assertEqual(admin.get(f"/devices/{lamp.did}").status, 404)
        row = admin.get("/audit?query=act%3AforgetDevice").json["items"][0]
        self.assertEqual((row["subject"], row["before"]["mac"]), (f"device {lamp.did}", lamp.mac))

    # MARK: Signing in

    def test_a_link_works_once(self):
        url = self.service.json("operator", "link", "one-viewer")["url"]
        caller = Console(self.service)
        answer = caller.enter(url)
        self.assertEqual((answer.json["operator"], answer.json["role"]), ("one-viewer", "viewer"))
        self.assertIn("HttpOnly", answer.headers["Set-Cookie"])
        self.assertIn("SameSite=Strict", answer.headers["Set-Cookie"])
        again = Console(self.service).post("/session/enter", {"token": url.split("#enter=")[1]})
        self.assertEqual((again.status, again.code), (401, "InvalidToken"))
        self.assertEqual(caller.get("/session").status, 200)
        self.assertEqual(caller.ask("DELETE", "/session").status, 200)
        self.assertEqual(caller.get("/session").status, 401)

    def test_a_password_logs_in_later(self):
        self.service.cli("operator", "add", "with-password", "--role", "operator")
        first = Console(self.service)
        first.enter(self.service.json("operator", "link", "with-password")["url"])
        self.assertEqual(first.ask("PUT", "/session/password", {"password": "password"}).code, "PolicyRejected")
        self.assertEqual(first.ask("PUT", "/session/password", {"password": "a lamp in the hall"}).status, 200)
        wrong = Console(self.service).post("/session", {"name": "with-password", "password": "a lamp in the hell"})
        nobody = Console(self.service).post("/session", {"name": "nobody", "password": "a lamp in the hall"})
        self.assertEqual((wrong.status, wrong.json), (nobody.status, nobody.json))
        self.assertEqual(wrong.status, 401)
        right = Console(self.service).post("/session", {"name": "with-password", "password": "a lamp in the hall"})
        self.assertEqual(right.json["way"], "password")
        for _ in range(10):
            Console(self.service).post("/session", {"name": "with-password", "password": "x"})
        locked = Console(self.service).post("/session", {"name": "with-password", "password": "a lamp in the hall"})
        self.assertEqual((locked.status, locked.code), (429, "TooManyRequests"))
        self.assertGreater(int(locked.headers["Retry-After"]), 0)

    def test_a_sign_in_always_begins_a_new_session(self):
        caller = Console(self.service)
        caller.cookie = "a" * 43
        caller.enter(self.service.json("operator", "link", "one-viewer")["url"])
        self.assertNotEqual(caller.cookie, "a" * 43)
        fixed = Console(self.service)
        fixed.cookie = "a" * 43
        self.assertEqual(fixed.get("/session").status, 401)

    def test_a_revoked_operator_is_signed_out_within_a_second(self):
        self.service.cli("operator", "add", "leaver", "--role", "viewer")
        caller = Console(self.service)
        caller.enter(self.service.json("operator", "link", "leaver")["url"])
        stream = caller.events("overview")
        self.addCleanup(stream.close)
        self.assertEqual(stream.next("overview")[0], "overview")
        self.service.cli("operator", "revoke", "leaver")
        began = time.monotonic()
        self.assertEqual(stream.next("end")[1], {"reason": "revoked"})
        self.assertLess(time.monotonic() - began, SECOND)
        self.assertEqual(caller.get("/session").status, 401)

    def test_a_token_is_created_shown_once_and_revoked(self):
        caller = self.signed_in("operator")
        made = caller.post("/tokens", {"name": "nightly", "role": "viewer", "days": 1}).json
        script = Console(self.service, made["token"])
        self.assertEqual(script.get("/session").json["role"], "viewer")
        self.assertEqual(caller.post("/tokens", {"name": "too much", "role": "admin"}).status, 403)
        rows = caller.get("/tokens").json["items"]
        self.assertIn(made["row"]["tokenId"], [row["tokenId"] for row in rows])
        self.assertNotIn(made["token"], json.dumps(rows))
        self.assertEqual(caller.ask("DELETE", f"/tokens/{made['row']['tokenId']}").status, 200)
        self.assertEqual(script.get("/session").status, 401)

    # MARK: Attacks

    def test_pages_of_other_sites_change_nothing(self):
        caller = self.signed_in()
        before = self.state()
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": None},
                        {"X-Lamplighter": None}, {"Content-Type": "text/plain"}, {"Content-Type": None},
                        {"Content-Type": "application/x-www-form-urlencoded"}):
            with self.subTest(headers=headers):
                answer = caller.post(f"/devices/{self.lamp.did}/kick", headers=headers)
                self.assertIn(answer.status, (403, 415))
                answer = caller.ask("DELETE", f"/devices/{self.lamp.did}", {"confirm": self.lamp.did}, headers=headers)
                self.assertIn(answer.status, (403, 415))
        self.assertEqual(self.state(), before)
        self.assertIsNone(caller.get("/session", headers={"Origin": "https://evil.example"}).headers["Access-Control-Allow-Origin"])

    def test_paths_do_not_lead_to_other_files(self):
        for path in ("/console/../../etc/passwd", "/console/%2e%2e/%2e%2e/etc/passwd", "/console/..%2f..%2fetc/passwd",
                     "/console/.git/config", "/console/app.js%00.html", "//etc/passwd", "/console/%zz"):
            with self.subTest(path=path):
                told = raw(self.service, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                self.assertNotIn(b"root:", told)
                self.assertRegex(told, rb"^HTTP/1.1 (404|400|303)")

    def test_pages_have_their_security_policy(self):
        page = Console(self.service).get("/console/")
        self.assertEqual(page.status, 200)
        policy = page.headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"):
            self.assertIn(part, policy)
        self.assertEqual(page.headers["X-Content-Type-Options"], "nosniff")
        tag = page.headers["ETag"]
        self.assertEqual(Console(self.service).get("/console/", headers={"If-None-Match": tag}).status, 304)
        self.assertEqual(Console(self.service).get("/console/devices/d-1").body, page.body)
        self.assertEqual(Console(self.service).get("/console/nothing.js").status, 404)

    def test_headers_cannot_be_injected(self):
        def operators():
            return [row["name"] for row in self.with_token("admin").get("/operators").json["items"]]
        before = operators()
        told = raw(self.service, b"GET /api/v1/explain/LL1003%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\n"
                   + f"Authorization: Bearer {self.tokens['viewer']}\r\nConnection: close\r\n\r\n".encode())
        self.assertTrue(told.startswith(b"HTTP/1.1 404"))
        self.assertNotIn(b"\r\nSet-Cookie", told)
        caller = self.signed_in()
        for value in ("one-viewer\r\nX-Lamplighter: console", "a\nb", "\0"):
            self.assertIn(caller.post("/operators", {"name": value, "role": "viewer"}).status, (400, 404))
        self.assertEqual(operators(), before)

    def test_oversized_requests_are_refused(self):
        caller = self.signed_in()
        before = self.state()
        with self.assertRaises((ConnectionError, OSError, AssertionError)):
            answer = caller.ask("POST", "/products", raw=b'{"name":"' + b"x" * (5 << 20) + b'"}')
            self.assertNotEqual(answer.status, 413)
        self.assertEqual(caller.get("/session").status, 200)
        for body in (b"{", b"[1]", b'{"confirm":9007199254740993}', b"\xff"):
            with self.subTest(body=body):
                self.assertEqual(caller.ask("POST", "/products", raw=body).status, 400)
        self.assertEqual(self.state(), before)

    def test_a_slow_request_delays_no_other(self):
        before = self.state()
        with socket.create_connection(("127.0.0.1", self.service.ready["consolePort"]), 30) as slow:
            slow.sendall(b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            self.assertEqual(self.with_token("viewer").get("/session").status, 200)
            slow.settimeout(25)
            # At the time limit, the service closes the connection without reporting success.
            self.assertNotIn(b" 200 ", slow.recv(1000))
        self.assertEqual(self.state(), before)

    # MARK: Live

    def test_a_stream_reports_changes(self):
        stream = self.with_token("viewer").events(f"device:{self.lamp.did},page:{self.lamp.did}")
        self.addCleanup(stream.close)
        name, hello = stream.next()
        self.assertEqual(name, "hello")
        version = stream.next("device")[1]["version"]
        self.lamp.report(data={"brightness": 75})
        _, row = stream.next("device")
        self.assertEqual(problems_of("DeviceRow", row), [])
        self.assertGreater(row["version"], version)
        other = self.world.device()
        caller = self.with_token("viewer")
        answer = caller.ask("PUT", f"/live/{hello['stream']}", {"watch": [f"device:{other.did}"]})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(stream.next("device")[1]["did"], other.did)
        self.assertEqual(caller.ask("PUT", f"/live/{hello['stream']}", {"watch": ["secrets"]}).status, 400)


class TestStreamOverACrash(unittest.TestCase):
    def test_a_stream_continues_without_gaps_and_duplicates(self):
        world = World(watch=False)
        self.addCleanup(world.close)
        caller = Console(world.service)
        caller.enter()
        lamp = world.device()
        stream = caller.events(f"deadLetters,device:{lamp.did}")
        stream.next("device")
        letters, versions = [], []

        def spoil(count):
            for _ in range(count):
                lamp.publish(f"{lamp.base}/report", b"no json")

        def follow(until):
            while len(letters) < until:
                name, data = stream.next("deadLetters", "device")
                if name == "deadLetters":
                    letters.extend(row["id"] for row in data["items"])
                else:
                    versions.append(data["version"])

        spoil(5)
        follow(5)
        world.service.kill()
        last = stream.last
        stream.close()
        world.service.start()
        lamp = Device(world.port, lamp.did, lamp.secret, lamp.mac).come()
        self.addCleanup(lamp.close)
        spoil(5)
        stream = Events(caller, f"deadLetters,device:{lamp.did}", last)
        self.addCleanup(stream.close)
        follow(10)
        lamp.report(data={"brightness": 35})
        eventually(lambda: stream.next("device")[1]["online"] is not None)
        self.assertEqual(len(letters), len(set(letters)))
        self.assertEqual(letters, sorted(letters))
        self.assertEqual(versions, sorted(set(versions)))


class TestAddress(unittest.TestCase):
    def test_beyond_loopback_it_requires_tls_or_a_proxy(self):
        world = World(watch=False)
        self.addCleanup(world.close)
        world.service.stop()
        command = [*world.service.command(), "--set", "console.host=0.0.0.0", "--insecure"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("LL1029", done.stderr)
        self.assertIn("console.proxy", done.stderr)
        world.service.arguments += ["--set", "console.proxy=true"]
        world.service.start()
        url = world.service.json("console")["url"]
        self.assertTrue(url.startswith("https://"), url)


if __name__ == "__main__":
    unittest.main()
