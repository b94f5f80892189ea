"""A maker's server reads events over HTTP, and continues after an interruption."""

import contextlib
import http.client
import json
import os
import selectors
import signal
import socket
import time
import unittest

from client import Terminal, fresh_id
from harness import LONG, SECOND, TOPICS, eventually
from test_http import HTTPTerminal, Stream
from world import FREE, LAMP, EndToEnd, OwnWorld

ALERTS = "types=device.alert,device.alertCleared"


class Events(Stream):
    """An open stream; `found` has its events, and `ends` has its messages without an id."""

    def __init__(self, world, key, query="", last=None, address=None):
        self.found, self.ends = [], []
        self.connection = http.client.HTTPConnection("127.0.0.1", world.service.http_port, timeout=60)
        headers = {"Authorization": f"Bearer {key}", "Last-Event-ID": last, "X-Forwarded-For": address}
        self.connection.request("GET", f"/{TOPICS}/events?{query}", headers={k: v for k, v in headers.items() if v})
        self.answer = self.connection.getresponse()
        self.status = self.answer.status
        if self.status == 200:
            self.begin()
        else:
            self.error = json.loads(self.answer.read())["error"]

    def read(self):
        event = {}
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            while line := self.answer.readline():
                name, _, value = line.rstrip(b"\n").decode().partition(": ")
                if name:
                    event[name] = value
                elif "id" in event:
                    data = json.loads(event["data"])
                    assert (event["id"], event["event"]) == (data["id"], data["type"]), event
                    self.found.append(data)
                elif "event" in event:
                    self.ends.append((event["event"], json.loads(event["data"])["reason"]))
                if not name:
                    event = {}

    def until(self, count, seconds=20):
        """Waits for a number of events; returns their types."""
        eventually(lambda: len(self.found) >= count, seconds, f"{count} events")
        return [event["type"] for event in self.found]

    def end(self, seconds=10):
        """Waits for the end of the stream, and returns the reason."""
        (name, reason), = eventually(lambda: list(self.ends), seconds, "the stream's end")
        assert name == "end", name
        self.thread.join(5)
        assert not self.thread.is_alive()
        return reason


class Keyed(EndToEnd):
    """A test with API keys."""

    def key(self, app="test-app", scope="events"):
        made = self.world.service.json("key", "add", fresh_id("server"), "--app", app, "--scope", scope)
        # An app can have at most 20 keys, so each test revokes its keys.
        self.addCleanup(self.world.service.cli, "key", "revoke", made["keyId"], check=False)
        return made

    def stream(self, key, query="", **more):
        stream = Events(self.world, key["key"], query, **more)
        self.addCleanup(stream.close)
        return stream

    def server(self, key):
        server = self.keep(Terminal(self.world.port, "test-app", key["key"], key["terminalId"]).come())
        server.token = key["key"]
        return server

    def alerts(self, device, count, first=0):
        for number in range(first, first + count):
            device.report(alerts=[{"name": "smoke", "value": number % 2 == 0}])


