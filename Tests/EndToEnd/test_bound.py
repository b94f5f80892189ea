"""Users see and set the data of their bound devices (reference: reports#fan-out)."""

import unittest

from client import fresh_did, fresh_mac
from world import FREE, LAMP, OPERATED, EndToEnd


class List(EndToEnd):
    def test_the_list_has_the_members_of_the_contract(self):
        device, terminal = self.pair()
        entry = terminal.get("device/list")["devices"][0]
        self.assertEqual(
            (entry["did"], entry["productKey"], entry["mac"], entry["productName"], entry["role"],
             entry["access"], entry["subscribed"]),
            (device.did, LAMP["productKey"], device.mac, LAMP["name"], "special", "control", True))

    def test_pages_and_products(self):
        terminal = self.terminal()
        lamps = [self.world.device(connect=False) for _ in range(4)]
        free = self.world.device(FREE, connect=False)
        for device in (*lamps, free):
            terminal.bind(device)
        whole = terminal.get("device/list")
        self.assertEqual(whole["total"], 5)
        self.assertEqual([d["did"] for d in whole["devices"]], [d.did for d in (*lamps, free)])
        page = terminal.get("device/list", {"offset": 1, "limit": 2})
        self.assertEqual([d["did"] for d in page["devices"]], [d.did for d in lamps[1:3]])
        self.assertEqual(page["total"], 5)
        self.assertEqual(terminal.get("device/list", {"cursor": "1", "limit": 2}), page)
        beyond = terminal.get("device/list", {"offset": 5})
        self.assertEqual((beyond["devices"], beyond["total"]), ([], 5))
        of_free = terminal.get("device/list", {"productKeys": [FREE["productKey"]]})
        self.assertEqual(([d["did"] for d in of_free["devices"]], of_free["total"]), ([free.did], 1))
        none = terminal.get("device/list", {"productKeys": ["00" * 16]})
        self.assertEqual(none["total"], 0)

    def test_limits_are_checked(self):
        terminal = self.terminal()
        for params, field in (({"limit": 0}, "limit"), ({"limit": 1001}, "limit"), ({"limit": "5"}, "limit"),
                              ({"offset": -1}, "offset"), ({"cursor": "x"}, "cursor"),
                              ({"cursor": "1", "offset": 1}, "offset"), ({"productKeys": "x"}, "productKeys")):
            with self.subTest(params=params):
                self.assertError(terminal.fail("device/list", params), "InvalidRequest", field)
        terminal.get("device/list", {"limit": 1000})


class Subscribe(EndToEnd):
    def test_without_a_subscription_the_status_is_absent_and_returns_with_it(self):
        device, terminal = self.pair()
        device.report(data={"power": True})
        self.assertEqual(terminal.get("device/subscribe", {"did": device.did, "subscribed": False}), {})
        terminal.wait(lambda: [m for m in terminal.everything if m.leaf == "status" and not m.payload],
                      what="the clearing")
        for method, params in (("status", {}), ("control", {"data": {"power": False}})):
            with self.subTest(method=method):
                self.assertError(
                    terminal.fail(f"device/{method}", {"did": device.did, **params}), "NotSubscribed")
        self.assertFalse(terminal.get("device/list")["devices"][0]["subscribed"])

        terminal.clear()
        version = device.report(data={"power": False})["version"]
        terminal.get("device/subscribe", {"did": device.did, "subscribed": True})
        status = terminal.status(device)
        self.assertEqual((status["version"], status["data"]), (version, {"power": False}))

    def test_the_retained_status_is_really_gone(self):
        device, terminal = self.pair()
        terminal.get("device/subscribe", {"did": device.did, "subscribed": False})
        topic = f"ll/v1/user/{terminal.uid}/device/{device.did}/status"
        late = self.keep(self.world.tool("late"))
        self.assertEqual(late.connect(), 0)
        terminal.wait(lambda: [m for m in terminal.everything if m.leaf == "status" and not m.payload])
        late.subscribe(topic)
        late.subscribe("ll/v1/system/worker/status")
        late.expect("/worker/status")
        self.assertEqual(late.unread("/device/" + device.did + "/status"), [])

    def test_params_are_checked(self):
        device, terminal = self.pair()
        for params in ({"did": device.did}, {"subscribed": True}, {"did": device.did, "subscribed": "no"},
                       {"did": device.did, "subscribed": 0}):
            with self.subTest(params=params):
                self.assertError(terminal.fail("device/subscribe", params), "InvalidRequest")


