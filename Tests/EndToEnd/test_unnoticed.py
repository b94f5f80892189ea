"""Honest clients stay below every default limit: no client is refused, slowed down or cut off.

With LAMPLIGHTER_LONG=1, the largest simulation has a thousand devices. Otherwise, it has a hundred.
"""

import json
import secrets
import subprocess
import threading
import time
import unittest

from client import Device, Terminal, fresh_id, fresh_mac, fresh_terminal, now
from harness import LONG, TOPICS, Service
from world import FREE, LAMP, OwnWorldOfClass, World


class Unnoticed(OwnWorldOfClass):
    """A service with default settings, and a client that receives reports of all refusals."""

    @classmethod
    def make_world(cls):
        return World(service=Service())

    def setUp(self):
        super().setUp()
        self.world.watcher.clear()
        self.addCleanup(self._nobody_was_refused)

    def _nobody_was_refused(self):
        # The test publishes this mark last. Reports of earlier refusals arrive before the mark.
        mark = secrets.token_hex(8)
        tool = self.world.tool(mark)
        tool.connect()
        tool.publish(f"{TOPICS}/mark/{mark}", {})
        self.world.watcher.expect(f"mark/{mark}")
        tool.close()
        self.assertEqual([m.body for m in self.world.watcher.unread("system/refusal")], [])

    def simulate(self, *arguments):
        return json.loads(self.world.service.cli("simulate", "--json", *arguments).stdout.splitlines()[-1])


class Simulated(Unnoticed):
    def test_the_demo_with_its_app(self):
        summary = self.simulate_with_app()
        self.assertIn("lost 0  refused 0", summary)
        self.assertNotIn("last error", summary)

    def simulate_with_app(self):
        done = self.world.service.cli("simulate", "--app", "--devices", "10", "--rate", "20", "--duration", "10" if LONG else "5")
        return done.stdout.splitlines()[-1]

    def test_a_thousand_devices(self):
        devices, rate, seconds = (1000, 200, 15) if LONG else (100, 50, 5)
        summary = self.simulate("--devices", str(devices), "--rate", str(rate), "--duration", str(seconds))
        self.assertGreater(summary["sent"], devices, summary)
        self.assertEqual((summary["lost"], summary["refused"]), (0, 0), summary)


class ComesBack(Unnoticed):
    """A device that was offline for a long time has 500 stored reports."""

    count = 500

    def stored(self):
        first = now() - 60_000 * self.count
        return [{"ts": first + 60_000 * number, "data": {"temperature": number % 100 / 4}}
                for number in range(self.count)]

    def test_with_one_message(self):
        for version in (5, 4):
            with self.subTest(version=version):
                device, terminal = self.pair(version=version)
                answer = device.report(reports=self.stored())
                self.assertTrue(answer["ok"], answer)
                self.assert_told(device, terminal)

    def test_with_one_message_each_and_sixteen_in_flight(self):
        for version in (5, 4):
            with self.subTest(version=version):
                device, terminal = self.pair(version=version)
                self.send_all(device, [{"id": fresh_id("s"), **report} for report in self.stored()])
                self.assert_told(device, terminal)
                self.assertIsNone(device.lost, "its connection stands")

    def send_all(self, device, reports, window=16):
        """Sends reports as honest devices do, with at most `window` unanswered reports at once."""
        for number, report in enumerate(reports):
            if number >= window:
                self.assertTrue(device.response(reports[number - window]["id"], 30)["ok"])
            device.publish(f"{device.base}/report", report, wait=False)
        for report in reports[-window:]:
            self.assertTrue(device.response(report["id"], 30)["ok"])

    def assert_told(self, device, terminal):
        """Asserts that the history and the status contain the reports."""
        rows, more = [], {}
        while True:
            page = terminal.get("device/history", {
                "did": device.did, "from": now() - 86_400_000 * 2, "to": now() + 1000, "limit": 1000, **more})
            rows += page["rows"]
            if "cursor" not in page:
                break
            more = {"cursor": page["cursor"]}
        # The history reaches back only to the binding. Most of these reports are older than the binding, so users can't
        # see them.
        self.assertTrue(all("temperature" in row["data"] for row in rows), rows[:3])
        status = terminal.get("device/status", {"did": device.did})
        self.assertEqual(status["data"]["temperature"], (self.count - 1) % 100 / 4)

    def test_all_at_once_within_the_burst(self):
        device = self.device()
        # The gate allows the broker to hold at most 200 answers for a device. An answer counts until the device has
        # acknowledged it. This client can send its next report before it acknowledges the last answer, so the window is
        # a little smaller than 200.
        self.send_all(device, [{"id": fresh_id("s"), **report} for report in self.stored()], window=190)