class Streams(Keyed):
    def setUp(self):
        super().setUp()
        self.made, self.lamp = self.key(), self.device()
        self.only = f"dids={self.lamp.did}"

    def test_events_arrive_in_order_and_a_stream_continues_after_the_last_one(self):
        stream = self.stream(self.made, f"{self.only}&{ALERTS}")
        self.assertTrue(stream.answer.headers["Content-Type"].startswith("text/event-stream"))
        self.assertEqual(stream.answer.headers["Cache-Control"], "no-store")
        self.alerts(self.lamp, 4)
        self.assertEqual(stream.until(4), ["device.alert", "device.alertCleared"] * 2)
        last = stream.found[1]["id"]
        stream.close()
        again = self.stream(self.made, f"{self.only}&{ALERTS}&after=start", last=last)
        again.until(2)
        self.assertEqual(again.found, stream.found[2:])
        whole = self.stream(self.made, f"{self.only}&{ALERTS}&after=start")
        whole.until(4)
        self.assertEqual(whole.found, stream.found)

    def test_statuses_are_kept_while_a_stream_names_them(self):
        stream = self.stream(self.made, f"{self.only}&types=device.status")

        def reported():
            self.lamp.report(data={"count": int(time.monotonic() * 1000) % 1_000_000})
            return stream.found

        eventually(reported, 20, "a status")
        self.assertEqual(stream.found[0]["type"], "device.status")

    def test_its_parameters_are_checked(self):
        for query, field in (
                ("types=device.none", "types"), ("productKeys=" + "0" * 32, "productKeys"), ("dids=a%20b", "dids"),
                ("after=X", "after"), ("wait=5", "query"), ("types", "query"), ("types=%zz", "query"),
                ("subscriptionId=v-none&after=start", "subscriptionId"), ("dids=" + ",".join(["x"] * 101), "dids")):
            with self.subTest(query=query[:40]):
                stream = self.stream(self.made, query)
                self.assertEqual((stream.status, stream.error["code"], stream.error["field"]), (400, "InvalidRequest", field))
        stream = self.stream(self.made, last="!")
        self.assertEqual((stream.status, stream.error["field"]), (400, "Last-Event-ID"))
        stream = self.stream(self.made, "subscriptionId=v-none")
        self.assertEqual((stream.status, stream.error["field"]), (404, "subscriptionId"))

    def test_a_key_with_the_scope_is_needed(self):
        self.assertEqual(self.stream(self.key(scope="events:read"), "after=start").status, 200)
        for key, status, code in ((self.key(scope="device"), 403, "Forbidden"), ({"key": self.terminal().token}, 403, "Forbidden"),
                                  ({"key": "llk_none"}, 401, "InvalidToken")):
            stream = self.stream(key)
            self.assertEqual((stream.status, stream.error["code"]), (status, code))
        other = self.stream(self.key("other-app"), "after=start")
        self.alerts(self.lamp, 1)
        mine = self.stream(self.made, f"{self.only}&after=start&{ALERTS}")
        mine.until(1)
        self.assertNotIn(self.lamp.did, str(other.found))

    def test_it_ends_within_a_second_of_its_key(self):
        stream = self.stream(self.made)
        begun = time.monotonic()
        self.world.service.json("key", "revoke", self.made["keyId"])
        revoked = time.monotonic()
        self.assertEqual(stream.end(), "operator")
        self.assertLess(time.monotonic() - revoked, SECOND, f"the command took {revoked - begun:.1f} s")
        self.assertEqual(self.stream(self.made).status, 401)

    def test_a_subscription_has_one_reader_and_only_ack_moves_its_cursor(self):
        server = self.server(self.made)
        id = server.get("events/subscribe", {"name": "s", "types": ["device.alert"], "dids": [self.lamp.did]})["subscriptionId"]
        query = {"subscriptionId": id}
        first = self.stream(self.made, f"subscriptionId={id}")
        self.alerts(self.lamp, 3)
        self.assertEqual(first.until(2), ["device.alert"] * 2)
        second = self.stream(self.made, f"subscriptionId={id}")
        self.assertEqual(first.end(SECOND), "takenOver")
        second.until(2)
        self.assertEqual(second.found, first.found)
        server.get("events/ack", {**query, "cursor": first.found[0]["id"]})
        third = self.stream(self.made, f"subscriptionId={id}")
        third.until(1)
        self.assertEqual(third.found, first.found[1:])
        # If an operator moves the cursor back, the service sends the events again, even on an open stream.
        self.world.service.json("events", "seek", id, "start")
        third.until(3)
        self.assertEqual(third.found[1:], first.found)
        self.assertEqual(self.stream(self.made, f"subscriptionId={id}", last=first.found[1]["id"]).found, [])
        fourth = self.stream(self.made, f"subscriptionId={id}")
        server.get("events/unsubscribe", query)
        self.assertEqual(fourth.end(SECOND), "unsubscribed")

    def test_a_revoked_key_names_its_subscriptions_which_continue(self):
        id = self.server(self.made).get("events/subscribe", {"name": "kept", "types": ["device.*"]})["subscriptionId"]
        revoked = self.world.service.json("key", "revoke", self.made["keyId"])
        self.assertEqual(revoked["subscriptions"], [{"subscriptionId": id, "name": "kept"}])
        self.assertEqual(self.stream(self.key(), f"subscriptionId={id}").status, 200)

    def test_a_key_has_four_streams_and_an_address_sixteen(self):
        streams = [self.stream(self.made) for _ in range(5)]
        self.assertEqual([stream.status for stream in streams], [200] * 4 + [429])
        self.assertEqual(streams[4].error["code"], "TooManyRequests")
        for key in [self.key() for _ in range(3)]:
            streams += [self.stream(key) for _ in range(4)]
        other = self.key()
        self.assertEqual(self.stream(other).status, 429)
        user = HTTPTerminal(self.world).login()
        user.get("account/whoami")
        mixed = Stream(self.world, f"/{TOPICS}/stream", user.token)
        self.addCleanup(mixed.close)
        self.assertEqual(mixed.status, 429)
        self.assertEqual(self.stream(other, address="192.0.2.7").status, 200)
        # When a client closes its streams, they stop counting towards the limits at once.
        for stream in streams:
            stream.close()
        eventually(lambda: self.stream(self.made).status == 200, 3, "a place")


