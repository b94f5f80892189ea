"""Calls as the device SDKs and the firmware make them.

The id at the beginning of a test's docstring names the capability."""

import base64
import json
import pathlib
import tempfile
import time
import unittest
import urllib.request

import contract
from accounts import COUNTRY, People, fresh_email, fresh_id, fresh_name, fresh_phone
from client import Client, fresh_mac, fresh_terminal, now
from sharing import Sharing, share
from world import FREE, LAMP, EndToEnd, OwnWorldOfClass, World


class Reports(EndToEnd):
    """Times of reports, and their answers."""

    SECONDS = (0, 1, 1_420_070_399, 1_420_070_399_999)

    def test_a_clock_in_seconds_is_refused_with_a_hint(self):
        device, terminal = self.pair()
        for ts in (*self.SECONDS, int(time.time())):
            with self.subTest(ts=ts):
                error = self.assertError(device.report(ts=ts, data={"power": True}), "InvalidRequest", "ts")
                self.assertIn("milliseconds, not seconds", error["message"])
        state = terminal.get("device/status", {"did": device.did})
        self.assertEqual((state["version"], state["data"]), (0, {}), "nothing of it was kept")
        history = {"did": device.did, "from": 0, "to": now() + 1000}
        self.assertEqual(terminal.get("device/history", history)["rows"], [])
        self.assertTrue(device.report(ts=1_420_070_400_000, data={"power": True})["ok"], "2015 is taken")

    def test_stored_history_in_seconds_is_refused_with_a_hint(self):
        device, terminal = self.pair()
        good = {"ts": now() - 5000, "data": {"power": True}}
        for place in (0, 2):
            reports = [dict(good) for _ in range(3)]
            reports[place]["ts"] = int(time.time()) - 5
            with self.subTest(place=place):
                error = self.assertError(device.report(reports=reports), "InvalidRequest", f"reports.{place}.ts")
                self.assertIn("milliseconds", error["message"])
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"], {}, "refused whole")

    def test_an_alert_with_a_time_in_seconds_is_not_raised(self):
        device, terminal = self.pair()
        self.assertError(device.report(ts=int(time.time()), alerts=[{"name": "smoke"}]), "InvalidRequest", "ts")
        device.report(alerts=[{"name": "overheat"}])
        terminal.event(device, lambda b: b.get("name") == "overheat")
        names = [m.body.get("name") for m in terminal.everything if m.topic.endswith("/event")]
        self.assertNotIn("smoke", names)

    def test_the_answer_has_the_place_of_the_report_and_the_time(self):
        device = self.device()
        at, id = now() - 60_000, fresh_id("r")
        for report, stored in (
            ({"id": id, "ts": at, "data": {"power": True, "count": 1}}, "state"),
            ({"ts": at - 1, "data": {"count": 2}}, "history"),
            ({"ts": at - 1, "data": {"count": 2, "brightness": 5}}, "state"),
            ({"reports": [{"ts": at - 9, "data": {"count": 3}}, {"ts": at - 8, "data": {"count": 4}}]}, "history"),
            ({"reports": [{"ts": at - 9, "data": {"count": 3}}, {"ts": at + 8, "data": {"count": 4}}]}, "state"),
            ({"cid": 77}, "state"),
            ({"alerts": [{"name": "smoke"}]}, "state"),
            ({"ts": at, "alerts": [{"name": "smoke", "value": False}]}, "history"),
            ({"id": id, "ts": at, "data": {"power": True, "count": 1}}, "repeat"),
        ):
            with self.subTest(report=report):
                answer = device.report(**report)
                self.assertEqual((answer["ok"], answer["stored"]), (True, stored), answer)
                self.assertAlmostEqual(answer["ts"], now(), delta=5000)

    def test_a_device_without_a_clock_sets_it_by_a_command(self):
        device, terminal = self.pair()
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        command = device.command().body
        self.assertAlmostEqual(command["ts"], now(), delta=5000)
        self.assertAlmostEqual(command["expiresAt"], command["ts"] + 30_000, delta=1000)


