"""A maker's server uses an API key to follow its app's devices over MQTT."""

import threading
import time
import unittest

from client import Terminal, fresh_id
from harness import eventually
from receiver import place
from world import LAMP, EndToEnd, OwnWorld, World


class Server(Terminal):
    """A maker's server that uses its key as its password and as the token of its requests."""

    def __init__(self, world, app="test-app", scope="events", **more):
        made = world.service.json("key", "add", fresh_id("server"), "--app", app, "--scope", scope)
        super().__init__(world.port, app, made["key"], made["terminalId"], **more)
        self.token = made["key"]

    def read(self, **params):
        return self.get("events/read", params)

    def follow(self, until, seconds=20, **params):
        """Reads events until `until` is true for one of them, and returns all events that were read."""
        found, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            page = self.read(wait=5, **params)
            found += page["events"]
            params["after"] = page["cursor"]
            if any(until(event) for event in page["events"]):
                return found
        raise AssertionError(f"not among {[event['type'] for event in found]}")


def types(events):
    return [event["type"] for event in events]


class EventLog(EndToEnd):
    def setUp(self):
        super().setUp()
        self.server = self.keep(Server(self.world).come())
        self.cursor = self.server.read(after="now")["cursor"]

    def of(self, device, until, **params):
        return self.server.follow(lambda e: e["type"] == until, after=self.cursor, dids=[device.did], **params)

    def test_a_device_from_its_binding_to_its_command(self):
        user, lamp = self.terminal(), self.device()
        self.of(lamp, "device.online")
        user.bind(lamp)
        lamp.report(alerts=[{"name": "smoke"}], data={"power": False})
        lamp.report(alerts=[{"name": "smoke", "value": False}])
        user.send("device/control", {"did": lamp.did, "data": {"power": True}}, "c")
        lamp.report(cid=lamp.command().body["cid"], code=0, data={"power": True})
        self.assertTrue(user.answer("device/control", "c")["ok"])
        user.get("device/unbind", {"did": lamp.did})
        lamp.close()
        events = self.of(lamp, "device.offline")
        self.assertEqual(types(events), [
            "device.registered", "device.online", "device.bound", "device.alert", "device.alertCleared", "device.command",
            "device.unbound", "device.offline"])
        bound, command = events[2], events[5]
        self.assertEqual((bound["uid"], bound["actor"]["id"]), (user.uid, user.uid))
        self.assertEqual((command["data"]["state"], command["productKey"]), ("done", LAMP["productKey"]))
        self.assertEqual(len({event["id"] for event in events}), len(events))

    def test_a_waiting_reader_is_answered_by_the_commit(self):
        lamp = self.device()
        self.of(lamp, "device.online")
        answers = []
        cursor = self.server.read(after="now")["cursor"]
        reader = threading.Thread(target=lambda: answers.append(
            self.server.read(after=cursor, dids=[lamp.did], types=["device.fault"], wait=30)))
        begun = time.monotonic()
        reader.start()
        time.sleep(1)
        lamp.report(faults=[{"name": "sensor", "value": 3}])
        reader.join(20)
        self.assertEqual(types(answers[0]["events"]), ["device.fault"])
        self.assertLess(time.monotonic() - begun, 6)

    def test_statuses_are_logged_once_a_reader_wants_them(self):
        lamp = self.device()
        lamp.report(data={"count": 1})
        made = self.server.get("events/subscribe", {"name": "s", "types": ["device.status"], "dids": [lamp.did]})
        for count in range(2, 6):
            lamp.report(data={"count": count})
        stored = {"subscriptionId": made["subscriptionId"]}
        seen = []
        while 5 not in seen:
            page = self.server.read(wait=5, **stored)
            seen += [event["data"]["data"]["count"] for event in page["events"]]
            self.server.get("events/ack", {**stored, "cursor": page["cursor"]})
        self.assertEqual(seen, sorted(set(seen)))
        self.assertNotIn(1, seen)
        row, = [r for r in self.server.get("events/subscriptions")["subscriptions"]
                if r["subscriptionId"] == made["subscriptionId"]]
        self.assertEqual((row["state"], row["types"]), ("on", ["device.status"]))
        self.server.get("events/unsubscribe", stored)
        self.assertEqual(self.server.fail("events/read", stored)["code"], "ResourceNotFound")

    def test_another_app_sees_neither_its_devices_nor_its_users(self):
        other = Server(self.world, "other-app").come()
        cursor = other.read(after="now")["cursor"]
        user, lamp = self.terminal(), self.device()
        user.bind(lamp)
        lamp.report(alerts=[{"name": "smoke"}])
        self.of(lamp, "device.alert")
        seen = other.read(after=cursor, dids=[lamp.did], limit=1000)["events"]
        for event in seen:
            self.assertNotIn("uid", event)
            self.assertNotIn(user.uid, str(event))
        users = other.read(after=cursor, types=["account.*", "session.*"], limit=1000)["events"]
        self.assertNotIn(user.uid, str(users))

    def test_an_account_and_its_sessions(self):
        user = self.terminal()
        user.get("account/updateProfile", {"nickname": "Nadia"})
        events = self.server.follow(
            lambda e: e["type"] == "account.changed" and e.get("uid") == user.uid, after=self.cursor,
            types=["account.*", "session.*"])
        mine = [event for event in events if event.get("uid") == user.uid]
        self.assertEqual(types(mine), ["account.created", "session.started", "account.changed"])
        for event in mine:
            self.assertEqual(event["actor"], {"kind": "user", "id": user.uid})

    def test_a_key_without_the_scope_and_a_user_are_refused(self):
        server = Server(self.world, scope="device").come()
        self.assertEqual(server.fail("events/read")["code"], "Forbidden")
        reading = Server(self.world, scope="events:read").come()
        reading.read(after="start", limit=1)
        self.assertEqual(reading.fail("events/subscribe", {"name": "n", "types": ["device.*"]})["code"], "Forbidden")
        self.assertEqual(self.terminal().fail("events/read")["code"], "Forbidden")

    def test_the_command_line_seeks_pauses_and_shows(self):
        made = self.server.get("events/subscribe", {"name": "cli", "types": ["device.alert"]})
        id = made["subscriptionId"]
        lamp = self.device()
        lamp.report(alerts=[{"name": "smoke"}])
        self.of(lamp, "device.alert")
        events = self.world.service.json
        self.assertEqual(events("events", "pause", id)["state"], "paused")
        self.assertEqual(events("events", "seek", id, "now")["behind"], 0)
        self.assertEqual(self.server.read(subscriptionId=id)["events"], [])
        self.assertEqual(events("events", "seek", id, "start")["state"], "paused")
        self.assertTrue(self.server.read(subscriptionId=id)["events"])
        self.assertEqual(events("events", "resume", id)["state"], "on")
        rows = events("events", "list", "--app", "test-app")["items"]
        self.assertIn(id, [row["subscriptionId"] for row in rows])
        shown = events("events", "tail", "--app", "test-app", "--type", "device.alert")["items"]
        self.assertEqual(set(types(shown)), {"device.alert"})


