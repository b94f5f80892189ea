"""Users list and refresh their sessions, and end them with a logout code."""

import time
import unittest

from accounts import (
    COUNTRY, PASSWORD, WRONG, People, Terminal, fresh_email, fresh_name, fresh_phone, parallel, succeeded)
from client import Terminal, fresh_terminal, now
from harness import TOPICS

SEVEN_DAYS = 7 * 86_400_000


class Listing(People):
    app = "people-4"

    def test_the_live_terminals_of_the_account(self):
        owner = self.register(platform="phone", os="Android 16", name="mine")
        other = self.stranger()
        self.login(other, username=owner.user["username"], platform="tablet")
        self.register()
        rows = {row["terminalId"]: row for row in owner.get("session/list")["sessions"]}
        self.assertEqual(set(rows), {owner.terminal_id, other.terminal_id})
        mine, other_row = rows[owner.terminal_id], rows[other.terminal_id]
        self.assertEqual((mine["platform"], mine["os"], mine["name"], mine["current"]),
                         ("phone", "Android 16", "mine", True))
        self.assertEqual((other_row["platform"], other_row["current"]), ("tablet", False))
        self.assertLess(abs(other_row["loginTime"] - now()), 60_000)
        self.assertGreaterEqual(other_row["lastSeenAt"], other_row["loginTime"])
        self.assertNotIn(owner.token, str(rows))
        other.get("account/logout")
        self.assertEqual(len(owner.get("session/list")["sessions"]), 1)

    def test_every_method_requires_a_token(self):
        terminal = self.stranger()
        for method in ("list", "logoutCode", "terminate", "terminateOthers", "refresh"):
            with self.subTest(method=method):
                self.assertError(terminal.ask(f"session/{method}"), "InvalidToken")


class LogoutCodes(People):
    app = "people-4"

    def ask(self, terminal, **more):
        return terminal.ask("session/logoutCode", {"countryCode": COUNTRY, **more})

    def test_by_a_code_to_the_email(self):
        owner = self.register(email=fresh_email())
        code = self.code(owner, "logoutTerminal", email=owner.user["email"])
        answer = self.ask(owner, userName=owner.user["email"], accountType="email", verifyType="authCode",
                          authCode=code)
        self.assertEqual(answer["result"]["expiresIn"], 300)

    def test_by_a_code_and_by_the_password_of_a_phone(self):
        phone = fresh_phone()
        owner = self.register(phone=phone)
        code = self.code(owner, "logoutTerminal", phone=phone)
        self.assertTrue(self.ask(owner, userName=phone, accountType="phone", verifyType="authCode",
                                 authCode=code)["ok"])
        for more in ({}, {"ifencrypt": 1}, {"ifencrypt": 0}):
            with self.subTest(more=more):
                self.assertTrue(self.ask(owner, userName=phone, accountType="phone", verifyType="password",
                                         password=PASSWORD, **more)["ok"])

    def test_refused(self):
        phone, email = fresh_phone(), fresh_email()
        owner = self.register(phone=phone)
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": email, "code": self.code(owner, "bind", email=email)})
        by_password = {"userName": phone, "accountType": "phone", "verifyType": "password", "password": PASSWORD}
        by_code = {"userName": email, "accountType": "email", "verifyType": "authCode", "authCode": "123456"}
        for why, more, code, field in (
                ("password by e-mail", {**by_password, "userName": email, "accountType": "email"},
                 "InvalidRequest", "verifyType"),
                ("both given", {**by_password, "authCode": "123456"}, "InvalidRequest", "authCode"),
                ("both given", {**by_code, "password": PASSWORD}, "InvalidRequest", "password"),
                ("encrypted code", {**by_code, "ifencrypt": 1}, "InvalidRequest", "ifencrypt"),
                ("odd ifencrypt", {**by_password, "ifencrypt": 2}, "InvalidRequest", "ifencrypt"),
                ("another type", {**by_code, "accountType": "username"}, "InvalidRequest", "accountType"),
                ("another way", {**by_code, "verifyType": "face"}, "InvalidRequest", "verifyType"),
                ("no name", {**by_code, "userName": None}, "InvalidRequest", "userName"),
                ("no code", {**by_code, "authCode": None}, "InvalidRequest", "authCode"),
                ("no password", {**by_password, "password": None}, "InvalidRequest", "password"),
                ("wrong code", by_code, "InvalidCode", None),
                ("wrong password", {**by_password, "password": WRONG}, "InvalidCredentials", None)):
            with self.subTest(why=why):
                answer = self.ask(owner, **more)
                if why == "password by e-mail":
                    self.assertError(answer, code)
                else:
                    self.assertError(answer, code, field)

    def test_of_another_account_are_refused(self):
        owner, other = self.register(phone=fresh_phone()), self.register(phone=fresh_phone())
        phone = other.user["phone"].removeprefix("+" + COUNTRY)
        answer = self.ask(owner, userName=phone, accountType="phone", verifyType="password", password=PASSWORD)
        self.assertOneOf(answer, "InvalidCredentials", "Forbidden", "InvalidRequest")
        code = self.code(other, "logoutTerminal", phone=phone)
        answer = self.ask(owner, userName=phone, accountType="phone", verifyType="authCode", authCode=code)
        self.assertOneOf(answer, "InvalidCode", "InvalidCredentials", "Forbidden", "InvalidRequest")

    def test_guessing_the_password_is_limited(self):
        phone = fresh_phone()
        owner = self.register(phone=phone)
        codes = [self.ask(owner, userName=phone, accountType="phone", verifyType="password",
                          password=WRONG)["error"]["code"] for _ in range(11)]
        self.assertEqual(codes, ["InvalidCredentials"] * 10 + ["TooManyRequests"])


