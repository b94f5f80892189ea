"""A worker that can't keep up says so and recovers.

A service and its broker end quickly, whichever is stopped first."""

import os
import pathlib
import random
import signal
import threading
import time
import unittest
import urllib.error
import urllib.request

from client import fresh_id
from harness import SECOND, Service, eventually
from test_serve import Outside
from world import OwnWorld, OwnWorldOfClass, World

def readyz(service):
    """Returns the status and text of /readyz."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/readyz", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metric(service, name, worker):
    """Returns the value of a worker's metric."""
    with urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/metrics", timeout=5) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith(name + "{") and f'worker="{worker}"' in line:
                return float(line.rsplit(" ", 1)[1])
    return None


class Late(OwnWorld):
    def make_world(self):
        return World(watch=False, settings=("--set", "limits.unanswered=1"))

    def test_a_frozen_broker_shows_as_the_age_of_the_oldest_unanswered_message(self):
        service = self.own.service
        device = self.device()
        self.assertTrue(device.report(data={"power": True})["ok"])
        eventually(lambda: metric(service, "lamplighter_oldest_unanswered_seconds", "status") is not None, 10, "a sample")
        self.assertLess(metric(service, "lamplighter_oldest_unanswered_seconds", "status"), SECOND)
        os.kill(service.broker_pid, signal.SIGSTOP)
        try:
            code, text = eventually(lambda: readyz(service) if readyz(service)[0] == 503 else None, 15, "its word")
            self.assertIn("oldest unanswered message", text)
            eventually(lambda: metric(service, "lamplighter_oldest_unanswered_seconds", "status") > 1, 10, "its age")
            found = service.cli("doctor", check=False)
            self.assertIn("oldest unanswered message", found.stdout + found.stderr)
        finally:
            os.kill(service.broker_pid, signal.SIGCONT)
        eventually(lambda: readyz(service)[0] == 200, 15, "readiness")
        self.assertTrue(device.report(data={"power": False})["ok"])


class Connections(OwnWorldOfClass):
    def test_each_worker_publishes_over_its_own_connections(self):
        watcher = self.keep(self.own.tool("overload"))
        self.assertEqual(watcher.connect(), 0)
        watcher.subscribe("ll/v1/system/echo/status")
        self.assertIn("number", watcher.expect("ll/v1/system/echo/status", seconds=10).body)
        files = pathlib.Path(f"/proc/{self.own.service.process.pid}/fd")
        sockets = [f for f in os.listdir(files) if os.readlink(files / f).startswith("socket:")]
        self.assertGreater(len(sockets), 6 * 4, "six workers with four each, and their intakes")

    def test_a_flooding_device_delays_only_itself(self):
        flooder, other, app = self.device(), self.device(), self.terminal()
        app.bind(other)
        flood = 190  # at most 200 answers can wait for a device
        for number in range(flood):
            flooder.send(id=f"f{number}", data={"count": number})
        began = time.monotonic()
        self.assertTrue(other.report(data={"power": True})["ok"])
        taken = time.monotonic() - began
        app.status(other, lambda b: b["data"].get("power") is True)
        for number in range(flood):
            self.assertTrue(flooder.response(f"f{number}", 30)["ok"])
        self.assertLess(taken, 2 * SECOND)


class Restarting(unittest.TestCase):
    """`serve` beside a broker that keeps running: the service is repeatedly killed under load."""

    def test_a_user_never_sees_a_status_go_back(self):
        seed = int(os.environ.get("LAMPLIGHTER_SEED", "18"))
        chance = random.Random(seed)
        outside = Outside()
        world = World(watch=False, service=outside)
        self.addCleanup(world.close)
        devices = [world.device() for _ in range(4)]
        app = world.terminal()
        for client in [app, *devices]:
            self.addCleanup(client.close)
        for device in devices:
            app.bind(device)
        stop = threading.Event()

        def report(device):
            count = 0
            while not stop.is_set():
                for _ in range(12):
                    count += 1
                    device.send(id=fresh_id(), data={"count": count})
                stop.wait(0.3)
        threads = [threading.Thread(target=report, args=(device,)) for device in devices]
        for thread in threads:
            thread.start()
        try:
            for _ in range(8):
                time.sleep(chance.uniform(0.1, 0.6))
                outside.process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
                outside.process.wait(20)
                outside.start()
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        for device in devices:
            last = eventually(lambda: self.settled(app, device), 30, "the last status")
            versions = self.versions(app, device)
            self.assertEqual(versions, sorted(versions), f"seed {seed}")
            self.assertEqual(versions[-1], last)
            self.assertGreater(len(set(versions)), 20, "a control: much was seen")

    def versions(self, app, device):
        return [m.body["version"] for m in app.everything
                if m.topic.endswith(f"/device/{device.did}/status") and m.payload and not m.retain]

    def settled(self, app, device):
        """Returns the version of the stored status if the app received that version last, and None otherwise."""
        version = app.get("device/status", {"did": device.did})["version"]
        return version if self.versions(app, device)[-1:] == [version] else None


class Ending(unittest.TestCase):
    def test_service_and_broker_end_quickly_in_every_order(self):
        chance = random.Random(4)
        for _ in range(6):
            service = Service().start()
            self.addCleanup(service.close)
            pids = [service.process.pid, service.broker_pid]
            chance.shuffle(pids)
            began = time.monotonic()
            os.kill(pids[0], signal.SIGTERM)
            time.sleep(chance.uniform(0, 0.012))
            try:
                os.kill(pids[1], signal.SIGTERM)
            except ProcessLookupError:
                pass
            self.assertEqual(service.process.wait(20), 0, service.tail())
            self.assertLess(time.monotonic() - began, 3)


if __name__ == "__main__":
    unittest.main()
