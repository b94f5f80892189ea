"""A service that is killed at any time loses nothing that it has answered, and counts nothing twice."""

import random
import threading
import time
import unittest
import urllib.error
import urllib.request

from client import Terminal
from harness import LONG, alive, eventually
from world import OwnWorld

KILLS = 50 if LONG else 4
DEVICES = 8
COMMANDED = 5


class Sender(threading.Thread):
    """A device that repeats a report, with the same id, until it is answered."""

    def __init__(self, device, stop):
        super().__init__(daemon=True)
        self.device, self.stop = device, stop
        self.answered, self.again, self.wrong = 0, 0, []

    def run(self):
        try:
            while not self.stop.is_set():
                self.answered += 1
                self.one(self.answered)
        except AssertionError as error:
            self.wrong.append(str(error))

    def one(self, number):
        body = {"id": f"n{number}", "data": {"count": number}}
        if number % 5 == 0:
            body["alerts"] = [{"name": "smoke", "value": number % 10 == 0}]
        for _ in range(120):
            self.device.publish(f"{self.device.base}/report", body, wait=False)
            try:
                answer = self.device.response(body["id"], 1)
                break
            except AssertionError:
                self.again += 1
        else:
            raise AssertionError(f"{self.device.did}: report {number} was never answered")
        # The device sends one report at a time, and each report changes a value. So the version is the number of
        # reports that have taken effect.
        if not answer["ok"] or answer["version"] != number:
            raise AssertionError(f"{self.device.did}: report {number} was answered {answer}")


class UnderLoad(OwnWorld):
    def prepare(self):
        self.devices = [self.device(reconnect=True, keepalive=5) for _ in range(DEVICES)]
        self.secret = "account-of-the-crash-test"
        self.app = self.terminal(device_id=self.secret)
        for device in self.devices:
            self.app.bind(device)

    def load(self, fault):
        """Runs the load while `fault` causes failures at random times, and returns the senders."""
        stop = threading.Event()
        senders = [Sender(device, stop) for device in self.devices]
        for sender in senders:
            sender.start()
        seed = random.randrange(2 ** 32)
        dice = random.Random(seed)
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.05, 1.0))
            fault(dice)
        time.sleep(0.3)
        stop.set()
        for sender in senders:
            sender.join(180)
        wrong = [line for sender in senders for line in sender.wrong]
        self.assertEqual(wrong, [], f"seed {seed}")
        self.assertFalse([s for s in senders if s.is_alive()], "a device still waits for its answer")
        self.assertGreater(sum(s.answered for s in senders), KILLS)
        return senders

    def verify(self, senders):
        """Asserts that the app finds every report exactly once, and each device's last status."""
        app = self.app
        if not app.connected:
            app = self.keep(Terminal(
                self.own.port, "test-app", app.token, terminal_id=app.terminal_id)).come()
            app.token, app.uid = self.app.token, self.app.uid
        app.unsubscribe(f"ll/v1/user/{app.uid}/#")
        app.clear()
        self.assertEqual(app.subscribe(f"ll/v1/user/{app.uid}/#"), 1)
        # One worker answers requests, a different worker handles reports. The first one can still be starting.
        eventually(lambda: self._is_answered(app), 30, "the control worker's return")
        for sender in senders:
            did = sender.device.did
            status = app.get("device/status", {"did": did})
            self.assertEqual((status["version"], status["data"]["count"]), (sender.answered, sender.answered), did)
            self.assertTrue(status["online"], f"{did} is connected")
            retained = app.status(sender.device, lambda b: b["version"] == sender.answered and b["online"])
            self.assertEqual(retained["data"], status["data"])
            told = [m.body for m in sender.device.everything if m.leaf == "response"]
            self.assertEqual({a["id"] for a in told}, {f"n{i}" for i in range(1, sender.answered + 1)})

    @staticmethod
    def _is_answered(app):
        """Sends a request without repeating it, and returns whether the answer is ok."""
        try:
            return app.ask("device/list", seconds=2)["ok"]
        except AssertionError:
            return False

    def test_the_service_killed_at_random_times(self):
        self.prepare()

        def fault(_dice):
            self.own.service.kill()
            self.own.service.start()

        senders = self.load(fault)
        self.verify(senders)

    def test_the_broker_killed_at_random_times(self):
        self.prepare()

        def fault(dice):
            old = self.own.service.broker_pid
            self.own.service.kill_broker()
            eventually(lambda: self._new_broker(old), 30, "a new broker")
            # In about half of the rounds, the clients can reconnect before the next kill. If they never could, the test
            # would prove too little.
            if dice.random() < 0.5:
                eventually(self._is_ready, 60, "the service to be ready again")

        senders = self.load(fault)
        self.assertIsNone(self.own.service.process.poll(), "the service goes on")
        self.verify(senders)

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.own.service.health_port}/readyz", timeout=10) as answer:
                return answer.status == 200
        except urllib.error.HTTPError:
            return False

    def _new_broker(self, old):
        try:
            pid = self.own.service.broker_pid
        except (FileNotFoundError, ValueError):
            return False
        return pid != old and alive(pid)


