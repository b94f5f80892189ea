"""With eight writers on PostgreSQL, the service's reader gets every event.

A reader that relies only on the events' numbers misses some."""

import subprocess
import threading
import time
import unittest

import postgres
from client import fresh_id
from eventlogs import Follower, faults
from harness import Service, eventually
from world import SETTINGS, OwnWorld, World

WRITERS = 8
TRANSACTIONS = 60
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number):
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text or "0"


class ByNumber(threading.Thread):
    """The control: a reader that always continues after the largest number that it has seen."""

    def __init__(self, store):
        super().__init__(daemon=True)
        self.store, self.ids, self.last, self.stopping = store, [], 0, threading.Event()

    def run(self):
        while True:
            is_last = self.stopping.is_set()
            rows = postgres.query(self.store, f"SELECT xid, seq, count FROM eventLog WHERE seq > {self.last} ORDER BY seq")
            for xid, seq, count in rows:
                self.last = int(seq)
                self.ids += [f"{base36(int(xid))}-{base36(self.last)}-{left}" for left in range(int(count) - 1, -1, -1)]
            if is_last:
                return


@postgres.installed
class Writers(OwnWorld):
    def make_world(self):
        self.server = postgres.Server()
        self.addCleanup(self.server.close)
        return World(watch=False, service=Service(arguments=SETTINGS, store=self.server.make()))

    def test_a_reader_gets_every_event_of_eight_writers_and_a_reader_by_number_alone_misses_some(self):
        service = self.own.service
        key = service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")["key"]
        device = self.device()
        device.report(alerts=[{"name": "smoke", "value": True}])
        row = "FROM eventLog WHERE bulk = 0 ORDER BY xid DESC, seq DESC LIMIT 1"
        eventually(lambda: service.sql(f"SELECT seq {row}"))
        begin, = {f"{base36(int(xid))}-{base36(int(seq))}-0" for xid, seq in service.sql(f"SELECT xid, seq {row}")}
        [[last]] = service.sql("SELECT max(seq) FROM eventLog")
        service.sql(f"CREATE SEQUENCE numbers START {int(last) + 1}")
        service.sql(f"CREATE TABLE model AS SELECT bulk, count, createdAt, messages {row}")
        right, wrong = Follower(service, key, ["device.alert"], begin), ByNumber(service.store)
        wrong.last = int(last)
        right.start()
        wrong.start()
        script = """
            BEGIN;
            INSERT INTO eventLog (xid, seq, bulk, count, createdAt, messages)
            SELECT coalesce((SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'eventBase'), 0)
                + CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT), nextval('numbers'), bulk, count, createdAt, messages
            FROM model;
            SELECT pg_sleep(random() * 0.02);
            COMMIT;
            """ * TRANSACTIONS
        writers = [subprocess.Popen(
            [str(postgres.PROGRAMS / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", service.store],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) for _ in range(WRITERS)]
        for writer in writers:
            threading.Thread(target=writer.communicate, args=(script,), daemon=True).start()
        for writer in writers:
            self.assertEqual(writer.wait(60), 0)
        wrong.stopping.set()
        wrong.join(20)
        truth, where = [], begin
        while page := service.json("events", "tail", "--app", "test-app", "--type", "device.alert", "--after", where)["items"]:
            truth, where = truth + page, page[-1]["id"]
        self.assertEqual(len(truth), WRITERS * TRANSACTIONS)
        eventually(lambda: len(right.got) >= len(truth) or time.sleep(0.2), 20, lambda: f"{len(right.got)}")
        right.stop()
        self.assertEqual(faults(truth, right.got), [])
        events = {event["id"]: event for event in truth}
        found = faults(truth, [events[id] for id in wrong.ids if id in events])
        lost = [fault for fault in found if "was lost" in fault]
        self.assertGreater(len(lost), 0)
        print(f"(by number alone {len(lost)} of {len(truth)} were lost) ", end="", flush=True)


if __name__ == "__main__":
    unittest.main()
