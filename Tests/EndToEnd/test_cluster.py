"""Several processes on one database and one broker: what is lost, doubled or out of order when some of them fail."""

import collections
import itertools
import json
import random
import threading
import time
import unittest

import postgres
from client import fresh_id
from cluster import Cluster
from harness import TORTURE, eventually
from world import OwnWorldOfClass, World

DEVICES = 100 if TORTURE else 12
ROUNDS = 20 if TORTURE else 1
SEED = 4711
REPEAT_SECONDS = 3
# How long a lane may be quiet, in seconds. A machine that does other things beside is given more: there only what never
# ends fails.
QUIET = {"kill": 2, "freeze": 8, "stop": 0.5}
SLACK = 0 if TORTURE else 30


class Reporter(threading.Thread):
    """A device that counts: it reports the next number once the last one was answered, and repeats it until then."""

    def __init__(self, device):
        super().__init__(daemon=True)
        self.device, self.ended = device, threading.Event()
        self.count, self.versions, self.failures, self.answered, self.obeyed = 0, [], [], 0, 0
        self.longest, self.asked_at = 0.0, None

    def forget(self):
        """Begins to measure the longest wait for an answer anew."""
        self.longest, self.asked_at = 0.0, time.monotonic() if self.asked_at else None

    @property
    def quiet(self):
        """The longest wait for an answer since then, in seconds; one that goes on counts as well."""
        asked = self.asked_at
        return max(self.longest, time.monotonic() - asked if asked else 0)

    def run(self):
        try:
            while not self.ended.is_set():
                self.count += 1
                self.report(fresh_id("r"))
                self.ended.wait(0.05)
        except Exception as error:  # fails the test
            self.failures.append(repr(error))

    def report(self, id):
        self.asked_at = time.monotonic()
        for _ in range(20):
            self.device.send(id=id, data={"count": self.count})
            try:
                answer = self.device.response(id, REPEAT_SECONDS)
            except AssertionError:
                continue
            self.longest, self.asked_at = self.quiet, None
            assert answer["ok"], answer
            self.versions.append(answer["version"])
            self.answered += 1
            for message in self.device.unread("/command")[self.obeyed:]:
                self.device.send(cid=message.body["cid"], code=0)
                self.obeyed += 1
            return
        raise AssertionError(f"{id} was never answered")


