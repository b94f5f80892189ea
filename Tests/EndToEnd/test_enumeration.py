"""No answer and no response time reveals whether an account exists.

The test always compares answers. By default, the test compares times only for the login by password. With
LAMPLIGHTER_LONG=1, it compares all times.
"""

import json
import random
import statistics
import time
import unittest

from accounts import COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_name, fresh_phone
from harness import LONG
from pages import fetch, local

# A difference between two times counts only if it exceeds APART_SECONDS, and also exceeds the shorter time multiplied
# by APART_SHARE. If the service didn't compute a hash, an answer would take about a fifth of the time, and would arrive
# about thirty milliseconds earlier.
APART_SECONDS = 0.004
APART_SHARE = 0.15
# The probability that chance alone produces the difference must also be below CHANCE. All this must hold in
# ROUNDS_IN_A_ROW consecutive rounds.
CHANCE = 0.001
ROUNDS_IN_A_ROW = 3
SHUFFLES = 4000


def fast(times):
    """Returns the lower quartile of the times, since the machine's other work makes some times longer."""
    return statistics.quantiles(times, n=4)[0]


def chance(one, two):
    """Returns the probability that chance alone makes the two series differ as much as they do.

    Each trial swaps the values of random pairs, and then compares the series again."""
    apart, source, hits = abs(fast(one) - fast(two)), random.Random(1), 0
    for _ in range(SHUFFLES):
        pairs = [(a, b) if source.random() < 0.5 else (b, a) for a, b in zip(one, two)]
        hits += abs(fast([a for a, _ in pairs]) - fast([b for _, b in pairs])) >= apart
    return (hits + 1) / (SHUFFLES + 1)


def differ(one, two):
    """Returns whether paired requests about known and unknown accounts take different times."""
    apart = abs(fast(one) - fast(two))
    return apart > APART_SECONDS and apart > APART_SHARE * min(fast(one), fast(two)) and chance(one, two) < CHANCE


class Alike(People):
    """Compares the service's answers for existing and missing accounts, and the times until these answers.

    Times are measured in pairs. The two requests of a pair follow directly after one another. Their order alternates. A
    permutation test compares the times. A difference counts if it is large and unlikely to be due to chance. The
    difference must also occur repeatedly with other accounts.
    """

    def owners(self, count):
        """Creates accounts and returns their e-mail addresses."""
        return [self.register(email=fresh_email()).user["email"] for _ in range(count)]

    def strangers(self, count):
        return [fresh_email() for _ in range(count)]

    def measure(self, ask, known, unknown, rounds):
        """Sends requests for known and unknown accounts in turn, and returns the times.

        Asserts that the answers are equal."""
        times, answers = ([], []), ([], [])
        terminals = []
        for turn in range(rounds):
            order = [(0, known[turn % len(known)]), (1, unknown[turn % len(unknown)])]
            if turn % 4 == 0:
                terminals = [self.stranger(), self.stranger()]
            for side, who in order if turn % 2 else reversed(order):
                began = time.perf_counter()
                answer = ask(terminals[side], who)
                times[side].append(time.perf_counter() - began)
                answers[side].append(answer)
        self.assertEqual({json.dumps(a, sort_keys=True) for a in answers[0]},
                         {json.dumps(a, sort_keys=True) for a in answers[1]})
        return times

    def compare(self, ask, known, unknown, rounds, accounts=8, timed=LONG):
        """Fails if the answers or the times reveal an account.

        `known` prepares accounts that exist. `unknown` returns accounts that don't."""
        if not timed:
            return self.measure(ask, known(2), unknown(2), 4)
        for turn in range(ROUNDS_IN_A_ROW):
            one, two = self.measure(ask, known(accounts), unknown(accounts), rounds)
            if not differ(one, two):
                return fast(one), fast(two)
        self.fail(f"known {fast(one) * 1000:.1f} ms, unknown {fast(two) * 1000:.1f} ms, chance {chance(one, two):.4f}")

    def shape(self, answer):
        """Returns an answer without its random parts."""
        answer = {k: v for k, v in answer.items() if k != "id"}
        if answer.get("ok"):
            answer["result"] = {k: v if isinstance(v, bool) or not k.endswith("At") and isinstance(v, int)
                                else sorted(v) if isinstance(v, dict) else type(v).__name__
                                for k, v in answer["result"].items()}
        return answer


class Measuring(Alike):
    app = "people-timed"

    def test_a_missing_hash_would_be_detected(self):
        name = self.register().user["username"]
        terminal, one, two = self.stranger(), [], []
        for turn in range(24):
            if turn % 8 == 0:
                terminal, name = self.stranger(), self.register().user["username"]
            for times, ask in ((one, lambda: self.try_login(terminal, username=name, password=WRONG)),
                               (two, lambda: terminal.ask("account/queryUsers"))):
                began = time.perf_counter()
                ask()
                times.append(time.perf_counter() - began)
        self.assertTrue(differ(one, two), f"{fast(one)} s with a hash, {fast(two)} s without")

    def test_chance_is_not_taken_for_a_difference(self):
        source = random.Random(7)
        found = 0
        for _ in range(20):
            one, two = ([0.03 + source.expovariate(50) for _ in range(24)] for _ in range(2))
            found += differ(one, two)
        self.assertEqual(found, 0)


