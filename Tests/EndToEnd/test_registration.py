"""How a device gets its identity, keeps it, and loses it (reference: registration#again)."""

import json
import unittest

from client import Client, Device, fresh_id, fresh_mac, now, register_on
from harness import TOPICS
from world import EASY, LAMP, LISTED, EndToEnd


class FirstRegistration(EndToEnd):
    def test_a_device_gets_did_and_secret_and_connects_with_them(self):
        for version in (5, 4):
            with self.subTest(version=version):
                mac = fresh_mac()
                answer = self.world.register(mac=mac, version=version)
                self.assertTrue(answer["ok"], answer)
                result = answer["result"]
                self.assertRegex(result["did"], r"^d-[a-z0-9]{11}[0-9a-f]{2}$")
                device = self.keep(Device(
                    self.world.port, result["did"], result["secret"], mac, version=version)).come()
                self.assertTrue(device.report(data={"power": True})["ok"])

    def test_an_imei_is_accepted_as_a_mac(self):
        self.assertTrue(self.world.register(mac="490154203237518")["ok"])

    def test_the_same_request_again_gets_the_same_answer_and_changes_nothing(self):
        mac, id = fresh_mac(), fresh_id()
        first = self.world.register(mac=mac, id=id)
        second = self.world.register(mac=mac, id=id)
        self.assertEqual(first, second)

    def test_a_mac_unlike_the_topics_is_refused(self):
        mac = fresh_mac()
        answer = self._register_body(mac, {"id": "m1", "mac": fresh_mac(), "passcode": "123456", "hardware": {}})
        self.assertError(answer, "InvalidRequest", "mac")

    def test_a_passcode_has_6_to_32_characters(self):
        for passcode in ("12345", "x" * 33, 123456, None):
            with self.subTest(passcode=passcode):
                mac = fresh_mac()
                body = {"id": fresh_id(), "mac": mac, "passcode": passcode, "hardware": {}}
                self.assertError(self._register_body(mac, body), "InvalidRequest", "passcode")
        for passcode in ("123456", "x" * 32, "pässwört"):
            with self.subTest(passcode=passcode):
                self.assertTrue(self.world.register(passcode=passcode)["ok"])

    def test_hardware_is_optional_but_checked(self):
        good = {"wifiSoftVersion": "1.4", "mcuHardVersion": "B", "link": "cellular", "unknown": 5}
        self.assertTrue(self.world.register(hardware=good)["ok"])
        self.assertTrue(self.world.register(hardware=None)["ok"])
        answer = self.world.register(hardware={"link": "smoke"})
        error = self.assertError(answer, "InvalidRequest")
        self.assertTrue(error["field"].startswith("hardware"), error)

    def test_a_listed_product_accepts_only_listed_macs(self):
        self.assertError(self.world.register(LISTED), "NotListed")

    def _register_body(self, mac, body, product=LAMP):
        key = product["productKey"]
        client = self.keep(Client(self.world.port, f"product:{key}", self.world.secrets[key], mac))
        self.assertEqual(client.connect(), 0)
        base = f"{TOPICS}/product/{key}/{mac}"
        self.assertEqual(client.subscribe(f"{base}/registered"), 1)
        client.publish(f"{base}/register", {k: v for k, v in body.items() if v is not None})
        return client.expect("/registered", lambda b: b.get("id") == body["id"]).body


