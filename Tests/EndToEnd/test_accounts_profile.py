"""Users' profiles and addresses, and the parts of profiles that other users see."""

import base64
import re
import unittest
import urllib.request
import zlib

from accounts import (
    COUNTRY, PASSWORD, People, fresh_email, fresh_id, fresh_name, fresh_phone, same, wrong)
from client import now


def png(padding=0):
    """Returns a PNG of one white pixel, with `padding` bytes of text."""
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    text = chunk(b"tEXt", b"Comment\0" + b"x" * padding) if padding else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])) + text
            + chunk(b"IDAT", zlib.compress(b"\0\xff")) + chunk(b"IEND", b""))


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" + b"\xff\xd9"


class Profile(People):
    app = "people-3"

    def test_given_fields_are_stored_and_absent_ones_stay(self):
        owner = self.register()
        fields = {"nickname": "Lena 😀", "tempUnit": 2, "timezone": "Asia/Shanghai", "latitude": 52.5,
                  "longitude": 13.4, "name": "Lena Lampe", "gender": "female", "birthday": "1990-01-01",
                  "address": "Lampenweg 1", "remark": "hm", "language": "zh-CN", "custom": {"a": {"b": [1, None]}}}
        for field, value in fields.items():
            with self.subTest(field=field):
                user = owner.get("account/updateProfile", {field: value})["user"]
                if field != "custom":
                    self.assertEqual(user[field], value)
        user = owner.get("account/updateProfile", {"nickname": "Lena", "tempUnit": None, "name": None})["user"]
        self.assertEqual((user["nickname"], user["tempUnit"], user["name"], user["address"]),
                         ("Lena", 2, "Lena Lampe", "Lampenweg 1"))
        self.assertEqual(self.whoami(owner), user)

    def test_bad_fields_are_named_and_change_nothing(self):
        owner = self.register()
        before = self.whoami(owner)
        for field, value in (("nickname", 5), ("nickname", "x" * 65), ("tempUnit", 3), ("tempUnit", "1"),
                             ("timezone", "Mars/Olympus"), ("timezone", "../etc/passwd"), ("latitude", 90.1),
                             ("longitude", 200), ("latitude", "x"), ("custom", "x"), ("name", ["x"]),
                             ("remark", "x" * 257), ("email", "nonsense"), ("username", "")):
            with self.subTest(field=field, value=str(value)[:12]):
                self.assertError(owner.ask("account/updateProfile", {"address": "elsewhere", field: value}),
                                 "InvalidRequest", field)
        self.assertEqual(self.whoami(owner), before)

    def test_a_username_can_be_changed_to_a_free_one(self):
        owner, name = self.register(), fresh_name()
        old = owner.user["username"]
        owner.get("account/updateProfile", {"username": name})
        self.assertEqual(self.login(username=name).uid, owner.uid)
        self.assertError(self.try_login(username=old), "InvalidCredentials")
        taken = self.register(username=old)
        self.assertError(owner.ask("account/updateProfile", {"username": taken.user["username"]}),
                         "Duplicated", "username")

    def test_an_address_given_here_is_unverified_and_does_nothing(self):
        owner, email, phone = self.register(), fresh_email(), fresh_phone()
        user = owner.get("account/updateProfile", {"email": email})["user"]
        self.assertEqual((user["email"], user["emailVerified"]), (email, False))
        self.assertIn("url", self.gateway.taken(email, "verifyEmail")["params"])
        user = owner.get("account/updateProfile", {"countryCode": COUNTRY, "phone": phone})["user"]
        self.assertTrue(same(user["phone"], phone))
        self.assertFalse(user["phoneVerified"])
        for how in ({"email": email}, {"phone": phone}, {"account": email}):
            with self.subTest(how=how):
                self.assertError(self.try_login(**how), "InvalidCredentials")

    def test_others_see_the_nickname_only(self):
        owner, other = self.register(email=fresh_email()), self.register()
        owner.get("account/updateProfile", {"nickname": "Lena", "name": "secret name", "address": "secret"})
        seen = other.get("account/getUser", {"uid": owner.uid})
        self.assertEqual(seen, {"uid": owner.uid, "nickname": "Lena"})
        self.assertEqual(owner.get("account/getUser", {"uid": owner.uid})["email"], owner.user["email"])

    def test_other_users_and_apps_are_not_found(self):
        owner = self.register()
        stranger = self.register(app="people-strict")
        for uid in (stranger.uid, "u-0000000000000", "nobody"):
            with self.subTest(uid=uid):
                self.assertError(owner.ask("account/getUser", {"uid": uid}), "ResourceNotFound")
        self.assertError(owner.ask("account/getUser", {}), "InvalidRequest", "uid")
        self.assertError(owner.ask("account/queryUsers", {"username": "x"}), "Forbidden")
        self.assertError(self.stranger().ask("account/queryUsers", {}), "Forbidden")


