"""`lamplighter serve` with a separate broker, set up as in deploy/mosquitto and deploy/systemd."""

import contextlib
import getpass
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from client import Client, Device
from harness import BINARY, MOSQUITTO, ROOT, TOPICS, Service, eventually, free_port
from test_http import HTTPTerminal, Stream
from world import OwnWorld, OwnWorldOfClass, World

DEPLOY = ROOT / "deploy"
GATE = BINARY.parent / "libLamplighterGate.so"


def filled_in(text, **values):
    """Returns the text with each phrase replaced, or fails if a phrase is missing."""
    for old, new in values.items():
        if old not in text:
            raise AssertionError(f"{old!r} is not in the file that is to be filled in")
        text = text.replace(old, str(new))
    return text


def make_certificates(folder):
    """Creates a CA, and a certificate that the CA issues to a server on this machine."""
    folder.mkdir()
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    for line in (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem",
        "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr",
        "x509 -req -days 2 -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out server.pem",
    ):
        subprocess.run(["openssl", *line.split()], cwd=folder, check=True, capture_output=True)


class Outside(Service):
    """A Mosquitto with the configuration of deploy/mosquitto, and a `serve` that uses it."""

    def __init__(self):
        super().__init__()
        self.folder = pathlib.Path(self.data).parent
        self.broker = None
        self.mqtt_port, self.tls_port = free_port(), free_port()
        self.http_port, self.health_port, self.console_port = free_port(), free_port(), free_port()
        self.tls = self.folder / "tls"
        make_certificates(self.tls)
        self.config = self.folder / "lamplighter.yaml"
        self.write_config()

    def write_config(self, port=None, tls=True):
        """Writes deploy/mosquitto's settings with this test's ports, by default with TLS."""
        text = (DEPLOY / "mosquitto/lamplighter.yaml").read_text()
        more = f"port: {port or self.tls_port}\n  webSocketPort: 0"
        if tls:
            more += f"\n  caFile: {self.tls}/ca.pem"
        self.config.write_text(filled_in(text, **{"port: 1883": more, "port: 8080": f"port: {self.http_port}",
                                                "port: 8081": f"port: {self.health_port}"})
                               + f"\nconsole:\n  port: {self.console_port}\n")

    def command(self):
        """Returns the command of deploy/systemd's unit, with this test's paths."""
        unit = (DEPLOY / "systemd/lamplighter-serve.service").read_text()
        line = re.search(r"^ExecStart=(.*)$", unit, re.M)[1]
        return shlex.split(filled_in(line, **{
            "/usr/bin/lamplighter": BINARY,
            "/etc/lamplighter/lamplighter.yaml": self.config,
            "/var/lib/lamplighter": self.data,
        }))

    def start_broker(self):
        """Fills in the configuration of deploy/mosquitto as its comments say, and starts Mosquitto with it."""
        text = (DEPLOY / "mosquitto/lamplighter.conf").read_text()
        line = re.search(r"^#\s+(printf .*)$", text, re.M)[1]
        hash = subprocess.run(
            ["sh", "-c", filled_in(line, DATA=self.data)], check=True, capture_output=True, text=True).stdout.strip()
        path = self.folder / "mosquitto.conf"
        path.write_text(filled_in(text, **{
            "user lamplighter": f"user {getpass.getuser()}",
            "/usr/lib/lamplighter/libLamplighterGate.so": GATE,
            "/var/lib/lamplighter/gate/credentials": self.data / "gate/credentials",
            "/var/lib/lamplighter/gate/websocket.addresses": self.data / "gate/websocket.addresses",
            "FILL_IN_64_HEX_DIGITS": hash,
            "new_clients_per_minute 30": "new_clients_per_minute 1000",
            "listener 1883": f"listener {self.mqtt_port}",
            "listener 8883": f"listener {self.tls_port} 127.0.0.1",
            "/etc/lamplighter/tls": self.tls,
        }))
        program = MOSQUITTO
        self.broker = subprocess.Popen(
            [program, "-c", str(path)], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        eventually(lambda: self.broker.poll() is not None or self.listens(), 20, "the broker")
        if self.broker.poll() is not None:
            raise AssertionError(f"mosquitto ended with {self.broker.returncode}: {self.tail()}")

    def listens(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.tls_port)) == 0

    def start(self):
        """Starts the service, which creates the secret for the broker's configuration."""
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment)
        eventually(lambda: self.why_not_ready() is not None or self.process.poll() is not None, 60, "HTTP")
        if self.process.poll() is not None:
            raise AssertionError(f"serve ended with {self.process.returncode}: {self.tail()}")
        if self.broker is None:
            self.start_broker()
        plain = self.mqtt_port
        self.ready = eventually(self._ready, 60, "ready.json")
        self.mqtt_port = plain
        return self

    def why_not_ready(self):
        """Returns the text of /readyz, or "" if the service is ready, or None if nothing answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health_port}/readyz", timeout=5) as answer:
                return "" if answer.status == 200 else None
        except urllib.error.HTTPError as error:
            return error.read().decode()
        except OSError:
            return None

    def cli(self, *arguments, check=True):
        return super().cli(*arguments, "--config", str(self.config), check=check)

    def stop_broker(self):
        self.broker.send_signal(signal.SIGTERM)
        self.broker.wait(10)
        self.broker = None

    def close(self):
        try:
            super().close()
        finally:
            if self.broker and self.broker.poll() is None:
                self.broker.kill()
                self.broker.wait()


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class AgainstABrokerOutside(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        return World(watch=False, service=Outside())

    def test_a_device_registers_and_reports_and_an_app_sees_and_switches_it(self):
        device, app = self.pair()
        self.assertEqual(device.report(data={"power": False})["version"], 1)
        app.status(device, lambda b: b["data"].get("power") is False)
        app.send("device/control", {"did": device.did, "data": {"power": True}, "wait": True}, "switch")
        command = device.command().body
        device.send(cid=command["cid"], code=0, data=command["data"])
        answer = app.answer("device/control", "switch")
        self.assertEqual((answer["ok"], answer["result"]["state"]), (True, "done"))
        app.status(device, lambda b: b["data"]["power"] is True)

    def test_a_users_stream_goes_to_the_broker_with_tls(self):
        device, app = self.device(), HTTPTerminal(self.own).login()
        app.get("device/bind", {"did": device.did, "passcode": device.passcode})
        stream = Stream(self.own, f"/{TOPICS}/stream", app.token)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        device.report(data={"power": True})
        eventually(lambda: any(name.endswith("/status") and data["data"].get("power") for name, data in stream.events))
        app.get("account/logout")
        self.assertEqual(stream.expect("end"), {"reason": "loggedOut"})

    def test_a_stream_does_not_trust_a_broker_of_another_authority(self):
        app, own = HTTPTerminal(self.own).login(), self.own.service.tls / "ca.pem"
        app.get("account/whoami")
        text = own.read_text()
        self.addCleanup(own.write_text, text)
        other = self.own.service.folder / "other"
        make_certificates(other)
        own.write_text((other / "ca.pem").read_text())
        self.assertEqual(Stream(self.own, f"/{TOPICS}/stream", app.token).status, 503)

    def test_devices_outside_connect_by_tls(self):
        plain = self.device(connect=False)
        device = self.keep(Device(self.own.service.tls_port, plain.did, plain.secret))
        device.paho.tls_set(str(self.own.service.tls / "ca.pem"), cert_reqs=ssl.CERT_REQUIRED)
        self.assertTrue(device.come().report(data={"power": True})["ok"])

    def test_the_gate_refuses_unauthorized_clients(self):
        device = self.device(connect=False)
        self.assertNotEqual(self.keep(Device(self.own.port, device.did, "wrong")).connect(), 0)

    def test_refusals_of_the_gate_are_stored(self):
        device = self.device(connect=False)

        def is_stored():
            # The gate reports refusals with QoS 0. While the service reconnects, such reports are lost.
            self.assertNotEqual(self.keep(Device(self.own.port, device.did, "wrong")).connect(), 0)
            return f'"clientId":"{device.did}"' in self.own.service.cli("refusals", "--json").stdout

        eventually(is_stored, 15, "the refusal")

    def test_commands_work_on_the_data_directory_meanwhile(self):
        device = self.device()
        self.assertEqual(self.own.service.doctor(), [])
        self.assertIn(device.did, self.own.service.cli("device", "list").stdout)
        forgotten = json.loads(self.own.service.cli("device", "forget", device.did, "--yes", "--json").stdout)
        self.assertTrue(forgotten["disconnected"])
        device.wait_lost()

    def test_it_waits_for_a_broker_that_is_down_and_says_so(self):
        device, app = self.pair(reconnect=True)
        self.own.service.stop_broker()
        why = eventually(self.own.service.why_not_ready, 20, "the loss of the broker")
        self.assertIn("worker", why)
        self.own.service.start_broker()
        eventually(lambda: self.own.service.why_not_ready() == "", 30, "the service to be ready again")
        device.wait(lambda: device.connected, 30, "the device's return")
        self.assertTrue(device.report(data={"power": True})["ok"])
        del app

    def test_sigterm_drains_and_leaves_the_broker_alone(self):
        code, seconds = self.own.service.stop()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)
        self.assertIsNone(self.own.service.broker.poll())
        self.own.service.start()
        self.assertTrue(self.device().report(data={"power": True})["ok"])

    def test_both_end_quickly_in_every_order_when_the_machine_stops(self):
        service = self.own.service
        chance = random.Random(4)
        for _ in range(6):
            device = self.device()
            device.send(id="last", data={"power": True})
            processes = [service.process, service.broker]
            chance.shuffle(processes)
            began = time.monotonic()
            processes[0].terminate()
            # The test varies the time between the two signals. It doesn't wait until the first process has ended.
            time.sleep(chance.uniform(0, 0.012))
            processes[1].terminate()
            self.assertEqual(service.process.wait(20), 0, service.tail())
            self.assertLess(time.monotonic() - began, 3)
            service.broker.wait(10)
            service.broker = None
            service.start()
        self.assertTrue(self.device().report(data={"power": True})["ok"])

    def test_a_password_of_the_operators_choice(self):
        service = self.own.service
        service.stop()
        given = service.folder / "broker-password"
        shutil.copyfile(service.data / "service.secret", given)
        os.chmod(given, 0o600)
        original = service.config.read_text()
        self.addCleanup(self.begin_anew, original)
        service.config.write_text(original.replace("mqtt:\n", f"mqtt:\n  passwordFile: {given}\n"))
        service.start()
        given.write_text("another\n")
        service.stop()
        service.process = subprocess.Popen(
            service.command(), stdin=subprocess.DEVNULL, stdout=service.log, stderr=service.log, env=service.environment)
        why = eventually(lambda: "refused" in (service.why_not_ready() or "").lower(), 20, "the refusal")
        self.assertTrue(why)

    def begin_anew(self, config):
        self.own.service.config.write_text(config)
        self.own.service.stop()
        self.own.service.start()

    def test_a_ca_that_did_not_sign_the_broker_is_detected(self):
        service = self.own.service
        service.stop()
        original = service.config.read_text()
        self.addCleanup(self.begin_anew, original)
        make_certificates(service.folder / "other")
        self.addCleanup(shutil.rmtree, service.folder / "other")
        service.config.write_text(original.replace(f"{service.tls}/ca.pem", f"{service.folder}/other/ca.pem"))
        service.process = subprocess.Popen(
            service.command(), stdin=subprocess.DEVNULL, stdout=service.log, stderr=service.log, env=service.environment)
        eventually(lambda: "tls" in (service.why_not_ready() or "").lower(), 20, "the TLS error")


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class AgainstABrokerWithoutTheGate(unittest.TestCase):
    """A broker that admits every client, as mosquitto with `allow_anonymous true` does."""

    def setUp(self):
        self.service = Outside()
        self.addCleanup(self.service.close)
        self.service.write_config(port=self.service.mqtt_port, tls=False)

    def start_broker(self, *lines):
        path = self.service.folder / "bare.conf"
        path.write_text("\n".join([f"listener {self.service.mqtt_port} 127.0.0.1", "allow_anonymous true", *lines]) + "\n")
        program = MOSQUITTO
        self.service.broker = subprocess.Popen(
            [program, "-c", str(path)], stdin=subprocess.DEVNULL, stdout=self.service.log, stderr=self.service.log)

    def run_service(self):
        return subprocess.Popen(self.service.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.service.environment)

    def test_it_is_refused_with_the_cause_and_the_cure(self):
        self.start_broker()
        process = self.run_service()
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("LL1016", errors)
        self.assertIn("libLamplighterGate.so", errors)
        for stray in ("CancellationError", "Server shutdown error", "Already closed"):
            self.assertNotIn(stray, errors)
        self.assertFalse((self.service.data / "ready.json").exists())
        self.assertNotIn("The worker is connected", output + errors)

    def test_it_is_also_refused_when_it_appears_later(self):
        process = self.run_service()
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        why = eventually(self.service.why_not_ready, 60, "what is waited for")
        self.assertIn("gate", why)
        self.start_broker()
        self.assertEqual(process.wait(60), 1)
        self.assertIn("LL1016", process.stderr.read())


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class WhenTheGateIsLost(OwnWorld):
    """Without the gate, the restarted broker admits every client, and one client then forges reports."""

    def make_world(self):
        service = Outside()
        service.write_config(port=service.mqtt_port, tls=False)
        return World(watch=False, service=service)

    def test_no_message_is_accepted_from_the_broker(self):
        service, device = self.own.service, self.device()
        self.assertTrue(device.report(data={"count": 1})["ok"])
        device.close()
        service.stop_broker()
        eventually(service.why_not_ready, 20, "the loss of the broker")
        bare = service.folder / "bare.conf"
        bare.write_text(f"listener {service.mqtt_port} 127.0.0.1\nallow_anonymous true\n")
        program = MOSQUITTO
        service.broker = subprocess.Popen(
            [program, "-c", str(bare)], stdin=subprocess.DEVNULL, stdout=service.log, stderr=service.log)
        number = 2
        while service.process.poll() is None:
            with contextlib.suppress(OSError, AssertionError):
                forger = Client(service.mqtt_port, "anyone", "x", "forger")
                try:
                    if forger.connect() == 0:
                        while service.process.poll() is None:
                            forger.publish(f"{device.base}/report", {"id": f"forged{number}", "data": {"count": number}})
                            number += 1
                finally:
                    forger.close()
        self.assertEqual(service.process.wait(60), 1, service.tail())
        self.assertGreater(number, 2, "reports were forged")
        self.assertIn("LL1016", service.tail())
        shown = service.device(device.did)
        self.assertEqual(shown["data"]["count"], 1)


class Units(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_accepts_the_units(self):
        for unit in sorted((DEPLOY / "systemd").glob("*.service")):
            with self.subTest(unit=unit.name):
                text = unit.read_text()
                program = re.search(r"^ExecStart=(\S+)", text, re.M)[1]
                holder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
                path = holder / unit.name
                path.write_text(text.replace(program, "/bin/true"))
                done = subprocess.run(
                    ["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))



if __name__ == "__main__":
    unittest.main()
