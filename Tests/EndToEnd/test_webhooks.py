"""Webhooks receive events in order and at least once, but never at forbidden addresses."""

import socket
import time
import unittest

import tools
from client import Terminal, fresh_id
from harness import eventually, free_port
from metrics import Page
from receiver import Receiver, answer, drip, hang_up, long_headers, place, slowly
from test_keys import Server
from world import World

SETTINGS = ["--set", "outbound.privateTargets=localhost"]


class Webhooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(watch=False, settings=SETTINGS)
        cls.addClassCleanup(cls.world.close)
        cls.receiver = Receiver()
        cls.addClassCleanup(cls.receiver.close)

    def setUp(self):
        self.user = self.world.terminal()
        self.made = self.world.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")
        self.server = Server(self.world.port, self.made).come()
        self.addCleanup(lambda: self.server.close())
        self.count = 0

    def path(self):
        return "/" + fresh_id("hook")

    def subscribe(self, path, **more):
        """Makes a webhook for changes of the user's profile."""
        params = {"name": "hook", "types": ["account.changed"], "url": self.receiver.url(path), **more}
        made = self.server.get("events/subscribe", params)
        self.addCleanup(lambda: self.server.ask("events/unsubscribe", {"subscriptionId": made["subscriptionId"]}))
        return made

    def row(self, id):
        rows = self.server.get("events/subscriptions")["subscriptions"]
        return next(row for row in rows if row["subscriptionId"] == id)

    def change(self, times=1):
        """Changes the nickname `times` times, and returns the new nicknames."""
        names = [f"name {self.count + n}" for n in range(times)]
        for name in names:
            self.user.get("account/updateProfile", {"nickname": name})
        self.count += times
        return names

    def names(self, path):
        """Returns the nicknames of this test's user in the events that the receiver has accepted."""
        return [event["data"]["nickname"] for event in self.receiver.taken(path) if event["uid"] == self.user.uid]

    def expect(self, path, names, seconds=60):
        eventually(lambda: self.names(path) == names, seconds, lambda: f"{self.names(path)} is not {names}: that")
        self.assertIsNone(self.receiver.fault(path))

    def restart(self):
        self.server.close()
        self.world.service.start()
        self.server = Server(self.world.port, self.made).come()

    # Delivery

    def test_events_arrive_signed_and_in_order(self):
        path = self.path()
        made = self.subscribe(path)
        names = self.change(5)
        self.expect(path, names)
        for post in self.receiver.of(path):
            self.assertTrue(post.is_signed(made["secret"]))
            self.assertEqual(post.body["subscriptionId"], made["subscriptionId"])
            self.assertEqual(post.headers["content-type"], "application/json")
            self.assertLess(abs(int(post.headers["webhook-timestamp"]) - time.time()), 10)
        tools.use()
        from standardwebhooks import Webhook
        post = self.receiver.of(path)[0]
        self.assertEqual(Webhook(made["secret"]).verify(post.raw, post.headers), post.body)
        row = self.row(made["subscriptionId"])
        self.assertEqual((row["state"], row["tries"]), ("on", 0))
        self.assertEqual(row["cursor"], self.receiver.taken(path)[-1]["id"])
        deliveries = self.server.get("events/deliveries", {"subscriptionId": made["subscriptionId"]})["deliveries"]
        self.assertEqual(sum(delivery["events"] for delivery in deliveries), 5)
        self.assertEqual({delivery["status"] for delivery in deliveries}, {204})
        self.assertEqual(deliveries[-1]["webhookId"], post.id)

    def test_both_secrets_sign_after_a_rotation(self):
        path = self.path()
        made = self.subscribe(path)
        new = self.server.get("events/rotate", {"subscriptionId": made["subscriptionId"]})["secret"]
        self.expect(path, self.change())
        post = self.receiver.of(path)[0]
        self.assertTrue(post.is_signed(made["secret"]) and post.is_signed(new))

    def test_every_failure_is_repeated_unchanged_until_it_is_accepted(self):
        for name, act in (
                ("an error", answer(500)), ("an error with a hint", answer(429, Retry_After=6)), ("a redirect", answer(
                    307, Location=self.receiver.url("/elsewhere"))), ("a hang-up", hang_up)):
            with self.subTest(name):
                path = self.path()
                made = self.subscribe(path)
                self.receiver.plans[path] = [act]
                names = self.change()
                eventually(lambda: self.row(made["subscriptionId"])["tries"] == 1)
                names += self.change(2)
                self.expect(path, names)
                first, again = self.receiver.of(path)[:2]
                self.assertEqual((again.id, again.raw), (first.id, first.raw))
                self.assertGreater(again.at - first.ended, 5.9 if name == "an error with a hint" else 3.9)
                self.assertEqual(self.receiver.of("/elsewhere"), [])

    def test_long_headers_are_accepted(self):
        path = self.path()
        self.receiver.plans[path] = [long_headers]
        self.subscribe(path)
        self.expect(path, self.change())
        self.assertEqual(len(self.receiver.of(path)), 1)

    def test_slow_receivers_delay_no_others(self):
        quick = self.path()
        self.subscribe(quick)
        self.change()
        eventually(lambda: len(self.names(quick)) == 1)
        slow = [self.path() for _ in range(10)]
        for path in slow:
            self.receiver.usual[path] = slowly(14) if path != slow[9] else drip
            self.subscribe(path)
        self.change()
        eventually(lambda: sum(bool(self.receiver.of(path)) for path in slow) >= 6)
        for _ in range(5):
            known, began = len(self.names(quick)), time.monotonic()
            self.change()
            eventually(lambda: len(self.names(quick)) > known, 10)
            self.assertLess(time.monotonic() - began, 3)
            time.sleep(3)
        # The service accepts an answer that is complete within 15 seconds. It doesn't accept an answer that arrives at
        # one byte a second.
        eventually(lambda: all(self.names(path) for path in slow[:9]), 60)
        eventually(lambda: len(self.receiver.of(slow[9])) > 1, 60)
        self.assertEqual(self.names(slow[9]), [])

    def test_a_poisoned_event_becomes_a_dead_letter_which_can_be_replayed(self):
        path = self.path()
        refused = "name 2"

        def choose(connection, post):
            names = [event["data"]["nickname"] for event in post.events if event["uid"] == self.user.uid]
            answer(422 if refused in names else 204, "bad")(connection, post)

        made = self.subscribe(path)
        id = made["subscriptionId"]
        self.server.get("events/update", {"subscriptionId": id, "state": "paused"})
        names = self.change(7)
        self.receiver.usual[path] = choose
        self.server.get("events/update", {"subscriptionId": id, "state": "on"})
        rest = [name for name in names if name != refused]
        eventually(lambda: self.names(path) == rest, 90)
        letters = [letter for letter in self.world.service.json("deadletter", "list")["items"]
                   if letter["topic"] == f"webhook/{id}"]
        self.assertEqual([letter["worker"] for letter in letters], ["reach"])
        self.assertIn("422", letters[0]["reason"])
        number = str(letters[0]["id"])
        replay = ("deadletter", "replay", number, *SETTINGS)
        still = self.world.service.cli(*replay, check=False)
        self.assertNotEqual(still.returncode, 0)
        self.assertIn("422", still.stderr)
        refused = None
        self.world.service.cli(*replay)
        self.assertIn("name 2", self.names(path))
        tries = [post for post in self.receiver.of(path) if len(post.events) == 1
                 and post.events[0]["data"]["nickname"] == "name 2"]
        self.assertEqual(len({post.id for post in tries}), 1)
        self.assertEqual(len(tries), 5)

    def test_410_disables_it_until_it_is_enabled(self):
        path = self.path()
        id = self.subscribe(path)["subscriptionId"]
        self.receiver.plans[path] = [answer(410)]
        names = self.change()
        eventually(lambda: self.row(id)["state"] == "disabled")
        self.assertIn("410", self.row(id)["reason"])
        names += self.change()
        time.sleep(1)
        self.assertEqual(len(self.receiver.of(path)), 1)
        eventually(lambda: Page(self.world.service).sum("lamplighter_webhooks", state="disabled") >= 1, 20)
        self.server.get("events/update", {"subscriptionId": id, "state": "on"})
        self.expect(path, names)

    def test_changes_during_the_post_that_disables_it_are_kept(self):
        path, new = self.path(), []

        def change_then_refuse(connection, post):
            params = {"subscriptionId": id}
            new.append(self.server.get("events/rotate", params)["secret"])
            self.server.get("events/update", {**params, "types": ["account.changed", "session.started"]})
            answer(410)(connection, post)

        id = self.subscribe(path)["subscriptionId"]
        self.receiver.plans[path] = [change_then_refuse]
        names = self.change()
        eventually(lambda: self.row(id)["state"] == "disabled")
        self.assertEqual(self.row(id)["types"], ["account.changed", "session.started"])
        self.server.get("events/update", {"subscriptionId": id, "state": "on"})
        self.expect(path, names)
        self.assertTrue(self.receiver.of(path)[-1].is_signed(new[0]))

    def test_5_days_without_success_disable_it(self):
        path = self.path()
        id = self.subscribe(path)["subscriptionId"]
        self.receiver.usual[path] = answer(500)
        self.change()
        eventually(lambda: self.row(id)["tries"] == 1)
        past = int((time.time() - 5 * 86400 - 60) * 1000)
        self.world.service.sql(f"UPDATE eventSubscription SET failingSince = {past} WHERE subscriptionId = '{id}'")
        eventually(lambda: self.row(id)["state"] == "disabled", 30)
        self.assertIn("5 days", self.row(id)["reason"])

    def test_no_post_begins_after_a_pause_a_change_or_the_end(self):
        for end in ("paused", "url", "unsubscribed"):
            with self.subTest(end):
                path, other = self.path(), self.path()
                id = self.subscribe(path)["subscriptionId"]
                self.receiver.usual[path] = slowly(0.01)
                for _ in range(3):
                    self.change()
                if end == "unsubscribed":
                    self.server.get("events/unsubscribe", {"subscriptionId": id})
                else:
                    change = {"state": "paused"} if end == "paused" else {"url": self.receiver.url(other)}
                    self.server.get("events/update", {"subscriptionId": id, **change})
                answered = time.monotonic()
                names = self.change(3)
                time.sleep(1.5)
                self.assertEqual([post for post in self.receiver.of(path) if post.at > answered], [])
                if end == "url":
                    eventually(lambda: self.names(other)[-3:] == names)

    def test_moving_the_cursor_replays(self):
        path = self.path()
        id = self.subscribe(path)["subscriptionId"]
        names = self.change(3)
        self.expect(path, names)
        self.server.get("events/update", {"subscriptionId": id, "cursor": "start"})
        eventually(lambda: sum(
            event["uid"] == self.user.uid for post in self.receiver.of(path) for event in post.events) > 3)
        newest = max(self.receiver.taken(path), key=lambda event: place(event["id"]))["id"]
        eventually(lambda: self.row(id)["cursor"] == newest)

    # Crashes

    def test_nothing_is_lost_by_kills_and_failures(self):
        path = self.path()
        id = self.subscribe(path, batch=3)["subscriptionId"]
        names = []
        for round in range(3):
            self.receiver.plans[path] = [answer(204), slowly(30), answer(500), hang_up][round:]
            names += self.change(4)
            eventually(lambda: self.receiver.of(path), 30)
            time.sleep(0.3)
            self.world.service.kill()
            self.world.service.kill_broker()
            self.receiver.plans[path] = []
            self.restart()
            self.user = self.again()
            self.world.service.sql(f"UPDATE eventSubscription SET dueAt = NULL WHERE subscriptionId = '{id}'")
        # The kill closed the service's connections, so no post is in progress any more.
        self.receiver.plans[path] = []
        names += self.change(2)
        eventually(lambda: self.names(path) == names, 60)
        known = self.server.get("events/read", {"after": "start", "types": ["account.changed"], "limit": 1000})["events"]
        self.assertEqual(names, [event["data"]["nickname"] for event in known if event["uid"] == self.user.uid])

    def again(self):
        """Returns the same user on a new connection."""
        user = self.user
        user.close()
        again = Terminal(self.world.port, "test-app", user.token, user.terminal_id).come()
        again.token, again.uid = user.token, user.uid
        return again

    # Addresses

    def test_internal_addresses_are_refused_with_the_field(self):
        for url in ("https://127.0.0.1/", "http://127.0.0.1/", "https://a.localhost/", "https://[::1]/", "https://[::ffff:10.0.0.1]:8443/",
                    "https://169.254.169.254/latest/meta-data/", "https://0x7f000002/", "https://[64:ff9b::a00:1]/",
                    "https://[2002:a00:1::]/", "file:///etc/passwd", "http://example.com/", "https://u:p@example.com/",
                    "ftp://example.com/", "gopher://127.0.0.1:6379/_INFO"):
            with self.subTest(url):
                error = self.server.fail("events/subscribe", {"name": "x", "types": ["account.*"], "url": url})
                self.assertEqual((error["code"], error["field"]), ("InvalidRequest", "params.url"))

    def test_names_that_lead_to_internal_addresses_are_refused_at_each_try(self):
        # This machine's host name resolves to an address of this machine. The operator hasn't allowed this name.
        name = socket.gethostname()
        id = self.server.get("events/subscribe", {
            "name": "inside", "types": ["account.changed"], "url": f"https://{name}:{free_port()}/"})["subscriptionId"]
        self.change()
        eventually(lambda: "addressNotAllowed" in self.row(id).get("lastError", ""), 30)
        update = {"subscriptionId": id, "url": "https://10.0.0.1/"}
        self.assertEqual(self.server.fail("events/update", update)["field"], "params.url")
        self.server.get("events/unsubscribe", {"subscriptionId": id})


if __name__ == "__main__":
    unittest.main()
