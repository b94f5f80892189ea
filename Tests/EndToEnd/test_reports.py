"""Reports: their effects, which happen once, and their contents (reference: reports#order)."""

import base64
import unittest

from client import fresh_id, now
from world import FREE, EndToEnd


class Merging(EndToEnd):
    def test_a_change_raises_the_version_by_one_and_is_published(self):
        device, terminal = self.pair()
        before = terminal.get("device/status", {"did": device.did})["version"]
        answer = device.report(data={"power": True, "brightness": 40})
        self.assertEqual(answer["version"], before + 1)
        status = terminal.status(device, lambda b: b["version"] == before + 1)
        self.assertEqual(status["data"], {"power": True, "brightness": 40})
        self.assertEqual(sorted(status["changed"]), ["brightness", "power"])
        self.assertEqual(status["sn"], 0)
        self.assertTrue(status["online"])
        self.assertLess(abs(status["ts"] - now()), 10_000)

    def test_a_report_that_changes_nothing_answers_with_the_present_version(self):
        device, terminal = self.pair()
        version = device.report(data={"power": True})["version"]
        self.assertEqual(device.report(data={"power": True})["version"], version)
        device.report(data={"power": False})
        terminal.status(device, lambda b: b["version"] == version + 1)
        same = [m for m in terminal.everything
                if m.topic.endswith("/status") and m.body and m.body["version"] == version]
        self.assertEqual(len(same), 1, "the second report was not fanned out")

    def test_attributes_merge_one_by_one(self):
        device, terminal = self.pair()
        device.report(data={"power": True})
        device.report(data={"mode": "white"})
        status = terminal.status(device, lambda b: b["changed"] == ["mode"])
        self.assertEqual(status["data"], {"power": True, "mode": "white"})

    def test_the_newest_time_wins_for_each_attribute(self):
        device, terminal = self.pair()
        at = now() - 60_000
        device.report(ts=at, data={"power": True, "brightness": 40})
        older = device.report(ts=at - 1000, data={"brightness": 10, "mode": "white"})
        status = terminal.get("device/status", {"did": device.did})
        self.assertEqual(status["data"], {"power": True, "brightness": 40, "mode": "white"})
        self.assertEqual(status["version"], older["version"])

    def test_an_older_report_alone_changes_nothing(self):
        device, terminal = self.pair()
        at = now() - 60_000
        version = device.report(ts=at, data={"brightness": 40})["version"]
        self.assertEqual(device.report(ts=at - 1, data={"brightness": 10})["version"], version)
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {"brightness": 40})

    def test_at_equal_times_the_later_arrival_wins(self):
        device, terminal = self.pair()
        at = now() - 60_000
        version = device.report(ts=at, data={"brightness": 40})["version"]
        self.assertEqual(device.report(ts=at, data={"brightness": 50})["version"], version + 1)
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {"brightness": 50})

    def test_a_time_far_ahead_is_replaced_by_the_arrival(self):
        device, terminal = self.pair()
        device.report(ts=now() + 3_600_000, data={"brightness": 40})
        status = terminal.status(device, lambda b: b["changed"] == ["brightness"])
        self.assertLess(abs(status["ts"] - now()), 10_000)
        device.report(data={"brightness": 50})
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {"brightness": 50})

    def test_a_time_a_little_ahead_is_kept(self):
        device, terminal = self.pair()
        at = now() + 300_000
        device.report(ts=at, data={"brightness": 40})
        self.assertEqual(terminal.status(device, lambda b: b["changed"] == ["brightness"])["ts"], at)
        device.report(ts=at - 1_000, data={"brightness": 45})
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {"brightness": 40})
        # A report without a time counts as the newest report when it arrives.
        device.report(data={"brightness": 50})
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {"brightness": 50})

    def test_null_means_absent(self):
        device, _terminal = self.pair()
        answer = device.report(ts=None, cid=None, alerts=None, data={"power": True, "mode": None})
        self.assertTrue(answer["ok"], answer)

    def test_the_status_is_retained_for_later_subscribers(self):
        device, terminal = self.pair()
        version = device.report(data={"power": True})["version"]
        terminal.status(device, lambda b: b["version"] == version)
        terminal.unsubscribe(f"ll/v1/user/{terminal.uid}/#")
        terminal.clear()
        terminal.subscribe(f"ll/v1/user/{terminal.uid}/device/+/status")
        message = terminal.expect(f"/device/{device.did}/status")
        self.assertTrue(message.retain)
        self.assertEqual(message.body["version"], version)


