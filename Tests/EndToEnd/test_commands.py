"""Section 2.4 and device/control: an app commands, the device obeys, the app hears how it went."""

import time
import unittest

from client import fresh_did, fresh_id, now
from world import FREE, EndToEnd


class Commands(EndToEnd):
    def test_the_device_gets_it_and_the_app_hears_the_outcome(self):
        device, terminal = self.pair()
        result = terminal.get("device/control", {"did": device.did, "data": {"power": True}, "sn": 42})
        self.assertEqual((result["sn"], result["state"]), (42, "sent"))
        message = device.command()
        command = message.body
        self.assertEqual(
            (command["cid"], command["sn"], command["type"], command["data"]),
            (result["cid"], 42, "write", {"power": True}))
        self.assertEqual((command["actor"]["kind"], command["actor"]["id"]), ("user", terminal.uid))
        self.assertFalse(message.retain)

        device.report(cid=command["cid"], data={"power": True})
        outcome = terminal.expect("/command", lambda b: b["cid"] == command["cid"]).body
        self.assertEqual(
            (outcome["state"], outcome["code"], outcome["data"], outcome["sn"], outcome["did"]),
            ("done", 0, {"power": True}, 42, device.did))
        terminal.status(device, lambda b: b["data"].get("power") is True)

    def test_it_expires_by_itself_in_the_broker(self):
        device, terminal = self.pair()
        terminal.get("device/control", {"did": device.did, "data": {"power": True}, "ttl": 20})
        message = device.command()
        left = message.properties.MessageExpiryInterval
        self.assertTrue(15 <= left <= 20, left)
        self.assertLess(abs(message.body["expiresAt"] - now() - 20_000), 3000)

    def test_thirty_seconds_are_the_default(self):
        device, terminal = self.pair()
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        self.assertLess(abs(device.command().body["expiresAt"] - now() - 30_000), 3000)

    def test_cids_grow_strictly(self):
        device, terminal = self.pair()
        got = []
        for i in range(20):
            got.append(terminal.get("device/control", {"did": device.did, "data": {"count": i}})["cid"])
        self.assertEqual(got, sorted(set(got)))
        arrived = [device.command().body for _ in got]
        self.assertEqual([c["cid"] for c in arrived], got)
        self.assertEqual([c["data"]["count"] for c in arrived], list(range(20)))

    def test_wait_answers_with_the_outcome_done(self):
        device, terminal = self.pair()
        id = fresh_id()
        terminal.send("device/control", {"did": device.did, "data": {"power": True}, "wait": True}, id)
        cid = device.command().body["cid"]
        device.report(cid=cid, code=0, data={"power": True, "brightness": 40})
        result = terminal.answer("device/control", id)["result"]
        self.assertEqual(
            (result["cid"], result["state"], result["code"], result["data"]),
            (cid, "done", 0, {"power": True, "brightness": 40}))
        terminal.expect("/command", lambda b: b["cid"] == cid and b["state"] == "done")

    def test_wait_answers_with_the_outcome_failed(self):
        device, terminal = self.pair()
        id = fresh_id()
        terminal.send("device/control", {"did": device.did, "data": {"power": True}, "wait": True}, id)
        cid = device.command().body["cid"]
        device.report(cid=cid, code=7)
        answer = terminal.answer("device/control", id)
        self.assertTrue(answer["ok"], "a failed command is an answer, not an error")
        self.assertEqual((answer["result"]["state"], answer["result"]["code"]), ("failed", 7))
        terminal.expect("/command", lambda b: b["cid"] == cid and b["state"] == "failed" and b["code"] == 7)

    def test_wait_answers_with_the_outcome_expired_and_late_changes_nothing(self):
        device, terminal = self.pair()
        began = time.monotonic()
        result = terminal.get(
            "device/control", {"did": device.did, "data": {"power": True}, "wait": True, "ttl": 1})
        self.assertEqual(result["state"], "expired")
        self.assertTrue(0.9 <= time.monotonic() - began <= 4)
        terminal.expect("/command", lambda b: b["cid"] == result["cid"] and b["state"] == "expired")

        answer = device.report(cid=result["cid"], data={"power": True})
        self.assertTrue(answer["ok"], "what it reports counts all the same")
        terminal.status(device, lambda b: b["data"].get("power") is True)
        second = terminal.get("device/control", {"did": device.did, "data": {"count": 1}})
        device.expect("/command", lambda b: b["cid"] == second["cid"])
        device.report(cid=second["cid"])
        terminal.expect("/command", lambda b: b["cid"] == second["cid"])
        about_first = [m for m in terminal.everything
                       if m.leaf == "command" and m.body["cid"] == result["cid"]]
        self.assertEqual([m.body["state"] for m in about_first], ["expired"])

    def test_an_answer_without_data_is_done_too(self):
        device, terminal = self.pair()
        result = terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        self.assertTrue(device.report(cid=result["cid"])["ok"])
        outcome = terminal.expect("/command", lambda b: b["cid"] == result["cid"]).body
        self.assertEqual((outcome["state"], outcome["code"]), ("done", 0))

    def test_a_second_answer_has_no_second_outcome(self):
        device, terminal = self.pair()
        first = terminal.get("device/control", {"did": device.did, "data": {"power": True}})["cid"]
        device.report(cid=first)
        device.report(cid=first, code=9)
        second = terminal.get("device/control", {"did": device.did, "data": {"power": False}})["cid"]
        device.report(cid=second)
        terminal.expect("/command", lambda b: b["cid"] == second)
        told = [m.body["state"] for m in terminal.everything if m.leaf == "command" and m.body["cid"] == first]
        self.assertEqual(told, ["done"])

    def test_an_answer_to_an_unknown_command_is_a_report_all_the_same(self):
        device, terminal = self.pair()
        self.assertTrue(device.report(cid=4711, data={"power": True})["ok"])
        terminal.status(device, lambda b: b["data"] == {"power": True})

    def test_an_answer_that_does_not_fit_settles_nothing(self):
        device, terminal = self.pair()
        cid = terminal.get("device/control", {"did": device.did, "data": {"power": True}})["cid"]
        self.assertError(device.report(cid=cid, data={"power": "on"}), "InvalidRequest")
        device.report(cid=cid, data={"power": True})
        self.assertEqual(terminal.expect("/command", lambda b: b["cid"] == cid).body["state"], "done")

    def test_binary_goes_to_a_free_form_device_and_back(self):
        device, terminal = self.pair(FREE)
        cid = terminal.get("device/control", {"did": device.did, "binary": "AAEC"})["cid"]
        self.assertEqual(device.command().body["binary"], "AAEC")
        device.report(cid=cid, binary="AwQF")
        told = terminal.expect("/binary").body
        self.assertEqual((told["binary"], told["cid"]), ("AwQF", cid))
        terminal.expect("/command", lambda b: b["cid"] == cid and b["state"] == "done")

    def test_a_written_only_value_reaches_the_device_and_is_never_shown(self):
        device, terminal = self.pair()
        id = fresh_id()
        terminal.send("device/control", {"did": device.did, "data": {"pin": "8642"}, "wait": True}, id)
        command = device.command().body
        self.assertEqual(command["data"], {"pin": "8642"})
        device.report(cid=command["cid"])
        terminal.answer("device/control", id)
        terminal.expect("/command", lambda b: b["cid"] == command["cid"])
        for message in terminal.everything:
            self.assertNotIn(b"8642", message.payload, message.topic)

    def test_two_terminals_of_one_user_hear_only_their_own_outcomes(self):
        account = fresh_id("device-of-the-account-")
        one, two = self.terminal(device_id=account), self.terminal(device_id=account)
        self.assertEqual(one.uid, two.uid)
        device = self.device()
        one.bind(device)
        cid = one.get("device/control", {"did": device.did, "data": {"power": True}})["cid"]
        device.report(cid=cid, data={"power": True})
        one.expect("/command", lambda b: b["cid"] == cid)
        two.status(device, lambda b: b["data"] == {"power": True})
        mine = two.get("device/control", {"did": device.did, "data": {"power": False}})["cid"]
        device.report(cid=mine)
        two.expect("/command", lambda b: b["cid"] == mine)
        self.assertEqual([m.body["cid"] for m in two.everything if m.leaf == "command"], [mine])


