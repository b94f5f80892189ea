"""OAuth 2.0 from the authorization page to the session's end, with Authlib as client."""

import base64
import concurrent.futures
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import secrets
import subprocess
import threading
import unittest
import urllib.parse

import postgres
import test_event_moving
import tools
from accounts import COUNTRY, PASSWORD, WRONG, People, fresh_email, fresh_name, wrong
from client import Terminal, fresh_id
from harness import BINARY, ENVIRONMENT, TOPICS, Service, eventually
from pages import Page
from provider import b64
from test_http import HTTPTerminal
from world import SETTINGS, OwnWorld

REDIRECT = "https://voice.example/callback?skill=1"
APP_REDIRECT = "com.example.app:/linked"


def session_type():
    """Returns Authlib's client."""
    tools.use()
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    from authlib.integrations.requests_client import OAuth2Session
    return OAuth2Session


class Browser:
    """A browser that runs no scripts, keeps cookies and follows no redirect."""

    def __init__(self, port):
        self.port, self.cookies = port, {}

    def open(self, url, method="GET", values=None, headers=None):
        """Sends a request, and returns the page, whose `location` is the redirect's address."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        body = None if values is None else urllib.parse.urlencode(values)
        all_headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()), **(headers or {})}
        if body is not None:
            all_headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body, all_headers)
        page = Page(url, connection.getresponse())
        connection.close()
        if "set-cookie" in page.headers:
            name, value = page.headers["set-cookie"].split(";")[0].split("=", 1)
            self.cookies[name] = value
        page.location = page.headers.get("location")
        return page

    def send(self, page, step="allow", **entered):
        """Fills in the page's form, and presses one of its buttons."""
        form = page.forms[0]
        values = {name: value for name, (_, value) in form["fields"].items()}
        return self.open(form["action"], form["method"], {**values, "step": step, **entered})


