"""Requests over HTTP and the stream of a user's messages, in addition to MQTT."""

import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

import contract
import tools
from client import check_answer, fresh_id, fresh_terminal
from harness import SECOND, TOPICS, eventually
from test_reference import section, tearDownModule  # noqa: F401 (removes its folder)
from world import EndToEnd, OwnWorld, OwnWorldOfClass, World

LIMIT = 65_536


class HTTPTerminal:
    """A terminal that uses only HTTP."""

    def __init__(self, world, app_id="test-app", terminal_id=None, token=None):
        self.port = world.service.http_port
        self.app_id, self.terminal_id, self.token = app_id, terminal_id or fresh_terminal(), token
        self.secret = world.apps[app_id]["secret"] if app_id in world.apps else "none"

    @property
    def basic(self):
        return "Basic " + base64.b64encode(f"{self.app_id}:{self.secret}".encode()).decode()

    def send(self, path, body=None, headers=(), method="POST", seconds=60):
        """Sends a request; returns its status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def ask(self, name, params=None, id=None, short=False, auth=None, seconds=60, **envelope):
        """Sends a request; returns the status and the answer."""
        body = {"id": id, "params": params or {}, **envelope}
        path = f"/{TOPICS}/" + ("" if short else f"app/{self.app_id}/{self.terminal_id}/") + f"request/{name}"
        auth = auth or (f"Bearer {self.token}" if self.token else self.basic)
        status, headers, text = self.send(
            path, json.dumps({k: v for k, v in body.items() if v is not None}),
            {"Content-Type": "application/json", "Authorization": auth}, seconds=seconds)
        answer = json.loads(text)
        if "id" in answer:
            check_answer(name, answer)
        return status, answer

    def get(self, name, params=None, **more):
        status, answer = self.ask(name, params, **more)
        assert status == 200 and answer["ok"], f"{name}: {status} {answer}"
        return answer["result"]

    def login(self):
        self.token = self.get("account/loginAnonymous", {"countryCode": "49", "platform": "test", "os": "none"})["token"]
        return self


class Stream:
    """An open stream of server-sent events, read on a thread."""

    def __init__(self, world, path, token, source="127.0.0.1"):
        self.events, self.error = [], None
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", world.service.http_port, timeout=60, source_address=(source, 0))
        self.connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        self.answer = self.connection.getresponse()
        self.status = self.answer.status
        if self.status == 200:
            self.begin()

    def begin(self):
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        event = {}
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            while line := self.answer.readline():
                line = line.rstrip(b"\n").decode()
                if line.startswith("event: "):
                    event["event"] = line[7:]
                elif line.startswith("data: "):
                    event["data"] = event.get("data", "") + line[6:]
                elif not line and event:
                    self.events.append((event["event"], json.loads(event.get("data") or "null")))
                    event = {}

    def expect(self, name, seconds=10):
        return eventually(
            lambda: next((data for event, data in list(self.events) if event.startswith(name)), None), seconds, name)

    def close(self):
        with contextlib.suppress(OSError, AttributeError):
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.connection.close()


class Requests(EndToEnd):
    def http(self, terminal=None, **more):
        if terminal is None:
            return HTTPTerminal(self.world, **more)
        return HTTPTerminal(self.world, terminal.app_id, terminal.terminal_id, terminal.token)

    def test_an_app_logs_in_and_asks_over_http_alone(self):
        app = self.http().login()
        long, short = app.get("account/whoami"), app.get("account/whoami", short=True)
        self.assertEqual(long["user"], short["user"])
        self.assertEqual(long["session"]["terminalId"], app.terminal_id)
        self.assertEqual(app.get("device/list")["devices"], [])

    def test_the_apps_secret_is_refused_after_a_token_was_used(self):
        app = self.http().login()
        app.get("account/whoami")
        status, answer = app.ask("account/loginAnonymous", {"countryCode": "49"}, auth=app.basic)
        self.assertEqual((status, answer["error"]["code"]), (401, "InvalidToken"))
        self.assertEqual(answer["error"]["reason"], "sessionTokenRequired")

    def test_the_same_id_has_its_effect_once_over_both_transports(self):
        device, terminal = self.pair()
        app = self.http(terminal)
        params = {"did": device.did, "time": "07:00", "weekDays": [1], "timezone": "Europe/Berlin", "attrs": {"power": True}}
        for first, second in ((app, terminal), (terminal, app)):
            id = fresh_id("q")
            asked = [one.ask("schedule/create", params, id=id) for one in (first, second)]
            answers = [one[1] if isinstance(one, tuple) else one for one in asked]
            self.assertEqual(answers[0], answers[1])
            self.assertTrue(answers[0]["ok"], answers)
        self.assertEqual(len(app.get("schedule/list", {"did": device.did})["schedules"]), 2)
        status, other = app.ask("device/unbind", {"did": device.did}, id=id)
        self.assertEqual((status, other["error"]["field"]), (400, "id"))

    def test_a_command_is_answered_after_the_device_has_obeyed(self):
        device, terminal = self.pair()
        status, answer = self.http(terminal).ask("device/control", {"did": device.did, "data": {"power": True}})
        self.assertIn(status, (200, 504), answer)

    def test_each_kind_of_refusal_has_its_status(self):
        device, terminal = self.pair()
        app, other = self.http(terminal), self.http().login()
        short = {"short": True}
        cases = [
            (app, "device/status", {"did": 7}, {}, 400, "InvalidRequest"),
            (app, "device/nothing", {}, {}, 400, "InvalidRequest"),
            (app, "account/whoami", {}, {"auth": "Bearer lls_unknown"}, 401, "InvalidToken"),
            (app, "account/whoami", {}, {"auth": "Bearer lls_unknown", **short}, 401, "InvalidToken"),
            (app, "account/whoami", {}, {"auth": "Digest x"}, 401, "InvalidCredentials"),
            (self.http(), "app/info", {}, {"auth": "Basic " + base64.b64encode(b"test-app:wrong").decode()}, 401,
             "InvalidCredentials"),
            (app, "account/whoami", {}, {"token": "lls_other"}, 400, "InvalidRequest"),
            (other, "device/status", {"did": device.did}, {}, 403, "NotBound"),
            (app, "schedule/delete", {"scheduleId": "s-aaaaaaaaaaaaa"}, {}, 404, "ResourceNotFound"),
        ]
        for one, name, params, more, status, code in cases:
            with self.subTest(name=name, code=code, more=more):
                found, answer = one.ask(name, params, **more)
                self.assertEqual((found, answer["error"]["code"]), (status, code), answer)

    def test_an_invalid_request_is_refused_before_its_envelope_is_read(self):
        app = self.http().login()
        auth = {"Authorization": f"Bearer {app.token}", "Content-Type": "application/json"}
        whoami = f"/{TOPICS}/request/account/whoami"
        head = b'{"params":{"x":"'
        for path, body, headers, method, status in (
            (f"/{TOPICS}/request/account", "{}", auth, "POST", 404),
            (f"/{TOPICS}/nothing", "{}", auth, "POST", 404),
            (whoami, None, auth, "GET", 405),
            (whoami, "{}", auth, "PUT", 405),
            (whoami, "{}", {**auth, "Content-Type": "text/plain"}, "POST", 415),
            (whoami, "[]", auth, "POST", 400),
            (whoami, "{", auth, "POST", 400),
            (whoami, head + b"x" * (LIMIT + 1 - len(head) - 3) + b'"}}', auth, "POST", 413),
            (whoami, None, {"Authorization": auth["Authorization"]}, "POST", 200),
        ):
            with self.subTest(path=path, method=method, status=status):
                found, _, text = app.send(path, body, headers, method)
                self.assertEqual(found, status, text)
                self.assertEqual(json.loads(text)["ok"], status == 200)

    def test_a_body_in_chunks_is_limited_too(self):
        app = self.http().login()
        connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request(
            "POST", f"/{TOPICS}/request/account/whoami", iter([b" " * 8_192] * 9),
            {"Authorization": f"Bearer {app.token}", "Content-Type": "application/json"}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 413)

    def test_ambiguous_lengths_are_refused(self):
        """A proxy and the service could read each of these requests differently."""
        for fields in (
            b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"Content-Length: 2\r\nContent-Length: 3\r\n",
            b"Content-Length: +2\r\n", b"Transfer-Encoding: xchunked\r\n", b"Content-Length : 2\r\n",
        ):
            with self.subTest(fields=fields):
                connection = socket.create_connection(("127.0.0.1", self.world.service.http_port), 10)
                with contextlib.closing(connection):
                    connection.sendall(
                        f"POST /{TOPICS}/request/account/whoami HTTP/1.1\r\nHost: x\r\n".encode()
                        + b"Content-Type: application/json\r\n" + fields + b"\r\n{}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                    connection.settimeout(10)
                    text = b""
                    with contextlib.suppress(OSError):
                        while part := connection.recv(4_096):
                            text += part
                    self.assertNotIn(b'{"ok":true}', text)
                    if text:
                        self.assertRegex(text, rb"^HTTP/1.1 (400|401|501) ")

    def test_pages_of_foreign_origins_are_refused(self):
        app = self.http().login()
        path = f"/{TOPICS}/request/account/whoami"
        auth = {"Authorization": f"Bearer {app.token}"}
        self.assertEqual(app.send(path, headers={**auth, "Origin": "https://evil.example"})[0], 403)
        status, headers, _ = app.send(path, headers={**auth, "Origin": "http://localhost:5173"})
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, "http://localhost:5173"))
        status, headers, _ = app.send(path, headers={"Origin": "http://localhost:5173"}, method="OPTIONS")
        self.assertEqual((status, headers["Access-Control-Allow-Methods"]), (204, "POST"))
        self.assertIn("Authorization", headers["Access-Control-Allow-Headers"])

    def test_a_revoked_session_is_refused_within_a_second(self):
        terminal = self.terminal()
        app = self.http(terminal)
        app.get("account/whoami")
        terminal.get("account/logout")
        began = time.monotonic()
        status, answer = app.ask("account/whoami")
        while status == 200 and time.monotonic() - began < 5:
            status, answer = app.ask("account/whoami")
        self.assertLess(time.monotonic() - began, SECOND)
        self.assertEqual((status, answer["error"]["reason"]), (401, "loggedOut"))


class Streams(EndToEnd):
    def stream(self, token, query=""):
        stream = Stream(self.world, f"/{TOPICS}/stream{query}", token)
        self.addCleanup(stream.close)
        return stream

    def setUp(self):
        super().setUp()
        self.app = HTTPTerminal(self.world).login()
        self.uid = self.app.get("account/whoami")["user"]["uid"]

    def bound(self):
        device = self.device()
        self.app.get("device/bind", {"did": device.did, "passcode": device.passcode})
        return device

    def test_it_begins_with_retained_messages_and_then_has_each_new_one(self):
        device = self.bound()
        stream = self.stream(self.app.token)
        self.assertEqual(stream.status, 200)
        self.assertTrue(stream.answer.headers["Content-Type"].startswith("text/event-stream"))
        topic = f"user/{self.uid}/device/{device.did}/status"
        stream.expect(topic)
        count = len(stream.events)
        device.report(data={"power": True})
        eventually(lambda: any(
            event == topic and data["data"].get("power") is True for event, data in stream.events[count:]))

    def test_filters_select_among_its_own_topics(self):
        device = self.bound()
        stream = self.stream(self.app.token, f"?filter=user/{self.uid}/device/%2B/status")
        stream.expect(f"user/{self.uid}/device/{device.did}/status")
        other = self.terminal()
        for query, status in (
            (f"?filter=user/{other.uid}/%23", 403), ("?filter=%23", 403), (f"?filter=device/{device.did}/report", 403),
            ("?after=1", 400), ("?" + "&".join([f"filter=user/{self.uid}/x"] * 9), 400),
        ):
            self.assertEqual(self.stream(self.app.token, query).status, status, query)

    def test_it_needs_a_live_session(self):
        self.assertEqual(self.stream("lls_unknown").status, 401)

    def test_answers_to_requests_are_not_included(self):
        stream = self.stream(self.app.token)
        self.app.get("device/list")
        device = self.bound()
        stream.expect(f"user/{self.uid}/device/{device.did}/status")
        self.assertEqual([event for event, _ in stream.events if "/http/" in event], [])

    def test_it_ends_within_a_second_of_its_session(self):
        stream = self.stream(self.app.token)
        self.app.get("account/logout")
        began = time.monotonic()
        self.assertEqual(stream.expect("end"), {"reason": "loggedOut"})
        self.assertLess(time.monotonic() - began, SECOND)
        stream.thread.join(5)
        self.assertFalse(stream.thread.is_alive())
        self.assertEqual(self.stream(self.app.token).status, 401)

    def test_the_newest_connection_of_a_terminal_gets_it(self):
        first = self.stream(self.app.token)
        second = self.stream(self.app.token)
        self.assertEqual(first.expect("end"), {"reason": "takenOver"})
        self.assertEqual(second.status, 200)

    def test_an_address_has_sixteen_streams(self):
        apps = [HTTPTerminal(self.world).login() for _ in range(17)]
        for one in apps:
            one.get("account/whoami")
        statuses = [self.stream(one.token).status for one in apps]
        self.assertEqual(statuses, [200] * 16 + [429])
        self.doCleanups()
        # When a client closes its stream, another stream can be opened at once.
        again = eventually(lambda: (lambda s: s if s.status == 200 else None)(self.stream(self.app.token)), 2, "a place")
        self.assertEqual(again.status, 200)


class Limits(OwnWorldOfClass):
    """A terminal's rate limit applies to both transports together."""

    @classmethod
    def make_world(cls):
        return World(watch=False, settings=[
            "--set", "limits.terminalMessagesPerSecond=1", "--set", "limits.terminalMessageBurst=20"])

    def test_requests_over_http_and_mqtt_share_a_rate(self):
        terminal = self.terminal()
        app = HTTPTerminal(self.world, terminal.app_id, terminal.terminal_id, terminal.token)
        statuses = []
        for _ in range(40):
            statuses.append(app.ask("account/whoami")[0])
            if statuses[-1] != 200:
                break
        self.assertEqual(statuses[-1], 429, statuses)
        self.assertLess(len(statuses), 25)
        # The limit accepts one message a second, so one of these messages can be accepted.
        self.assertIn(0x87, [terminal.send("account/whoami", {}, fresh_id("q")) for _ in range(5)])
        status, headers, _ = app.send(
            f"/{TOPICS}/app/test-app/{app.terminal_id}/request/account/whoami", "{}",
            {"Content-Type": "application/json", "Authorization": f"Bearer {app.token}"})
        self.assertEqual(status, 429)
        self.assertGreater(int(headers["Retry-After"]), 0)


