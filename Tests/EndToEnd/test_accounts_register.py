"""Every way to create an account, and every refusal."""

import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_id, fresh_name, fresh_phone, same, wrong)

WEAK = ["short7!", "", "password", "12345678", "qwertyuiop", "PASSWORD1"]


class Registering(People):
    app = "people-2"

    def test_an_email_with_a_code(self):
        terminal, email = self.stranger(), fresh_email()
        code = self.code(terminal, "register", email=email)
        result = terminal.get("account/register", {
            "countryCode": COUNTRY, "email": email, "password": PASSWORD, "code": code,
            "profile": {"nickname": "Lena", "tempUnit": 2, "timezone": "Europe/Berlin", "custom": {"a": [1]}},
            "platform": "phone", "os": "Android 16", "name": "Lena's"})
        user = result["user"]
        self.assertTrue(same(user["email"], email) and user["emailVerified"] and not user["anonymous"])
        self.assertEqual((user["nickname"], user["tempUnit"], user["timezone"], user["custom"], user["countryCode"]),
                         ("Lena", 2, "Europe/Berlin", {"a": [1]}, COUNTRY))
        terminal.adopt(result)
        self.assertEqual(self.whoami(terminal), user)
        shown = terminal.get("session/list")["sessions"]
        self.assertEqual([(s["platform"], s["os"], s["name"], s["current"]) for s in shown],
                         [("phone", "Android 16", "Lena's", True)])
        self.assertEqual(self.login(email=email.upper()).uid, user["uid"])

    def test_a_phone_with_a_code(self):
        phone = fresh_phone()
        terminal = self.register(phone=phone)
        self.assertTrue(same(terminal.user["phone"], phone) and terminal.user["phoneVerified"])
        self.assertEqual(self.login(phone=f"{phone[:3]} {phone[3:]}").uid, terminal.uid)

    def test_a_username_without_one(self):
        name = fresh_name()
        terminal = self.register(username=name)
        self.assertEqual((terminal.user["username"], terminal.user["phoneVerified"]), (name, False))
        self.assertNotIn("email", terminal.user)
        self.assertEqual(self.login(username=name.upper()).uid, terminal.uid)

    def test_a_ticket_replaces_a_code_once(self):
        terminal, email = self.anonymous(), fresh_email()
        ticket = self.ticket(terminal, email=email)
        ask = {"countryCode": COUNTRY, "password": PASSWORD, "ticket": ticket}
        self.assertOneOf(terminal.ask("account/register", {**ask, "email": fresh_email()}), "InvalidCode")
        result = terminal.get("account/register", {**ask, "email": email})
        self.assertTrue(result["user"]["emailVerified"])
        terminal.adopt(result)
        self.assertError(self.stranger().ask("account/register", {**ask, "email": email}), "InvalidCode")

    def test_without_a_right_code_no_address_logs_in(self):
        terminal = self.stranger()
        for kind, to in (("email", fresh_email()), ("phone", fresh_phone())):
            with self.subTest(kind=kind):
                ask = {"countryCode": COUNTRY, kind: to, "password": PASSWORD}
                self.assertError(terminal.ask("account/register", ask), "InvalidRequest", "code")
                self.assertError(terminal.ask("account/register", {**ask, "code": "123456"}), "InvalidCode")
                code = self.code(terminal, "register", **{kind: to})
                self.assertError(terminal.ask("account/register", {**ask, "code": wrong(code)}), "InvalidCode")
                self.assertError(terminal.ask("account/register", {**ask, "ticket": "t-nonsense"}), "InvalidCode")
                self.assertError(self.try_login(**{kind: to}), "InvalidCredentials")
                self.register(terminal, code=code, **{kind: to})

    def test_a_taken_username_is_duplicated_whatever_its_case(self):
        name = fresh_name()
        self.register(username=name)
        for taken in (name, name.upper(), name.replace("n", "ｎ", 1)):
            with self.subTest(name=taken):
                self.assertError(self.stranger().ask("account/register", {
                    "countryCode": COUNTRY, "username": taken, "password": PASSWORD}), "Duplicated", "username")

    def test_a_taken_address_is_revealed_only_to_the_holder_of_its_code(self):
        for kind, to in (("email", fresh_email()), ("phone", fresh_phone())):
            with self.subTest(kind=kind):
                owner = self.register(**{kind: to})
                ask = {"countryCode": COUNTRY, kind: to, "password": OTHER_PASSWORD}
                self.assertError(self.stranger().ask("account/register", {**ask, "code": "000000"}), "InvalidCode")
                holder = self.anonymous()
                ticket = self.ticket(holder, **{kind: to})
                self.assertError(holder.ask("account/register", {**ask, "ticket": ticket}), "Duplicated", kind)
                self.assertError(self.try_login(password=OTHER_PASSWORD, **{kind: to}), "InvalidCredentials")
                self.assertEqual(self.login(**{kind: to}).uid, owner.uid)

    def test_weak_passwords_are_refused_and_the_code_stays_good(self):
        terminal, email = self.stranger(), fresh_email()
        code = self.code(terminal, "register", email=email)
        for password in WEAK + [email, email.upper()]:
            with self.subTest(password=password):
                answer = terminal.ask("account/register", {
                    "countryCode": COUNTRY, "email": email, "password": password, "code": code})
                self.assertOneOf(answer, "PolicyRejected", *(["InvalidRequest"] if not password else []))
                self.assertEqual(answer["error"].get("field"), "params.password")
        self.register(terminal, email=email, code=code)

    def test_passwords_of_limit_lengths_and_in_any_script(self):
        for password in ("läm😀pen8", "x" * 4 + "yz12" * 31, "пароль для лампы", "  two blanks  "):
            with self.subTest(password=password):
                name = fresh_name()
                self.register(username=name, password=password)
                self.login(username=name, password=password)
        self.assertError(self.stranger().ask("account/register", {
            "countryCode": COUNTRY, "username": fresh_name(), "password": "x" * 129}), "InvalidRequest", "password")

    def test_the_same_password_in_another_unicode_form_is_the_same(self):
        name = fresh_name()
        self.register(username=name, password="Lampenschl\u00fcssel \u212b")
        self.login(username=name, password="Lampenschlu\u0308ssel A\u030a")

    def test_the_own_name_is_refused_as_a_password(self):
        name = fresh_name()
        self.assertError(self.stranger().ask("account/register", {
            "countryCode": COUNTRY, "username": name, "password": name}), "PolicyRejected", "password")

    def test_neither_of_three_names_or_two_unproved_addresses(self):
        terminal = self.stranger()
        for names, error in (({}, "InvalidRequest"), ({"phone": fresh_phone(), "email": fresh_email()}, "InvalidCode"),
                             ({"phone": fresh_phone(), "email": fresh_email(), "username": fresh_name()}, "InvalidCode")):
            with self.subTest(names=sorted(names)):
                self.assertError(terminal.ask("account/register", {
                    "countryCode": COUNTRY, "password": PASSWORD, "code": "123456", **names}), error)

    def test_invalid_members_are_named(self):
        terminal = self.stranger()
        good = {"countryCode": COUNTRY, "username": fresh_name(), "password": PASSWORD}
        for field, value in (("countryCode", None), ("password", None), ("password", 5), ("username", 5),
                             ("username", "x" * 65), ("username", ""), ("username", "a\tb"), ("platform", "x" * 65),
                             ("os", 5), ("profile", "x"), ("profile.tempUnit", 3), ("profile.timezone", "Mars/Olympus"),
                             ("profile.latitude", 91), ("profile.longitude", -181), ("profile.nickname", "x" * 65),
                             ("profile.custom", []), ("profile.gender", "f"), ("profile.birthday", "soon"),
                             ("profile.birthday", "1990-02-30"), ("profile.interest", "lamps")):
            with self.subTest(field=field, value=str(value)[:20]):
                top, _, inner = field.partition(".")
                ask = {**good, top: {inner: value} if inner else value}
                self.assertError(terminal.ask("account/register", ask), "InvalidRequest", field)
        self.assertError(self.try_login(username=good["username"]), "InvalidCredentials")


