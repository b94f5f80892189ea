"""Tests of attacks on accounts, each named after its attack."""

import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_id, fresh_name, fresh_phone, wrong)
from harness import TOPICS
from pages import fetch, local
from test_providers import OURS, THEIRS, WithProvider


class PreHijacking(People):
    """The attacker registers the victim's address first, but finally only the victim has access."""

    app = "people-link"

    def squat(self, email):
        """Returns an attacker's session on an account that has the victim's address as an unverified address."""
        terminal = self.stranger()
        terminal.adopt(terminal.get("account/register", {
            "countryCode": COUNTRY, "email": email, "password": WRONG}))
        return terminal

    def victim(self, email, **more):
        """Registers the victim with a code, as in apps that send no links."""
        holder = self.anonymous()
        ticket = self.ticket(holder, email=email)
        result = holder.get("account/register", {
            "countryCode": COUNTRY, "email": email, "password": PASSWORD, "ticket": ticket})
        holder.adopt(result)
        holder.user = result["user"]
        return holder

    def assertAlone(self, victim, attacker, email):
        self.assertNotEqual(victim.uid, attacker.uid)
        self.assertTrue(victim.user["emailVerified"])
        self.assertError(self.try_login(email=email, password=WRONG), "InvalidCredentials")
        self.assertEqual(self.login(email=email).uid, victim.uid)
        answer = attacker.ask("account/whoami")
        if answer["ok"]:
            self.assertEqual(answer["result"]["user"]["uid"], attacker.uid)
            self.assertNotIn("email", answer["result"]["user"])
        self.assertEqual([s["terminalId"] for s in victim.get("session/list")["sessions"]
                          if s["terminalId"] == attacker.terminal_id], [])

    def test_classic_federated_merge(self):
        # If the victim later proves ownership of the address, the two accounts must not be merged.
        email = fresh_email()
        attacker = self.squat(email)
        self.assertAlone(self.victim(email), attacker, email)

    def test_unexpired_session(self):
        # The attacker's session can stay open, but it must give no access to the victim's account.
        email = fresh_email()
        attacker = self.squat(email)
        terminal = self.stranger()
        terminal.get("account/sendCode", {"countryCode": COUNTRY, "email": email, "purpose": "resetPassword"})
        # The reset code is sent to the victim's mailbox, so the attacker doesn't see it.
        self.gateway.taken(email, purpose="resetPassword")
        self.assertAlone(self.victim(email), attacker, email)

    def test_trojan_identifier(self):
        # The attacker adds another name to the account, to log in with it later.
        email, name = fresh_email(), fresh_name()
        attacker = self.squat(email)
        attacker.get("account/updateProfile", {"username": name})
        victim = self.victim(email)
        self.assertAlone(victim, attacker, email)
        answer = self.try_login(username=name, password=WRONG)
        if answer["ok"]:
            self.assertNotEqual(answer["result"]["user"]["uid"], victim.uid)

    def test_unexpired_email_change(self):
        # The attacker requests a verification mail to the victim's address. The mail's link is opened later.
        email = fresh_email()
        attacker = self.squat(email)
        url = local(self.gateway.taken(email, "verifyEmail")["params"]["url"], self.world.service.http_port)
        victim = self.victim(email)
        page = fetch(url)
        if page.forms:
            page.send()
        self.assertAlone(victim, attacker, email)
        self.assertEqual(self.whoami(victim)["email"], email)

    def test_non_verifying_identity_provider(self):
        # test_providers.ByEmailClaims shows that the service never trusts a provider's claim about an address. This
        # test shows that an unverified phone number in a profile allows no login. This stays true after the number's
        # owner has created an account with the number.
        phone = fresh_phone()
        attacker = self.register(app="people-attacked")
        attacker.get("account/updateProfile", {"countryCode": COUNTRY, "phone": phone})
        terminal = self.stranger("people-attacked")
        owner = self.login(terminal, phone=phone, code=self.code(terminal, "login", phone=phone))
        self.assertNotEqual(owner.uid, attacker.uid)
        self.assertTrue(owner.user["phoneVerified"])
        self.assertNotIn("phone", self.whoami(attacker))
        self.assertError(self.try_login(app="people-attacked", phone=phone), "InvalidCredentials")


class OfAnotherApp(WithProvider):
    def test_a_credential_issued_for_another_app(self):
        self.assertError(self.enter(identityToken=self.token(audience=THEIRS))[1], "InvalidCredentials")
        self.assertError(self.enter(identityToken=self.token(audience=[THEIRS]))[1], "InvalidCredentials")
        self.provider.answers["/facebook/debug_token"] = lambda q: (200, {"data": {
            "app_id": "somebody-elses-app", "is_valid": True, "user_id": "42", "expires_at": 0}})
        self.provider.answers["/facebook/me"] = lambda q: (200, {"id": "42", "name": "Mallory"})
        self.assertError(self.enter(provider="facebook", accessToken="stolen")[1], "InvalidCredentials")

    def test_linking_with_a_credential_of_another_app(self):
        owner = self.register()
        self.assertError(owner.ask("account/linkProvider", {
            "provider": "oidc:works", "credential": {"identityToken": self.token(audience=THEIRS)}}),
            "InvalidCredentials")
        self.assertEqual(owner.get("account/providers")["providers"], [])

    def test_linking_by_an_email_claim(self):
        email = fresh_email()
        victim = self.register(email=email)
        intruder = self.entered(fresh_id("sub"), email=email, email_verified=True, audience=OURS)
        self.assertNotEqual(intruder.uid, victim.uid)


