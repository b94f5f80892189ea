"""A local server answers as each provider's documentation says, and the service verifies credentials."""

import base64
import hashlib
import hmac
import re
import time
import unittest
import urllib.parse

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from accounts import COUNTRY, PASSWORD, WRONG, People, fresh_id, fresh_name
from harness import SECOND
from provider import Provider

APP, SECRET, THEIRS = "our-app", "our-secret", "another-app"


class Chinese:
    """WeChat, QQ, Weibo and Baidu: the calls with which a server requests data about users."""

    def __init__(self, server):
        self.codes, self.used = {}, set()  # code: openid
        self.tokens = {}  # access token: (app, user, seconds left)
        server.answers.update({
            "/wechat/sns/oauth2/access_token": self.wechat, "/qq/oauth2.0/me": self.qq,
            "/weibo/oauth2/get_token_info": self.weibo, "/baidu/oauth/2.0/tokeninfo": self.baidu_info,
            "/wechat/sns/userinfo": self.wechat_profile, "/qq/user/get_user_info": self.qq_profile,
            "/weibo/2/users/show.json": self.weibo_profile,
            "/baidu/rest/2.0/passport/users/getInfo": self.baidu_user})

    def wechat(self, query):
        if (query.get("appid"), query.get("grant_type")) != (APP, "authorization_code"):
            return 200, {"errcode": 40013, "errmsg": "invalid appid"}
        if query.get("secret") != SECRET:
            return 200, {"errcode": 40125, "errmsg": "invalid appsecret"}
        code = query.get("code")
        if code in self.used:
            return 200, {"errcode": 40163, "errmsg": "code been used"}
        if code not in self.codes:
            return 200, {"errcode": 40029, "errmsg": "invalid code"}
        self.used.add(code)
        return 200, {"access_token": f"wx-{code}", "expires_in": 7200, "refresh_token": "r", "scope": "snsapi_userinfo",
                     "openid": self.codes[code], "unionid": "u-" + self.codes[code]}

    def wechat_profile(self, query):
        openid = query.get("openid")
        if query.get("access_token") not in {f"wx-{code}" for code, of in self.codes.items() if of == openid}:
            return 200, {"errcode": 40001, "errmsg": "invalid credential"}
        return 200, {"openid": openid, "nickname": "小莲", "sex": 0, "headimgurl": "https://thirdwx.qlogo.cn/mmopen/x/46",
                     "privilege": [], "unionid": "u-" + openid}

    def qq_profile(self, query):
        app, user, _left = self.tokens.get(query.get("access_token"), (None, None, None))
        if app is None or (query.get("oauth_consumer_key"), query.get("openid")) != (app, user):
            return 200, {"ret": 1002, "msg": "请先登录"}
        return 200, {"ret": 0, "msg": "", "nickname": "Lena", "figureurl_qq_1": "https://thirdqq.qlogo.cn/x/40",
                     "figureurl_qq_2": "https://thirdqq.qlogo.cn/x/100"}

    def weibo_profile(self, query):
        app, user, _left = self.tokens.get(query.get("access_token"), (None, None, None))
        if app is None or query.get("uid") != user:
            return 400, {"error": "invalid_access_token", "error_code": 21332}
        return 200, {"id": 1, "screen_name": "Lena", "profile_image_url": "https://tvax.sinaimg.cn/x.50.jpg",
                     "avatar_large": "https://tvax.sinaimg.cn/x.180.jpg"}

    def qq(self, query):
        app, user, left = self.tokens.get(query.get("access_token"), (None, None, None))
        if app is None:
            return 200, b'callback( {"error":100016,"error_description":"access token check failed"} );\n'
        if left <= 0:
            return 200, b'callback( {"error":100014,"error_description":"access token is expired"} );\n'
        return 200, f'callback( {{"client_id":"{app}","openid":"{user}"}} );\n'.encode()

    def weibo(self, query):
        app, user, left = self.tokens.get(query.get("access_token"), (None, None, None))
        if app is None:
            return 400, {"error": "invalid_access_token", "error_code": 21332, "request": "/oauth2/get_token_info"}
        if left <= 0:
            return 403, {"error": "expired_token", "error_code": 21327, "request": "/oauth2/get_token_info"}
        return 200, {"uid": user, "appkey": app, "scope": None, "create_at": 1352267591, "expire_in": left}

    def baidu_info(self, query):
        app, user, left = self.tokens.get(query.get("access_token"), (None, None, None))
        if app is None:
            return 400, {"error": "invalid_grant", "error_description": "Invalid access token"}
        if left <= 0:
            return 400, {"error": "expired_token", "error_description": "Access token expired"}
        return 200, {"client_id": app, "userid": 42, "username": "u***r", "scope": "basic", "expire_in": left}

    def baidu_user(self, query):
        app, user, left = self.tokens.get(query.get("access_token"), (None, None, None))
        if app is None:
            return 200, {"error_code": "110", "error_msg": "Access token invalid or no longer valid"}
        return 200, {"openid": user, "username": "u***r", "portrait": "x"}


