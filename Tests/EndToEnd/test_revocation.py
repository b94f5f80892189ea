"""One second after a key, session, binding or subscription has ended, the service sends no data that depended on it.

When other tests are running, the allowed time can be longer than a second. LAMPLIGHTER_LONG=1 checks the limit of one
second, in 500 rounds.
"""

import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import subprocess
import threading
import time
import unittest

from client import fresh_id
from eventlogs import EventStream, Follower
from harness import LONG, SECOND, TOPICS, eventually
from receiver import Receiver
from test_http import HTTPTerminal, Stream
from world import OwnWorldOfClass, World

ROUNDS = int(os.environ.get("REVOCATION_ROUNDS") or (500 if LONG else 18))
AT_ONCE = 6
ALERTS = ["device.alert", "device.alertCleared"]


class Reporter(threading.Thread):
    """A device that changes its alert and a value twenty times a second."""

    def __init__(self, device):
        super().__init__(daemon=True)
        self.device, self.stopping, self.count = device, threading.Event(), 0

    def run(self):
        while not self.stopping.wait(0.05):
            self.report()

    def report(self):
        self.count += 1
        self.device.publish(f"{self.device.base}/report", {
            "data": {"count": self.count}, "alerts": [{"name": "smoke", "value": self.count % 2 == 1}]}, wait=False)

    def close(self):
        self.stopping.set()
        if self.ident:
            self.join(5)
        self.device.close()


class TimedStream(Stream):
    """A stream that notes when each event arrived."""

    def read(self):
        self.times, outer = [], self

        class Events(list):
            def append(self, event):
                outer.times.append((time.monotonic(), *event))
                super().append(event)

        self.events = Events()
        super().read()


class TimedFollower(Follower):
    """A reader that records when events arrived and why the service refused its requests."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.times, self.refusals = [], []

    def ask(self, connection, method, **params):
        try:
            result = super().ask(connection, method, **params)
        except ValueError as error:
            self.refusals.append(error.args[0])
            time.sleep(0.05)
            raise
        if result.get("events"):
            self.times.append(time.monotonic())
        return result


class TimedEventStream(EventStream):
    """A reader of server-sent events that notes when they arrived.

    `ends` has the moments when a stream ended or was refused."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.ends, self.times, outer = [], [], self

        class Got(list):
            def append(self, event):
                outer.times.append(time.monotonic())
                super().append(event)

        self.got = Got()

    def follow(self):
        try:
            super().follow()
        finally:
            self.ends.append(time.monotonic())
            time.sleep(0.05)


