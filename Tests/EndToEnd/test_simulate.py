"""`lamplighter simulate`: devices that live against the running service."""

import json
import re
import subprocess
import unittest

from client import Terminal
from harness import BINARY
from world import EndToEnd


class Simulate(EndToEnd):
    def run_simulate(self, *arguments):
        done = subprocess.run(
            [str(BINARY), "simulate", "--data", str(self.world.service.data), *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done

    def test_every_report_is_answered(self):
        done = self.run_simulate("--devices", "5", "--rate", "20", "--duration", "5", "--json")
        summary = json.loads(done.stdout)
        self.assertGreater(summary["sent"], 20)
        self.assertEqual((summary["lost"], summary["refused"]), (0, 0), summary)

    def test_the_app_sees_what_the_devices_report(self):
        done = self.run_simulate("--devices", "3", "--rate", "10", "--duration", "6", "--app")
        self.assertRegex(done.stdout, r"logged in as \S+")
        seen = re.findall(r"/device/(\S+)/status  (\{.*\})", done.stdout)
        self.assertEqual(len({did for did, _payload in seen}), 3)
        self.assertTrue(any(json.loads(payload)["version"] > 0 for _did, payload in seen))

    def test_devices_obey_the_commands_of_another_app(self):
        process = subprocess.Popen(
            [str(BINARY), "simulate", "--data", str(self.world.service.data), "--devices", "1", "--rate", "5",
             "--duration", "15", "--app"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        bound = next(filter(None, (re.search(r"^bound (\S+), passcode (\S+)", line) for line in process.stdout)), None)
        self.assertTrue(bound, "simulate ended without a word on how to bind its device")
        did, passcode = bound[1], bound[2]
        demo = self.world.service.ready["demo"]
        app = self.keep(Terminal(self.world.port, demo["appId"], demo["appSecret"])).come()
        app.login()
        app.get("device/bind", {"did": did, "passcode": passcode})
        for power in (True, False, True):
            with self.subTest(power=power):
                result = app.get("device/control", {"did": did, "data": {"power": power}, "wait": True})
                self.assertEqual((result["state"], result["code"]), ("done", 0))
                self.assertIs(result["data"]["power"], power)
        rest, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, rest[-2000:])
        self.assertIn("lost 0", rest.splitlines()[-1])
        self.assertIn("commands 3", rest.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
