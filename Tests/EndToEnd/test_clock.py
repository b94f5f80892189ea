"""The machine's clock is changed while the service is running (reference: clocks)."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from client import Device, fresh_id
from harness import Service, eventually
from metrics import Page
from test_disk import skip_aloud
from world import SETTINGS, OwnWorld, World

HERE = pathlib.Path(__file__).resolve().parent


class Steps(OwnWorld):
    def make_world(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            skip_aloud(self, "there is no C compiler to build the clock with")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-clock-"))
        self.addCleanup(shutil.rmtree, folder)
        library = folder / "clock.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library),
                        str(HERE / "clock.c"), "-ldl"], check=True)
        self.shift = folder / "shift"
        self.shift.write_text("0")
        service = Service(arguments=SETTINGS)
        service.environment = {**service.environment, "LD_PRELOAD": str(library), "CLOCK_FILE": str(self.shift), "CLOCK_MOVES": "1"}
        return World(watch=False, service=service)

    def set(self, seconds):
        """Sets the service's clock `seconds` ahead of the right time."""
        new = self.shift.with_suffix(".new")
        new.write_text(str(seconds))
        new.rename(self.shift)
        eventually(lambda: abs(Page(self.own.service).sum("lamplighter_clock_step_seconds") - seconds) < 5, 20, "the step")

    def test_reports_without_a_time_change_the_state_at_once_and_the_doctor_sees_the_step(self):
        device, app = self.pair()
        calm = self.clock()["state"]
        for step in (595, 7200):
            with self.subTest(step=step):
                self.set(step)
                self.assertEqual(device.report(data={"count": step}, alerts=[{"name": "smoke"}])["stored"], "state")
                app.status(device, lambda b: b["data"]["count"] == step and b["alerts"] == ["smoke"])
                found = self.clock()
                self.assertEqual(found["state"], "fail" if step >= 600 else "warn", found)
                self.assertRegex(found["evidence"], r"changed by \+\d+ s since")
                self.set(0)
                alerts = [{"name": "smoke", "value": False}]
                self.assertEqual(device.report(data={"count": -step}, alerts=alerts)["stored"], "state")
                app.status(device, lambda b: b["data"]["count"] == -step and not b["alerts"])
                timed = device.report(data={"count": step + 1}, ts=int(time.time() * 1000) + 1000)
                self.assertEqual(timed["stored"], "state", "times count again from there on")
                self.assertEqual(self.clock()["state"], calm)

    def clock(self):
        checks = json.loads(self.own.service.cli("doctor", "--json", check=False).stdout)["checks"]
        return next(check for check in checks if check["code"] == "LL1305")

    def test_a_repeat_has_its_effect_once_however_the_clock_is_set_meanwhile(self):
        device, app = self.pair()
        for step in (600, 7200):
            with self.subTest(step=step):
                params = {"did": device.did, "data": {"count": step}, "mode": "queue", "ttl": 86_400}
                id = fresh_id("q")
                first = app.ask("device/control", params, id)
                command = device.command().body
                for seconds in (step, 0):
                    self.set(seconds)
                    self.assertEqual(app.ask("device/control", params, id), first)
                # The unanswered command arrives again after a reconnect.
                device.close()
                app.status(device, lambda b: not b["online"])
                device = self.keep(Device(self.own.port, device.did, device.secret, device.mac)).come()
                again = device.command().body
                self.assertEqual((again["cid"], again["expiresAt"]), (command["cid"], command["expiresAt"]))
                device.report(cid=command["cid"], code=0)
                self.assertEqual(device.unread("/command"), [])


if __name__ == "__main__":
    unittest.main()
