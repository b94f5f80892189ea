"""An app sends a command, the device obeys, and the app gets the outcome (reference: commands#life)."""

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

    def test_it_expires_in_the_broker(self):
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

    def test_cids_are_strictly_ascending(self):
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

    def test_wait_answers_with_the_outcome_expired_and_a_late_answer_changes_nothing(self):
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

    def test_an_answer_without_data_is_also_done(self):
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

    def test_an_answer_to_an_unknown_command_is_still_a_report(self):
        device, terminal = self.pair()
        self.assertTrue(device.report(cid=4711, data={"power": True})["ok"])
        terminal.status(device, lambda b: b["data"] == {"power": True})

    def test_an_answer_that_does_not_fit_decides_nothing(self):
        device, terminal = self.pair()
        cid = terminal.get("device/control", {"did": device.did, "data": {"power": True}})["cid"]
        self.assertError(device.report(cid=cid, data={"power": "on"}), "InvalidRequest")
        device.report(cid=cid, data={"power": True})
        self.assertEqual(terminal.expect("/command", lambda b: b["cid"] == cid).body["state"], "done")

    def test_waiting_commands_set_no_more_attributes_than_a_device_may_have(self):
        device, terminal = self.world.device(FREE, connect=False), self.terminal()
        terminal.bind(device)
        data = {f"n{number}": number for number in range(200)}
        terminal.get("device/control", {"did": device.did, "mode": "queue", "data": data})
        more = {f"m{number}": number for number in range(57)}
        error = self.assertError(
            terminal.fail("device/control", {"did": device.did, "mode": "queue", "data": more}), "InvalidRequest")
        self.assertEqual(error["field"], "params.data")
        terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {**data, "m1": 1}})

    def test_binary_goes_to_a_free_form_device_and_back(self):
        device, terminal = self.pair(FREE)
        cid = terminal.get("device/control", {"did": device.did, "binary": "AAEC"})["cid"]
        self.assertEqual(device.command().body["binary"], "AAEC")
        device.report(cid=cid, binary="AwQF")
        told = terminal.expect("/binary").body
        self.assertEqual((told["binary"], told["cid"]), ("AwQF", cid))
        terminal.expect("/command", lambda b: b["cid"] == cid and b["state"] == "done")

    def test_a_write_only_value_reaches_the_device_and_is_never_shown(self):
        device, terminal = self.pair()
        id = fresh_id()
        terminal.send("device/control", {"did": device.did, "data": {"pin": "pin-8642"}, "wait": True}, id)
        command = device.command().body
        self.assertEqual(command["data"], {"pin": "pin-8642"})
        device.report(cid=command["cid"])
        terminal.answer("device/control", id)
        terminal.expect("/command", lambda b: b["cid"] == command["cid"])
        for message in terminal.everything:
            self.assertNotIn(b"pin-8642", message.payload, message.topic)

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

    def test_values_that_the_data_points_do_not_let_write(self):
        device, terminal = self.pair()
        for data in ({"temperature": 5}, {"colour": "red"}, {"power": 1}, {"brightness": 101}, {"brightness": 7},
                     {"mode": "blue"}, {"label": "123456789"}, {"pin": 5}, {"blob": "!"}):
            with self.subTest(data=data):
                error = self.assertError(
                    terminal.fail("device/control", {"did": device.did, "data": data}), "InvalidRequest")
                self.assertEqual(error["field"], f"params.data.{next(iter(data))}")

    def test_invalid_params(self):
        device, terminal = self.pair()
        good = {"did": device.did, "data": {"power": True}}
        for params in ({"did": device.did}, {**good, "binary": "AAEC"}, {**good, "mode": "later"},
                       {**good, "ttl": 0}, {**good, "ttl": 604801}, {**good, "ttl": "5"}, {**good, "sn": "1"},
                       {**good, "wait": "yes"}, {"data": {"power": True}}, {"did": device.did, "data": {}},
                       {"did": device.did, "data": []}):
            with self.subTest(params=params):
                self.assertError(terminal.fail("device/control", params), "InvalidRequest")

    def test_another_users_device_and_a_missing_device_get_the_same_answer(self):
        device, _owner = self.pair()
        stranger = self.terminal()
        one = stranger.fail("device/control", {"did": device.did, "data": {"power": True}})
        two = stranger.fail("device/control", {"did": fresh_did(), "data": {"power": True}})
        self.assertEqual(one, two)
        self.assertError(one, "NotBound")


