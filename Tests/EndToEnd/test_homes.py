"""Tests of the methods `home/…`, with which a user groups devices."""

import unittest

from accounts import COUNTRY, PASSWORD, People, fresh_id
from world import EndToEnd


class Homes(EndToEnd):
    def homes(self, terminal):
        return {h["homeId"]: h for h in terminal.get("home/list")["homes"]}

    def changed(self, terminal, home):
        """Waits for the push that shows the device in `home`, and returns the device's row.

        If `home` is None, the device must be in no home."""
        return terminal.expect(
            f"user/{terminal.uid}/device",
            lambda b: b["type"] == "changed" and b["device"].get("homeId") == home).body["device"]

    def test_made_renamed_deleted(self):
        terminal = self.terminal()
        self.assertEqual(terminal.get("home/list"), {"homes": []})
        one = terminal.get("home/create", {"name": "Home"})["homeId"]
        two = terminal.get("home/create", {"name": "小屋", "latitude": 52.5, "longitude": -13.25})["homeId"]
        self.assertEqual(terminal.get("home/list")["homes"], [
            {"homeId": one, "name": "Home", "dids": []},
            {"homeId": two, "name": "小屋", "latitude": 52.5, "longitude": -13.25, "dids": []}])
        self.assertEqual(terminal.get("home/rename", {"homeId": two, "name": "Cabin"}), {})
        self.assertEqual(self.homes(terminal)[two]["name"], "Cabin")
        self.assertEqual(self.homes(terminal)[two]["latitude"], 52.5)
        self.assertEqual(terminal.get("home/delete", {"homeId": one}), {})
        self.assertEqual(list(self.homes(terminal)), [two])
        self.assertError(terminal.fail("home/delete", {"homeId": one}), "ResourceNotFound", "homeId")

    def test_a_device_is_in_one_home_at_a_time(self):
        device, terminal = self.pair()
        one, two = (terminal.get("home/create", {"name": n})["homeId"] for n in ("One", "Two"))
        add = {"homeId": one, "did": device.did}
        self.assertEqual(terminal.get("home/addDevice", add), {})
        self.changed(terminal, one)
        terminal.get("home/addDevice", add)
        self.assertEqual(terminal.get("device/list")["devices"][0]["homeId"], one)
        terminal.get("home/addDevice", {"homeId": two, "did": device.did})
        self.changed(terminal, two)
        self.assertEqual([h["dids"] for h in terminal.get("home/list")["homes"]], [[], [device.did]])
        self.assertError(terminal.fail("home/removeDevice", add), "ResourceNotFound", "did")
        terminal.get("home/removeDevice", {"homeId": two, "did": device.did})
        self.changed(terminal, None)
        self.assertNotIn("homeId", terminal.get("device/list")["devices"][0])
        terminal.get("home/addDevice", add)
        self.changed(terminal, one)
        terminal.get("home/delete", {"homeId": one})
        self.changed(terminal, None)
        self.assertEqual(terminal.get("device/list")["total"], 1, "the device stays bound")

    def test_unbinding_removes_it(self):
        device, terminal = self.pair()
        home = terminal.get("home/create", {"name": "Home"})["homeId"]
        terminal.get("home/addDevice", {"homeId": home, "did": device.did})
        terminal.get("device/unbind", {"did": device.did})
        self.assertEqual(self.homes(terminal)[home]["dids"], [])
        terminal.bind(device)
        self.assertNotIn("homeId", terminal.get("device/list")["devices"][0])

    def test_homes_are_each_users_own(self):
        device, one = self.pair()
        two = self.terminal()
        two.bind(device)
        home = one.get("home/create", {"name": "Home"})["homeId"]
        one.get("home/addDevice", {"homeId": home, "did": device.did})
        self.assertEqual(two.get("home/list"), {"homes": []})
        self.assertNotIn("homeId", two.get("device/list")["devices"][0])
        for method, params in (("rename", {"name": "x"}), ("delete", {}), ("addDevice", {"did": device.did}),
                               ("removeDevice", {"did": device.did})):
            with self.subTest(method=method):
                self.assertError(two.fail(f"home/{method}", {"homeId": home, **params}), "ResourceNotFound", "homeId")
        stranger = self.terminal()
        own = stranger.get("home/create", {"name": "x"})["homeId"]
        self.assertError(stranger.fail("home/addDevice", {"homeId": own, "did": device.did}), "NotBound")

    def test_fields_and_limits(self):
        terminal = self.terminal()
        for params, field in (({}, "name"), ({"name": ""}, "name"), ({"name": "x" * 65}, "name"),
                              ({"name": "x", "latitude": 91, "longitude": 0}, "latitude"),
                              ({"name": "x", "latitude": 0, "longitude": 181}, "longitude"),
                              ({"name": "x", "latitude": 1}, "longitude"), ({"name": "x", "longitude": 1}, "latitude")):
            with self.subTest(params=params):
                self.assertError(terminal.fail("home/create", params), "InvalidRequest", field)
        for number in range(100):
            terminal.get("home/create", {"name": f"h{number}"})
        self.assertError(terminal.fail("home/create", {"name": "one more"}), "Forbidden")


class FirstHome(People):
    def test_the_first_registration_makes_one(self):
        params = {"countryCode": COUNTRY, "uid": fresh_id("ext"), "password": PASSWORD, "createHome": True}
        terminal = self.stranger()
        self.assertTrue(terminal.adopt(terminal.get("account/loginOrRegister", params))["isNew"])
        homes = terminal.get("home/list")["homes"]
        self.assertEqual([(h["name"], h["dids"]) for h in homes], [("Home", [])])
        again = self.stranger()
        self.assertFalse(again.adopt(again.get("account/loginOrRegister", params))["isNew"])
        self.assertEqual(again.get("home/list")["homes"], homes)


if __name__ == "__main__":
    unittest.main()
