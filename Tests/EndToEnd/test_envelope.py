"""Requests and answers (reference: requests#envelope)."""

import json
import unittest

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from client import fresh_did, fresh_id
from world import EndToEnd

def response_topic(topic, data=None):
    properties = Properties(PacketTypes.PUBLISH)
    properties.ResponseTopic = topic
    if data is not None:
        properties.CorrelationData = data
    return properties


class Repeats(EndToEnd):
    def test_a_repetition_gets_the_same_answer_and_has_one_effect(self):
        device, terminal = self.pair()
        id = fresh_id()
        params = {"did": device.did, "data": {"power": True}}
        first = terminal.ask("device/control", params, id)
        self.assertEqual(terminal.ask("device/control", params, id), first)
        other = terminal.get("device/control", params)
        cids = [device.command().body["cid"] for _ in range(2)]
        self.assertEqual(cids, [first["result"]["cid"], other["cid"]])

    def test_a_login_repeated_gives_the_same_token(self):
        terminal = self.terminal(login=False)
        id = fresh_id()
        params = {"countryCode": "49"}
        first = terminal.ask("account/loginAnonymous", params, id)
        self.assertEqual(terminal.ask("account/loginAnonymous", params, id), first)
        terminal.get("account/whoami", token=first["result"]["token"])

    def test_the_order_of_members_does_not_matter(self):
        terminal = self.terminal(login=False)
        id = fresh_id()
        topic = f"{terminal.base}/request/account/loginAnonymous"
        terminal.publish(topic, json.dumps({"id": id, "params": {"countryCode": "49", "os": "x"}}))
        first = terminal.answer("account/loginAnonymous", id)
        terminal.publish(topic, json.dumps({"params": {"os": "x", "countryCode": "49"}, "id": id}, indent=1))
        self.assertEqual(terminal.answer("account/loginAnonymous", id), first)

    def test_the_same_id_with_other_content_is_refused(self):
        device, terminal = self.pair()
        id = fresh_id()
        first = terminal.ask("device/control", {"did": device.did, "data": {"power": True}}, id)
        for method, params in (("device/control", {"did": device.did, "data": {"power": False}}),
                               ("device/unbind", {"did": device.did})):
            with self.subTest(method=method, params=params):
                self.assertError(terminal.ask(method, params, id), "InvalidRequest", "id")
        again = terminal.ask("device/control", {"did": device.did, "data": {"power": True}}, id)
        self.assertEqual(again, first)
        self.assertEqual(terminal.get("device/list")["total"], 1)

    def test_repetitions_in_progress_join(self):
        device, terminal = self.pair()
        id = fresh_id()
        params = {"did": device.did, "data": {"power": True}, "wait": True}
        for _ in range(3):
            terminal.send("device/control", params, id)
        cid = device.command().body["cid"]
        device.report(cid=cid)
        answer = terminal.answer("device/control", id)
        self.assertEqual((answer["result"]["cid"], answer["result"]["state"]), (cid, "done"))
        marker = terminal.get("device/control", {"did": device.did, "data": {"power": False}})
        self.assertEqual(device.command().body["cid"], marker["cid"], "one command for the three")

    def test_an_error_is_repeated_too(self):
        terminal = self.terminal()
        id = fresh_id()
        params = {"did": fresh_did(), "passcode": "123456"}
        first = terminal.ask("device/bind", params, id)
        self.assertError(first, "InvalidCredentials")
        self.assertEqual(terminal.ask("device/bind", params, id), first)

    def test_ids_of_two_terminals_are_independent(self):
        one, two = self.terminal(login=False), self.terminal(login=False)
        params = {"countryCode": "49"}
        first = one.ask("account/loginAnonymous", params, "same")
        second = two.ask("account/loginAnonymous", params, "same")
        self.assertNotEqual(first["result"]["user"]["uid"], second["result"]["user"]["uid"])

    def test_after_the_logout_a_repetition_is_refused(self):
        device, terminal = self.pair()
        id = fresh_id()
        params = {"did": device.did, "subscribed": True}
        terminal.ask("device/subscribe", params, id)
        token = terminal.token
        terminal.get("account/logout")
        fresh = self.terminal(login=False, terminal_id=terminal.terminal_id)
        self.assertError(fresh.ask("device/subscribe", params, id, token=token), "InvalidToken")