class Raw(EndToEnd):
    """Binary values in the maker's own format."""

    def test_a_product_with_data_points_refuses_binary(self):
        """N2: the service checks reports and commands against data points, and refuses bytes."""
        device, terminal = self.pair()
        version = device.report(data={"power": True})["version"]
        for report in ({"binary": "AAEC"}, {"data": {"power": False}, "binary": "AAEC"}, {"cid": 1, "binary": "AAEC"}):
            with self.subTest(report=report):
                self.assertError(device.report(**report), "InvalidRequest", "binary")
        for more in ({}, {"mode": "queue"}, {"wait": True}):
            with self.subTest(more=more):
                error = terminal.fail("device/control", {"did": device.did, "binary": "AAEC", **more})
                self.assertError(error, "InvalidRequest", "binary")
        terminal.get("device/control", {"did": device.did, "data": {"power": False}})
        self.assertEqual(device.command().body["data"], {"power": False}, "no other command came before")
        state = terminal.get("device/status", {"did": device.did})
        self.assertEqual((state["version"], state["data"]), (version, {"power": True}), "refused whole")
        self.assertEqual(terminal.unread("/binary"), [])

    def test_a_product_without_data_points_accepts_binary(self):
        """N2: without data points, a product's reports and commands can have the maker's format."""
        device, terminal = self.pair(FREE)
        cid = terminal.get("device/control", {"did": device.did, "binary": "AAEC"})["cid"]
        self.assertEqual(device.command().body["binary"], "AAEC")
        self.assertEqual(device.report(cid=cid, binary="AwQF")["stored"], "history")
        self.assertEqual(terminal.expect("/binary").body["binary"], "AwQF")


class Roles(Sharing):
    """The roles of users for a device, before and after an invitation."""

    def setUp(self):
        super().setUp()
        self.thing = self.device()
        self.one, self.two = self.terminal(), self.terminal()
        self.one.bind(self.thing), self.two.bind(self.thing)

    def roles(self, *terminals):
        return [self.role(t, self.thing) for t in (self.one, self.two, *terminals)]

    def test_the_first_acceptance_changes_roles_and_an_invitation_does_not(self):
        """Q6: sending an invitation isn't enough to make the special user the owner.

        The inviter can mistype the receiver's name, so a receiver must accept the invitation first."""
        guest, late = self.terminal(), self.terminal()
        id = self.invite(self.one, self.thing, guest)["sharingId"]
        self.told(guest, id, "pending")
        self.assertEqual(self.roles(), ["special", "normal"])
        late.bind(self.thing)
        self.assertEqual(self.role(late, self.thing), "normal", "without an owner others may bind")
        self.one.clear()
        guest.get("share/answer", {"sharingId": id, "accept": True})
        self.assertEqual(self.roles(late, guest), ["owner", "guest", "guest", "guest"])
        for terminal, role in ((self.one, "owner"), (self.two, "guest"), (late, "guest")):
            told = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "roleChanged").body
            self.assertEqual((told["role"], told["device"]["role"]), (role, role))
        self.one.expect(f"user/{self.one.uid}/device", lambda b: b["type"] == "usersChanged")
        stranger = self.terminal()
        error = stranger.fail("device/bind", {"did": self.thing.did, "passcode": self.thing.passcode})
        self.assertError(error, "Forbidden")

    def test_by_code_too(self):
        """Q6: the first scan of the code makes the special user the owner."""
        text = self.invite(self.one, self.thing)["qrCode"]["text"]
        self.assertEqual(self.roles(), ["special", "normal"])
        guest = self.terminal()
        guest.get("share/answer", {"qrText": text, "accept": True})
        self.assertEqual(self.roles(guest), ["owner", "guest", "guest"])

    def test_an_unanswered_invitation_changes_nothing(self):
        """Q6: revoked, rejected and pending invitations change no role."""
        guest = self.terminal()
        revoked = self.invite(self.one, self.thing, guest)["sharingId"]
        self.one.get("share/revoke", {"sharingId": revoked})
        rejected = self.invite(self.one, self.thing, guest)["sharingId"]
        guest.get("share/answer", {"sharingId": rejected, "accept": False})
        self.invite(self.one, self.thing, guest)
        self.assertEqual(self.roles(), ["special", "normal"])
        self.assertError(self.two.fail("share/invite", {"did": self.thing.did, "way": "qrcode"}), "Forbidden")
        self.assertError(self.one.fail("device/removeUser", {"did": self.thing.did, "uid": self.two.uid}), "Forbidden")
        for terminal in (self.one, self.two):
            self.assertEqual([m.body["type"] for m in terminal.unread(f"user/{terminal.uid}/device")
                              if m.body and m.body.get("type") == "roleChanged"], [])

    def test_a_leaving_user_takes_invitations_along(self):
        """Q6: when a special user leaves, that user's invitations are revoked."""
        guest = self.terminal()
        id = self.invite(self.one, self.thing, guest)["sharingId"]
        self.one.get("device/unbind", {"did": self.thing.did})
        self.told(guest, id, "revoked")
        self.assertError(guest.fail("share/answer", {"sharingId": id, "accept": True}), "Expired")
        self.assertEqual(self.roles(), [None, "special"])
        self.share(self.two, self.thing, guest)
        self.assertEqual(self.roles(guest), [None, "owner", "guest"])

    def test_of_two_invitations_the_second_changes_nothing_more(self):
        """Q6: a later acceptance only adds a guest."""
        guests = [self.terminal() for _ in range(2)]
        ids = [self.invite(self.one, self.thing, guest)["sharingId"] for guest in guests]
        for guest, id in zip(guests, ids):
            guest.get("share/answer", {"sharingId": id, "accept": True})
        self.assertEqual(self.roles(*guests), ["owner", "guest", "guest", "guest"])


