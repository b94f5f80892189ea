"""Keys, log and subscriptions survive a move to PostgreSQL and back, and a restore."""

import json
import pathlib
import shutil
import subprocess
import unittest

import postgres
from client import Device, fresh_id
from harness import BINARY, ENVIRONMENT, Service, eventually
from receiver import Receiver, place
from test_http import HTTPTerminal
from test_keys import Server
from world import SETTINGS, OwnWorld, World

ALERTS = ["device.alert", "device.alertCleared"]
ARGUMENTS = [*SETTINGS, "--set", "outbound.privateTargets=localhost"]


@postgres.on_file
class Moved(OwnWorld):
    def make_world(self):
        return World(watch=False, service=Service(arguments=ARGUMENTS))

    def setUp(self):
        super().setUp()
        self.service = self.own.service
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.made = self.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events", "device")
        self.rotated = self.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")
        self.new_secret = self.service.json("key", "rotate", self.rotated["keyId"])["key"]
        self.server = self.keep(Server(self.own.port, self.made).come())
        self.lamp = self.device()
        self.begin = self.server.get("events/read", {"after": "now"})["cursor"]
        self.hook = self.server.get("events/subscribe", {
            "name": "hook", "types": ALERTS, "url": self.receiver.url("/hook")})
        self.stored = self.server.get("events/subscribe", {"name": "stored", "types": ALERTS})["subscriptionId"]
        self.count = 0
        self.report(6)
        self.known = self.read(self.begin)
        self.assertEqual(len(self.known), 6)
        # The stored cursor is after the third of the six known events.
        self.server.get("events/ack", {"subscriptionId": self.stored, "cursor": self.known[2]["id"]})
        self.delivered(6)

    def report(self, times):
        for _ in range(times):
            self.count += 1
            self.assertTrue(self.lamp.report(alerts=[{"name": "smoke", "value": self.count % 2 == 1}])["ok"])

    def read(self, after):
        return self.server.get("events/read", {"after": after, "types": ALERTS, "limit": 1000, "wait": 5})["events"]

    def delivered(self, count):
        eventually(lambda: len(self.receiver.taken("/hook")) == count, 30, lambda: f"{len(self.receiver.taken('/hook'))}")

    def goes_on(self, service):
        """Checks that everything works with the moved store, and creates six more events."""
        self.lamp.close()
        self.server.close()
        self.service = service
        self.server = self.keep(Server(service.mqtt_port, self.made).come())
        self.lamp = self.keep(Device(service.mqtt_port, self.lamp.did, self.lamp.secret)).come()
        # Ids from before the move are still valid cursors.
        self.assertEqual(self.read(self.begin), self.known)
        self.assertEqual(self.read(self.known[3]["id"]), self.known[4:])
        stored = self.server.get("events/read", {"subscriptionId": self.stored})["events"]
        self.assertEqual(stored, self.known[3:])
        rows = {row["subscriptionId"]: row for row in self.server.get("events/subscriptions")["subscriptions"]}
        self.assertEqual({rows[self.hook["subscriptionId"]]["state"], rows[self.stored]["state"]}, {"on"})
        before = len(self.receiver.of("/hook"))
        self.report(6)
        newest = eventually(lambda: (lambda found: found if len(found) == 6 else None)(self.read(self.known[-1]["id"])))
        self.assertTrue(all(place(event["id"]) > place(self.known[-1]["id"]) for event in newest))
        self.known += newest
        self.delivered(len(self.known))
        posts = self.receiver.of("/hook")[before:]
        self.assertTrue(posts)
        for post in posts:
            self.assertTrue(post.is_signed(self.hook["secret"]))
            self.assertEqual(post.body["subscriptionId"], self.hook["subscriptionId"])
        self.assertIsNone(self.receiver.fault("/hook"))
        self.assertEqual([event["id"] for event in self.receiver.taken("/hook")], [event["id"] for event in self.known])
        # The key also works over HTTP. Both secrets of a rotated key are valid.
        side = type("Side", (), {"service": service, "apps": self.own.apps})
        for secret in (self.made["key"], self.rotated["key"]):
            self.assertIn("subscriptions", HTTPTerminal(side, token=secret).get("events/subscriptions", short=True))
        self.assertEqual(HTTPTerminal(side, token="llk_none").ask("events/subscriptions", short=True)[0], 401)

    def migrate(self, *arguments):
        done = subprocess.run(
            [str(BINARY), "migrate", "--json", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return {table["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}

    @postgres.installed
    def test_subscriptions_continue_on_postgresql_and_back_in_a_file(self):
        first, server = self.service, postgres.Server()
        self.addCleanup(server.close)
        # Events are ordered by the numbers of their transactions. The PostgreSQL server is new, so its transactions
        # have small numbers. New events must still come after the events from the file.
        self.assertEqual(first.stop()[0], 0)
        store = server.make()
        rows = self.migrate("--data", first.data, "--to", store)
        self.assertEqual((rows["apiKey"], rows["eventSubscription"]), (2, 2))
        moved = Service(arguments=ARGUMENTS, store=store)
        self.addCleanup(moved.close)
        self.copy_secrets(first.data, moved.data)
        try:
            moved.start()
        except AssertionError:
            print(moved.tail())
            raise
        self.goes_on(moved)
        self.assertEqual(moved.stop()[0], 0)
        back = pathlib.Path(first.holder) / "back"
        self.migrate("--data", moved.data, "--store", store, "--to", f"sqlite:{back}")
        again = Service(back, ARGUMENTS)
        self.addCleanup(again.close)
        self.copy_secrets(first.data, back)
        self.goes_on(again.start())

    @staticmethod
    def copy_secrets(source, target):
        target.mkdir(exist_ok=True)
        for name in ("server.key", "service.secret", "tools.secret"):
            if (source / name).exists() and not (target / name).exists():
                shutil.copy(source / name, target / name)

    def test_subscriptions_continue_from_a_backup_whose_log_ends_before_their_cursors(self):
        first, folder = self.service, pathlib.Path(self.service.holder)
        file = folder / "one.backup"
        first.cli("backup", str(file))
        # The backup doesn't contain these events, although the readers have them.
        self.report(4)
        self.delivered(10)
        lost = self.read(self.known[-1]["id"])
        self.assertEqual(len(lost), 4)
        first.stop()
        done = subprocess.run(
            [str(BINARY), "restore", str(file), "--data", str(folder / "restored")], capture_output=True, text=True,
            env=ENVIRONMENT, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        other = Service(folder / "restored", ARGUMENTS)
        self.addCleanup(other.close)
        self.receiver.posts[:] = [post for post in self.receiver.posts if post.events[-1]["id"] <= self.known[-1]["id"]]
        self.goes_on(other.start())
        # Before the disaster, this reader had read events that the backup doesn't contain. After the disaster, the
        # reader still gets every new event.
        self.assertEqual(self.read(lost[-1]["id"]), self.known[6:])


if __name__ == "__main__":
    unittest.main()