class AfterKill(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.own = World(watch=False)

    @classmethod
    def tearDownClass(cls):
        cls.own.close()

    def test_no_event_is_lost_and_order_holds(self):
        server = self.keep(Server(self.world, reconnect=True, keepalive=5).come())
        cursor = server.read(after="now")["cursor"]
        lamp = self.device(reconnect=True, keepalive=5)
        for number in range(20):
            lamp.report(alerts=[{"name": "smoke", "value": number % 2 == 0}])
            if number % 7 == 6:
                self.world.service.kill()
                self.world.service.start()
                eventually(lambda: lamp.connected and server.connected, 60, "the clients' return")
        found, wanted = [], {"dids": [lamp.did], "types": ["device.alert", "device.alertCleared"]}
        while len(found) < 20:
            page = server.read(after=cursor, wait=20, **wanted)
            self.assertTrue(page["events"], types(found))
            found, cursor = found + page["events"], page["cursor"]
        self.assertEqual(types(found), ["device.alert", "device.alertCleared"] * 10)
        self.assertEqual(len({event["id"] for event in found}), 20)


class Gaps(OwnWorld):
    """Statuses can be deleted long before other events, and a reader must not lose those other events."""

    def test_deleted_statuses_hide_no_other_events(self):
        server, lamp = self.keep(Server(self.own).come()), self.device()
        server.get("events/subscribe", {"name": "all", "types": ["device.*"]})
        begin = server.read(after="now")["cursor"]
        for number in range(6):
            lamp.report(data={"count": number}, alerts=[{"name": "smoke", "value": number % 2 == 0}])
        eventually(lambda: len(server.read(after=begin, types=["device.status"])["events"]) == 6)
        wanted = {"after": begin, "types": ["device.*"], "limit": 3}
        deleted = server.read(after=begin, types=["device.status"])["events"][-1]["id"]
        service = self.own.service
        service.sql("DELETE FROM eventLog WHERE bulk = 1")
        service.sql(f"INSERT INTO meta (name, value) VALUES ('eventsDeleted.bulk', '{deleted}')")
        found = []
        while not found or page["events"]:
            page = server.read(**wanted)
            self.assertLessEqual(len(page["events"]), 3)
            found, wanted["after"] = found + page["events"], page["cursor"]
        self.assertEqual([event["type"] for event in found if event["type"] != "events.gap"],
                         ["device.alert", "device.alertCleared"] * 3)
        self.assertEqual([event["id"] for event in found if event["type"] == "events.gap"], [deleted])
        places = [place(event["id"]) for event in found]
        self.assertEqual(places, sorted(places))
        # A reader can continue after each of these events.
        for index, event in enumerate(found):
            rest = server.read(after=event["id"], types=["device.*"])["events"]
            self.assertEqual([e["id"] for e in rest], [e["id"] for e in found[index + 1:]])


if __name__ == "__main__":
    unittest.main()