class Queued(EndToEnd):
    """Mode `queue`: waiting commands are sent as one command when the device is back."""

    def away(self):
        device, terminal = self.world.device(connect=False), self.terminal()
        terminal.bind(device)
        return device, terminal

    def test_the_newest_value_of_each_attribute_is_sent_with_the_newest_cid(self):
        device, terminal = self.away()
        got = [terminal.get("device/control", {"did": device.did, "mode": "queue", "sn": sn, "data": data})
               for sn, data in ((1, {"power": True, "count": 1}), (2, {"count": 2}), (3, {"brightness": 40}))]
        self.assertEqual([g["state"] for g in got], ["queued"] * 3)
        self.keep(device.come())
        command = device.command().body
        self.assertEqual((command["cid"], command["sn"]), (got[2]["cid"], 3))
        self.assertEqual(command["data"], {"power": True, "count": 2, "brightness": 40})
        for one in got[:2]:
            terminal.expect("/command", lambda b: b["cid"] == one["cid"] and b["state"] == "superseded")
        device.report(cid=command["cid"], data={"power": True})
        terminal.expect("/command", lambda b: b["cid"] == command["cid"] and b["state"] == "done")
        log = terminal.get("device/commands", {"did": device.did})["commands"]
        self.assertEqual([(c["cid"], c["state"]) for c in log],
                         [(got[2]["cid"], "done"), (got[1]["cid"], "superseded"), (got[0]["cid"], "superseded")])
        self.assertEqual([s["state"] for s in log[0]["steps"]], ["queued", "sent", "done"])
        self.assertEqual(device.unread("/command"), [])

    def test_it_is_sent_to_a_device_whose_session_the_broker_kept(self):
        device = self.world.device(clean=False, expiry=300)
        terminal = self.terminal()
        terminal.bind(device)
        device.close()
        terminal.status(device, lambda b: not b["online"])
        cid = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"power": True}})["cid"]
        self.keep(device)
        self.assertEqual(device.connect(), 0)
        self.assertEqual(device.command().body["cid"], cid)

    def test_a_connected_device_gets_it_at_once(self):
        device, terminal = self.pair()
        result = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"power": True}})
        self.assertEqual(result["state"], "sent")
        self.assertEqual(device.command().body["cid"], result["cid"])

    def test_a_waiting_caller_is_told_that_it_was_superseded(self):
        device, terminal = self.away()
        id = fresh_id()
        params = {"did": device.did, "mode": "queue", "data": {"power": True}}
        terminal.send("device/control", {**params, "wait": True}, id)
        terminal.get("device/control", params)
        self.keep(device.come())
        self.assertEqual(terminal.answer("device/control", id)["result"]["state"], "superseded")

    def test_one_value_can_be_set_again_and_again(self):
        device, terminal = self.away()
        power = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"power": True}})
        for count in range(120):
            last = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"count": count}})
        terminal.expect("/command", lambda b: b["cid"] == power["cid"] + 1 and b["state"] == "superseded")
        self.keep(device.come())
        command = device.command().body
        self.assertEqual((command["cid"], command["data"]), (last["cid"], {"power": True, "count": 119}))

    def test_a_command_that_waits_too_long_is_not_sent(self):
        device, terminal = self.away()
        gone = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"power": True}, "ttl": 1})
        stays = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"count": 5}})
        terminal.expect("/command", lambda b: b["cid"] == gone["cid"] and b["state"] == "expired")
        self.keep(device.come())
        command = device.command().body
        self.assertEqual((command["cid"], command["data"]), (stays["cid"], {"count": 5}))

    def test_a_leaving_user_takes_waiting_commands_along(self):
        device, terminal = self.away()
        other = self.terminal()
        other.bind(device)
        mine = terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"power": True}})
        theirs = other.get("device/control", {"did": device.did, "mode": "queue", "data": {"count": 3}})
        unsubscribed = self.terminal()
        unsubscribed.bind(device)
        third = unsubscribed.get("device/control", {"did": device.did, "mode": "queue", "data": {"count": 4}})
        unsubscribed.get("device/subscribe", {"did": device.did, "subscribed": False})
        terminal.get("device/unbind", {"did": device.did})
        outcome = terminal.expect("/command", lambda b: b["cid"] == mine["cid"]).body
        self.assertEqual((outcome["state"], outcome["code"]), ("failed", "NotBound"))
        self.keep(device.come())
        command = device.command().body
        self.assertEqual((command["cid"], command["data"]), (theirs["cid"], {"count": 3}))
        outcome = unsubscribed.expect("/command", lambda b: b["cid"] == third["cid"]).body
        self.assertEqual((outcome["state"], outcome["code"]), ("failed", "NotSubscribed"))

    def test_a_write_only_value_waits_unseen(self):
        device, terminal = self.away()
        terminal.get("device/control", {"did": device.did, "mode": "queue", "data": {"pin": "8642"}})
        self.assertEqual(terminal.get("device/commands", {"did": device.did})["commands"][0]["data"], {"pin": "***"})
        self.keep(device.come())
        self.assertEqual(device.command().body["data"], {"pin": "8642"})