class Western:
    """Facebook and Twitter."""

    def __init__(self, server):
        self.server, self.tokens = server, {}  # access token: (app, user, seconds left)
        self.secrets = {}  # twitter's token: (secret, consumer, user)
        server.answers.update({
            "/facebook/debug_token": self.facebook, "/facebook/me": self.facebook_profile, "/twitter/1.1/account/verify_credentials.json": self.twitter})

    def facebook(self, query):
        if query.get("access_token") != f"{APP}|{SECRET}":
            return 400, {"error": {"message": "Invalid OAuth access token.", "type": "OAuthException", "code": 190}}
        app, user, left = self.tokens.get(query.get("input_token"), (None, None, None))
        if app is None:
            return 200, {"data": {"error": {"code": 190, "message": "Invalid OAuth access token."},
                                  "is_valid": False, "scopes": []}}
        if left <= 0:
            return 200, {"data": {"app_id": app, "type": "USER", "is_valid": False, "user_id": user,
                                  "expires_at": int(time.time()) + left, "scopes": ["email"],
                                  "error": {"code": 190, "subcode": 463, "message": "Session has expired"}}}
        return 200, {"data": {"app_id": app, "type": "USER", "application": "Lamps", "is_valid": True, "user_id": user,
                              "expires_at": int(time.time()) + left, "scopes": ["email", "public_profile"]}}

    def facebook_profile(self, query):
        token = query.get("access_token", "")
        app, user, _left = self.tokens.get(token, (None, None, None))
        proof = hmac.new(SECRET.encode(), token.encode(), "sha256").hexdigest()
        if app is None or query.get("appsecret_proof") != proof:
            return 400, {"error": {"message": "Invalid appsecret_proof", "type": "GraphMethodException", "code": 100}}
        return 200, {"id": user, "name": "Lena", "picture": {"data": {
            "height": 50, "width": 50, "is_silhouette": False, "url": "https://platform-lookaside.fbsbx.com/x"}}}

    def twitter(self, query):
        """Checks the signature as RFC 5849 requires."""
        header = query.pop("authorization", "")
        oauth = {k: urllib.parse.unquote(v) for k, v in re.findall(r'(oauth_\w+)="([^"]*)"', header)}
        known = self.secrets.get(oauth.get("oauth_token"))
        if known is None:
            return 401, {"errors": [{"code": 89, "message": "Invalid or expired token."}]}
        secret, consumer, user = known

        def quote(text):
            return urllib.parse.quote(text, safe="-._~")
        signed = {**query, **{k: v for k, v in oauth.items() if k != "oauth_signature"}}
        line = "&".join(f"{quote(k)}={quote(v)}" for k, v in sorted(signed.items()))
        url = self.server.url + "/twitter/1.1/account/verify_credentials.json"
        base = "&".join(quote(part) for part in ("GET", url, line))
        key = f"{quote(SECRET)}&{quote(secret)}"
        right = base64.b64encode(hmac.digest(key.encode(), base.encode(), "sha1")).decode()
        if oauth.get("oauth_consumer_key") != consumer or oauth.get("oauth_signature") != right:
            return 401, {"errors": [{"code": 32, "message": "Could not authenticate you."}]}
        return 200, {"id": int(user), "id_str": user, "name": "Lena", "screen_name": "lena",
                     "profile_image_url_https": "https://pbs.example/x.png"}