class Once(EndToEnd):
    def test_a_repeated_id_gets_the_same_version_and_has_one_effect(self):
        device, _terminal = self.pair()
        id = fresh_id()
        first = device.report(id=id, data={"count": 1})
        later = device.report(data={"count": 2})
        again = device.report(id=id, data={"count": 1})
        self.assertEqual((again["version"], again["stored"]), (first["version"], "repeat"))
        self.assertEqual(device.report(data={"count": 2})["version"], later["version"])

    def test_a_repeated_alert_with_an_id_is_published_once(self):
        device, terminal = self.pair()
        id = fresh_id()
        device.report(id=id, alerts=[{"name": "smoke"}])
        device.report(id=id, alerts=[{"name": "smoke"}])
        device.report(alerts=[{"name": "overheat"}])
        terminal.event(device, lambda b: b.get("name") == "overheat")
        told = [m for m in terminal.everything if m.topic.endswith("/event") and m.body.get("name") == "smoke"]
        self.assertEqual(len(told), 1)

    def test_without_an_id_the_same_time_and_content_has_one_effect(self):
        device, terminal = self.pair(FREE)
        at = now() - 1000
        for _ in range(2):
            device.send(ts=at, binary="AAEC")
        device.send(ts=at, binary="AAED")
        terminal.expect("/binary", lambda b: b["binary"] == "AAED")
        told = [m for m in terminal.everything if m.topic.endswith("/binary")]
        self.assertEqual([m.body["binary"] for m in told], ["AAEC", "AAED"])

    def test_with_neither_id_nor_time_each_delivery_counts(self):
        device, terminal = self.pair(FREE)
        for _ in range(2):
            device.send(binary="AAEC")
        device.send(binary="AAED")
        terminal.expect("/binary", lambda b: b["binary"] == "AAED")
        told = [m for m in terminal.everything if m.topic.endswith("/binary")]
        self.assertEqual(len(told), 3)

    def test_ids_of_two_devices_are_independent(self):
        one, two = self.device(), self.device()
        id = fresh_id()
        self.assertEqual(one.report(id=id, data={"power": True})["version"], 1)
        self.assertEqual(two.report(id=id, data={"mode": "white"})["version"], 1)


class History(EndToEnd):
    def test_a_batch_is_merged_in_order(self):
        device, terminal = self.pair()
        at = now() - 3_600_000
        answer = device.report(reports=[{"ts": at + i, "data": {"temperature": i}} for i in range(5)])
        self.assertTrue(answer["ok"], answer)
        status = terminal.get("device/status", {"did": device.did})
        self.assertEqual(status["data"], {"temperature": 4})
        self.assertEqual(status["version"], answer["version"])

    def test_a_batch_older_than_the_state_does_not_change_it(self):
        device, terminal = self.pair()
        version = device.report(data={"temperature": 20.5})["version"]
        at = now() - 3_600_000
        answer = device.report(reports=[{"ts": at + i, "data": {"temperature": i}} for i in range(5)])
        self.assertEqual(answer["version"], version)
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {"temperature": 20.5})

    def test_five_hundred_points_are_accepted_and_501_refused(self):
        device = self.device()
        at = now() - 3_600_000
        rows = [{"ts": at + i, "data": {"temperature": i % 100}} for i in range(501)]
        self.assertTrue(device.report(reports=rows[:500])["ok"])
        self.assertError(device.report(reports=rows), "InvalidRequest")

    def test_one_invalid_point_refuses_the_batch(self):
        device, terminal = self.pair()
        at = now() - 3_600_000
        answer = device.report(reports=[
            {"ts": at, "data": {"temperature": 1}}, {"ts": at + 1, "data": {"temperature": "hot"}}])
        self.assertError(answer, "InvalidRequest")
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {})

    def test_descending_times_are_refused(self):
        device = self.device()
        at = now() - 3_600_000
        answer = device.report(reports=[
            {"ts": at + 1, "data": {"temperature": 1}}, {"ts": at, "data": {"temperature": 2}}])
        self.assertError(answer, "InvalidRequest")

    def test_a_batch_has_a_time_each_and_nothing_beside_it(self):
        device = self.device()
        at = now()
        for body in ({"reports": []}, {"reports": [{"data": {"power": True}}]}, {"reports": [{"ts": at}]},
                     {"reports": [{"ts": at, "data": {"power": True}}], "data": {"power": True}}):
            with self.subTest(body=body):
                self.assertError(device.report(**body), "InvalidRequest")


