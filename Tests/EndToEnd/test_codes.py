"""Codes: their sending, the reports of their delivery, their checks, their single use, and their purposes."""

import unittest

from accounts import COUNTRY, PASSWORD, People, fresh_email, fresh_id, fresh_phone, parallel, succeeded, wrong
from client import now

BAD_EMAILS = ["lena", "lena@", "@example.com", "le na@example.com", "lena@@example.com", "lena@exam ple.com",
              "lena\n@example.com", "x" * 250 + "@example.com", ""]
BAD_PHONES = ["12", "abcdefgh", "1511234567890123456", "+", "0x1511234567", "151-1234-567x", ""]
NEED_TOKEN = ["bind", "operation", "logoutTerminal"]
OPEN = ["login", "register", "resetPassword"]


class Sending(People):
    def test_each_purpose_reaches_the_gateway_and_the_terminal_is_informed(self):
        terminal = self.anonymous()
        for purpose in OPEN + ["bind", "operation"]:
            for kind, to in (("email", fresh_email()), ("phone", fresh_phone())):
                if (purpose, kind) == ("login", "email") or purpose == "resetPassword":
                    continue  # No account has the address, so nothing is sent; see Unknown.
                with self.subTest(purpose=purpose, kind=kind):
                    result = terminal.get("account/sendCode", {"countryCode": COUNTRY, "purpose": purpose, kind: to})
                    self.assertEqual((result["expiresIn"], result["retryAfter"]), (600, 60))
                    message = self.gateway.taken(to)
                    self.assertRegex(message["params"]["code"], r"^[0-9]{6}$")
                    self.assertEqual((message["params"]["purpose"], message["appName"]), (purpose, "people"))
                    self.assertLess(abs(message["expiresAt"] - now() - 600_000), 20_000)
                    told = terminal.expect("/code", lambda b: b["requestId"] == result["requestId"]).body
                    self.assertEqual(told["state"], "sent")

    def test_the_sdks_numbers_are_accepted(self):
        terminal = self.stranger()
        for number, purpose in ((0, "login"), (1, "register")):
            with self.subTest(number=number):
                phone = fresh_phone()
                terminal.get("account/sendCode", {"countryCode": COUNTRY, "phone": phone, "purpose": number})
                self.assertEqual(self.gateway.taken(phone)["params"]["purpose"], purpose)
        owner = self.register(email=fresh_email())
        terminal.get("account/sendCode", {"countryCode": COUNTRY, "email": owner.user["email"], "purpose": 2})
        self.assertEqual(self.gateway.taken(owner.user["email"])["params"]["purpose"], "resetPassword")
        owner.get("account/sendCode", {"countryCode": COUNTRY, "email": owner.user["email"], "purpose": 10})
        self.assertEqual(self.gateway.taken(owner.user["email"])["params"]["purpose"], "logoutTerminal")

    def test_checking_has_its_own_numbers(self):
        terminal = self.stranger()
        for number, purpose in ((1, "register"), (2, "login")):
            with self.subTest(number=number):
                phone = fresh_phone()
                code = self.code(terminal, purpose, phone=phone)
                said = terminal.get("account/checkCode", {
                    "countryCode": COUNTRY, "phone": phone, "purpose": number, "code": code})
                self.assertTrue(said["valid"])
        for number in (0, 10, 4, -1):
            with self.subTest(number=number):
                self.assertError(terminal.ask("account/checkCode", {
                    "countryCode": COUNTRY, "phone": fresh_phone(), "purpose": number, "code": "123456"}),
                    "InvalidRequest", "purpose")
        for number in (3, 4, -1, "marketing", True, None):
            with self.subTest(sending=number):
                self.assertError(terminal.ask("account/sendCode", {
                    "countryCode": COUNTRY, "phone": fresh_phone(), "purpose": number}), "InvalidRequest", "purpose")

    def test_a_bad_address_is_refused_and_nothing_is_sent(self):
        terminal = self.stranger()
        for kind, addresses in (("email", BAD_EMAILS), ("phone", BAD_PHONES)):
            for address in addresses:
                with self.subTest(address=address):
                    answer = terminal.ask("account/sendCode", {
                        "countryCode": COUNTRY, kind: address, "purpose": "register"})
                    self.assertError(answer, "InvalidRequest", kind)
                    self.assertEqual([b for b in self.gateway.unread_to(address) if b["to"] == address], [])
        self.assertError(terminal.ask("account/sendCode", {"countryCode": COUNTRY, "purpose": "register"}),
                         "InvalidRequest")
        self.assertError(terminal.ask("account/sendCode", {
            "countryCode": COUNTRY, "email": fresh_email(), "phone": fresh_phone(), "purpose": "register"}),
            "InvalidRequest")

    def test_a_bad_country_is_refused(self):
        terminal = self.stranger()
        for country in (None, "", "0", "+49", "4a", "99999", 49):
            with self.subTest(country=country):
                self.assertError(terminal.ask("account/sendCode", {
                    "countryCode": country, "phone": fresh_phone(), "purpose": "register"}),
                    "InvalidRequest", "countryCode")

    def test_a_region_that_is_not_hosted_is_named(self):
        terminal = self.stranger()
        for method, more in (("account/sendCode", {"purpose": "login", "email": fresh_email()}),
                             ("account/register", {"username": fresh_id(), "password": PASSWORD}),
                             ("account/login", {"username": fresh_id(), "password": PASSWORD}),
                             ("account/loginAnonymous", {})):
            with self.subTest(method=method):
                error = self.assertError(terminal.ask(method, {
                    "countryCode": COUNTRY, "region": "atlantis", **more}), "RegionNotServed")
                self.assertEqual(error["region"], "atlantis")

    def test_purposes_of_users_need_a_token(self):
        terminal = self.stranger()
        for purpose in NEED_TOKEN:
            with self.subTest(purpose=purpose):
                email = fresh_email()
                self.assertError(terminal.ask("account/sendCode", {
                    "countryCode": COUNTRY, "email": email, "purpose": purpose}), "InvalidToken")
                self.assertEqual(self.gateway.unread_to(email), [])

    def test_a_logout_code_goes_only_to_the_users_own_addresses(self):
        owner, email = self.register(email=fresh_email()), fresh_email()
        answer = owner.ask("account/sendCode", {"countryCode": COUNTRY, "email": email, "purpose": "logoutTerminal"})
        self.assertOneOf(answer, "Forbidden", "InvalidRequest")
        self.assertEqual(self.gateway.unread_to(email), [])

    def test_a_second_request_within_a_minute_is_refused_and_the_first_code_stays_valid(self):
        terminal, phone = self.stranger(), fresh_phone()
        ask = {"countryCode": COUNTRY, "phone": phone, "purpose": "register"}
        code = self.code(terminal, "register", phone=phone)
        for who in (terminal, self.stranger()):
            error = self.assertError(who.ask("account/sendCode", ask), "TooManyRequests")
            self.assertTrue(1 <= error["retryAfter"] <= 60)
        # Another spelling of the number counts as the same number.
        for spelling in (f"{phone[:3]} {phone[3:]}", f"{phone[:3]}-{phone[3:]}", f"({phone[:3]}) {phone[3:]}"):
            with self.subTest(spelling=spelling):
                self.assertError(terminal.ask("account/sendCode", {**ask, "phone": spelling}), "TooManyRequests")
        self.code(terminal, "login", phone=phone)  # another purpose is not throttled
        self.assertTrue(terminal.get("account/checkCode", {**ask, "code": code})["valid"])

    def test_the_case_of_an_email_does_not_matter(self):
        terminal, email = self.stranger(), fresh_email()
        self.code(terminal, "register", email=email)
        self.assertError(terminal.ask("account/sendCode", {
            "countryCode": COUNTRY, "email": email.upper(), "purpose": "register"}), "TooManyRequests")

    def test_a_refused_request_can_be_repeated_with_the_same_id(self):
        terminal, phone = self.stranger(), fresh_phone()
        self.gateway.refused = (phone,)
        self.addCleanup(setattr, self.gateway, "refused", ())
        terminal.get("account/sendCode", {"countryCode": COUNTRY, "phone": phone, "purpose": "register"})
        first = self.gateway.taken(phone)
        self.gateway.refused = ()
        second = self.gateway.taken(phone, seconds=60)
        self.assertEqual((second["messageId"], second["params"]), (first["messageId"], first["params"]))
        terminal.expect("/code", lambda b: b["state"] == "sent")