class Terminating(People):
    app = "people-4"

    def prepare(self, others=1):
        email = fresh_email()
        owner = self.register(email=email)
        return owner, [self.login(email=email) for _ in range(others)], email

    def test_the_terminated_terminal_is_told_and_cut_off_and_the_others_are_told(self):
        owner, (one, two), email = self.prepare(2)
        code = self.logout_code(owner, email=email)
        result = owner.get("session/terminate", {"terminalId": one.terminal_id, "logoutCode": code})
        self.assertEqual(result["terminated"], one.terminal_id)
        self.assertEnded(one, "terminated")
        for terminal in (owner, two):
            told = terminal.expect(f"user/{owner.uid}/session", lambda b: b["type"] == "terminalLoggedOut").body
            self.assertEqual((told["terminalId"], told["reason"]), (one.terminal_id, "terminated"))
            self.assertEqual((told["actor"]["kind"], told["actor"]["id"]), ("user", owner.uid))
        self.whoami(two)
        self.assertError(owner.ask("session/terminate", {
            "terminalId": two.terminal_id, "logoutCode": code}), "InvalidCode")

    def test_an_unknown_terminal_does_not_use_up_the_code(self):
        owner, (other,), email = self.prepare()
        stranger = self.register()
        code = self.logout_code(owner, email=email)
        for terminal in (fresh_terminal(), stranger.terminal_id):
            self.assertError(owner.ask("session/terminate", {"terminalId": terminal, "logoutCode": code}),
                             "ResourceNotFound")
        self.assertError(owner.ask("session/terminate", {
            "terminalId": owner.terminal_id, "logoutCode": code}), "InvalidRequest", "terminalId")
        self.assertError(owner.ask("session/terminate", {"terminalId": "x", "logoutCode": code}),
                         "InvalidRequest", "terminalId")
        self.assertError(owner.ask("session/terminate", {"terminalId": other.terminal_id}),
                         "InvalidRequest", "logoutCode")
        self.whoami(stranger)
        owner.get("session/terminate", {"terminalId": other.terminal_id, "logoutCode": code})

    def test_a_wrong_code_ends_nothing(self):
        owner, (other,), email = self.prepare()
        for code in ("x", "123456", "lc-" + "0" * 40):
            self.assertError(owner.ask("session/terminate", {
                "terminalId": other.terminal_id, "logoutCode": code}), "InvalidCode")
            self.assertError(owner.ask("session/terminateOthers", {"logoutCode": code}), "InvalidCode")
        self.whoami(other)

    def test_a_code_of_another_account_ends_nothing(self):
        owner, (other,), _ = self.prepare()
        thief, _, email = self.prepare()
        code = self.logout_code(thief, email=email)
        self.assertError(owner.ask("session/terminate", {
            "terminalId": other.terminal_id, "logoutCode": code}), "InvalidCode")
        self.assertError(thief.ask("session/terminate", {
            "terminalId": other.terminal_id, "logoutCode": code}), "ResourceNotFound")
        self.whoami(other)

    def test_all_others(self):
        owner, others, email = self.prepare(3)
        code = self.logout_code(owner, email=email)
        self.assertEqual(owner.get("session/terminateOthers", {"logoutCode": code})["terminated"], 3)
        for other in others:
            self.assertEnded(other, "terminated")
        self.whoami(owner)
        self.assertEqual(len(owner.get("session/list")["sessions"]), 1)

    def test_a_logout_code_used_a_hundred_times_at_once_works_once(self):
        owner, _, email = self.prepare(2)
        code = self.logout_code(owner, email=email)
        answers = parallel([owner], "session/terminateOthers", {"logoutCode": code}, 100)
        self.assertEqual([a["result"]["terminated"] for a in succeeded(answers)], [2])
        for answer in answers:
            if not answer["ok"]:
                self.assertError(answer, "InvalidCode")


