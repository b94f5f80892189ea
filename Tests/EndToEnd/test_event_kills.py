"""Whatever is killed, two webhooks and three followers lose no event under load.

The test compares the record of each reader with the log. The control tests disable a safeguard from outside. The
comparison must then detect lost events.
"""

import contextlib
import http.client
import os
import random
import threading
import time
import unittest

import postgres
from client import fresh_id
from eventlogs import EventStream, Follower, KilledReceiver, early, faults
from harness import LONG, Service, alive, eventually
from world import SETTINGS, OwnWorld, World

KILLS = int(os.environ.get("EVENT_KILLS") or (500 if LONG else 3))
DEVICES = 4
ALERTS = ["device.alert", "device.alertCleared"]
WANTED = ["device.*"]


class Sender(threading.Thread):
    """A device that changes its alert with each report, and repeats the report until it is answered."""

    def __init__(self, device, stopping):
        super().__init__(daemon=True)
        self.device, self.stopping, self.answered = device, stopping, 0

    def run(self):
        while not self.stopping.is_set():
            number = self.answered + 1
            body = {"id": f"n{number}", "data": {"count": number}, "alerts": [{"name": "smoke", "value": number % 2 == 1}]}
            while True:
                with contextlib.suppress(AssertionError, ValueError):
                    self.device.publish(f"{self.device.base}/report", body, wait=False)
                    self.device.response(body["id"], 1)
                    break
            self.answered = number
            self.stopping.wait(0.02)


class Killed(OwnWorld):
    """A service whose parts are killed while it is writing and delivering events."""

    def make_world(self):
        self.service = Service(arguments=[*SETTINGS, "--set", "outbound.privateTargets=localhost", *self.more()],
                               store=self.make_store())
        return World(watch=False, service=self.service)

    def more(self):
        return []

    def make_store(self):
        return None

    def prepare(self):
        """Makes the readers, and starts the load."""
        service = self.service
        self.key = service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")["key"]
        self.reader = Follower(service, self.key, WANTED)
        self.receiver = KilledReceiver(service.holder)
        self.addCleanup(self.receiver.kill)
        self.hooks = {"/alerts": (ALERTS, 3), "/all": (WANTED, 100)}
        self.ids = {path: self.ask(
            "subscribe", name=path[1:], types=types, url=self.receiver.url(path), batch=batch)["subscriptionId"]
            for path, (types, batch) in self.hooks.items()}
        stored = self.ask("subscribe", name="stored", types=WANTED)["subscriptionId"]
        self.begin = begin = self.ask("read", after="now", types=WANTED)["cursor"]
        stream = EventStream if EventStream.is_there(service, self.key) else Follower
        self.followers = {
            "a reader": Follower(service, self.key, ALERTS, begin, wait=1),
            "a stored cursor": Follower(service, self.key, WANTED, subscription=stored, wait=1),
            "a stream": stream(service, self.key, WANTED, begin),
            "another stream": stream(service, self.key, ALERTS, begin)}
        for follower in self.followers.values():
            follower.start()
            self.addCleanup(follower.stop)
        self.stopping = threading.Event()
        self.addCleanup(self.stopping.set)
        self.senders = [Sender(self.device(reconnect=True, keepalive=5), self.stopping) for _ in range(DEVICES)]
        for sender in self.senders:
            sender.start()

    def ask(self, method, **params):
        """Sends a request with the API key, and repeats it while parts of the service are unavailable."""
        def answer():
            with contextlib.suppress(OSError, ValueError):
                return [self.once(method, **params)]
        return eventually(answer, 60, method)[0]

    def once(self, method, **params):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.http_port, timeout=10)
        with contextlib.closing(connection):
            try:
                return self.reader.ask(connection, method, **params)
            except http.client.HTTPException as error:
                raise OSError(error) from None

    # Kills

    def kill_service(self):
        self.service.kill()
        self.hurry()
        self.service.start()

    def kill_broker(self):
        old = self.service.broker_pid
        self.service.kill_broker()

        def is_new():
            with contextlib.suppress(OSError, ValueError):
                return self.service.broker_pid != old and alive(self.service.broker_pid)
        eventually(is_new, 30, "a new broker")

    def kill_receiver(self):
        self.receiver.kill()
        time.sleep(0.1)
        self.receiver.start()
        self.hurry()

    def hurry(self):
        """Makes webhooks try again immediately, because this test isn't about the pauses between attempts."""
        self.service.sql("UPDATE eventSubscription SET dueAt = NULL, tries = 0")
        self.service.sql("UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'catalogEpoch'")

    def load(self, kills, count):
        """Kills parts of the service at random times; returns the seed."""
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        for number in range(count):
            time.sleep(dice.uniform(0.02, 0.7))
            # At first, each kind of kill is used once, in the order of `kills`.
            kill = kills[number] if number < len(kills) else dice.choice(kills)
            kill()
            self.killed[kill.__name__] = self.killed.get(kill.__name__, 0) + 1
        return seed

    # What they got

    def truth(self, types):
        """Returns the log's events since the load began."""
        events, where = [], {"after": self.begin, "types": types}
        while True:
            page = self.ask("read", limit=1000, **where)
            events += page["events"]
            where["after"] = page["cursor"]
            if not page["more"]:
                return events

    def compare(self):
        """Returns the faults in the records of all readers, after they have read everything."""
        truths = {tuple(types): self.truth(types) for types in (ALERTS, WANTED)}
        found = []
        for sender in self.senders:
            own = [e["type"] for e in truths[tuple(ALERTS)] if e["did"] == sender.device.did]
            expected = [ALERTS[number % 2] for number in range(len(own))]
            if own != expected or len(own) < sender.answered:
                found.append(f"the log has {len(own)} changes of {sender.device.did}, which reported {sender.answered}")
        for path, (types, _) in self.hooks.items():
            truth = truths[tuple(types)]
            self.reach(lambda: self.receiver.taken(path), truth)
            found += [f"{path}: {fault}" for fault in
                      faults(truth, self.receiver.taken(path)) + early(self.receiver.lines(path), truth)]
        for name, follower in self.followers.items():
            truth = truths[tuple(ALERTS if follower.where.get("types") == ALERTS else WANTED)]
            self.reach(lambda: follower.got, truth)
            found += [f"{name}: {fault}" for fault in faults(truth, follower.got)]
        return found

    @staticmethod
    def reach(got, truth):
        """Waits until a reader has the last event of the log."""
        if truth:
            with contextlib.suppress(AssertionError):
                eventually(lambda: any(event["id"] == truth[-1]["id"] for event in got()[-3000:]), 30)

    def finish(self):
        """Ends the load, and returns the faults."""
        self.stopping.set()
        for sender in self.senders:
            sender.join(120)
            self.assertFalse(sender.is_alive(), "a report was never answered")
            sender.device.close()
        self.hurry()
        found = self.compare()
        for id in self.ids.values():
            self.ask("unsubscribe", subscriptionId=id)
        for follower in self.followers.values():
            follower.stop()
        self.receiver.kill()
        return found

    def survive(self, kills):
        """Runs the kills in rounds of fifty; each round has its own readers, which must lose no event."""
        self.killed = {}
        for begun in range(0, KILLS, 50):
            self.prepare()
            seed = self.load(kills, min(50, KILLS - begun))
            self.assertEqual(self.finish(), [], f"seed {seed} after {begun} kills")
            print(f"({sum(self.killed.values())} kills {self.killed}, {len(self.truth(WANTED))} events, "
                  f"{sum(follower.fails for follower in self.followers.values())} broken connections) ", end="", flush=True)


