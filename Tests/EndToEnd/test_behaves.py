"""Well-behaved clients get all that the contract promises.

These clients are slow phones, phones that were away, large homes, and devices with stored reports.
LAMPLIGHTER_LONG=1 uses larger numbers.
"""

import collections
import threading
import time
import unittest

from client import Device, Terminal, fresh_id, now
from harness import LONG, TOPICS, Service, eventually
from metrics import Page
from test_unnoticed import Unnoticed
from world import LAMP, World


class LateAcks:
    """Delays a client's acknowledgements by some seconds."""

    def __init__(self, client, seconds=2):
        self.seconds, self.waiting, self.ends = seconds, collections.deque(), threading.Event()
        self.send, client.paho._send_puback = client.paho._send_puback, self.note
        self.most = 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def note(self, mid):
        self.waiting.append((time.monotonic() + self.seconds, mid))
        self.most = max(self.most, len(self.waiting))
        return 0

    def _run(self):
        while not self.ends.wait(0.02):
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                self.send(self.waiting.popleft()[1])

    def close(self):
        self.ends.set()
        self.thread.join()


class Phones(Unnoticed):
    """Devices that have almost no limits, and phones with the default limits."""

    @classmethod
    def make_world(cls):
        fast = [f"limits.device{kind}=1000000" for kind in (
            "MessagesPerSecond", "MessageBurst", "KilobytesPerSecond", "KilobyteBurst")]
        return World(service=Service(arguments=[word for setting in fast for word in ("--set", setting)]))

    def phone(self, version, devices=()):
        """Connects a user's terminal with its token and a lasting MQTT session."""
        first = self.terminal(version=version)
        for device in devices:
            first.bind(device)
        first.close()
        return self.back(first)

    def back(self, phone, subscribes=False):
        """Reconnects the same phone, which resumes its session."""
        again = self.keep(Terminal(
            self.world.port, phone.app_id, phone.token, phone.terminal_id, version=phone.paho._protocol, clean=False,
            expiry=3600))
        self.assertEqual(again.connect(), 0)
        again.token, again.uid = phone.token, phone.uid
        if subscribes or not again.session_present:
            for filter in (f"{again.base}/#", f"{TOPICS}/user/{again.uid}/#"):
                self.assertEqual(again.subscribe(filter), 1)
        return again

    def newest(self, phone, device):
        """Returns the last status of a device among the statuses that a phone has received."""
        found = [m.body for m in phone.everything if m.topic.endswith(f"/device/{device.did}/status") and m.body]
        return found[-1]["data"] if found else {}

    def events(self, phone, device):
        return {m.body["eventId"] for m in phone.everything if m.topic.endswith(f"/device/{device.did}/event")
                and m.body["type"].startswith("alert")}

    def stored_events(self, phone, device):
        """Requests the device's stored alerts for the phone, and returns their ids."""
        found, more = set(), {}
        while True:
            page = phone.get("device/events", {"did": device.did, "limit": 1000, "types": ["alert", "alertCleared"], **more})
            found |= {event["eventId"] for event in page["events"]}
            if "cursor" not in page:
                return found
            more = {"cursor": page["cursor"]}

    def report_all(self, device, reports, window=16):
        """Sends reports as an honest device does: at most `window` reports are unanswered at any time."""
        ids = []
        for report in reports:
            ids.append(fresh_id("b"))
            if len(ids) > window:
                self.assertTrue(device.response(ids[-1 - window], 30)["ok"])
            device.publish(f"{device.base}/report", {"id": ids[-1], **report}, wait=False)
        for id in ids[-window:]:
            self.assertTrue(device.response(id, 30)["ok"])