class Policies(People):
    app = "people-2"

    def test_phone_registration_off(self):
        terminal = self.stranger("people-strict")
        phone = fresh_phone()
        self.assertError(terminal.ask("account/register", {
            "countryCode": COUNTRY, "phone": phone, "password": PASSWORD, "code": "123456"}), "PolicyRejected")

    def test_uid_login_off(self):
        terminal = self.stranger("people-strict")
        self.assertError(terminal.ask("account/loginOrRegister", {
            "countryCode": COUNTRY, "uid": fresh_id(), "password": PASSWORD}), "PolicyRejected")

    def test_a_username_that_cannot_be_changed(self):
        terminal = self.register(app="people-strict")
        self.assertError(terminal.ask("account/updateProfile", {"username": fresh_name()}), "PolicyRejected")

    def test_an_email_with_a_link(self):
        email = fresh_email()
        terminal = self.stranger("people-link")
        result = terminal.get("account/register", {"countryCode": COUNTRY, "email": email, "password": PASSWORD})
        self.assertIs(result["user"]["emailVerified"], False)
        self.assertIn("url", self.gateway.taken(email, "verifyEmail")["params"])

    def test_an_email_with_a_confirmation(self):
        email = fresh_email()
        terminal = self.stranger("people-none")
        result = terminal.get("account/register", {"countryCode": COUNTRY, "email": email, "password": PASSWORD})
        self.assertNotIn("emailVerified", result["user"])
        self.gateway.taken(email, "confirmation")

    def test_a_taken_address_answers_as_a_new_one_and_its_owner_gets_a_mail(self):
        for app in ("people-link", "people-none"):
            with self.subTest(app=app):
                email = fresh_email()
                answers = []
                for password in (PASSWORD, OTHER_PASSWORD):
                    terminal = self.stranger(app)
                    answers.append((terminal, terminal.get("account/register", {
                        "countryCode": COUNTRY, "email": email, "password": password})))
                    self.gateway.expect(None, lambda b: same(b["to"], email))
                (_, new), (_, taken) = answers
                self.assertEqual(sorted(new), sorted(taken))
                self.assertEqual(sorted(new["user"]), sorted(taken["user"]))
                self.assertNotEqual(new["user"]["uid"], taken["user"]["uid"])

    def test_with_accounts_revealed_unknown_names_are_reported(self):
        for names in ({"username": fresh_name()}, {"email": fresh_email()}, {"phone": fresh_phone()},
                      {"account": fresh_name()}):
            with self.subTest(names=names):
                self.assertError(self.try_login(app="people-open", **names), "ResourceNotFound")
        terminal = self.register(app="people-open", email=fresh_email())
        self.assertError(self.try_login(app="people-open", email=terminal.user["email"], password=WRONG),
                         "InvalidCredentials")

    def test_with_accounts_revealed_unknown_addresses_are_reported(self):
        email = fresh_email()
        terminal, ask = self.stranger("people-open"), {"countryCode": COUNTRY, "email": email}
        for method, more in (("account/sendCode", {"purpose": "login"}), ("account/sendCode", {"purpose": 2}),
                             ("account/login", {"code": "123456"}), ("account/requestPasswordReset", {}),
                             ("account/resetPassword", {"code": "123456", "newPassword": OTHER_PASSWORD})):
            with self.subTest(method=method, **more):
                self.assertError(terminal.ask(method, {**ask, **more}), "ResourceNotFound")
        self.assertEqual(self.gateway.unread_to(email), [])
        self.register(app="people-open", email=email)
        self.assertEqual(len(self.code(terminal, "resetPassword", email=email)), 6)

    def test_a_username_that_looks_like_a_phone_is_refused(self):
        for name in (fresh_phone(), f"+{COUNTRY}{fresh_phone()}", "0151/123 45-67", "lena@", "@", "a@b@c.de"):
            with self.subTest(name=name):
                self.assertError(self.stranger().ask("account/register", {
                    "countryCode": COUNTRY, "username": name, "password": PASSWORD}), "InvalidRequest", "username")

    def test_a_username_that_is_an_email_logs_in_and_gives_way_to_the_addresss_owner(self):
        email = fresh_email()
        first = self.register(username=email)
        self.assertEqual(self.login(account=email.upper()).uid, first.uid)
        self.assertError(self.try_login(email=email), "InvalidCredentials")
        owner = self.register(email=email, password=OTHER_PASSWORD)
        self.assertNotEqual(owner.uid, first.uid)
        self.assertNotIn("username", self.whoami(first))
        self.assertEqual(self.login(account=email, password=OTHER_PASSWORD).uid, owner.uid)
        self.assertError(self.try_login(account=email, password=PASSWORD), "InvalidCredentials")

    def test_apps_have_users_of_their_own(self):
        name = fresh_name()
        one, two = self.register(username=name), self.register(app="people-strict", username=name)
        self.assertNotEqual(one.uid, two.uid)
        self.assertError(two.ask("account/getUser", {"uid": one.uid}), "ResourceNotFound")


