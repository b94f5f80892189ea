"""A restarted service finds all its data, and a stopped service ends properly."""

import json
import signal
import subprocess
import time
import unittest

import client as clients
from client import Terminal
from harness import Service, alive, eventually
from world import OwnWorld


class AfterTheBrokersDeath(OwnWorld):
    def test_statuses_are_retained_again_and_missing_devices_are_offline(self):
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
    def test_everything_is_stored_after_a_kill_and_the_ports_are_the_same(self):
        device, app = self.device(), self.terminal()
        app.bind(device)
        device.report(data={"power": True, "brightness": 40})
        service = self.own.service
        ports = (service.mqtt_port, service.http_port, service.health_port)
        self.own.service.kill()
        self.own.service.start()
        self.assertEqual((service.mqtt_port, service.http_port, service.health_port), ports)

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
        repeat = again.report(id="once", data={"count": 1})
        self.assertEqual((repeat["version"], repeat["stored"]), (first["version"], "repeat"))
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
                service.command(), stdin=subprocess.DEVNULL, stdout=service.log, stderr=service.log, env=service.environment)
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
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL,
                                  env=self.own.service.environment)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertTrue(done.stderr.strip() or done.stdout.strip())
            self.assertTrue(device.report(data={"power": True})["ok"], "the first goes on")
        self.assertEqual(json.loads((self.own.service.data / "ready.json").read_text())["pid"],
                         self.own.service.process.pid)

    def test_the_reason_why_it_cannot_start_is_one_sentence(self):
        taken = self.own.service.mqtt_port
        other = Service(arguments=[])
        self.addCleanup(other.close)
        ports = {"--mqtt-port": taken, "--http-port": self.own.service.http_port,
                 "--health-port": self.own.service.health_port}
        for flag, port in ports.items():
            with self.subTest(flag=flag):
                command = other.command()
                command[command.index(flag) + 1] = str(port)
                done = subprocess.run(command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL,
                                      env=other.environment)
                self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
                self.assertIn("port", done.stderr + done.stdout)
                self.assertNotIn("Fatal error", done.stderr)
        self.assertTrue(self.device().report(data={"power": True})["ok"])

    def test_the_key_of_another_installation_is_refused_and_the_right_one_works(self):
        service = self.own.service
        device = self.device()
        service.stop()
        key = service.data / "server.key"
        right = key.read_text()
        key.write_text("the key of another installation\n")
        done = subprocess.run(service.command(), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              env=service.environment)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("LL1106", done.stderr)
        # The error tells the operator where to find the right key. The key of a database file is in the file's backup.
        # The key of a PostgreSQL database is shared by all processes that use the database.
        self.assertIn("serverKeyFile" if service.store else "restore", done.stderr)
        told = service.cli("doctor", "--only", "store", check=False)
        self.assertEqual(told.returncode, 1)
        self.assertIn("sealed with another key", told.stdout)
        self.assertIn("LL1106", service.cli("device", "list", check=False).stderr)
        key.write_text(right)
        service.start()
        again = self.keep(clients.Device(self.own.port, device.did, device.secret)).come()
        self.assertTrue(again.report(data={"power": True})["ok"])


if __name__ == "__main__":
    unittest.main()
