"""Which pushes reach a sleeping terminal, and what each push service's answers cause."""

import os
import threading
import time
import unittest

import tools
from client import fresh_id
from harness import TOPICS, eventually
from pushservices import Apple, Google, WebPush
from test_event_log import Server
from world import Tool, World

SETTINGS = ["--set", "outbound.privateTargets=127.0.0.1", "--set", "limits.deliveryBackoff=1"]
RACES = int(os.environ.get("PUSH_RACES", "12"))
# A push that began before the logout can still arrive within this time after the logout.
UNDER_WAY = 0.25


class PushWorld(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tools.use()
        cls.google, cls.apple, cls.web = Google(), Apple(), WebPush()
        cls.world = World(watch=False, settings=SETTINGS)
        cls.addClassCleanup(cls.world.close)
        for service in (cls.google, cls.apple, cls.web):
            cls.addClassCleanup(service.close)
        cls.configure({"fcm": cls.google.settings(), "apns": cls.apple.settings(),
                       "webpush": {"subject": "mailto:push@example.org"}})
        cls.server = Server(cls.world, scope="notification").come()
        cls.addClassCleanup(cls.server.close)

    @classmethod
    def configure(cls, push):
        cls.world.import_app("test-app", {**cls.world.apps["test-app"], "push": push})

    def setUp(self):
        self.user = self.world.terminal()
        self.addCleanup(lambda: self.user.close())
        self.vapid_key = self.user.get("app/info")["push"]["vapidKey"]

    def subscribe(self, user=None):
        subscriber = self.web.subscribe()
        (user or self.user).get("notification/setPush", {"push": subscriber.push})
        return subscriber

    def set_push(self, kind):
        """Sets a new push address; returns the address."""
        address = fresh_id(kind)
        self.user.get("notification/setPush", {"push": {"kind": kind, "address": address}})
        return address

    def notify(self, text="Too hot", uid=None):
        """Notifies the test's own user, and waits until the notifier has decided about the notification.

        With `uid`, the method notifies that user instead, and doesn't wait."""
        def reasons():
            return [row["eventId"] for row in self.user.get("notification/explain")["reasons"]]
        before = [] if uid else reasons()
        self.server.get("notification/send", {"uid": uid or self.user.uid, "title": "Lamp", "text": text})
        if not uid:
            eventually(lambda: len(reasons()) > len(before))

    def push(self):
        """Returns session/list's facts about the push address, or None if there is no address."""
        return next(row.get("push") for row in self.user.get("session/list")["sessions"] if row["current"])

    def reason(self):
        """Returns the newest row of `notification/explain`, and the part of this row that concerns this terminal."""
        row = self.user.get("notification/explain", {"limit": 1})["reasons"][0]
        return row, next((end for end in row.get("terminals", []) if end["terminalId"] == self.user.terminal_id), None)

    def expect_end(self, outcome, *words, seconds=60):
        """Waits until the push has this outcome, with an error that contains these words."""
        eventually(lambda: (self.reason()[1] or {}).get("outcome") == outcome, seconds, lambda: f"{self.reason()}: that")
        _, end = self.reason()
        for word in words:
            self.assertIn(word, end["error"])
        return end


class WebPushes(PushWorld):
    def test_a_browser_reads_a_device_fault(self):
        subscriber = self.subscribe()
        lamp = self.world.device()
        self.addCleanup(lamp.close)
        self.user.bind(lamp)
        lamp.report(faults=[{"name": "sensor"}])
        eventually(lambda: len(subscriber.got(self.vapid_key)) == 1)
        push = self.web.of(subscriber.path)[0]
        self.assertEqual((push.headers["urgency"], push.headers["content-type"]), ("high", "application/octet-stream"))
        payload = subscriber.read(push, self.vapid_key)
        self.assertEqual((payload["type"], payload["did"]), ("device.fault", lamp.did))
        listed = self.user.get("notification/list")["notifications"][0]
        self.assertEqual({name: payload[name] for name in ("notificationId", "title", "text", "ts")},
                         {name: listed[name] for name in ("notificationId", "title", "text", "ts")})
        self.assertEqual(push.headers["topic"], payload["notificationId"])
        self.expect_end("pushed")
        self.assertIn("lastOkAt", self.push())
        self.assertEqual(self.user.get("app/info")["push"]["kinds"], ["fcm", "apns", "webpush", "gateway"])

    def test_an_address_that_is_gone_is_deleted(self):
        for status in (404, 410):
            with self.subTest(status):
                subscriber = self.subscribe()
                self.web.plans[subscriber.path] = [(status, b"", {})]
                self.notify()
                self.expect_end("failed", "gone")
                self.assertIsNone(self.push())
                self.notify("later")
                eventually(lambda: self.reason()[0]["outcome"] == "noAddress", 30, lambda: f"{self.reason()}: that")
                self.assertEqual(len(self.web.of(subscriber.path)), 1)

    def test_a_permanent_refusal_fails_the_push(self):
        subscriber = self.subscribe()
        self.web.plans[subscriber.path] = [(413, b"", {})]
        self.notify()
        self.expect_end("failed", "413")
        self.assertEqual(len(self.web.of(subscriber.path)), 1)
        self.assertIn("413", self.push()["error"])

    def test_a_refused_key_is_named_after_three_tries(self):
        subscriber = self.subscribe()
        self.web.plans[subscriber.path] = [(403, b"", {})] * 3
        self.notify()
        self.expect_end("failed", "403", "vapidKey")
        self.assertEqual(len(self.web.of(subscriber.path)), 3)

    def test_a_temporary_failure_is_repeated(self):
        for name, plan in (("an error", (500, b"", {})), ("a hint", (429, b"", {"Retry-After": 3})), ("a drop", "drop")):
            with self.subTest(name):
                subscriber = self.subscribe()
                self.web.plans[subscriber.path] = [plan]
                self.notify(name)
                eventually(lambda: len(subscriber.got(self.vapid_key)) == 1)
                first, second = self.web.of(subscriber.path)
                if name == "a hint":
                    self.assertGreaterEqual(second.at - first.at, 2.9)
                self.expect_end("pushed")

    def test_a_push_service_that_hangs_delays_only_its_own_pushes(self):
        slow, other = self.subscribe(), self.world.terminal()
        self.addCleanup(other.close)
        self.web.plans[slow.path] = ["hang"]
        quick = self.subscribe(other)
        self.notify("slow")
        eventually(lambda: len(self.web.of(slow.path)) == 1)
        start = time.monotonic()
        self.notify("quick", other.uid)
        eventually(lambda: len(quick.got(self.vapid_key)) == 1)
        self.assertLess(time.monotonic() - start, 10)
        eventually(lambda: len(slow.got(self.vapid_key)) == 1, 60)

    def test_a_long_text_fits(self):
        subscriber = self.subscribe()
        self.notify("😀" * 1000)
        eventually(lambda: len(subscriber.got(self.vapid_key)) == 1)
        text = subscriber.got(self.vapid_key)[0]["text"]
        self.assertTrue(text.endswith("😀…") and len(text) > 800, len(text))
        self.assertLessEqual(len(self.web.of(subscriber.path)[0].raw), 4096)

    def test_a_forbidden_address_is_refused(self):
        push = {**self.web.subscribe().push, "address": "http://127.0.0.2:1/push"}
        error = self.user.fail("notification/setPush", {"push": push})
        self.assertEqual((error["code"], error["field"]), ("InvalidRequest", "params.push.address"))

    def test_hidden_pushes_have_no_content(self):
        self.configure({"content": "hidden", "webpush": {}})
        self.addCleanup(self.configure, {"fcm": self.google.settings(), "apns": self.apple.settings()})
        subscriber = self.subscribe()
        lamp = self.world.device()
        self.addCleanup(lamp.close)
        self.user.bind(lamp)
        lamp.report(faults=[{"name": "sensor"}])
        eventually(lambda: len(subscriber.got(self.vapid_key)) == 1)
        payload = subscriber.got(self.vapid_key)[0]
        self.assertEqual(set(payload), {"notificationId", "type", "title", "text", "ts"})
        self.assertEqual((payload["title"], payload["text"]), ("test-app", ""))

    def test_a_test_push_returns_its_result(self):
        self.assertEqual(self.user.get("notification/test"), {"state": "noAddress"})
        subscriber = self.subscribe()
        self.assertEqual(self.user.get("notification/test"), {"state": "sent"})
        self.assertEqual(len(subscriber.got(self.vapid_key)), 1)
        self.web.plans[subscriber.path] = [(413, b"", {}), (410, b"", {})]
        answer = self.user.get("notification/test")
        self.assertEqual(answer["state"], "failed")
        self.assertIn("413", answer["error"])
        self.assertEqual(self.user.get("notification/test")["state"], "failed")
        self.assertIsNone(self.push())
        other = self.world.terminal("other-app")
        self.addCleanup(other.close)
        other.get("notification/setPush", {"push": {"kind": "fcm", "address": fresh_id("fcm")}})
        self.assertEqual(other.get("notification/test"), {"state": "notConfigured"})

    def test_nothing_is_pushed_after_a_logout_was_answered(self):
        """A terminal gets pushes while it logs out, and some of the pushes wait for another try."""
        rounds = []
        for round in range(RACES):
            user = self.world.terminal()
            subscriber = self.subscribe(user)
            if round % 2:
                self.web.plans[subscriber.path] = [(503, b"", {})]
            self.notify("before", user.uid)
            noise = threading.Thread(target=lambda: [self.notify(f"{n}", user.uid) for n in range(5)])
            noise.start()
            time.sleep(0.02 * (round % 8))
            user.get("account/logout")
            answered = time.monotonic()
            noise.join()
            user.close()
            rounds.append((subscriber.path, answered))
        # The longest wait before another try.
        time.sleep(3)
        for path, answered in rounds:
            self.assertEqual([push for push in self.web.of(path) if push.at > answered + UNDER_WAY], [])


class GooglePushes(PushWorld):
    def test_a_registration_token_gets_title_text_and_data(self):
        address = self.set_push("fcm")
        self.notify()
        eventually(lambda: len(self.google.taken(address)) == 1)
        message = self.google.of(address)[0].json["message"]
        listed = self.user.get("notification/list")["notifications"][0]
        self.assertEqual(message["notification"], {"title": "Lamp", "body": "Too hot"})
        self.assertEqual(message["data"], {
            "notificationId": listed["notificationId"], "type": listed["type"], "ts": str(listed["ts"])})
        self.assertEqual(message["android"]["notification"]["tag"], listed["notificationId"])
        self.expect_end("pushed")

    def test_an_access_token_is_renewed_when_it_is_refused(self):
        address = self.set_push("fcm")
        self.notify()
        eventually(lambda: len(self.google.taken(address)) == 1)
        self.google.tokens.clear()
        self.notify("again")
        eventually(lambda: len(self.google.taken(address)) == 2)

    def test_each_error_of_google(self):
        for error, outcome, words, isGone in (
                (self.google.error(404, "UNREGISTERED"), "failed", ["gone"], True),
                (self.google.error(404, "NOT_FOUND"), "failed", ["serviceAccount"], False),
                (self.google.error(403, "SENDER_ID_MISMATCH"), "failed", ["another Firebase project"], False),
                (self.google.error(400, "INVALID_ARGUMENT"), "failed", ["INVALID_ARGUMENT"], False),
                (self.google.error(503, "UNAVAILABLE"), "pushed", [], False),
                (self.google.error(429, "QUOTA_EXCEEDED"), "pushed", [], False)):
            with self.subTest(error[1]):
                address = self.set_push("fcm")
                times = 3 if "NOT_FOUND" in error[1].decode() else 1
                self.google.plans[address] = [error] * times
                self.notify()
                self.expect_end(outcome, *words)
                self.assertEqual(self.push() is None, isGone)

    def test_a_wrong_service_account_is_named(self):
        self.addCleanup(self.configure, {"fcm": self.google.settings(), "apns": self.apple.settings()})
        other = Google()
        self.addCleanup(other.close)
        settings = other.settings(token_uri=self.google.url + "/token")
        self.configure({"fcm": settings})
        self.set_push("fcm")
        self.notify()
        self.expect_end("failed", "invalid_grant", "push.fcm.serviceAccount")


class ApplePushes(PushWorld):
    def test_a_device_token_gets_an_alert(self):
        addresses = []
        for n in range(5):
            addresses.append(self.set_push("apns"))
            self.notify(f"{n}")
            eventually(lambda: len(self.apple.taken(addresses[-1])) == 1)
        push = self.apple.of(addresses[0])[0]
        listed = self.user.get("notification/list")["notifications"][-1]
        self.assertEqual(push.json["aps"]["alert"], {"title": "Lamp", "body": "0"})
        self.assertEqual((push.json["notificationId"], push.json["ts"]), (listed["notificationId"], listed["ts"]))
        self.assertEqual(push.headers["apns-collapse-id"], listed["notificationId"])
        self.assertEqual(len({self.apple.of(address)[0].headers["authorization"] for address in addresses}), 1)

    def test_each_error_of_apple(self):
        error = self.apple.error
        for answers, outcome, words, isGone in (
                ([error(410, "Unregistered")], "failed", ["gone"], True),
                ([error(400, "BadDeviceToken")], "failed", ["BadDeviceToken", "sandbox"], False),
                ([error(413, "PayloadTooLarge")], "failed", ["too long"], False),
                ([error(403, "InvalidProviderToken")] * 3, "failed", ["push.apns"], False),
                ([error(429, "TooManyRequests", retry_after=2)], "pushed", [], False),
                ([error(503, "ServiceUnavailable")], "pushed", [], False),
                ([error(403, "ExpiredProviderToken")], "pushed", [], False),
                (["drop"], "pushed", [], False), (["refuse"], "pushed", [], False)):
            with self.subTest(answers[0]):
                address = self.set_push("apns")
                self.apple.plans[address] = answers
                self.notify()
                self.expect_end(outcome, *words)
                self.assertEqual(self.push() is None, isGone)

    def test_a_connection_that_apple_ends_is_replaced(self):
        first, before = self.set_push("apns"), self.apple.connections
        self.apple.plans[first] = ["goaway"]
        self.notify()
        self.expect_end("pushed")
        second = self.set_push("apns")
        self.notify("again")
        self.expect_end("pushed")
        self.assertEqual((len(self.apple.of(first)), len(self.apple.of(second))), (1, 1))
        self.assertGreater(self.apple.connections, before)


class GatewayPushes(PushWorld):
    def test_a_gateway_handles_all_other_push_services(self):
        service = self.world.service.ready["service"]
        gateway = Tool(self.world.port, service["username"], service["password"], service["clientIdPrefix"] + "pushes")
        self.addCleanup(gateway.close)
        gateway.connect()
        gateway.subscribe(f"{TOPICS}/system/outbound/push")
        for answer, outcome in (({"ok": True}, "pushed"), ({"ok": False, "error": "expired", "gone": True}, "failed"),
                                ({"ok": False, "error": "no such token", "final": True}, "failed")):
            with self.subTest(answer):
                address = self.set_push("gateway")
                self.notify()
                message = gateway.expect(f"{TOPICS}/system/outbound/push", lambda body: body["to"] == address).body
                listed = self.user.get("notification/list")["notifications"][0]
                self.assertEqual((message["appId"], message["payload"]["notificationId"]),
                                 ("test-app", listed["notificationId"]))
                gateway.publish(f"{TOPICS}/system/outbound/result", {"messageId": message["messageId"], **answer})
                self.expect_end(outcome)
                self.assertEqual(self.push() is None, "gone" in answer)


if __name__ == "__main__":
    unittest.main()
