"""A disk that fails or is full costs time, never a report."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from harness import Service, eventually
from world import FREE, OwnWorld, World

HERE = pathlib.Path(__file__).resolve().parent


def skip_aloud(test, why):
    """Skips, and says so where nobody overlooks it: what isn't tried isn't known to hold."""
    print(f"\n*** NOT TRIED: {why} ***", file=sys.stderr)
    test.skipTest(why)


class Disk(OwnWorld):
    def readyz(self):
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.own.service.health_port}/readyz", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def survive(self, breaks, mends, reason):
        """A report that comes while the disk fails is answered once it works again, and counts once."""
        device, app = self.pair()
        self.assertEqual(device.report(data={"count": 1})["version"], 1)
        app.status(device, lambda b: b["version"] == 1)
        breaks()
        told = len(app.everything)
        device.send(id="meanwhile", data={"count": 2}, alerts=[{"name": "smoke"}])
        status, why = eventually(
            lambda: next((found for found in [self.readyz()] if found[0] == 503), None), 20, "the bad news")
        self.assertIn(reason, why)
        time.sleep(1.5)
        self.assertEqual(device.unread("/response"), [], "nothing is answered that is not stored")
        self.assertEqual([m.topic for m in app.everything[told:] if not m.topic.endswith("/system")], [])
        self.assertIsNone(self.own.service.process.poll(), "the service goes on")
        mends()
        answer = device.response("meanwhile", 30)
        self.assertEqual((answer["ok"], answer["version"]), (True, 2), answer)
        app.status(device, lambda b: b["version"] == 2 and b["alerts"] == ["smoke"], 20)
        eventually(lambda: self.readyz()[0] == 200, 20, "the good news")
        self.assertEqual(device.report(data={"count": 3})["version"], 3)
        app.get("device/control", {"did": device.did, "data": {"power": True}})
        device.command()
        raised = [m for m in app.everything if m.leaf == "event" and m.body["type"] == "alert"]
        self.assertEqual(len({m.body["eventId"] for m in raised}), 1)


class InputOutputError(Disk):
    def make_world(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            skip_aloud(self, "there is no C compiler to build the fault injector with")
        self.faults = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-fault-"))
        self.addCleanup(shutil.rmtree, self.faults)
        library = self.faults / "fault.so"
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(HERE / "fault.c"),
             "-ldl"], check=True)
        service = Service()
        service.environment = {**os.environ, "LD_PRELOAD": str(library), "FAULT_DIR": str(self.faults)}
        return World(watch=False, service=service)

    def test_at_commit_nothing_is_answered_and_it_recovers_by_itself(self):
        for call in ("fdatasync", "pwrite"):
            with self.subTest(call=call):
                flag = self.faults / call
                self.survive(flag.touch, flag.unlink, "I/O error")


class Full(Disk):
    def make_world(self):
        if os.geteuid() != 0:
            skip_aloud(self, "a small file system can only be mounted by root")
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-full-"))
        self.ballast = self.place / "ballast"
        self.addCleanup(self.place.rmdir)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=24m", "lamplighter-test", str(self.place)],
            capture_output=True, text=True)
        if done.returncode != 0:
            skip_aloud(self, f"a small file system can't be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.place)], check=True)
        holder = tempfile.mkdtemp(prefix="lamplighter-test-")
        self.addCleanup(shutil.rmtree, holder, ignore_errors=True)
        service = Service(self.place / "data")
        service.log.close()
        service.log = open(f"{holder}/up.log", "ab")
        return World(watch=False, service=service)

    def fill(self):
        """Leaves no room, and has the database use up what it holds in reserve."""
        filler = self.device(FREE)
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        for number in range(1000):
            filler.publish(f"{filler.base}/report", {"data": {"x": str(number) + "x" * 20_000}})
            if self.readyz()[0] == 503:
                return
        self.fail("there is still room")

    def test_without_room_nothing_is_answered_and_with_room_again_nothing_was_lost(self):
        self.survive(self.fill, self.ballast.unlink, "full")


if __name__ == "__main__":
    unittest.main()