class Status(EndToEnd):
    def test_it_is_the_payload_from_the_store(self):
        device, terminal = self.pair()
        device.report(data={"power": True}, alerts=[{"name": "smoke"}])
        pushed = terminal.status(device, lambda b: b["alerts"] == ["smoke"])
        asked = terminal.get("device/status", {"did": device.did})
        for key in ("did", "sn", "version", "online", "data", "alerts", "faults", "ts"):
            self.assertEqual(asked[key], pushed[key], key)

    def test_a_device_that_never_reported(self):
        device, terminal = self.world.device(connect=False), self.terminal()
        terminal.bind(device)
        status = terminal.get("device/status", {"did": device.did})
        self.assertEqual(
            (status["version"], status["data"], status["online"], status["alerts"]), (0, {}, False, []))

    def test_strangers_and_unknown_devices_look_alike(self):
        device, _owner = self.pair()
        stranger = self.terminal()
        one = stranger.fail("device/status", {"did": device.did})
        two = stranger.fail("device/status", {"did": fresh_did()})
        three = stranger.fail("device/status", {"did": "no-did"})
        self.assertError(one, "NotBound")
        self.assertEqual([one, two, three], [one] * 3)


class CustomInfo(EndToEnd):
    def test_alias_and_remark_are_each_users_own(self):
        device, one = self.pair()
        two = self.terminal()
        two.bind(device)
        self.assertEqual(one.get("device/setCustomInfo", {"did": device.did, "alias": "Bedside", "remark": "left"}), {})
        pushed = one.expect(f"user/{one.uid}/device", lambda b: b["type"] == "changed").body
        self.assertEqual((pushed["device"]["alias"], pushed["device"]["remark"]), ("Bedside", "left"))
        one.get("device/setCustomInfo", {"did": device.did, "remark": ""})
        entry = one.get("device/list")["devices"][0]
        self.assertEqual((entry["alias"], entry["remark"]), ("Bedside", ""))
        entry = two.get("device/list")["devices"][0]
        self.assertEqual((entry["alias"], entry["remark"]), ("", ""))
        one.get("device/unbind", {"did": device.did})
        one.bind(device)
        self.assertEqual(one.get("device/list")["devices"][0]["alias"], "", "gone with the binding")

    def test_its_fields_are_checked(self):
        device, terminal = self.pair()
        for params, field in (({"alias": "x" * 65}, "alias"), ({"remark": "x" * 257}, "remark"), ({"alias": 5}, "alias")):
            with self.subTest(params=params):
                self.assertError(
                    terminal.fail("device/setCustomInfo", {"did": device.did, **params}), "InvalidRequest", field)
        terminal.get("device/setCustomInfo", {"did": device.did, "alias": "灯" * 64, "remark": "x" * 256})
        self.assertError(self.terminal().fail("device/setCustomInfo", {"did": device.did, "alias": "x"}), "NotBound")


class Hardware(EndToEnd):
    def test_it_has_the_hardware_and_the_product(self):
        mac, terminal = fresh_mac(), self.terminal()
        answer = self.world.register(LAMP, mac, hardware={"wifiSoftVersion": "1.2", "link": "wifi", "other": "x"})
        did = answer["result"]["did"]
        terminal.get("device/bind", {"did": did, "passcode": "123456"})
        hardware = {"wifiSoftVersion": "1.2", "link": "wifi", "productKey": LAMP["productKey"]}
        self.assertEqual(terminal.get("device/hardware", {"did": did}), {"hardware": hardware})
        self.assertError(self.terminal().fail("device/hardware", {"did": did}), "NotBound")