class Examples(EndToEnd):
    """The reference's examples, which the test runs as they are printed."""

    def run_example(self, method, language, **environment):
        text = re.findall(rf"```{language}\n(.*?)\n```", section(method), re.DOTALL)[1]
        command = {"sh": ["sh", "-c"], "python": ["/usr/bin/python3", "-c"],
                   "javascript": ["node", "--input-type=module", "-e"]}[language]
        done = subprocess.run([*command, text], env={
            **os.environ, "LL_HTTP": f"http://127.0.0.1:{self.world.service.http_port}", **environment},
            capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'"?ok"?: ?true')
        return done.stdout

    def test_in_shell_python_and_javascript(self):
        app = {"LL_APP": "test-app", "LL_SECRET": self.world.apps["test-app"]["secret"]}
        for language in ("sh", "python", *(["javascript"] if shutil.which("node") else [])):
            with self.subTest(language=language):
                self.run_example("app/info", language, **app, LL_TERMINAL=fresh_terminal())
                printed = self.run_example("account/loginAnonymous", language, **app, LL_TERMINAL=fresh_terminal())
                token = re.search(r"\"?token\"?: ?['\"]([\w-]+)", printed)[1]
                self.run_example("account/whoami", language, LL_TOKEN=token)

    def test_the_document_is_openapi(self):
        document = contract.SCHEMAS / "generated" / "openapi-app.yaml"
        done = subprocess.run(
            [tools.python(), "-m", "openapi_spec_validator", str(document)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class BrokerAway(OwnWorld):
    def test_requests_are_refused_and_streams_end_while_the_broker_is_away(self):
        app = HTTPTerminal(self.world).login()
        app.get("account/whoami")
        stream = Stream(self.world, f"/{TOPICS}/stream", app.token)
        self.addCleanup(stream.close)
        broker = self.world.service.broker_pid
        os.kill(broker, signal.SIGSTOP)
        os.kill(broker, signal.SIGKILL)
        self.assertEqual(stream.expect("end"), {"reason": "stopping"})
        status, answer = app.ask("account/whoami")
        if status != 200:
            self.assertIn((status, answer["error"]["code"]), ((503, "Unavailable"), (504, "Unavailable")))
        def is_back():
            # A request that arrives before the workers are back can be lost. The client then gets no answer.
            with contextlib.suppress(TimeoutError):
                return app.ask("account/whoami", seconds=2)[0] == 200
            return False

        eventually(is_back, 20, "the broker's return")

    def test_open_streams_do_not_delay_the_shutdown(self):
        app = HTTPTerminal(self.world).login()
        app.get("account/whoami")
        stream = Stream(self.world, f"/{TOPICS}/stream", app.token)
        self.addCleanup(stream.close)
        code, seconds = self.world.service.stop()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)


if __name__ == "__main__":
    unittest.main()