class Unknown(People):
    def test_an_unknown_address_gets_the_same_answer_but_nothing_is_sent(self):
        terminal = self.stranger()
        known, unknown = self.register(email=fresh_email()).user["email"], fresh_email()
        for purpose in ("login", "resetPassword"):
            with self.subTest(purpose=purpose):
                answers = []
                for email in (known, unknown):
                    result = terminal.get("account/sendCode", {
                        "countryCode": COUNTRY, "email": email, "purpose": purpose})
                    told = terminal.expect("/code", lambda b: b["requestId"] == result["requestId"]).body
                    answers.append((sorted(result), result["expiresIn"], result["retryAfter"],
                                    len(result["codeToken"]), len(result["requestId"]), sorted(told), told["state"]))
                    self.assertError(terminal.ask("account/sendCode", {
                        "countryCode": COUNTRY, "email": email, "purpose": purpose}), "TooManyRequests")
                self.assertEqual(answers[0], answers[1])
                self.gateway.taken(known)
        self.assertEqual([b for b in self.gateway.unread_to(unknown) if "code" in b["params"]], [])

    def test_its_codes_are_refused_like_wrong_codes(self):
        terminal = self.stranger()
        known, unknown = self.register(email=fresh_email()).user["email"], fresh_email()
        answers = []
        for email in (known, unknown):
            terminal.get("account/sendCode", {"countryCode": COUNTRY, "email": email, "purpose": "login"})
            answers.append([self.try_login(terminal, email=email, code="000000")["error"] for _ in range(6)])
        self.assertEqual(answers[0], answers[1])


