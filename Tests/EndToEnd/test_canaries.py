"""The tests send secrets to the service, and check that these secrets appear nowhere in clear text."""

import base64
import pathlib
import unittest
import urllib.request

import postgres
from accounts import COUNTRY, People, fresh_email, fresh_id, fresh_name, fresh_phone
from client import fresh_mac
from world import LAMP


class Canaries(People):
    app = "people-attacked"

    def canary(self, what):
        """Returns a secret that can be searched for."""
        secret = f"canary {what} {fresh_id()}"
        self.canaries[what] = secret
        return secret

    def setUp(self):
        super().setUp()
        self.canaries = {}

    def plant(self):
        """Sends good and bad secrets in every input that takes a secret, and in broken requests."""
        email, phone, name = fresh_email(), fresh_phone(), fresh_name()
        password, second = self.canary("password"), self.canary("new password")
        terminal = self.stranger()
        owner = self.register(terminal, username=name, password=password)
        self.canaries["token"] = owner.token
        self.try_login(username=name, password=self.canary("wrong password"))
        self.try_login(username=self.canary("mistyped name"), password=self.canary("lost password"))
        other = self.login(username=name, password=password)
        self.canaries["second token"] = other.token
        self.canaries["refreshed token"] = other.get("session/refresh")["token"]
        owner.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": phone, "ticket": self.keep_secret("ticket", self.ticket(owner, phone=phone))})
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": email, "code": self.code(owner, "bind", email=email)})
        owner.get("account/checkPassword", {"password": self.canary("checked password")})
        owner.get("account/changePassword", {"oldPassword": password, "newPassword": second})
        owner.ask("account/changePassword", {"oldPassword": self.canary("old password"), "newPassword": "12345678"})
        code = owner.get("session/logoutCode", {
            "countryCode": COUNTRY, "userName": phone, "accountType": "phone", "verifyType": "password",
            "password": second})["logoutCode"]
        owner.ask("session/terminateOthers", {"logoutCode": self.keep_secret("logout code", code)})
        owner.ask("session/terminateOthers", {"logoutCode": self.canary("wrong logout code")})
        self.stranger().ask("account/loginOrRegister", {
            "countryCode": COUNTRY, "uid": fresh_id(), "password": self.canary("uid password")})
        self.anonymous(device_id=self.canary("device id")[:64])
        self.canaries["device id"] = self.canaries["device id"][:64]
        self.stranger().ask("account/loginWithProvider", {
            "countryCode": COUNTRY, "provider": "google", "credential": {"identityToken": self.canary("identity token")}})
        self.stranger().ask("account/resetPassword", {
            "countryCode": COUNTRY, "email": email, "code": self.canary("code")[:16],
            "newPassword": self.canary("reset password")})
        self.canaries.pop("code")
        self.stranger().ask("account/register", {
            "countryCode": COUNTRY, "email": email, "password": self.canary("registered password"),
            "ticket": self.canary("wrong ticket")})
        self.stranger().ask("account/whoami", token=self.canary("nonsense token"))
        owner.ask("account/cancel", {"password": self.canary("cancelling password")})
        self.devices()
        self.broken(terminal)

    def keep_secret(self, what, secret):
        self.canaries[what] = secret
        return secret

    def devices(self):
        device = self.device(passcode=self.canary("passcode")[:32])
        self.canaries["passcode"] = self.canaries["passcode"][:32]
        self.canaries["device secret"] = device.secret
        owner = self.register()
        owner.bind(device)
        owner.ask("device/bind", {"did": device.did, "passcode": self.keep_secret("wrong passcode", fresh_id("pass") + "-wrong")})
        self.canaries["product secret"] = self.world.secrets[LAMP["productKey"]]
        self.canaries["app secret"] = self.world.apps[self.app]["secret"]
        self.world.register(mac=fresh_mac(), passcode="123456", oldSecret=self.canary("old secret"))

    def broken(self, terminal):
        """Sends requests that end as dead letters."""
        later = self.stranger()
        topic = f"{later.base}/request/account/login"
        for text in ('{"params": {"password": "%s"}}', '{"id": "x", "params": {"password": "%s"',
                     '{"id": "x", "token": "%s", "params": []}', '{"id": 5, "params": {"code": "%s"}}'):
            self.world.watcher.clear()
            later.publish(topic, text % self.canary(f"broken {len(self.canaries)}"))
            self.world.watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic)

    def test_no_canary_is_stored_in_clear(self):
        self.plant()
        service = self.world.service
        service.log.flush()
        places = {str(p): p.read_bytes() for p in service.data.parent.rglob("*") if p.is_file()}
        if service.store:
            server = postgres.shared()
            server.sql("CHECKPOINT")
            places.update({str(p): p.read_bytes() for p in server.data.rglob("*") if p.is_file()})
        metrics = urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/metrics").read()
        places["/metrics"] = metrics
        places["the process list"] = b"\n".join(
            p.read_bytes() for pid in (service.process.pid, service.broker_pid)
            for p in (pathlib.Path(f"/proc/{pid}/cmdline"), pathlib.Path(f"/proc/{pid}/environ")))
        letters = b"".join(
            service.cli("deadletter", "show", str(row["id"]), "--json").stdout.encode()
            for row in service.dead_letters()[:10])
        places["dead letters"] = letters
        for what, secret in self.canaries.items():
            for form in {secret, base64.b64encode(secret.encode()).decode().rstrip("=")[:-1],
                         secret.encode().hex(), secret.replace(" ", "\\u0020")}:
                for place, text in places.items():
                    if what in ("app secret", "product secret") and place.endswith((".json",)):
                        continue  # the documents this test wrote itself
                    with self.subTest(what=what, place=place):
                        self.assertFalse(form.encode() in text, f"{what} stands in {place}")

    def test_codes_are_not_in_the_database(self):
        terminal, email = self.stranger(), fresh_email()
        code = self.code(terminal, "register", email=email)
        for path in self.world.service.data.rglob("*.db*"):
            text = path.read_bytes()
            for form in (f'"{code}"', f'code\x00{code}', f'code":"{code}', f'code": "{code}'):
                self.assertFalse(form.encode() in text, path.name)


if __name__ == "__main__":
    unittest.main()
