"""Processes share a database and broker, and no failure loses, duplicates or reorders anything.

LAMPLIGHTER_LONG=1 uses 400 devices, 2,000 reports a second and 20 rounds of each failure. It also runs the control
experiments. LAMPLIGHTER_DEVICES, LAMPLIGHTER_RATE and LAMPLIGHTER_ROUNDS reduce these numbers. LAMPLIGHTER_FAILURES
lists the failures, separated by commas.
"""

import collections
import fcntl
import json
import os
import pathlib
import random
import shutil
import subprocess
import time
import unittest

import postgres
from cluster import OwnClusterOfClass
from fleet import FleetProcess
from harness import BINARY, IS_DEBUG, LONG, Service, eventually
from world import SETTINGS

DEVICES = int(os.environ.get("LAMPLIGHTER_DEVICES", 400 if LONG else 24))
REPORTS_A_SECOND = int(os.environ.get("LAMPLIGHTER_RATE", 2000 if LONG else 100))
TERMINALS, COMMANDS_A_SECOND = (8, 40) if LONG else (2, 20)
ROUNDS = int(os.environ.get("LAMPLIGHTER_ROUNDS", 20 if LONG else 1))
SEED = int(os.environ.get("LAMPLIGHTER_SEED", 4711))
# The number of seconds for which a lane can be quiet after each failure. The test adds SLACK to this number. On a busy
# machine or with a debug build, SLACK is so long that the test fails only if a wait never ends.
QUIET = {"kill": 2, "freeze": 8, "stop": 0.5}
SLACK = float(os.environ.get("LAMPLIGHTER_SLACK", 0 if LONG and not IS_DEBUG else 15))


class Processes(OwnClusterOfClass):
    """Three processes under load, and the ways to make one of them fail."""

    processes = 3

    def load(self, devices=DEVICES, terminals=TERMINALS, reports=REPORTS_A_SECOND, commands=COMMANDS_A_SECOND, hasty=False):
        plan = {"port": self.cluster.broker_port, "rate": reports, "commands": commands, "hasty": hasty, "devices": [],
                "terminals": []}
        for number in range(terminals):
            terminal = self.world.terminal()
            dids = []
            for _ in range(number, devices, terminals):
                device = self.world.device(connect=False)
                terminal.bind(device)
                dids.append(device.did)
                plan["devices"].append({"did": device.did, "secret": device.secret})
            terminal.close()
            plan["terminals"].append({
                "app": terminal.app_id, "terminal": terminal.terminal_id, "token": terminal.token, "uid": terminal.uid,
                "dids": dids})
        self.fleet = FleetProcess(plan)
        self.addCleanup(self.fleet.close)
        self.all_answered_again()

    def all_answered_again(self, seconds=60):
        before = self.fleet.ask("show")["answered"]
        return eventually(lambda: self.are_answered(before), seconds, "all answers")

    def are_answered(self, before):
        state = self.fleet.ask("show")
        return state if state["errors"] or all(b > a + 1 for a, b in zip(before, state["answered"])) else None

    # The functions that cause failures. Each function returns how many seconds a lane can be quiet after the failure.

    def nothing(self, _):
        """Causes no failure, to show how long lanes are quiet if all processes work.

        This function runs only if `LAMPLIGHTER_FAILURES` contains `nothing`.
        """
        return float("inf")

    def kill(self, node):
        node.kill()
        return QUIET["kill"]

    def freeze(self, node):
        node.freeze()
        return QUIET["freeze"]

    def freeze_until_replaced(self, node):
        """Freezes a process until other processes have taken its lanes; the process still holds old messages."""
        node.freeze()
        eventually(lambda: not self.holds(node), 20, "others with its lanes")
        node.thaw()
        return QUIET["freeze"]

    def holds(self, node):
        return int(self.sql(f"SELECT count(*) FROM lease JOIN node USING (node) WHERE name = '{node.name}'"))

    def freeze_in_transaction(self, node):
        """Freezes a process in the middle of one of its database transactions."""
        def is_within():
            self.fleet.ask("forget")
            node.freeze()
            # When the second query runs, the transactions of the other processes have already ended. Therefore, only a
            # frozen transaction is in both results.
            if self.waiting_transactions() & self.waiting_transactions():
                return True
            node.thaw()
            return False

        eventually(is_within, 60, "a freeze within a transaction")
        return QUIET["freeze"]

    def freeze_in_pipeline(self, node):
        """Freezes a process in the middle of a pipeline, so that the database server considers the session busy."""
        node.database_way.withhold_ends()
        eventually(self.owed_lanes, 60, "a lane's transaction within a pipeline")
        self.fleet.ask("forget")
        node.freeze()
        return QUIET["freeze"]

    def owed_lanes(self):
        """Returns how many lanes have a transaction with an incomplete pipeline."""
        return int(self.sql(
            "SELECT count(DISTINCT a.pid) FROM pg_stat_activity AS a JOIN pg_locks AS l USING (pid) WHERE a.state = 'active' "
            "AND a.wait_event = 'ClientRead' AND l.relation = 'lease'::regclass AND l.mode = 'RowShareLock' "
            "AND a.xact_start < clock_timestamp() - interval '0.2 s'"))

    def waiting_transactions(self):
        """Returns the open transactions that wait for their next statement."""
        rows = self.sql("SELECT pid, xact_start FROM pg_stat_activity WHERE state = 'idle in transaction'")
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

    def sql(self, statement):
        return self.cluster.server.sql(statement, "shared")

    def mend(self, node):
        """Makes a process work again, and waits until it has its share of the lanes."""
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

    def rest(self, behind):
        """Pauses the fleet, and waits until each report is answered and its status is published."""
        self.fleet.ask("rest")
        began = time.monotonic()
        state = eventually(
            self.all_told, 60, lambda: f"the last status of each device behind {behind}: {self.fleet.ask('show')}")
        return state, round(time.monotonic() - began, 1)

    def all_told(self):
        state = self.fleet.ask("show")
        return state if not state["waiting"] and not state["untold"] or state["errors"] else None