class Slow(Phones):
    def test_a_phone_that_acknowledges_two_seconds_late(self):
        for version in (5, 4):
            with self.subTest(version=version):
                self.follow(version, 20 if LONG else 5)

    def follow(self, version, rounds):
        devices = [self.device(LAMP) for _ in range(5)]
        phone = self.phone(version, devices)
        late = LateAcks(phone)
        self.addCleanup(late.close)
        for number in range(rounds):
            for device in devices:
                for turn in range(10):
                    device.publish(f"{device.base}/report", {"data": {"count": number * 10 + turn}}, wait=False)
                device.report(alerts=[{"name": "smoke", "value": number % 2 == 0}])
            # A phone may send twenty requests a second. This test sends fewer.
            self.assertEqual(phone.get("device/status", {"did": devices[0].did})["did"], devices[0].did)
        for device in devices:
            eventually(lambda d=device: self.newest(phone, d).get("count") == rounds * 10 - 1, 20, "the newest status")
            wanted = self.stored_events(phone, device)
            eventually(lambda d=device, w=wanted: self.events(phone, d) == w, 20, "every event")
        self.assertTrue(phone.connected and phone.lost is None, "its connection stands")
        self.assertGreater(late.most, 50, "it was late with many")


class Away(Phones):
    """A phone that is away while a device reports, but whose broker session lasts."""

    reports = 30_000 if LONG else 840
    alarms = 60  # each begins and is cleared

    def test_what_a_terminal_gets_when_it_reconnects(self):
        for version in (5, 4):
            with self.subTest(version=version):
                self.sleep_and_wake(version)

    def sleep_and_wake(self, version):
        device, other = self.device(LAMP), self.device(LAMP)
        phone = self.phone(version, [device, other])
        phone.close()
        every = self.reports // (2 * self.alarms)
        self.report_all(device, (
            {"data": {"count": number}, "alerts": [{"name": "smoke", "value": number // every % 2 == 0}]}
            for number in range(self.reports)))
        other.report(data={"count": 7})
        phone = self.back(phone)
        self.assertTrue(phone.session_present)
        eventually(lambda: self.newest(phone, device).get("count") == self.reports - 1, 20,
                   lambda: f"the newest status; the last was {self.newest(phone, device)}")
        eventually(lambda: self.newest(phone, other).get("count") == 7, 20, "the other one's newest status")
        # The broker didn't keep all statuses for the phone.
        self.assertGreater(Page(self.world.service).sum("lamplighter_statuses_missed_total"), 0)
        wanted = self.stored_events(phone, device)
        self.assertEqual(len(wanted), self.alarms)
        self.assertEqual(self.events(phone, device), wanted)
        # Later statuses arrive as usual.
        device.report(data={"count": -1})
        eventually(lambda: self.newest(phone, device).get("count") == -1, 10, "what comes then")


class Outcomes(Phones):
    @classmethod
    def make_world(cls):
        return World(service=Service(arguments=["--set", "limits.terminalSessionSeconds=2"]))

    def test_of_a_command_that_outlived_the_session(self):
        for version in (5, 4):
            with self.subTest(version=version):
                device = self.device(LAMP)
                phone = self.phone(version, [device])
                device.close()
                phone.event(device, lambda b: b["type"] == "offline")
                cid = phone.get("device/control", {
                    "did": device.did, "data": {"power": True}, "mode": "queue", "ttl": 600})["cid"]
                phone.close()
                self.assertFalse(self.later(phone).session_present)
                device = self.keep(Device(self.world.port, device.did, device.secret, device.mac, LAMP)).come()
                self.assertEqual(device.command().body["cid"], cid)
                device.report(cid=cid, code=0, data={"power": True})
                phone = self.back(phone, subscribes=True)
                found = phone.get("device/commands", {"did": device.did})["commands"]
                self.assertEqual([(c["cid"], c["state"]) for c in found], [(cid, "done")])
                self.assertEqual(phone.get("device/status", {"did": device.did})["data"]["power"], True)

    def later(self, phone):
        """Waits until the phone's MQTT session no longer exists, and returns the closed terminal that showed this."""
        def look():
            probe = self.keep(Terminal(
                self.world.port, phone.app_id, phone.token, phone.terminal_id, clean=False, version=phone.paho._protocol))
            self.assertEqual(probe.connect(), 0)
            probe.close()
            return None if probe.session_present else probe
        # A probe that finds the session prolongs it. So the test waits several seconds between probes.
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            threading.Event().wait(4)
            if found := look():
                return found
        raise AssertionError("the session lives on")


class Home(Unnoticed):
    """An app that opens with two hundred devices, subscribes with one filter, and paces its requests."""

    count = 200 if LONG else 90

    def test_all_are_shown_and_answered(self):
        for version in (5, 4) if LONG else (5,):
            with self.subTest(version=version):
                self.furnish_and_open(version)

    def furnish_and_open(self, version):
        first, dids = self.terminal(), []
        for number in range(self.count):
            device = self.device(LAMP)
            first.bind(device)
            device.report(data={"count": number})
            device.close()
            dids.append(device.did)
        first.close()
        self.open(first, dids, version)

    def open(self, first, dids, version):
        app = self.keep(Terminal(self.world.port, first.app_id, first.token, first.terminal_id, version=version)).come()
        app.token, app.uid = first.token, first.uid
        began = time.monotonic()
        self.assertEqual(app.subscribe(f"{TOPICS}/user/{app.uid}/#"), 1)
        ids = {}
        for number, did in enumerate(dids):
            ids[did] = fresh_id("h")
            # Like an honest app, this app sends eighty requests at once, then fewer than twenty a second. In this way,
            # it stays below both limits.
            ahead = (number - 80) / 19 - (time.monotonic() - began)
            if ahead > 0:
                threading.Event().wait(ahead)
            app.publish(f"{app.base}/request/device/status", {
                "id": ids[did], "token": app.token, "params": {"did": did}}, wait=False)
        for number, did in enumerate(dids):
            answer = app.answer("device/status", ids[did], 30)
            self.assertTrue(answer["ok"], answer)
            self.assertEqual(answer["result"]["data"]["count"], number)
        listed = app.get("device/list", {"limit": 1000})
        self.assertEqual(listed["total"], len(dids))
        eventually(lambda: {m.topic.split("/")[-2] for m in app.everything if m.retain} >= set(dids), 20,
                   "the retained status of each")
        self.assertIsNone(app.lost)
        app.close()


class Store(Unnoticed):
    """Five hundred stored reports, and a connection that breaks while they are sent."""

    count = 500

    def test_each_is_stored_once_even_if_some_are_sent_twice(self):
        for version in (5, 4):
            with self.subTest(version=version):
                device, terminal = self.pair(LAMP, version=version)
                begun = now() + 2_000
                reports = [{"id": fresh_id("s"), "ts": begun + number, "data": {"count": number}}
                           for number in range(self.count)]
                answers = {}
                self.send(device, reports[:300], answers, awaits=False)
                device.vanish()
                device = self.keep(Device(
                    self.world.port, device.did, device.secret, device.mac, LAMP, version=version)).come()
                self.send(device, [report for report in reports if report["id"] not in answers], answers)
                # The device may have missed answers when the connection broke, so it repeats the reports from about
                # that time. A repeated report has no second effect.
                again = {}
                self.send(device, reports[280:320], again)
                self.assertEqual({a["stored"] for a in again.values()}, {"repeat"})
                self.assertEqual(len(answers), self.count)
                self.assertIsNone(device.lost)
                self.assertEqual(self.told(terminal, device, begun), list(range(self.count)))

    def send(self, device, reports, answers, window=16, awaits=True):
        """Sends reports, of which at most `window` are unanswered at any time."""
        for number, report in enumerate(reports):
            if number >= window:
                self.take(device, reports[number - window], answers)
            device.publish(f"{device.base}/report", report, wait=False)
        for report in reports[-window:] if awaits else ():
            self.take(device, report, answers)

    def take(self, device, report, answers):
        answer = device.response(report["id"], 30)
        self.assertTrue(answer["ok"], answer)
        answers[report["id"]] = answer

    def told(self, terminal, device, begun):
        rows, more = [], {}
        while True:
            page = terminal.get("device/history", {
                "did": device.did, "from": begun, "to": begun + self.count, "limit": 1000, **more})
            rows += page["rows"]
            if "cursor" not in page:
                return [row["data"]["count"] for row in rows]
            more = {"cursor": page["cursor"]}


del Unnoticed, Phones


if __name__ == "__main__":
    unittest.main()
