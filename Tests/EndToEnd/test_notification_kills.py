"""Despite kills, each event creates each of its notifications exactly once.

The control test resets the notifier's stored position."""

import contextlib
import os
import random
import threading
import time
import unittest

import postgres
from harness import LONG, Service, eventually
from test_event_kills import Sender
from world import SETTINGS, OwnWorld, World

KILLS = int(os.environ.get("NOTIFICATION_KILLS") or (300 if LONG else 4))
DEVICES = USERS = 3


class Killed(OwnWorld):
    """A service that is killed while devices report alerts; each alert concerns several users."""

    def make_world(self):
        self.service = Service(arguments=SETTINGS, store=self.make_store())
        return World(watch=False, service=self.service)

    def make_store(self):
        return None

    def prepare(self):
        self.users = [self.terminal(reconnect=True, keepalive=5) for _ in range(USERS)]
        devices = [self.device(reconnect=True, keepalive=5) for _ in range(DEVICES)]
        for device in devices:
            for user in self.users:
                user.bind(device)
        self.stopping = threading.Event()
        self.addCleanup(self.stopping.set)
        self.senders = [Sender(device, self.stopping) for device in devices]
        for sender in self.senders:
            sender.start()

    def load(self, count):
        dice = random.Random(seed := random.randrange(1 << 32))
        for _ in range(count):
            time.sleep(dice.uniform(0.05, 0.6))
            self.kill(dice)
        return seed

    def kill(self, dice):
        self.service.kill()
        self.service.start()

    def finish(self):
        """Ends the load, and returns what is wrong with the stored notifications."""
        self.stopping.set()
        for sender in self.senders:
            sender.join(120)
            self.assertFalse(sender.is_alive(), "a report was never answered")
        last = self.last_alert()
        eventually(lambda: all(self.has(user, last) for user in self.users), 60, "the last notifications")
        return self.faults()

    def alerts(self, device):
        """Counts the alerts in the device's own log, which contains each event once."""
        return int(self.service.sql(f"SELECT count(*) FROM event WHERE did = '{device.did}' AND type = 'alert'")[0][0])

    def last_alert(self):
        return {sender.device.did: self.alerts(sender.device) for sender in self.senders}

    def counts(self, user, did):
        """Returns three numbers about a user's notifications from one device.

        The first is the number of events that the visible notifications count. The second is the number of all
        notifications, and the third is the number of different event ids in them.
        """
        where = f"uid = '{user.uid}' AND did = '{did}' AND type = 'device.alert'"
        count = self.service.sql(f"SELECT coalesce(sum(count), 0) FROM notification WHERE {where} AND hidden = 0")
        rows = self.service.sql(f"SELECT count(*), count(DISTINCT eventId) FROM notification WHERE {where}")
        return int(float(count[0][0])), int(rows[0][0]), int(rows[0][1])

    def has(self, user, last):
        return all(self.counts(user, did)[0] >= alerts for did, alerts in last.items())

    def faults(self):
        found = []
        for did, alerts in self.last_alert().items():
            for user in self.users:
                counted, rows, events = self.counts(user, did)
                if counted != alerts:
                    found.append(f"{alerts} alerts of {did} were counted {counted} times for {user.uid}")
                # If a user has more than 500 notifications, the service deletes the records beyond this number.
                if alerts <= 500 and (rows, events) != (alerts, alerts):
                    found.append(f"{alerts} alerts of {did} made {rows} records of {events} events for {user.uid}")
        return found


class Kills(Killed):
    def test_each_event_makes_each_notification_once(self):
        done = 0
        while done < KILLS:
            self.prepare()
            count = min(50, KILLS - done)
            seed = self.load(count)
            self.assertEqual(self.finish(), [], f"seed {seed} after {done} kills")
            done += count
            print(f"({done} kills, {sum(self.last_alert().values())} alerts) ", end="", flush=True)

    def test_a_control_that_loses_its_position_fails(self):
        """Simulates a notifier that stores its position and notifications in separate transactions."""
        self.prepare()
        eventually(lambda: all(sender.answered > 20 for sender in self.senders), 30)
        self.service.kill()
        # Each notification contains its event's id, so that the service creates no second notification for the same
        # event. The first statement overwrites these ids. The second statement resets the service's position in the
        # events. The service then reads all events again, and creates their notifications again.
        self.service.sql("UPDATE notification SET eventId = notificationId")
        self.service.sql("UPDATE meta SET value = '0-0-0' WHERE name = 'notifier'")
        self.service.start()
        self.stopping.set()
        for sender in self.senders:
            sender.join(120)
        with contextlib.suppress(AssertionError):
            eventually(lambda: self.faults() != [], 20)
        self.assertTrue([fault for fault in self.faults() if "counted" in fault])


@postgres.installed
class KillsOnPostgres(Killed):
    def make_store(self):
        self.server = postgres.Server()
        self.addCleanup(self.server.close)
        return self.server.make()

    def kill(self, dice):
        if dice.random() < 0.5:
            return super().kill(dice)
        self.server.kill()
        time.sleep(0.1)
        self.server.start()

    def test_each_event_makes_each_notification_once_when_the_database_is_killed_too(self):
        self.prepare()
        seed = self.load(max(2, KILLS // 10))
        self.assertEqual(self.finish(), [], f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
