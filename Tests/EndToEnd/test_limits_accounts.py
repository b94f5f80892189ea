"""Quotas of one terminal and one source address, with the default limits."""

import threading
import unittest

from accounts import COUNTRY, PASSWORD, People, fresh_id, fresh_name, fresh_phone, parallel, wrong
from client import fresh_mac
from harness import Service, eventually
from world import LAMP, OwnWorldOfClass, World

GATEWAY = ["--set", "delivery.email=gateway", "--set", "delivery.sms=gateway"]
RAISED = [
    f"limits.{name}=10000" for name in (
        "codesPerTerminal", "codesPerSource", "anonymousPerTerminal", "anonymousPerSource", "namedPerTerminal",
        "namedPerSource", "hashesPerTerminal", "hashesAtOnce", "hashesAtOncePerSource", "registrationsPerSource",
        "bindTriesPerUser", "bindTriesPerTerminal", "bindTriesPerDevice")
]


def code_params():
    return {"countryCode": COUNTRY, "phone": fresh_phone(), "purpose": "register"}


def named_params():
    return {"countryCode": COUNTRY, "username": fresh_name(), "password": PASSWORD}


class Limited(OwnWorldOfClass, People):
    """Accounts in a world with the default quotas."""

    @classmethod
    def make_world(cls):
        return World(watch=False, service=Service(arguments=GATEWAY))

    def refused(self, answer, seconds):
        error = self.assertError(answer, "TooManyRequests")
        self.assertTrue(0 < error["retryAfter"] <= seconds, error)

    def from_address(self, source, count):
        return [self.stranger(source=source) for _ in range(count)]

    def spread(self, terminals, each, method, params):
        """Sends a number of requests (`each`) from every terminal, and returns each answer's error code or None."""
        codes = []
        for terminal in terminals:
            for _ in range(each):
                answer = terminal.ask(method, params(), token=None)
                codes.append(None if answer["ok"] else answer["error"]["code"])
        return codes


class OfATerminal(Limited):
    def test_five_addresses_an_hour_get_codes(self):
        terminal = self.stranger()
        for _ in range(5):
            terminal.get("account/sendCode", code_params())
        self.refused(terminal.ask("account/sendCode", code_params()), 3600)
        self.stranger().get("account/sendCode", code_params())

    def test_two_hundred_requests_leave_codes_of_the_country_to_others(self):
        terminal = self.stranger()
        answers = parallel([terminal], "account/sendCode", lambda _t, _n: code_params(), 90)
        self.assertEqual(sum(a["ok"] for a in answers), 5)
        self.stranger().get("account/sendCode", code_params())

    def test_thirty_anonymous_users_a_day(self):
        terminal = self.stranger()
        params = {"countryCode": COUNTRY}
        uids = {terminal.get("account/loginAnonymous", params, token=None)["user"]["uid"] for _ in range(30)}
        self.assertEqual(len(uids), 30)
        self.refused(terminal.ask("account/loginAnonymous", params, token=None), 86_400)
        self.anonymous()

    def test_a_known_installation_can_log_in_however_many_users_were_created(self):
        terminal = self.stranger()
        known = {"countryCode": COUNTRY, "deviceId": "an-installation-s-own"}
        uid = terminal.get("account/loginAnonymous", known, token=None)["user"]["uid"]
        for _ in range(30):
            terminal.ask("account/loginAnonymous", {"countryCode": COUNTRY}, token=None)
        self.refused(terminal.ask("account/loginAnonymous", {"countryCode": COUNTRY}, token=None), 86_400)
        self.assertEqual(terminal.get("account/loginAnonymous", known, token=None)["user"]["uid"], uid)

    def test_five_named_users_an_hour(self):
        terminal = self.stranger()
        for _ in range(5):
            terminal.get("account/register", named_params(), token=None)
        self.refused(terminal.ask("account/register", named_params(), token=None), 3600)
        self.register()

    def test_twenty_hashes_in_a_quarter_of_an_hour_including_right_ones(self):
        terminal = self.register()
        for _ in range(19):
            self.assertTrue(terminal.get("account/checkPassword", {"password": PASSWORD})["match"])
        self.refused(terminal.ask("account/checkPassword", {"password": PASSWORD}), 900)
        self.login(username=terminal.user["username"])

    def test_two_concurrent_hashes(self):
        terminal = self.stranger()
        answers = parallel([terminal], "account/register", lambda _t, _n: named_params(), 5)
        made = [a for a in answers if a["ok"]]
        self.assertGreaterEqual(len(made), 2)
        for answer in answers:
            if not answer["ok"]:
                self.refused(answer, 3600)

    def test_a_flood_of_registrations_leaves_capacity_for_logins(self):
        name = fresh_name()
        self.register(username=name)
        flooder = self.stranger()
        going = threading.Event()

        def flood():
            while not going.wait(0.06):
                flooder.send("account/register", named_params(), fresh_id("f"))

        thread = threading.Thread(target=flood)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(going.set)
        for _ in range(10):
            self.login(username=name)


