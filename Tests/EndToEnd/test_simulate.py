"""`lamplighter simulate`: simulated devices that connect to the running service."""

import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from client import Terminal
from world import LAMP, EndToEnd, OwnWorld


class Simulate(EndToEnd):
    def run_simulate(self, *arguments):
        return self.world.service.cli("simulate", *arguments)

    def start_simulate(self, *arguments, stderr=subprocess.PIPE):
        process = self.world.service.running("simulate", *arguments, stdout=subprocess.PIPE, stderr=stderr)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ended(self, process):
        """Ends the process with a signal, and returns its remaining output."""
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, rest[-2000:])
        return rest

    def test_every_report_is_answered(self):
        done = self.run_simulate("--devices", "5", "--rate", "20", "--duration", "3", "--json")
        summary = json.loads(done.stdout)
        self.assertGreater(summary["sent"], 20)
        self.assertEqual((summary["lost"], summary["refused"]), (0, 0), summary)

    def test_the_app_sees_what_the_devices_report(self):
        done = self.run_simulate("--devices", "3", "--rate", "10", "--duration", "4", "--app")
        self.assertRegex(done.stdout, r"logged in as \S+")
        seen = re.findall(r"/device/(\S+)/status  (\{.*\})", done.stdout)
        self.assertEqual(len({did for did, _payload in seen}), 3)
        self.assertTrue(any(json.loads(payload)["version"] > 0 for _did, payload in seen))

    def test_the_app_commands_and_the_report_carries_the_number(self):
        process = self.start_simulate(
            "--devices", "1", "--rate", "2", "--duration", "60", "--app", stderr=subprocess.DEVNULL)
        command = next(filter(None, (re.search(r"^command to (\S+)  (\{.*\})$", line) for line in process.stdout)), None)
        self.assertTrue(command, "simulate ended without a command")
        did, data = command[1], json.loads(command[2])
        told = (re.search(rf"/device/{did}/report  (\{{.*\}})$", line) for line in process.stdout)
        report = json.loads(next(filter(None, told))[1])
        self.assertEqual(report["code"], 0)
        self.assertGreater(report["cid"], 0)
        self.assertEqual(report["data"], {**report["data"], **data})
        self.ended(process)

    def test_devices_obey_the_commands_of_another_app(self):
        process = self.start_simulate(
            "--devices", "1", "--rate", "5", "--duration", "60", "--app", stderr=subprocess.DEVNULL)
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
        # The simulated devices don't know a data point that is added later. So the devices don't claim that they have
        # set this point.
        key = self.world.service.ready["demo"]["productKey"]
        product = json.loads(self.world.service.cli("product", "export", key).stdout)
        more = [*product["dataPoints"], {"name": "fan", "access": "rw", "type": "bool"}]
        self.world.service.import_document("product", {**product, "dataPoints": more})
        self.addCleanup(self.world.service.import_document, "product", product)
        self.assertEqual(app.get("device/control", {"did": did, "data": {"fan": True}, "wait": True})["state"], "failed")
        rest = self.ended(process)
        self.assertGreaterEqual(int(re.search(r"commands (\d+)", rest.splitlines()[-1])[1]), 3)

    def test_a_signal_ends_it_with_its_summary(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                process = self.start_simulate("--devices", "3", "--rate", "20", "--duration", "600", "--json")
                told = []
                for line in process.stderr:
                    told.append(line)
                    if re.search(r"answered [1-9]", line):
                        break
                process.send_signal(number)
                out, rest = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 0, rest)
                summary = json.loads(out)
                self.assertGreater(summary["answered"], 0)
                self.assertEqual(summary["sent"] - summary["answered"], summary["lost"])
                self.assertNotIn("\x1b", "".join(told) + rest, "no terminal is there to be steered")

    def test_an_unknown_product_is_a_problem_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "product.json"
            path.write_text(json.dumps({**LAMP, "productKey": "9e" * 16, "productSecret": "s" * 43}))
            done = self.world.service.cli("simulate", "--product", str(path), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error LL1203", done.stderr)
        self.assertIn("9e" * 16, done.stderr)


class AfterARestart(OwnWorld):
    def test_the_app_sees_and_switches_again(self):
        service = self.own.service
        process = service.running("simulate", "--devices", "1", "--rate", "5", "--duration", "60", "--app",
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)

        def see(pattern):
            found = next(filter(None, (re.search(pattern, line) for line in process.stdout)), None)
            self.assertTrue(found, f"simulate ended without {pattern}")
        see(r"^command to ")
        service.stop()
        service.start()
        # The service needs at most 5 s to stop. A command is sent every 3 s, so the fourth is sent after the restart.
        for _ in range(4):
            see(r"^command to ")
            see(r"/device/\S+/report  \{.*\"cid\":")
            see(r"/device/\S+/status  ")


if __name__ == "__main__":
    unittest.main()
