"""Habits of apps that were written for other SDKs, tested with the Python client."""

import accounts
import pythonclient
from accounts import COUNTRY, PASSWORD, fresh_email, fresh_name, fresh_phone
from world import LAMP, EndToEnd

APPS = {
    "gaps": {"policies": {"phoneRegistration": True, "defaultCountryCode": COUNTRY}},
    "gaps-link": {"policies": {"phoneRegistration": True, "emailRegistration": "link"}},
}


class Gaps(EndToEnd):
    client = pythonclient.module("1.6")

    def setUp(self):
        super().setUp()
        self.gateway = accounts.furnish(self.world)
        for app_id, app in APPS.items():
            if app_id not in self.world.apps:
                self.world.import_app(app_id, app)

    def stranger(self, app="gaps"):
        made = self.client.App(app, self.world.apps[app]["secret"], port=self.world.port).connect()
        self.addCleanup(made.close)
        return made

    def person(self):
        made = self.stranger()
        made.account.loginAnonymous()
        return made

    def bound(self, app):
        device = self.device()
        app.device.bind(did=device.did, passcode=device.passcode)
        return device

    def code(self, app, purpose, **address):
        app.account.sendCode(countryCode=COUNTRY, purpose=purpose, **address)
        return self.gateway.taken(next(iter(address.values())))["params"]["code"]

    def refused(self, method, **params):
        with self.assertRaises(self.client.LamplighterError) as caught:
            method(**params)
        return caught.exception.code, caught.exception.field


class SigningUp(Gaps):
    def test_a_code_proves_one_of_two_addresses(self):
        app, name, email, phone = self.stranger(), fresh_name(), fresh_email(), "+49" + fresh_phone()
        code = self.code(app, "register", email=email)
        user = app.account.register(username=name, email=email, phone=phone, password=PASSWORD, code=code)["user"]
        self.assertEqual((user["username"], user["emailVerified"], user["phoneVerified"], user["pendingPhone"]),
                         (name, True, False, phone))
        self.assertEqual(self.refused(self.stranger().account.login, phone=phone, password=PASSWORD)[0], "InvalidCredentials")
        code = self.code(app, "bind", phone=phone)
        self.assertTrue(app.account.bindPhone(phone=phone, code=code)["user"]["phoneVerified"])
        other = self.stranger()
        self.assertEqual(other.account.login(phone=phone, password=PASSWORD)["user"]["uid"], user["uid"])

    def test_the_other_way_round_the_email_waits_for_its_link(self):
        app, email, phone = self.stranger(), fresh_email(), "+49" + fresh_phone()
        code = self.code(app, "register", phone=phone)
        user = app.account.register(email=email, phone=phone, password=PASSWORD, code=code)["user"]
        self.assertEqual((user["username"], user["phoneVerified"], user["emailVerified"], user["pendingEmail"]),
                         (phone, True, False, email))
        self.assertIn("url", self.gateway.taken(email, "verifyEmail")["params"])

    def test_name_password_email_and_phone_without_any_code(self):
        app, name, email, phone = self.stranger("gaps-link"), fresh_name(), fresh_email(), "+49" + fresh_phone()
        user = app.account.register(username=name, email=email, phone=phone, password=PASSWORD)["user"]
        self.assertEqual((user["username"], user["email"], user["emailVerified"], user["pendingPhone"]),
                         (name, email, False, phone))
        self.gateway.taken(email, "verifyEmail")
        self.assertEqual(self.refused(self.stranger("gaps-link").account.register,
                                      username=fresh_name(), phone=phone, password=PASSWORD),
                         ("InvalidRequest", "params.code"))

    def test_the_proved_phone_is_the_username(self):
        app, phone = self.stranger(), fresh_phone()
        code = self.code(app, "register", phone=phone)
        user = app.account.register(username=phone, phone=phone, password=PASSWORD, code=code)["user"]
        self.assertEqual(user["username"], "+49" + phone)
        other = self.stranger()
        self.assertEqual(other.account.login(username=phone, password=PASSWORD)["user"]["uid"], user["uid"])
        self.assertEqual(self.refused(self.stranger().account.register, username=fresh_phone(), password=PASSWORD),
                         ("InvalidRequest", "params.username"))

    def test_a_few_digits_are_a_username(self):
        name = fresh_phone()[-6:]
        uid = self.stranger().account.register(username=name, password=PASSWORD)["user"]["uid"]
        self.assertEqual(self.stranger().account.login(account=name, password=PASSWORD)["user"]["uid"], uid)

    def test_a_changed_email_is_not_verified_until_it_is_proved(self):
        app, old, new = self.stranger(), fresh_email(), fresh_email()
        app.account.register(email=old, password=PASSWORD, code=self.code(app, "register", email=old))
        user = app.account.updateProfile(email=new)["user"]
        self.assertEqual((user["email"], user["emailVerified"], user["pendingEmail"]), (old, False, new))
        self.gateway.taken(new, "verifyEmail")
        app.account.requestEmailVerification()
        self.gateway.taken(new, "verifyEmail")


