"""Killed at any time, nothing that was answered is lost, nothing counts twice."""

import json
import random
import signal
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

import client as clients
from client import Terminal
from harness import TORTURE, Service, alive, eventually
from world import EndToEnd, OwnWorld

KILLS = 50 if TORTURE else 4
DEVICES = 8
COMMANDED = 5


class Sender(threading.Thread):
    """A device that must not lose a report: keeps it until its answer, sends it again with the same id."""

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
        # One report at a time, each changes a value: the version counts effects.
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
        """Runs the load while the fault strikes at random times; gives the senders back."""
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
        """The app, back again without help, finds each report once and the last status of each."""
        app = self.app
        if not app.connected:
            app = self.keep(Terminal(
                self.own.port, "test-app", app.token, terminal_id=app.terminal_id)).come()
            app.token, app.uid = self.app.token, self.app.uid
        app.unsubscribe(f"ll/v1/user/{app.uid}/#")
        app.clear()
        self.assertEqual(app.subscribe(f"ll/v1/user/{app.uid}/#"), 1)
        for sender in senders:
            did = sender.device.did
            status = app.get("device/status", {"did": did})
            self.assertEqual((status["version"], status["data"]["count"]), (sender.answered, sender.answered), did)
            self.assertTrue(status["online"], f"{did} is connected")
            retained = app.status(sender.device, lambda b: b["version"] == sender.answered and b["online"])
            self.assertEqual(retained["data"], status["data"])
            told = [m.body for m in sender.device.everything if m.leaf == "response"]
            self.assertEqual({a["id"] for a in told}, {f"n{i}" for i in range(1, sender.answered + 1)})

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
            # One that is always killed before anybody is back would only show that nobody is.
            if dice.random() < 0.5:
                eventually(self._is_ready, 60, "the service to be ready again")

        senders = self.load(fault)
        self.assertIsNone(self.own.service.process.poll(), "the service goes on")
        self.verify(senders)

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.own.service.http_port}/readyz", timeout=10) as answer:
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
    """Somebody at an app who must not lose a command: asks again with the same id until it is answered."""

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
        for _ in range(120):
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
    """A device that obeys each command once: one no newer than its last is ignored."""

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
                # The broker may hand over again what it has handed over; nothing else comes out of turn.
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
        # With a session on it, the terminal comes back by its token alone.
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
        """All commands of a device, the newest first."""
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
        # Each that was taken is there once, under the number that its answer told.
        self.assertEqual(sorted((c["sn"], c["cid"]) for c in commands), sorted(commander.taken))
        self.assertGreater(len(commands), 1)
        obeyed = {cid for _, cid in obedient.obeyed}
        self.assertLessEqual(obeyed, {c["cid"] for c in commands}, "the device obeyed what nobody was told of")
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


class AfterTheBrokersDeath(OwnWorld):
    def test_statuses_are_retained_again_and_who_does_not_come_back_is_offline(self):
        stays, gone, unbound = self.device(reconnect=True), self.device(), self.device()
        app = self.world.terminal(reconnect=True)
        for device in (stays, gone, unbound):
            app.bind(device)
            device.report(data={"power": True})
        app.get("device/unbind", {"did": unbound.did})
        self.own.service.kill_broker()
        eventually(lambda: not app.connected, 10, "the app's loss")
        app.close()

        back = Terminal(self.own.port, "test-app", app.token, terminal_id=app.terminal_id, reconnect=True)
        self.keep(back)

        def try_connect():
            try:
                return back.connect() == 0
            except OSError:
                return False
        eventually(try_connect, 30, "a new broker")
        back.token, back.uid = app.token, app.uid
        back.subscribe(f"{back.base}/#")
        back.subscribe(f"ll/v1/user/{app.uid}/#")
        back.status(gone, lambda b: not b["online"], 20)
        back.status(stays, lambda b: b["online"], 20)
        self.assertEqual(back.get("device/status", {"did": gone.did})["version"], 1)
        self.assertTrue(stays.report(data={"power": False})["ok"])
        back.status(stays, lambda b: b["data"]["power"] is False)
        shown = [m for m in back.everything if f"/device/{unbound.did}/status" in m.topic and m.payload]
        self.assertEqual(shown, [], "what isn't owed is not there")