class AlertsAndFaults(EndToEnd):
    def test_an_alert_is_published_once_and_cleared_with_its_event_id(self):
        for kind, name in (("alert", "smoke"), ("fault", "sensor")):
            with self.subTest(kind=kind):
                device, terminal = self.pair()
                device.report(**{f"{kind}s": [{"name": name, "value": True}]})
                raised = terminal.event(device, lambda b: b["type"] == kind)
                self.assertEqual((raised["name"], raised["value"]), (name, True))
                self.assertEqual(raised["actor"]["kind"], "device")
                self.assertEqual(raised["actor"]["id"], device.did)
                terminal.status(device, lambda b: b[f"{kind}s"] == [name])

                device.report(**{f"{kind}s": [{"name": name}]})
                device.report(**{f"{kind}s": [{"name": name, "value": False}]})
                cleared = terminal.event(device, lambda b: b["type"] != "online")
                self.assertEqual(cleared["type"], f"{kind}Cleared", "not announced again while active")
                self.assertEqual(cleared["eventId"], raised["eventId"])
                self.assertEqual(cleared["value"], False)
                terminal.status(device, lambda b: b[f"{kind}s"] == [])

                device.report(**{f"{kind}s": [{"name": name}]})
                second = terminal.event(device, lambda b: b["type"] == kind)
                self.assertNotEqual(second["eventId"], raised["eventId"])

    def test_clearing_an_inactive_alert_publishes_nothing(self):
        device, terminal = self.pair()
        device.report(alerts=[{"name": "smoke", "value": False}])
        device.report(alerts=[{"name": "overheat"}])
        event = terminal.event(device, lambda b: b["type"] != "online")
        self.assertEqual(event["name"], "overheat")

    def test_names_unknown_to_the_product_are_refused(self):
        device = self.device()
        self.assertError(device.report(alerts=[{"name": "flood"}]), "InvalidRequest")
        self.assertError(device.report(faults=[{"name": "smoke"}]), "InvalidRequest")

    def test_alert_and_data_are_accepted_in_one_report(self):
        device, terminal = self.pair()
        answer = device.report(data={"temperature": 99.5}, alerts=[{"name": "overheat", "value": 99.5}])
        status = terminal.status(device, lambda b: b["version"] == answer["version"])
        self.assertEqual(status["alerts"], ["overheat"])
        self.assertEqual(status["data"], {"temperature": 99.5})


class Binary(EndToEnd):
    def test_binary_is_published_and_not_retained(self):
        device, terminal = self.pair(FREE)
        text = base64.b64encode(bytes(range(256))).decode()
        device.report(binary=text)
        message = terminal.expect(f"/device/{device.did}/binary")
        self.assertEqual((message.body["binary"], message.body["did"]), (text, device.did))
        self.assertFalse(message.retain)
        terminal.unsubscribe(f"ll/v1/user/{terminal.uid}/#")
        terminal.clear()
        terminal.subscribe(f"ll/v1/user/{terminal.uid}/#")
        terminal.expect(f"/device/{device.did}/status")
        self.assertEqual(terminal.unread("/binary"), [])

    def test_invalid_base64_is_refused(self):
        device = self.device(FREE)
        for text in ("***", "AAE", "AAEC=", "AA EC", 5):
            with self.subTest(text=text):
                self.assertError(device.report(binary=text), "InvalidRequest", "binary")