class Avatars(People):
    app = "people-3"

    def test_a_picture_is_served_with_its_type(self):
        owner = self.register()
        for data, kind in ((png(), "image/png"), (JPEG, "image/jpeg")):
            with self.subTest(kind=kind):
                url = owner.get("account/setAvatar", {"data": base64.b64encode(data).decode()})["avatarUrl"]
                self.assertEqual(self.whoami(owner)["avatarUrl"], url)
                with urllib.request.urlopen(self.local(url)) as response:
                    self.assertEqual((response.read(), response.headers["Content-Type"]), (data, kind))
                    self.assertEqual(response.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.register().get("account/getUser", {"uid": owner.uid})["avatarUrl"], url)

    def test_anything_but_a_small_picture_is_refused(self):
        owner = self.register()
        for why, data in (("text", b"hello"), ("svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
                          ("html", b"<html><script>1</script>"), ("gif", b"GIF89a" + b"\0" * 20),
                          ("too large", png(46 * 1024)), ("nothing", b"")):
            with self.subTest(why=why):
                self.assertError(owner.ask("account/setAvatar", {"data": base64.b64encode(data).decode()}),
                                 "InvalidRequest", "data")
        self.assertError(owner.ask("account/setAvatar", {"data": "no base64!"}), "InvalidRequest", "data")
        self.assertNotIn("avatarUrl", self.whoami(owner))

    def test_the_largest_picture_is_accepted(self):
        data = png(45 * 1024 - len(png()) - 20)
        self.assertLessEqual(len(data), 45 * 1024)
        self.register().get("account/setAvatar", {"data": base64.b64encode(data).decode()})

    def local(self, url):
        """Returns the address with the scheme, host and port of this test's service."""
        return re.sub(r"^https?://[^/]+", f"http://127.0.0.1:{self.world.service.http_port}", url)


class Binding(People):
    app = "people-3"

    def test_an_address_replaces_the_old_one_and_both_are_notified(self):
        for kind, method, fresh in (("email", "account/bindEmail", fresh_email),
                                    ("phone", "account/bindPhone", fresh_phone)):
            with self.subTest(kind=kind):
                old, new = fresh(), fresh()
                owner = self.register(**{kind: old})
                other = self.login(**{kind: old})
                result = owner.get(method, {
                    "countryCode": COUNTRY, kind: new, "code": self.code(owner, "bind", **{kind: new}),
                    "profile": {"nickname": "moved"}})
                self.assertTrue(same(result["user"][kind], new) and result["user"][f"{kind}Verified"])
                self.assertEqual(result["user"]["nickname"], "moved")
                self.assertNotIn("profileError", result)
                self.assertIn("url", self.gateway.taken(old, "addressChanged")["params"])
                self.assertEqual(self.login(**{kind: new}).uid, owner.uid)
                self.assertError(self.try_login(**{kind: old}), "InvalidCredentials")
                self.whoami(other)
                for terminal in (owner, other):
                    told = terminal.expect(f"user/{owner.uid}/account").body
                    self.assertEqual((told["type"], told["address"], told["actor"]["terminalId"]),
                                     ("addressChanged", kind, owner.terminal_id))

    def test_the_first_one_is_verified_at_once(self):
        owner, email = self.register(), fresh_email()
        user = owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": email, "code": self.code(owner, "bind", email=email)})["user"]
        self.assertEqual((user["email"], user["emailVerified"]), (email, True))

    def test_by_a_ticket(self):
        owner, phone = self.register(), fresh_phone()
        user = owner.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": phone, "ticket": self.ticket(owner, phone=phone)})["user"]
        self.assertTrue(user["phoneVerified"])

    def test_a_bad_profile_leaves_the_binding_standing(self):
        owner, email = self.register(), fresh_email()
        result = owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": email, "code": self.code(owner, "bind", email=email),
            "profile": {"timezone": "Mars/Olympus"}})
        self.assertEqual(result["user"]["email"], email)
        self.assertEqual(result["profileError"]["code"], "InvalidRequest")

    def test_without_a_right_code_nothing_is_bound(self):
        owner = self.register()
        for kind, method, fresh in (("email", "account/bindEmail", fresh_email),
                                    ("phone", "account/bindPhone", fresh_phone)):
            with self.subTest(kind=kind):
                to = fresh()
                ask = {"countryCode": COUNTRY, kind: to}
                self.assertError(owner.ask(method, ask), "InvalidRequest", "code")
                self.assertError(owner.ask(method, {"countryCode": COUNTRY, "code": "123456"}), "InvalidRequest", kind)
                code = self.code(owner, "bind", **{kind: to})
                self.assertError(owner.ask(method, {**ask, "code": wrong(code)}), "InvalidCode")
                self.assertError(owner.ask(method, {**ask, kind: fresh(), "code": code}), "InvalidCode")
                self.assertError(owner.ask(method, {**ask, "code": code, "ticket": "t-1"}), "InvalidRequest")
                self.assertNotIn(kind, self.whoami(owner))

    def test_an_address_that_another_user_verified_stays_theirs(self):
        email = fresh_email()
        first, second = self.register(email=email), self.register()
        code = self.code(second, "bind", email=email)
        self.assertError(second.ask("account/bindEmail", {"countryCode": COUNTRY, "email": email, "code": code}),
                         "Duplicated", "email")
        self.assertEqual(self.login(email=email).uid, first.uid)

    def test_an_address_that_another_user_never_verified_is_taken_over(self):
        email = fresh_email()
        squatter, owner = self.register(), self.register()
        squatter.get("account/updateProfile", {"email": email})
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": email, "code": self.code(owner, "bind", email=email)})
        self.assertNotIn("email", self.whoami(squatter))
        self.assertEqual(self.login(email=email).uid, owner.uid)

    def test_asking_for_a_verification_mail(self):
        owner, email = self.register(), fresh_email()
        self.assertError(owner.ask("account/requestEmailVerification"), "ResourceNotFound")
        owner.get("account/updateProfile", {"email": email})
        self.gateway.taken(email, "verifyEmail")
        answer = owner.ask("account/requestEmailVerification")
        if not answer["ok"]:  # the previous mail counts towards the limit
            self.assertError(answer, "TooManyRequests")
        off = self.register(app="people-none", email=fresh_email(), code=None)
        self.assertError(off.ask("account/requestEmailVerification"), "PolicyRejected")