class Each(People):
    """Tests that use one local server, which plays the role of every provider."""

    app = "people-each"

    @classmethod
    def setUpClass(cls):
        cls.provider = Provider()
        cls.addClassCleanup(cls.provider.close)
        cls.china, cls.west = Chinese(cls.provider), Western(cls.provider)
        cls.works, cls.google, cls.apple = (f"{cls.provider.url}/{n}" for n in ("works", "google", "apple"))

    def setUp(self):
        super().setUp()
        if self.world.apps.get(self.app, {}).get("at") != self.provider.url:
            url, providers = self.provider.url, {}
            for name in ("wechat", "facebook", "twitter"):
                providers[name] = {"clientIds": [APP], "clientSecret": SECRET, "baseUrl": f"{url}/{name}"}
            for name in ("qq", "weibo", "baidu"):
                providers[name] = {"clientIds": [APP], "baseUrl": f"{url}/{name}"}
            for name, issuer in (("google", self.google), ("apple", self.apple), ("oidc:works", self.works)):
                providers[name] = {"clientIds": [APP], "issuer": issuer}
            for one in providers.values():
                one["enabled"] = one["keepToken"] = True
            self.world.import_app(self.app, {"policies": {"phoneRegistration": True}, "providers": providers})
            self.world.apps[self.app]["at"] = url

    def enter(self, provider, terminal=None, seconds=30, **credential):
        terminal = terminal or self.stranger()
        return terminal.ask("account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": provider, "credential": credential}, seconds=seconds, token=None)

    def assertIn_(self, answer, uid=None):
        self.assertTrue(answer["ok"], answer)
        self.assertEqual(answer["result"]["isNew"], uid is None)
        if uid is not None:
            self.assertEqual(answer["result"]["user"]["uid"], uid)
        return answer["result"]["user"]["uid"]

    def token(self, kind, app=APP, user=None, left=3600):
        """Returns an access token that the provider knows, and the user to whom the token belongs."""
        token, user = fresh_id(kind), user or fresh_id("user").replace("-", "")
        (self.west if kind == "facebook" else self.china).tokens[token] = (app, user, left)
        return token, user


class ByToken(Each):
    def test_wechat(self):
        for number in range(3):
            self.china.codes[f"code{number}"] = "openid-of-lena"
        uid = self.assertIn_(self.enter("wechat", code="code0"))
        self.assertIn_(self.enter("wechat", code="code1"), uid)
        self.assertError(self.enter("wechat", code="code1"), "InvalidCredentials")
        self.assertError(self.enter("wechat", code="of-another-app"), "InvalidCredentials")

    def test_tokens_with_a_user_beside_them(self):
        for kind, name in (("qq", "userId"), ("weibo", "uid")):
            with self.subTest(provider=kind):
                token, user = self.token(kind)
                uid = self.assertIn_(self.enter(kind, accessToken=token, **{name: user}))
                again, _ = self.token(kind, user=user)
                self.assertIn_(self.enter(kind, accessToken=again, **{name: user}), uid)
                self.assertError(self.enter(kind, accessToken=token, **{name: "12345"}), "InvalidCredentials")
                stolen, victim = self.token(kind, app=THEIRS, user=user)
                self.assertError(self.enter(kind, accessToken=stolen, **{name: user}), "InvalidCredentials")
                late, user = self.token(kind, left=0)
                self.assertError(self.enter(kind, accessToken=late, **{name: user}), "InvalidCredentials")
                self.assertError(self.enter(kind, accessToken="unknown", **{name: user}), "InvalidCredentials")

    def test_tokens_alone(self):
        for kind in ("facebook", "baidu"):
            with self.subTest(provider=kind):
                token, user = self.token(kind)
                terminal = self.stranger()
                answer = self.enter(kind, terminal, accessToken=token)
                uid = self.assertIn_(answer)
                terminal.adopt(answer["result"])
                row = terminal.get("account/providers")["providers"][0]
                self.assertEqual((row["provider"], row["subject"], row["accessToken"]), (kind, user, token))
                again, _ = self.token(kind, user=user)
                self.assertIn_(self.enter(kind, accessToken=again), uid)
                for why, other in (("another app's", self.token(kind, app=THEIRS, user=user)[0]),
                                   ("past its time", self.token(kind, user=user, left=-60)[0]), ("unknown", "nonsense")):
                    with self.subTest(why=why):
                        self.assertError(self.enter(kind, accessToken=other), "InvalidCredentials")

    def test_twitter(self):
        self.west.secrets.update({
            "t1": ("s1", APP, "1234567890123456789"), "t2": ("s & 2 ü".encode().hex(), APP, "1234567890123456789"),
            "t3": ("s3", THEIRS, "1234567890123456789")})
        answer = self.enter("twitter", key="t1", secret="s1")
        uid = self.assertIn_(answer)
        self.assertEqual(answer["result"]["user"]["nickname"], "Lena")
        self.assertIn_(self.enter("twitter", key="t2", secret=self.west.secrets["t2"][0]), uid)
        self.assertError(self.enter("twitter", key="t1", secret="s2"), "InvalidCredentials")
        self.assertError(self.enter("twitter", key="t3", secret="s3"), "InvalidCredentials")
        self.assertError(self.enter("twitter", key="t4", secret="s4"), "InvalidCredentials")

    def test_a_provider_that_cannot_answer_is_unavailable(self):
        paths = {"wechat": ("/wechat/sns/oauth2/access_token", {"code": "x"}),
                 "qq": ("/qq/oauth2.0/me", {"accessToken": "x", "userId": "1"}),
                 "weibo": ("/weibo/oauth2/get_token_info", {"accessToken": "x", "uid": "1"}),
                 "baidu": ("/baidu/oauth/2.0/tokeninfo", {"accessToken": "x"}),
                 "twitter": ("/twitter/1.1/account/verify_credentials.json", {"key": "x", "secret": "y"})}
        for kind, (path, credential) in paths.items():
            with self.subTest(provider=kind):
                before = self.provider.answers[path]
                self.addCleanup(self.provider.answers.__setitem__, path, before)
                for answer in ((502, {"error": "bad gateway"}), (429, {"error": "slow down"}), (200, b"<html>sorry</html>")):
                    self.provider.answers[path] = lambda query, a=answer: a
                    error = self.assertError(self.enter(kind, **credential), "Unavailable")
                    self.assertGreaterEqual(error["retryAfter"], 1)
                self.provider.answers[path] = before

    def test_subjects_of_two_providers_are_two_users(self):
        token, user = self.token("facebook", user="4711")
        one = self.assertIn_(self.enter("facebook", accessToken=token))
        token, user = self.token("baidu", user="4711")
        self.assertNotEqual(self.assertIn_(self.enter("baidu", accessToken=token)), one)


