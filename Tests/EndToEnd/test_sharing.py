"""share/invite and share/answer between users: roles and notifications."""

import signal
import time
import unittest

from accounts import fresh_id
from client import fresh_did, now
from sharing import Sharing


class ByUser(Sharing):
    def test_the_whole_process(self):
        device, owner = self.pair()
        guest = self.terminal()
        began = time.time() * 1000
        made = self.invite(owner, device, guest)
        id = made["sharingId"]
        self.assertAlmostEqual(made["expiresAt"], began + 86_400_000, delta=10_000)
        self.assertNotIn("qrCode", made)
        self.assertEqual(self.role(owner, device), "special", "no invitation was accepted yet")
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
        self.assertEqual(self.role(owner, device), "owner")
        owner.expect(f"user/{owner.uid}/device", lambda b: b["type"] == "roleChanged" and b["role"] == "owner")
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

    def test_oneself_and_a_user_who_is_bound_or_invited(self):
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

    def test_other_users_invitations_do_not_exist(self):
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

    def test_a_reader_can_watch_and_not_control(self):
        device, owner = self.pair()
        guest = self.terminal()
        self.share(owner, device, guest, access="read")
        guest.status(device)
        self.assertEqual(guest.get("device/list")["devices"][0]["access"], "read")
        guest.get("device/status", {"did": device.did})
        self.assertError(
            guest.fail("device/control", {"did": device.did, "data": {"power": True}}), "Forbidden")

    def test_a_guest_for_minutes_is_told_the_end(self):
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

    def test_a_removed_guest_cannot_return_by_an_old_invitation(self):
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

    def test_a_leaving_owner_ends_all_others_access(self):
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

    def test_an_expired_guest_is_told_the_expiry_when_the_owner_leaves(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.share(owner, device, guest, guestMinutes=1)
        guest.status(device)
        # The guest's access, which was granted for one minute, expires while the service is paused. The owner unbinds
        # the device before the service notices the expiry.
        process = self.world.service.process
        try:
            self.world.service.sql(f"UPDATE binding SET guestUntil = {now() - 1} WHERE uid = '{guest.uid}'",
                                   before_commit=lambda: process.send_signal(signal.SIGSTOP))
            owner.send("device/unbind", {"did": device.did}, "leave")
        finally:
            process.send_signal(signal.SIGCONT)
        self.assertTrue(owner.answer("device/unbind", "leave")["ok"])
        self.told(guest, id, "expired")
        self.gone(guest, device, "expired")

    def test_a_reset_ends_everything(self):
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

    def test_a_deleted_device_is_gone_for_all_users(self):
        device, owner = self.pair()
        guest = self.terminal()
        id = self.share(owner, device, guest)
        guest.status(device)
        self.world.service.cli("device", "forget", device.did, "--yes")
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
    def test_both_sides_with_pages_and_devices(self):
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


if __name__ == "__main__":
    unittest.main()