class Asked(EndToEnd):
    """device/query, and the actor that users see as the cause of a change."""

    def test_a_query_returns_the_status_after_the_devices_answer(self):
        device, terminal = self.pair()
        id = fresh_id()
        terminal.send("device/query", {"did": device.did}, id)
        command = device.command().body
        self.assertEqual((command["type"], command["data"]), ("query", {}))
        device.report(cid=command["cid"], data={"power": True})
        self.assertEqual(terminal.answer("device/query", id)["result"]["data"], {"power": True})

    def test_a_query_without_an_answer_and_a_query_to_an_offline_device(self):
        device, terminal = self.pair()
        self.assertError(terminal.fail("device/query", {"did": device.did, "timeout": 1}), "DeviceTimeout")
        device.close()
        terminal.status(device, lambda b: not b["online"])
        self.assertError(terminal.fail("device/query", {"did": device.did}), "DeviceOffline")
        self.assertError(self.terminal().fail("device/query", {"did": device.did}), "NotBound")
        terminal.get("device/subscribe", {"did": device.did, "subscribed": False})
        self.assertError(terminal.fail("device/query", {"did": device.did}), "NotSubscribed")

    def test_every_user_sees_who_caused_the_change(self):
        device, terminal = self.pair()
        other = self.terminal()
        other.bind(device)
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        device.report(cid=device.command().body["cid"], data={"power": True})
        seen = other.status(device, lambda b: b["data"] == {"power": True})
        self.assertEqual(seen["actor"], {"kind": "user", "id": terminal.uid})
        mine = terminal.status(device, lambda b: b["data"] == {"power": True})
        self.assertEqual(mine["actor"]["terminalId"], terminal.terminal_id)
        device.report(data={"power": False})
        self.assertNotIn("actor", other.status(device, lambda b: b["data"] == {"power": False}))

    def test_a_late_answer_is_stored_as_late(self):
        device, terminal = self.pair()
        cid = terminal.get("device/control", {"did": device.did, "data": {"power": True}, "ttl": 1, "wait": True})["cid"]
        device.report(cid=cid, code=3)
        command = terminal.get("device/commands", {"did": device.did})["commands"][0]
        self.assertEqual((command["state"], command["late"], command["code"]), ("expired", True, 3))


if __name__ == "__main__":
    unittest.main()