class BySignature(Each):
    def signed(self, subject, issuer=None, audience=APP, **more):
        return self.provider.id_token(issuer or self.works, audience, subject, **more)

    def test_google_apple_and_any_other_issuer(self):
        for name, issuer in (("google", self.google), ("apple", self.apple), ("oidc:works", self.works)):
            with self.subTest(provider=name):
                subject = fresh_id("sub")
                uid = self.assertIn_(self.enter(name, identityToken=self.signed(subject, issuer)))
                self.assertIn_(self.enter(name, identityToken=self.signed(subject, issuer)), uid)
                for other in {self.google, self.apple, self.works} - {issuer}:
                    self.assertError(self.enter(name, identityToken=self.signed(subject, other)), "InvalidCredentials")

    def test_a_replaced_key(self):
        subject = fresh_id("sub")
        old = self.signed(subject)
        uid = self.assertIn_(self.enter("oidc:works", identityToken=old))
        self.provider.rotate()
        self.assertIn_(self.enter("oidc:works", identityToken=self.signed(subject)), uid)
        self.assertError(self.enter("oidc:works", identityToken=old), "InvalidCredentials")

    def test_unknown_keys_cause_few_requests(self):
        self.enter("google", identityToken=self.signed("x", self.google))
        before = len(self.provider.asked)
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        for number in range(15):
            answer = self.enter("google", identityToken=self.signed("x", self.google, key=key, kid=f"k{number}"))
            self.assertError(answer, "InvalidCredentials")
        self.assertLessEqual(len(self.provider.asked) - before, 12)
        self.assertTrue(self.enter("google", identityToken=self.signed("x", self.google))["ok"])

    def test_a_publicly_known_key_signs_nothing(self):
        public = self.provider.key.public_key()
        pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        modulus = public.public_numbers().n.to_bytes(256, "big")
        for secret in (pem, pem.strip(), der, modulus, b"", APP.encode(), SECRET.encode()):
            with self.subTest(secret=secret[:20]):
                token = self.provider.forged_token(self.works, APP, "victim", secret)
                self.assertError(self.enter("oidc:works", identityToken=token), "InvalidCredentials")
        for algorithm in ("none", "None", "NONE", "nOnE"):
            with self.subTest(algorithm=algorithm):
                token = self.signed("victim", alg="none" if algorithm == "none" else algorithm)
                head, body, _ = token.split(".")
                for unsigned in (token, f"{head}.{body}."):
                    self.assertError(self.enter("oidc:works", identityToken=unsigned), "InvalidCredentials")

    def test_clocks_can_differ_by_a_minute(self):
        now = int(time.time())
        for more, is_good in (({"exp": now - 20}, True), ({"exp": now - 180}, False), ({"nbf": now + 20}, True),
                              ({"nbf": now + 300}, False), ({"exp": "soon"}, False), ({"exp": None}, False)):
            with self.subTest(**more):
                answer = self.enter("oidc:works", identityToken=self.signed(fresh_id("sub"), **more))
                if is_good:
                    self.assertTrue(answer["ok"], answer)
                else:
                    self.assertError(answer, "InvalidCredentials")

    def test_a_nonce_is_checked(self):
        nonce = fresh_id("nonce")
        digest = hashlib.sha256(nonce.encode()).hexdigest()
        for name, issuer in (("oidc:works", self.works), ("apple", self.apple)):
            for claim, is_good in ((nonce, True), (digest, True), ("another", False), (None, False)):
                with self.subTest(provider=name, claim=claim):
                    token = self.signed(fresh_id("sub"), issuer, nonce=claim)
                    answer = self.enter(name, identityToken=token, nonce=nonce)
                    self.assertEqual(answer["ok"], is_good, answer)
                    if not is_good:
                        self.assertError(answer, "InvalidCredentials")

    def test_apples_first_names_and_empty_ones_later(self):
        subject = fresh_id("sub")
        token = self.signed(subject, self.apple, email="relay@example.com", email_verified="true")
        answer = self.enter("apple", identityToken=token, userIdentifier=subject, nickname="Lena",
                            email="relay@example.com")
        uid = self.assertIn_(answer)
        self.assertEqual(answer["result"]["user"]["nickname"], "Lena")
        self.assertFalse(answer["result"]["user"]["emailVerified"])
        self.assertIn_(self.enter("apple", identityToken=token, userIdentifier=subject, nickname="", email=""), uid)
        answer = self.enter("auth2", type="ap", accessToken=token, extraInfo={
            "userIdentifier": subject, "email": "", "nickname": ""})
        self.assertIn_(answer, uid)

    def test_a_profile_and_a_name_of_the_terminal(self):
        terminal = self.stranger()
        result = terminal.get("account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": "oidc:works", "platform": "tablet", "os": "iPadOS", "name": "Lena's",
            "credential": {"identityToken": self.signed(fresh_id("sub"), name="Not Lena")},
            "profile": {"nickname": "Lena", "tempUnit": 2}}, seconds=30)
        self.assertEqual((result["user"]["nickname"], result["user"]["tempUnit"]), ("Lena", 2))
        terminal.adopt(result)
        row = terminal.get("session/list")["sessions"][0]
        self.assertEqual((row["platform"], row["os"], row["name"]), ("tablet", "iPadOS", "Lena's"))

    def test_an_invalid_profile_is_refused_before_the_provider_is_contacted(self):
        before = len(self.provider.asked)
        error = self.assertError(self.stranger().ask("account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": "facebook", "credential": {"accessToken": "x"},
            "profile": {"tempUnit": 3}}), "InvalidRequest")
        self.assertEqual(error["field"], "params.profile.tempUnit")
        self.assertEqual(len(self.provider.asked), before)