class Enumeration(Alike):
    app = "people-timed"

    def names(self, count):
        return [self.register().user["username"] for _ in range(count)]

    def fresh_names(self, count):
        return [fresh_name() for _ in range(count)]

    def test_login_by_password(self):
        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, password=WRONG))
        one, two = self.compare(ask, self.owners, self.strangers, 32 if LONG else 16, timed=True)
        self.assertGreater(min(one, two), 0.008, "both cost a hash")

    def test_login_by_account_of_another_shape(self):
        def ask(terminal, name):
            return self.shape(self.try_login(terminal, account=name, password=WRONG))
        self.compare(ask, self.names, self.fresh_names, 32)

    def test_login_of_a_locked_name(self):
        def exhausted(count):
            names = self.names(count)
            for name in names:
                for _ in range(10):
                    self.try_login(username=name, password=WRONG)
            return names

        def unknown(count):
            names = self.fresh_names(count)
            for name in names:
                for _ in range(10):
                    self.try_login(username=name, password=WRONG)
            return names

        def ask(terminal, name):
            answer = self.shape(self.try_login(terminal, account=name, password=WRONG))
            answer["error"].pop("retryAfter")
            return answer
        self.compare(ask, exhausted, unknown, 12, accounts=2)

    def test_an_account_without_a_password_costs_the_same(self):
        def known(count):
            phones = [fresh_phone() for _ in range(count)]
            for phone in phones:
                terminal = self.stranger()
                self.login(terminal, phone=phone, code=self.code(terminal, "login", phone=phone))
            return phones

        def ask(terminal, phone):
            return self.shape(self.try_login(terminal, phone=phone, password=WRONG))
        self.compare(ask, known, lambda n: [fresh_phone() for _ in range(n)], 24, accounts=3)

    def test_login_by_code(self):
        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, code="000000"))
        self.compare(ask, self.owners, self.strangers, 24)

    def test_login_by_a_wrong_code_after_a_send(self):
        def sent(emails):
            for email in emails:
                self.stranger().get("account/sendCode", {
                    "countryCode": COUNTRY, "email": email, "purpose": "login"})
            return emails

        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, code="000000"))
        self.compare(ask, lambda n: sent(self.owners(n)), lambda n: sent(self.strangers(n)), 32)

    def test_send_code(self):
        def bound(count):
            # After a registration with a code, the address would get no other code for a minute. So these users bind
            # their address after the registration.
            emails = []
            for _ in range(count):
                owner = self.register()
                emails.append(fresh_email())
                owner.get("account/bindEmail", {
                    "countryCode": COUNTRY, "email": emails[-1], "code": self.code(owner, "bind", email=emails[-1])})
            return emails
        for purpose in ("login", "resetPassword", "register"):
            with self.subTest(purpose=purpose):
                def ask(terminal, email):
                    return self.shape(terminal.ask("account/sendCode", {
                        "countryCode": COUNTRY, "email": email, "purpose": purpose}))
                self.compare(ask, bound, self.strangers, 12, accounts=12)

    def test_request_password_reset(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email}))
        self.compare(ask, self.owners, self.strangers, 32)

    def test_reset_password(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/resetPassword", {
                "countryCode": COUNTRY, "email": email, "code": "000000", "newPassword": OTHER_PASSWORD}))
        self.compare(ask, self.owners, self.strangers, 24)

    def test_check_code(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/checkCode", {
                "countryCode": COUNTRY, "email": email, "purpose": "login", "code": "000000"}))
        self.compare(ask, self.owners, self.strangers, 24)

    def test_register_with_a_wrong_code(self):
        def ask(terminal, email):
            return self.shape(terminal.ask("account/register", {
                "countryCode": COUNTRY, "email": email, "password": PASSWORD, "code": "000000"}))
        self.compare(ask, self.owners, self.strangers, 24)


class WithLinks(Alike):
    """Under the policy `link`, a taken address gets the same answer as a new one."""

    app = "people-link"

    def take(self, email):
        """Registers the owner of an address, who opens the link if the app sends links."""
        owner = self.stranger()
        owner.adopt(owner.get("account/register", {"countryCode": COUNTRY, "email": email, "password": PASSWORD}))
        if self.app == "people-link":
            url = local(self.gateway.taken(email, "verifyEmail")["params"]["url"], self.world.service.http_port)
            self.assertEqual(fetch(url).send().status, 200)
        return owner

    def test_later_tries_of_a_stranger_get_the_same_answers_too(self):
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
        def taken(count):
            emails = [fresh_email() for _ in range(count)]
            for email in emails:
                self.take(email)
            return emails

        def ask(terminal, email):
            return self.shape(self.try_login(terminal, email=email, password=WRONG))
        self.compare(ask, taken, self.strangers, 24)

    def test_a_username_that_is_an_email_reveals_nothing(self):
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
    """The same tests under the policy `none`."""

    app = "people-none"


if __name__ == "__main__":
    unittest.main()