class OfAnAddress(Limited):
    def test_twenty_codes_an_hour(self):
        codes = self.spread(self.from_address("127.0.0.11", 5), 5, "account/sendCode", code_params)
        self.assertEqual(codes, [None] * 20 + ["TooManyRequests"] * 5)
        self.stranger(source="127.0.0.12").get("account/sendCode", code_params())
        self.stranger().get("account/sendCode", code_params())

    def test_sixty_anonymous_users_an_hour(self):
        params = {"countryCode": COUNTRY}
        codes = self.spread(self.from_address("127.0.0.13", 7), 9, "account/loginAnonymous", lambda: params)
        self.assertEqual(codes, [None] * 60 + ["TooManyRequests"] * 3)
        self.stranger(source="127.0.0.14").get("account/loginAnonymous", params)
        self.stranger().get("account/loginAnonymous", params)

    def test_thirty_named_users_an_hour(self):
        codes = self.spread(self.from_address("127.0.0.15", 8), 4, "account/register", named_params)
        self.assertEqual(codes, [None] * 30 + ["TooManyRequests"] * 2)
        self.stranger(source="127.0.0.16").get("account/register", named_params())

    def test_thirty_new_devices_a_minute(self):
        macs = [fresh_mac() for _ in range(30)]
        taken = [self.world.register(mac=mac, source="127.0.0.17")["ok"] for mac in macs[:25]]
        self.assertEqual(taken, [True] * 25)
        # The gate admits 30 new client ids a minute. Known devices can register again.
        for mac in macs[:3]:
            self.assertTrue(self.world.register(mac=mac, source="127.0.0.17")["ok"], "a known one registers again")
        self.assertTrue(self.world.register(source="127.0.0.18")["ok"])
        self.assertTrue(self.world.register()["ok"])


class Proofs(Limited):
    def test_the_right_old_secret_registers_in_spite_of_a_strangers_wrong_ones(self):
        device, _terminal = self.pair()
        for _ in range(5):
            self.assertError(self.world.register(mac=device.mac, oldSecret="wrong" * 8), "Forbidden")
        self.refused(self.world.register(mac=device.mac, oldSecret="wrong" * 8), 900)
        again = self.world.register(mac=device.mac, oldSecret=device.secret)
        self.assertEqual(again["result"]["did"], device.did)
        self.refused(self.world.register(mac=device.mac, oldSecret=device.secret), 900)

    def test_strangers_wrong_passcodes_leave_the_owner_tries(self):
        device = self.device()
        for _ in range(2):
            stranger = self.terminal()
            for _ in range(5):
                self.assertError(
                    stranger.fail("device/bind", {"did": device.did, "passcode": "wrong-one"}), "InvalidCredentials")
            self.refused(stranger.ask("device/bind", {"did": device.did, "passcode": device.passcode}), 900)
        self.terminal().bind(device)

    def test_a_device_that_registers_later_can_be_bound_after_tries_for_it(self):
        terminal, mac = self.terminal(), fresh_mac()
        params = {"productKey": LAMP["productKey"], "mac": mac, "passcode": "123456"}
        for _ in range(5):
            self.assertError(terminal.fail("device/bind", params), "InvalidCredentials")
        terminal.bind(self.device())
        self.device(mac=mac)
        terminal.get("device/bind", params)

    def test_a_code_with_its_token_logs_in_in_spite_of_a_strangers_tries(self):
        phone = fresh_phone()
        owner = self.register(phone=phone)
        # After ten wrong passwords from any addresses, the service blocks logins to this account by password.
        for _ in range(2):
            stranger = self.stranger()
            for _ in range(5):
                self.try_login(stranger, phone=phone, password="not the right lamp 44")
        self.assertError(self.try_login(phone=phone), "TooManyRequests")
        terminal = self.stranger()
        result, code = self.sent(terminal, "login", phone=phone)
        for _ in range(6):
            self.assertError(self.try_login(phone=phone, code=wrong(code)), "InvalidCode")
        self.assertError(self.try_login(phone=phone, code=code), "InvalidCode")
        answer = self.try_login(terminal, phone=phone, code=code, codeToken=result["codeToken"])
        self.assertEqual(answer["result"]["user"]["uid"], owner.uid)