def answer(location):
    """Returns the parameters of the address to which the browser was redirected."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))


class OAuth(People):
    app = "people-3"
    send_http = HTTPTerminal.send

    def setUp(self):
        super().setUp()
        self.port = self.world.service.http_port
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.browser = Browser(self.port)
        self.name = fresh_name()
        self.owner = self.register(username=self.name)

    def client(self, *scopes, redirects=(REDIRECT,), public=False, app=None):
        """Adds an OAuth client; returns the command's answer."""
        made = self.world.service.json(
            "oauth", "add", fresh_id("c"), "--app", app or self.app, "--redirect", *redirects, "--scope",
            *(scopes or ("device", "account:read")), *(["--public"] if public else []))
        # An app can have at most 20 clients, so each test removes its clients.
        self.addCleanup(self.world.service.cli, "oauth", "remove", made["clientId"], check=False)
        return made

    def remote(self, client, **more):
        """Returns Authlib's client."""
        more.setdefault("redirect_uri", REDIRECT)
        made = session_type()(
            client["clientId"], client.get("clientSecret"), code_challenge_method="S256", **more,
            token_endpoint_auth_method="client_secret_basic" if "clientSecret" in client else "none")
        self.addCleanup(made.close)
        return made

    def page(self, client, **changed):
        """Opens the authorization page."""
        values = {"response_type": "code", "client_id": client["clientId"], "redirect_uri": REDIRECT, "state": "xyz", **changed}
        query = urllib.parse.urlencode({k: v for k, v in values.items() if v is not None})
        return self.browser.open(f"{self.issuer}/oauth/authorize?{query}")

    def allow(self, page, **entered):
        """Logs in, allows the link, and returns the parameters of the redirect's address."""
        sent = self.browser.send(page, **{"account": self.name, "country": COUNTRY, "password": PASSWORD, **entered})
        self.assertEqual(sent.status, 303, sent.text)
        return answer(sent.location)

    def post(self, path, auth=None, **values):
        """Sends a request to an endpoint, and returns the status and the answer."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if auth:
            headers["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        body = urllib.parse.urlencode(values, doseq=True)
        status, self.headers, text = self.send_http(f"/oauth/{path}", body, headers)
        return status, json.loads(text)

    def link(self, client, **more):
        """Links the client to the user's account; returns the tokens."""
        code = self.allow(self.page(client, **more))["code"]
        status, tokens = self.exchange(client, code)
        self.assertEqual(status, 200, tokens)
        return tokens

    def exchange(self, client, code, **more):
        values = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, **more}
        return self.post("token", self.basic(client), **values)

    def refresh(self, client, token, **more):
        return self.post("token", self.basic(client), grant_type="refresh_token", refresh_token=token, **more)

    def basic(self, client):
        return (client["clientId"], client["clientSecret"]) if "clientSecret" in client else None

    def ask(self, token, name, params=None, path=None):
        """Sends a request with an access token, and returns the status and the answer."""
        status, _, text = self.send_http(path or f"/{TOPICS}/request/{name}", json.dumps({"params": params or {}}), {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        return status, json.loads(text)

    def code_of(self, token, name, params=None):
        return self.ask(token, name, params)[1].get("error", {}).get("code")

    def links(self):
        return [row for row in self.owner.get("session/list")["sessions"] if "clientId" in row]


class Linking(OAuth):
    def test_authlib_links_uses_refreshes_and_revokes(self):
        client = self.client("device", "account:read")
        remote = self.remote(client, scope="device account:read")
        metadata = json.loads(self.browser.open(f"{self.issuer}/.well-known/oauth-authorization-server").text)
        self.assertEqual(metadata["issuer"], self.issuer)
        verifier = secrets.token_urlsafe(48)
        url, state = remote.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
        page = self.browser.open(url)
        self.assertIn("See and control your devices", page.text)
        self.assertIn("See your profile", page.text)
        sent = self.browser.send(page, account=self.name, country=COUNTRY, password=PASSWORD)
        self.assertTrue(sent.location.startswith(f"{REDIRECT}&code="), sent.location)
        self.assertEqual(answer(sent.location)["iss"], self.issuer)
        tokens = remote.fetch_token(
            metadata["token_endpoint"], authorization_response=sent.location, state=state, code_verifier=verifier)
        self.assertEqual((tokens["token_type"], tokens["expires_in"], tokens["scope"]), ("Bearer", 3600, "device account:read"))
        body = remote.post(f"{self.issuer}/{TOPICS}/request/account/whoami", json={"params": {}}).json()
        self.assertEqual(body["result"]["user"]["uid"], self.owner.uid)
        newer = remote.refresh_token(metadata["token_endpoint"])
        self.assertNotEqual(newer["access_token"], tokens["access_token"])
        self.assertEqual(self.ask(tokens["access_token"], "device/list")[0], 200, "both access tokens work")
        self.assertEqual(self.ask(newer["access_token"], "device/list")[0], 200)
        remote.revoke_token(metadata["revocation_endpoint"], token=tokens["refresh_token"])
        self.assertEqual(self.code_of(newer["access_token"], "device/list"), "InvalidToken")
        self.assertEqual(self.links(), [])

    def test_a_public_client_needs_pkce_and_its_refresh_tokens_rotate(self):
        client = self.client("device:read", redirects=(APP_REDIRECT,), public=True)
        self.assertNotIn("clientSecret", client)
        refused = self.page(client, redirect_uri=APP_REDIRECT)
        self.assertEqual(answer(refused.location)["error"], "invalid_request")
        remote = self.remote(client, redirect_uri=APP_REDIRECT)
        verifier = secrets.token_urlsafe(48)
        url, state = remote.create_authorization_url(f"{self.issuer}/oauth/authorize", code_verifier=verifier)
        sent = self.browser.send(self.browser.open(url), account=self.name, country=COUNTRY, password=PASSWORD)
        endpoint = f"{self.issuer}/oauth/token"
        first = remote.fetch_token(endpoint, authorization_response=sent.location, state=state, code_verifier=verifier)
        second = remote.refresh_token(endpoint)
        self.assertNotEqual(second["refresh_token"], first["refresh_token"])
        # The client repeats a refresh, as if the answer had been lost. The old refresh token works until the client
        # uses the new token.
        id = client["clientId"]
        status, third = self.refresh(client, first["refresh_token"], client_id=id)
        self.assertEqual(status, 200, third)
        status, fourth = self.refresh(client, third["refresh_token"], client_id=id)
        self.assertEqual(status, 200)
        self.assertEqual(self.ask(fourth["access_token"], "device/list")[0], 200)
        # A thief uses the replaced refresh token, so the session ends.
        self.assertEqual(self.refresh(client, first["refresh_token"], client_id=id)[1]["error"], "invalid_grant")
        self.assertEqual(self.code_of(fourth["access_token"], "device/list"), "InvalidToken")
        self.assertEqual(self.refresh(client, fourth["refresh_token"], client_id=id)[1]["error"], "invalid_grant")
        self.assertEqual(self.links(), [])

    def test_the_session_is_listed_and_unlinked(self):
        client = self.client("device", "home:read")
        tokens = self.link(client)
        row, = self.links()
        self.assertEqual((row["platform"], row["name"], row["clientId"], row["scopes"]), (
            "oauth", client["name"], client["clientId"], ["device", "home:read"]))
        self.assertIn(client["clientId"], [one["clientId"] for one in self.world.service.json("oauth", "list")["items"]])
        other = self.register()
        self.assertEqual(other.fail("session/unlink", {"sessionId": row["sessionId"]})["code"], "ResourceNotFound")
        own = next(one for one in self.owner.get("session/list")["sessions"] if one["current"])
        self.assertEqual(self.owner.fail("session/unlink", {"sessionId": own["sessionId"]})["code"], "ResourceNotFound")
        self.owner.get("session/unlink", {"sessionId": row["sessionId"]})
        self.assertEqual(self.code_of(tokens["access_token"], "device/list"), "InvalidToken")
        self.assertEqual(self.refresh(client, tokens["refresh_token"])[1]["error"], "invalid_grant")
        self.assertEqual(self.links(), [])

    def test_a_code_logs_in_too(self):
        email = fresh_email()
        self.owner = self.register(email=email)
        client = self.client()
        page = self.page(client)
        page = self.browser.send(page, "code", account=email, country=COUNTRY)
        self.assertEqual(page.status, 200, page.text)
        sent = self.gateway.taken(email)["params"]["code"]
        self.assertIn("one-time-code", page.text)
        refused = self.browser.send(page, code=wrong(sent))
        self.assertEqual(refused.status, 422)
        self.assertIn("wrong or too old", refused.text)
        self.assertIn("code", answer(self.browser.send(refused, code=sent).location))
        self.assertEqual(len(self.links()), 1)

    def test_a_redirect_to_an_app_is_shown_by_its_scheme(self):
        for redirect, place in (("http.lamp.example:cb", "http.lamp.example"), ("com.example.lamp:/cb", "com.example.lamp")):
            with self.subTest(redirect=redirect):
                page = self.page(self.client(redirects=(redirect,)), redirect_uri=redirect)
                self.assertEqual(page.status, 200)
                self.assertRegex(page.text, rf"{place}(?!:)\b")

    def test_the_clients_end_ends_its_sessions(self):
        client = self.client()
        tokens = self.link(client)
        done = self.world.service.json("oauth", "remove", client["clientId"])
        self.assertEqual(done["ended"], 1)
        eventually(lambda: self.code_of(tokens["access_token"], "device/list") == "InvalidToken")
        self.assertEqual(self.refresh(client, tokens["refresh_token"])[1]["error"], "invalid_client")
        self.assertEqual(self.page(client).status, 400)

    def test_a_new_password_ends_the_session(self):
        tokens = self.link(self.client())
        self.owner.get("account/changePassword", {"oldPassword": PASSWORD, "newPassword": "another lamp staple 43"})
        status, answered = self.ask(tokens["access_token"], "device/list")
        self.assertEqual((status, answered["error"]["code"]), (401, "InvalidToken"))


class Scopes(OAuth):
    def test_methods_outside_the_scopes_are_forbidden(self):
        tokens = self.link(self.client("device:read", "account"))
        token = tokens["access_token"]
        self.assertEqual(self.ask(token, "device/list")[0], 200)
        self.assertEqual(self.ask(token, "account/whoami")[0], 200)
        for name, params in (
                ("device/control", {"did": "d-x", "data": {}}), ("home/list", {}), ("share/list", {}), ("session/list", {}),
                ("session/refresh", {}), ("session/unlink", {"sessionId": "s-x"}), ("account/logout", {}),
                ("account/checkPassword", {"password": PASSWORD}), ("account/cancel", {}), ("events/read", {}),
                ("account/login", {"countryCode": COUNTRY, "account": self.name, "password": PASSWORD}),
                ("account/loginAnonymous", {"countryCode": COUNTRY}), ("app/info", {})):
            with self.subTest(name=name):
                status, answered = self.ask(token, name, params)
                self.assertEqual((status, answered["error"]["code"]), (403, "Forbidden"), answered)

    def test_the_tokens_do_not_connect_over_mqtt_or_open_a_stream(self):
        tokens = self.link(self.client("device"))
        row, = self.links()
        app_secret = self.world.apps[self.app]["secret"]
        for secret in (tokens["access_token"], tokens["refresh_token"], app_secret):
            self.assertNotEqual(self.keep(Terminal(self.world.port, self.app, secret, row["terminalId"])).connect(), 0)
        opened = self.browser.open(
            f"{self.issuer}/{TOPICS}/stream", headers={"Authorization": f"Bearer {tokens['access_token']}"})
        self.assertEqual(opened.status, 403)
        path = f"/{TOPICS}/app/{self.app}/{row['terminalId']}/request/device/list"
        self.assertEqual(self.ask(tokens["access_token"], "device/list", path=path)[0], 200)
        other = f"/{TOPICS}/app/{self.app}/{self.owner.terminal_id}/request/device/list"
        self.assertEqual(self.ask(tokens["access_token"], "device/list", path=other)[0], 401)
        self.assertEqual(self.ask(tokens["refresh_token"], "device/list")[0], 401)
        self.owner.get("session/unlink", {"sessionId": row["sessionId"]})
        eventually(lambda: self.code_of(tokens["access_token"], "device/list") == "InvalidToken")
        self.assertNotEqual(self.keep(Terminal(self.world.port, self.app, app_secret, row["terminalId"])).connect(), 0)

    def test_the_user_can_allow_less_than_the_client_requests(self):
        client = self.client("device", "home")
        tokens = self.link(client, scope="home device")
        self.assertEqual(tokens["scope"], "device home")
        tokens = self.link(client, scope="home")
        self.assertEqual(tokens["scope"], "home")
        self.assertEqual(self.code_of(tokens["access_token"], "device/list"), "Forbidden")


class Refusals(OAuth):
    def test_an_unknown_client_or_redirect_stays_on_a_page(self):
        client = self.client()
        for changed in (
                {"client_id": "o-unknown"}, {"client_id": None}, {"redirect_uri": None},
                {"redirect_uri": "https://voice.example/callback"}, {"redirect_uri": f"{REDIRECT}#x"},
                {"redirect_uri": f"{REDIRECT}&x=1"}, {"redirect_uri": "https://thief.example/"}):
            with self.subTest(**changed):
                page = self.page(client, **changed)
                self.assertEqual((page.status, page.location), (400, None))
                self.assertIn("Nothing was linked", page.text)

    def test_errors_are_sent_back_with_state_and_issuer(self):
        client = self.client("device:read")
        for changed, error in (
                ({"response_type": "token"}, "unsupported_response_type"), ({"response_type": None}, "invalid_request"),
                ({"scope": "device"}, "invalid_scope"), ({"scope": "events"}, "invalid_scope"), ({"scope": "x"}, "invalid_scope"),
                ({"code_challenge": "short", "code_challenge_method": "S256"}, "invalid_request"),
                ({"code_challenge": "a" * 43}, "invalid_request"),
                ({"code_challenge": "a" * 43, "code_challenge_method": "plain"}, "invalid_request")):
            with self.subTest(**changed):
                got = answer(self.page(client, **changed).location)
                self.assertEqual((got["error"], got["state"], got["iss"], got["skill"]), (error, "xyz", self.issuer, "1"))
        page = self.browser.open(
            f"{self.issuer}/oauth/authorize?client_id={client['clientId']}&redirect_uri={urllib.parse.quote(REDIRECT, safe='')}"
            "&response_type=code&scope=device:read&scope=device:read")
        self.assertEqual(answer(page.location)["error"], "invalid_request")

    def test_cancelling_denies_access(self):
        sent = self.browser.send(self.page(self.client()), "cancel")
        self.assertEqual((answer(sent.location)["error"], answer(sent.location)["state"]), ("access_denied", "xyz"))
        self.assertEqual(self.links(), [])

    def test_the_page_is_secure(self):
        page = self.page(self.client())
        self.assertEqual(page.status, 200)
        self.assertEqual((page.headers["x-frame-options"], page.scripts), ("DENY", 0))
        self.assertIn("frame-ancestors 'none'", page.headers["content-security-policy"])
        self.assertIn("no-store", page.headers["cache-control"])
        self.assertIn('autocomplete="username"', page.text)
        self.assertIn('autocomplete="current-password"', page.text)
        cookie = page.headers["set-cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Lax", cookie)
        escaped = self.page(self.client(), state='"><script>alert(1)</script>')
        self.assertEqual(escaped.scripts, 0)
        self.assertEqual(self.page(self.client(), state='"><script>').status, 200)

    def test_only_the_pages_own_form_is_accepted(self):
        page = self.page(self.client())
        entered = {"account": self.name, "country": COUNTRY, "password": PASSWORD}
        for cookies, form in (({}, None), (None, "0" * 32), (None, "")):
            with self.subTest(cookies=cookies, form=form):
                stranger = Browser(self.port)
                stranger.cookies = dict(self.browser.cookies) if cookies is None else cookies
                more = {} if form is None else {"form": form}
                sent = stranger.send(page, **entered, **more)
                self.assertEqual((sent.status, sent.location), (422, None))
        self.assertEqual(self.links(), [])
        self.assertIn("code", self.allow(page))

    def test_a_wrong_password_is_limited_like_any_login(self):
        page = self.page(self.client())
        for _ in range(20):
            page = self.browser.send(page, account=self.name, country=COUNTRY, password=WRONG)
            self.assertEqual(page.status, 422)
            if "too many tries" in page.text:
                break
        else:
            self.fail("no limit")
        again = self.browser.send(page, account=self.name, country=COUNTRY, password=PASSWORD)
        self.assertEqual((again.status, again.location), (422, None), "the limit holds for the right password, too")

    def test_a_code_works_once_and_its_replay_ends_the_session(self):
        client = self.client()
        code = self.allow(self.page(client))["code"]
        status, tokens = self.exchange(client, code)
        self.assertEqual((status, self.headers["cache-control"]), (200, "no-store"))
        status, again = self.exchange(client, code)
        self.assertEqual((status, again["error"]), (400, "invalid_grant"))
        self.assertEqual(self.code_of(tokens["access_token"], "device/list"), "InvalidToken")
        self.assertEqual(self.refresh(client, tokens["refresh_token"])[1]["error"], "invalid_grant")
        self.assertEqual(self.links(), [])

    def test_a_stolen_code_is_refused(self):
        client, other = self.client(redirects=(REDIRECT, "https://voice.example/other")), self.client()
        verifier = secrets.token_urlsafe(48)
        challenge = b64(hashlib.sha256(verifier.encode()).digest())
        code = self.allow(self.page(client, code_challenge=challenge, code_challenge_method="S256"))["code"]
        for thief, more in (
                (other, {"code_verifier": verifier}), (client, {}), (client, {"code_verifier": "x" * 43}),
                (client, {"code_verifier": verifier, "redirect_uri": "https://voice.example/other"})):
            with self.subTest(more=more):
                status, got = self.exchange(thief, code, **more)
                self.assertEqual((status, got["error"]), (400, "invalid_grant"))
        self.assertEqual(self.exchange(client, code, code_verifier=verifier)[0], 200)
        plain = self.allow(self.page(client))["code"]
        self.assertEqual(self.exchange(client, plain, code_verifier=verifier)[1]["error"], "invalid_grant")

    def test_every_error_of_the_token_endpoint(self):
        client, public = self.client("device"), self.client("device", public=True)
        tokens = self.link(client)
        id, secret = client["clientId"], client["clientSecret"]
        refresh = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
        cases = [
            ((id, secret), {}, 400, "invalid_request"),
            ((id, secret), {"grant_type": "authorization_code"}, 400, "invalid_request"),
            ((id, secret), {"grant_type": "authorization_code", "code": "x"}, 400, "invalid_request"),
            ((id, secret), {"grant_type": "refresh_token"}, 400, "invalid_request"),
            ((id, secret), {**refresh, "grant_type": ["refresh_token", "refresh_token"]}, 400, "invalid_request"),
            ((id, secret), {**refresh, "client_secret": secret}, 400, "invalid_request"),
            ((id, secret), {**refresh, "client_id": public["clientId"]}, 400, "invalid_request"),
            ((id, secret), {"grant_type": "password", "username": "x", "password": "y"}, 400, "unsupported_grant_type"),
            ((id, secret), {"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
            ((id, "wrong"), refresh, 401, "invalid_client"), (("o-x", secret), refresh, 401, "invalid_client"),
            (None, refresh, 401, "invalid_client"), (None, {**refresh, "client_id": id}, 401, "invalid_client"),
            (None, {**refresh, "client_id": public["clientId"], "client_secret": "x"}, 401, "invalid_client"),
            (None, {**refresh, "client_id": public["clientId"]}, 400, "invalid_grant"),
            ((id, secret), {**refresh, "refresh_token": "llr_unknown"}, 400, "invalid_grant"),
            ((id, secret), {**refresh, "refresh_token": tokens["access_token"]}, 400, "invalid_grant"),
            ((id, secret), {**refresh, "scope": "device home"}, 400, "invalid_scope"),
        ]
        for auth, values, status, error in cases:
            with self.subTest(auth=auth, values=values):
                got = self.post("token", auth, **values)
                self.assertEqual((got[0], got[1]["error"]), (status, error), got)
                if status == 401:
                    self.assertTrue(self.headers["www-authenticate"].startswith("Basic"))
        self.assertEqual(self.post("token", None, **refresh, client_id=id, client_secret=secret)[0], 200)
        self.assertEqual(self.ask(tokens["access_token"], "device/list")[0], 200, "the errors ended nothing")

    def test_revoking(self):
        client, other = self.client(), self.client()
        tokens = self.link(client)
        self.assertEqual(self.post("revoke", self.basic(client))[1]["error"], "invalid_request")
        self.assertEqual(self.post("revoke", None, token=tokens["access_token"])[1]["error"], "invalid_client")
        self.assertEqual(self.post("revoke", self.basic(client), token="unknown")[0], 200)
        self.assertEqual(self.post("revoke", self.basic(other), token=tokens["refresh_token"])[0], 200)
        self.assertEqual(self.ask(tokens["access_token"], "device/list")[0], 200, "another client revokes nothing")
        self.assertEqual(self.post("revoke", self.basic(client), token=tokens["access_token"])[0], 200)
        self.assertEqual(self.code_of(tokens["access_token"], "device/list"), "InvalidToken")
        self.assertEqual(self.refresh(client, tokens["refresh_token"])[1]["error"], "invalid_grant")
        self.assertEqual(self.links(), [])

    def test_clients_are_checked_when_they_are_added(self):
        for arguments in (
                ("--redirect", "http://voice.example/", "--scope", "device"),
                ("--redirect", "https://voice.example/#x", "--scope", "device"),
                ("--redirect", "javascript:alert(1)", "--scope", "device"),
                ("--redirect", REDIRECT, "--scope", "events"), ("--redirect", REDIRECT, "--scope", "everything")):
            with self.subTest(arguments=arguments):
                done = self.world.service.cli("oauth", "add", fresh_id("c"), "--app", self.app, *arguments, check=False)
                self.assertNotEqual(done.returncode, 0)

    def test_a_code_and_a_refresh_token_sent_many_times_at_once(self):
        client = self.client()
        code = self.allow(self.page(client))["code"]

        def at_once(send):
            """Sends eight requests at the same time, and returns their answers."""
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                return [sent.result() for sent in [pool.submit(send) for _ in range(8)]]

        answers = at_once(lambda: self.exchange(client, code))
        won = [tokens for status, tokens in answers if status == 200]
        self.assertEqual((len(answers), len(won)), (8, 1), answers)
        self.assertEqual(self.code_of(won[0]["access_token"], "device/list"), "InvalidToken", "the replays ended the session")
        tokens = self.link(client)
        answers = at_once(lambda: self.refresh(client, tokens["refresh_token"]))
        self.assertEqual({status for status, _ in answers}, {200}, answers)
        self.assertEqual({self.ask(newer["access_token"], "device/list")[0] for _, newer in answers}, {200})
        for _ in range(3):
            newest = self.refresh(client, tokens["refresh_token"])[1]
        self.assertEqual(self.ask(tokens["access_token"], "device/list")[0], 401, "only the ten newest access tokens count")
        self.assertEqual(self.ask(newest["access_token"], "device/list")[0], 200)


class InABrowser(OAuth):
    def test_chromium_links_and_shows_the_page_in_no_frame(self):
        from browser import Browser as Chromium
        from axe_playwright_python.sync_playwright import Axe

        frames = {}

        class Client(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f'<iframe src="{frames["page"]}"></iframe>'.encode() if self.path == "/frame" else b"linked")

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Client)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        redirect = f"http://localhost:{server.server_port}/linked"
        client = self.client(redirects=(redirect,))
        frames["page"] = f"{self.issuer}/oauth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": client["clientId"], "redirect_uri": redirect, "state": "s"})
        browser = Chromium()
        self.addCleanup(browser.close)
        page = browser.page
        page.goto(frames["page"])
        faults = [fault["id"] for fault in Axe().run(page).response["violations"]]
        self.assertEqual(faults, [])
        page.fill("#account", self.name)
        page.fill("#country", COUNTRY)
        page.fill("#password", WRONG)
        page.click("text=Log in and allow")
        page.wait_for_selector(".error")
        page.fill("#password", PASSWORD)
        page.click("text=Log in and allow")
        page.wait_for_url(f"{redirect}?*")
        self.assertEqual(answer(page.url)["state"], "s")
        self.assertEqual(self.exchange(client, answer(page.url)["code"], redirect_uri=redirect)[0], 200)
        page.goto(f"http://localhost:{server.server_port}/frame")
        frame = next(one for one in page.frames if one != page.main_frame)
        self.assertEqual(frame.locator("#account").count(), 0)
        self.assertRegex("\n".join(browser.log()), "frame-ancestors|X-Frame-Options")


@postgres.on_file
class Moved(OwnWorld, OAuth):
    def goes_on(self, service):
        """Checks that the link still works on a service.

        The check doesn't end the link, so it can be repeated on another service."""
        self.port = service.http_port
        self.issuer, self.browser = f"http://127.0.0.1:{self.port}", Browser(self.port)
        self.assertEqual(self.ask(self.tokens["access_token"], "device/list")[0], 200)
        status, newer = self.refresh(self.made, self.tokens["refresh_token"])
        self.assertEqual(status, 200, newer)
        self.assertEqual(self.ask(newer["access_token"], "account/whoami")[1]["result"]["user"]["uid"], self.owner.uid)
        self.link(self.made)
        app_secret = self.world.apps[self.app]["secret"]
        for terminal in self.terminals:
            self.assertNotEqual(self.keep(Terminal(service.mqtt_port, self.app, app_secret, terminal)).connect(), 0)

    @postgres.installed
    def test_links_continue_after_a_restart_on_postgresql_and_from_a_backup(self):
        self.made = self.client()
        self.link(self.made)
        ended, = self.links()
        self.owner.get("session/unlink", {"sessionId": ended["sessionId"]})
        self.tokens = self.link(self.made)
        self.terminals = [ended["terminalId"], self.links()[0]["terminalId"]]
        first, folder = self.own.service, pathlib.Path(self.own.service.holder)
        first.cli("backup", str(folder / "one.backup"))
        first.stop()
        self.goes_on(first.start())
        self.assertEqual(first.stop()[0], 0)
        server = postgres.Server()
        self.addCleanup(server.close)
        store = server.make()
        rows = test_event_moving.Moved.migrate(self, "--data", first.data, "--to", store)
        self.assertEqual(rows["oauthClient"], 1)
        self.assertGreater(rows["oauthToken"], 4)
        moved = Service(arguments=SETTINGS, store=store)
        self.addCleanup(moved.close)
        test_event_moving.Moved.copy_secrets(first.data, moved.data)
        self.goes_on(moved.start())
        self.assertEqual(moved.stop()[0], 0)
        subprocess.run(
            [str(BINARY), "restore", str(folder / "one.backup"), "--data", str(folder / "restored")], env=ENVIRONMENT,
            capture_output=True, check=True, timeout=60)
        restored = Service(folder / "restored", SETTINGS)
        self.addCleanup(restored.close)
        self.goes_on(restored.start())


if __name__ == "__main__":
    unittest.main()
