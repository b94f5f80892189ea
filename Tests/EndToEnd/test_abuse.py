"""Tests of abuse: repeated proofs, requests beyond the limits, and names that look alike."""

import threading
import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_id, fresh_name, fresh_phone, parallel,
    succeeded, wrong)
from pages import fetch, local


class ParallelUse(People):
    """A single-use proof is accepted only once, even if many requests use it at the same time."""

    app = "people-attacked"

    def once(self, terminals, method, params, rounds, codes=("InvalidCode",)):
        answers = parallel(terminals, method, params, rounds)
        self.assertEqual(len(succeeded(answers)), 1, [a for a in answers][:3])
        for answer in answers:
            if not answer["ok"]:
                self.assertOneOf(answer, *codes)

    def test_a_registration_code(self):
        terminals = [self.stranger() for _ in range(5)]
        email = fresh_email()
        code = self.code(terminals[0], "register", email=email)
        self.once(terminals, "account/register", {
            "countryCode": COUNTRY, "email": email, "password": PASSWORD, "code": code}, 4)

    def test_a_reset_code(self):
        email = fresh_email()
        self.register(email=email)
        terminals = [self.stranger() for _ in range(5)]
        code = self.code(terminals[0], "resetPassword", email=email)
        self.once(terminals, "account/resetPassword", lambda terminal, turn: {
            "countryCode": COUNTRY, "email": email, "code": code,
            "newPassword": f"lamp of {terminal.terminal_id[:8]} {turn}"}, 20)

    def test_an_operation_code_and_its_ticket(self):
        owner, phone = self.register(), fresh_phone()
        code = self.code(owner, "operation", phone=phone)
        answers = parallel([owner], "account/verifyOperation", {
            "countryCode": COUNTRY, "phone": phone, "code": code}, 100)
        self.assertEqual(len(succeeded(answers)), 1)
        ticket = succeeded(answers)[0]["result"]["ticket"]
        self.once([owner], "account/bindPhone", {"countryCode": COUNTRY, "phone": phone, "ticket": ticket}, 100)

    def test_a_reset_link(self):
        email = fresh_email()
        self.register(email=email)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        url = local(self.gateway.taken(email, "resetPassword")["params"]["url"], self.world.service.http_port)
        page, pages = fetch(url), []
        threads = [threading.Thread(target=lambda n=n: pages.append((n, page.send(f"lamp number {n:04d}"))))
                   for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        won = [n for n, answer in pages if answer.status == 200 and not answer.forms]
        self.assertEqual(len(won), 1, [(n, answer.status) for n, answer in pages])
        self.login(email=email, password=f"lamp number {won[0]:04d}")

    def test_a_logout_code(self):
        email = fresh_email()
        owner = self.register(email=email)
        for _ in range(2):
            self.login(email=email)
        code = self.logout_code(owner, email=email)
        self.once([owner], "session/terminateOthers", {"logoutCode": code}, 100)
        self.assertEqual(len(owner.get("session/list")["sessions"]), 1)

    def test_a_refresh(self):
        owner = self.register()
        self.once([owner], "session/refresh", {}, 100, ("InvalidToken",))

    def test_a_ticket_for_two_things_at_once(self):
        phone = fresh_phone()
        terminal = self.login(phone=phone, code=self.code(self.stranger(), "login", phone=phone))
        ticket, new = self.ticket(terminal, phone=phone), fresh_id()
        for turn in range(50):
            terminal.send("account/bindPhone", {"countryCode": COUNTRY, "phone": phone, "ticket": ticket}, f"{new}{turn}")
            terminal.send("account/register", {
                "countryCode": COUNTRY, "phone": phone, "ticket": ticket, "password": PASSWORD}, f"{new}r{turn}")
        answers = [terminal.answer("account/bindPhone", f"{new}{turn}", 60) for turn in range(50)]
        answers += [terminal.answer("account/register", f"{new}r{turn}", 60) for turn in range(50)]
        used = [a for a in answers if a["ok"] or a["error"]["code"] != "InvalidCode"]
        self.assertLessEqual(len(succeeded(answers)), 1)
        # If the address is taken, a registration gets `Duplicated`, and its ticket stays valid. Only the owner of the
        # address learns this, because only the owner can get a ticket.
        self.assertTrue(all(a["ok"] or a["error"]["code"] == "Duplicated" for a in used), used[:3])

    def test_a_username(self):
        terminals, name = [self.stranger() for _ in range(10)], fresh_name()
        self.once(terminals, "account/register", {
            "countryCode": COUNTRY, "username": name, "password": PASSWORD}, 2, ("Duplicated", "Unavailable"))

    def test_wrong_codes_at_once_get_no_more_than_five_tries(self):
        terminals, phone = [self.stranger() for _ in range(10)], fresh_phone()
        code = self.code(terminals[0], "login", phone=phone)
        guesses = [f"{n:06d}" for n in range(100) if f"{n:06d}" != code][:99]
        answers = parallel(terminals, "account/login", lambda terminal, turn: {
            "countryCode": COUNTRY, "phone": phone, "code": guesses[turn * 9 + terminals.index(terminal)]}, 9)
        self.assertEqual(succeeded(answers), [])
        self.assertError(self.try_login(phone=phone, code=code), "InvalidCode")

    def test_wrong_passwords_at_once_are_all_counted(self):
        owner = self.register()
        terminals = [self.stranger() for _ in range(10)]
        answers = parallel(terminals, "account/login", {
            "countryCode": COUNTRY, "username": owner.user["username"], "password": WRONG}, 3)
        codes = [a["error"]["code"] for a in answers]
        self.assertLessEqual(codes.count("InvalidCredentials"), 10, codes)
        self.assertError(self.try_login(username=owner.user["username"]), "TooManyRequests")


class Limits(People):
    app = "people-attacked"

    def test_the_limit_cannot_be_circumvented_by_another_login_path(self):
        phone = fresh_phone()
        owner = self.register(phone=phone)
        turns = [lambda: self.try_login(phone=phone, password=WRONG),
                 lambda: self.try_login(account=phone, password=WRONG),
                 lambda: self.try_login(account=f"{phone[:3]} {phone[3:]}", password=WRONG),
                 lambda: self.try_login(phone=f"{phone[:4]}-{phone[4:]}", password=WRONG)]
        codes = []
        for turn in range(14):
            codes.append(turns[turn % len(turns)]()["error"]["code"])
        self.assertEqual(codes.count("InvalidCredentials"), 10, codes)
        self.assertError(owner.ask("account/checkPassword", {"password": PASSWORD}), "TooManyRequests")
        self.assertError(owner.ask("session/logoutCode", {
            "countryCode": COUNTRY, "userName": phone, "accountType": "phone", "verifyType": "password",
            "password": PASSWORD}), "TooManyRequests")

    def test_guessing_does_not_lock_out_another_user(self):
        email = fresh_email()
        owner = self.register(email=email)
        for _ in range(12):
            self.try_login(email=email, password=WRONG)
        self.whoami(owner)  # a logged-in user stays logged in
        terminal = self.stranger()
        self.login(terminal, email=email, code=self.code(terminal, "login", email=email))

    def test_guessing_codes_does_not_prevent_the_owner_from_getting_a_new_one(self):
        email = fresh_email()
        self.register(email=email)
        terminal = self.stranger()
        code = self.code(terminal, "login", email=email)
        for _ in range(5):
            self.assertError(self.try_login(email=email, code=wrong(code)), "InvalidCode")
        self.code(terminal, "resetPassword", email=email)

    def test_oversized_fields_are_refused_before_any_work(self):
        terminal, owner = self.stranger(), self.register()
        long = "x" * 20_000
        for asker, method, field, params in (
                (terminal, "account/login", "password", {"username": "a", "password": long}),
                (terminal, "account/login", "username", {"username": long, "password": PASSWORD}),
                (terminal, "account/login", "account", {"account": long, "password": PASSWORD}),
                (terminal, "account/login", "email", {"email": f"{long}@example.com", "password": PASSWORD}),
                (terminal, "account/register", "password", {"username": fresh_name(), "password": long}),
                (terminal, "account/register", "username", {"username": long, "password": PASSWORD}),
                (terminal, "account/register", "ticket", {
                    "email": fresh_email(), "password": PASSWORD, "ticket": long}),
                (terminal, "account/loginOrRegister", "uid", {"uid": long, "password": PASSWORD}),
                (terminal, "account/loginAnonymous", "deviceId", {"deviceId": long}),
                (terminal, "account/sendCode", "phone", {"phone": "1" * 20_000, "purpose": "login"}),
                (owner, "account/updateProfile", "nickname", {"nickname": long}),
                (owner, "account/changePassword", "newPassword", {"oldPassword": PASSWORD, "newPassword": long}),
                (owner, "session/terminateOthers", "logoutCode", {"logoutCode": long})):
            with self.subTest(method=method, field=field):
                self.assertError(asker.ask(method, {"countryCode": COUNTRY, **params}), "InvalidRequest", field)
        self.whoami(owner)

    def test_the_longest_characters_fit_in_a_password(self):
        # A Unicode scalar that becomes eighteen scalars when it is normalised.
        self.assertError(self.stranger().ask("account/register", {
            "countryCode": COUNTRY, "username": fresh_name(), "password": "\ufdfa" * 128}), "InvalidRequest", "password")


class Names(People):
    app = "people-attacked"

    def test_a_username_that_equals_anothers_phone_or_email(self):
        phone, email = fresh_phone(), fresh_email()
        owner = self.register(phone=phone)
        mailer = self.register(email=email)
        for name, victim in ((phone, owner), (f"+{COUNTRY}{phone}", owner), (email, mailer), (email.upper(), mailer)):
            with self.subTest(name=name):
                mallory = self.stranger()
                answer = mallory.ask("account/register", {
                    "countryCode": COUNTRY, "username": name, "password": OTHER_PASSWORD})
                if answer["ok"]:
                    self.assertEqual(self.try_login(account=name, password=PASSWORD)["result"]["user"]["uid"],
                                     victim.uid, "the address's owner gets in by it")
                # The owner of the address can still log in.
                how = {"phone": phone} if victim is owner else {"email": email}
                self.assertEqual(self.login(**how).uid, victim.uid)
                self.assertEqual(self.login(account=next(iter(how.values()))).uid, victim.uid)

    def test_a_username_changed_to_anothers_address(self):
        email = fresh_email()
        owner, mallory = self.register(email=email), self.register()
        mallory.ask("account/updateProfile", {"username": email})
        self.assertEqual(self.login(account=email).uid, owner.uid)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        url = local(self.gateway.taken(email, "resetPassword")["params"]["url"], self.world.service.http_port)
        fetch(url).send(OTHER_PASSWORD)
        self.assertEqual(self.login(email=email, password=OTHER_PASSWORD).uid, owner.uid)

    def test_another_users_uid_does_not_log_in(self):
        owner = self.register()
        self.assertError(self.try_login(account=owner.uid), "InvalidCredentials")
        self.assertError(self.try_login(username=owner.uid), "InvalidCredentials")


if __name__ == "__main__":
    unittest.main()
