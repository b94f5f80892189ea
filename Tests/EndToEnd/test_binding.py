"""device/bind, bindRemote and unbind: the permissions that they require, and their effects on what users see."""

import base64
import unittest

from client import fresh_did, fresh_mac
from world import LAMP, LISTED, OTHER, REMOTE, EndToEnd


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

    def test_binding_again_succeeds_and_changes_nothing(self):
        device, terminal = self.pair()
        self.assertEqual(terminal.bind(device), {"did": device.did})
        listed = terminal.get("device/list")
        self.assertEqual((listed["total"], listed["devices"][0]["role"]), (1, "special"))

    def test_binding_again_keeps_the_subscription_off(self):
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

    def test_fifty_wrong_tries_lock_the_device_for_strangers_and_fewer_do_not(self):
        device = self.device()
        for turn in range(10):
            stranger = self.terminal()
            for _ in range(5):
                error = stranger.fail("device/bind", {"did": device.did, "passcode": "wrong-one"})
                self.assertError(error, "InvalidCredentials")
            self.assertError(stranger.fail("device/bind", {"did": device.did, "passcode": "wrong-one"}), "TooManyRequests")
            if turn == 0:
                self.terminal().bind(device)
        terminal = self.terminal()
        error = terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode})
        self.assertError(error, "TooManyRequests")
        self.assertTrue(0 < error["retryAfter"] <= 900, error)
        terminal.bind(self.device())

    def test_ten_wrong_tries_lock_the_terminal(self):
        terminal = self.terminal()
        for _ in range(10):
            device = self.world.device(connect=False)
            error = terminal.fail("device/bind", {"did": device.did, "passcode": "wrong-one"})
            self.assertError(error, "InvalidCredentials")
        device = self.world.device(connect=False)
        error = terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode})
        self.assertError(error, "TooManyRequests")
        self.terminal().bind(device)

    def test_tries_for_unknown_devices_count_only_for_them(self):
        terminal = self.terminal()
        params = {"did": fresh_did(), "passcode": "123456"}
        codes = [terminal.fail("device/bind", params)["code"] for _ in range(6)]
        self.assertEqual(codes, ["InvalidCredentials"] * 5 + ["TooManyRequests"])
        for _ in range(12):
            self.assertError(terminal.fail("device/bind", {**params, "did": fresh_did()}), "InvalidCredentials")
        terminal.bind(self.device())


class Unbind(EndToEnd):
    def test_the_status_is_cleared_and_nothing_else_arrives(self):
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

    def test_the_special_role_passes_to_the_earliest_normal_user(self):
        device = self.device()
        one, two, three = (self.terminal() for _ in range(3))
        for terminal in (one, two, three):
            terminal.bind(device)
        one.get("device/unbind", {"did": device.did})
        roles = [t.get("device/list")["devices"][0]["role"] for t in (two, three)]
        self.assertEqual(roles, ["special", "normal"])
        one.bind(device)
        self.assertEqual(one.get("device/list")["devices"][0]["role"], "normal")

    def test_others_are_not_affected(self):
        device = self.device()
        one, two = self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        one.get("device/unbind", {"did": device.did})
        version = device.report(data={"power": True})["version"]
        two.status(device, lambda b: b["version"] == version)


class OfAnotherApp(EndToEnd):
    def test_its_users_lock_out_only_themselves(self):
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


