"""Tests of a `Type=notify` service's notifications, which the test receives instead of systemd."""

import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from harness import BINARY, ENVIRONMENT, SECOND, Service, eventually, free_port

WATCHDOG_SECONDS = 4


class Systemd:
    """A receiver that splits the notifications of one service into lines."""

    def __init__(self, folder):
        self.path = f"{folder}/notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind(self.path)
        self.senders = set()

    def environment(self):
        return ENVIRONMENT | {"NOTIFY_SOCKET": self.path, "WATCHDOG_USEC": str(WATCHDOG_SECONDS * 1_000_000)}

    def lines(self, seconds):
        """Returns the next message's lines, or an empty list if none arrives in time."""
        self.socket.settimeout(max(seconds, 0.001))
        try:
            data, ancillary, _flags, _address = self.socket.recvmsg(4096, 64)
        except TimeoutError:
            return []
        for _level, _kind, credentials in ancillary:
            self.senders.add(int.from_bytes(credentials[:4], "little"))
        return data.decode().splitlines()

    def until(self, beginning, seconds=30):
        """Waits for a line that begins with `beginning`, and returns all lines until then."""
        deadline, heard = time.monotonic() + seconds, []
        while not any(line.startswith(beginning) for line in heard):
            if time.monotonic() > deadline:
                raise AssertionError(f"{beginning} did not come within {seconds} s, but {heard}")
            heard += self.lines(deadline - time.monotonic())
        return heard

    def close(self):
        self.socket.close()


class Notifications(unittest.TestCase):
    def setUp(self):
        self.systemd = Systemd(self.enterContext(tempfile.TemporaryDirectory()))
        self.addCleanup(self.systemd.close)

    def service(self):
        service = Service()
        self.addCleanup(service.close)
        service.environment = self.systemd.environment()
        return service

    def test_it_reports_ready_alive_and_stopping_in_that_order(self):
        service = self.service()
        service.start()
        before = self.systemd.until("READY=1")
        self.assertTrue(any(line.startswith("STATUS=waits for ") for line in before), before)
        self.assertTrue((service.data / "ready.json").exists())
        self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS)
        again = self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS)
        self.assertNotIn("READY=1", again)
        self.assertEqual(service.stop()[0], 0)
        last = self.systemd.until("STOPPING=1", 1)
        self.assertNotIn("READY=1", last)
        self.assertEqual(self.systemd.senders, {service.process.pid})

    def test_the_feed_is_ready_without_its_database_and_stays_alive(self):
        folder = pathlib.Path(self.systemd.path).parent
        feed = subprocess.Popen(
            [str(BINARY), "feed", "--store", f"postgres://nobody@127.0.0.1:{free_port()}/none", "--gate-file", f"{folder}/credentials"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.systemd.environment())
        self.addCleanup(feed.wait)
        self.addCleanup(feed.kill)
        first = self.systemd.until("READY=1")
        first += self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS)
        self.assertIn("STATUS=waits for the database", first)
        self.assertNotIn("READY=1", self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS))
        feed.terminate()
        self.systemd.until("STOPPING=1", 10)
        self.assertEqual(feed.wait(10), 0)

    def test_the_broker_does_not_notify_systemd(self):
        service = self.service()
        service.start()
        variables = pathlib.Path(f"/proc/{service.broker_pid}/environ").read_bytes().split(b"\0")
        names = {variable.split(b"=")[0] for variable in variables}
        self.assertIn(b"PATH", names)
        self.assertFalse(names & {b"NOTIFY_SOCKET", b"WATCHDOG_USEC", b"WATCHDOG_PID"}, names)

    def test_a_hanging_service_is_not_reported_as_alive(self):
        service = self.service()
        service.start()
        self.systemd.until("READY=1")
        self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS)
        os.kill(service.process.pid, signal.SIGSTOP)
        try:
            time.sleep(0.1)  # for a message in transit
            while self.systemd.lines(0):
                pass
            self.assertEqual(self.systemd.lines(WATCHDOG_SECONDS), [])
        finally:
            os.kill(service.process.pid, signal.SIGCONT)
        self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS * 2)

    def test_serve_is_ready_before_its_broker_and_names_what_it_waits_for(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        process = subprocess.Popen(
            [str(BINARY), "serve", "--data", folder + "/data", "--mqtt-port", str(free_port()),
             "--http-port", "0", "--health-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.systemd.environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        heard = self.systemd.until("READY=1")
        heard += self.systemd.until("WATCHDOG=1", WATCHDOG_SECONDS)
        self.assertTrue(any("worker" in line for line in heard if line.startswith("STATUS=waits for ")), heard)
        self.assertNotIn("STATUS=accepts work", heard)

    def test_the_quick_check_answers_within_a_second(self):
        service = Service()
        self.addCleanup(service.close)
        service.start()
        self.quick(service, 0)
        os.kill(service.process.pid, signal.SIGSTOP)
        try:
            # `quick` allows more than one second, because a busy machine can be slow.
            self.quick(service, 1)
        finally:
            os.kill(service.process.pid, signal.SIGCONT)
        eventually(lambda: service.cli("doctor", "--quick", check=False).returncode == 0, 10, "the service's answer")
        service.kill_broker()
        eventually(lambda: service.cli("doctor", "--quick", check=False).returncode == 1, 10, "the broker's loss")
        eventually(lambda: service.cli("doctor", "--quick", check=False).returncode == 0, 30, "the broker's return")

    def quick(self, service, code):
        began = time.monotonic()
        done = service.cli("doctor", "--quick", check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertLess(time.monotonic() - began, 2 * SECOND)
        self.assertEqual(done.stdout.count("LL"), 1, done.stdout)


if __name__ == "__main__":
    unittest.main()
