"""Cancelled accounts can be recovered for seven days, and then are erased."""

import pathlib
import sqlite3
import unittest

import postgres
from accounts import COUNTRY, PASSWORD, People, fresh_email, fresh_id, fresh_name, fresh_phone
from client import now
from harness import eventually

SEVEN_DAYS = 7 * 86_400_000


class Cancelling(People):
    app = "people-3"

    def deletes_at(self, uid):
        return self.world.service.json("user", "show", uid).get("deletesAt")

    def kinds(self, uid):
        return [row["kind"] for row in self.audit(uid)]

    def hasten(self, uid):
        """Changes the time of the erasure to now, and waits until the account has been erased."""
        path = self.world.service.data / "lamplighter.db"
        base = sqlite3.connect(path, timeout=20, isolation_level="IMMEDIATE")
        self.addCleanup(base.close)
        with base:
            base.execute("UPDATE cancellation SET deletesAt = ? WHERE uid = ?", (now(), uid))
        eventually(lambda: not base.execute(
            "SELECT 1 FROM cancellation WHERE uid = ?", (uid,)).fetchone(), 30, "the erasure")
        return base

    def left(self, words):
        """Returns the given words that occur in at least one file of the data directory."""
        files = [p.read_bytes() for p in pathlib.Path(self.world.service.data).rglob("*") if p.is_file()]
        return [w for w in words if any(w.encode() in f for f in files)]

    def test_all_sessions_end_and_the_time_is_announced(self):
        owner = self.register()
        other = self.login(username=owner.user["username"])
        answer = owner.get("account/cancel", {"password": PASSWORD})
        self.assertLess(abs(answer["deletesAt"] - now() - SEVEN_DAYS), 60_000)
        for terminal in (owner, other):
            self.assertEnded(terminal, "accountCancelled")
        self.assertEqual(self.deletes_at(owner.uid), answer["deletesAt"])

    def test_undone_by_each_way_to_log_in(self):
        phone, email, name = fresh_phone(), fresh_email(), fresh_name()
        installation, external = fresh_id("installation-secret-"), fresh_name()

        def by_uid(terminal):
            return terminal.get("account/loginOrRegister", {
                "countryCode": COUNTRY, "uid": external, "password": PASSWORD}, token=None)

        def by_code(kind, to):
            return lambda t: t.get("account/login", {
                "countryCode": COUNTRY, kind: to, "code": self.code(t, "login", **{kind: to})}, token=None)

        def by_password(**how):
            return lambda t: t.get("account/login", {
                "countryCode": COUNTRY, **how, "password": PASSWORD}, token=None)

        def anonymous(terminal):
            return terminal.get("account/loginAnonymous", {
                "countryCode": COUNTRY, "deviceId": installation}, token=None)
        self.register(phone=phone), self.register(email=email), self.register(username=name)
        for why, login, proof in (
                ("phone and code", by_code("phone", phone), {"password": PASSWORD}),
                ("e-mail and code", by_code("email", email), {"password": PASSWORD}),
                ("e-mail and password", by_password(email=email), {"password": PASSWORD}),
                ("username and password", by_password(username=name), {"password": PASSWORD}),
                ("any name and password", by_password(account=phone), {"password": PASSWORD}),
                ("uid login", by_uid, {"password": PASSWORD}),
                ("anonymous", anonymous, {})):
            with self.subTest(why=why):
                terminal = self.stranger()
                # A second code to the same address would have to wait.
                first = {"phone and code": by_password(phone=phone), "e-mail and code": by_password(email=email)}
                terminal.adopt(first.get(why, login)(terminal))
                uid = terminal.uid
                terminal.get("account/cancel", proof)
                terminal.wait_lost()
                self.assertIsNotNone(self.deletes_at(uid))
                again = self.stranger()
                again.adopt(login(again))
                self.assertEqual(again.uid, uid)
                self.assertIsNone(self.deletes_at(uid))
                self.assertIn("cancellationUndone", self.kinds(uid))

    def test_a_failed_login_undoes_nothing(self):
        owner = self.register()
        owner.get("account/cancel", {"password": PASSWORD})
        self.assertError(self.try_login(username=owner.user["username"], password="wrong lamp 42"),
                         "InvalidCredentials")
        self.assertIsNotNone(self.deletes_at(owner.uid))

    def furnish_person(self):
        """Creates a user with many records, and a device that two users have bound."""
        device, phone, email = self.device(), fresh_phone(), fresh_email()
        owner = self.register(email=email)
        uid = owner.uid
        owner.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": phone, "code": self.code(owner, "bind", phone=phone)})
        words = {field: fresh_id(f"personal-{field}-") for field in ("nickname", "name", "address", "remark")}
        owner.get("account/updateProfile", {**words, "username": fresh_id("person-"), "custom": {
            "pet": fresh_id("personal-pet-")}})
        owner.bind(device)
        user = self.whoami(owner)
        heir = self.register()
        heir.bind(device)
        owner.get("device/control", {"did": device.did, "data": {"power": True}})
        device.command()
        personal = [email, email.split("@")[0], phone, user["username"], user["custom"]["pet"], *words.values()]
        self.assertEqual(self.left(personal), personal, "the test looks where it is")
        return owner, heir, device, uid, personal

    def check_erased(self, heir, device, uid, personal, base):
        told = heir.expect("/device", lambda b: b["type"] == "roleChanged").body
        self.assertEqual(told["role"], "special")
        device.report(data={"power": True})
        heir.status(device, lambda b: b["data"].get("power") is True)
        trail = self.audit(uid)
        self.assertEqual(trail[0]["kind"], "erased")
        for row in trail:
            self.assertIsNone(row.get("terminalId"))
            self.assertIsNone(row.get("detail"))
            self.assertNotEqual(row["actor"]["id"], uid)
        for table in ("account", "session", "link", "identity", "avatar", "logoutCode", "binding", "cancellation"):
            self.assertEqual(base.execute(f"SELECT count(*) FROM {table} WHERE uid = ?", (uid,)).fetchone(), (0,))
        for table in ("event", "command"):
            self.assertEqual(base.execute(
                f"SELECT count(*) FROM {table} WHERE actorId = ?", (uid,)).fetchone(), (0,))
        # The service keeps each answer for ten minutes, because the request can be repeated. Answers with the user's
        # data are sealed or deleted, never kept in clear text.
        eventually(lambda: not self.left(personal), 90, "the end of every trace: " + str(self.left(personal)))

    @postgres.on_file
    def test_nothing_is_left_after_seven_days(self):
        owner, heir, device, uid, personal = self.furnish_person()
        owner.get("account/cancel", {"password": PASSWORD})
        owner.wait_lost()
        base = self.hasten(uid)
        self.check_erased(heir, device, uid, personal, base)
        self.assertError(self.try_login(email=personal[0]), "InvalidCredentials")
        back = self.stranger(terminal_id=owner.terminal_id)
        self.assertError(back.ask("account/whoami", token=owner.token), "InvalidToken")

    @postgres.on_file
    def test_nothing_is_left_of_a_user_erased_by_an_operator(self):
        owner, heir, device, uid, personal = self.furnish_person()
        self.world.service.cli("user", "erase", uid, "--yes")
        self.assertEqual(owner.expect("/session", lambda b: b["type"] == "sessionInvalid").body["reason"],
                         "accountCancelled")
        owner.wait_lost()
        base = sqlite3.connect(self.world.service.data / "lamplighter.db", timeout=20)
        self.addCleanup(base.close)
        self.check_erased(heir, device, uid, personal, base)
        self.assertNotEqual(self.world.service.cli("user", "show", uid, check=False).returncode, 0)

    def test_cancelling_needs_a_proof(self):
        owner = self.register()
        for params, code in (({}, "InvalidRequest"), ({"password": "wrong lamp 42"}, "InvalidCredentials"),
                             ({"code": "123456"}, "InvalidCode"), ({"ticket": "x" * 43}, "InvalidCode"),
                             ({"password": PASSWORD, "code": "123456"}, "InvalidRequest")):
            with self.subTest(params=params):
                self.assertError(owner.ask("account/cancel", params), code)
        self.assertIsNone(self.deletes_at(owner.uid))
        self.whoami(owner)

    def test_by_code_and_by_ticket(self):
        for proof in ("code", "ticket"):
            with self.subTest(proof=proof):
                email = fresh_email()
                owner = self.register(email=email)
                given = (self.code(owner, "operation", email=email) if proof == "code"
                         else self.ticket(owner, email=email))
                owner.get("account/cancel", {proof: given})
                self.assertEnded(owner, "accountCancelled")


if __name__ == "__main__":
    unittest.main()