class Users(EndToEnd):
    def test_the_special_user_sees_them_and_a_normal_user_does_not(self):
        device = self.device()
        one, two = self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        users = one.get("device/users", {"did": device.did})["users"]
        self.assertEqual([(u["uid"], u["role"], u["access"]) for u in users],
                         [(one.uid, "special", "control"), (two.uid, "normal", "control")])
        self.assertError(two.fail("device/users", {"did": device.did}), "Forbidden")
        self.assertError(self.terminal().fail("device/users", {"did": device.did}), "NotBound")
        page = one.get("device/users", {"did": device.did, "limit": 1})
        self.assertEqual([u["uid"] for u in page["users"]], [one.uid])
        page = one.get("device/users", {"did": device.did, "limit": 1, "cursor": page["cursor"]})
        self.assertEqual([u["uid"] for u in page["users"]], [two.uid])
        self.assertNotIn("cursor", page)

    def test_only_an_owner_removes(self):
        device = self.device()
        one, two = self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        remove = {"did": device.did, "uid": two.uid}
        self.assertError(one.fail("device/removeUser", remove), "Forbidden")
        text = one.get("share/invite", {"did": device.did, "way": "qrcode"})["qrCode"]["text"]
        self.terminal().get("share/answer", {"qrText": text, "accept": True})
        told = two.expect(f"user/{two.uid}/device", lambda b: b["type"] == "roleChanged").body
        self.assertEqual(told["role"], "guest")
        self.assertError(two.fail("device/removeUser", {"did": device.did, "uid": one.uid}), "Forbidden")
        self.assertError(one.fail("device/removeUser", {"did": device.did, "uid": one.uid}), "InvalidRequest", "uid")
        self.assertError(one.fail("device/removeUser", {"did": device.did, "uid": "u-nobody"}), "ResourceNotFound", "uid")
        two.status(device)
        one.get("device/removeUser", remove)
        told = two.expect(f"user/{two.uid}/device", lambda b: b["type"] == "unbound").body
        self.assertEqual((told["reason"], told["actor"]["id"]), ("removed", one.uid))
        two.wait(lambda: [m for m in two.everything if m.leaf == "status" and not m.payload], what="the clearing")
        one.expect(f"user/{one.uid}/device", lambda b: b["type"] == "usersChanged")
        self.assertError(two.fail("device/status", {"did": device.did}), "NotBound")


class AllowReset(EndToEnd):
    def test_one_registration_resets(self):
        device, owner = self.pair()
        self.assertError(self.world.register(LAMP, device.mac), "Forbidden", "oldSecret")
        owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "resetRequested")
        self.assertTrue(owner.get("device/allowReset", {"did": device.did})["expiresAt"] > 0)
        self.assertTrue(self.world.register(LAMP, device.mac)["ok"])
        told = owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "unbound").body
        self.assertEqual(told["reason"], "reset")
        self.assertError(owner.fail("device/status", {"did": device.did}), "NotBound")

    def test_not_every_user_can_allow_a_reset(self):
        device = self.device()
        one, two = self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        self.assertError(two.fail("device/allowReset", {"did": device.did}), "Forbidden")
        self.assertError(self.terminal().fail("device/allowReset", {"did": device.did}), "NotBound")
        operated, owner = self.pair(OPERATED)
        self.assertError(owner.fail("device/allowReset", {"did": operated.did}), "Forbidden")

    def test_it_ends_when_its_user_leaves(self):
        device = self.device()
        one, two = self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        one.get("device/allowReset", {"did": device.did})
        one.get("device/unbind", {"did": device.did})
        self.assertError(self.world.register(LAMP, device.mac), "Forbidden", "oldSecret")
        self.assertEqual(two.get("device/list")["total"], 1)


if __name__ == "__main__":
    unittest.main()
