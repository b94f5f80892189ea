"""Invitations by the names that users log in with."""

import json
import unittest

from accounts import COUNTRY, People, fresh_email, fresh_id, fresh_name, fresh_phone
from sharing import share


class Names(People):
    """Tests of invitations by login names, and of what these invitations reveal."""

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

    def test_whether_a_person_has_an_account_is_not_revealed(self):
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
        self.assertEqual(self.owner.get("device/list")["devices"][0]["role"], "special", "no role changes")

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

    def test_a_user_with_an_unproved_address_is_not_invited_by_it(self):
        email = fresh_email()
        attacker = self.register()
        attacker.get("account/updateProfile", {"email": email})
        id = self.ask("email", email)["result"]["sharingId"]
        self.assertEqual(self.listed(attacker, "toMe"), [])
        self.assertError(attacker.ask("share/answer", {"sharingId": id, "accept": True}), "ResourceNotFound")


if __name__ == "__main__":
    unittest.main()