class Checking(EndToEnd):
    REFUSED = [
        ("a bool is not a number", {"power": 1}),
        ("a bool is not text", {"power": "true"}),
        ("an int has no fraction", {"brightness": 5.5}),
        ("an int is not text", {"brightness": "5"}),
        ("below the range", {"brightness": -5}),
        ("above the range", {"brightness": 105}),
        ("beside the step", {"brightness": 7}),
        ("not among the values", {"mode": "blue"}),
        ("an enum is not a number", {"mode": 0}),
        ("a float is not text", {"temperature": "20"}),
        ("a float out of range", {"temperature": 125.01}),
        ("a text too long", {"label": "123456789"}),
        ("text is not a number", {"label": 5}),
        ("a raw is base64", {"blob": "not!"}),
        ("a raw too long", {"blob": base64.b64encode(b"12345").decode()}),
        ("written only", {"pin": "1234"}),
        ("unknown", {"colour": "red"}),
        ("an object", {"power": {"on": True}}),
    ]
    TAKEN = [
        {"power": False}, {"brightness": 0}, {"brightness": 100}, {"brightness": 5.0}, {"count": 2 ** 53 - 1},
        {"count": -(2 ** 53 - 1)}, {"mode": "colour"}, {"temperature": -40}, {"temperature": 125},
        {"temperature": 20.125}, {"label": ""}, {"label": "12345678"}, {"label": "äöüß€漢字🙂"},
        {"blob": base64.b64encode(b"1234").decode()},
    ]

    def test_data_that_does_not_fit_the_data_points_is_refused_completely(self):
        device, terminal = self.pair()
        for why, data in self.REFUSED:
            with self.subTest(why=why):
                whole = {"power": True, **data} if "power" not in data else {"brightness": 5, **data}
                error = self.assertError(device.report(data=whole), "InvalidRequest")
                self.assertEqual(error["field"], f"data.{next(iter(data))}")
        status = terminal.get("device/status", {"did": device.did})
        self.assertEqual((status["data"], status["version"]), ({}, 0))

    def test_data_that_fits_is_accepted(self):
        device, terminal = self.pair()
        for data in self.TAKEN:
            with self.subTest(data=data):
                answer = device.report(data=data)
                self.assertTrue(answer["ok"], answer)
                name, value = next(iter(data.items()))
                state = terminal.get("device/status", {"did": device.did})["data"]
                self.assertEqual(state[name], value)

    def test_an_empty_report_is_refused(self):
        device = self.device()
        self.assertError(device.report(), "InvalidRequest")
        self.assertError(device.report(ts=now()), "InvalidRequest")

    def test_types_of_the_envelope_are_checked(self):
        device = self.device()
        good = {"power": True}
        for body in ({"ts": "now"}, {"ts": -1}, {"ts": 1.5}, {"cid": "1"}, {"code": "x", "cid": 1},
                     {"data": [1]}, {"data": "x"}, {"alerts": {}}, {"alerts": [{"value": True}]}, {"faults": [5]}):
            with self.subTest(body=body):
                self.assertError(device.report(**{"data": good, **body}), "InvalidRequest")

    def test_unknown_fields_are_ignored(self):
        device = self.device()
        self.assertTrue(device.report(data={"power": True}, firmware="9", nested={"a": [1]})["ok"])


class FreeForm(EndToEnd):
    def test_any_json_is_accepted(self):
        device, terminal = self.pair(FREE)
        data = {"zone.1": {"open": False, "since": [1, 2.5, "x"]}, "näme": "wert", "n": 1e300, "list": []}
        self.assertTrue(device.report(data=data)["ok"])
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], data)

    def test_256_attributes_are_the_limit_over_all_reports(self):
        device = self.device(FREE)
        self.assertTrue(device.report(data={f"a{i}": i for i in range(256)})["ok"])
        self.assertTrue(device.report(data={"a0": 5})["ok"])
        self.assertFalse(device.report(data={"one-more": 1})["ok"])

    def test_32_KiB_of_state_are_the_limit(self):
        device = self.device(FREE)
        self.assertTrue(device.report(data={"a": "x" * 16000})["ok"])
        self.assertFalse(device.report(data={"b": "x" * 17000})["ok"])
        self.assertTrue(device.report(data={"a": "x"})["ok"])
        self.assertTrue(device.report(data={"b": "x" * 17000})["ok"])

    def test_names_have_1_to_128_bytes(self):
        device = self.device(FREE)
        self.assertTrue(device.report(data={"x" * 128: 1, "ä" * 64: 1})["ok"])
        for name in ("", "x" * 129, "ä" * 65):
            with self.subTest(name=name):
                self.assertError(device.report(data={name: 1}), "InvalidRequest")


if __name__ == "__main__":
    unittest.main()