class Alone(Keyed, OwnWorld):
    def slow(self, path, token):
        """Opens a stream for a client that has a small buffer and reads only when the test requires it."""
        slow = socket.socket()
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        slow.settimeout(20)
        slow.connect(("127.0.0.1", self.world.service.http_port))
        slow.sendall(f"GET /{TOPICS}/{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        self.assertIn(b"200 OK", slow.recv(200))
        return slow

    def test_a_slow_client_only_falls_behind(self):
        made, device = self.key(), self.device(FREE)
        slow = self.slow("events?types=device.status", made["key"])
        quick = self.stream(made, "types=device.status")
        eventually(lambda: device.report(data={"n": 0}) is not None or quick.found, 20, "the first status")
        eventually(lambda: device.report(data={"n": 0, "t": time.monotonic()}) is not None and quick.found, 20, "a status")
        before = self.memory()
        for number in range(1, 601):
            device.report(data={"n": number, "text": "x" * 20_000})
        eventually(lambda: quick.found[-1]["data"]["data"]["n"] == 600, 60, "the last status")
        self.assertLess(self.memory() - before, 48, "MiB more")
        received, numbers = b"", []
        while b'"n":600,' not in received[-70_000:]:
            received += slow.recv(1 << 16)
        for line in received.split(b"data: ")[1:]:
            numbers += [int(line.partition(b'"n":')[2].split(b",")[0].split(b"}")[0])]
        self.assertEqual(numbers, sorted(numbers))
        self.assertGreater(received.count(b"x" * 20_000), 100)

    def test_a_slow_client_gets_nothing_once_its_key_or_session_has_ended(self):
        for path in ("events?types=device.status", "stream"):
            with self.subTest(path):
                device, terminal, made = self.device(FREE), self.terminal(), self.key()
                terminal.bind(device)
                terminal.close()
                slow = self.slow(path, made["key"] if path != "stream" else terminal.token)
                for number in range(600):
                    device.report(data={"n": number, "text": f"{number} " + "x" * 20_000})
                if path == "stream":
                    self.world.service.cli("session", "terminate", terminal.session_id)
                else:
                    self.world.service.cli("key", "revoke", made["keyId"])
                time.sleep(SECOND)  # Within this time, the service must reset the connection.
                received = 0
                with self.assertRaises(ConnectionResetError):
                    while found := slow.recv(1 << 16):
                        received += len(found)
                # The client can read only what its own kernel had received before the reset.
                self.assertLess(received, 1 << 20)

    def memory(self):
        with open(f"/proc/{self.world.service.process.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024

    def test_after_a_kill_nothing_is_missing(self):
        made = self.key()
        lamp = self.device(reconnect=True, keepalive=5)
        query, found = f"dids={lamp.did}&{ALERTS}", []
        stream = self.stream(made, query)
        for turn in range(3):
            self.alerts(lamp, 7, turn * 7)
            if turn < 2:
                self.world.service.kill()
                self.world.service.start()
                eventually(lambda: lamp.connected, 60, "the device's return")
            stream.thread.join(5 if turn < 2 else 0)
            if turn < 2:
                found += stream.found
                stream = self.stream(made, query, last=found[-1]["id"] if found else None)
        stream.until(21 - len(found), 30)
        found += stream.found
        self.assertEqual([event["type"] for event in found], (["device.alert", "device.alertCleared"] * 11)[:21])
        self.assertEqual(len({event["id"] for event in found}), 21)

    def test_it_continues_while_the_broker_is_down(self):
        lamp = self.device(reconnect=True, keepalive=5)
        stream = self.stream(self.key(), f"dids={lamp.did}")
        broker = self.world.service.broker_pid
        os.kill(broker, signal.SIGKILL)
        eventually(lambda: self.world.service.broker_pid != broker and lamp.connected, 30, "the broker's return")
        self.alerts(lamp, 1)
        eventually(lambda: "device.alert" in [event["type"] for event in stream.found], 20, "the alert")
        self.assertEqual(stream.ends, [])

    def test_open_streams_do_not_delay_the_shutdown(self):
        stream = self.stream(self.key())
        code, seconds = self.world.service.stop()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)
        self.assertEqual(stream.ends, [("end", "stopping")])

    def test_a_hundred_streams_get_an_event_at_once(self):
        self.world.import_app("second-app", {"products": [LAMP["productKey"]]})
        selector = selectors.DefaultSelector()
        keys = [self.key(app)["key"] for app in ["test-app"] * 20 + ["second-app"] * 5]
        for number in range(100):
            connection = socket.create_connection(("127.0.0.1", self.world.service.http_port))
            self.addCleanup(connection.close)
            connection.sendall(
                f"GET /{TOPICS}/events?{ALERTS} HTTP/1.1\r\nHost: x\r\n"
                f"X-Forwarded-For: 192.0.2.{number // 10}\r\nAuthorization: Bearer {keys[number // 4]}\r\n\r\n".encode())
            head = b""
            while b":\n\n" not in head:
                part = connection.recv(4096)
                self.assertTrue(part and b"429" not in head, head)
                head += part
            selector.register(connection, selectors.EVENT_READ)
        lamp, times = self.device(), []
        for number in range(40):
            time.sleep(0.2)
            waiting = {key.fileobj for key in selector.get_map().values()}
            begun = time.monotonic()
            self.alerts(lamp, 1, number)
            while waiting:
                found = selector.select(10)
                self.assertTrue(found, f"{len(waiting)} streams got nothing")
                for key, _ in found:
                    if b"event: device.alert" in key.fileobj.recv(1 << 16) and key.fileobj in waiting:
                        waiting.remove(key.fileobj)
                        times.append(time.monotonic() - begun)
        times.sort()
        p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
        print(f"report to first byte, 100 streams: p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms")
        self.assertLess(p99, 0.3 if LONG else 3)


if __name__ == "__main__":
    unittest.main()
