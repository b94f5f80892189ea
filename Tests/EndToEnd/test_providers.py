"""The service trusts only credentials that the third party issued for this app."""

import time
import unittest

from cryptography.hazmat.primitives.asymmetric import rsa

from accounts import COUNTRY, PASSWORD, People, fresh_email, fresh_id, parallel, succeeded
from provider import Provider

OURS, THEIRS = "our-client-id", "another-apps-client-id"


class WithProvider(People):
    """Tests against one local provider; each class creates its own apps."""

    app = "people-third"

    @classmethod
    def setUpClass(cls):
        cls.provider = Provider()
        cls.addClassCleanup(cls.provider.close)
        cls.works, cls.google = cls.provider.url + "/works", cls.provider.url + "/google"

    def setUp(self):
        super().setUp()
        if self.world.apps.get(self.app, {}).get("at") != self.provider.url:
            self.import_app(self.app)
            self.world.apps[self.app]["at"] = self.provider.url

    def import_app(self, app, keep=True, off=()):
        url = self.provider.url
        providers = {
            "oidc:works": {"clientIds": [OURS], "issuer": self.works, "keepToken": keep},
            "google": {"clientIds": [OURS], "issuer": self.google},
            "apple": {"clientIds": [OURS], "issuer": url + "/apple"},
            "facebook": {"clientIds": ["fb-app"], "clientSecret": "fb-secret", "baseUrl": url + "/facebook",
                         "keepToken": keep},
            "wechat": {"clientIds": ["wx-app"], "clientSecret": "wx-secret", "baseUrl": url + "/wechat"},
        }
        for name, one in providers.items():
            one["enabled"] = name not in off
        self.world.import_app(app, {"policies": {"phoneRegistration": True}, "providers": providers})

    def token(self, subject=None, issuer=None, audience=OURS, **more):
        return self.provider.id_token(issuer or self.works, audience, subject or fresh_id("sub"), **more)

    def enter(self, terminal=None, provider="oidc:works", app=None, **credential):
        terminal = terminal or self.stranger(app)
        return terminal, terminal.ask("account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": provider, "credential": credential}, seconds=30)

    def entered(self, subject, terminal=None, **more):
        """Logs in as the user with this subject, and returns the terminal."""
        terminal, answer = self.enter(terminal, identityToken=self.token(subject, **more))
        self.assertTrue(answer["ok"], answer)
        terminal.adopt(answer["result"])
        terminal.user = answer["result"]["user"]
        return terminal