class OwnUserIDs(People):
    app = "people-2"

    def test_the_first_time_registers_and_the_second_logs_in(self):
        terminal, uid = self.stranger(), f"customer {fresh_id()}"
        first = terminal.get("account/loginOrRegister", {"countryCode": COUNTRY, "uid": uid, "password": PASSWORD})
        self.assertTrue(first["isNew"])
        self.assertEqual(first["user"]["externalUid"], uid)
        self.assertRegex(first["user"]["uid"], r"^u-[a-z0-9]{13}$")
        again = self.stranger().get("account/loginOrRegister", {
            "countryCode": COUNTRY, "uid": uid, "password": PASSWORD})
        self.assertFalse(again["isNew"])
        self.assertEqual(again["user"]["uid"], first["user"]["uid"])

    def test_a_wrong_password_is_refused(self):
        uid = fresh_id()
        ask = {"countryCode": COUNTRY, "uid": uid, "password": PASSWORD}
        self.stranger().get("account/loginOrRegister", ask)
        self.assertError(self.stranger().ask("account/loginOrRegister", {**ask, "password": WRONG}),
                         "InvalidCredentials")

    def test_its_password_must_be_strong_and_its_uid_short(self):
        terminal = self.stranger()
        self.assertError(terminal.ask("account/loginOrRegister", {
            "countryCode": COUNTRY, "uid": fresh_id(), "password": "12345678"}), "PolicyRejected", "password")
        for uid in ("", "x" * 129, 5, None):
            with self.subTest(uid=str(uid)[:9]):
                self.assertError(terminal.ask("account/loginOrRegister", {
                    "countryCode": COUNTRY, "uid": uid, "password": PASSWORD}), "InvalidRequest", "uid")

    def test_it_cannot_be_taken_as_a_username(self):
        uid = fresh_name()
        self.stranger().get("account/loginOrRegister", {"countryCode": COUNTRY, "uid": uid, "password": PASSWORD})
        self.assertError(self.try_login(username=uid), "InvalidCredentials")
        self.assertError(self.try_login(account=uid), "InvalidCredentials")