@unittest.skipUnless((postgres.PROGRAMS / "postgres").exists(), "PostgreSQL is not installed")
class Failover(OwnWorldOfClass):
    """Three processes under load; each failure in turn."""

    @classmethod
    def make_world(cls):
        cls.cluster = Cluster(3)
        return World(watch=False, service=cls.cluster)

    def test_whatever_fails_nothing_is_lost_doubled_or_out_of_order(self):
        chance = random.Random(SEED)
        slow = [self.freeze, self.freeze_in_transaction, self.cut_from_database, self.cut_from_broker]
        failures = [self.kill, *(slow if TORTURE else chance.sample(slow, 2)), self.stop]
        reporters, terminal = self.load()
        figures = collections.defaultdict(list)
        for failure in failures * ROUNDS:
            victim = chance.choice(self.cluster.nodes)
            for reporter in reporters:
                reporter.forget()
            bound = failure(victim)
            self.all_answered_again(reporters)
            quiet = max(reporter.quiet for reporter in reporters)
            figures[failure.__name__].append(round(quiet, 2))
            self.mend(victim)
            self.assertLessEqual(quiet, bound + SLACK, f"{failure.__name__} of {victim.name}: {dict(figures)}")
        print("quiet:", json.dumps(figures))
        self.check(reporters, terminal)

    # What fails; each gives the seconds that a lane may be quiet.

    def kill(self, node):
        node.kill()
        return QUIET["kill"]

    def freeze(self, node):
        node.freeze()
        return QUIET["freeze"]

    def freeze_in_transaction(self, node):
        """Frozen at a moment at which the database waits for the rest of one of its transactions."""
        def is_within():
            for reporter in self.reporters:
                reporter.forget()
            node.freeze()
            # Those of the other processes are over by the second look.
            if self.waiting_transactions() & self.waiting_transactions():
                return True
            node.thaw()
            return False

        eventually(is_within, 30, "a freeze within a transaction")
        return QUIET["freeze"]

    def waiting_transactions(self):
        """The transactions that the database waits for a statement of."""
        rows = self.cluster.server.sql(
            "SELECT pid, xact_start FROM pg_stat_activity WHERE state = 'idle in transaction'", "shared")
        return set(rows.split("\n")) - {""}

    def cut_from_database(self, node):
        node.database_way.cut()
        return QUIET["freeze"]

    def cut_from_broker(self, node):
        node.broker_way.cut()
        return QUIET["freeze"]

    def stop(self, node):
        code, _ = node.stop()
        self.assertEqual(code, 0, node.tail())
        return QUIET["stop"]

    # The load, and what must be true of it.

    def load(self):
        terminal = self.terminal()
        reporters = []
        for _ in range(DEVICES):
            device = self.device()
            terminal.bind(device)
            reporters.append(Reporter(device))
        self.reporters = reporters
        for reporter in reporters:
            reporter.start()
            self.addCleanup(reporter.ended.set)
        self.commanding = threading.Event()
        threading.Thread(target=self.command, args=(terminal, reporters), daemon=True).start()
        self.addCleanup(self.commanding.set)
        return reporters, terminal

    def command(self, terminal, reporters):
        for number in itertools.count():
            if self.commanding.wait(0.05):
                return
            did = reporters[number % len(reporters)].device.did
            terminal.send("device/control", {"did": did, "data": {"power": number % 2 == 0}}, fresh_id("c"))

    def all_answered_again(self, reporters):
        before = [reporter.answered for reporter in reporters]
        eventually(lambda: all(r.answered > n + 1 or r.failures for r, n in zip(reporters, before)), 60, "all answers")

    def mend(self, node):
        """Brings a process back, and waits until it has its share."""
        node.broker_way.mend()
        node.database_way.mend()
        if node.process.poll() is None:
            node.thaw()
        eventually(lambda: node.process.poll() is not None or self.has_share(node), 30, f"the share of {node.name}")
        if node.process.poll() is not None:
            node.start()
        self.cluster.settle()

    def has_share(self, node):
        return (self.cluster.shares() or {}).get(node.name)

    def check(self, reporters, terminal):
        self.commanding.set()
        for reporter in reporters:
            reporter.ended.set()
        for reporter in reporters:
            reporter.join(70)
            self.assertEqual(reporter.failures, [])
        seen, last = collections.defaultdict(list), {}
        eventually(lambda: self.all_told(reporters, terminal, last), 30, "the last status of each device")
        for message in list(terminal.everything):
            if message.topic.endswith("/status") and message.body:
                seen[message.body["did"]].append(message.body["version"])
        for reporter in reporters:
            device = reporter.device
            # Each report was answered, and took effect once.
            self.assertEqual(len(reporter.versions), reporter.count)
            self.assertEqual(reporter.versions[-1] - reporter.versions[0], reporter.count - 1, device.did)
            self.assertEqual(sorted(seen[device.did]), seen[device.did], f"statuses of {device.did}")
            # Some may come again behind a failure, but none for the first time behind a later one.
            cids = list(dict.fromkeys(m.body["cid"] for m in device.everything if m.topic.endswith("/command")))
            self.assertEqual(sorted(cids), cids, f"commands of {device.did}")
            self.assertTrue(cids)

    def all_told(self, reporters, terminal, last):
        for message in list(terminal.everything):
            if message.topic.endswith("/status") and message.body:
                last[message.body["did"]] = message.body["data"].get("count")
        return all(last.get(reporter.device.did) == reporter.count for reporter in reporters)
