"""Every way to log in, and every refusal."""

import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_id, fresh_name, fresh_phone, same, wrong)
from client import fresh_terminal


class ByPassword(People):
    app = "people-2"

    def test_by_phone_email_and_username_and_account_accepts_each(self):
        phone, email, name = fresh_phone(), fresh_email(), fresh_name()
        owner = self.register(phone=phone)
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": email, "code": self.code(owner, "bind", email=email)})
        owner.get("account/updateProfile", {"username": name})
        for how in ({"phone": phone}, {"email": email}, {"username": name},
                    {"account": phone}, {"account": email}, {"account": name}, {"account": email.upper()}):
            with self.subTest(how=how):
                answer = self.try_login(**how)
                self.assertTrue(answer["ok"], answer)
                self.assertEqual((answer["result"]["user"]["uid"], answer["result"]["isNew"]), (owner.uid, False))

    def test_the_terminal_gets_its_devices(self):
        owner, device = self.register(), self.device()
        owner.bind(device)
        terminal = self.login(username=owner.user["username"])
        told = terminal.expect("/devices").body
        self.assertEqual([d["did"] for d in told["devices"]], [device.did])
        self.assertEqual(told, terminal.get("device/list"))

    def test_the_others_are_told_of_a_new_login(self):
        owner = self.register()
        second = self.stranger()
        self.login(second, username=owner.user["username"], platform="tablet", os="iPadOS 19")
        told = owner.expect(f"user/{owner.uid}/session", lambda b: b["type"] == "terminalLoggedIn").body
        self.assertEqual((told["terminalId"], told["platform"], told["os"]),
                         (second.terminal_id, "tablet", "iPadOS 19"))

    def test_a_wrong_password_and_an_unknown_name_answer_alike(self):
        owner = self.register(email=fresh_email())
        answers = [self.try_login(email=email, password=WRONG)["error"]
                   for email in (owner.user["email"], fresh_email())]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0]["code"], "InvalidCredentials")

    def test_an_account_of_another_country_code_in_the_region_is_the_same_account(self):
        owner = self.register(username=fresh_name())
        result = self.stranger().get("account/login", {
            "countryCode": "43", "username": owner.user["username"], "password": PASSWORD})
        self.assertEqual(result["user"]["uid"], owner.uid)

    def test_a_phone_of_another_country_is_a_different_phone(self):
        phone = fresh_phone()
        self.register(phone=phone)
        self.assertError(self.stranger().ask("account/login", {
            "countryCode": "43", "phone": phone, "password": PASSWORD}), "InvalidCredentials")

    def test_invalid_combinations_are_refused(self):
        terminal = self.stranger()
        for more in ({}, {"username": "a", "email": fresh_email(), "password": PASSWORD},
                     {"username": "a"}, {"email": fresh_email(), "password": PASSWORD, "code": "123456"},
                     {"username": fresh_name(), "code": "123456"}, {"account": 5, "password": PASSWORD},
                     {"phone": "nonsense", "password": PASSWORD}, {"username": "a", "password": ["x"]}):
            with self.subTest(more=more):
                self.assertError(terminal.ask("account/login", {"countryCode": COUNTRY, **more}), "InvalidRequest")

    def test_impossible_passwords_are_refused_without_a_crash(self):
        name = self.register().user["username"]
        for password in ("x", "x" * 128, "pass word 😀", "\u0001\u0002\u0003 abc def"):
            with self.subTest(password=password):
                self.assertError(self.try_login(username=name, password=password), "InvalidCredentials")


