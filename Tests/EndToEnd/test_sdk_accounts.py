"""Account calls as the SDKs of five vendors make them.

The ids at the beginning of the docstrings name capabilities."""

import base64
import itertools
import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_id, fresh_name, fresh_phone, furnish)
from pages import fetch, local
from test_accounts_profile import png
from test_providers_each import APP, Each

_china = itertools.count(13_000_000_000 + int(fresh_phone()[3:]) % 900_000_000)


def chinese_phone():
    """Returns a Chinese mobile number without its country code."""
    return str(next(_china))


class Sdk(People):
    """Tests with apps whose policies differ from the policies of the shared apps."""

    more = {
        "sdk": {"policies": {"phoneRegistration": True, "uidLogin": True}},
        "sdk-none": {"policies": {"phoneRegistration": True, "emailRegistration": "none"}},
        "sdk-link": {"policies": {"phoneRegistration": True, "emailRegistration": "link"}},
        "sdk-open": {"policies": {"phoneRegistration": True, "emailRegistration": "none", "revealAccounts": True}},
        "sdk-bare": {"policies": {"phoneRegistration": True, "cancelProof": False, "sessionDays": 30}},
    }
    app = "sdk"

    def setUp(self):
        super().setUp()
        furnish(self.world)
        for app_id, app in self.more.items():
            if app_id not in self.world.apps:
                self.world.import_app(app_id, app)

    def plain(self, app, method="account/register", terminal=None, **params):
        """Registers with only these parameters, and returns the terminal."""
        terminal = terminal or self.stranger(app)
        result = terminal.get(method, {"countryCode": COUNTRY, "password": PASSWORD, **params}, token=None)
        terminal.user = result["user"]
        terminal.adopt(result)
        return terminal

    def page(self, to, template, seconds=10):
        """Takes the next mail of this template, and returns the page that the mail's link opens."""
        url = self.gateway.taken(to, template, seconds)["params"]["url"]
        return fetch(local(url, self.world.service.http_port))

    def templates_to(self, address):
        return [b["template"] for b in self.gateway.unread_to(address)]