class AnonymousOnes(People):
    """Anonymous users register in every documented way, and keep uid, devices and data."""

    app = "people-2"

    def prepare(self):
        device, terminal = self.device(), self.anonymous(device_id=fresh_id("installation-secret-"))
        terminal.bind(device)
        terminal.get("account/updateProfile", {"custom": {"colour": "red"}})
        return device, terminal, terminal.uid

    def check(self, device, terminal, uid):
        user = self.whoami(terminal)
        self.assertEqual((user["uid"], user["anonymous"], user["custom"]), (uid, False, {"colour": "red"}))
        self.assertEqual([d["did"] for d in terminal.get("device/list")["devices"]], [device.did])

    def test_by_registering(self):
        for names in (lambda: {"username": fresh_name()}, lambda: {"email": fresh_email()},
                      lambda: {"phone": fresh_phone()}):
            device, terminal, uid = self.prepare()
            more = names()
            with self.subTest(names=list(more)):
                self.register(terminal, **more)
                self.check(device, terminal, uid)
                self.assertEqual(self.login(**more).uid, uid)

    def test_by_a_login_code_that_creates_a_user(self):
        device, terminal, uid = self.prepare()
        phone = fresh_phone()
        result = terminal.get("account/login", {
            "countryCode": COUNTRY, "phone": phone, "code": self.code(terminal, "login", phone=phone)})
        terminal.adopt(result)
        self.assertTrue(result["user"]["phoneVerified"])
        self.check(device, terminal, uid)

    def test_by_converting(self):
        for kind in ("username", "phone"):
            with self.subTest(kind=kind):
                device, terminal, uid = self.prepare()
                to = fresh_name() if kind == "username" else fresh_phone()
                more = {"code": self.code(terminal, "register", phone=to)} if kind == "phone" else {}
                user = terminal.get("account/convertAnonymous", {
                    "countryCode": COUNTRY, kind: to, "password": PASSWORD, **more})["user"]
                self.assertEqual((user["uid"], user["anonymous"]), (uid, False))
                self.check(device, terminal, uid)
                self.assertEqual(self.login(**{kind: to}).uid, uid)

    def test_a_login_of_an_existing_user_does_not_affect_the_anonymous_one(self):
        owner = self.register(username=fresh_name())
        secret = fresh_id("installation-secret-")
        terminal = self.anonymous(device_id=secret)
        uid = terminal.uid
        self.login(terminal, username=owner.user["username"])
        self.assertEqual(terminal.uid, owner.uid)
        self.assertEqual(self.anonymous(device_id=secret).uid, uid)

    def test_the_device_id_of_a_converted_user_gives_a_new_user(self):
        secret = fresh_id("installation-secret-")
        terminal = self.anonymous(device_id=secret)
        uid = terminal.uid
        self.register(terminal, username=fresh_name())
        self.assertEqual(terminal.uid, uid)
        self.assertNotEqual(self.anonymous(device_id=secret).uid, uid)

    def test_only_anonymous_users_can_convert(self):
        taken = self.register(username=fresh_name())
        terminal = self.anonymous()
        ask = {"countryCode": COUNTRY, "username": taken.user["username"], "password": PASSWORD}
        self.assertError(terminal.ask("account/convertAnonymous", ask), "Duplicated", "username")
        self.assertError(terminal.ask("account/convertAnonymous", {**ask, "username": fresh_name(),
                                                                   "password": "12345678"}), "PolicyRejected")
        phone = {"countryCode": COUNTRY, "phone": fresh_phone(), "password": PASSWORD}
        self.assertError(terminal.ask("account/convertAnonymous", phone), "InvalidRequest", "code")
        self.assertError(terminal.ask("account/convertAnonymous", {**phone, "code": "123456"}), "InvalidCode")
        self.assertTrue(self.whoami(terminal)["anonymous"])
        self.assertError(taken.ask("account/convertAnonymous", {**ask, "username": fresh_name()}), "Forbidden")

    def test_under_the_policy_discard_a_logout_erases_it(self):
        secret = fresh_id("installation-secret-")
        terminal = self.anonymous("people-strict", device_id=secret)
        uid = terminal.uid
        terminal.get("account/logout")
        self.assertNotEqual(self.anonymous("people-strict", device_id=secret).uid, uid)


if __name__ == "__main__":
    unittest.main()
