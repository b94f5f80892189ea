"""Sessions: their beginning, use and end."""

import json
import time
import unittest

from client import Terminal, fresh_did, fresh_id, fresh_terminal, now
from harness import SECOND, TOPICS
from world import EndToEnd


class Login(EndToEnd):
    def test_an_anonymous_login_makes_a_user(self):
        terminal = self.terminal(login=False)
        result = terminal.login()
        user = result["user"]
        self.assertTrue(result["isNew"] and user["anonymous"])
        self.assertEqual((user["appId"], user["countryCode"]), ("test-app", "49"))
        self.assertRegex(user["uid"], r"^u-[a-z0-9]{13}$")
        self.assertLess(abs(result["expiresAt"] - now() - 7 * 86_400_000), 60_000)

    def test_the_same_device_id_is_the_same_user(self):
        secret = fresh_id("installation-secret-")
        one = self.terminal(login=False)
        first = one.login(secret)
        two = self.terminal(login=False)
        second = two.login(secret)
        self.assertEqual(first["user"]["uid"], second["user"]["uid"])
        self.assertEqual((first["isNew"], second["isNew"]), (True, False))
        self.assertNotEqual(first["token"], second["token"])
        told = one.expect(f"user/{one.uid}/session", lambda b: b["type"] == "terminalLoggedIn").body
        self.assertEqual((told["terminalId"], told["platform"]), (two.terminal_id, "test"))

    def test_without_a_device_id_each_login_creates_a_user(self):
        self.assertNotEqual(self.terminal().uid, self.terminal().uid)

    def test_a_device_id_has_no_meaning_in_another_app(self):
        secret = fresh_id("installation-secret-")
        one, two = self.terminal(device_id=secret), self.terminal("other-app", device_id=secret)
        self.assertNotEqual(one.uid, two.uid)

    def test_whoami_returns_the_user_and_the_session(self):
        terminal = self.terminal()
        result = terminal.get("account/whoami")
        self.assertEqual(result["user"]["uid"], terminal.uid)
        self.assertEqual(
            (result["session"]["sessionId"], result["session"]["terminalId"]),
            (terminal.session_id, terminal.terminal_id))
        self.assertNotIn(terminal.token, json.dumps(result))

    def test_a_second_login_on_the_terminal_replaces_the_first(self):
        secret = fresh_id("installation-secret-")
        one, other = self.terminal(device_id=secret), self.terminal(device_id=secret)
        old = one.token
        one.login(secret)
        error = self.assertError(one.ask("account/whoami", token=old), "InvalidToken")
        self.assertEqual(error.get("reason"), "replaced")
        told = other.expect(f"user/{other.uid}/session", lambda b: b["type"] == "terminalLoggedOut").body
        self.assertEqual((told["terminalId"], told["reason"]), (one.terminal_id, "replaced"))
        one.get("account/whoami")

    def test_another_users_login_on_the_terminal_ends_access_to_the_first_users_topics(self):
        terminal = self.terminal()
        old = terminal.uid
        terminal.login()
        self.assertNotEqual(terminal.uid, old)
        self.assertGreaterEqual(terminal.subscribe(f"{TOPICS}/user/{old}/#"), 0x80)
        self.assertEqual(terminal.subscribe(f"{TOPICS}/user/{terminal.uid}/#"), 1)


class Tokens(EndToEnd):
    METHODS = ["account/whoami", "account/logout", "device/bind", "device/unbind", "device/list",
               "device/subscribe", "device/status", "device/control"]

    def test_every_other_method_requires_a_token(self):
        terminal = self.terminal(login=False)
        for method in self.METHODS:
            for token in (None, "nonsense", "x" * 256):
                with self.subTest(method=method, token=token):
                    params = {"did": fresh_did(), "passcode": "123456", "subscribed": True, "data": {"x": 1}}
                    self.assertError(terminal.ask(method, params, token=token), "InvalidToken")

    def test_a_token_from_another_terminal_is_refused(self):
        owner, thief = self.terminal(), self.terminal()
        self.assertError(thief.ask("account/whoami", token=owner.token), "InvalidToken")
        owner.get("account/whoami")

    def test_a_token_from_another_app_is_refused(self):
        owner = self.terminal()
        other = self.terminal("other-app", login=False)
        self.assertError(other.ask("account/whoami", token=owner.token), "InvalidToken")

    def test_it_is_the_terminals_password_while_the_session_lives(self):
        terminal = self.terminal()
        second = self.keep(Terminal(
            self.world.port, "test-app", terminal.token, terminal_id=terminal.terminal_id)).come()
        self.assertEqual(second.subscribe(f"{TOPICS}/user/{terminal.uid}/#"), 1)
        second.get("account/whoami", token=terminal.token)
        third = Terminal(
            self.world.port, "test-app", self.world.apps["test-app"]["secret"], terminal_id=terminal.terminal_id)
        self.assertIn(third.connect(), (0x86, 0x87), "the app's secret does not connect as it")
        self.assertTrue(second.connected)

    def test_it_is_not_a_password_for_another_terminal(self):
        terminal = self.terminal()
        stranger = Terminal(self.world.port, "test-app", terminal.token, terminal_id=fresh_terminal())
        self.assertIn(stranger.connect(), (0x86, 0x87))