class SigningUp(Sdk):
    def test_name_password_and_an_optional_email_in_one_request(self):
        """B8: one request registers a username, password and e-mail, if no required field is missing."""
        for app in ("sdk-none", "sdk-link"):
            with self.subTest(app=app):
                name, email = fresh_name(), fresh_email()
                owner = self.plain(app, username=name, email=email)
                self.assertEqual((owner.user["username"], owner.user["email"], owner.user["emailVerified"]),
                                 (name, email, False))
                for how in ({"username": name}, {"account": name}, {"email": email}):
                    self.assertEqual(self.login(app=app, **how).uid, owner.uid)
                taken = self.stranger(app).ask("account/register", {
                    "countryCode": COUNTRY, "username": name.upper(), "email": fresh_email(), "password": PASSWORD})
                self.assertError(taken, "Duplicated", "username")
        ask = {"countryCode": COUNTRY, "username": fresh_name(), "email": fresh_email(), "password": PASSWORD}
        terminal = self.stranger("sdk-none")
        for field in ("countryCode", "password"):
            with self.subTest(without=field):
                self.assertError(terminal.ask("account/register", {**ask, field: None}), "InvalidRequest", field)
        phone = fresh_phone()
        user = self.plain("sdk-none", terminal=terminal, **{**ask, "phone": phone}).user
        self.assertEqual((user["email"], user["phoneVerified"], user["pendingPhone"]), (ask["email"], False, "+49" + phone))

    def test_more_fields_at_sign_up(self):
        """B10: the service stores or refuses each additional field of a profile.

        An app's own fields are in `custom`, and an update is merged into the stored fields."""
        terminal = self.stranger()
        ask = {"countryCode": COUNTRY, "username": fresh_name(), "password": PASSWORD}
        for profile, field in (({"interest": "lamps"}, "profile.interest"),
                               ({"gender": "f"}, "profile.gender"), ({"birthday": "soon"}, "profile.birthday"),
                               ({"custom": {"a": "x" * 17_000}}, "profile.custom")):
            with self.subTest(field=field):
                self.assertError(terminal.ask("account/register", {**ask, "profile": profile}), "InvalidRequest", field)
        owner = self.plain("sdk", terminal=terminal, username=ask["username"], profile={
            "birthday": "1990-1-1", "gender": "female", "custom": {"interest": "lamps", "a": 1}})
        self.assertEqual((owner.user["birthday"], owner.user["gender"]), ("1990-01-01", "female"))
        user = owner.get("account/updateProfile", {"custom": {"a": None, "b": {"c": [1, None]}}})["user"]
        self.assertEqual(user["custom"], {"interest": "lamps", "b": {"c": [1, None]}})
        owner.get("account/updateProfile", {"custom": {"big": "x" * 10_000}})
        self.assertError(owner.ask("account/updateProfile", {"custom": {"more": "x" * 10_000}}),
                         "InvalidRequest", "custom")
        self.assertEqual(set(self.whoami(owner)["custom"]), {"interest", "b", "big"})

    def test_a_phone_that_was_checked_in_an_earlier_request(self):
        """B17: a user gets a ticket with a code of the purpose `operation`, and registers with the ticket.

        The user needs no username for this."""
        phone, terminal = fresh_phone(), self.anonymous("sdk")
        owner = self.plain("sdk", terminal=terminal, phone=phone, ticket=self.ticket(terminal, phone=phone))
        self.assertEqual((owner.user["username"], owner.user["phone"], owner.user["phoneVerified"]),
                         ("+49" + phone, "+49" + phone, True))
        self.assertEqual(self.login(app="sdk", phone=phone).uid, owner.uid)
        phone, name, terminal = fresh_phone(), fresh_name(), self.anonymous("sdk")
        both = self.plain("sdk", terminal=terminal, phone=phone, username=name,
                          ticket=self.ticket(terminal, phone=phone))
        self.assertEqual((both.user["username"], both.user["phoneVerified"]), (name, True))
        for how in ({"username": name}, {"phone": phone}):
            self.assertEqual(self.login(app="sdk", **how).uid, both.uid)


