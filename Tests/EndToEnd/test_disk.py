"""A disk that fails or is full causes delays, but never the loss of a report."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import postgres
from harness import SECOND, TOPICS, Service, eventually, slow
from world import FREE, OwnWorld, World

HERE = pathlib.Path(__file__).resolve().parent


def skip_aloud(test, why):
    """Skips a test, and prints the reason."""
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
        """Asserts that a report during a disk failure is answered later, and counts once."""
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


@postgres.on_file
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


class Tiny(Service):
    """A service with its data directory on a small file system.

    `World` copies a prepared database only for a plain `Service`. The database of this service is filled in place,
    because a copied database would differ in size.
    """


@postgres.on_file
class Small(Disk):
    """A data directory on its own small file system."""

    size = "24m"
    settings = ()

    def make_world(self):
        if os.geteuid() != 0:
            skip_aloud(self, "a small file system can only be mounted by root")
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-full-"))
        self.ballast = self.place / "ballast"
        self.addCleanup(self.place.rmdir)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={self.size}", "lamplighter-test", str(self.place)],
            capture_output=True, text=True)
        if done.returncode != 0:
            skip_aloud(self, f"a small file system can't be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.place)], check=True)
        holder = tempfile.mkdtemp(prefix="lamplighter-test-")
        self.addCleanup(shutil.rmtree, holder, ignore_errors=True)
        service = Tiny(self.place / "data", arguments=self.settings)
        service.log.close()
        service.log = open(f"{holder}/up.log", "ab")
        return World(watch=False, service=service)

    def free(self):
        room = os.statvfs(self.place)
        return room.f_bavail * room.f_frsize

    def fill_up_to(self, free):
        """Fills the disk until at most `free` bytes are free."""
        with open(self.ballast, "ab", buffering=0) as file:
            while self.free() > free:
                file.write(bytes(65_536))

    def log(self):
        self.own.service.log.flush()
        return pathlib.Path(self.own.service.log.name).read_text(errors="replace")


@postgres.on_file
class Full(Small):
    # The reserve of free disk space would prevent a full disk.
    settings = ("--set", "limits.diskFreePercent=0")

    def fill(self):
        """Fills the disk, and makes the database use up its free pages."""
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

    def test_with_a_full_disk_nothing_is_answered_and_later_nothing_is_lost(self):
        self.survive(self.fill, self.ballast.unlink, "full")


    def test_a_start_reports_that_the_disk_is_full(self):
        self.own.service.stop()
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        done = subprocess.run(self.own.service.command(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("LL1011", done.stderr)
        self.assertIn("is full", done.stderr)
        done = subprocess.run([*self.own.service.command(), "--json"], capture_output=True, text=True, timeout=60)
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "LL1011")
        self.ballast.unlink()
        self.own.service.start()


@postgres.on_file
class NearlyFull(Small):
    """The service refuses reports as soon as the free space falls below the reserve."""

    size = "96m"
    # The device has more than 16 unanswered reports. It doesn't repeat a report whose answer it has missed.
    settings = ("--set", "limits.diskFreePercent=20", "--set", "limits.deviceHeldMessages=1000")
    reserve = (96 << 20) // 5

    def metric(self, name):
        url = f"http://127.0.0.1:{self.own.service.health_port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M)[1])

    def test_reports_wait_and_writing_requests_are_refused_until_there_is_space(self):
        device, app = self.pair()
        other = self.terminal()
        self.assertEqual(device.report(data={"count": 1})["version"], 1)
        app.status(device, lambda b: b["version"] == 1)
        self.fill_up_to(self.reserve - (1 << 20))
        status, why = eventually(
            lambda: next((found for found in [self.readyz()] if found[0] == 503), None), 10, "the bad news")
        self.assertIn("the disk is nearly full", why)
        self.assertEqual(self.metric("lamplighter_disk_low"), 1)

        began = self.free()
        device.send(id="meanwhile", data={"count": 2})
        for number in range(150):
            device.send(id=f"flood-{number}", data={"label": "x" * 8, "count": number})
        refused = app.ask("device/setCustomInfo", {"did": device.did, "customInfo": {"a": "b"}}, id="later")
        self.assertError(refused, "Unavailable")
        self.assertGreater(refused["error"]["retryAfter"], 0)
        self.assertEqual(app.get("device/status", {"did": device.did})["data"]["count"], 1)
        self.assertEqual(len(app.get("device/list", {})["devices"]), 1)
        self.assertTrue(other.ask("account/logout", {})["ok"], "what ends sessions goes on")
        other.wait_lost()
        time.sleep(1)
        self.assertEqual(device.unread("/response"), [], "nothing is answered that is not stored")
        self.assertGreater(self.free(), began - (4 << 20), "the reserve is not used up")
        doctor = json.loads(self.own.service.cli("doctor", "--only", "disk", "--json", *self.settings, check=False).stdout)
        self.assertEqual(doctor["checks"][0]["state"], "fail", doctor)
        self.assertIn("nearly full", self.log())

        self.ballast.unlink()
        self.assertTrue(device.response("meanwhile", 20)["ok"])
        device.response("flood-149", 20)
        eventually(lambda: self.readyz()[0] == 200, 20, "the good news")
        self.assertEqual(self.metric("lamplighter_disk_low"), 0)
        again = app.ask("device/setCustomInfo", {"did": device.did, "customInfo": {"a": "b"}}, id="later")
        self.assertTrue(again["ok"], "with the same id it is heard again")

    def test_a_due_schedule_runs_once_and_its_outcome_waits_for_space(self):
        device, app = self.pair()
        schedule = app.get("schedule/create", {
            "did": device.did, "time": time.strftime("%H:%M", time.gmtime(time.time() + 240)), "weekDays": [1, 2, 3, 4, 5, 6, 7], "timezone": "UTC",
            "attrs": {"power": True}})["schedule"]
        self.fill_up_to(self.reserve - (1 << 20))
        eventually(lambda: self.readyz()[0] == 503, 10, "the bad news")
        tool = self.keep(self.own.tool("clock"))
        tool.connect()
        for _ in range(3):
            tool.publish(f"{TOPICS}/system/trigger/{schedule['scheduleId']}", {
                "dueAt": schedule["nextAt"], "firedAt": schedule["nextAt"]}, wait=True)
        command = device.command().body
        self.assertEqual(command["data"], {"power": True})
        device.send(id="done", cid=command["cid"], data={"power": True})
        listed = app.get("schedule/list", {"did": device.did})["schedules"][0]
        self.assertGreater(listed["nextAt"], schedule["nextAt"])
        self.assertEqual(device.unread("/response"), [], "nothing is answered that is not stored")

        self.ballast.unlink()
        self.assertTrue(device.response("done", 20)["ok"])
        eventually(lambda: self.readyz()[0] == 200, 20, "the good news")
        runs = app.get("schedule/runs", {"scheduleId": schedule["scheduleId"]})["runs"]
        self.assertEqual([(run["dueAt"], run["cid"]) for run in runs], [(schedule["nextAt"], command["cid"])])
        self.assertEqual(runs[0]["state"], "done")
        self.assertEqual(device.unread("/command"), [], "it ran once")

    def test_it_starts_with_too_little_space_and_says_so(self):
        device, app = self.pair()
        self.own.service.stop()
        self.fill_up_to(self.reserve - (1 << 20))
        self.own.service.start()
        eventually(lambda: self.readyz()[0] == 503, 10, "the bad news")
        back = self.keep(type(device)(self.own.port, device.did, device.secret, device.mac)).come()
        back.send(id="meanwhile", data={"count": 7})
        time.sleep(1)
        self.assertEqual(back.unread("/response"), [])
        self.ballast.unlink()
        self.assertTrue(back.response("meanwhile", 20)["ok"])
        del app


@postgres.on_file
class Shrinking(OwnWorld):
    """A file that has grown becomes smaller again automatically."""

    def sizes(self):
        return sum(path.stat().st_size for path in self.own.service.data.glob("lamplighter.db*"))

    def make_world(self):
        return World(watch=False, settings=(
            "--set", "limits.deadLetterBytes=268435456", "--set", "limits.deadLetters=100000"))

    def test_after_a_hundred_megabytes_were_deleted(self):
        tool = self.keep(self.own.tool("filler"))
        tool.connect()
        name = "ll/v1/device/d-unknown0000000/report"
        for number in range(2000):
            tool.publish(name, {"data": {"x": str(number) + "x" * 52_000}}, wait=number % 50 == 0)
        store = ("doctor", "--only", "store")
        eventually(lambda: "2000 dead letters" in self.own.service.cli(*store, check=False).stdout, 60, "the growth")
        grown = self.sizes()
        self.assertGreater(grown, 100 << 20)
        self.own.service.cli("deadletter", "drop", "--all")
        device = self.device()
        taken = []
        deadline = time.monotonic() + 120
        # The write-ahead log keeps at most 36 MB. The database file keeps a few free pages.
        while self.sizes() > 60 << 20:
            self.assertLess(time.monotonic(), deadline, f"{self.sizes() >> 20} of {grown >> 20} MB are left")
            began = time.monotonic()
            self.assertTrue(device.report(data={"count": int(began)})["ok"])
            taken.append(time.monotonic() - began)
            time.sleep(0.02)
        self.assertLess(slow(taken), SECOND)


if __name__ == "__main__":
    unittest.main()
