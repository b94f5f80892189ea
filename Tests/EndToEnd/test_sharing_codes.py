"""Sharing by QR code, transfer of a device, and unanswered invitations."""

import base64
import time
import unittest

from accounts import fresh_id
from sharing import Sharing
from world import OwnWorldOfClass, World


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
        stored = str(self.world.service.sql("SELECT * FROM sharing"))
        self.assertIn(made["sharingId"], stored)
        self.assertNotIn(code["text"].rsplit(":", 1)[1], stored, "only its hash is kept")

    def test_the_first_to_scan_it_is_bound(self):
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

    def test_of_many_concurrent_scans_one_wins(self):
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

    def test_a_bound_user_does_not_use_it_up(self):
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
        self.assertEqual((told["role"], told["device"]), ("owner", entry))
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

    def test_who_may_transfer_and_to_whom(self):
        device, owner = self.pair()
        guest, stranger = self.terminal(), self.terminal()
        params = {"did": device.did, "uid": guest.uid}
        self.assertError(owner.fail("share/transfer", params), "Forbidden")
        self.share(owner, device, guest)
        self.assertError(guest.fail("share/transfer", {**params, "uid": owner.uid}), "Forbidden")
        self.assertError(stranger.fail("share/transfer", params), "NotBound")
        self.assertError(owner.fail("share/transfer", {**params, "uid": owner.uid}), "InvalidRequest", "uid")
        self.assertError(owner.fail("share/transfer", {**params, "uid": stranger.uid}), "ResourceNotFound", "uid")


class Expiry(OwnWorldOfClass, Sharing):
    """Invitations with short lives end automatically if nobody answers."""

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
        self.assertEqual(self.role(owner, device), "special", "no invitation was accepted")
        self.invite(owner, device, guest)

    def test_an_answer_in_time_stays_valid(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.share(owner, device, guest)
        self.told(owner, self.invite(owner, device)["sharingId"], "expired")
        self.assertEqual(self.role(guest, device), "guest")
        self.assertEqual(guest.get("share/list", {"type": "toMe"})["sharings"][0],
                         {**guest.get("share/list", {"type": "toMe"})["sharings"][0], "sharingId": id, "status": "accepted"})


if __name__ == "__main__":
    unittest.main()