class Refused(EndToEnd):
    def test_an_offline_device(self):
        device, terminal = self.world.device(connect=False), self.terminal()
        terminal.bind(device)
        params = {"did": device.did, "data": {"power": True}}
        self.assertError(terminal.fail("device/control", params), "DeviceOffline")
        self.assertError(terminal.fail("device/control", {**params, "wait": True}), "DeviceOffline")

    def test_a_command_refused_is_not_delivered_later(self):
        device, terminal = self.world.device(connect=False), self.terminal()
        terminal.bind(device)
        terminal.fail("device/control", {"did": device.did, "data": {"power": True}})
        self.keep(device.come())
        terminal.status(device, lambda b: b["online"])
        result = terminal.get("device/control", {"did": device.did, "data": {"power": False}})
        self.assertEqual(device.command().body["cid"], result["cid"])

    def test_what_the_data_points_do_not_let_write(self):
        device, terminal = self.pair()
        for data in ({"temperature": 5}, {"colour": "red"}, {"power": 1}, {"brightness": 101}, {"brightness": 7},
                     {"mode": "blue"}, {"label": "123456789"}, {"pin": 5}, {"blob": "!"}):
            with self.subTest(data=data):
                error = self.assertError(
                    terminal.fail("device/control", {"did": device.did, "data": data}), "InvalidRequest")
                self.assertEqual(error["field"], f"params.data.{next(iter(data))}")

    def test_params_of_the_wrong_form(self):
        device, terminal = self.pair()
        good = {"did": device.did, "data": {"power": True}}
        for params in ({"did": device.did}, {**good, "binary": "AAEC"}, {**good, "mode": "later"},
                       {**good, "ttl": 0}, {**good, "ttl": 604801}, {**good, "ttl": "5"}, {**good, "sn": "1"},
                       {**good, "wait": "yes"}, {"data": {"power": True}}, {"did": device.did, "data": {}},
                       {"did": device.did, "data": []}):
            with self.subTest(params=params):
                self.assertError(terminal.fail("device/control", params), "InvalidRequest")

    def test_somebody_elses_and_no_device_look_alike(self):
        device, _owner = self.pair()
        stranger = self.terminal()
        one = stranger.fail("device/control", {"did": device.did, "data": {"power": True}})
        two = stranger.fail("device/control", {"did": fresh_did(), "data": {"power": True}})
        self.assertEqual(one, two)
        self.assertError(one, "NotBound")

    def test_queueing_comes_with_later_work(self):
        device, terminal = self.pair()
        params = {"did": device.did, "data": {"power": True}, "mode": "queue"}
        self.assertError(terminal.fail("device/control", params), "Unavailable")


if __name__ == "__main__":
    unittest.main()