class Logout(EndToEnd):
    def test_the_token_is_invalid_at_once_with_the_reason(self):
        terminal = self.terminal()
        terminal.get("account/logout")
        answer = self._later(terminal).ask("account/whoami", token=terminal.token)
        self.assertEqual(self.assertError(answer, "InvalidToken").get("reason"), "loggedOut")

    def test_the_terminal_is_told_and_cut_off_within_a_second(self):
        device, terminal = self.pair()
        terminal.get("account/logout")
        began = time.monotonic()
        told = terminal.expect("/session", lambda b: b["type"] == "sessionInvalid").body
        self.assertEqual((told["sessionId"], told["reason"]), (terminal.session_id, "loggedOut"))
        terminal.wait_lost()
        self.assertLess(time.monotonic() - began, SECOND + 0.5)
        later = self._later(terminal)
        self.assertGreaterEqual(later.subscribe(f"{TOPICS}/user/{terminal.uid}/#"), 0x80)

    def test_no_status_arrives_afterwards(self):
        device, terminal = self.pair()
        terminal.get("account/logout")
        ended = time.monotonic()
        for i in range(30):
            device.report(data={"count": i})
            if not terminal.connected:
                break
            time.sleep(0.05)
        late = [m for m in terminal.everything if m.leaf == "status" and m.at > ended + 1]
        self.assertEqual(late, [])

    def test_the_sessions_will_is_not_published(self):
        id = fresh_terminal()
        will = (f"{TOPICS}/app/test-app/{id}/request/account/nonsense", {"id": "will"})
        terminal = self.terminal(terminal_id=id, will=will)
        self.world.watcher.clear()
        terminal.get("account/logout")
        terminal.wait_lost()
        self.terminal().get("account/whoami")
        self.assertEqual(
            [m for m in self.world.watcher.unread("/account/nonsense") if id in m.topic], [])

    def test_the_users_other_terminals_are_told_and_stay(self):
        secret = fresh_id("installation-secret-")
        one, two = self.terminal(device_id=secret), self.terminal(device_id=secret)
        two.get("account/logout")
        told = one.expect(f"user/{one.uid}/session", lambda b: b["type"] == "terminalLoggedOut").body
        self.assertEqual((told["terminalId"], told["reason"]), (two.terminal_id, "loggedOut"))
        one.get("account/whoami")

    def test_afterwards_the_app_secret_connects_again_and_a_login_works(self):
        secret = fresh_id("installation-secret-")
        terminal = self.terminal(device_id=secret)
        uid = terminal.uid
        terminal.get("account/logout")
        later = self._later(terminal)
        later.login(secret)
        self.assertEqual(later.uid, uid)

    def test_a_report_after_the_logout_is_kept_for_the_next_login(self):
        secret = fresh_id("installation-secret-")
        terminal, device = self.terminal(device_id=secret), self.device()
        terminal.bind(device)
        terminal.get("account/logout")
        device.report(data={"power": True})
        later = self._later(terminal)
        later.login(secret)
        self.assertEqual(later.status(device)["data"], {"power": True})

    def _later(self, terminal):
        """Reconnects the same terminal with the app's secret."""
        if terminal.connected:
            terminal.wait_lost()
        return self.terminal(login=False, terminal_id=terminal.terminal_id)


class SessionsEndedFromOutside(EndToEnd):
    def test_a_notice_ends_the_session_once(self):
        secret = fresh_id("installation-secret-")
        one, two = self.terminal(device_id=secret), self.terminal(device_id=secret)
        self.world.watcher.publish(f"{TOPICS}/system/session-invalid", {
            "noticeId": fresh_id(), "sessionId": one.session_id, "reason": "operator", "ts": now(),
            "actor": {"kind": "operator", "id": "test"}})
        told = one.expect("/session", lambda b: b["type"] == "sessionInvalid").body
        self.assertEqual((told["reason"], told["actor"]["kind"]), ("operator", "operator"))
        one.wait_lost()
        two.expect(f"user/{two.uid}/session", lambda b: b["type"] == "terminalLoggedOut")
        two.get("account/whoami")

    def test_a_notice_older_than_the_session_has_no_effect(self):
        terminal = self.terminal()
        self.world.watcher.publish(f"{TOPICS}/system/session-invalid", {
            "noticeId": fresh_id(), "uid": terminal.uid, "reason": "operator", "ts": now() - 60_000,
            "actor": {"kind": "operator", "id": "test"}})
        marker = self.terminal()
        self.world.watcher.publish(f"{TOPICS}/system/session-invalid", {
            "noticeId": fresh_id(), "uid": marker.uid, "reason": "operator", "ts": now(),
            "actor": {"kind": "operator", "id": "test"}})
        marker.expect("/session", lambda b: b["type"] == "sessionInvalid")
        terminal.get("account/whoami")

    def test_a_notice_about_a_user_excludes_the_terminal_it_names(self):
        secret = fresh_id("installation-secret-")
        one, two = self.terminal(device_id=secret), self.terminal(device_id=secret)
        self.world.watcher.publish(f"{TOPICS}/system/session-invalid", {
            "noticeId": fresh_id(), "uid": one.uid, "exceptTerminalId": two.terminal_id,
            "reason": "passwordChanged", "ts": now(), "actor": {"kind": "user", "id": one.uid}})
        one.expect("/session", lambda b: b["type"] == "sessionInvalid" and b["reason"] == "passwordChanged")
        one.wait_lost()
        two.get("account/whoami")


if __name__ == "__main__":
    unittest.main()
