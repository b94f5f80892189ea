"""The Python client of clients/python against a running service, with both versions of paho."""

import asyncio
import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import accounts
import catalog
import pythonclient
from accounts import COUNTRY, PASSWORD, People, fresh_email, fresh_id, fresh_name, fresh_phone
from harness import ROOT, eventually
from provider import Provider
from pythonclient import Heard, stopped
from world import EndToEnd, OwnWorld

APP = "people"
PNG = b"\x89PNG\r\n\x1a\n"
WORDS = "Lämpchen 灯 💡 \u2028 \"quoted\""


class Generated(unittest.TestCase):
    def test_the_methods_are_up_to_date(self):
        done = subprocess.run(
            [sys.executable, str(ROOT / "clients" / "generate.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_push_has_its_kind(self):
        app = pythonclient.module("1.6").app
        known = {*(f"user/{{uid}}/{k}" for k in app.USER_KINDS),
                 *(f"user/{{uid}}/device/{{did}}/{k}" for k in app.DEVICE_KINDS),
                 *(f"app/{{appId}}/{{terminalId}}/{k}" for k in app.APP_KINDS)}
        known = {k.replace("/ended", "/session") for k in known}
        told = {c["address"] for c in catalog.channels().values() if c["who"] == "app" and c["action"] == "send"}
        answers = {"app/{appId}/{terminalId}/response", "app/{appId}/{terminalId}/http/{node}"}
        self.assertEqual(known, told - answers)


class Client(EndToEnd):
    """Tests with one version of paho, or over HTTP."""

    version, transport = "1.6", "tcp"

    def setUp(self):
        super().setUp()
        self.gateway = accounts.furnish(self.world)

    @property
    def client(self):
        return pythonclient.module(self.version)

    def make(self, app=APP, kind="App", **more):
        """Creates an app's terminal that isn't connected yet."""
        more = {"secret": self.world.apps[app]["secret"], **self.place, **more}
        return getattr(self.client, kind)(app, **more)

    @property
    def place(self):
        is_http = self.transport == "http"
        return {"port": self.world.service.http_port if is_http else self.world.port, "transport": self.transport}

    def app(self, app=APP, login=True, **more):
        made = self.make(app, **more).connect()
        self.addCleanup(made.close)
        if login:
            made.account.loginAnonymous(countryCode=COUNTRY)
        return made

    def bound(self, app):
        """Returns a switched-off device that the app's user has bound."""
        device = self.device()
        device.report(data={"power": False})
        app.device.bind(did=device.did, passcode=device.passcode)
        return device

    def code(self, app, purpose, **address):
        app.account.sendCode(countryCode=COUNTRY, purpose=purpose, **address)
        return self.gateway.taken(next(iter(address.values())))["params"]["code"]


class LoggingIn(Client):
    def assertIn_(self, app, result):
        self.assertEqual((app.credentials.token, app.credentials.uid), (result["token"], result["user"]["uid"]))
        self.assertEqual(app.account.whoami()["user"]["uid"], app.credentials.uid)

    def test_in_every_way(self):
        name, email, phone = fresh_name(), fresh_email(), fresh_phone()
        first = self.app(login=False)
        self.assertIn_(first, first.account.register(countryCode=COUNTRY, username=name, password=PASSWORD))
        second = self.app(login=False)
        code = self.code(second, "register", email=email)
        self.assertIn_(second, second.account.register(countryCode=COUNTRY, email=email, code=code, password=PASSWORD))
        third = self.app(login=False)
        code = self.code(third, "login", phone=phone)
        self.assertIn_(third, third.account.login(countryCode=COUNTRY, phone=phone, code=code))
        fourth = self.app(login=False)
        self.assertIn_(fourth, fourth.account.login(countryCode=COUNTRY, account=name, password=PASSWORD))
        self.assertIn_(fourth, fourth.account.login(countryCode=COUNTRY, email=email, password=PASSWORD))
        self.assertIn_(fourth, fourth.account.loginAnonymous(countryCode=COUNTRY))
        self.assertIn_(fourth, fourth.account.loginOrRegister(countryCode=COUNTRY, uid=fresh_id("own"), password=PASSWORD))

    def test_by_an_external_provider(self):
        provider = Provider()
        self.addCleanup(provider.close)
        self.world.import_app("people-client", {"providers": {
            "oidc:works": {"enabled": True, "clientIds": ["ours"], "issuer": provider.url + "/works"}}})
        app = self.app("people-client", login=False)
        token = provider.id_token(provider.url + "/works", "ours", fresh_id("sub"))
        result = app.account.loginWithProvider(
            countryCode=COUNTRY, provider="oidc:works", credential={"identityToken": token})
        self.assertIn_(app, result)

    def test_a_refusal_has_its_reason(self):
        app = self.app()
        with self.assertRaises(self.client.LamplighterError) as caught:
            app.device.status(did="d-none")
        self.assertEqual((caught.exception.code, caught.exception.field), ("NotBound", "params.did"))

    def test_a_wrong_secret_is_refused(self):
        made = self.make(secret="a wrong secret 1234567890")
        self.assertRaisesRegex(self.client.ConnectionRefused, "the app's id or its secret is wrong", made.connect)

    def test_by_mqtt_3_1_1(self):
        app = self.app(mqtt5=False)
        device = self.bound(app)
        self.assertEqual(Heard(app, "status", device.did).next().body["data"], {"power": False})
        made = self.make(secret="a wrong secret 1234567890", mqtt5=False)
        self.assertRaises(self.client.ConnectionRefused, made.connect)


class Devices(Client):
    def test_statuses_events_and_the_outcome_of_a_command(self):
        app = self.app()
        device = self.bound(app)
        statuses, events, outcomes = Heard(app, "status"), Heard(app, "event", device.did), Heard(app, "command")

        def obey():
            command = device.command()
            device.send(cid=command.body["cid"], data=command.body["data"])
        with ThreadPoolExecutor() as pool:
            obeyed = pool.submit(obey)
            outcome = app.control(device.did, {"power": True}, sn=7)
            obeyed.result()
        self.assertEqual((outcome["state"], outcome["data"], outcome["sn"]), ("done", {"power": True}, 7))
        self.assertEqual(outcomes.next().body["cid"], outcome["cid"])
        statuses.next(lambda push: push.did == device.did and push.body["data"]["power"])
        self.assertEqual(app.statuses[device.did]["data"]["power"], True)
        device.report(alerts=[{"name": "smoke"}])
        self.assertEqual(events.next(lambda push: push.body["type"] == "alert").body["name"], "smoke")
        app.device.unbind(did=device.did)
        statuses.next(lambda push: push.body is None)
        self.assertNotIn(device.did, app.statuses)

    def test_a_device_that_fails_and_one_that_is_away(self):
        app = self.app()
        device = self.bound(app)

        def fail():
            device.send(cid=device.command().body["cid"], code=17)
        with ThreadPoolExecutor() as pool:
            pool.submit(fail)
            outcome = app.control(device.did, {"power": True})
        self.assertEqual((outcome["state"], outcome["code"]), ("failed", 17))
        device.close()
        eventually(lambda: not app.device.status(did=device.did)["online"], what="offline")
        with self.assertRaises(self.client.LamplighterError) as caught:
            app.control(device.did, {"power": True})
        self.assertEqual(caught.exception.code, "DeviceOffline")

    def test_a_handler_may_make_requests_and_may_fail(self):
        app = self.app()
        answers, failures = [], []
        hook, threading.excepthook = threading.excepthook, failures.append
        self.addCleanup(setattr, threading, "excepthook", hook)

        def fail(_push):
            raise KeyError("a fault of the app's own")
        app.on("status", fail)
        app.on("status", lambda push: answers.append(app.device.hardware(did=push.did)))
        self.bound(app)
        eventually(lambda: answers, what="the handler's answer")
        self.assertTrue(failures)

    def test_ended_subscriptions_deliver_nothing(self):
        app, heard = self.app(), []
        self.assertRaises(ValueError, app.on, "stati", heard.append)
        remove = app.on("status", heard.append)
        remove()
        late = Heard(app, "status")
        self.bound(app)
        late.next()
        self.assertEqual(heard, [])


class Sizes(Client):
    def test_large_payloads_and_every_letter(self):
        app = self.app()
        picture = base64.b64encode(PNG + b"\x00" * 44_000).decode()
        self.assertTrue(app.account.setAvatar(data=picture)["avatarUrl"])
        user = app.account.updateProfile(nickname=WORDS, custom={"long": "灯" * 4000})["user"]
        self.assertEqual((user["nickname"], user["custom"]["long"]), (WORDS, "灯" * 4000))
        self.assertEqual(app.account.whoami()["user"]["nickname"], WORDS)

    def test_oversized_messages_are_refused_before_they_are_sent(self):
        app = self.app()
        self.assertRaises(ValueError, app.account.updateProfile, remark="x" * 70_000)
        self.assertTrue(app.account.whoami())


class Sessions(Client):
    def test_it_continues_with_the_tokens_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "terminal.json"
            first = self.app(store=str(store))
            self.assertEqual(store.stat().st_mode & 0o777, 0o600)
            device, token = self.bound(first), first.credentials.token
            first.close()
            again = self.app(store=str(store), login=False)
            self.assertEqual((again.terminal_id, again.credentials.token), (first.terminal_id, token))
            Heard(again, "status", device.did).next()
            again.account.logout()
            self.assertIsNone(json.loads(store.read_text())["credentials"])

    def test_without_its_token_it_continues_as_a_new_terminal(self):
        app = self.app()
        app.account.whoami()
        app.close()
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "terminal.json"
            again = self.app(login=False, terminal_id=app.terminal_id, store=str(store))
            self.assertNotEqual(again.terminal_id, app.terminal_id)
            self.assertEqual(json.loads(store.read_text())["terminalId"], again.terminal_id)
            again.account.loginAnonymous(countryCode=COUNTRY)
            self.assertTrue(again.account.whoami())

    def test_a_repeated_logout_succeeds_once(self):
        app = self.app()
        app.submit("account/logout", id="first")
        self.assertEqual(app.submit("account/logout", id="second").result(), {})
        self.assertIsNone(app.credentials)
        # If the session has already ended for another reason, a logout raises an error.
        app.account.loginAnonymous(countryCode=COUNTRY)
        self.world.service.cli("session", "terminate", app.credentials.sessionId)
        with self.assertRaises(self.client.LamplighterError) as caught:
            app.account.logout()
        self.assertEqual((caught.exception.code, app.credentials), ("InvalidToken", None))

    def test_the_secret_in_place_of_the_token_ends_no_session(self):
        app = self.app()
        session = app.credentials
        app.close()
        again = self.make(credentials=session)
        again._refused = 1  # as after a temporary refusal
        ended = Heard(again, "ended")
        again.connect()
        self.addCleanup(again.close)
        self.assertEqual(again.account.whoami()["user"]["uid"], session.uid)
        self.assertEqual((again.credentials, ended.pushes), (session, []))

    def test_a_logout_is_noticed_and_the_terminal_logs_in_again(self):
        app = self.app()
        ended, session = Heard(app, "ended"), app.credentials
        app.account.logout()
        self.assertEqual(ended.next().body["reason"], "loggedOut")
        self.assertIsNone(app.credentials)
        result = app.account.loginAnonymous(countryCode=COUNTRY)
        self.assertNotEqual(result["sessionId"], session.sessionId)
        self.assertTrue(app.account.whoami())
        self.assertEqual(ended.pushes, [])

    def test_the_end_by_another_terminal_is_noticed(self):
        app = self.app()
        ended = Heard(app, "ended")
        self.world.service.cli("session", "terminate", app.credentials.sessionId)
        self.assertEqual(ended.next().body["reason"], "operator")
        self.assertIsNone(app.credentials)
        # The broker ends the connection, and the client reconnects with the app's secret.
        self.assertEqual(app.app.info()["name"], APP)

    def test_the_end_while_disconnected_is_noticed(self):
        app = self.app()
        session = app.credentials
        app.close()
        self.world.service.cli("session", "terminate", session.sessionId)
        again = self.make(credentials=session)
        ended = Heard(again, "ended")
        again.connect()
        self.addCleanup(again.close)
        self.assertEqual(ended.next().body["sessionId"], session.sessionId)
        self.assertIsNone(again.credentials)
        self.assertEqual(again.app.info()["name"], APP)

    def test_a_refreshed_token_is_used(self):
        app = self.app()
        old = app.credentials.token
        app.ask("session/refresh")
        self.assertNotEqual(app.credentials.token, old)
        self.assertTrue(app.account.whoami())

    def test_a_closed_app_does_not_answer(self):
        app = self.app()
        app.close()
        app.close()
        self.assertRaises(ConnectionError, app.account.whoami)


class Repeats(Client):
    def test_a_request_is_repeated_and_has_its_effect_once(self):
        app = self.app(repeat_after=0.5)
        # A worker that was stopped gets its lanes back after a moment. Until then, it refuses requests.
        eventually(lambda: app.submit("home/list", {}).exception(10) is None)
        with stopped(self.world.service.process):
            future = app.submit("home/create", {"name": WORDS})
            if self.transport == "http":
                time.sleep(3)  # Over HTTP, no repeats are sent while the first request waits for its answer.
            else:
                self.world.watcher.wait(lambda: len(self.asked(app)) >= 3, 20, "three of the same")
            self.assertFalse(future.done(), future.done() and (future.exception() or future.result()))
        home = future.result(20)["homeId"]
        self.assertEqual([h["homeId"] for h in app.home.list()["homes"]], [home])
        self.assertEqual(len(set(self.asked(app))), 1)

    def asked(self, app):
        """Returns the ids of the requests that were sent."""
        return [m.body["id"] for m in self.world.watcher.everything
                if m.topic.endswith(f"{app.terminal_id}/request/home/create")]

    def test_a_timeout_is_reported_and_the_request_can_be_repeated(self):
        app = self.app(repeat_after=0.5)
        with stopped(self.world.service.process):
            self.assertRaises(TimeoutError, app.ask, "home/create", {"name": "late"}, id="late-1", timeout=2)
        eventually(lambda: app.submit("home/list", {}).exception(10) is None)
        home = app.ask("home/create", {"name": "late"}, id="late-1")["homeId"]
        self.assertEqual([h["homeId"] for h in app.home.list()["homes"]], [home])


class Servers(Client):
    """A maker's server with an API key."""

    def server(self, *scopes, **more):
        made = self.world.service.json("key", "add", fresh_id("server"), "--app", APP, "--scope", *scopes)
        return self.client.Server(f"http://127.0.0.1:{self.world.service.http_port}", made["key"], **more)

    def test_it_asks_for_users(self):
        app = self.app()
        device = self.bound(app)
        server = self.server("device", "account:read")
        user = server.of(app.credentials.uid)
        self.assertEqual([row["did"] for row in user.device.list()["devices"]], [device.did])
        self.assertEqual(user.account.whoami()["user"]["uid"], app.credentials.uid)
        for ask, code, field in ((lambda: server.of("u-none").device.list(), "ResourceNotFound", "uid"),
                                 (user.home.list, "Forbidden", None), (server.events.subscriptions, "Forbidden", None)):
            with self.assertRaises(self.client.LamplighterError) as caught:
                ask()
            self.assertEqual((caught.exception.code, caught.exception.field), (code, field))

    def test_it_follows_events_and_continues_at_its_cursor(self):
        server = self.server("events")
        made = server.events.subscribe(name="reader", types=["device.*"])["subscriptionId"]
        seen = []
        for turn in range(2):
            device = self.device()
            for event in server.follow(made):
                seen.append(event["id"])
                if (event["type"], event["did"]) == ("device.online", device.did):
                    break
            # The next reader gets the last page again, because the first reader didn't acknowledge it.
            self.assertIn(seen[-1], [event["id"] for event in server.events.read(subscriptionId=made)["events"]])
        server.ask("events/unsubscribe", {"subscriptionId": made})
        self.assertRaises(self.client.LamplighterError, next, server.follow(made))

    def test_an_unanswered_request_is_repeated_and_takes_effect_once(self):
        app = self.app()
        server = self.server("home", timeout=2)
        with stopped(self.world.service.process):
            self.assertRaises(TimeoutError, server.ask, "home/create", {"name": "late"}, uid=app.credentials.uid, id="late-1")
        eventually(lambda: app.submit("home/list", {}).exception(10) is None)
        home = server.ask("home/create", {"name": "late"}, uid=app.credentials.uid, id="late-1", timeout=20)["homeId"]
        self.assertEqual([h["homeId"] for h in app.home.list()["homes"]], [home])
        away = self.client.Server("http://127.0.0.1:1", "llk_none", timeout=2)
        self.assertRaises(TimeoutError, away.events.subscriptions)
        self.assertRaises(ValueError, self.client.Server, "127.0.0.1:8080", "llk_none")


class Asynchronous(Client):
    def test_requests_are_awaited_and_pushes_iterated(self):
        asyncio.run(self.scene())

    async def scene(self):
        async with self.make(kind="AsyncApp") as app:
            await app.account.loginAnonymous(countryCode=COUNTRY)
            device = await asyncio.to_thread(self.device)
            await app.device.bind(did=device.did, passcode=device.passcode)
            lists = await asyncio.gather(*(app.device.list() for _ in range(5)))
            self.assertEqual([one["total"] for one in lists], [1] * 5)
            await asyncio.to_thread(device.report, data={"power": True})
            async for push in app.watch("status", device.did):
                if push.body["data"].get("power"):
                    break
            with self.assertRaises(asyncio.TimeoutError):
                with stopped(self.world.service.process):
                    await asyncio.wait_for(app.device.list(), 0.5)
            self.assertEqual((await app.device.list())["total"], 1)
            with self.assertRaises(self.client.LamplighterError):
                await app.device.status(did="d-none")


class Reconnecting(OwnWorld, Client):
    def test_the_broker_comes_back(self):
        app = self.app()
        device = self.device(reconnect=True)
        app.device.bind(did=device.did, passcode=device.passcode)
        statuses = Heard(app, "status")
        self.own.service.kill_broker()
        eventually(lambda: not app.is_connected, 10, "the connection's end")
        # If a request is made without a connection, it is answered after the app has reconnected.
        self.assertEqual(app.account.whoami()["user"]["uid"], app.credentials.uid)
        device.wait(lambda: device.connected, 30, "the device's return")
        eventually(lambda: device.report(data={"power": True})["ok"], 30, "a report")
        statuses.next(lambda push: push.body["data"].get("power"), 30)

    def test_a_session_that_ends_while_the_broker_is_away(self):
        app = self.app()
        ended, session = Heard(app, "ended"), app.credentials
        self.own.service.kill()
        self.own.service.cli("session", "terminate", session.sessionId)
        self.own.service.start()
        self.assertEqual(ended.next(seconds=30).body["sessionId"], session.sessionId)
        self.assertEqual(app.app.info()["name"], APP)


def over_http(case):
    """Returns the same tests over HTTP, except two tests.

    One of these tests needs MQTT 3.1.1. In the other test, the client uses the secret in place of the token. Over HTTP,
    the client uses its token right after a login. From then on, the service refuses the secret.
    """
    others = dict.fromkeys(("test_by_mqtt_3_1_1", "test_the_secret_in_place_of_the_token_ends_no_session"))
    return type(f"{case.__name__}OverHTTP", (case,), {"transport": "http", **others})


LoggingInOverHTTP, DevicesOverHTTP, SizesOverHTTP = map(over_http, (LoggingIn, Devices, Sizes))
SessionsOverHTTP, RepeatsOverHTTP = map(over_http, (Sessions, Repeats))
AsynchronousOverHTTP, ReconnectingOverHTTP = map(over_http, (Asynchronous, Reconnecting))


def of_version_2(case):
    """Returns the same tests on paho 2."""
    return type(f"{case.__name__}OnPaho2", (case,), {"version": "2.1"})


LoggingInOnPaho2, DevicesOnPaho2, SizesOnPaho2 = map(of_version_2, (LoggingIn, Devices, Sizes))
SessionsOnPaho2, RepeatsOnPaho2 = map(of_version_2, (Sessions, Repeats))
AsynchronousOnPaho2, ReconnectingOnPaho2 = map(of_version_2, (Asynchronous, Reconnecting))
del People, Client

if __name__ == "__main__":
    unittest.main()