class Tickets(People):
    app = "people-3"

    def test_a_ticket_needs_a_session_and_a_code_of_its_purpose(self):
        phone = fresh_phone()
        terminal = self.anonymous()
        ask = {"countryCode": COUNTRY, "phone": phone}
        code = self.code(terminal, "operation", phone=phone)
        self.assertError(self.stranger().ask("account/verifyOperation", {**ask, "code": code}), "InvalidToken")
        self.assertError(terminal.ask("account/verifyOperation", {**ask, "code": wrong(code)}), "InvalidCode")
        other = self.code(terminal, "register", phone=phone)
        self.assertError(terminal.ask("account/verifyOperation", {**ask, "code": other}), "InvalidCode")
        self.assertEqual(terminal.get("account/verifyOperation", {**ask, "code": code})["expiresIn"], 300)
        self.assertError(terminal.ask("account/verifyOperation", {**ask, "code": code}), "InvalidCode")

    def test_it_is_bound_to_address_and_terminal(self):
        phone = fresh_phone()
        owner = self.register()
        other = self.login(username=owner.user["username"])
        ticket = self.ticket(owner, phone=phone)
        ask = {"countryCode": COUNTRY, "phone": phone, "ticket": ticket}
        self.assertError(other.ask("account/bindPhone", ask), "InvalidCode")
        self.assertError(owner.ask("account/bindPhone", {**ask, "phone": fresh_phone()}), "InvalidCode")
        owner.get("account/bindPhone", ask)