class Kills(Killed):
    def test_nothing_is_lost_when_the_service_the_broker_or_the_receiver_is_killed(self):
        self.survive([self.kill_service, self.kill_broker, self.kill_receiver])

    def test_a_control_with_a_cursor_that_moves_before_the_answer_fails(self):
        """The control moves the cursor past the events of an unanswered post."""
        self.prepare()
        time.sleep(0.5)

        def open_post():
            lines = self.receiver.lines("/alerts")
            return lines[-1] if lines and not lines[-1]["isTaken"] else None

        for _ in range(20):
            row = eventually(open_post, 20)
            self.service.kill()
            self.receiver.kill()
            last = row["body"]["events"][-1]["id"]
            is_taken = last in [event["id"] for event in self.receiver.taken("/alerts")]
            self.service.sql(f"UPDATE eventSubscription SET cursor = '{last}' WHERE name = 'alerts'")
            self.receiver.start()
            self.hurry()
            self.service.start()
            if not is_taken:
                break
        found = self.finish()
        self.assertTrue([fault for fault in found if "was lost" in fault], found)
        self.assertTrue([fault for fault in found if "wasn't taken" in fault], found)
        self.assertEqual([fault for fault in found if not fault.startswith("/alerts")], [])


@postgres.installed
class KillsOnPostgres(Killed):
    def make_store(self):
        self.server = postgres.Server()
        self.addCleanup(self.server.close)
        return self.server.make()

    def kill_database(self):
        self.server.kill()
        time.sleep(0.1)
        self.server.start()

    def hurry(self):
        eventually(self.hurried, 30, "the database")

    def hurried(self):
        with contextlib.suppress(AssertionError):
            super().hurry()
            return True

    def test_nothing_is_lost_when_the_database_is_killed_too(self):
        self.survive([self.kill_database, self.kill_service, self.kill_receiver, self.kill_broker])


if __name__ == "__main__":
    unittest.main()