class Refreshing(People):
    app = "people-4"

    def test_the_token_is_rotated_and_lives_seven_days(self):
        owner = self.register()
        old = owner.token
        result = owner.get("session/refresh")
        self.assertNotEqual(result["token"], old)
        self.assertLess(abs(result["expiresAt"] - now() - SEVEN_DAYS), 60_000)
        session = owner.get("account/whoami", token=old)["session"]
        self.assertEqual(session["sessionId"], owner.session_id, "the old one works until the new one's first use")
        owner.get("account/whoami", token=result["token"])
        self.assertError(owner.ask("account/whoami", token=old), "InvalidToken")
        self.assertEqual(len(owner.get("session/list", token=result["token"])["sessions"]), 1)

    def test_both_tokens_connect_as_the_terminal_until_the_new_one_is_used(self):
        owner = self.register()
        old = owner.token
        new = owner.get("session/refresh")["token"]
        for token in (old, new):
            again = Terminal(self.world.port, self.app, token, terminal_id=owner.terminal_id)
            self.assertEqual(again.connect(), 0)
            self.assertEqual(again.subscribe(f"{TOPICS}/user/{owner.uid}/#"), 1)
            again.close()
        again = self.keep(Terminal(self.world.port, self.app, new, terminal_id=owner.terminal_id)).come()
        again.get("account/whoami", token=new)
        late = Terminal(self.world.port, self.app, old, terminal_id=owner.terminal_id)
        self.assertIn(late.connect(), (0x86, 0x87))
        late.close()

    def test_the_old_token_is_refused_once_the_new_one_has_connected(self):
        owner = self.register()
        for turn in range(40):
            old, owner.token = owner.token, owner.get("session/refresh")["token"]
            again = self.keep(Terminal(self.world.port, self.app, owner.token, terminal_id=owner.terminal_id))
            again.come()
            method = ("account/whoami", "device/list", "schedule/list")[turn % 3]
            self.assertError(again.ask(method, {}, token=old), "InvalidToken")
            again.token = owner.token
            owner.close()
            owner = again

    def test_the_user_topics_stay_open(self):
        device, owner = self.device(), self.register()
        owner.bind(device)
        owner.status(device)
        new = owner.get("session/refresh")["token"]
        owner.get("account/whoami", token=new)
        time.sleep(1)
        device.report(data={"power": True})
        owner.status(device, lambda b: b["data"].get("power") is True)

    def test_fifty_concurrent_refreshes_leave_one_working_session(self):
        owner = self.register()
        answers = parallel([owner], "session/refresh", {}, 50)
        tokens = [a["result"]["token"] for a in succeeded(answers)]
        self.assertGreaterEqual(len(tokens), 1)
        for answer in answers:
            if not answer["ok"]:
                self.assertError(answer, "InvalidToken")
        live = [t for t in tokens if owner.ask("account/whoami", token=t)["ok"]]
        self.assertEqual(len(live), 1, "one token of them is the session's")
        self.assertError(owner.ask("account/whoami", token=owner.token), "InvalidToken")
        self.assertEqual(len(owner.get("session/list", token=live[0])["sessions"]), 1)

    def test_a_refused_refresh_changes_nothing(self):
        owner, thief = self.register(), self.register()
        self.assertError(thief.ask("session/refresh", token=owner.token), "InvalidToken")
        self.whoami(owner)


class Operators(People):
    app = "people-4"

    def test_list_terminate_and_log_out(self):
        owner = self.register()
        other = self.login(username=owner.user["username"])
        rows = self.world.service.json("session", "list", owner.uid)
        self.assertEqual(len(rows["items"]), 2)
        self.world.service.cli("session", "terminate", other.session_id)
        self.assertEnded(other, "operator")
        self.whoami(owner)
        self.world.service.cli("user", "logout", owner.uid)
        self.assertEnded(owner, "operator")

    def test_a_notice_sent_twice_has_one_effect(self):
        owner = self.register()
        other = self.login(username=owner.user["username"])
        notice = {"noticeId": f"n-{fresh_name()}", "appId": self.app, "terminalId": other.terminal_id,
                  "reason": "operator", "ts": now(), "actor": {"kind": "operator", "id": "test"}}
        for _ in range(3):
            self.world.watcher.publish(f"{TOPICS}/system/session-invalid", notice)
        self.assertEnded(other, "operator")
        owner.expect("/session", lambda b: b["type"] == "terminalLoggedOut")
        self.login(username=owner.user["username"])
        owner.expect("/session", lambda b: b["type"] == "terminalLoggedIn")
        self.assertEqual([m for m in owner.unread("/session") if m.body["type"] == "terminalLoggedOut"], [])

    def test_the_audit_trail_has_the_actor_of_each_action_without_secrets(self):
        email = fresh_email()
        owner = self.register(email=email)
        other = self.login(email=email)
        self.assertError(self.try_login(email=email, password=WRONG), "InvalidCredentials")
        code = self.logout_code(owner, email=email)
        owner.get("session/terminateOthers", {"logoutCode": code})
        owner.get("account/changePassword", {"oldPassword": PASSWORD, "newPassword": PASSWORD + "5"})
        text = self.world.service.cli("user", "audit", owner.uid, "--json").stdout
        self.assertGreaterEqual(len(self.audit(owner.uid)), 4)
        for secret in (PASSWORD, WRONG, owner.token, other.token, code, email):
            self.assertNotIn(secret, text)
        self.assertIn(owner.terminal_id, text)


if __name__ == "__main__":
    unittest.main()