class Targets(People):
    """The users who can be invited, and the data that both sides see of each other."""

    UNKNOWN = (("phone", fresh_phone, {"countryCode": COUNTRY}), ("email", fresh_email, {}),
               ("username", fresh_name, {}), ("uid", lambda: fresh_id("u-"), {}),
               ("anonymous", lambda: fresh_id("u-"), {}))

    def invite(self, owner, device, type, value, **more):
        guest = {"type": type, "value": value, **more}
        return owner.ask("share/invite", {"did": device.did, "way": "user", "guest": guest})

    def test_a_mistyped_number_is_reported_if_accounts_are_revealed(self):
        """Q6: the receiver "must be a user who has already registered"."""
        owner = self.register(app="people-open", username=fresh_name())
        device = self.device()
        owner.bind(device)
        for type, make, more in self.UNKNOWN:
            with self.subTest(type=type):
                self.assertError(self.invite(owner, device, type, make(), **more), "ResourceNotFound", "guest.value")
        elsewhere = self.register(app="people", username=fresh_name())
        self.assertError(self.invite(owner, device, "username", elsewhere.user["username"]), "ResourceNotFound")
        self.assertEqual(owner.get("share/list", {"type": "byMe"})["sharings"], [])
        phone = fresh_phone()
        friend = self.register(app="people-open", phone=phone)
        id = self.invite(owner, device, "phone", phone, countryCode=COUNTRY)["result"]["sharingId"]
        friend.expect(f"user/{friend.uid}/share", lambda b: share(b, id, "pending"))

    def test_a_mistyped_number_is_pending_if_accounts_are_not_revealed(self):
        """Q6: without revealAccounts, no caller learns which accounts exist.

        The inviter stays the special user."""
        owner = self.register(username=fresh_name())
        device = self.device()
        owner.bind(device)
        for type, make, more in self.UNKNOWN:
            with self.subTest(type=type):
                self.assertTrue(self.invite(owner, device, type, make(), **more)["ok"])
        states = [s["status"] for s in owner.get("share/list", {"type": "byMe"})["sharings"]]
        self.assertEqual(states, ["pending"] * len(self.UNKNOWN))
        self.assertEqual(owner.get("device/list")["devices"][0]["role"], "special")

    def test_a_guest_sees_the_device_and_its_owner_before_accepting(self):
        """Overlooked 12: an invitation shows the product, the alias, the inviter and the time."""
        email = fresh_email()
        owner = self.register(email=email, profile={"nickname": "Olivia"})
        guest = self.register(username=fresh_name())
        device = self.device()
        owner.bind(device)

        def listed(terminal, type):
            return terminal.get("share/list", {"type": type, "did": device.did})["sharings"][0]
        first = self.invite(owner, device, "uid", guest.uid)["result"]["sharingId"]
        self.assertNotIn("alias", listed(guest, "toMe"), "the device has no name yet")
        owner.get("share/revoke", {"sharingId": first})
        owner.get("device/setCustomInfo", {"did": device.did, "alias": "Kitchen lamp"})
        id = self.invite(owner, device, "uid", guest.uid)["result"]["sharingId"]
        seen = listed(guest, "toMe")
        self.assertEqual((seen["productName"], seen["alias"], seen["updatedAt"]),
                         ("Test lamp", "Kitchen lamp", seen["createdAt"]))
        self.assertEqual((seen["inviter"]["nickname"], seen["inviter"]["email"]), ("O•••", email[0] + "•••@example.com"))
        self.assertEqual(listed(owner, "byMe")["alias"], "Kitchen lamp")
        guest.get("share/answer", {"sharingId": id, "accept": False})
        for terminal, type in ((owner, "byMe"), (guest, "toMe")):
            row = listed(terminal, type)
            self.assertEqual(row["status"], "rejected")
            self.assertGreater(row["updatedAt"], row["createdAt"])
            told = terminal.expect(f"user/{terminal.uid}/share", lambda b: share(b, id, "rejected")).body
            self.assertEqual(told, row, "the push is the list's object")

    def test_an_owner_can_distinguish_the_users(self):
        """L12: a user without a nickname is shown with a masked address or a masked name."""
        phone, email, name = fresh_phone(), fresh_email(), fresh_name()
        people = [self.register(username=name), self.register(phone=phone), self.register(email=email), self.anonymous()]
        device = self.device()
        for person in people:
            person.bind(device)
        users = {u["uid"]: u for u in people[0].get("device/users", {"did": device.did})["users"]}
        rows = [users[p.uid] for p in people]
        self.assertEqual([r.get("address") for r in rows],
                         [None, "•••" + phone[-2:], email[0] + "•••@example.com", None])
        self.assertEqual([r.get("username") for r in rows], [name[0] + "•••", None, None, None])
        self.assertEqual({r["nickname"] for r in rows[:3]}, {""})
        self.assertError(people[1].fail("device/users", {"did": device.did}), "Forbidden")

    def test_an_unproved_address_names_nobody(self):
        """L12: an unproved address isn't shown, because a guest could set the address of another user."""
        owner, guest = self.register(username=fresh_name()), self.register(username=fresh_name())
        device = self.device()
        owner.bind(device), guest.bind(device)
        guest.get("account/updateProfile", {"email": fresh_email()})
        row = next(u for u in owner.get("device/users", {"did": device.did})["users"] if u["uid"] == guest.uid)
        self.assertNotIn("address", row)