class Rounds(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        return World(watch=False, settings=[
            "--set", "outbound.privateTargets=localhost", "--set", "broker.newClientsPerMinute=100000",
            "--set", "limits.newcomersPerSecond=0"])

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.receiver = Receiver()
        cls.addClassCleanup(cls.receiver.close)
        cls.service = cls.own.service
        cls.key = cls.make_key()

    @classmethod
    def make_key(cls):
        return cls.own.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")

    def setUp(self):
        super().setUp()
        self.server = Follower(self.service, self.key["key"], ALERTS)

    def ask(self, method, **params):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.http_port, timeout=30)
        with contextlib.closing(connection):
            return self.server.ask(connection, method, **params)

    @contextlib.contextmanager
    def load(self, is_loud=True):
        """Creates a new device, which reports all the time by default."""
        reporter = Reporter(self.own.device())
        try:
            if is_loud:
                reporter.start()
            yield reporter
        finally:
            reporter.close()

    def settle(self, ended):
        """Waits until a little more than a second has passed since the moment `ended`."""
        time.sleep(max(0, ended + SECOND + 0.5 - time.monotonic()))

    def late(self, times, ended):
        """Returns the seconds from `ended` to the last of `times`, and asserts that they are fewer than `SECOND`."""
        last = max(times, default=ended) - ended
        self.assertLess(last, SECOND)
        return last

    # The rounds. In each round, a reader's access ends. Most rounds return the time from that end to the last message
    # that the reader received

    def user(self, reporter, number):
        """Returns a user who has bound the device, and the user's stream, on which messages have already arrived."""
        app = HTTPTerminal(self.own).login()
        app.get("device/bind", {"did": reporter.device.did, "passcode": reporter.device.passcode})
        stream = TimedStream(self.own, f"/{TOPICS}/stream", app.token, f"127.0.3.{1 + number % 200}")
        eventually(lambda: len(stream.events) > 5, 20, "events")
        return app, stream

    def end_session(self, number):
        with self.load() as reporter:
            app, stream = self.user(reporter, number)
            app.get("account/logout")
            ended = time.monotonic()
            self.settle(ended)
            self.assertFalse(stream.thread.is_alive())
            self.assertEqual(stream.events[-1], ("end", {"reason": "loggedOut"}))
            return self.late([at for at, *_ in stream.times], ended)

    def end_binding(self, number):
        with self.load() as reporter:
            app, stream = self.user(reporter, number)
            app.get("device/unbind", {"did": reporter.device.did})
            ended = time.monotonic()
            self.settle(ended)
            with contextlib.closing(stream):
                self.assertTrue(stream.thread.is_alive())
                # The stream also reports the deletion of the retained status, as a message without data. This message
                # reveals nothing, so the round ignores it.
                return self.late([at for at, name, data in stream.times if reporter.device.did in name and data], ended)

    def revoke(self, key):
        """Revokes a key, and returns the moment when the command reported the revocation."""
        lines = self.service.running("key", "revoke", key["keyId"], stdout=subprocess.PIPE)
        lines.stdout.readline()
        ended = time.monotonic()
        lines.stdout.read()
        lines.stdout.close()
        self.assertEqual(lines.wait(30), 0)
        return ended

    def end_key(self, number, kind=TimedFollower):
        with self.load() as reporter:
            made = self.make_key()
            reader = kind(self.service, made["key"], ALERTS, after="start")
            reader.start()
            eventually(lambda: reader.got, 20, "events")
            ended = self.revoke(made)
            self.settle(ended)
            reader.stop()
            if kind is TimedFollower:
                self.assertEqual(reader.refusals[-1]["code"], "InvalidToken")
            else:
                self.assertLess(min(at for at in reader.ends if at > ended), ended + SECOND)
            return self.late(reader.times, ended)

    def end_key_of_stream(self, number):
        return self.end_key(number, TimedEventStream)

    def end_key_while_it_waits(self, number):
        """If a reader's key ends while the reader waits for events, the reader gets no event that happens later."""
        with self.load(is_loud=False) as reporter:
            made = self.make_key()
            reader = TimedFollower(self.service, made["key"], ALERTS, after="now", wait=SECOND + 6)
            reader.start()
            time.sleep(0.4)
            ended = self.revoke(made)
            time.sleep(max(0, ended + SECOND - time.monotonic()))
            known = len(reader.got)
            reporter.report()
            time.sleep(1)
            own = [event for event in reader.got[known:] if event["did"] == reporter.device.did]
            reader.stopping.set()
            self.assertEqual(own, [], "an event that was made after its key had ended")
            return 0

    def hook(self, reporter):
        path = "/" + fresh_id("hook")
        made = self.ask("subscribe", name=path[1:], types=ALERTS, dids=[reporter.device.did], url=self.receiver.url(path))
        eventually(lambda: len(self.receiver.of(path)) > 3, 20, "posts")
        return path, made["subscriptionId"]

    def end_webhook(self, number):
        with self.load() as reporter:
            path, id = self.hook(reporter)
            if number % 2:
                self.ask("update", subscriptionId=id, state="paused")
            else:
                self.ask("unsubscribe", subscriptionId=id)
            ended = time.monotonic()
            self.settle(ended)
            late = [post.at for post in self.receiver.of(path)]
            if number % 2:
                self.ask("unsubscribe", subscriptionId=id)
            # A post that has already begun can still end, but no new post begins.
            self.assertLess(max(late) - ended, 0.05 if LONG else SECOND)
            return self.late(late, ended)

    def end_stored_cursor(self, number):
        with self.load() as reporter:
            id = self.ask("subscribe", name=fresh_id("s"), types=ALERTS, dids=[reporter.device.did])["subscriptionId"]
            reader = TimedFollower(self.service, self.key["key"], None, subscription=id)
            reader.start()
            eventually(lambda: reader.got, 20, "events")
            self.ask("unsubscribe", subscriptionId=id)
            ended = time.monotonic()
            self.settle(ended)
            reader.stop()
            self.assertEqual(reader.refusals[-1]["code"], "ResourceNotFound")
            return self.late(reader.times, ended)

    def test_nothing_is_delivered_a_second_after_the_end(self):
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        kinds = [self.end_session, self.end_binding, self.end_key, self.end_key_while_it_waits, self.end_webhook,
                 self.end_stored_cursor]
        if EventStream.is_there(self.service, self.key["key"]):
            kinds.append(self.end_key_of_stream)
        order = [kinds[number % len(kinds)] for number in range(ROUNDS)]
        dice.shuffle(order)
        latest, wrong = {}, []

        def one(number, kind):
            time.sleep(dice.random() * 0.2)
            late = kind(number)
            latest[kind.__name__] = max(latest.get(kind.__name__, -9), late)

        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            done = {pool.submit(one, number, kind): kind.__name__ for number, kind in enumerate(order)}
            for future in concurrent.futures.as_completed(done):
                if error := future.exception():
                    wrong.append(f"{done[future]}: {error!r}")
        print(f"({ROUNDS} rounds; the last byte came, in ms after the end: "
              f"{json.dumps({name: round(late * 1000) for name, late in latest.items()})}) ", end="", flush=True)
        self.assertEqual(wrong, [], f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