class Resetting(Sdk):
    def test_a_code_sent_with_the_register_number_resets_too(self):
        """C11: one call sends codes for registrations and password resets, without naming the purpose."""
        email = fresh_email()
        owner = self.register(app="sdk-open", email=email)
        for app in ("sdk", "sdk-open"):
            with self.subTest(app=app):
                email = fresh_email()
                helper = self.anonymous(app)
                owner = self.plain(app, email=email, terminal=helper, ticket=self.ticket(helper, email=email))
                terminal = self.stranger(app)
                code = self.code(terminal, 1, email=email)
                ask = {"countryCode": COUNTRY, "email": email, "newPassword": OTHER_PASSWORD}
                self.assertError(terminal.ask("account/resetPassword", {
                    **ask, "code": f"{(int(code) + 1) % 1_000_000:06d}"}), "InvalidCode")
                terminal.get("account/resetPassword", {**ask, "code": code})
                self.assertError(terminal.ask("account/resetPassword", {**ask, "code": code}), "InvalidCode")
                self.assertEnded(owner, "passwordReset")
                self.assertEqual(self.login(app=app, email=email, password=OTHER_PASSWORD).uid, owner.uid)

    def test_a_link_to_the_address_that_an_account_registered_with(self):
        """F4: the link in the mail verifies an address that was registered without a code."""
        for app in ("sdk-none", "sdk-link", "sdk-open"):
            with self.subTest(app=app):
                email = fresh_email()
                owner = self.plain(app, email=email)
                self.stranger(app).get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
                page = self.page(email, "resetPassword")
                self.assertFalse(self.whoami(owner)["emailVerified"], "looking proves nothing")
                self.assertEqual(page.send(OTHER_PASSWORD).status, 200)
                self.assertEnded(owner, "passwordReset")
                self.assertError(self.try_login(app=app, email=email), "InvalidCredentials")
                back = self.login(app=app, email=email, password=OTHER_PASSWORD)
                self.assertEqual((back.uid, back.user["emailVerified"]), (owner.uid, True))

    def test_a_reset_removes_an_earlier_persons_links(self):
        """F4: a user who registered with another person's address loses access when that person resets the
        password."""
        email, phone, mailbox = fresh_email(), fresh_phone(), fresh_email()
        thief = self.plain("sdk-none", email=email, username=mailbox)
        thief.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": phone, "code": self.code(thief, "bind", phone=phone)})
        self.stranger("sdk-none").get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        self.page(email, "resetPassword").send(OTHER_PASSWORD)
        self.assertEnded(thief, "passwordReset")
        for how in ({"phone": phone}, {"email": email}, {"username": mailbox}):
            with self.subTest(how=how):
                self.assertError(self.try_login(app="sdk-none", **how), "InvalidCredentials")
        other = self.stranger("sdk-none")
        again = other.get("account/login", {
            "countryCode": COUNTRY, "phone": phone, "code": self.code(other, "login", phone=phone)})
        self.assertTrue(again["isNew"], "the phone leads to another account now")
        self.stranger("sdk-none").get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": mailbox})
        owner = self.login(app="sdk-none", email=email, password=OTHER_PASSWORD)
        self.assertNotIn("phone", owner.user)
        self.assertNotIn("resetPassword", self.templates_to(mailbox))

    def test_the_confirmation_has_a_link_that_verifies(self):
        """F4: under the policy `none`, the link in the welcome mail verifies the user's address."""
        email = fresh_email()
        owner = self.plain("sdk-none", email=email)
        self.assertEqual(self.page(email, "confirmation").send().status, 200)
        self.assertTrue(self.whoami(owner)["emailVerified"])

    def test_the_address_is_looked_up_in_both_fields(self):
        """F5: the service finds a user by an address in the username or e-mail field, even if it is unverified."""
        for field in ("username", "email"):
            with self.subTest(field=field):
                address = fresh_email()
                self.plain("sdk-none", **{field: address})
                self.stranger("sdk-none").get("account/requestPasswordReset", {
                    "countryCode": COUNTRY, "email": address.upper()})
                self.assertEqual(self.page(address, "resetPassword").send(OTHER_PASSWORD).status, 200)
                self.login(app="sdk-none", password=OTHER_PASSWORD, **{field: address})