class Gateways(People):
    """Answers of a message gateway about a phone number or an e-mail address."""

    def ask(self, terminal, **params):
        return terminal.get("account/sendCode", {"countryCode": COUNTRY, **params})["requestId"]

    def told(self, terminal, request, seconds):
        return terminal.expect("/code", lambda b: b["requestId"] == request, seconds).body

    def test_an_unknown_number_is_reported_at_once_and_not_retried(self):
        """Overlooked case 15: a mistyped number fails at once, without a wait of 15 s."""
        phone, email = fresh_phone(), fresh_email()
        self.gateway.dead = (phone, email)
        self.addCleanup(setattr, self.gateway, "dead", ())
        for purpose, address in (("login", {"phone": phone}), ("register", {"email": email})):
            with self.subTest(purpose=purpose):
                terminal = self.stranger()
                request = self.ask(terminal, purpose=purpose, **address)
                told = self.told(terminal, request, 3)
                self.assertEqual((told["state"], told["error"]["code"]), ("failed", "InvalidRequest"))
                self.assertNotIn("no such number", told["error"]["message"], "the gateway's words are for operators")
        time.sleep(6)  # longer than the first pause before another try
        self.assertEqual([len(self.gateway.unread_to(to)) for to in (phone, email)], [1, 1])

    def test_it_does_not_reveal_who_has_an_account(self):
        """Overlooked 15: a reset code has the same outcome for known and unknown addresses."""
        email = fresh_email()
        self.register(email=email)
        self.gateway.dead = (email,)
        self.addCleanup(setattr, self.gateway, "dead", ())
        for address in (email, fresh_email()):
            terminal = self.stranger()
            request = self.ask(terminal, purpose="resetPassword", email=address)
            self.assertEqual(self.told(terminal, request, 10)["state"], "sent")

    def test_any_other_refusal_is_retried(self):
        """Overlooked 15, the opposite case: after a refusal without `final`, the service sends the message again."""
        phone = fresh_phone()
        self.gateway.refused = (phone,)
        self.addCleanup(setattr, self.gateway, "refused", ())
        terminal = self.stranger()
        request = self.ask(terminal, purpose="login", phone=phone)
        self.gateway.taken(phone)
        self.gateway.refused = ()
        self.assertEqual(self.told(terminal, request, 20)["state"], "sent")


