"""Operators watch live messages with some parts hidden, and delay no other client."""

import contextlib
import json
import pathlib
import re
import threading
import time
import unittest

from client import fresh_id, register
from console import Console, problems_of
from harness import SECOND, eventually
from world import LAMP, World


class TestTap(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(watch=False)
        cls.addClassCleanup(cls.world.close)
        cls.service = cls.world.service
        cls.tokens = {}
        for role in ("viewer", "admin"):
            cls.service.cli("operator", "add", f"one-{role}", "--role", role)
            cls.tokens[role] = cls.service.json("operator", "token", f"one-{role}", "--label", "tests")["token"]
        cls.lamp = cls.world.device()

    def watch(self, term="tap", role="viewer"):
        """Opens a stream, and waits until the service receives messages for it."""
        stream = Console(self.service, self.tokens[role]).events(term)
        self.addCleanup(stream.close)
        eventually(lambda: stream.next("tap")[1]["isListening"], what="the tap's connection")
        return stream

    def lines(self, stream, until, send=lambda: None):
        """Calls `send`, and returns the lines that arrive until `until` is true for one of them.

        If no line arrives for a second, `send` is called again. The tap can lose messages (QoS 0).
        """
        lines = []

        def is_shown():
            kind, tap = stream.next("tap", "beat")
            found = tap["lines"] if kind == "tap" else []
            if kind == "tap":
                self.assertEqual(problems_of("Tap", tap), [])
            lines.extend(found)
            if not found:
                send()
            return any(until(line) for line in found)

        send()
        eventually(is_shown, what="the line of the message")
        return lines

    def mark(self, stream):
        """Sends a report, and returns the lines up to the line of this report."""
        text = fresh_id()[:8]
        return self.lines(stream, lambda line: text in json.dumps(line), lambda: self.lamp.report(data={"label": text}))

    # MARK: Shown messages

    def test_messages_appear_as_they_travel(self):
        stream = self.watch()
        began = time.time() * 1000
        lines = self.lines(stream, lambda line: line["topic"].endswith("/response"),
                           lambda: self.lamp.report(id="seen-1", data={"brightness": 45}))
        report = next(line for line in lines if line["topic"] == f"{self.lamp.base}/report")
        self.assertEqual((report["way"], report["outcome"], report["branch"]), ("in", "accepted", "device/+/report"))
        self.assertEqual((report["payload"]["id"], report["payload"]["data"]), ("seen-1", {"brightness": 45}))
        self.assertGreaterEqual(report["at"], began - 1000)
        answer = next(line for line in lines if line["topic"].endswith("/response"))
        self.assertEqual((answer["way"], answer["payload"]["ok"]), ("out", True))
        rates = eventually(lambda: stream.next("tap")[1]["rates"])
        self.assertIn("device/+/report", [rate["branch"] for rate in rates])

    def test_refused_and_dead_messages_are_shown_with_the_reason(self):
        stream = self.watch()
        outcomes = {}

        def send():
            self.lamp.publish(f"{self.lamp.base}/report", b"no json")
            self.lamp.publish("ll/v1/device/d-zzzzzzzzzzz00/report", {}, wait=False)

        def are_both(line):
            if line["outcome"] != "accepted":
                outcomes[line["outcome"]] = line
            return len(outcomes) == 2

        self.lines(stream, are_both, send)
        self.assertEqual((outcomes["refused"]["reason"], outcomes["refused"]["topic"]), ("notAllowed", "ll/v1/device/d-zzzzzzzzzzz00/report"))
        self.assertEqual(outcomes["dead"]["topic"], f"{self.lamp.base}/report")

    def test_a_devices_tap_shows_nothing_else(self):
        other = self.world.device()
        stream = self.watch(f"tap:{self.lamp.did}")
        everything = self.watch()
        self.lines(everything, lambda line: line["topic"] == f"{other.base}/report",
                   lambda: other.report(data={"power": True}))
        for line in self.mark(stream):
            self.assertIn(self.lamp.did, line["topic"])

    # MARK: Hidden values

    def test_no_secret_is_shown(self):
        streams = [self.watch(), self.watch(role="admin")]
        lines = [[], []]

        def read():
            for stream, seen in zip(streams, lines, strict=True):
                seen += self.mark(stream)

        mac, password = "0badcafe0001", f"correct horse {fresh_id()}"
        answer = register(self.world.port, LAMP["productKey"], self.world.secrets[LAMP["productKey"]], mac, passcode="pass-4711")
        terminal = self.world.terminal(login=False)
        self.addCleanup(terminal.close)
        read()
        name = fresh_id("n")
        terminal.adopt(terminal.get("account/register", {"countryCode": "49", "username": name, "password": password, "nickname": "x"}))
        read()
        terminal.bind(self.lamp)
        terminal.get("device/control", {"did": self.lamp.did, "data": {"pin": "73915"}})
        self.assertEqual(self.lamp.command().body["data"], {"pin": "73915"})
        terminal.get("share/invite", {"did": self.lamp.did, "way": "qrcode"})
        read()
        email = f"{name}@example.com"
        terminal.get("account/sendCode", {"countryCode": "49", "email": email, "purpose": "bind"})
        mails = [next(line["payload"] for line in self.lines(stream, lambda line: line["topic"].endswith("/outbound/email"))
                      if line["topic"].endswith("/outbound/email")) for stream in streams]
        read()
        secrets = [answer["result"]["secret"], "pass-4711", password, terminal.token, "73915", "lamplighter:share:"]
        for seen in lines:
            text = json.dumps(seen)
            for secret in secrets:
                self.assertNotIn(secret, text)
            topics = " ".join(line["topic"] for line in seen) + " "
            for topic in (f"{mac}/register ", f"{mac}/registered ", "/request/account/register ", "/request/device/control ", f"{self.lamp.did}/command "):
                self.assertIn(topic, topics)
        self.assertEqual([mail["params"] for mail in mails], ["•••", "•••"])
        self.assertEqual([mail["to"] for mail in mails], [email[0] + "•••@example.com", email])

    # MARK: No delays

    def connections(self):
        """Returns the number of the service's own connections to the broker."""
        files = pathlib.Path(f"/proc/{self.service.process.pid}/fd")
        own = {match[1] for file in files.iterdir() if (match := re.match(r"socket:\[(\d+)\]", self.name(file)))}
        rows = [row.split() for row in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(int(row[2].split(":")[1], 16) == self.world.port and row[3] == "01" and row[9] in own for row in rows)

    @staticmethod
    def name(file):
        with contextlib.suppress(FileNotFoundError):
            return str(file.readlink())
        return ""

    def test_without_a_watcher_there_is_no_connection(self):
        watching = self.watch()
        with_one = self.connections()
        self.assertGreater(with_one, 1)
        also = self.watch(f"tap:{self.lamp.did}")
        self.assertEqual(self.connections(), with_one)
        watching.close()
        # The broker now sends only the messages of this device.
        eventually(lambda: self.mark(also))
        also.close()
        eventually(lambda: self.connections() == with_one - 1)
        stream = Console(self.service, self.tokens["viewer"]).events("overview")
        self.addCleanup(stream.close)
        stream.next("overview")
        self.assertEqual(self.connections(), with_one - 1)

    def test_a_console_that_reads_nothing_delays_no_other_and_missing_messages_are_counted(self):
        slow, quick = self.watch(), self.watch()
        total, seen, left = 1500, 0, 0
        for number in range(total):
            self.lamp.publish(f"{self.lamp.base}/report", {"id": f"flood-{number}", "data": {"count": number}}, wait=False)
        # At most 200 answers wait for a device. Therefore, the device can miss answers during a flood. The device
        # repeats its last report until it gets the answer.
        def answered():
            self.lamp.send(id="flood-last", data={"count": total})
            with contextlib.suppress(AssertionError):
                return self.lamp.response("flood-last", 3)
        eventually(answered, 60, "an answer to the last report")
        last = False
        while not last:
            tap = quick.next("tap")[1]
            left += tap["left"]
            reports = [line for line in tap["lines"] if line["branch"] == "device/+/report"]
            seen += len(reports)
            last = any(line["payload"]["data"]["count"] == total for line in reports) or (left > total // 2 and not tap["lines"])
            self.assertLessEqual(len(tap["lines"]), 50)
        self.assertGreater(left, total // 2)
        self.assertGreater(seen, 10)
        # The slow stream continues with the newest messages.
        self.assertGreater(sum(slow.next("tap")[1]["left"] for _ in range(2)), 0)

    def test_a_revoked_operators_tap_ends_at_once(self):
        name = fresh_id("op")
        self.service.cli("operator", "add", name, "--role", "viewer")
        caller = Console(self.service)
        caller.enter(self.service.json("operator", "link", name)["url"])
        stream = caller.events("tap")
        self.addCleanup(stream.close)
        eventually(lambda: stream.next("tap")[1]["isListening"], what="the tap's connection")
        ended = threading.Event()

        def talk():
            while not ended.wait(0.02):
                self.lamp.report(data={"power": True})

        talker = threading.Thread(target=talk)
        talker.start()
        self.addCleanup(talker.join)
        self.addCleanup(ended.set)
        self.lines(stream, lambda line: line["topic"] == f"{self.lamp.base}/report")
        self.service.cli("operator", "revoke", name)
        revoked = time.time() * 1000
        kind, data = stream.next("tap", "end")
        while kind == "tap":
            for line in data["lines"]:
                self.assertLess(line["at"] - revoked, SECOND * 1000)
            kind, data = stream.next("tap", "end")
        self.assertEqual(data, {"reason": "revoked"})
        self.assertLess(time.time() * 1000 - revoked, SECOND * 1000)


if __name__ == "__main__":
    unittest.main()