class BindRemote(EndToEnd):
    def claim(self, product, mac):
        return self.world.service.json("device", "label", "--product", product["productKey"], "--mac", mac)["text"]

    def params(self, product, mac, **proof):
        return {"productKey": product["productKey"], "mac": mac, **proof}

    def test_the_label_is_printed_in_all_its_forms(self):
        mac = fresh_mac()
        arguments = ("device", "label", "--product", LAMP["productKey"], "--mac", mac)
        claim = self.claim(LAMP, mac)
        self.assertEqual(claim, self.claim(LAMP, mac), "it stays the same")
        self.assertNotEqual(claim, self.claim(LAMP, fresh_mac()))
        self.assertRegex(claim, f"^LL1:{LAMP['productKey']}:{mac}:[A-Za-z0-9_-]{{22}}$")
        text = self.world.service.cli(*arguments).stdout
        self.assertEqual(text.splitlines()[0], claim)
        self.assertIn("█", text)
        svg = self.world.service.cli(*arguments, "--format", "svg").stdout
        self.assertTrue(svg.startswith("<svg ") and svg.rstrip().endswith("</svg>"), svg[:80])
        told = self.world.service.json(*arguments)
        self.assertEqual(base64.b64decode(told["png"])[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_claim_binds_a_registered_device(self):
        device, terminal = self.device(), self.terminal()
        params = self.params(LAMP, device.mac, claim=self.claim(LAMP, device.mac))
        self.assertEqual(terminal.get("device/bindRemote", params), {"did": device.did})
        self.assertEqual(terminal.get("device/bindRemote", params), {"did": device.did}, "again changes nothing")
        second = self.terminal()
        self.assertEqual(second.get("device/bindRemote", params), {"did": device.did})
        self.assertEqual(second.get("device/list")["devices"][0]["role"], "normal")
        version = device.report(data={"power": True})["version"]
        terminal.status(device, lambda b: b["version"] == version)

    def test_a_claim_of_an_unknown_device_creates_it_and_it_registers_later(self):
        mac, terminal = fresh_mac(), self.terminal()
        did = terminal.get("device/bindRemote", self.params(LAMP, mac, claim=self.claim(LAMP, mac)))["did"]
        listed = terminal.get("device/list")["devices"][0]
        self.assertEqual((listed["did"], listed["mac"], listed["online"]), (did, mac, False))
        self.assertEqual(terminal.get("device/hardware", {"did": did}), {"hardware": {"productKey": LAMP["productKey"]}})
        device = self.device(mac=mac, passcode="its-first")
        self.assertEqual(device.did, did)
        version = device.report(data={"power": True})["version"]
        terminal.status(device, lambda b: b["version"] == version)
        second = self.terminal()
        second.bind(device)
        self.assertError(self.world.register(LAMP, mac), "Forbidden", "oldSecret")

    def test_wrong_claims_get_the_same_answer_and_are_counted(self):
        device, foreign = self.device(), self.world.device(OTHER, connect=False)
        right = self.claim(LAMP, device.mac)
        terminal = self.terminal()
        errors = [
            terminal.fail("device/bindRemote", self.params(LAMP, device.mac, claim=right[:-1] + ("A" if right[-1] != "A" else "B"))),
            terminal.fail("device/bindRemote", self.params(LAMP, fresh_mac(), claim=right)),
            terminal.fail("device/bindRemote", self.params(OTHER, foreign.mac, claim=self.claim(OTHER, foreign.mac))),
            terminal.fail("device/bindRemote", {"productKey": "00" * 16, "mac": device.mac, "claim": right}),
            terminal.fail("device/bindRemote", self.params(LAMP, device.mac, productSecret=self.world.secrets[LAMP["productKey"]])),
        ]
        self.assertError(errors[0], "InvalidCredentials")
        self.assertEqual(errors, [errors[0]] * 5)
        for _ in range(3):
            error = terminal.fail("device/bindRemote", self.params(LAMP, device.mac, claim=right[:-1]))
            self.assertError(error, "InvalidCredentials")
        self.assertError(terminal.fail("device/bindRemote", self.params(LAMP, device.mac, claim=right)), "TooManyRequests")
        self.assertError(
            terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode}), "TooManyRequests")
        self.terminal().get("device/bindRemote", self.params(LAMP, device.mac, claim=right))

    def test_exactly_one_proof_is_required(self):
        terminal = self.terminal()
        for proof in ({}, {"claim": "x", "productSecret": "y"}):
            error = terminal.fail("device/bindRemote", self.params(LAMP, fresh_mac(), **proof))
            self.assertError(error, "InvalidRequest")

    def test_the_product_secret_binds_while_nobody_is_bound(self):
        device, secret = self.device(REMOTE), self.world.secrets[REMOTE["productKey"]]
        one, two = self.terminal(), self.terminal()
        params = self.params(REMOTE, device.mac, productSecret=secret)
        self.assertEqual(one.get("device/bindRemote", params), {"did": device.did})
        self.assertEqual(one.get("device/bindRemote", params), {"did": device.did})
        self.assertError(two.fail("device/bindRemote", params), "InvalidCredentials")
        self.assertError(
            two.fail("device/bindRemote", self.params(REMOTE, fresh_mac(), productSecret="wrong")), "InvalidCredentials")
        one.get("device/unbind", {"did": device.did})
        two.get("device/bindRemote", params)
        self.assertTrue(one.get("device/bindRemote", self.params(REMOTE, fresh_mac(), productSecret=secret))["did"])

    def test_an_unlisted_mac_is_not_created(self):
        mac = fresh_mac()
        error = self.terminal().fail("device/bindRemote", self.params(LISTED, mac, claim=self.claim(LISTED, mac)))
        self.assertError(error, "NotListed")

    def test_nobody_else_binds_an_owned_device(self):
        device, owner = self.pair()
        text = owner.get("share/invite", {"did": device.did, "way": "qrcode"})["qrCode"]["text"]
        self.terminal().get("share/answer", {"qrText": text, "accept": True})
        stranger = self.terminal()
        params = self.params(LAMP, device.mac, claim=self.claim(LAMP, device.mac))
        self.assertError(stranger.fail("device/bindRemote", params), "Forbidden")
        self.assertError(
            stranger.fail("device/bind", {"did": device.did, "passcode": device.passcode}), "Forbidden")


class Abuse(EndToEnd):
    def test_the_product_secret_or_an_old_passcode_gives_no_rights(self):
        device, owner = self.pair()
        for more in ({}, {"oldSecret": "wrong"}):
            self.assertError(self.world.register(LAMP, device.mac, passcode="attacker", **more), "Forbidden")
        thief = self.terminal()
        self.assertError(
            thief.fail("device/bind", {"did": device.did, "passcode": "attacker"}), "InvalidCredentials")
        device.publish(f"{device.base}/info", {"id": "i1", "passcode": "another-one"})
        device.response("i1")
        self.assertError(
            thief.fail("device/bind", {"did": device.did, "passcode": device.passcode}), "InvalidCredentials")
        self.assertEqual([u["uid"] for u in owner.get("device/users", {"did": device.did})["users"]], [owner.uid])


if __name__ == "__main__":
    unittest.main()