class Using(People):
    def test_a_code_is_used_once(self):
        terminal, phone = self.stranger(), fresh_phone()
        code = self.code(terminal, "login", phone=phone)
        self.assertTrue(self.try_login(terminal, phone=phone, code=code)["ok"])
        self.assertError(self.try_login(phone=phone, code=code), "InvalidCode")

    def test_checking_does_not_use_it_up(self):
        terminal, phone = self.stranger(), fresh_phone()
        code = self.code(terminal, "login", phone=phone)
        for _ in range(3):
            self.assertTrue(terminal.get("account/checkCode", {
                "countryCode": COUNTRY, "phone": phone, "purpose": "login", "code": code})["valid"])
        self.assertTrue(self.try_login(terminal, phone=phone, code=code)["ok"])

    def test_after_five_wrong_tries_the_right_one_is_refused_too(self):
        terminal, phone = self.stranger(), fresh_phone()
        code = self.code(terminal, "login", phone=phone)
        check = {"countryCode": COUNTRY, "phone": phone, "purpose": "login"}
        for _ in range(5):
            self.assertFalse(terminal.get("account/checkCode", {**check, "code": wrong(code)})["valid"])
        self.assertFalse(terminal.get("account/checkCode", {**check, "code": code})["valid"])
        self.assertError(self.try_login(phone=phone, code=code), "InvalidCode")

    def test_tries_are_counted_over_all_methods_and_terminals(self):
        phone = fresh_phone()
        terminal = self.stranger()
        code = self.code(terminal, "login", phone=phone)
        for turn in range(5):
            with self.subTest(turn=turn):
                if turn % 2:
                    self.stranger().get("account/checkCode", {
                        "countryCode": COUNTRY, "phone": phone, "purpose": "login", "code": wrong(code)})
                else:
                    self.assertError(self.try_login(phone=phone, code=wrong(code)), "InvalidCode")
        self.assertError(self.try_login(phone=phone, code=code), "InvalidCode")

    def test_it_is_bound_to_purpose_address_and_app(self):
        terminal, phone = self.stranger(), fresh_phone()
        code = self.code(terminal, "register", phone=phone)
        self.assertError(self.try_login(terminal, phone=phone, code=code), "InvalidCode")
        self.assertError(self.try_login(terminal, phone=fresh_phone(), code=code), "InvalidCode")
        other = self.stranger("people-link")
        self.assertError(other.ask("account/register", {
            "countryCode": COUNTRY, "phone": phone, "password": PASSWORD, "code": code}), "InvalidCode")
        self.assertError(terminal.ask("account/register", {
            "countryCode": "43", "phone": phone, "password": PASSWORD, "code": code}), "InvalidCode")
        self.register(terminal, phone=phone, code=code)

    def test_a_code_token_must_be_the_newest(self):
        terminal, phone = self.stranger(), fresh_phone()
        other, _ = self.sent(terminal, "login", phone=fresh_phone())
        result, code = self.sent(terminal, "login", phone=phone)
        self.assertError(self.try_login(terminal, phone=phone, code=code, codeToken=other["codeToken"]), "InvalidCode")
        self.assertTrue(self.try_login(terminal, phone=phone, code=code, codeToken=result["codeToken"])["ok"])

    def test_malformed_codes_are_wrong_without_a_crash(self):
        terminal, phone = self.stranger(), fresh_phone()
        self.code(terminal, "login", phone=phone)
        for code in ("", "12345", "1234567", "abcdef", "１２３４５６", "x" * 10_000, 123456, True, ["1"]):
            with self.subTest(code=str(code)[:20]):
                self.assertOneOf(self.try_login(terminal, phone=phone, code=code), "InvalidCode", "InvalidRequest")

    def test_of_a_hundred_parallel_submissions_exactly_one_succeeds(self):
        phone = fresh_phone()
        terminals = [self.stranger() for _ in range(10)]
        code = self.code(terminals[0], "login", phone=phone)
        answers = parallel(terminals, "account/login", {"countryCode": COUNTRY, "phone": phone, "code": code}, 10)
        self.assertEqual(len(succeeded(answers)), 1)
        for answer in answers:
            if not answer["ok"]:
                self.assertError(answer, "InvalidCode")


if __name__ == "__main__":
    unittest.main()