class Restart(OwnWorld):
    def test_everything_is_there_after_a_kill_and_on_the_same_ports(self):
        device, app = self.device(), self.terminal()
        app.bind(device)
        device.report(data={"power": True, "brightness": 40})
        ports = (self.own.service.mqtt_port, self.own.service.http_port)
        self.own.service.kill()
        self.own.service.start()
        self.assertEqual((self.own.service.mqtt_port, self.own.service.http_port), ports)

        back = self.keep(Terminal(self.own.port, "test-app", app.token, terminal_id=app.terminal_id)).come()
        back.token, back.uid = app.token, app.uid
        self.assertEqual(back.subscribe(f"ll/v1/user/{app.uid}/#"), 1)
        status = back.status(device)
        self.assertEqual((status["version"], status["data"]), (1, {"power": True, "brightness": 40}))
        again = self.keep(clients.Device(self.own.port, device.did, device.secret)).come()
        self.assertEqual(again.report(data={"power": False})["version"], 2)
        back.status(device, lambda b: b["version"] == 2)

    def test_a_report_id_counts_once_across_the_restart(self):
        device = self.device()
        first = device.report(id="once", data={"count": 1})
        device.report(data={"count": 2})
        self.own.service.kill()
        self.own.service.start()
        again = self.keep(clients.Device(self.own.port, device.did, device.secret)).come()
        self.assertEqual(again.report(id="once", data={"count": 1}), first)
        self.assertEqual(again.report(data={"count": 3})["version"], 3)

    def test_a_request_id_counts_once_across_the_restart(self):
        device, app = self.device(reconnect=True), self.terminal()
        app.bind(device)
        params = {"did": device.did, "data": {"power": True}}
        first = app.ask("device/control", params, "once")
        self.own.service.kill()
        self.own.service.start()
        back = self.keep(Terminal(self.own.port, "test-app", app.token, terminal_id=app.terminal_id)).come()
        back.token, back.uid = app.token, app.uid
        self.assertEqual(back.ask("device/control", params, "once"), first)

    def test_kill_during_the_start_does_no_harm(self):
        service = self.own.service
        service.kill()
        for delay in (0.05, 0.2, 0.4, 0.8):
            process = subprocess.Popen(
                service.command(), stdin=subprocess.DEVNULL, stdout=service.log, stderr=service.log)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
        service.start()
        self.assertTrue(self.device().report(data={"power": True})["ok"])


class Stopping(OwnWorld):
    def test_sigterm_and_sigint_drain_within_five_seconds(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number.name):
                device = self.device()
                device.report(data={"power": True})
                broker = self.own.service.broker_pid
                code, seconds = self.own.service.stop(number)
                self.assertEqual(code, 0)
                self.assertLess(seconds, 5)
                self.assertFalse((self.own.service.data / "ready.json").exists())
                self.assertFalse(alive(broker))
                self.own.service.start()

    def test_a_second_service_on_the_same_directory_is_refused(self):
        device = self.device()
        for ports in (("0", "0"), (str(self.own.service.mqtt_port), str(self.own.service.http_port))):
            command = self.own.service.command()
            command[command.index("--mqtt-port") + 1], command[command.index("--http-port") + 1] = ports
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertTrue(done.stderr.strip() or done.stdout.strip())
            self.assertTrue(device.report(data={"power": True})["ok"], "the first goes on")
        self.assertEqual(json.loads((self.own.service.data / "ready.json").read_text())["pid"],
                         self.own.service.process.pid)

    def test_what_keeps_it_from_starting_is_said_in_one_sentence(self):
        taken = self.own.service.mqtt_port
        other = Service(arguments=[])
        self.addCleanup(other.close)
        for flag in ("--mqtt-port", "--http-port"):
            with self.subTest(flag=flag):
                command = other.command()
                command[command.index(flag) + 1] = str(
                    taken if flag == "--mqtt-port" else self.own.service.http_port)
                done = subprocess.run(command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
                self.assertIn("port", done.stderr + done.stdout)
                self.assertNotIn("Fatal error", done.stderr)
        self.assertTrue(self.device().report(data={"power": True})["ok"])


class Health(EndToEnd):
    def get(self, path):
        url = f"http://127.0.0.1:{self.world.service.http_port}{path}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()

    def test_it_says_that_it_is_well_and_ready(self):
        for path in ("/healthz", "/readyz"):
            with self.subTest(path=path):
                self.assertEqual(self.get(path)[0], 200)

    def test_metrics_are_in_prometheus_form(self):
        self.device().report(data={"power": True})
        _status, text = self.get("/metrics")
        self.assertIn("# HELP ", text)
        self.assertIn("# TYPE ", text)
        self.assertIn("\nlamplighter_broker_restarts_total 0\n", text)
        for line in text.splitlines():
            if line and not line.startswith("#"):
                self.assertRegex(line, r'^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? [-+0-9.eEInfNa]+$')


if __name__ == "__main__":
    unittest.main()