class Hanging(Each):
    app = "people-hanging"

    def times(self, ask, count=20):
        took = []
        for _ in range(count):
            began = time.monotonic()
            ask()
            took.append(time.monotonic() - began)
        return sorted(took)

    def test_other_logins_are_as_fast_as_before(self):
        owner, subject = self.register(username=fresh_name()), fresh_id("sub")
        asks = {
            "whoami": lambda: self.whoami(owner),
            "a password": lambda: self.try_login(username=fresh_name(), password=WRONG),
            "another provider": lambda: self.enter("google", identityToken=self.provider.id_token(
                self.google, APP, subject)),
        }
        before = {name: self.times(ask) for name, ask in asks.items()}
        self.provider.hang.clear()
        self.addCleanup(self.provider.hang.set)
        hanging = [self.stranger() for _ in range(24)]
        for terminal in hanging:
            terminal.send("account/loginWithProvider", {
                "countryCode": COUNTRY, "provider": "facebook", "credential": {"accessToken": fresh_id()}}, fresh_id())
        during = {name: self.times(ask) for name, ask in asks.items()}
        for name in asks:
            with self.subTest(name=name):
                # A call that hangs would take seconds. The test compares the median and the 90th percentile. A single
                # slow request does not matter.
                self.assertLess(during[name][10], 3 * before[name][10] + SECOND / 4)
                self.assertLess(during[name][18], 3 * before[name][18] + SECOND / 2)
        for terminal in hanging:
            error = self.assertError(terminal.expect("/response", seconds=60).body, "Unavailable")
            self.assertGreaterEqual(error["retryAfter"], 1)
        # The service now knows that the provider doesn't answer. Therefore, the service refuses requests without asking
        # the provider.
        began = time.monotonic()
        error = self.assertError(self.enter("facebook", accessToken=fresh_id()), "Unavailable")
        self.assertLess(time.monotonic() - began, 3)
        self.assertTrue(1 <= error["retryAfter"] <= 31, error)


if __name__ == "__main__":
    unittest.main()
