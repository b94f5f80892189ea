"""Prometheus's view of requests, commands, devices and the process itself."""

import subprocess
import unittest

from harness import BINARY, eventually
from metrics import Page
from world import OwnWorldOfClass


class Metrics(OwnWorldOfClass):
    def page(self):
        return Page(self.own.service)

    def grown(self, name, by, before, **labels):
        """Waits until a metric has grown, because the service counts only after the commit."""
        eventually(lambda: self.page().sum(name, **labels) == before.sum(name, **labels) + by, 10, f"{name} {labels}")

    def test_requests_are_counted_by_method_and_code(self):
        terminal = self.terminal()
        before = self.page()
        self.assertTrue(terminal.ask("device/list")["ok"])
        self.assertFalse(terminal.ask("device/list", token="lls_wrong")["ok"])
        self.assertFalse(terminal.ask("device/fly")["ok"])
        name = "lamplighter_requests_total"
        self.grown(name, 1, before, service="device", method="list", code="ok")
        self.grown(name, 1, before, service="device", method="list", code="InvalidToken")
        self.grown(name, 1, before, service="device", method="other", code="InvalidRequest")
        self.grown("lamplighter_request_seconds_count", 2, before, service="device", method="list")
        self.assertNotIn("fly", self.page().text)

    def test_a_command_is_timed_until_its_outcome(self):
        device, terminal = self.pair()
        before = self.page()
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        device.report(cid=device.command().body["cid"], code=0, data={"power": True})
        self.grown("lamplighter_command_seconds_count", 1, before, kind="write", outcome="done")

    def test_reports_are_counted_by_outcome(self):
        device = self.device()
        before = self.page()
        self.assertTrue(device.report(data={"power": True})["ok"])
        self.assertFalse(device.report(data={"brightness": 7})["ok"])
        self.grown("lamplighter_reports_total", 1, before, outcome="accepted")
        self.grown("lamplighter_reports_total", 1, before, outcome="refused")

    def test_devices_and_sessions_are_counted(self):
        page = self.page()
        self.assertEqual(len(page.all("lamplighter_sessions")), 1)
        self.assertEqual(len(page.all("lamplighter_outbox_age_seconds")), 7)

    def test_an_ended_session_is_timed_until_it_is_cut_off(self):
        terminal = self.terminal()
        before = self.page()
        self.assertTrue(terminal.ask("account/logout")["ok"])
        self.grown("lamplighter_revocation_seconds_count", 1, before)

    def test_the_process_is_measured(self):
        page = self.page()
        version = subprocess.run([BINARY, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.assertEqual(page.all("lamplighter_build_info", version=version), [1])
        self.assertGreater(page.sum("process_cpu_seconds_total"), 0)
        self.assertEqual(page.all("lamplighter_gate_lag_seconds"), [0])
        self.assertLess(abs(page.sum("lamplighter_clock_step_seconds")), 1)

    def test_every_metric_is_described(self):
        page = self.page()
        for name, text in page.helps.items():
            if name.startswith(("lamplighter_", "process_")):
                self.assertNotIn("not described", text, name)


if __name__ == "__main__":
    unittest.main()