class Commander(threading.Thread):
    """A user who repeats a command with the same id until it is answered."""

    def __init__(self, app, did, dice, stop):
        super().__init__(daemon=True)
        self.app, self.did, self.dice, self.stop = app, did, dice, stop
        self.taken, self.wrong = [], []

    def run(self):
        number = 0
        while not self.stop.is_set():
            number += 1
            mode = self.dice.choice(["now", "queue", "queue"])
            params = {"did": self.did, "mode": mode, "ttl": 20, "sn": number, "data": {"count": number}}
            answer = self.ask(params, f"{self.did}-{number}")
            if answer is None:
                self.wrong.append(f"{self.did}: command {number} was never answered")
                return
            if answer["ok"]:
                self.taken.append((number, answer["result"]["cid"]))
            elif mode == "queue" or answer["error"]["code"] != "DeviceOffline":
                self.wrong.append(f"{self.did}: command {number}: {answer}")
                return

    def ask(self, params, id):
        # This loop has a time limit, not a limit on the number of attempts. Without a connection, an attempt takes no
        # time. With a connection, an attempt takes a second, and a kill can disturb many attempts.
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                self.app.send("device/control", params, id)
                answer = self.app.answer("device/control", id, 1)
            except (AssertionError, RuntimeError):
                time.sleep(0.1)
                continue
            if answer["ok"] or answer["error"]["code"] != "Unavailable":
                return answer
        return None


class Obedient(threading.Thread):
    """A device that obeys only commands newer than the last one it obeyed."""

    def __init__(self, device, stop):
        super().__init__(daemon=True)
        self.device, self.stop = device, stop
        self.obeyed, self.backwards = [], []

    def run(self):
        last = 0
        while not self.stop.is_set():
            try:
                command = self.device.expect("/command", seconds=0.3).body
            except AssertionError:
                continue
            if command["cid"] <= last:
                # The broker can deliver a message twice. Apart from such repeats, commands arrive in order.
                if (command["sn"], command["cid"]) not in self.obeyed:
                    self.backwards.append(f"{self.device.did}: cid {command['cid']} after {last}")
                continue
            last = command["cid"]
            self.obeyed.append((command["sn"], command["cid"]))
            report = {"id": f"o{last}", "cid": last, "data": command["data"]}
            for _ in range(60):
                self.device.publish(f"{self.device.base}/report", report, wait=False)
                try:
                    self.device.response(report["id"], 1)
                    break
                except AssertionError:
                    pass


class CommandsUnderLoad(OwnWorld):
    def test_no_command_is_lost_or_doubled_when_the_service_is_killed(self):
        self.app = self.keep(self.world.terminal(reconnect=True))
        stop, done = threading.Event(), threading.Event()
        seed = random.randrange(2 ** 32)
        dice = random.Random(seed)
        pairs = []
        for _ in range(COMMANDED):
            device = self.device(reconnect=True, keepalive=5)
            self.app.bind(device)
            commander = Commander(self.app, device.did, random.Random(dice.random()), stop)
            pairs.append((commander, Obedient(device, done)))
        # While it has a session, the terminal can reconnect only with its token.
        self.app.paho.username_pw_set("app:test-app", self.app.token)
        for thread in sum(pairs, ()):
            thread.start()
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.05, 1.0))
            self.own.service.kill()
            self.own.service.start()
        time.sleep(0.5)
        stop.set()
        for commander, _ in pairs:
            commander.join(180)
        self.assertEqual(sum((c.wrong for c, _ in pairs), []), [], f"seed {seed}")
        eventually(lambda: self.app.connected, 30, "the app's return")
        for commander, _ in pairs:
            eventually(lambda: self.all_ended(commander.did), 90, f"every command's end (seed {seed})")
        done.set()
        for commander, obedient in pairs:
            obedient.join(120)
            with self.subTest(seed=seed, did=commander.did):
                self.verify(commander, obedient)

    def log(self, did):
        """Returns all commands of a device, the newest first."""
        found, cursor = [], None
        while True:
            page = self.app.get("device/commands", {"did": did, "limit": 1000,
                                                    **({"cursor": cursor} if cursor else {})})
            found += page["commands"]
            cursor = page.get("cursor")
            if cursor is None:
                return found

    def all_ended(self, did):
        return all(c["state"] not in ("queued", "sent") for c in self.log(did))

    def verify(self, commander, obedient):
        commands = self.log(commander.did)
        self.assertEqual([c["cid"] for c in commands], sorted({c["cid"] for c in commands}, reverse=True))
        self.assertEqual(obedient.backwards, [])
        # The log has each accepted command exactly once, with the number that the answer contained.
        self.assertEqual(sorted((c["sn"], c["cid"]) for c in commands), sorted(commander.taken))
        self.assertGreater(len(commands), 1)
        obeyed = {cid for _, cid in obedient.obeyed}
        self.assertLessEqual(obeyed, {c["cid"] for c in commands}, "the device obeyed an unpublished command")
        for command in commands:
            states = [s["state"] for s in command["steps"]]
            self.assertLessEqual(states.count("sent"), 1)
            self.assertIn(command["state"], ("done", "superseded", "expired"), command)
            for step in command["steps"]:
                if step["state"] in ("sent", "done"):
                    self.assertLess(step["ts"], command["expiresAt"], command)
            if command["state"] == "done":
                self.assertIn(command["cid"], obeyed)
        last = max(commands, key=lambda c: c["cid"])
        if last["state"] == "done":
            status = self.app.get("device/status", {"did": commander.did})
            self.assertEqual(status["data"]["count"], last["sn"])


if __name__ == "__main__":
    unittest.main()