class Entering(WithProvider):
    def test_the_first_login_creates_a_user_and_the_second_finds_it(self):
        subject = fresh_id("sub")
        terminal, answer = self.enter(identityToken=self.token(subject))
        result = answer["result"]
        self.assertTrue(result["isNew"] and result["user"]["username"])
        self.assertEqual((result["user"]["anonymous"], result["user"]["providers"]), (False, ["oidc:works"]))
        _, again = self.enter(identityToken=self.token(subject))
        self.assertEqual((again["result"]["isNew"], again["result"]["user"]["uid"]), (False, result["user"]["uid"]))
        terminal.adopt(result)
        row = terminal.get("account/providers")["providers"][0]
        self.assertEqual((row["provider"], row["subject"]), ("oidc:works", subject))

    def test_logging_in_undoes_a_cancellation_and_a_refused_token_does_not(self):
        subject = fresh_id("sub")
        owner = self.entered(subject)
        self.assertIn("deletesAt", owner.get("account/cancel"))
        self.assertEnded(owner, "accountCancelled")

        def deletes_at():
            return self.world.service.json("user", "show", owner.uid).get("deletesAt")
        _, refused = self.enter(identityToken=self.token(subject, audience=THEIRS))
        self.assertError(refused, "InvalidCredentials")
        self.assertIsNotNone(deletes_at())
        back = self.entered(subject)
        self.assertEqual(back.uid, owner.uid)
        self.assertIsNone(deletes_at())
        undone = [row for row in self.audit(owner.uid) if row["kind"] == "cancellationUndone"]
        self.assertEqual([row["terminalId"] for row in undone], [back.terminal_id])

    def test_a_token_for_another_audience_is_refused(self):
        other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        now = int(time.time())
        for why, token in (
                ("another audience", self.token(audience=THEIRS)),
                ("another issuer", self.token(issuer=self.google)),
                ("another issuer by case", self.token(issuer=self.works.upper())),
                ("expired", self.token(iat=now - 7200, exp=now - 3600)),
                ("without an end", self.token(exp=None)),
                ("without a subject", self.token(sub=None)),
                ("signed by another key", self.token(key=other)),
                ("an unknown key", self.token(key=other, kid="unknown")),
                ("unsigned", self.token(alg="none")),
                ("no token", "nonsense"), ("two parts", "a.b"), ("empty parts", "..")):
            with self.subTest(why=why):
                self.assertError(self.enter(identityToken=token)[1], "InvalidCredentials")
        good = self.token()
        head, body, signature = good.split(".")
        self.assertError(self.enter(identityToken=f"{head}.{body}.{signature[:-4]}AAAA")[1], "InvalidCredentials")

    def test_the_credential_must_have_the_providers_form(self):
        terminal = self.stranger()
        for provider, credential in (("oidc:works", {}), ("oidc:works", {"identityToken": 5}), ("qq", {"accessToken": "x"}),
                                     ("wechat", {}), ("apple", {"identityToken": 5}), ("weibo", {"uid": "1"}),
                                     ("twitter", {"key": "x"}), ("auth2", {"type": "xx", "accessToken": "t"}),
                                     ("oidc:works", "text"), ("oidc:works", None)):
            with self.subTest(provider=provider, credential=credential):
                self.assertOneOf(terminal.ask("account/loginWithProvider", {
                    "countryCode": COUNTRY, "provider": provider, "credential": credential}),
                    "InvalidRequest", "PolicyRejected")
        self.assertError(terminal.ask("account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": "myspace", "credential": {"x": 1}}), "InvalidRequest", "provider")

    def test_a_disabled_provider_and_one_unknown_to_the_app(self):
        self.assertError(self.enter(app="people", provider="google", identityToken="a.b.c")[1], "PolicyRejected")
        self.assertError(self.enter(provider="qq", userId="1", accessToken="t")[1], "PolicyRejected")
        self.assertError(self.enter(provider="oidc:nobody", identityToken="a.b.c")[1], "PolicyRejected")

    def test_of_many_concurrent_first_logins_one_creates_the_user(self):
        terminals = [self.stranger() for _ in range(5)]
        token = self.token()
        answers = parallel(terminals, "account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": "oidc:works", "credential": {"identityToken": token}}, 4)
        self.assertEqual(len({a["result"]["user"]["uid"] for a in succeeded(answers)}), 1)
        self.assertEqual(len([a for a in succeeded(answers) if a["result"]["isNew"]]), 1)

    def test_an_anonymous_user_becomes_the_providers_user(self):
        terminal, device = self.anonymous(), self.device()
        uid = terminal.uid
        terminal.bind(device)
        self.entered(fresh_id("sub"), terminal)
        self.assertEqual(terminal.uid, uid)
        self.assertEqual(terminal.get("device/list")["total"], 1)

    def test_apple_and_its_other_spelling_are_one(self):
        subject, issuer = fresh_id("sub"), self.provider.url + "/apple"
        token = self.token(subject, issuer=issuer)
        _, one = self.enter(provider="apple", identityToken=token, userIdentifier=subject, nickname="Lena")
        self.assertTrue(one["ok"], one)
        _, two = self.enter(provider="auth2", type="ap", accessToken=token, extraInfo={"userIdentifier": subject})
        self.assertTrue(two["ok"], two)
        self.assertEqual(one["result"]["user"]["uid"], two["result"]["user"]["uid"])
        _, other = self.enter(provider="apple", identityToken=token, userIdentifier="somebody else")
        self.assertError(other, "InvalidCredentials")