class Opens(Unnoticed):
    def test_an_app_with_thirty_devices(self):
        for version in (5, 4):
            with self.subTest(version=version):
                terminal = self.terminal(version=version)
                devices = [self.device(LAMP) for _ in range(30)]
                for device in devices:
                    terminal.bind(device)
                terminal = self.reopened(terminal, version)
                self.open_all(terminal, devices)

    def reopened(self, terminal, version):
        """Restarts the app, which then connects again with its token."""
        terminal.close()
        again = Terminal(self.world.port, terminal.app_id, terminal.token, terminal.terminal_id, version=version)
        self.keep(again).come()
        again.token, again.uid = terminal.token, terminal.uid
        self.assertEqual(again.subscribe(f"{TOPICS}/user/{terminal.uid}/#"), 1)
        return again

    def open_all(self, terminal, devices):
        """Requests everything about all devices at once, without waiting in between."""
        listed = terminal.get("device/list", {"limit": 100})
        self.assertEqual(len(listed["devices"]), len(devices))
        asked = []
        for device in devices:
            filter = f"{TOPICS}/user/{terminal.uid}/device/{device.did}/#"
            terminal.paho.subscribe(filter, 1)
            for method, params in (
                    ("device/status", {}), ("schedule/list", {}),
                    ("device/history", {"from": now() - 86_400_000, "to": now()})):
                id = fresh_id("o")
                body = {"id": id, "token": terminal.token, "params": {"did": device.did, **params}}
                terminal.publish(f"{terminal.base}/request/{method}", body, wait=False)
                asked.append((method, id))
        for method, id in asked:
            answer = terminal.answer(method, id, 30)
            self.assertTrue(answer["ok"], (method, answer))
        terminal.wait(lambda: len(terminal.granted) >= 32, what="every SUBACK")
        refused = [codes for codes in terminal.granted.values() if codes[0] >= 0x80]
        self.assertEqual(refused, [])


class Foreign(Unnoticed):
    """Tests with Mosquitto's own clients, and with the unchanged paho library."""

    def run_tool(self, *words, input=None):
        done = subprocess.run(words, input=input, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_mosquitto_pub_with_a_line_for_each_of_400_reports(self):
        for version, qos in (("5", "1"), ("mqttv311", "0")):
            with self.subTest(version=version, qos=qos):
                device = self.device(FREE, connect=False)
                lines = "".join(json.dumps({"data": {"count": number}}) + "\n" for number in range(400))
                self.run_tool(
                    "mosquitto_pub", "-V", version, "-p", str(self.world.port), "-u", f"device:{device.did}",
                    "-P", device.secret, "-i", device.did, "-q", qos, "-t", f"{device.base}/report", "-l", input=lines)
                device.come()
                self.assertGreaterEqual(device.report(data={"count": -1})["version"], 2)

    def test_mosquitto_rr_and_sub(self):
        app = self.world.apps["test-app"]
        for version in ("5", "mqttv311"):
            with self.subTest(version=version):
                terminal = fresh_terminal()
                base = f"{TOPICS}/app/test-app/{terminal}"
                login = ["-V", version, "-p", str(self.world.port), "-u", "app:test-app", "-i", terminal, "-q", "1"]
                answer = json.loads(self.run_tool(
                    "mosquitto_rr", *login, "-P", app["secret"], "-t", f"{base}/request/account/loginAnonymous",
                    "-e", f"{base}/response", "-m", json.dumps({"id": "1", "params": {"countryCode": "49"}})))
                token = answer["result"]["token"]
                for turn in range(20):
                    answer = json.loads(self.run_tool(
                        "mosquitto_rr", *login, "-P", token, "-t", f"{base}/request/account/whoami", "-e",
                        f"{base}/response", "-m", json.dumps({"id": f"w{turn}", "token": token, "params": {}})))
                    self.assertTrue(answer["ok"], answer)

    def test_mosquitto_sub_with_every_filter_of_the_contract(self):
        terminal = self.terminal()
        own, user = terminal.base, f"{TOPICS}/user/{terminal.uid}"
        filters = [f"{own}/#"] + [f"{own}/{leaf}" for leaf in (
            "response", "session", "command", "code", "devices", "system")]
        filters += [f"{user}/#", f"{user}/session", f"{user}/device", f"{user}/share", f"{user}/schedule",
                    f"{user}/account", f"{user}/device/+/status", f"{user}/device/+/event", f"{user}/device/+/#"]
        terminal.close()
        words = [word for filter in filters for word in ("-t", filter)]
        for version in ("5", "mqttv311"):
            with self.subTest(version=version):
                done = subprocess.run(
                    ["mosquitto_sub", "-V", version, "-d", "-p", str(self.world.port), "-u", "app:test-app",
                     "-P", terminal.token, "-i", terminal.terminal_id, "-q", "1", "-W", "2", *words],
                    capture_output=True, text=True, timeout=20)
                granted = [line for line in done.stdout.splitlines() if line.startswith("Subscribed")]
                self.assertEqual(len(granted), 1, done.stdout + done.stderr)
                codes = granted[0].rsplit(":", 1)[1].replace(",", " ").split()
                self.assertEqual(set(codes), {"1"}, granted)
                self.assertEqual(len(codes), len(filters))

    def test_paho_devices_that_report_ten_times_a_second(self):
        devices = [self.device() for _ in range(5)]
        failures = []

        def report(device):
            try:
                for number in range(50 if LONG else 20):
                    answer = device.report(data={"temperature": number / 4})
                    assert answer["ok"], answer
                    time.sleep(0.1)  # the test is about this pace
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=report, args=[device]) for device in devices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_device_registers_comes_goes_and_comes_again(self):
        mac = fresh_mac()
        secret = None
        for _ in range(3):
            answer = self.world.register(LAMP, mac, **({"oldSecret": secret} if secret else {}))
            self.assertTrue(answer["ok"], answer)
            secret = answer["result"]["secret"]
            device = Device(self.world.port, answer["result"]["did"], secret, mac, LAMP).come()
            device.report(data={"temperature": 1})
            device.close()


if __name__ == "__main__":
    unittest.main()