class TheModel(Sdk):
    def test_a_phone_is_in_the_form_of_the_user_object(self):
        """H1: a phone number is accepted with and without its country code, and as the user object has it."""
        number = chinese_phone()
        forms = (number, f"86-{number}", f"+86{number}", f"+86 {number}")
        terminal = self.stranger()
        # By default, `code` uses the country code 49. So this is a code for another number.
        code = self.code(terminal, "register", phone=number)
        self.assertError(terminal.ask("account/register", {
            "countryCode": "86", "phone": number, "password": PASSWORD, "code": code}), "InvalidCode")
        terminal.get("account/sendCode", {"countryCode": "86", "phone": forms[1], "purpose": 1})
        code = self.gateway.taken(number)["params"]["code"]
        result = terminal.get("account/register", {
            "countryCode": "86", "phone": forms[2], "password": PASSWORD, "code": code})
        terminal.adopt(result)
        self.assertEqual(result["user"]["phone"], f"+86{number}")
        stripped = result["user"]["phone"].split("-")[-1]
        for form in (*forms, stripped):
            with self.subTest(form=form):
                terminal.get("session/logoutCode", {
                    "countryCode": "86", "userName": form, "accountType": "phone", "verifyType": "password",
                    "password": PASSWORD, "ifencrypt": 1})
                for name in ("phone", "account"):
                    self.stranger().get("account/login", {"countryCode": "86", name: form, "password": PASSWORD})
        self.assertError(terminal.ask("session/logoutCode", {
            "countryCode": "49", "userName": stripped, "accountType": "phone", "verifyType": "password",
            "password": PASSWORD}), "InvalidRequest", "userName")

    def test_more_fields_have_forms(self):
        """H7: null keeps the present value.

        A birthday must be a day, and a gender must be one of four values."""
        owner = self.register(app="sdk")
        for field, good, kept in (("birthday", "1990-1-1", "1990-01-01"), ("birthday", "2000-02-29", "2000-02-29"),
                                  *(("gender", g, g) for g in ("male", "female", "other", "unknown"))):
            with self.subTest(good=good):
                self.assertEqual(owner.get("account/updateProfile", {field: good})["user"][field], kept)
        before = self.whoami(owner)
        for field, bad in (("birthday", "soon"), ("birthday", "2001-02-29"), ("birthday", "1.1.1990"),
                           ("gender", "f"), ("gender", "Male"), ("gender", "")):
            with self.subTest(bad=bad):
                self.assertError(owner.ask("account/updateProfile", {field: bad}), "InvalidRequest", field)
        self.assertEqual(owner.get("account/updateProfile", {"birthday": None, "gender": None})["user"], before)

    def test_a_changed_email_is_pending_until_it_is_proved(self):
        """H8: the old address stays valid until the user confirms the new address with the link in a mail."""
        old, new = fresh_email(), fresh_email()
        owner = self.register(app="sdk", email=old)
        user = owner.get("account/updateProfile", {"email": new})["user"]
        self.assertEqual((user["email"], user["emailVerified"], user["pendingEmail"]), (old, False, new))
        self.assertEqual(self.login(app="sdk", email=old).uid, owner.uid)
        self.assertError(self.try_login(app="sdk", email=new), "InvalidCredentials")
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": old})
        self.gateway.taken(old, "resetPassword")
        self.assertEqual(self.page(new, "verifyEmail").send().status, 200)
        user = self.whoami(owner)
        self.assertEqual((user["email"], user["emailVerified"]), (new, True))
        self.assertNotIn("pendingEmail", user)
        self.assertEqual(self.login(app="sdk", email=new).uid, owner.uid)
        self.assertError(self.try_login(app="sdk", email=old), "InvalidCredentials")
        self.assertEqual(owner.expect(f"user/{owner.uid}/account").body["address"], "email")
        self.assertEqual(self.page(old, "addressChanged").send().status, 200, "the old one can undo it")

    def test_a_changed_phone_is_pending_too_and_a_code_proves_it(self):
        """H8: a new phone number is pending until the user proves it with a code.

        If the user sends the current number, the service cancels the change."""
        old, new = fresh_phone(), fresh_phone()
        owner = self.register(app="sdk", phone=old)
        user = owner.get("account/updateProfile", {"countryCode": COUNTRY, "phone": new})["user"]
        self.assertEqual((user["phone"], user["phoneVerified"], user["pendingPhone"]), ("+49" + old, True, "+49" + new))
        self.assertEqual(self.login(app="sdk", phone=old).uid, owner.uid)
        again = owner.get("account/updateProfile", {"countryCode": COUNTRY, "phone": "49-" + old})["user"]
        self.assertNotIn("pendingPhone", again)
        owner.get("account/updateProfile", {"countryCode": COUNTRY, "phone": new})
        user = owner.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": new, "code": self.code(owner, "bind", phone=new)})["user"]
        self.assertEqual((user["phone"], "pendingPhone" in user), ("+49" + new, False))

    def test_username_and_email_in_one_request(self):
        """H11: one request changes both the username and the e-mail address, or neither.

        With revealAccounts, the error for a taken e-mail address is Duplicated."""
        taken = fresh_email()
        self.plain("sdk-open", email=taken)
        owner, name = self.plain("sdk-open", email=fresh_email()), fresh_name()
        before = self.whoami(owner)
        self.assertError(owner.ask("account/updateProfile", {"username": name, "email": taken}), "Duplicated", "email")
        self.assertEqual(self.whoami(owner), before)
        new = fresh_email()
        user = owner.get("account/updateProfile", {"username": name, "email": new})["user"]
        self.assertEqual((user["username"], user["pendingEmail"]), (name, new))
        other = self.plain("sdk-open", username=fresh_name())
        self.assertError(other.ask("account/updateProfile", {"username": name, "email": fresh_email()}),
                         "Duplicated", "username")

    def test_a_taken_address_is_pending_like_any_other_and_its_owner_is_notified(self):
        """H11: if accounts are hidden, nothing shows the caller that the address is taken."""
        taken, free, phone = fresh_email(), fresh_email(), fresh_phone()
        self.register(app="sdk", email=taken)
        self.register(app="sdk", phone=phone)
        owner = self.register(app="sdk", email=fresh_email())
        seen = []
        for ask in ({"email": taken}, {"email": free}, {"phone": phone, "countryCode": COUNTRY},
                    {"phone": fresh_phone(), "countryCode": COUNTRY}):
            user = owner.get("account/updateProfile", ask)["user"]
            seen.append(sorted(user))
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[2], seen[3])
        self.gateway.taken(taken, "addressTaken")
        self.gateway.taken(free, "verifyEmail")
        self.gateway.taken(phone, "addressTaken")
        self.assertNotIn("verifyEmail", self.templates_to(taken))

    def test_the_time_of_the_users_last_login(self):
        """Overlooked 10: the user record has the time of the last login."""
        owner = self.register(app="sdk")
        first = self.whoami(owner)["lastLoginAt"]
        self.assertGreaterEqual(first, owner.user["createdAt"])
        later = self.login(app="sdk", username=owner.user["username"]).user["lastLoginAt"]
        self.assertGreater(later, first)
        self.assertEqual(self.whoami(owner)["lastLoginAt"], later)

    def test_the_zone_of_a_country_with_a_single_zone(self):
        """Overlooked 9: by default, users of country 86 have China's time zone, and users of country 1 have UTC."""
        for country, zone in (("86", "Asia/Shanghai"), ("81", "Asia/Tokyo"), ("49", "Europe/Berlin"), ("1", "UTC")):
            with self.subTest(country=country):
                owner = self.plain("sdk", username=fresh_name(), countryCode=country)
                self.assertEqual(owner.user["timezone"], zone)
                own = owner.get("account/updateProfile", {"timezone": "Asia/Kolkata"})["user"]["timezone"]
                self.assertEqual(own, "Asia/Kolkata")

    def test_null_removes_a_picture(self):
        """Overlooked 13: null removes the picture, and a missing value is refused."""
        owner = self.register(app="sdk")
        owner.get("account/setAvatar", {"data": base64.b64encode(png()).decode()})
        self.assertIn("avatarUrl", self.whoami(owner))
        self.assertEqual(owner.get("account/setAvatar", {"data": None}), {})
        self.assertNotIn("avatarUrl", self.whoami(owner))
        self.assertError(owner.ask("account/setAvatar", {}), "InvalidRequest", "data")