class Linking(WithProvider):
    def test_a_provider_is_linked_listed_and_unlinked(self):
        owner, subject = self.register(), fresh_id("sub")
        credential = {"identityToken": self.token(subject)}
        for _ in range(2):  # linking again is a success
            owner.get("account/linkProvider", {"provider": "oidc:works", "credential": credential})
        self.assertEqual(len(owner.get("account/providers")["providers"]), 1)
        self.assertEqual(self.entered(subject).uid, owner.uid)
        owner.get("account/unlinkProvider", {"provider": "oidc:works"})
        self.assertEqual(owner.get("account/providers")["providers"], [])
        self.assertNotEqual(self.entered(subject).uid, owner.uid)

    def test_another_users_identity_is_refused_as_duplicated(self):
        subject = fresh_id("sub")
        first, second = self.entered(subject), self.register()
        self.assertError(second.ask("account/linkProvider", {
            "provider": "oidc:works", "credential": {"identityToken": self.token(subject)}}), "Duplicated")
        self.assertEqual(self.entered(subject).uid, first.uid)

    def test_the_last_way_to_log_in_is_kept(self):
        owner = self.entered(fresh_id("sub"))
        self.assertError(owner.ask("account/unlinkProvider", {"provider": "oidc:works"}), "Forbidden")
        self.assertError(owner.ask("account/unlinkProvider", {"provider": "google"}), "ResourceNotFound")
        owner.get("account/changePassword", {"newPassword": PASSWORD})
        owner.get("account/unlinkProvider", {"provider": "oidc:works"})

    def test_an_anonymous_user_becomes_a_registered_user_by_it(self):
        terminal = self.anonymous()
        terminal.get("account/linkProvider", {
            "provider": "oidc:works", "credential": {"identityToken": self.token()}})
        self.assertFalse(self.whoami(terminal)["anonymous"])


class ByEmailClaims(WithProvider):
    def test_an_email_claim_links_to_no_account(self):
        email = fresh_email()
        victim = self.register(email=email)
        for verified in (True, False, "true"):
            with self.subTest(verified=verified):
                intruder = self.entered(fresh_id("sub"), email=email, email_verified=verified)
                self.assertNotEqual(intruder.uid, victim.uid)
                self.assertNotEqual(self.whoami(intruder).get("emailVerified"), True)
        self.assertEqual(self.login(email=email).uid, victim.uid)

    def test_a_claim_does_not_take_an_address_away(self):
        email = fresh_email()
        self.entered(fresh_id("sub"), email=email, email_verified=True)
        self.register(email=email)


class Outages(WithProvider):
    def test_a_hanging_provider_delays_nobody_else(self):
        self.provider.answers["/facebook/debug_token"] = lambda q: (200, {"data": {"is_valid": False}})
        self.provider.hang.clear()
        self.addCleanup(self.provider.hang.set)
        hanging = [self.stranger() for _ in range(8)]
        for terminal in hanging:
            terminal.send("account/loginWithProvider", {
                "countryCode": COUNTRY, "provider": "facebook", "credential": {"accessToken": fresh_id()}}, fresh_id())
        owner = self.register()
        began = time.monotonic()
        for _ in range(5):
            self.whoami(owner)
        self.login(username=owner.user["username"])
        self.assertLess(time.monotonic() - began, 5)
        for terminal in hanging:
            body = terminal.expect("/response", seconds=45).body
            error = self.assertError(body, "Unavailable")
            self.assertGreaterEqual(error["retryAfter"], 1)

    def test_a_provider_that_fails_is_unavailable_and_one_that_refuses_is_wrong(self):
        for status in (500, 503):
            self.provider.answers["/facebook/debug_token"] = lambda q, s=status: (s, {"error": {"message": "x"}})
            self.assertError(self.enter(provider="facebook", accessToken=fresh_id())[1], "Unavailable")


if __name__ == "__main__":
    unittest.main()