class ByCode(People):
    app = "people-2"

    def test_an_unknown_phone_is_registered(self):
        terminal, phone = self.stranger(), fresh_phone()
        self.login(terminal, phone=phone, code=self.code(terminal, "login", phone=phone))
        user = terminal.user
        self.assertTrue(user["phoneVerified"] and same(user["phone"], phone) and same(user["username"], phone))
        self.assertError(self.try_login(phone=phone), "InvalidCredentials")

    def test_the_first_is_new_and_the_second_is_not(self):
        terminal, phone = self.stranger(), fresh_phone()
        code = self.code(terminal, "login", phone=phone)
        first = terminal.get("account/login", {"countryCode": COUNTRY, "phone": phone, "code": code})
        self.assertTrue(first["isNew"])
        owner = self.register(phone=fresh_phone())
        code = self.code(terminal, "login", phone=owner.user["phone"].removeprefix("+" + COUNTRY))
        second = terminal.ask("account/login", {
            "countryCode": COUNTRY, "phone": owner.user["phone"].removeprefix("+" + COUNTRY), "code": code})
        self.assertTrue(second["ok"], second)
        self.assertEqual((second["result"]["isNew"], second["result"]["user"]["uid"]), (False, owner.uid))

    def test_a_known_email_gets_in_and_an_unknown_one_does_not(self):
        owner = self.register(email=fresh_email())
        email = owner.user["email"]
        terminal = self.stranger()
        self.assertEqual(self.login(terminal, email=email, code=self.code(terminal, "login", email=email)).uid,
                         owner.uid)
        stranger = fresh_email()
        terminal.get("account/sendCode", {"countryCode": COUNTRY, "email": stranger, "purpose": "login"})
        self.assertError(self.try_login(terminal, email=stranger, code="123456"), "InvalidCode")

    def test_account_may_be_the_address(self):
        owner = self.register(email=fresh_email())
        email = owner.user["email"]
        self.assertEqual(self.login(account=email, code=self.code(owner, "login", email=email)).uid, owner.uid)

    def test_a_wrong_code_is_refused(self):
        terminal, phone = self.stranger(), fresh_phone()
        code = self.code(terminal, "login", phone=phone)
        self.assertError(self.try_login(terminal, phone=phone, code=wrong(code)), "InvalidCode")

    def test_with_phone_registration_off_no_user_is_created(self):
        terminal, phone = self.stranger("people-strict"), fresh_phone()
        answer = terminal.ask("account/sendCode", {"countryCode": COUNTRY, "phone": phone, "purpose": "login"})
        code = "123456"
        if answer["ok"] and [b for b in self.gateway.unread_to(phone)]:
            code = self.gateway.taken(phone)["params"]["code"]
        self.assertOneOf(terminal.ask("account/login", {"countryCode": COUNTRY, "phone": phone, "code": code}),
                         "PolicyRejected", "InvalidCode")


class Passwords(People):
    app = "people-2"

    def test_changing_ends_all_other_sessions_and_this_one_continues(self):
        owner = self.register()
        other = self.login(username=owner.user["username"])
        owner.get("account/changePassword", {"oldPassword": PASSWORD, "newPassword": OTHER_PASSWORD})
        self.assertEnded(other, "passwordChanged")
        self.whoami(owner)
        self.assertError(self.try_login(username=owner.user["username"]), "InvalidCredentials")
        self.login(username=owner.user["username"], password=OTHER_PASSWORD)

    def test_changing_is_refused(self):
        owner = self.register()
        for old, new, code, field in ((WRONG, OTHER_PASSWORD, "InvalidCredentials", None),
                                      (PASSWORD, "12345678", "PolicyRejected", "newPassword"),
                                      (PASSWORD, "short", "PolicyRejected", "newPassword"),
                                      (PASSWORD, owner.user["username"], "PolicyRejected", "newPassword"),
                                      (PASSWORD, None, "InvalidRequest", "newPassword"),
                                      (PASSWORD, "x" * 129, "InvalidRequest", "newPassword")):
            with self.subTest(new=new):
                self.assertError(owner.ask("account/changePassword", {"oldPassword": old, "newPassword": new}),
                                 code, field)
        self.assertFalse(owner.ask("account/changePassword", {"newPassword": OTHER_PASSWORD})["ok"])
        self.login(username=owner.user["username"])

    def test_an_account_without_a_password_needs_no_old_one(self):
        phone = fresh_phone()
        terminal = self.stranger()
        self.login(terminal, phone=phone, code=self.code(terminal, "login", phone=phone))
        self.assertFalse(terminal.get("account/checkPassword", {"password": PASSWORD})["match"])
        terminal.get("account/changePassword", {"newPassword": PASSWORD})
        self.assertEqual(self.login(phone=phone).uid, terminal.uid)

    def test_checking(self):
        owner = self.register()
        self.assertTrue(owner.get("account/checkPassword", {"password": PASSWORD})["match"])
        self.assertFalse(owner.get("account/checkPassword", {"password": WRONG})["match"])
        self.assertError(owner.ask("account/checkPassword", {}), "InvalidRequest", "password")

    def test_checking_counts_like_a_login(self):
        owner = self.register()
        for _ in range(10):
            owner.get("account/checkPassword", {"password": WRONG})
        self.assertError(owner.ask("account/checkPassword", {"password": PASSWORD}), "TooManyRequests")
        self.assertError(self.try_login(username=owner.user["username"]), "TooManyRequests")

    def test_resetting_by_a_code_ends_all_sessions(self):
        for kind, to in (("email", fresh_email()), ("phone", fresh_phone())):
            with self.subTest(kind=kind):
                owner = self.register(**{kind: to})
                other = self.login(**{kind: to})
                terminal = self.stranger()
                code = self.code(terminal, "resetPassword", **{kind: to})
                ask = {"countryCode": COUNTRY, kind: to, "code": code}
                self.assertError(terminal.ask("account/resetPassword", {**ask, "newPassword": "12345678"}),
                                 "PolicyRejected", "newPassword")
                terminal.get("account/resetPassword", {**ask, "newPassword": OTHER_PASSWORD})
                for ended in (owner, other):
                    self.assertEnded(ended, "passwordReset")
                self.assertError(self.try_login(**{kind: to}), "InvalidCredentials")
                self.login(password=OTHER_PASSWORD, **{kind: to})
                self.assertError(terminal.ask("account/resetPassword", {**ask, "newPassword": WRONG}), "InvalidCode")

    def test_resetting_needs_a_verified_address_and_the_right_code(self):
        email = fresh_email()
        owner = self.register()
        owner.get("account/updateProfile", {"email": email})
        terminal = self.stranger()
        terminal.get("account/sendCode", {"countryCode": COUNTRY, "email": email, "purpose": "resetPassword"})
        for body in self.gateway.unread_to(email):
            self.assertNotEqual(body["template"], "code", "an unverified address resets nothing")
        for code in ("000000", "123456"):
            self.assertError(terminal.ask("account/resetPassword", {
                "countryCode": COUNTRY, "email": email, "code": code, "newPassword": OTHER_PASSWORD}), "InvalidCode")
        self.login(username=owner.user["username"])