class Failover(Processes):
    """Each failure in turn."""

    def test_no_failure_loses_doubles_or_reorders_anything(self):
        chance = random.Random(SEED)
        slow = [self.freeze, self.freeze_until_replaced, self.freeze_in_transaction, self.freeze_in_pipeline,
                self.cut_from_database, self.cut_from_broker]
        failures = [self.kill, *(slow if LONG else chance.sample(slow, 1)), self.stop]
        if wanted := os.environ.get("LAMPLIGHTER_FAILURES"):
            failures = [getattr(self, name) for name in wanted.split(",")]
        self.load()
        figures, rests, late = collections.defaultdict(list), collections.defaultdict(list), []
        began = self.fleet.ask("show")
        for failure in failures * ROUNDS:
            victim = chance.choice(self.cluster.nodes)
            self.fleet.ask("forget")
            bound = failure(victim)
            state = self.all_answered_again()
            figures[failure.__name__].append(round(state["quiet"], 2))
            self.assertEqual(state["errors"], [], f"{failure.__name__} of {victim.name}: {dict(figures)}")
            if state["quiet"] > bound + SLACK:
                late.append(f"{failure.__name__} of {victim.name}: {state['quiet']:.2f} s, {state['slowest']}")
            self.mend(victim)
            rests[failure.__name__].append(self.rest(f"{failure.__name__} of {victim.name}")[1])
            self.fleet.ask("go")
        end = self.fleet.ask("show")
        rested = sum(map(sum, rests.values()))
        rate = (sum(end["answered"]) - sum(began["answered"])) / (end["at"] - began["at"] - rested)
        print("quiet:", json.dumps(figures))
        print("then all told after:", json.dumps(rests))
        print(f"answered: {sum(end['answered'])}, {rate:.0f} a second; commands: {end['commands']}, come again: {end['again']}")
        self.check()
        self.assertEqual(late, [], "lanes were quiet for too long")

    def check(self):
        state, _ = self.rest("everything")
        # Each report was answered, took effect once and is stored. The fleet has checked the order of its messages.
        self.assertEqual(state["errors"], [])
        self.assertEqual(sum(state["answered"]), state["sent"])
        self.assertTrue(state["commands"])
        stored = dict(row.split("|") for row in self.sql("SELECT did, version FROM status").split("\n") if row)
        self.assertEqual({did: int(stored[did]) for did in state["versions"]}, state["versions"])


