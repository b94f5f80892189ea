"""device/bind, unbind, list, subscribe, status: who sees what."""

import unittest

from client import fresh_did, fresh_mac
from world import FREE, LAMP, OTHER, EndToEnd


class Bind(EndToEnd):
    def test_by_did_and_by_product_and_mac(self):
        device, one, two = self.device(), self.terminal(), self.terminal()
        self.assertEqual(one.bind(device), {"did": device.did})
        by_mac = {"productKey": LAMP["productKey"], "mac": device.mac, "passcode": device.passcode}
        self.assertEqual(two.get("device/bind", by_mac), {"did": device.did})
        roles = [t.get("device/list")["devices"][0]["role"] for t in (one, two)]
        self.assertEqual(roles, ["special", "normal"])

    def test_binding_subscribes_and_publishes_the_latest_status(self):
        device = self.device()
        version = device.report(data={"power": True})["version"]
        terminal = self.terminal()
        terminal.bind(device)
        status = terminal.status(device)
        self.assertEqual((status["version"], status["data"], status["online"]), (version, {"power": True}, True))
        pushed = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "bound").body
        self.assertEqual(pushed["did"], device.did)

    def test_every_bound_user_sees_the_status(self):
        device = self.device()
        terminals = [self.terminal() for _ in range(3)]
        for terminal in terminals:
            terminal.bind(device)
        version = device.report(data={"power": True})["version"]
        for terminal in terminals:
            terminal.status(device, lambda b: b["version"] == version)

    def test_already_bound_is_success_and_changes_nothing(self):
        device, terminal = self.pair()
        self.assertEqual(terminal.bind(device), {"did": device.did})
        listed = terminal.get("device/list")
        self.assertEqual((listed["total"], listed["devices"][0]["role"]), (1, "special"))

    def test_already_bound_and_unsubscribed_stays_unsubscribed(self):
        device, terminal = self.pair()
        terminal.get("device/subscribe", {"did": device.did, "subscribed": False})
        terminal.bind(device)
        self.assertFalse(terminal.get("device/list")["devices"][0]["subscribed"])

    def test_wrong_passcode_unknown_device_and_foreign_product_look_alike(self):
        device, foreign, terminal = self.device(), self.world.device(OTHER, connect=False), self.terminal()
        errors = [
            terminal.fail("device/bind", {"did": device.did, "passcode": "wrong-one"}),
            terminal.fail("device/bind", {"did": fresh_did(), "passcode": "123456"}),
            terminal.fail("device/bind", {"productKey": LAMP["productKey"], "mac": fresh_mac(), "passcode": "123456"}),
            terminal.fail("device/bind", {"did": foreign.did, "passcode": foreign.passcode}),
        ]
        self.assertError(errors[0], "InvalidCredentials")
        self.assertEqual(errors, [errors[0]] * 4)
        other = self.terminal("other-app")
        other.bind(foreign)

    def test_did_or_product_and_mac_not_both(self):
        device, terminal = self.device(), self.terminal()
        key = {"productKey": LAMP["productKey"], "mac": device.mac}
        for params in ({"passcode": "123456"}, {"did": device.did}, {"did": device.did, **key, "passcode": "123456"},
                       {"mac": device.mac, "passcode": "123456"}, {"did": 5, "passcode": "123456"},
                       {"did": device.did, "passcode": 123456}):
            with self.subTest(params=params):
                self.assertError(terminal.fail("device/bind", params), "InvalidRequest")

    def test_five_wrong_tries_lock_the_device(self):
        device = self.device()
        for _ in range(5):
            error = self.terminal().fail("device/bind", {"did": device.did, "passcode": "wrong-one"})
            self.assertError(error, "InvalidCredentials")
        terminal = self.terminal()
        error = terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode})
        self.assertError(error, "TooManyRequests")
        self.assertTrue(0 < error["retryAfter"] <= 900, error)
        terminal.bind(self.device())

    def test_five_wrong_tries_lock_the_user(self):
        terminal = self.terminal()
        for _ in range(5):
            device = self.world.device(connect=False)
            error = terminal.fail("device/bind", {"did": device.did, "passcode": "wrong-one"})
            self.assertError(error, "InvalidCredentials")
        device = self.world.device(connect=False)
        error = terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode})
        self.assertError(error, "TooManyRequests")
        self.terminal().bind(device)

    def test_tries_at_devices_that_do_not_exist_count_too(self):
        terminal = self.terminal()
        params = {"did": fresh_did(), "passcode": "123456"}
        codes = [terminal.fail("device/bind", params)["code"] for _ in range(6)]
        self.assertEqual(codes, ["InvalidCredentials"] * 5 + ["TooManyRequests"])