class Closing(Sdk):
    def test_the_session_is_enough_if_the_app_allows_it(self):
        """I1: an account is cancelled without a proof, and a login undoes the cancellation."""
        email, phone = fresh_email(), fresh_phone()
        owner = self.register(app="sdk-bare", email=email)
        owner.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": phone, "code": self.code(owner, "bind", phone=phone)})
        self.assertIn("deletesAt", owner.get("account/cancel"))
        for address in (email, phone):
            self.assertEqual(self.gateway.taken(address, "cancelled")["params"]["days"], "7")
        self.assertEnded(owner, "accountCancelled")
        self.assertEqual(self.login(app="sdk-bare", email=email).uid, owner.uid)

    def test_otherwise_it_requires_a_proof_and_a_wrong_one_counts_everywhere(self):
        """I1: by default, a proof is required, and a wrong proof is always refused."""
        self.assertError(self.register(app="sdk").ask("account/cancel"), "InvalidRequest")
        owner = self.register(app="sdk-bare")
        self.assertError(owner.ask("account/cancel", {"password": WRONG}), "InvalidCredentials")

    def test_a_session_lives_as_long_as_the_app_determines(self):
        """Overlooked 8: a session lives for 7 days, unless the app sets another time.

        After a refresh, this time starts again."""
        for app, days in (("sdk-bare", 30), ("sdk", 7)):
            with self.subTest(app=app):
                owner = self.register(app=app)
                session = owner.get("account/whoami")["session"]
                life = session["expiresAt"] - session["loginTime"]
                self.assertEqual(life, days * 86_400_000)
                self.assertGreaterEqual(owner.get("session/refresh")["expiresAt"], session["expiresAt"])