class Alone(OwnClusterOfClass):
    """A cluster of one process, whose lanes no other process can take."""

    def test_killed_and_started_again_it_has_its_lanes_at_once(self):
        device, terminal = self.pair()
        node = self.cluster.nodes[0]
        for _ in range(3):
            node.kill()
            node.start()
            began = time.monotonic()
            eventually(lambda: terminal.ask("device/status", {"did": device.did})["ok"], 30, "an answer")
            # Other processes wait six seconds before they take a silent process's lanes. This process must not wait
            # that long.
            self.assertLess(time.monotonic() - began, 4)

    def test_logins_continue_although_a_process_is_frozen_in_its_turn_at_the_gates_file(self):
        device, terminal = self.pair()
        with open(f"{self.cluster.gate_file}.lock", "rb+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            late = self.terminal(login=False)
            late.send("account/loginAnonymous", {"countryCode": "49", "platform": "test", "os": "none"}, "late")
            # Meanwhile, requests that don't change the gate's file are answered.
            for _ in range(20):
                began = time.monotonic()
                self.assertTrue(terminal.ask("device/status", {"did": device.did})["ok"])
                self.assertLess(time.monotonic() - began, 4)
            late.adopt(late.answer("account/loginAnonymous", "late", 60)["result"])
        another = self.terminal()
        self.assertTrue(another.ask("account/whoami")["ok"])

    def test_status_shows_how_far_each_lane_is_behind(self):
        lanes = self.cluster.nodes[0].status()["lanes"]
        self.assertEqual(len(lanes), 49)
        self.assertTrue(all(lane["lagMilliseconds"] >= 0 and (lane["outbox"] > 0 or lane["lagMilliseconds"] == 0) for lane in lanes))
        self.assertRegex(self.cluster.nodes[0].cli("cluster", "status").stdout, r"(?m)^LANE +PROCESS +EPOCH +OUTBOX +BEHIND$")

    def test_a_process_that_would_do_all_the_work_is_refused_beside_it(self):
        node = self.cluster.nodes[0]
        other = Service(self.cluster.folder / "other", store=node.store)
        self.addCleanup(other.close)
        other.data.mkdir(mode=0o700)
        shutil.copy2(node.data / "server.key", other.data / "server.key")
        done = other.cli("up", "--mqtt-port", "0", "--http-port", "0", "--health-port", "0", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("LL1030", done.stderr)
        self.assertIn("lamplighter p-", done.stderr)


@postgres.installed
class BesideUp(unittest.TestCase):
    """A process that runs its own broker, and a database that other processes could use too."""

    def test_a_cluster_process_is_refused_beside_up(self):
        server = postgres.Server()
        self.addCleanup(server.close)
        up = Service(arguments=SETTINGS, store=server.make())
        self.addCleanup(up.close)
        up.start()
        for command in ("serve", "up"):
            with self.subTest(command=command):
                other = Service(store=up.store)
                self.addCleanup(other.close)
                other.data.mkdir(mode=0o700, exist_ok=True)
                shutil.copy2(up.data / "server.key", other.data / "server.key")
                ports = ["--http-port", "0", "--health-port", "0"] + (["--mqtt-port", "0"] if command == "up" else [])
                done = other.cli(command, *ports, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("LL1030", done.stderr)
                self.assertIn("lamplighter up p-", done.stderr)
        up.kill()
        up.start()


class Inherited(OwnClusterOfClass):
    """One of two processes dies after its commit, before it writes the gate's file."""

    processes = 2

    def holder(self):
        """Returns the process that holds the lock of the gate's file and has written its promise, or None.

        Before a commit, a process writes a promise to update the gate's file into the lock's file.
        """
        lock = pathlib.Path(f"{self.cluster.gate_file}.lock").stat()
        if lock.st_size == 0:
            return None
        locks = [line.split() for line in pathlib.Path("/proc/locks").read_text().splitlines()]
        pids = [int(words[4]) for words in locks if words[1] == "FLOCK" and words[5].endswith(f":{lock.st_ino}")]
        return next((node for node in self.cluster.nodes if node.process.pid in pids), None)

    def test_a_committed_login_is_known_to_the_gate_before_it_is_answered(self):
        for _ in range(3):
            late = self.terminal(login=False)
            self.cluster.server.hold_commits()
            late.send("account/loginAnonymous", {"countryCode": "49", "platform": "test", "os": "none"}, "late")
            node = eventually(self.holder, 20, "the commit")
            eventually(lambda: self.cluster.server.held_commits("lamplighter p-%"), 20, "the wait for a standby")
            node.kill()
            # Another process changes the gate's file before it is known whether the commit has succeeded.
            other = next(other for other in self.cluster.nodes if other is not node)
            tool = subprocess.Popen(
                [str(BINARY), "service", "add", "probe", "--role", "gateway", "--data", str(other.data), *self.cluster.shared_files(other)],
                env=other.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(1)
            self.assertIsNone(tool.poll())
            self.cluster.server.let_commits_go()
            self.assertEqual(tool.wait(60), 0)
            # The terminal connects with its new session.
            late.adopt(late.answer("account/loginAnonymous", "late", 60)["result"])
            self.assertTrue(late.ask("account/whoami")["ok"])
            node.start()
            self.cluster.settle()


@unittest.skipUnless(LONG, "the controls take minutes")
class WithoutInbox(Processes):
    """A control experiment: one safeguard is disabled, to show that the tests notice the failures."""

    def test_reports_take_effect_twice(self):
        self.load()
        self.sql("CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        self.sql("CREATE TRIGGER nothing BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION nothing()")
        for _ in range(ROUNDS):
            victim = random.choice(self.cluster.nodes)
            self.kill(victim)
            state = self.all_answered_again()
            self.mend(victim)
            if state["errors"]:
                return print("without inbox:", state["errors"][0])
        self.fail("nothing took effect twice")


@unittest.skipUnless(LONG, "the controls take minutes")
class WithoutIdleTimeout(Processes):
    replacements = {
        "idle_in_transaction_session_timeout = '2s'": "idle_in_transaction_session_timeout = '0s'",
        # Without this replacement, the processes would read the changed setting and refuse to start.
        "current_setting('idle_in_transaction_session_timeout')": "'2s'::text".ljust(54),
        # Without this replacement, the process that takes over the lanes would end the frozen process's sessions.
        "pg_terminate_backend(a.pid)": "(a.pid > 0)".ljust(27),
    }

    def test_a_lane_is_quiet_as_long_as_its_process_is_frozen_in_a_transaction(self):
        self.load()
        self.freeze_in_transaction(victim := random.choice(self.cluster.nodes))
        frozen_at = time.monotonic()
        longest = QUIET["freeze"] + 4
        state = eventually(
            lambda: time.monotonic() - frozen_at > longest and self.fleet.ask("show"), longest + 10, "the time")
        self.mend(victim)
        print("without idle time-out:", round(state["quiet"], 2))
        self.assertGreater(state["quiet"], longest - 1)


@unittest.skipUnless(LONG, "the controls take minutes")
class WithoutFence(Processes):
    replacements = WithoutIdleTimeout.replacements | {
        # With these replacements, the processes do not check or lock the lease.
        "lane = $2 AND epoch = $3 AND node": "lane = $2 AND epoch >=$3 AND node",
        "FOR KEY SHARE) AS own": ") AS own".ljust(21),
    }

    def test_a_frozen_process_commits_its_work_although_another_has_its_lanes(self):
        # The frozen process's commits are published late. Until then, a device that waits for answers would rarely
        # report. So the devices of this test don't wait.
        self.load(reports=REPORTS_A_SECOND / 3, hasty=True)
        for _ in range(ROUNDS):
            victim = random.choice(self.cluster.nodes)
            self.freeze_in_transaction(victim)
            eventually(lambda: not self.holds(victim), 20, "others with its lanes")
            # Perhaps the frozen transaction holds no lock in this round. Then no process waits for this transaction,
            # and the test goes on after three seconds. In a later round, the frozen transaction will hold a lock.
            late = time.monotonic() + 3
            eventually(lambda: self.waits_for_frozen() or time.monotonic() > late, 10, "others that wait for it")
            victim.thaw()
            self.mend(victim)
            state = self.all_answered_again()
            if behind := [error for error in state["errors"] if "came behind" in error]:
                return print("without fence:", behind[0])
        self.fail("nothing was out of order")

    def waits_for_frozen(self):
        """Counts the transactions that are blocked by a transaction older than three seconds."""
        return int(self.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE EXISTS (SELECT 1 FROM pg_stat_activity AS b "
            "WHERE b.pid = ANY (pg_blocking_pids(pg_stat_activity.pid)) AND b.xact_start < now() - interval '3 s')"))
