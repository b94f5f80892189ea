"""What the device SDKs and the firmware ask of the service, as they ask it; each docstring names the row."""

import time
import unittest

from client import fresh_id, now
from world import FREE, EndToEnd


class Reports(EndToEnd):
    """Times, and what a device is told of its reports."""

    SECONDS = (0, 1, 1_420_070_399, 1_420_070_399_999)

    def test_a_clock_that_counts_seconds_is_told_so(self):
        device, terminal = self.pair()
        for ts in (*self.SECONDS, int(time.time())):
            with self.subTest(ts=ts):
                error = self.assertError(device.report(ts=ts, data={"power": True}), "InvalidRequest", "ts")
                self.assertIn("milliseconds, not seconds", error["message"])
        state = terminal.get("device/status", {"did": device.did})
        self.assertEqual((state["version"], state["data"]), (0, {}), "nothing of it was kept")
        history = {"did": device.did, "from": 0, "to": now() + 1000}
        self.assertEqual(terminal.get("device/history", history)["rows"], [])
        self.assertTrue(device.report(ts=1_420_070_400_000, data={"power": True})["ok"], "2015 is taken")

    def test_so_is_one_that_brings_stored_history(self):
        device, terminal = self.pair()
        good = {"ts": now() - 5000, "data": {"power": True}}
        for place in (0, 2):
            reports = [dict(good) for _ in range(3)]
            reports[place]["ts"] = int(time.time()) - 5
            with self.subTest(place=place):
                error = self.assertError(device.report(reports=reports), "InvalidRequest", f"reports.{place}.ts")
                self.assertIn("milliseconds", error["message"])
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {}, "refused whole")

    def test_an_alert_with_a_time_in_seconds_is_not_raised(self):
        device, terminal = self.pair()
        self.assertError(device.report(ts=int(time.time()), alerts=[{"name": "smoke"}]), "InvalidRequest", "ts")
        device.report(alerts=[{"name": "overheat"}])
        terminal.event(device, lambda b: b.get("name") == "overheat")
        names = [m.body.get("name") for m in terminal.everything if m.topic.endswith("/event")]
        self.assertNotIn("smoke", names)

    def test_the_answer_says_where_the_report_is_and_what_time_it_is(self):
        device = self.device()
        at, id = now() - 60_000, fresh_id("r")
        for report, stored in (
            ({"id": id, "ts": at, "data": {"power": True, "count": 1}}, "state"),
            ({"ts": at - 1, "data": {"count": 2}}, "history"),
            ({"ts": at - 1, "data": {"count": 2, "brightness": 5}}, "state"),
            ({"reports": [{"ts": at - 9, "data": {"count": 3}}, {"ts": at - 8, "data": {"count": 4}}]}, "history"),
            ({"reports": [{"ts": at - 9, "data": {"count": 3}}, {"ts": at + 8, "data": {"count": 4}}]}, "state"),
            ({"cid": 77}, "state"),
            ({"alerts": [{"name": "smoke"}]}, "state"),
            ({"ts": at, "alerts": [{"name": "smoke", "value": False}]}, "history"),
            ({"id": id, "ts": at, "data": {"power": True, "count": 1}}, "repeat"),
        ):
            with self.subTest(report=report):
                answer = device.report(**report)
                self.assertEqual((answer["ok"], answer["stored"]), (True, stored), answer)
                self.assertAlmostEqual(answer["ts"], now(), delta=5000)

    def test_a_device_without_a_clock_sets_one_by_a_command(self):
        device, terminal = self.pair()
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        command = device.command().body
        self.assertAlmostEqual(command["ts"], now(), delta=5000)
        self.assertAlmostEqual(command["expiresAt"], command["ts"] + 30_000, delta=1000)


class Raw(EndToEnd):
    """Bytes of the device's own."""

    def test_a_product_with_data_points_takes_no_binary(self):
        """N2: reports and commands are checked against the product; bytes could not be."""
        device, terminal = self.pair()
        version = device.report(data={"power": True})["version"]
        for report in ({"binary": "AAEC"}, {"data": {"power": False}, "binary": "AAEC"}, {"cid": 1, "binary": "AAEC"}):
            with self.subTest(report=report):
                self.assertError(device.report(**report), "InvalidRequest", "binary")
        for more in ({}, {"mode": "queue"}, {"wait": True}):
            with self.subTest(more=more):
                error = terminal.fail("device/control", {"did": device.did, "binary": "AAEC", **more})
                self.assertError(error, "InvalidRequest", "binary")
        terminal.get("device/control", {"did": device.did, "data": {"power": False}})
        self.assertEqual(device.command().body["data"], {"power": False}, "no other command came before")
        state = terminal.get("device/status", {"did": device.did})
        self.assertEqual((state["version"], state["data"]), (version, {"power": True}), "refused whole")
        self.assertEqual(terminal.unread("/binary"), [])

    def test_a_product_without_data_points_does(self):
        """N2: where there are none, instructions are of the maker's own format."""
        device, terminal = self.pair(FREE)
        cid = terminal.get("device/control", {"did": device.did, "binary": "AAEC"})["cid"]
        self.assertEqual(device.command().body["binary"], "AAEC")
        self.assertEqual(device.report(cid=cid, binary="AwQF")["stored"], "history")
        self.assertEqual(terminal.expect("/binary").body["binary"], "AwQF")


if __name__ == "__main__":
    unittest.main()
