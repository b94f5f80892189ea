"""No answer and no timing tells whether an account exists."""

import json
import statistics
import time
import unittest

from accounts import COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_name, fresh_phone
from pages import fetch, local

# A missing hash makes one side some thirty milliseconds faster; noise of a loaded machine stays below these.
APART_SECONDS = 0.012
APART_SHARE = 0.35


class Alike(People):
    """Asks about accounts that exist and about such that don't, and compares."""

    @classmethod
    def setUpClass(cls):
        cls.known = None

    def owners(self, count):
        """E-mail addresses of accounts, made once for the class."""
        if type(self).known is None:
            type(self).known = [self.register(email=fresh_email()).user["email"] for _ in range(8)]
        return type(self).known[:count]

    def compare(self, ask, known, unknown, rounds):
        """Asks in turn about known and unknown ones; answers must be equal and the times alike."""
        times, answers = ([], []), ([], [])
        for turn in range(rounds):
            order = [(0, known[turn % len(known)]), (1, unknown[turn % len(unknown)])]
            for side, who in order if turn % 2 else reversed(order):
                terminal = self.stranger()
                began = time.perf_counter()
                answer = ask(terminal, who)
                times[side].append(time.perf_counter() - began)
                answers[side].append(answer)
        self.assertEqual({json.dumps(a, sort_keys=True) for a in answers[0]},
                         {json.dumps(a, sort_keys=True) for a in answers[1]})
        one, two = (statistics.median(t) for t in times)
        apart = abs(one - two)
        self.assertTrue(
            apart < APART_SECONDS or apart < APART_SHARE * min(one, two),
            f"known {one * 1000:.1f} ms, unknown {two * 1000:.1f} ms")
        return one, two

    def shape(self, answer):
        """What an answer shows, without what is random in every answer."""
        answer = {k: v for k, v in answer.items() if k != "id"}
        if answer.get("ok"):
            answer["result"] = {k: v if isinstance(v, bool) or not k.endswith("At") and isinstance(v, int)
                                else sorted(v) if isinstance(v, dict) else type(v).__name__
                                for k, v in answer["result"].items()}
        return answer


class Enumeration(Alike):
    app = "people-timed"

    def test_login_by_password(self):
        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, password=WRONG))
        one, two = self.compare(ask, self.owners(8), [fresh_email() for _ in range(8)], 32)
        self.assertGreater(min(one, two), 0.01, "both cost a hash")

    def test_login_by_account_of_another_shape(self):
        names = [self.register().user["username"] for _ in range(3)]

        def ask(terminal, name):
            return self.shape(self.try_login(terminal, account=name, password=WRONG))
        self.compare(ask, names, [fresh_name() for _ in range(3)], 18)

    def test_an_account_without_a_password_costs_the_same(self):
        phones, terminal = [fresh_phone() for _ in range(3)], self.stranger()
        for phone in phones:
            self.login(self.stranger(), phone=phone, code=self.code(terminal, "login", phone=phone))

        def ask(terminal, phone):
            return self.shape(self.try_login(terminal, phone=phone, password=WRONG))
        self.compare(ask, phones, [fresh_phone() for _ in range(3)], 18)

    def test_login_by_code(self):
        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, code="000000"))
        self.compare(ask, self.owners(8), [fresh_email() for _ in range(8)], 24)

    def test_send_code(self):
        for purpose in ("login", "resetPassword", "register"):
            with self.subTest(purpose=purpose):
                known = self.owners(8)
                if purpose == "register":
                    # Their own registration's send is counted against them for a minute; these came another way.
                    known = []
                    for _ in range(4):
                        owner = self.register()
                        known.append(fresh_email())
                        owner.get("account/bindEmail", {"countryCode": COUNTRY, "email": known[-1], "code": self.code(
                            owner, "bind", email=known[-1])})

                def ask(terminal, email):
                    return self.shape(terminal.ask("account/sendCode", {
                        "countryCode": COUNTRY, "email": email, "purpose": purpose}))
                self.compare(ask, known, [fresh_email() for _ in known], len(known))

    def test_request_password_reset(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email}))
        self.compare(ask, self.owners(8), [fresh_email() for _ in range(8)], 8)

    def test_reset_password(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/resetPassword", {
                "countryCode": COUNTRY, "email": email, "code": "000000", "newPassword": OTHER_PASSWORD}))
        self.compare(ask, self.owners(8), [fresh_email() for _ in range(8)], 16)

    def test_check_code(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/checkCode", {
                "countryCode": COUNTRY, "email": email, "purpose": "login", "code": "000000"}))
        self.compare(ask, self.owners(8), [fresh_email() for _ in range(8)], 16)

    def test_register_with_a_wrong_code(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/register", {
                "countryCode": COUNTRY, "email": email, "password": PASSWORD, "code": "000000"}))
        self.compare(ask, self.owners(8), [fresh_email() for _ in range(8)], 16)


class WithLinks(Alike):
    """Registration under the policy link: a taken address answers as a new one, and goes on doing so."""

    app = "people-link"

    def take(self, email):
        """The owner of an address, who has proved it where links are."""
        owner = self.stranger()
        owner.adopt(owner.get("account/register", {"countryCode": COUNTRY, "email": email, "password": PASSWORD}))
        if self.app == "people-link":
            url = local(self.gateway.taken(email, "verifyEmail")["params"]["url"], self.world.service.http_port)
            self.assertEqual(fetch(url).send().status, 200)
        return owner

    def test_what_a_stranger_can_try_afterwards_is_alike_too(self):
        taken, free = fresh_email(), fresh_email()
        owner = self.take(taken)
        seen = []
        for email in (taken, free):
            terminal = self.stranger()
            answer = terminal.ask("account/register", {
                "countryCode": COUNTRY, "email": email, "password": OTHER_PASSWORD})
            self.assertTrue(answer["ok"], answer)
            terminal.adopt(answer["result"])
            steps = [self.shape(answer)]
            user = self.whoami(terminal)
            steps.append((user["email"] == email, user.get("emailVerified"), sorted(user)))
            later = self.try_login(email=email, password=OTHER_PASSWORD)
            steps.append((later["ok"], later.get("error", {}).get("code")))
            again = terminal.ask("account/requestEmailVerification")
            steps.append((again["ok"], again.get("error", {}).get("code")))
            seen.append(steps)
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(self.login(email=taken).uid, owner.uid, "the owner comes in as before")

    def test_the_time_that_a_login_takes(self):
        taken = [fresh_email() for _ in range(4)]
        for email in taken:
            self.take(email)

        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, password=WRONG))
        self.compare(ask, taken, [fresh_email() for _ in taken], 24)

    def test_a_username_that_is_an_email_tells_nothing(self):
        taken, free = fresh_email(), fresh_email()
        self.take(taken)
        seen = []
        for email in (taken, free):
            terminal = self.stranger()
            answer = terminal.ask("account/register", {
                "countryCode": COUNTRY, "username": email, "password": OTHER_PASSWORD})
            seen.append([self.shape(answer), *(
                self.shape(self.try_login(password=OTHER_PASSWORD, **name))
                for name in ({"account": email}, {"username": email}, {"email": email}))])
        self.assertEqual(seen[0], seen[1])
        self.assertTrue(seen[0][1]["ok"] and seen[0][2]["ok"], seen[0])


class WithoutAnyProof(WithLinks):
    """The same under the policy none."""

    app = "people-none"


if __name__ == "__main__":
    unittest.main()