class TenFailures(People):
    """After ten failures in 15 minutes for a name or terminal, passwords are refused, but codes work."""

    app = "people-attacked"

    def exhaust(self, **names):
        answers = [self.try_login(password=WRONG, **names) for _ in range(10)]
        for answer in answers:
            self.assertError(answer, "InvalidCredentials")

    def test_for_a_name_from_many_terminals(self):
        email = fresh_email()
        self.register(email=email)
        self.exhaust(email=email)
        error = self.assertError(self.try_login(email=email), "TooManyRequests")
        self.assertTrue(1 <= error["retryAfter"] <= 900)
        terminal = self.stranger()
        self.login(terminal, email=email, code=self.code(terminal, "login", email=email))

    def test_for_a_name_that_does_not_exist(self):
        name = fresh_name()
        self.exhaust(username=name)
        self.assertError(self.try_login(username=name), "TooManyRequests")

    def test_for_a_terminal_with_many_names(self):
        owner, terminal = self.register(), self.stranger()
        for _ in range(10):
            self.assertError(self.try_login(terminal, username=fresh_name(), password=WRONG), "InvalidCredentials")
        self.assertError(self.try_login(terminal, username=owner.user["username"]), "TooManyRequests")
        self.login(username=owner.user["username"])

    def test_on_every_password_path(self):
        email, uid = fresh_email(), fresh_id()
        owner = self.register(email=email)
        self.exhaust(email=email)
        for how in ({"email": email}, {"account": email}, {"email": email.upper()}):
            with self.subTest(how=how):
                self.assertError(self.try_login(**how), "TooManyRequests")
        for method, params in (("account/checkPassword", {"password": PASSWORD}),
                               ("account/changePassword", {"oldPassword": PASSWORD, "newPassword": OTHER_PASSWORD}),
                               ("account/cancel", {"password": PASSWORD})):
            with self.subTest(method=method):
                self.assertError(owner.ask(method, params), "TooManyRequests")
        ask = {"countryCode": COUNTRY, "uid": uid, "password": PASSWORD}
        self.stranger().get("account/loginOrRegister", ask)
        for _ in range(10):
            self.assertError(self.stranger().ask("account/loginOrRegister", {**ask, "password": WRONG}),
                             "InvalidCredentials")
        self.assertError(self.stranger().ask("account/loginOrRegister", ask), "TooManyRequests")

    def test_a_successful_login_does_not_clear_the_terminal(self):
        victim, mine, terminal = self.register(), self.register(), self.stranger()
        for turn in range(12):
            answer = self.try_login(terminal, username=fresh_name(), password=WRONG)
            if answer["error"]["code"] == "TooManyRequests":
                break
            if turn % 4 == 3:
                self.try_login(terminal, username=mine.user["username"])
        self.assertError(self.try_login(terminal, username=victim.user["username"]), "TooManyRequests")

    def test_a_reconnecting_terminal_is_the_same_terminal(self):
        id = fresh_terminal()
        for _ in range(10):
            terminal = self.stranger(terminal_id=id)
            self.try_login(terminal, username=fresh_name(), password=WRONG)
            terminal.close()
        owner = self.register()
        self.assertError(self.try_login(self.stranger(terminal_id=id), username=owner.user["username"]),
                         "TooManyRequests")


if __name__ == "__main__":
    unittest.main()