class BeforeLogin(Sdk):
    def test_the_apps_features(self):
        """Overlooked 6: before a login, an app can read policies, providers, regions and country codes."""
        info = self.stranger("sdk-bare").get("app/info")
        self.assertEqual((info["name"], info["sessionDays"], info["passwordMinLength"]), ("sdk-bare", 30, 8))
        self.assertEqual(info["providers"], [])
        self.assertTrue(info["policies"]["phoneRegistration"])
        self.assertEqual(info["policies"]["emailRegistration"], "code")
        self.assertTrue(any(r["isServed"] and r["isDefault"] for r in info["regions"]))
        logged_in = self.register(app="sdk")
        self.assertEqual(logged_in.get("app/info")["sessionDays"], 7)
        self.assertError(logged_in.ask("app/nothing"), "InvalidRequest")


class Adopting(Sdk):
    app = "test-app"

    def begun(self, count=1):
        """Returns an anonymous terminal and `count` devices that it has bound."""
        terminal, devices = self.terminal(), [self.device() for _ in range(count)]
        for device in devices:
            terminal.bind(device)
        return terminal, devices

    def account(self):
        name = fresh_name()
        owner = self.stranger("test-app")
        owner.adopt(owner.get("account/register", {"countryCode": COUNTRY, "username": name, "password": PASSWORD}))
        return name, owner

    def enter(self, terminal, name, **more):
        result = terminal.get("account/login", {
            "countryCode": COUNTRY, "username": name, "password": PASSWORD, **more}, token=None)
        terminal.adopt(result)
        return result

    def test_devices_bound_before_the_login_are_moved(self):
        """Overlooked 2: devices bound before a login move to the account and can be shared."""
        name, owner = self.account()
        terminal, (one, two) = self.begun(2)
        terminal.get("device/setCustomInfo", {"did": one.did, "alias": "Kitchen"})
        home = terminal.get("home/create", {"name": "Cabin"})["homeId"]
        terminal.get("home/addDevice", {"homeId": home, "did": one.did})
        schedule = terminal.get("schedule/create", {
            "did": one.did, "time": "06:30", "weekDays": [1], "attrs": {"power": True}})["schedule"]["scheduleId"]
        anonymous = terminal.uid
        result = self.enter(terminal, name, adopt=True)
        self.assertEqual((result["adopted"], result["isNew"], result["user"]["uid"]), (2, False, owner.uid))
        self.assertNotIn("adoptable", result)
        rows = {d["did"]: d for d in terminal.get("device/list")["devices"]}
        self.assertEqual({d: r["role"] for d, r in rows.items()}, {one.did: "special", two.did: "special"})
        self.assertEqual((rows[one.did]["alias"], rows[one.did]["homeId"]), ("Kitchen", home))
        self.assertEqual([h["name"] for h in terminal.get("home/list")["homes"]], ["Cabin"])
        self.assertEqual([s["scheduleId"] for s in terminal.get("schedule/list")["schedules"]], [schedule])
        terminal.get("schedule/disable", {"scheduleId": schedule})
        terminal.get("device/allowReset", {"did": one.did})
        terminal.get("share/invite", {"did": one.did, "way": "qrcode"})
        one.report(data={"power": True})
        self.assertEqual(terminal.status(one, lambda b: b["data"].get("power"))["did"], one.did)
        told = [owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "bound").body["did"] for _ in range(2)]
        self.assertEqual(set(told), {one.did, two.did})
        self.world.watcher.expect(f"user/{anonymous}/device", lambda b: b["type"] == "unbound" and b["did"] == two.did)

    def test_without_adopt_the_answer_has_their_number(self):
        """Overlooked 2: the login only offers to move the devices."""
        name, _ = self.account()
        terminal, _ = self.begun(2)
        result = self.enter(terminal, name)
        self.assertEqual((result.get("adoptable"), result.get("adopted")), (2, None))
        self.assertEqual(terminal.get("device/list")["total"], 0)
        self.assertEqual(self.enter(self.terminal(), name)["adoptable"], 0)
        self.assertNotIn("adoptable", self.enter(self.stranger("test-app"), name))

    def test_if_both_are_bound_the_stronger_role_stays(self):
        """Overlooked 2: if the account had also bound the device, the stronger role stays."""
        name, owner = self.account()
        terminal, (device,) = self.begun()
        owner.bind(device)
        self.assertEqual(owner.get("device/list")["devices"][0]["role"], "normal")
        self.assertEqual(self.enter(terminal, name, adopt=True)["adopted"], 1)
        row = terminal.get("device/list")["devices"][0]
        self.assertEqual((row["did"], row["role"]), (device.did, "special"))
        self.assertEqual(owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "roleChanged").body["role"],
                         "special")
        self.assertEqual(len(terminal.get("device/users", {"did": device.did})["users"]), 1)

    def test_guests_become_guests_of_the_account(self):
        """Overlooked 2: the anonymous user's guests stay, now as guests of the account."""
        name, _ = self.account()
        terminal, (device,) = self.begun()
        guest = self.terminal()
        code = terminal.get("share/invite", {"did": device.did, "way": "qrcode"})["qrCode"]["text"]
        guest.get("share/answer", {"qrText": code, "accept": True})
        self.assertEqual(self.enter(terminal, name, adopt=True)["adopted"], 1)
        roles = {u["uid"]: u["role"] for u in terminal.get("device/users", {"did": device.did})["users"]}
        self.assertEqual(roles, {terminal.uid: "owner", guest.uid: "guest"})
        self.assertEqual(guest.get("device/list")["total"], 1)
        mine = terminal.get("share/list", {"type": "byMe"})["sharings"]
        self.assertEqual([s["status"] for s in mine], ["accepted"])
        terminal.get("device/removeUser", {"did": device.did, "uid": guest.uid})

    def test_a_waiting_command_is_sent_for_the_account(self):
        """Overlooked 2: a command that was queued before the login is carried out after the login."""
        name, _ = self.account()
        terminal, (device,) = self.begun()
        device.close()
        terminal.status(device, lambda b: not b["online"])
        cid = terminal.get("device/control", {
            "did": device.did, "data": {"power": True}, "mode": "queue", "ttl": 600})["cid"]
        self.enter(terminal, name, adopt=True)
        back = self.keep(type(device)(self.world.port, device.did, device.secret, device.mac).come())
        command = back.command().body
        self.assertEqual((command["cid"], command["data"]), (cid, {"power": True}))
        back.send(cid=cid, code=0, data={"power": True})
        self.assertEqual(terminal.expect("/command", lambda b: b["cid"] == cid).body["state"], "done")