class Cancelling(People):
    app = "people-3"

    DAYS = 7 * 86_400_000

    def test_by_password_and_undone_by_logging_in(self):
        owner = self.register(email=fresh_email())
        other = self.login(email=owner.user["email"])
        deletes = owner.get("account/cancel", {"password": PASSWORD})["deletesAt"]
        self.assertLess(abs(deletes - now() - self.DAYS), 60_000)
        for ended in (owner, other):
            self.assertEnded(ended, "accountCancelled")
        back = self.login(email=owner.user["email"])
        self.assertEqual(back.uid, owner.uid)
        self.assertEqual(self.whoami(back)["email"], owner.user["email"])

    def test_by_code_and_by_ticket(self):
        for how in ("code", "ticket"):
            with self.subTest(how=how):
                phone, terminal = fresh_phone(), self.stranger()
                owner = self.login(terminal, phone=phone, code=self.code(terminal, "login", phone=phone))
                proof = self.ticket(owner, phone=phone) if how == "ticket" else self.code(
                    owner, "operation", phone=phone)
                self.assertIn("deletesAt", owner.get("account/cancel", {how: proof}))
                self.assertEnded(owner, "accountCancelled")

    def test_an_anonymous_user_needs_no_proof(self):
        self.assertIn("deletesAt", self.anonymous().get("account/cancel"))

    def test_refused(self):
        owner = self.register()
        self.assertError(owner.ask("account/cancel", {"password": "not the right lamp"}), "InvalidCredentials")
        self.assertError(owner.ask("account/cancel"), "InvalidRequest")
        foreign = fresh_phone()
        ticket = self.ticket(owner, phone=foreign)  # for a number that isn't the account's
        self.assertError(owner.ask("account/cancel", {"ticket": ticket}), "InvalidCode")
        self.assertError(owner.ask("account/cancel", {"code": self.code(
            owner, "operation", phone=fresh_phone())}), "InvalidCode")
        self.assertError(owner.ask("account/cancel", {"password": PASSWORD, "code": "123456"}), "InvalidRequest")
        self.whoami(owner)

    def test_erasing_by_an_operator_leaves_only_a_row_without_personal_data(self):
        email, secret = fresh_email(), fresh_id("Erased Person ")
        owner, device, other = self.register(email=email), self.device(), self.register()
        owner.get("account/updateProfile", {"nickname": secret, "address": secret})
        owner.bind(device)
        other.bind(device)
        self.world.service.cli("user", "erase", owner.uid, "--yes")
        self.assertError(other.ask("account/getUser", {"uid": owner.uid}), "ResourceNotFound")
        self.assertError(self.try_login(email=email), "InvalidCredentials")
        self.assertEqual(other.get("device/list")["total"], 1)
        audit = self.world.service.cli("user", "audit", owner.uid, "--json", check=False).stdout
        self.assertNotIn(email, audit)
        self.assertNotIn(secret, audit)
        holder = self.anonymous()
        again = self.register(holder, email=email, ticket=self.ticket(holder, email=email))
        self.assertNotEqual(again.uid, owner.uid)


if __name__ == "__main__":
    unittest.main()