class WhereAnswersGo(EndToEnd):
    def test_to_the_response_topic_with_the_correlation_data(self):
        terminal = self.terminal()
        id = fresh_id()
        topic = f"{terminal.base}/answers/{id}"
        terminal.publish(
            f"{terminal.base}/request/account/whoami", {"id": id, "token": terminal.token, "params": {}},
            properties=response_topic(topic, b"\x00\xffbytes"))
        message = terminal.expect(f"/answers/{id}")
        self.assertTrue(message.body["ok"])
        self.assertEqual(message.properties.CorrelationData, b"\x00\xffbytes")
        self.assertEqual(terminal.unread("/response"), [])

    def test_correlation_data_alone_is_returned_on_the_usual_topic(self):
        terminal = self.terminal()
        id = fresh_id()
        properties = Properties(PacketTypes.PUBLISH)
        properties.CorrelationData = b"c1"
        terminal.publish(
            f"{terminal.base}/request/account/whoami", {"id": id, "token": terminal.token}, properties=properties)
        message = terminal.expect("/response", lambda b: b["id"] == id)
        self.assertEqual(getattr(message.properties, "CorrelationData", None), b"c1")

    def test_a_foreign_response_topic_gets_no_answer(self):
        terminal, victim = self.terminal(), self.terminal()
        for topic in (f"{victim.base}/response", f"{victim.base}/x", f"ll/v1/user/{victim.uid}/session",
                      f"ll/v1/user/{terminal.uid}/device", f"{terminal.base}/request/account/logout",
                      "ll/v1/system/session-invalid", f"{terminal.base}/request", f"{terminal.base}x/y"):
            with self.subTest(topic=topic):
                id = fresh_id()
                terminal.publish(
                    f"{terminal.base}/request/account/whoami", {"id": id, "token": terminal.token},
                    properties=response_topic(topic))
                # The service may answer on the usual topic. It must never answer on the topic that the request names.
                terminal.expect("/response", lambda b: b.get("id") == id)
        victim.get("account/whoami")
        terminal.get("account/whoami")
        strangers = [m for m in victim.everything if m.body.get("id", "").startswith("t")]
        self.assertEqual([m for m in strangers if m.leaf != "response"], [])
        seen = [m for m in self.world.watcher.everything if m.topic.endswith("system/session-invalid")
                and "ok" in (m.body or {})]
        self.assertEqual(seen, [])

    def test_a_response_topic_with_a_wildcard_is_ignored_or_refused(self):
        terminal = self.terminal()
        id = fresh_id()
        try:
            terminal.publish(
                f"{terminal.base}/request/account/whoami", {"id": id, "token": terminal.token},
                properties=response_topic(f"{terminal.base}/+"))
            terminal.expect("/response", lambda b: b.get("id") == id, 3)
        except AssertionError:
            pass  # the broker can end the connection for such a packet
        self.terminal()

    def test_mqtt_3_1_1_works_too(self):
        terminal = self.terminal(version=4)
        device = self.device(version=4)
        terminal.bind(device)
        cid = terminal.get("device/control", {"did": device.did, "data": {"power": True}})["cid"]
        self.assertEqual(device.command().body["cid"], cid)
        device.report(cid=cid, data={"power": True})
        terminal.expect("/command", lambda b: b["cid"] == cid and b["state"] == "done")
        terminal.status(device, lambda b: b["data"] == {"power": True})


class WhatIsRefused(EndToEnd):
    def test_a_request_without_an_id_is_a_dead_letter(self):
        terminal = self.terminal()
        for id in (None, 5, "", "a b", "x" * 65, ["x"]):
            with self.subTest(id=id):
                topic = f"{terminal.base}/request/account/whoami"
                body = {"token": terminal.token, "params": {}}
                self.world.watcher.clear()
                terminal.publish(topic, body if id is None else {"id": id, **body})
                self.world.watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic)
        terminal.get("account/whoami")

    def test_unknown_service_or_method(self):
        terminal = self.terminal()
        for method in ("account/nonsense", "device/nonsense", "nonsense/list", "account", "account/whoami/more",
                       "device/Bind", "a/b/c/d", "session/nonsense", "share/nonsense", "home/x", "schedule/x"):
            with self.subTest(method=method):
                self.assertError(terminal.ask(method), "InvalidRequest")

    def test_query_users_is_always_forbidden(self):
        self.assertError(self.terminal().ask("account/queryUsers"), "Forbidden")

    def test_params_must_be_an_object(self):
        terminal = self.terminal()
        for params in ([], "x", 5, True):
            with self.subTest(params=params):
                id = fresh_id()
                terminal.publish(
                    f"{terminal.base}/request/account/whoami", {"id": id, "token": terminal.token, "params": params})
                self.assertError(terminal.answer("account/whoami", id), "InvalidRequest", "params")

    def test_params_may_be_absent_or_null(self):
        terminal = self.terminal()
        for more in ({}, {"params": None}):
            id = fresh_id()
            terminal.publish(
                f"{terminal.base}/request/account/whoami", {"id": id, "token": terminal.token, **more})
            self.assertTrue(terminal.answer("account/whoami", id)["ok"])

    def test_a_uid_must_be_the_tokens(self):
        terminal, other = self.terminal(), self.terminal()
        self.assertTrue(terminal.ask("account/whoami", uid=terminal.uid)["ok"])
        self.assertFalse(terminal.ask("account/whoami", uid=other.uid)["ok"])

    def test_a_failure_names_the_field(self):
        terminal = self.terminal(login=False)
        for params, field in (({}, "countryCode"), ({"countryCode": 49}, "countryCode"),
                              ({"countryCode": "+49"}, "countryCode"), ({"countryCode": "49", "deviceId": "x"}, "deviceId"),
                              ({"countryCode": "49", "deviceId": "x" * 65}, "deviceId"),
                              ({"countryCode": "49", "platform": 5}, "platform")):
            with self.subTest(params=params):
                self.assertError(terminal.ask("account/loginAnonymous", params), "InvalidRequest", field)


if __name__ == "__main__":
    unittest.main()