class ProfilesOfProviders(Each):
    """B16, overlooked 14, and overlooked 16: the service takes over users' profiles from providers."""

    WAYS = (("wechat", None, "小莲", "https://thirdwx.qlogo.cn/mmopen/x/46"),
            ("qq", "userId", "Lena", "https://thirdqq.qlogo.cn/x/100"),
            ("weibo", "uid", "Lena", "https://tvax.sinaimg.cn/x.180.jpg"),
            ("facebook", "", "Lena", "https://platform-lookaside.fbsbx.com/x"))

    def credential(self, kind, name):
        if kind == "wechat":
            code = fresh_id("code")
            self.china.codes[code] = fresh_id("openid").replace("-", "")
            return {"code": code}
        token, user = self.token(kind)
        return {"accessToken": token, **({name: user} if name else {})}

    def test_at_the_first_login(self):
        """B16: at the first login, the user gets a random name, no password, and the provider's nickname and
        picture."""
        for kind, name, nickname, picture in self.WAYS:
            with self.subTest(provider=kind):
                result = self.enter(kind, **self.credential(kind, name))["result"]
                self.assertTrue(result["isNew"])
                self.assertEqual((result["user"]["nickname"], result["user"]["avatarUrl"]), (nickname, picture))
                self.assertTrue(result["user"]["username"])

    def test_when_linking_if_the_profile_is_empty(self):
        """Overlooked 14: linking a provider fills only the empty fields of the profile."""
        for kind, name, nickname, picture in self.WAYS:
            with self.subTest(provider=kind):
                owner = self.register()
                owner.get("account/linkProvider", {"provider": kind, "credential": self.credential(kind, name)})
                user = self.whoami(owner)
                self.assertEqual((user["nickname"], user["avatarUrl"]), (nickname, picture))
        named = self.register()
        named.get("account/updateProfile", {"nickname": "My own"})
        named.get("account/linkProvider", {"provider": "qq", "credential": self.credential("qq", "userId")})
        self.assertEqual(self.whoami(named)["nickname"], "My own")

    def test_a_missing_profile_fails_no_login(self):
        """B16: the login succeeds without the profile."""
        paths = {"wechat": "/wechat/sns/userinfo", "qq": "/qq/user/get_user_info",
                 "weibo": "/weibo/2/users/show.json", "facebook": "/facebook/me"}
        for kind, name, _nickname, _picture in self.WAYS:
            before = self.provider.answers[paths[kind]]
            self.addCleanup(self.provider.answers.__setitem__, paths[kind], before)
            for answer in ((500, {}), (200, b"<html>")):
                with self.subTest(provider=kind, answer=answer[0]):
                    self.provider.answers[paths[kind]] = lambda query, a=answer: a
                    result = self.enter(kind, **self.credential(kind, name))["result"]
                    self.assertEqual((result["user"]["nickname"], result["user"].get("avatarUrl")), ("", None))
            self.provider.answers[paths[kind]] = before

    def test_apple_in_an_sdks_spelling_without_a_profile(self):
        """Overlooked 16: provider `auth2` with type `ap` works with and without extraInfo."""
        for extra in ({}, {"extraInfo": {}}, {"extraInfo": {"nickname": "Lena"}}, {"extraInfo": {"snsNickname": "Lena"}}):
            with self.subTest(extra=extra):
                token = self.provider.id_token(self.apple, APP, fresh_id("sub"))
                result = self.enter("auth2", type="ap", accessToken=token, **extra)["result"]
                self.assertTrue(result["isNew"])
                self.assertEqual(result["user"]["nickname"], "Lena" if extra.get("extraInfo") else "")

    def test_google_has_it_in_its_token(self):
        """B16: the name and the picture are claims in Google's token."""
        token = self.provider.id_token(self.google, APP, fresh_id("sub"), name="Lena",
                                       picture="https://lh3.googleusercontent.com/a/x")
        user = self.enter("google", identityToken=token)["result"]["user"]
        self.assertEqual((user["nickname"], user["avatarUrl"]), ("Lena", "https://lh3.googleusercontent.com/a/x"))


del Each, People  # their tests run in their own modules

if __name__ == "__main__":
    unittest.main()