class Zones(EndToEnd):
    """The time zone of schedules from SDKs that send no time zone."""

    def zone(self, country, **profile):
        device, terminal = self.device(), self.terminal(login=False)
        result = terminal.get("account/loginAnonymous", {"countryCode": country}, token=None)
        terminal.user = result["user"]
        terminal.adopt(result)
        terminal.bind(device)
        if profile:
            terminal.get("account/updateProfile", profile)
        params = {"did": device.did, "time": "06:30", "weekDays": [1, 2, 3, 4, 5], "attrs": {"power": True}}
        return terminal.get("schedule/create", params)["schedule"]["timezone"]

    def test_the_country_determines_the_zone_if_it_has_a_single_one(self):
        """Overlooked 9: for a user of country 86, 06:30 means 06:30 in China."""
        for country, zone in (("86", "Asia/Shanghai"), ("81", "Asia/Tokyo"), ("49", "Europe/Berlin"),
                              ("44", "Europe/London"), ("1", "UTC"), ("7", "UTC"), ("61", "UTC"), ("55", "UTC")):
            with self.subTest(country=country):
                self.assertEqual(self.zone(country), zone)

    def test_the_users_own_zone_takes_precedence(self):
        """Overlooked 9: if the user has set a time zone, this zone applies, even if it is UTC."""
        self.assertEqual(self.zone("86", timezone="Asia/Urumqi"), "Asia/Urumqi")
        self.assertEqual(self.zone("86", timezone="UTC"), "UTC")