class Countries(Gaps):
    def test_the_apps_default_country_is_used(self):
        app = self.stranger()
        self.assertEqual(app.app.info()["policies"]["defaultCountryCode"], COUNTRY)
        self.assertEqual(app.account.loginAnonymous()["user"]["countryCode"], COUNTRY)

    def test_a_phone_in_e164_has_its_own_country(self):
        for app_id in ("gaps", "gaps-link"):
            app, phone = self.stranger(app_id), "+43664" + fresh_phone()[:8]
            app.account.sendCode(phone=phone, purpose="login")
            code = self.gateway.taken(phone.removeprefix("+43"))["params"]["code"]
            self.assertEqual(app.account.login(phone=phone, code=code)["user"]["countryCode"], "43")

    def test_without_either_it_is_required(self):
        app = self.stranger("gaps-link")
        for method, params in ((app.account.loginAnonymous, {}),
                               (app.account.login, {"account": fresh_phone(), "password": PASSWORD}),
                               (app.account.sendCode, {"email": fresh_email(), "purpose": "register"})):
            self.assertEqual(self.refused(method, **params), ("InvalidRequest", "params.countryCode"))


class Codes(Gaps):
    def test_account_is_either_address(self):
        for address in (fresh_email(), "+49" + fresh_phone()):
            app = self.stranger()
            app.account.sendCode(account=address, purpose=1)
            code = self.gateway.taken(address)["params"]["code"]
            self.assertTrue(app.account.checkCode(account=address, purpose=1, code=code)["valid"])
        self.assertEqual(self.refused(self.stranger().account.sendCode, account=fresh_name(), purpose=1),
                         ("InvalidRequest", "params.account"))


class Devices(Gaps):
    def test_an_invitation_can_be_previewed_before_it_is_answered(self):
        owner, guest, third = self.person(), self.person(), self.person()
        device = self.bound(owner)
        owner.device.setCustomInfo(did=device.did, alias="Kitchen")
        by_name = owner.share.invite(did=device.did, way="user", access="read",
                                     guest={"type": "uid", "value": guest.credentials.uid})["sharingId"]
        by_code = owner.share.invite(did=device.did, way="qrcode")["qrCode"]["text"]
        for name, access in (({"sharingId": by_name}, "read"), ({"qrText": by_code}, "control")):
            for _ in range(2):
                shown = guest.share.preview(**name)
                self.assertEqual(
                    (shown["did"], shown["productKey"], shown["alias"], shown["access"], shown["status"], shown["online"]),
                    (device.did, LAMP["productKey"], "Kitchen", access, "pending", True))
                self.assertEqual(shown["guest"]["uid"], guest.credentials.uid)
        self.assertEqual(self.refused(third.share.preview, sharingId=by_name)[0], "ResourceNotFound")
        self.assertEqual(self.refused(owner.share.preview, qrText=by_code)[0], "InvalidRequest")
        self.assertEqual(guest.device.list()["total"], 0)
        guest.share.answer(qrText=by_code, accept=True)
        self.assertEqual(self.refused(third.share.preview, qrText=by_code)[0], "Expired")

    def test_the_hardware_names_the_product(self):
        app = self.person()
        device = self.bound(app)
        self.assertEqual(app.device.hardware(did=device.did)["hardware"]["productKey"], LAMP["productKey"])
