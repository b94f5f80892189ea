"""share/…: invitations by name and by code, roles, and who is told what."""

import base64
import json
import time
import unittest

from accounts import COUNTRY, People, fresh_email, fresh_id, fresh_name, fresh_phone
from client import fresh_did
from world import EndToEnd, OwnWorldOfClass, World


def share(body, id, status):
    return body.get("sharingId") == id and body.get("status") == status


class Sharing(EndToEnd):
    def invite(self, owner, device, guest=None, **more):
        """Invites a terminal's user by uid, or makes a code."""
        if guest is None:
            return owner.get("share/invite", {"did": device.did, "way": "qrcode", **more})
        who = {"type": "uid", "value": guest if isinstance(guest, str) else guest.uid}
        return owner.get("share/invite", {"did": device.did, "way": "user", "guest": who, **more})

    def share(self, owner, device, guest, **more):
        """Lets a guest in; gives the invitation's id."""
        id = self.invite(owner, device, guest, **more)["sharingId"]
        guest.get("share/answer", {"sharingId": id, "accept": True})
        return id

    def told(self, terminal, id, status, seconds=10):
        return terminal.expect(f"user/{terminal.uid}/share", lambda b: share(b, id, status), seconds,
                               f"{status} of {id}").body

    def role(self, terminal, device):
        return {d["did"]: d["role"] for d in terminal.get("device/list")["devices"]}.get(device.did)

    def gone(self, terminal, device, reason):
        """The terminal's user is told that the binding is over, and its status is cleared, within a second."""
        began = time.monotonic()
        told = terminal.expect(
            f"user/{terminal.uid}/device", lambda b: b["type"] == "unbound" and b["did"] == device.did).body
        self.assertEqual(told["reason"], reason)
        terminal.wait(lambda: [m for m in terminal.everything
                               if m.topic.endswith(f"/device/{device.did}/status") and not m.payload],
                      what="the clearing")
        self.assertLess(time.monotonic() - began, 5)
        for method, params in (("status", {}), ("control", {"data": {"power": True}}), ("hardware", {})):
            self.assertError(terminal.fail(f"device/{method}", {"did": device.did, **params}), "NotBound")
        self.assertIsNone(self.role(terminal, device))
        terminal.clear()
        device.report(data={"power": True})
        device.report(data={"power": False})
        terminal.get("account/whoami")
        self.assertEqual([m for m in terminal.unread("/status") if m.payload], [], "nothing comes any more")