class Documents(EndToEnd):
    """The documents that operators import and export."""

    PROVIDER = {"enabled": True, "clientIds": ["id-at-twitter"], "clientSecret": "hush-provider"}

    def write(self, document):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "document.json"
        path.write_text(json.dumps(document))
        return str(path)

    def run_cli(self, *arguments, check=True):
        return self.world.service.cli(*arguments, check=check)

    def take(self, kind, document):
        return self.world.service.json(kind, "import", self.write(document))

    def test_a_product_key_is_made_and_printed(self):
        """J1: "automatically generated by the developer after creating a new product"."""
        document = {"name": "Made", "dataPoints": [{"name": "power", "access": "rw", "type": "bool"}]}
        made = [self.take("product", document) for _ in range(2)]
        self.assertEqual([m["isNew"] for m in made], [True, True])
        self.assertNotEqual(made[0]["productKey"], made[1]["productKey"])
        for one in made:
            self.assertRegex(one["productKey"], "^[0-9a-f]{32}$")
        key, secret, mac = made[0]["productKey"], made[0]["productSecret"], fresh_mac()
        self.assertEqual(self.keep(Client(self.world.port, f"product:{key}", secret, mac)).connect(), 0)
        printed = self.run_cli("product", "import", self.write({**document, "productKey": None})).stdout
        self.assertRegex(printed, r"(?m)^imported product [0-9a-f]{32}$")
        self.assertRegex(printed, r"(?m)^secret \S{16,}$")

    def test_an_app_id_is_made_and_printed(self):
        """J1: "an AppID is automatically generated"."""
        made = self.take("app", {"name": "Made"})
        self.assertRegex(made["appId"], "^[0-9a-f]{32}$")
        client = Client(self.world.port, f"app:{made['appId']}", made["secret"], fresh_terminal())
        self.assertEqual(self.keep(client).connect(), 0)
        error = self.run_cli("app", "import", self.write({"name": "Bad", "appId": "a b"}), check=False)
        self.assertNotEqual(error.returncode, 0)
        self.assertIn("LL1202", error.stderr)

    def test_an_app_is_shown_without_secrets(self):
        """Overlooked 7: an operator sees which policies and providers are on."""
        given = {"revealAccounts": True, "sessionDays": 90}
        made = self.take("app", {"name": "Shown", "policies": given, "providers": {"twitter": self.PROVIDER},
                                 "products": [LAMP["productKey"]], "secret": "hush-hush-hush-hush"})
        id = made["appId"]
        shown = self.world.service.json("app", "show", id)
        row = shown["row"]
        self.assertEqual((row["appId"], row["name"], row["products"]), (id, "Shown", [LAMP["productKey"]]))
        self.assertEqual(shown["policies"], {
            "revealAccounts": True, "emailRegistration": "code", "emailVerification": True, "phoneRegistration": False,
            "uidLogin": False, "usernameChangeable": True, "anonymous": "keep", "cancelProof": True, "sessionDays": 90})
        [twitter] = [one["settings"] for one in shown["providers"] if one["name"] == "twitter"]
        self.assertEqual((twitter["enabled"], twitter["clientIds"], twitter["hasSecret"], twitter["keepToken"]),
                         (True, ["id-at-twitter"], True, False))
        table = self.run_cli("app", "show", id).stdout
        self.assertRegex(table, r"(?m)^revealAccounts +true +document$")
        self.assertRegex(table, r"(?m)^uidLogin +false +default$")
        self.assertRegex(table, r"(?m)^twitter +yes +id-at-twitter +set ")
        for arguments in (("show", id), ("show", id, "--json"), ("export", id), ("list",), ("list", "--json")):
            self.assertNotIn("hush", self.run_cli("app", *arguments).stdout, arguments)
        unknown = self.run_cli("app", "show", "nobody", check=False)
        self.assertEqual((unknown.returncode, "LL" in unknown.stderr), (1, True))

    def test_an_exported_app_imports_again_and_keeps_every_secret(self):
        """Overlooked 7: an exported app lacks the provider's secret, but an import keeps the secret."""
        original = {"name": "Exported", "policies": {"uidLogin": True}, "providers": {"twitter": self.PROVIDER},
                    "products": "all", "texts": {"code": {"en": {"sms": "Your code"}}}}
        made = self.take("app", original)
        exported = json.loads(self.run_cli("app", "export", made["appId"]).stdout)
        self.assertEqual(contract.problems("app", exported), [])
        provider = {k: v for k, v in self.PROVIDER.items() if k != "clientSecret"}
        self.assertEqual(exported, {**original, "appId": made["appId"], "providers": {"twitter": provider}})
        again = self.take("app", {**exported, "name": "Renamed"})
        self.assertEqual((again["isNew"], again.get("secret")), (False, None))
        shown = self.world.service.json("app", "show", made["appId"])
        [twitter] = [one["settings"] for one in shown["providers"] if one["name"] == "twitter"]
        self.assertEqual((shown["row"]["name"], twitter["hasSecret"]), ("Renamed", True))
        client = Client(self.world.port, f"app:{made['appId']}", made["secret"], fresh_terminal())
        self.assertEqual(self.keep(client).connect(), 0, "the app's own secret still works")

    def test_a_new_app_still_needs_its_providers_secrets(self):
        """Overlooked 7, the opposite case: a new app's document must contain the secret."""
        provider = {k: v for k, v in self.PROVIDER.items() if k != "clientSecret"}
        path = self.write({"appId": "never-seen", "name": "New", "providers": {"twitter": provider}})
        failed = self.run_cli("app", "import", path, check=False)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("providers.twitter.clientSecret", failed.stderr)

    def test_an_exported_product_imports_again(self):
        """Overlooked 7: a product's export lacks the secret, and can be imported again."""
        document = {k: v for k, v in LAMP.items() if k != "productKey"}
        made = self.take("product", {**document, "historyDays": 9})
        key = made["productKey"]
        exported = json.loads(self.run_cli("product", "export", key).stdout)
        self.assertEqual(contract.problems("product", exported), [])
        self.assertEqual((exported["productKey"], exported["dataPoints"], exported["historyDays"]),
                         (key, LAMP["dataPoints"], 9))
        self.assertIsNone(self.take("product", exported).get("productSecret"))
        client = Client(self.world.port, f"product:{key}", made["productSecret"], fresh_mac())
        self.assertEqual(self.keep(client).connect(), 0)
        self.assertIn("history 9 days", self.run_cli("product", "show", key).stdout)


