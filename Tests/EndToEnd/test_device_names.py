"""Tests of the names and tags that operators give to devices."""

import json
import unittest
import urllib.parse

from client import Device, fresh_id
from console import Console, problems, problems_of
from console_browser import Browser
from harness import eventually
from world import LAMP, OwnWorldOfClass


class Names(OwnWorldOfClass):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        service = cls.own.service
        for role in ("viewer", "operator"):
            service.cli("operator", "add", f"one-{role}", "--role", role)
        cls.tokens = {role: service.json("operator", "token", f"one-{role}", "--label", "tests")["token"]
                      for role in ("viewer", "operator")}

    def caller(self, role="operator"):
        return Console(self.own.service, self.tokens[role])

    def found(self, query, role="viewer"):
        answer = self.caller(role).get("/devices?query=" + urllib.parse.quote(query))
        self.assertEqual((answer.status, problems("listDevices", answer.json)), (200, []))
        return [row["did"] for row in answer.json["items"]]

    def audit(self, did):
        rows = self.caller().get("/audit?query=" + urllib.parse.quote(f"act:labelDevice {did}")).json["items"]
        return [(row["actor"]["id"], row["subject"], row.get("subjectName"), row["before"], row["after"]) for row in rows]


class CommandLine(Names):
    def cli(self, *arguments, code=0):
        done = self.own.service.cli(*arguments, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def test_a_device_is_named_tagged_and_found(self):
        lamp, other = self.device(connect=False), self.device(connect=False)
        wing = fresh_id("wing")
        self.assertIn("Hall, 2nd floor", self.cli("device", "name", lamp.did, "Hall, 2nd floor").stdout)
        shown = json.loads(self.cli("device", "tag", lamp.did, "floor=2", f"wing={wing}", "spare", "--json").stdout)
        self.assertEqual(problems_of("DeviceRow", shown), [])
        self.assertEqual((shown["did"], shown["name"], shown["tags"]),
                         (lamp.did, "Hall, 2nd floor", {"floor": "2", "spare": "", "wing": wing}))
        shown = json.loads(self.cli("device", "tag", lamp.did, "floor=3", "spare-", "--json").stdout)
        self.assertEqual(shown["tags"], {"floor": "3", "wing": wing})
        self.cli("device", "tag", other.did, f"wing={wing}")

        rows = json.loads(self.cli("device", "list", "--search", f"tag:wing={wing}", "--json").stdout)["items"]
        self.assertEqual([row["did"] for row in rows], sorted([lamp.did, other.did]))
        rows = json.loads(self.cli("device", "list", "--search", f"tag:wing={wing} name:hall", "--json").stdout)["items"]
        self.assertEqual([(row["did"], row["name"], row["tags"]) for row in rows],
                         [(lamp.did, "Hall, 2nd floor", {"floor": "3", "wing": wing})])
        page = self.cli("device", "list", "--search", f"tag:wing={wing}", "--limit", "1")
        self.assertIn(f"--after {min(lamp.did, other.did)}", page.stderr)
        for text in (self.cli("device", "list").stdout, self.cli("device", "show", lamp.did).stdout):
            self.assertIn("Hall, 2nd floor", text)
            self.assertIn(f"floor=3, wing={wing}", text)
        self.assertEqual(self.own.service.device(lamp.did)["name"], "Hall, 2nd floor")

        self.cli("device", "name", lamp.did, "")
        self.assertNotIn("name", self.own.service.device(lamp.did))
        self.assertEqual([(who, before, after) for who, _, _, before, after in self.audit(lamp.did)][0],
                         ("cli", {"name": "Hall, 2nd floor", "tags": {"floor": "3", "wing": wing}},
                          {"tags": {"floor": "3", "wing": wing}}))

    def test_invalid_names_and_tags_are_refused_with_a_reason(self):
        lamp = self.device(connect=False)
        for given, part in ((("tag", lamp.did, "Floor=2"), "lowercase letter"), (("tag", lamp.did, "floor=" + "x" * 65), "64"),
                            (("name", lamp.did, "x" * 65), "64"),
                            (("tag", lamp.did, *[f"t{n}" for n in range(33)]), "32 tags")):
            with self.subTest(given=given):
                said = self.cli("device", *given, code=1).stderr
                self.assertIn(part, said)
        self.assertIn("no device", self.cli("device", "name", "d-nosuch00", "x", code=1).stderr)
        self.assertIn("is not a search key", self.cli("device", "list", "--search", "colour:red", code=2).stderr)
        self.assertEqual(self.own.service.device(lamp.did)["tags"], {})

    def test_schedules_and_users_show_the_name(self):
        device, terminal = self.pair()
        self.cli("device", "name", device.did, "Cellar")
        terminal.get("schedule/create", {"did": device.did, "time": "07:30", "weekDays": [1], "timezone": "Europe/Berlin",
                                         "attrs": {"power": True}})
        self.assertIn(f"{device.did} Cellar", self.cli("schedule", "list", "--device", device.did).stdout)
        rows = json.loads(self.cli("schedule", "list", "--device", device.did, "--json").stdout)["items"]
        self.assertEqual(rows[0]["deviceName"], "Cellar")
        self.assertIn(f"{device.did} Cellar", self.cli("user", "show", terminal.uid).stdout)
        self.assertIn(f"would forget {device.did} Cellar", self.cli("device", "forget", device.did, code=2).stdout)
        self.assertIn(f"{device.did} Cellar may be reset", self.cli("device", "allow-reset", device.did).stdout)
        self.assertIn(f"{device.did} Cellar", self.cli("user", "erase", terminal.uid, code=2).stdout)
        erasure = json.loads(self.cli("user", "erase", terminal.uid, "--json", code=2).stdout)
        self.assertEqual(erasure["devices"][0]["name"], "Cellar")

    def test_refusals_show_the_name(self):
        lamp = self.device(connect=False)
        self.cli("device", "name", lamp.did, "Cellar")
        wrong = Device(self.own.service.mqtt_port, lamp.did, "wrong")
        self.assertNotEqual(wrong.connect(), 0)
        user = f"device:{lamp.did}"
        stored = eventually(lambda: [one for one in map(json.loads, self.cli("refusals", "--json").stdout.splitlines())
                                     if one["username"] == user])
        self.assertEqual(stored[0]["deviceName"], "Cellar")
        self.assertIn(f"{user} (Cellar)", self.cli("refusals").stdout)


class Interface(Names):
    def test_an_operator_names_and_tags_and_the_audit_shows_both_states(self):
        lamp = self.device(connect=False)
        path = f"/devices/{lamp.did}"
        answer = self.caller().ask("PATCH", path, {"name": "Hall", "tags": {"floor": "2", "spare": ""}})
        self.assertEqual((answer.status, problems("labelDevice", answer.json)), (200, []))
        self.assertEqual((answer.json["name"], answer.json["tags"]), ("Hall", {"floor": "2", "spare": ""}))
        answer = self.caller().ask("PATCH", path, {"tags": {"spare": None, "floor": "3"}})
        self.assertEqual((answer.json["name"], answer.json["tags"]), ("Hall", {"floor": "3"}))
        self.assertEqual(self.caller("viewer").get(path).json["row"]["name"], "Hall")
        self.assertEqual(self.audit(lamp.did), [
            ("one-operator", f"device {lamp.did}", "Hall", {"name": "Hall", "tags": {"floor": "2", "spare": ""}},
             {"name": "Hall", "tags": {"floor": "3"}}),
            ("one-operator", f"device {lamp.did}", "Hall", {"tags": {}}, {"name": "Hall", "tags": {"floor": "2", "spare": ""}})])

    def test_an_invalid_change_is_refused_with_its_field_and_changes_nothing(self):
        lamp = self.device(connect=False)
        path = f"/devices/{lamp.did}"
        for body, field in (({"name": " x"}, "name"), ({"name": "x" * 65}, "name"), ({"name": 5}, "name"), ({}, "name"),
                            ({"name": "x", "tags": {"Floor": "2"}}, "tags.Floor"), ({"tags": {"floor": 2}}, "tags.floor"),
                            ({"tags": ["floor"]}, "tags"), ({"tags": {f"t{n}": "" for n in range(33)}}, "tags")):
            with self.subTest(body=body):
                answer = self.caller().ask("PATCH", path, body)
                self.assertEqual((answer.status, answer.code, answer.json["field"]), (400, "InvalidRequest", field))
        self.assertEqual(self.caller("viewer").ask("PATCH", path, {"name": "x"}).status, 403)
        self.assertEqual(self.caller().ask("PATCH", "/devices/d-nosuch00", {"name": "x"}).status, 404)
        row = self.caller().get(path).json["row"]
        self.assertEqual((row.get("name"), row["tags"], self.audit(lamp.did)), (None, {}, []))

    def test_devices_are_found_by_name_and_tag(self):
        one, two = self.device(connect=False), self.device(connect=False)
        mark = fresh_id("mark")
        for device, floor in ((one, "2"), (two, "3")):
            self.caller().ask("PATCH", f"/devices/{device.did}", {"name": f"Lamp {mark}", "tags": {"floor": floor, "mark": mark}})
        both = sorted([one.did, two.did])
        self.assertEqual(self.found(f"tag:mark={mark}"), both)
        self.assertEqual(self.found(f"tag:mark={mark} tag:floor=2"), [one.did])
        self.assertEqual(self.found(f"tag:mark={mark} -tag:floor=2"), [two.did])
        self.assertEqual(self.found(f"tag:mark={mark}x"), [])
        self.assertEqual(self.found(f"name:{mark}"), both)
        self.assertEqual(self.found(mark), both)
        counts = self.caller().get(f"/devices/counts?query=tag%3Amark%3D{mark}").json
        self.assertEqual(counts["all"], 2)
        self.caller().ask("PATCH", f"/devices/{one.did}", {"name": "", "tags": {"mark": None}})
        self.assertEqual(self.found(mark), [two.did])
        # After the device has been forgotten, a search no longer finds it.
        self.own.service.cli("device", "forget", two.did, "--yes")
        self.assertEqual(self.found(f"tag:mark={mark}"), [])

    def test_an_invalid_cursor_is_refused(self):
        for path, cursor in (("devices", "zzz"), ("devices", "u-0123456789abc"), ("users", "zzz"), ("schedules", "d-1")):
            answer = self.caller().get(f"/{path}?cursor={cursor}")
            self.assertEqual((answer.status, answer.code, answer.json["field"]), (400, "InvalidRequest", "cursor"), path)
        self.assertEqual(self.caller().get("/devices?cursor=d-0123456789abc").status, 200)

    def test_one_search_finds_devices_users_products_and_schedules(self):
        device, terminal = self.pair()
        mark = fresh_id("mark")
        self.caller().ask("PATCH", f"/devices/{device.did}", {"name": f"Hall {mark}", "tags": {"floor": "2"}})
        terminal.get("schedule/create", {"did": device.did, "time": "07:30", "weekDays": [1], "timezone": "Europe/Berlin",
                                         "attrs": {"power": True}, "remark": mark})

        def search(query):
            answer = self.caller("viewer").get("/search?query=" + urllib.parse.quote(query))
            self.assertEqual((answer.status, problems("search", answer.json)), (200, []))
            return answer.json
        for query in (device.did, device.mac, mark):
            self.assertEqual([row["did"] for row in search(query)["devices"]], [device.did], query)
        self.assertIn(device.did, [row["did"] for row in search(f"tag:floor=2 {mark}")["devices"]])
        self.assertEqual([(row["deviceName"], row["remark"]) for row in search(mark)["schedules"]], [(f"Hall {mark}", mark)])
        self.assertEqual([row["uid"] for row in search(terminal.uid)["users"]], [terminal.uid])
        self.assertEqual([row["productKey"] for row in search("test lamp")["products"]], [LAMP["productKey"]])
        self.assertEqual(search("tag:floor=2")["users"] + search("")["devices"], [])
        self.assertEqual(self.caller().get("/search?query=colour%3Ared").status, 400)

    def test_dead_letters_and_live_messages_show_the_name(self):
        lamp = self.device()
        self.caller().ask("PATCH", f"/devices/{lamp.did}", {"name": "Cellar"})
        stream = self.caller().events("tap,deadLetters")
        self.addCleanup(stream.close)
        eventually(lambda: stream.next("tap")[1]["isListening"], what="the tap's connection")
        lamp.publish(f"{lamp.base}/report", b"nonsense")
        told = {}
        while len(told) < 2:
            kind, data = stream.next("tap", "deadLetters")
            self.assertEqual(problems_of("Tap" if kind == "tap" else "DeadLetterPage", data), [])
            rows = data.get("lines", []) + data.get("items", [])
            told.update((kind, row) for row in rows if row["topic"] == f"{lamp.base}/report")
        letters = self.caller("viewer").get("/deadLetters?query=" + urllib.parse.quote(f"topic:{lamp.did}")).json["items"]
        whole = self.caller().get(f"/deadLetters/{letters[0]['id']}").json["row"]
        shown = self.own.service.json("deadletter", "show", str(letters[0]["id"]))["row"]
        listed = [row for row in self.own.service.dead_letters() if row["id"] == letters[0]["id"]]
        self.assertIn(f"{lamp.did} Cellar", self.own.service.cli("deadletter", "show", str(letters[0]["id"])).stdout)
        for row in (*told.values(), *letters, whole, shown, *listed):
            self.assertEqual((row["did"], row["deviceName"]), (lamp.did, "Cellar"))

    def test_a_users_list_shows_when_each_device_was_last_seen(self):
        _, terminal = self.pair()
        rows = {row["uid"]: row for row in self.caller("viewer").get("/users?limit=200").json["items"]}
        sessions = self.caller("viewer").get(f"/users/{terminal.uid}/sessions").json["items"]
        self.assertEqual(rows[terminal.uid]["lastSeenAt"], max(one["lastSeenAt"] for one in sessions))


class Pages(Names):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def visit(self):
        visit = self.browser.visit(self.own.service)
        self.addCleanup(self._leave, visit)
        return visit.enter()

    def _leave(self, visit):
        visit.close()
        self.assertEqual(visit.faults, [], "what the browser complained about")

    def test_a_device_is_named_on_its_page_and_found_by_its_tag(self):
        device, terminal = self.pair()
        terminal.get("device/setCustomInfo", {"did": device.did, "alias": "Grandma's"})
        visit = self.visit()
        page = visit.show(f"devices/{device.did}")
        self.assertEqual(page.inner_text("main h1"), "Grandma's")
        page.click("main .head button:has-text('Name and tags')")
        page.fill("dialog input[name=name]", "Hall lamp")
        page.fill("dialog textarea", "floor=2\nspare")
        self.assertEqual(visit.findings(), [])
        page.click("dialog button.main")
        page.wait_for_function("() => document.querySelector('main h1').textContent === 'Hall lamp'")
        head = page.inner_text("main .head")
        for part in (device.did, device.mac, "Test lamp", "Grandma's", terminal.uid, "floor=2", "spare"):
            self.assertIn(part, head)
        page.click("main .head a:has-text('floor=2')")
        page.wait_for_selector(f"main tr[data-key='{device.did}']")
        self.assertIn("Hall lamp", page.inner_text(f"main tr[data-key='{device.did}']"))
        self.assertEqual(page.locator("main tbody tr").count(), 1)

        # A tag that is deleted in the form is removed.
        page = visit.show(f"devices/{device.did}")
        page.wait_for_function("() => document.title.startsWith('Hall lamp')")
        page.click("main .head button:has-text('Name and tags')")
        self.assertEqual(page.input_value("dialog textarea"), "floor=2\nspare")
        page.fill("dialog textarea", "spare\nFloor")
        page.click("dialog button.main")
        page.wait_for_selector("text=lowercase letter")
        page.fill("dialog textarea", "spare")
        page.click("dialog button.main")
        page.wait_for_selector("dialog", state="detached")
        self.assertEqual(self.found(f"tag:floor=2 {device.did}") + self.found(f"tag:spare {device.did}"), [device.did])

    def test_the_search_field_finds_groups_and_works_by_keyboard(self):
        device, terminal = self.pair()
        mark = fresh_id("mark")
        self.caller().ask("PATCH", f"/devices/{device.did}", {"name": f"Hall {mark}"})
        terminal.get("schedule/create", {"did": device.did, "time": "07:30", "weekDays": [1], "timezone": "Europe/Berlin",
                                         "attrs": {"power": True}, "remark": f"wake {mark}"})
        visit = self.visit()
        page = visit.show("overview")
        field = "#bar input[type=search]"
        page.keyboard.press("/")
        page.keyboard.insert_text(mark)  # In one event: a pause would send another query
        page.wait_for_selector("#bar [role=option]")
        self.assertEqual(page.locator("#bar [role=group]").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))"),
                         ["Devices", "Schedules"])
        self.assertEqual(visit.findings(), [])
        page.keyboard.press("ArrowUp")
        self.assertIn(f"wake {mark}", page.inner_text("#bar [aria-selected=true]"))
        self.assertEqual(page.get_attribute(field, "aria-activedescendant"), page.get_attribute("#bar [aria-selected=true]", "id"))
        page.keyboard.press("ArrowDown")
        self.assertIn(f"Hall {mark}", page.inner_text("#bar [aria-selected=true]"))
        page.keyboard.press("Enter")
        page.wait_for_function("did => location.hash === `#/devices/${did}`", arg=device.did)
        self.assertEqual(page.input_value(field), "")
        page.fill(field, terminal.uid)
        page.wait_for_selector("#bar [role=group][aria-label=Users]")
        page.click("#bar [role=option]")
        page.wait_for_function("uid => location.hash === `#/users/${uid}`", arg=terminal.uid)
        page.fill(field, "nothing is called so")
        page.wait_for_selector("#bar >> text=Nothing matches")
        page.focus(field)
        page.keyboard.press("Escape")
        page.wait_for_selector("#bar [role=listbox]", state="hidden")
        page.fill(field, "online:yes")
        page.keyboard.press("Enter")
        page.wait_for_function("() => location.hash.startsWith('#/devices?query=online')")


if __name__ == "__main__":
    unittest.main()