class Unbind(EndToEnd):
    def test_the_status_is_cleared_and_nothing_comes_any_more(self):
        device, terminal = self.pair()
        device.report(data={"power": True})
        terminal.get("device/unbind", {"did": device.did})
        terminal.wait(lambda: [m for m in terminal.everything if m.leaf == "status" and not m.payload],
                      what="the clearing")
        pushed = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "unbound").body
        self.assertEqual(pushed["did"], device.did)
        self.assertEqual(terminal.get("device/list"), {"devices": [], "total": 0})
        for method, params in (("status", {}), ("subscribe", {"subscribed": True}), ("unbind", {}),
                               ("control", {"data": {"power": True}})):
            with self.subTest(method=method):
                self.assertError(terminal.fail(f"device/{method}", {"did": device.did, **params}), "NotBound")
        terminal.clear()
        device.report(data={"power": False})
        other = self.device()
        terminal.bind(other)
        terminal.status(other)
        self.assertEqual(terminal.unread(f"/device/{device.did}/status"), [])

    def test_a_specials_role_passes_to_the_earliest_normal(self):
        device = self.device()
        one, two, three = (self.terminal() for _ in range(3))
        for terminal in (one, two, three):
            terminal.bind(device)
        one.get("device/unbind", {"did": device.did})
        roles = [t.get("device/list")["devices"][0]["role"] for t in (two, three)]
        self.assertEqual(roles, ["special", "normal"])
        one.bind(device)
        self.assertEqual(one.get("device/list")["devices"][0]["role"], "normal")

    def test_others_go_on_undisturbed(self):
        device = self.device()
        one, two = self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        one.get("device/unbind", {"did": device.did})
        version = device.report(data={"power": True})["version"]
        two.status(device, lambda b: b["version"] == version)


class OfAnotherApp(EndToEnd):
    def test_its_users_lock_out_themselves_and_nobody_else(self):
        device, rightful = self.device(), self.terminal()
        stranger = self.terminal("other-app")
        for passcode in (device.passcode, "wrong-1", device.passcode, "wrong-2", device.passcode):
            error = stranger.fail("device/bind", {"did": device.did, "passcode": passcode})
            self.assertError(error, "InvalidCredentials")
        error = stranger.fail("device/bind", {"did": device.did, "passcode": device.passcode})
        self.assertTrue(0 < self.assertError(error, "TooManyRequests")["retryAfter"] <= 900)
        rightful.bind(device)

    def test_a_device_of_another_app_looks_like_one_that_does_not_exist(self):
        device = self.device()
        told = []
        for did, passcode in ((device.did, device.passcode), (fresh_did(), "123456")):
            answers = []
            for _ in range(6):
                stranger = self.terminal("other-app")
                answers.append(stranger.fail("device/bind", {"did": did, "passcode": passcode})["code"])
            told.append(answers)
        self.assertEqual(told[0], told[1])
        self.terminal().bind(device)


class List(EndToEnd):
    def test_it_shows_what_the_contract_names(self):
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
        beyond = terminal.get("device/list", {"offset": 5})
        self.assertEqual((beyond["devices"], beyond["total"]), ([], 5))
        of_free = terminal.get("device/list", {"productKeys": [FREE["productKey"]]})
        self.assertEqual(([d["did"] for d in of_free["devices"]], of_free["total"]), ([free.did], 1))
        none = terminal.get("device/list", {"productKeys": ["00" * 16]})
        self.assertEqual(none["total"], 0)

    def test_limits_are_checked(self):
        terminal = self.terminal()
        for params, field in (({"limit": 0}, "limit"), ({"limit": 1001}, "limit"), ({"limit": "5"}, "limit"),
                              ({"offset": -1}, "offset"), ({"productKeys": "x"}, "productKeys")):
            with self.subTest(params=params):
                self.assertError(terminal.fail("device/list", params), "InvalidRequest", field)
        terminal.get("device/list", {"limit": 1000})


class Subscribe(EndToEnd):
    def test_unsubscribed_the_status_goes_and_comes_back(self):
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


if __name__ == "__main__":
    unittest.main()