class Finding(EndToEnd):
    """A device that a user finds by the strings on its label."""

    def test_by_mac_and_product_key_also_when_the_app_was_there_first(self):
        """J6: binding fails before the device has registered, but a later try succeeds."""
        terminal, mac = self.terminal(), fresh_mac()
        name = {"productKey": LAMP["productKey"], "mac": mac, "passcode": "123456"}
        for _ in range(3):
            self.assertError(terminal.fail("device/bind", name), "InvalidCredentials")
        device = self.device(mac=mac)
        self.assertEqual(terminal.get("device/bind", name)["did"], device.did)
        other = self.device()
        terminal.bind(other)
        listed = {d["did"]: d["mac"] for d in terminal.get("device/list")["devices"]}
        self.assertEqual(listed, {device.did: mac, other.did: other.mac})


class Full(OwnWorldOfClass):
    """A service with a small daily limit on the size of a device's history."""

    CHUNK = base64.b64encode(bytes(36_000)).decode()  # 48,000 characters
    megabytes = 1

    @classmethod
    def make_world(cls):
        return World(watch=False, settings=["--set", f"limits.historyMegabytesPerDay={cls.megabytes}"])

    def dropped(self):
        ready = self.world.service.ready
        port = ready.get("healthPort", ready["httpPort"])
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read().decode()
        return sum(float(line.split()[-1]) for line in page.splitlines()
                   if line.startswith("lamplighter_history_dropped_total"))


class HistoryOfADay(Full):
    """One device can't fill the disk with its history."""

    def test_beyond_the_limit_only_the_state_is_stored(self):
        device, terminal = self.pair(FREE)
        answers = [device.report(binary=self.CHUNK) for _ in range(24)]
        self.assertTrue(all(a["ok"] for a in answers))
        self.assertEqual([a.get("stored") for a in answers], ["history"] * 21 + [None] * 3)
        limited = terminal.event(device, lambda b: b["type"] == "historyLimited")
        self.assertEqual(limited["value"]["megabytesPerDay"], 1)
        self.assertEqual(limited["value"]["resumesAt"] % 86_400_000, 0)
        self.assertEqual(limited["actor"]["kind"], "system")
        self.assertEqual(device.report(data={"big": "x" * 20_000})["stored"], "state")
        status = terminal.get("device/status", {"did": device.did})
        self.assertEqual((status["version"], len(status["data"]["big"])), (1, 20_000), "the state goes on")
        terminal.wait(lambda: len([m for m in terminal.everything if m.leaf == "binary"]) == 24, what="all bytes")
        told = [m for m in terminal.everything if m.topic.endswith("/event") and m.body["type"] == "historyLimited"]
        self.assertEqual(len(told), 1, "told once an hour")
        log = terminal.get("device/events", {"did": device.did, "types": ["historyLimited"]})["events"]
        self.assertEqual([e["eventId"] for e in log], [limited["eventId"]])
        page = {"did": device.did, "from": 0, "to": now() + 1000, "limit": 100}
        kept = 0
        while page is not None:
            result = terminal.get("device/history", page)
            kept += len(result["rows"])
            page = {**page, "cursor": result["cursor"]} if "cursor" in result else None
        self.assertEqual(kept, 22, "the smaller report found room")
        self.assertGreaterEqual(self.dropped(), 3)

    def test_other_devices_have_their_own_limit(self):
        one, two = self.device(FREE), self.device(FREE)
        while "stored" in one.report(binary=self.CHUNK):
            pass
        self.assertEqual(two.report(binary=self.CHUNK)["stored"], "history")


class WithoutABound(Full):
    """The control test: with the size limit switched off, everything is stored."""

    megabytes = 0

    def test_everything_is_stored(self):
        device = self.device(FREE)
        self.assertEqual({device.report(binary=self.CHUNK)["stored"] for _ in range(24)}, {"history"})
        self.assertEqual(self.dropped(), 0)


if __name__ == "__main__":
    unittest.main()