class Replaced(Limited):
    def test_an_anonymous_user_without_devices_is_replaced_by_the_next(self):
        terminal = self.anonymous()
        first = terminal.uid
        other = self.stranger()
        uids = [other.get("account/loginAnonymous", {"countryCode": COUNTRY}, token=None)["user"]["uid"]
                for _ in range(3)]
        self.assertEqual(len(set(uids)), 3)

        def gone(uid):
            return self.world.service.cli("user", "show", uid, check=False).returncode != 0

        eventually(lambda: gone(uids[0]) and gone(uids[1]), 40, "the replaced users' end")
        self.assertFalse(gone(uids[2]))
        self.assertFalse(gone(first))


class Hygiene(Limited):
    def test_an_unknown_method_is_named_only_if_it_looks_like_a_method(self):
        terminal = self.stranger()
        error = self.assertError(terminal.ask("account/noSuchThing"), "InvalidRequest")
        self.assertIn("account/noSuchThing", error["message"])
        canary = "canary-3f9a7c-secret"
        for name in (f"account/{canary}", f"{canary}/login", f"account/login/{canary}", "account/" + "a" * 33):
            with self.subTest(name=name):
                error = self.assertError(terminal.ask(name), "InvalidRequest")
                self.assertNotIn(canary, str(error))
                self.assertNotIn("a" * 33, str(error))
        terminal.publish(f"{terminal.base}/request/account/{canary}", b"no json at all")
        terminal.get("account/loginAnonymous", {"countryCode": COUNTRY})
        for path in self.world.service.data.rglob("*"):
            if path.is_file():
                self.assertNotIn(canary.encode(), path.read_bytes(), path)

    def test_an_answer_is_not_published_in_the_terminals_own_requests(self):
        terminal = self.stranger(version=5)
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = f"{terminal.base}/request/\u0301"
        terminal.publish(
            f"{terminal.base}/request/account/whoami", {"id": "combining", "params": {}}, properties=properties)
        answer = terminal.expect("/response", lambda b: b.get("id") == "combining").body
        self.assertError(answer, "InvalidToken")


class Raised(OwnWorldOfClass, People):
    """The control test: with higher limits, the same requests pass."""

    @classmethod
    def make_world(cls):
        return World(watch=False, service=Service(
            arguments=[*GATEWAY, *(word for setting in RAISED for word in ("--set", setting))]))

    def test_a_terminal_exceeds_the_defaults(self):
        terminal = self.stranger()
        for _ in range(7):
            terminal.get("account/sendCode", code_params())
        for _ in range(12):
            terminal.get("account/loginAnonymous", {"countryCode": COUNTRY}, token=None)
        for _ in range(7):
            terminal.get("account/register", named_params(), token=None)
        answers = parallel([self.stranger()], "account/register", lambda _t, _n: named_params(), 5)
        self.assertTrue(all(a["ok"] for a in answers), answers)

    def test_an_address_exceeds_the_defaults(self):
        terminals = [self.stranger(source="127.0.0.21") for _ in range(5)]
        for terminal in terminals:
            for _ in range(5):
                terminal.get("account/sendCode", code_params())

    def test_a_user_exceeds_the_tries_of_passcodes(self):
        device, terminal = self.device(), self.terminal()
        for _ in range(12):
            self.assertError(
                terminal.fail("device/bind", {"did": device.did, "passcode": "wrong-one"}), "InvalidCredentials")
        terminal.bind(device)


if __name__ == "__main__":
    unittest.main()