class ByUser(Sharing):
    def test_the_whole_way(self):
        device, owner = self.pair()
        guest = self.terminal()
        began = time.time() * 1000
        made = self.invite(owner, device, guest)
        id = made["sharingId"]
        self.assertAlmostEqual(made["expiresAt"], began + 86_400_000, delta=10_000)
        self.assertNotIn("qrCode", made)
        self.assertEqual(self.role(owner, device), "owner")
        owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "roleChanged" and b["role"] == "owner")
        pushed = self.told(guest, id, "pending")
        self.assertEqual((pushed["did"], pushed["way"], pushed["access"], pushed["inviter"]["uid"]),
                         (device.did, "user", "control", owner.uid))
        self.told(owner, id, "pending")
        listed = guest.get("share/list", {"type": "toMe"})["sharings"]
        self.assertEqual(listed, [pushed])
        self.assertError(guest.fail("device/status", {"did": device.did}), "NotBound")

        answer = guest.get("share/answer", {"sharingId": id, "accept": True})
        self.assertEqual(answer, {"sharingId": id, "did": device.did, "status": "accepted"})
        self.assertEqual(self.told(owner, id, "accepted")["guest"]["uid"], guest.uid)
        self.told(guest, id, "accepted")
        bound = guest.expect(f"user/{guest.uid}/device", lambda b: b["type"] == "bound").body
        self.assertEqual((bound["device"]["role"], bound["device"]["access"]), ("guest", "control"))
        owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "usersChanged")
        guest.status(device)
        version = device.report(data={"power": True})["version"]
        guest.status(device, lambda b: b["version"] == version)
        guest.get("device/control", {"did": device.did, "data": {"power": False}})
        device.command()
        self.assertError(guest.fail("share/answer", {"sharingId": id, "accept": True}), "Expired")

    def test_rejected(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.invite(owner, device, guest)["sharingId"]
        guest.get("share/answer", {"sharingId": id, "accept": False})
        told = self.told(owner, id, "rejected")
        self.assertNotIn("uid", told["guest"], "who rejects stays unknown")
        self.assertIsNone(self.role(guest, device))
        for terminal, method, params in ((guest, "share/answer", {"accept": True}), (owner, "share/revoke", {})):
            self.assertError(terminal.fail(method, {"sharingId": id, **params}), "Expired")
        self.invite(owner, device, guest)

    def test_only_special_and_owner_share(self):
        device = self.device()
        one, two, stranger = self.terminal(), self.terminal(), self.terminal()
        one.bind(device), two.bind(device)
        params = {"did": device.did, "way": "qrcode"}
        self.assertError(two.fail("share/invite", params), "Forbidden")
        self.assertError(stranger.fail("share/invite", params), "NotBound")
        self.assertError(stranger.fail("share/invite", {**params, "did": fresh_did()}), "NotBound")
        self.assertEqual(self.role(one, device), "special", "a refusal changes nothing")
        self.share(one, device, stranger)
        self.assertError(stranger.fail("share/invite", params), "Forbidden")
        self.assertError(two.fail("share/invite", params), "Forbidden")
        self.assertEqual(self.role(two, device), "guest")

    def test_oneself_and_one_who_is_there_or_invited(self):
        device = self.device()
        one, two, three = (self.terminal() for _ in range(3))
        one.bind(device), two.bind(device)

        def guest(uid):
            return {"did": device.did, "way": "user", "guest": {"type": "uid", "value": uid}}
        self.assertError(one.fail("share/invite", guest(one.uid)), "InvalidRequest", "guest.value")
        self.assertError(one.fail("share/invite", guest(two.uid)), "Duplicated")
        self.assertEqual(self.role(one, device), "special")
        id = self.invite(one, device, three)["sharingId"]
        self.assertError(one.fail("share/invite", guest(three.uid)), "Duplicated")
        three.get("share/answer", {"sharingId": id, "accept": True})
        self.assertError(one.fail("share/invite", guest(three.uid)), "Duplicated")
        three.get("device/unbind", {"did": device.did})
        self.told(one, id, "revoked")
        self.invite(one, device, three)

    def test_params_are_checked(self):
        device, owner = self.pair()
        uid = {"type": "uid", "value": "u-x"}
        for params, field in (
            ({}, "way"), ({"way": "letter"}, "way"), ({"way": "user"}, "guest"), ({"way": "qrcode", "guest": uid}, "guest"),
            ({"way": "user", "guest": {"value": "x"}}, "guest.type"), ({"way": "user", "guest": {"type": "uid"}}, "guest.value"),
            ({"way": "user", "guest": {"type": "email", "value": "x"}}, "guest.value"),
            ({"way": "user", "guest": {"type": "phone", "value": "12"}}, "guest.value"),
            ({"way": "qrcode", "access": "all"}, "access"), ({"way": "qrcode", "guestMinutes": 0}, "guestMinutes"),
            ({"way": "qrcode", "guestMinutes": 5_256_001}, "guestMinutes"),
        ):
            with self.subTest(params=params):
                self.assertError(owner.fail("share/invite", {"did": device.did, **params}), "InvalidRequest", field)
        self.assertEqual(self.role(owner, device), "special")
        for params in ({}, {"accept": True}, {"sharingId": "x"}, {"sharingId": "x", "qrText": "y", "accept": True}):
            self.assertError(owner.fail("share/answer", params), "InvalidRequest")
        self.assertError(owner.fail("share/list", {}), "InvalidRequest", "type")

    def test_other_peoples_invitations_do_not_exist(self):
        device, owner = self.pair()
        guest, stranger = self.terminal(), self.terminal()
        id = self.invite(owner, device, guest)["sharingId"]
        for terminal, method, params in (
            (stranger, "share/answer", {"accept": True}), (owner, "share/answer", {"accept": True}),
            (stranger, "share/revoke", {}), (guest, "share/revoke", {}),
        ):
            mine = terminal.fail(method, {"sharingId": id, **params})
            self.assertError(mine, "ResourceNotFound")
            self.assertEqual(mine, terminal.fail(method, {"sharingId": fresh_id("i"), **params}))

    def test_a_reader_may_watch_and_not_control(self):
        device, owner = self.pair()
        guest = self.terminal()
        self.share(owner, device, guest, access="read")
        guest.status(device)
        self.assertEqual(guest.get("device/list")["devices"][0]["access"], "read")
        guest.get("device/status", {"did": device.did})
        self.assertError(
            guest.fail("device/control", {"did": device.did, "data": {"power": True}}), "Forbidden")

    def test_a_guest_for_minutes_is_told_until_when(self):
        device, owner = self.pair()
        guest = self.terminal()
        self.share(owner, device, guest, guestMinutes=60)
        until = guest.get("device/list")["devices"][0]["guestUntil"]
        self.assertAlmostEqual(until, time.time() * 1000 + 3_600_000, delta=10_000)
        users = owner.get("device/users", {"did": device.did})["users"]
        self.assertEqual([u.get("guestUntil") for u in users], [None, until])

    def test_revoked_while_pending_and_when_accepted(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.invite(owner, device, guest)["sharingId"]
        self.assertEqual(owner.get("share/revoke", {"sharingId": id}), {})
        self.told(guest, id, "revoked")
        self.assertError(guest.fail("share/answer", {"sharingId": id, "accept": True}), "Expired")
        id = self.share(owner, device, guest)
        guest.status(device)
        owner.get("share/revoke", {"sharingId": id})
        self.told(guest, id, "revoked")
        self.told(owner, id, "revoked")
        self.gone(guest, device, "revoked")
        self.assertError(owner.fail("share/revoke", {"sharingId": id}), "Expired")

    def test_a_removed_guest_can_not_come_back_by_an_old_invitation(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.share(owner, device, guest)
        guest.status(device)
        owner.get("device/removeUser", {"did": device.did, "uid": guest.uid})
        self.told(guest, id, "revoked")
        self.gone(guest, device, "removed")
        self.assertError(guest.fail("share/answer", {"sharingId": id, "accept": True}), "Expired")
        self.assertError(
            guest.fail("device/bind", {"did": device.did, "passcode": device.passcode}), "Forbidden")

    def test_a_leaving_owner_takes_everything_along(self):
        device, owner = self.pair()
        guest, invited, newcomer = self.terminal(), self.terminal(), self.terminal()
        accepted = self.share(owner, device, guest)
        guest.status(device)
        pending = self.invite(owner, device, invited)["sharingId"]
        owner.get("device/setCustomInfo", {"did": device.did, "alias": "Mine"})
        owner.get("device/unbind", {"did": device.did})
        self.told(guest, accepted, "revoked")
        self.told(invited, pending, "revoked")
        self.gone(guest, device, "revoked")
        self.assertError(invited.fail("share/answer", {"sharingId": pending, "accept": True}), "Expired")
        newcomer.bind(device)
        entry = newcomer.get("device/list")["devices"][0]
        self.assertEqual((entry["role"], entry["alias"]), ("special", ""))
        self.assertEqual(newcomer.get("share/list", {"type": "byMe"})["sharings"], [])

    def test_a_reset_makes_everything_void(self):
        device, owner = self.pair()
        guest, invited = self.terminal(), self.terminal()
        accepted = self.share(owner, device, guest)
        pending = self.invite(owner, device, invited)["sharingId"]
        owner.get("device/allowReset", {"did": device.did})
        self.assertTrue(self.world.register(mac=device.mac)["ok"])
        for terminal, id in ((guest, accepted), (invited, pending), (owner, accepted), (owner, pending)):
            self.told(terminal, id, "revoked")
        told = guest.expect(f"user/{guest.uid}/device", lambda b: b["type"] == "unbound").body
        self.assertEqual(told["reason"], "reset")

    def test_a_deleted_device_is_gone_for_everybody(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.share(owner, device, guest)
        guest.status(device)
        self.world.service.cli("device", "forget", device.did)
        self.told(guest, id, "revoked")
        for terminal in (owner, guest):
            told = terminal.expect(f"user/{terminal.uid}/device", lambda b: b["type"] == "unbound").body
            self.assertEqual((told["reason"], told["actor"]["kind"]), ("forgotten", "operator"))
            terminal.wait(lambda: [m for m in terminal.everything if m.leaf == "status" and not m.payload],
                          what="the clearing")
            self.assertEqual(terminal.get("device/list")["total"], 0)
        self.assertEqual(owner.get("share/list", {"type": "byMe"})["sharings"], [])

    def test_another_app_sees_nothing_of_it(self):
        device, owner = self.pair()
        other = self.terminal("other-app")
        id = self.invite(owner, device, other)["sharingId"]
        self.assertError(other.fail("share/answer", {"sharingId": id, "accept": True}), "ResourceNotFound")
        self.assertEqual(other.get("share/list", {"type": "toMe"})["sharings"], [])
        text = self.invite(owner, device)["qrCode"]["text"]
        self.assertError(other.fail("share/answer", {"qrText": text, "accept": True}), "ResourceNotFound")


class Listing(Sharing):
    def test_both_sides_pages_and_devices(self):
        device, owner = self.pair()
        other = self.device()
        owner.bind(other)
        guests = [self.terminal() for _ in range(3)]
        ids = [self.invite(owner, device, guest)["sharingId"] for guest in guests]
        ids.append(self.invite(owner, other, guests[0])["sharingId"])
        listed = owner.get("share/list", {"type": "byMe"})
        self.assertEqual([s["sharingId"] for s in listed["sharings"]], ids[::-1])
        self.assertNotIn("cursor", listed)
        of_one = owner.get("share/list", {"type": "byMe", "did": other.did})["sharings"]
        self.assertEqual([s["sharingId"] for s in of_one], ids[3:])
        page = owner.get("share/list", {"type": "byMe", "limit": 3})
        self.assertEqual([s["sharingId"] for s in page["sharings"]], ids[:0:-1])
        page = owner.get("share/list", {"type": "byMe", "limit": 3, "cursor": page["cursor"]})
        self.assertEqual([s["sharingId"] for s in page["sharings"]], ids[:1])
        self.assertNotIn("cursor", page)
        to_me = guests[0].get("share/list", {"type": "toMe"})["sharings"]
        self.assertEqual([s["sharingId"] for s in to_me], [ids[3], ids[0]])
        self.assertEqual(guests[0].get("share/list", {"type": "byMe"})["sharings"], [])


class ByCode(Sharing):
    def test_the_code_in_its_three_forms(self):
        device, owner = self.pair()
        made = self.invite(owner, device)
        self.assertAlmostEqual(made["expiresAt"], time.time() * 1000 + 900_000, delta=10_000)
        code = made["qrCode"]
        self.assertTrue(code["svg"].startswith("<svg "))
        self.assertEqual(base64.b64decode(code["png"])[:8], b"\x89PNG\r\n\x1a\n")
        other = self.invite(owner, device)["qrCode"]
        self.assertNotEqual(code["text"], other["text"])
        stored = b"".join(p.read_bytes() for p in self.world.service.data.glob("lamplighter.db*"))
        self.assertNotIn(code["text"].rsplit(":", 1)[1].encode(), stored, "only its hash is kept")

    def test_the_first_to_scan_it_is_in(self):
        device, owner = self.pair()
        guest, late = self.terminal(), self.terminal()
        made = self.invite(owner, device)
        text = made["qrCode"]["text"]
        self.assertError(owner.fail("share/answer", {"qrText": text, "accept": True}), "InvalidRequest", "qrText")
        self.assertError(
            guest.fail("share/answer", {"sharingId": made["sharingId"], "accept": True}), "ResourceNotFound")
        answer = guest.get("share/answer", {"qrText": text, "accept": True})
        self.assertEqual(answer["did"], device.did)
        self.assertEqual(self.told(owner, made["sharingId"], "accepted")["guest"]["uid"], guest.uid)
        guest.status(device)
        self.assertError(late.fail("share/answer", {"qrText": text, "accept": True}), "Expired")
        self.assertEqual(guest.get("share/list", {"type": "toMe"})["sharings"][0]["status"], "accepted")

    def test_scanned_by_many_at_once_one_wins(self):
        device, owner = self.pair()
        guests = [self.terminal() for _ in range(6)]
        text = self.invite(owner, device)["qrCode"]["text"]
        asked = []
        for guest in guests:
            id = fresh_id("s")
            guest.send("share/answer", {"qrText": text, "accept": True}, id)
            asked.append((guest, id))
        answers = [guest.answer("share/answer", id) for guest, id in asked]
        self.assertEqual(sum(a["ok"] for a in answers), 1, answers)
        self.assertEqual({a["error"]["code"] for a in answers if not a["ok"]}, {"Expired"})
        users = owner.get("device/users", {"did": device.did})["users"]
        self.assertEqual(len(users), 2)

    def test_guesses_are_counted(self):
        device, owner = self.pair()
        text = self.invite(owner, device)["qrCode"]["text"]
        guest = self.terminal()
        for guess in (text[:-1] + ("A" if text[-1] != "A" else "B"), "x", "lamplighter:share:", text.upper(), text + "x"):
            self.assertError(guest.fail("share/answer", {"qrText": guess, "accept": True}), "ResourceNotFound")
        error = self.assertError(guest.fail("share/answer", {"qrText": text, "accept": True}), "TooManyRequests")
        self.assertTrue(0 < error["retryAfter"] <= 900)
        self.terminal().get("share/answer", {"qrText": text, "accept": True})

    def test_who_is_bound_already_does_not_use_it_up(self):
        device = self.device()
        one, two, guest = (self.terminal() for _ in range(3))
        one.bind(device), two.bind(device)
        text = self.invite(one, device)["qrCode"]["text"]
        self.assertError(two.fail("share/answer", {"qrText": text, "accept": True}), "Duplicated")
        guest.get("share/answer", {"qrText": text, "accept": True})


class Transfer(Sharing):
    def test_a_guest_becomes_the_owner(self):
        device, owner = self.pair()
        heir, guest, invited = (self.terminal() for _ in range(3))
        own = self.share(owner, device, heir, access="read", guestMinutes=60)
        others = self.share(owner, device, guest)
        pending = self.invite(owner, device, invited)["sharingId"]
        self.assertEqual(owner.get("share/transfer", {"did": device.did, "uid": heir.uid}), {})
        entry = heir.get("device/list")["devices"][0]
        self.assertEqual((entry["role"], entry["access"], entry.get("guestUntil")), ("owner", "control", None))
        told = heir.expect(f"user/{heir.uid}/device", lambda b: b["type"] == "roleChanged").body
        self.assertEqual(told["role"], "owner")
        self.told(invited, pending, "revoked")
        self.told(heir, own, "revoked")
        self.gone(owner, device, "transferred")
        version = device.report(data={"power": True})["version"]
        for terminal in (heir, guest):
            terminal.status(device, lambda b: b["version"] == version)
        listed = heir.get("share/list", {"type": "byMe"})["sharings"]
        self.assertEqual([(s["sharingId"], s["status"]) for s in listed], [(others, "accepted")])
        self.assertError(owner.fail("share/revoke", {"sharingId": others}), "ResourceNotFound")
        heir.get("share/revoke", {"sharingId": others})
        guest.expect(f"user/{guest.uid}/device", lambda b: b["type"] == "unbound")
        self.assertError(owner.fail("device/bind", {"did": device.did, "passcode": device.passcode}), "Forbidden")

    def test_who_may_and_to_whom(self):
        device, owner = self.pair()
        guest, stranger = self.terminal(), self.terminal()
        params = {"did": device.did, "uid": guest.uid}
        self.assertError(owner.fail("share/transfer", params), "Forbidden")
        self.share(owner, device, guest)
        self.assertError(guest.fail("share/transfer", {**params, "uid": owner.uid}), "Forbidden")
        self.assertError(stranger.fail("share/transfer", params), "NotBound")
        self.assertError(owner.fail("share/transfer", {**params, "uid": owner.uid}), "InvalidRequest", "uid")
        self.assertError(owner.fail("share/transfer", {**params, "uid": stranger.uid}), "ResourceNotFound", "uid")


class Names(People):
    """Invitations by the names that people log in with, and what they give away."""

    def setUp(self):
        super().setUp()
        self.owner = self.register(username=fresh_name(), profile={"nickname": "Olivia"})
        self.home = self.device()
        self.owner.bind(self.home)

    def ask(self, type, value, **more):
        return self.owner.ask("share/invite", {
            "did": self.home.did, "way": "user", "guest": {"type": type, "value": value, **more}})

    def listed(self, terminal, type):
        return terminal.get("share/list", {"type": type})["sharings"]

    def test_by_phone_email_username_and_anonymous(self):
        phone, email, name = fresh_phone(), fresh_email(), fresh_name()
        people = [
            (self.register(phone=phone), "phone", phone, {"countryCode": COUNTRY}),
            (self.register(email=email), "email", email.upper(), {}),
            (self.register(username=name), "username", name.upper(), {}),
            (self.anonymous(device_id=fresh_id("installation-secret")), "anonymous", None, {}),
        ]
        for terminal, kind, value, more in people:
            with self.subTest(type=kind):
                answer = self.ask(kind, value or terminal.uid, **more)
                self.assertTrue(answer["ok"], answer)
                id = answer["result"]["sharingId"]
                got = terminal.expect(f"user/{terminal.uid}/share", lambda b: share(b, id, "pending")).body
                self.assertEqual(got["inviter"]["nickname"], "O•••")
                self.assertNotIn(self.owner.user["username"], json.dumps(got), "names are masked")
                terminal.get("share/answer", {"sharingId": id, "accept": True})
                mine = next(s for s in self.listed(self.owner, "byMe") if s["sharingId"] == id)
                self.assertEqual((mine["guest"]["type"], mine["guest"]["uid"]), (kind, terminal.uid))
                if value:
                    self.assertNotIn(value.lower(), json.dumps(mine, ensure_ascii=False).lower())
                    self.assertIn("•••", mine["guest"]["value"])

    def test_whether_somebody_has_an_account_is_not_told(self):
        email, phone = fresh_email(), fresh_phone()
        self.register(email=email), self.register(phone=phone)
        seen = []
        for kind, known, unknown, more in (
            ("email", email, fresh_email(), {}), ("phone", phone, fresh_phone(), {"countryCode": COUNTRY}),
            ("username", self.register(username=fresh_name()).user["username"], fresh_name(), {}),
            ("uid", self.register().uid, "u-" + "0" * 13, {}), ("anonymous", self.anonymous().uid, "u-" + "1" * 13, {}),
        ):
            shapes = []
            for value in (known, unknown):
                answer = self.ask(kind, value, **more)
                again = self.ask(kind, value, **more)
                id = answer["result"]["sharingId"]
                row = next(s for s in self.listed(self.owner, "byMe") if s["sharingId"] == id)
                shapes.append((sorted(answer["result"]), self.assertError(again, "Duplicated")["message"],
                               sorted(row), sorted(row["guest"]), row["status"]))
            with self.subTest(type=kind):
                self.assertEqual(shapes[0], shapes[1])
            seen.append(shapes[0])
        self.assertEqual(self.owner.get("device/list")["devices"][0]["role"], "owner", "the role changes alike")

    def test_two_names_of_one_person_are_not_linked(self):
        phone, email = fresh_phone(), fresh_email()
        person = self.register(phone=phone)
        code = self.code(person, "bind", email=email)
        person.get("account/bindEmail", {"countryCode": COUNTRY, "email": email, "code": code})
        first = self.ask("phone", phone, countryCode=COUNTRY)
        second = self.ask("email", email)
        self.assertTrue(first["ok"] and second["ok"], (first, second))
        person.get("share/answer", {"sharingId": first["result"]["sharingId"], "accept": True})
        answer = person.ask("share/answer", {"sharingId": second["result"]["sharingId"], "accept": True})
        self.assertError(answer, "Duplicated")

    def test_oneself_by_any_own_name(self):
        phone = fresh_phone()
        owner = self.register(phone=phone)
        device = self.device()
        owner.bind(device)
        for guest in ({"type": "phone", "value": phone, "countryCode": COUNTRY}, {"type": "uid", "value": owner.uid}):
            error = owner.fail("share/invite", {"did": device.did, "way": "user", "guest": guest})
            self.assertError(error, "InvalidRequest", "guest.value")

    def test_who_only_wrote_an_address_down_is_not_invited_by_it(self):
        email = fresh_email()
        attacker = self.register()
        attacker.get("account/updateProfile", {"email": email})
        id = self.ask("email", email)["result"]["sharingId"]
        self.assertEqual(self.listed(attacker, "toMe"), [])
        self.assertError(attacker.ask("share/answer", {"sharingId": id, "accept": True}), "ResourceNotFound")


class Expiry(OwnWorldOfClass, Sharing):
    """With short lives: what nobody answers ends by itself."""

    @classmethod
    def make_world(cls):
        lives = ["--set", "limits.invitationLife=2", "--set", "limits.invitationCodeLife=2"]
        return World(watch=False, settings=lives)

    def test_both_sides_are_told(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.invite(owner, device, guest)["sharingId"]
        unknown = self.invite(owner, device, "u-nobody")["sharingId"]
        made = self.invite(owner, device)
        self.told(guest, id, "expired")
        for each in (id, unknown, made["sharingId"]):
            self.told(owner, each, "expired")
        self.assertError(guest.fail("share/answer", {"sharingId": id, "accept": True}), "Expired")
        self.assertError(
            guest.fail("share/answer", {"qrText": made["qrCode"]["text"], "accept": True}), "Expired")
        self.assertEqual({s["status"] for s in owner.get("share/list", {"type": "byMe"})["sharings"]}, {"expired"})
        self.assertEqual(self.role(owner, device), "owner")
        self.invite(owner, device, guest)

    def test_an_answer_in_time_stays(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.share(owner, device, guest)
        self.told(owner, self.invite(owner, device)["sharingId"], "expired")
        self.assertEqual(self.role(guest, device), "guest")
        self.assertEqual(guest.get("share/list", {"type": "toMe"})["sharings"][0],
                         {**guest.get("share/list", {"type": "toMe"})["sharings"][0], "sharingId": id, "status": "accepted"})


if __name__ == "__main__":
    unittest.main()