class Envelopes(People):
    app = "people-attacked"

    def test_a_token_from_another_terminal(self):
        owner, thief = self.register(), self.stranger()
        for method in ("account/whoami", "session/list", "session/refresh", "account/logout", "account/cancel",
                       "account/providers", "account/changePassword"):
            with self.subTest(method=method):
                self.assertError(thief.ask(method, {"newPassword": OTHER_PASSWORD}, token=owner.token), "InvalidToken")
        self.whoami(owner)

    def test_a_uid_that_is_not_the_tokens(self):
        owner, other = self.register(), self.register()
        answer = owner.ask("account/whoami", uid=other.uid)
        self.assertOneOf(answer, "InvalidToken", "InvalidRequest", "Forbidden")

    def test_a_replayed_request_id_with_other_parameters(self):
        terminal, id = self.stranger(), fresh_id()
        ask = {"countryCode": COUNTRY, "username": fresh_name(), "password": PASSWORD}
        first = terminal.ask("account/register", ask, id)
        self.assertTrue(first["ok"])
        for method, params in (("account/register", {**ask, "username": fresh_name()}),
                               ("account/register", {**ask, "password": OTHER_PASSWORD}),
                               ("account/login", ask)):
            with self.subTest(method=method):
                self.assertError(terminal.ask(method, params, id), "InvalidRequest", "id")
        self.assertEqual(terminal.ask("account/register", ask, id), first)

    def test_a_login_repeated_by_another_terminal_is_a_new_login(self):
        owner = self.register()
        one, two, id = self.stranger(), self.stranger(), fresh_id()
        ask = {"countryCode": COUNTRY, "username": owner.user["username"], "password": PASSWORD}
        first, second = one.ask("account/login", ask, id), two.ask("account/login", ask, id)
        self.assertNotEqual(first["result"]["token"], second["result"]["token"])
        self.assertError(two.ask("account/whoami", token=first["result"]["token"]), "InvalidToken")

    def test_a_repetition_after_the_sessions_end_returns_no_token(self):
        terminal, id = self.stranger(), fresh_id()
        ask = {"countryCode": COUNTRY, "username": fresh_name(), "password": PASSWORD}
        terminal.adopt(terminal.ask("account/register", ask, id, token=None)["result"])
        refresh = fresh_id()
        new = terminal.ask("session/refresh", {}, refresh)["result"]["token"]
        terminal.get("account/logout", token=new)
        terminal.wait_lost()
        again = self.stranger(terminal_id=terminal.terminal_id)
        self.assertError(again.ask("session/refresh", {}, refresh, token=terminal.token), "InvalidToken")

    def test_publishing_on_another_terminals_topics_is_refused(self):
        owner, thief = self.register(), self.stranger()
        topic = f"{owner.base}/request/account/whoami"
        self.assertEqual(thief.publish(topic, {"id": "x", "token": owner.token}), 0x87)
        for filter in (f"{owner.base}/#", f"{TOPICS}/user/{owner.uid}/#", f"{TOPICS}/system/outbound/#"):
            with self.subTest(filter=filter):
                self.assertGreaterEqual(thief.subscribe(filter), 0x80)
        for topic in ("system/session-invalid", "system/outbound/result"):
            self.assertEqual(thief.publish(f"{TOPICS}/{topic}", {"noticeId": "x"}), 0x87)


class SkippedSteps(People):
    app = "people-attacked"

    def test_a_reset_without_its_code(self):
        email = fresh_email()
        owner, terminal = self.register(email=email), self.stranger()
        ask = {"countryCode": COUNTRY, "email": email, "newPassword": OTHER_PASSWORD}
        self.assertError(terminal.ask("account/resetPassword", ask), "InvalidRequest", "code")
        self.assertError(terminal.ask("account/resetPassword", {**ask, "code": "000000"}), "InvalidCode")
        result, code = self.sent(terminal, "resetPassword", email=email)
        self.assertTrue(terminal.get("account/checkCode", {
            "countryCode": COUNTRY, "email": email, "purpose": 3, "code": code})["valid"])
        for more in ({"code": None}, {"code": ""}, {"code": wrong(code)}, {"code": None, "ticket": "t"},
                     {"code": result["codeToken"]}, {"code": None, "codeToken": result["codeToken"]}):
            with self.subTest(more=more):
                self.assertOneOf(terminal.ask("account/resetPassword", {**ask, **more}), "InvalidRequest", "InvalidCode")
        self.whoami(owner)
        self.login(email=email)

    def test_codes_of_every_other_purpose_reset_nothing(self):
        email = fresh_email()
        owner = self.register(email=email)
        codes = [self.code(owner, purpose, email=email) for purpose in ("login", "operation", "logoutTerminal")]
        terminal = self.stranger()
        for code in codes:
            self.assertError(terminal.ask("account/resetPassword", {
                "countryCode": COUNTRY, "email": email, "code": code, "newPassword": OTHER_PASSWORD}), "InvalidCode")
        self.login(email=email)

    def test_a_ticket_in_place_of_another_proof(self):
        phone = fresh_phone()
        owner = self.register(phone=phone)
        ticket = self.ticket(owner, phone=phone)
        for method, params in (
                ("account/login", {"phone": phone, "code": ticket}),
                ("account/resetPassword", {"phone": phone, "code": ticket, "newPassword": OTHER_PASSWORD}),
                ("session/terminateOthers", {"logoutCode": ticket})):
            with self.subTest(method=method):
                self.assertOneOf(owner.ask(method, {"countryCode": COUNTRY, **params}), "InvalidCode", "InvalidRequest")


if __name__ == "__main__":
    unittest.main()