class RegistrationAgain(EndToEnd):
    def test_without_users_it_changes_the_secret_and_passcode_and_keeps_the_did(self):
        device = self.device()
        again = self.world.register(mac=device.mac, passcode="another1")["result"]
        self.assertEqual(again["did"], device.did)
        self.assertNotEqual(again["secret"], device.secret)
        device.wait_lost()

        late = Device(self.world.port, device.did, device.secret)
        self.assertIn(late.connect(), (0x86, 0x87))
        new = self.keep(Device(self.world.port, device.did, again["secret"])).come()
        new.report(data={"power": True})
        terminal = self.terminal()
        self.assertError(
            terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode}),
            "InvalidCredentials")
        terminal.get("device/bind", {"did": device.did, "passcode": "another1"})

    def test_with_the_old_secret_binding_and_history_stay(self):
        device, terminal = self.pair()
        device.report(data={"power": True, "brightness": 40})
        version = terminal.get("device/status", {"did": device.did})["version"]

        again = self.world.register(mac=device.mac, oldSecret=device.secret)
        self.assertTrue(again["ok"], again)
        self.assertEqual(again["result"]["did"], device.did)
        new = self.keep(Device(self.world.port, device.did, again["result"]["secret"])).come()
        self.assertEqual(new.report(data={"brightness": 45})["version"], version + 1)
        status = terminal.status(device, lambda b: b["version"] == version + 1)
        self.assertEqual(status["data"], {"power": True, "brightness": 45})

    def test_without_the_old_secret_it_is_forbidden_and_the_special_user_is_told(self):
        device, terminal = self.pair()
        self.assertError(self.world.register(mac=device.mac), "Forbidden")
        told = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "resetRequested")
        self.assertEqual(told.body["did"], device.did)
        self.assertEqual(told.body["actor"], {"kind": "device", "id": device.did})
        self.assertAlmostEqual(told.body["ts"], now(), delta=60_000)
        self.assertTrue(device.report(data={"power": True})["ok"], "the device goes on undisturbed")

    def test_five_wrong_tries_lock_the_mac_for_a_while(self):
        device, _terminal = self.pair()
        key = LAMP["productKey"]
        product = self.keep(Client(
            self.world.port, f"product:{key}", self.world.secrets[key], device.mac))
        self.assertEqual(product.connect(), 0)
        for _ in range(5):
            answer = register_on(product, key, device.mac, oldSecret="wrong" * 8)
            self.assertError(answer, "Forbidden")
        answer = register_on(product, key, device.mac, oldSecret="wrong" * 8)
        error = self.assertError(answer, "TooManyRequests")
        self.assertTrue(0 < error["retryAfter"] <= 900, error)
        self.assertTrue(self.world.register()["ok"], "another mac isn't locked")
        answer = register_on(product, key, device.mac, oldSecret=device.secret)
        self.assertTrue(answer["ok"], "the right secret gets in at any time")

    def test_a_product_with_open_reset_requires_consent_only_while_the_device_is_online(self):
        device, terminal = self.pair(EASY)
        device.report(data={"x": 1})
        terminal.status(device, lambda b: b["data"].get("x") == 1)
        self.assertError(self.world.register(EASY, mac=device.mac), "Forbidden")

        device.close()
        terminal.event(device, lambda b: b["type"] == "offline")
        again = self.world.register(EASY, mac=device.mac, passcode="newpass1")
        self.assertTrue(again["ok"], again)
        self.assertEqual(again["result"]["did"], device.did)
        told = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "unbound")
        self.assertEqual((told.body["did"], told.body["reason"]), (device.did, "reset"))
        terminal.wait(
            lambda: [m for m in terminal.everything if m.leaf == "status" and not m.payload],
            5, "the clearing of the retained status")
        self.assertEqual(terminal.get("device/list")["total"], 0)
        self.assertError(terminal.fail("device/status", {"did": device.did}), "NotBound")

    def test_an_operator_allows_one_reset_of_a_bound_device(self):
        device, terminal = self.pair()
        device.report(data={"power": True})
        terminal.status(device, lambda b: b["data"].get("power") is True)
        began = now()
        allowed = self.world.service.json("device", "allow-reset", device.did)
        self.assertEqual(allowed["row"]["did"], device.did)
        self.assertTrue(895_000 < allowed["resetUntil"] - began < 930_000, allowed)
        self.assertTrue(device.report(data={"power": False})["ok"], "nothing has changed yet")

        again = self.world.register(mac=device.mac, passcode="newpass1")
        self.assertTrue(again["ok"], again)
        self.assertEqual(again["result"]["did"], device.did)
        told = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "unbound")
        self.assertEqual((told.body["did"], told.body["reason"]), (device.did, "reset"))
        self.assertEqual(terminal.get("device/list")["total"], 0)
        device.wait_lost()
        heir = self.terminal()
        heir.get("device/bind", {"did": device.did, "passcode": "newpass1"})
        self.assertEqual(heir.status(device)["data"], {})
        self.assertError(self.world.register(mac=device.mac), "Forbidden")

    def test_a_reset_is_allowed_for_a_sensible_time_and_an_existing_device(self):
        device = self.device(connect=False)
        for minutes in ("0", "1441", "soon"):
            done = self.world.service.cli("device", "allow-reset", device.did, "--minutes", minutes, check=False)
            self.assertEqual(done.returncode, 2, done)
        done = self.world.service.cli("device", "allow-reset", "d-nosuch00", "--json", check=False)
        self.assertEqual((done.returncode, json.loads(done.stdout)["error"]["code"]), (1, "LL1203"))

    def test_a_reset_begins_a_new_ownership_period(self):
        device, terminal = self.pair(EASY)
        device.report(data={"x": 1})
        device.close()
        terminal.event(device, lambda b: b["type"] == "offline")
        again = self.world.register(EASY, mac=device.mac, passcode="newpass1")["result"]
        stranger = self.terminal()
        stranger.get("device/bind", {"did": again["did"], "passcode": "newpass1"})
        self.assertEqual(stranger.get("device/list")["devices"][0]["role"], "special")


class Information(EndToEnd):
    def test_info_changes_the_passcode(self):
        device = self.device()
        id = fresh_id()
        device.publish(f"{device.base}/info", {"id": id, "passcode": "changed1"})
        self.assertTrue(device.response(id)["ok"])
        terminal = self.terminal()
        self.assertError(
            terminal.fail("device/bind", {"did": device.did, "passcode": device.passcode}),
            "InvalidCredentials")
        terminal.get("device/bind", {"did": device.did, "passcode": "changed1"})

    def test_info_is_checked(self):
        device = self.device()
        for body in ({"passcode": "1"}, {"hardware": {"link": "smoke"}}, {}):
            with self.subTest(body=body):
                id = fresh_id()
                device.publish(f"{device.base}/info", {"id": id, **body})
                self.assertError(device.response(id), "InvalidRequest")


if __name__ == "__main__":
    unittest.main()
