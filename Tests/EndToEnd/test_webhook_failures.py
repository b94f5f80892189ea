"""However a receiver fails, it doesn't delay other receivers' events or increase the service's memory."""

import os
import pathlib
import statistics
import threading
import time
import unittest

from client import fresh_id
from harness import LONG, eventually, free_port
from receiver import Receiver, answer, drip, hang_up, long_headers, slowly
from test_keys import Server
from world import World

SECONDS = int(os.environ.get("WEBHOOK_SECONDS") or (120 if LONG else 4))
# The short limit can be met only on a machine that is doing no other work.
BOUND = 0.2 if LONG else 3.0


def dribble(connection, post):
    """Accepts the events, and sends the answer byte by byte within the time limit of a try."""
    for byte in b"HTTP/1.1 204 x\r\n\r\n":
        connection.sendall(bytes([byte]))
        time.sleep(0.3)
    post.status = 204


WAYS = {
    "14 s": slowly(14), "500": answer(500, "x" * 60_000), "429": answer(429, Retry_After=1), "410": answer(410),
    "redirect": answer(307, Location="http://localhost/"), "hangs up": hang_up, "a byte a second": drip,
    "8 KB of headers": long_headers, "dribbles": dribble, "endless": answer(200, "x" * 1_000_000),
    "1xx": answer(102), "no HTTP": lambda connection, _: connection.sendall(b"SSH-2.0-x\r\n" * 100),
}


class Failures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(watch=False, settings=["--set", "outbound.privateTargets=localhost"])
        cls.addClassCleanup(cls.world.close)
        cls.receiver = Receiver()
        cls.addClassCleanup(cls.receiver.close)

    def subscribe(self, name, url):
        return self.server.get("events/subscribe", {"name": name, "types": ["account.changed"], "url": url})["subscriptionId"]

    def memory(self):
        """Returns the service's resident memory in megabytes."""
        text = pathlib.Path(f"/proc/{self.world.service.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def hurry(self):
        """Makes the service try all failing webhooks every second, including webhooks that are disabled or would
        wait for minutes."""
        service = self.world.service
        while not self.stopping.wait(1):
            service.sql("UPDATE eventSubscription SET dueAt = NULL, tries = 1, state = 'on' WHERE name <> 'quick'")
            service.sql("UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'catalogEpoch'")

    def test_others_are_served_in_time_and_memory_is_flat(self):
        made = self.world.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")
        self.server, user = Server(self.world.port, made).come(), self.world.terminal()
        for client in (self.server, user):
            self.addCleanup(client.close)
        self.subscribe("quick", self.receiver.url("/quick"))
        self.subscribe("down", f"http://localhost:{free_port()}/")
        for number, (name, act) in enumerate(WAYS.items()):
            self.receiver.usual[f"/{number}"] = act
            self.subscribe(name, self.receiver.url(f"/{number}"))
        self.stopping = threading.Event()
        hurrying = threading.Thread(target=self.hurry)
        hurrying.start()
        self.addCleanup(hurrying.join)
        self.addCleanup(self.stopping.set)
        sent, sizes, began = {}, [], time.monotonic()
        while time.monotonic() < began + SECONDS:
            name = fresh_id("name")
            sent[name] = time.monotonic()
            user.get("account/updateProfile", {"nickname": name})
            sizes.append(self.memory())
            time.sleep(max(0, sent[name] + 0.1 - time.monotonic()))
        eventually(lambda: len(self.arrivals()) >= len(sent), 30)
        arrivals = self.arrivals()
        late = sorted(arrivals[name] - at for name, at in sent.items())
        p99 = statistics.quantiles(late, n=100, method="inclusive")[-1]
        for number, name in enumerate(WAYS):
            self.assertTrue(self.receiver.of(f"/{number}"), f"{name} was never tried")
        quarter = len(sizes) // 4
        growth = statistics.median(sizes[-quarter:]) - statistics.median(sizes[quarter:2 * quarter])
        print(f"({len(sent)} events beside {len(WAYS) + 1} that fail: p50 {late[len(late) // 2] * 1000:.0f} ms, "
              f"p99 {p99 * 1000:.0f} ms; memory {sizes[0]:.0f} to {sizes[-1]:.0f} MB, {growth:+.1f} in the last half) ",
              end="", flush=True)
        self.assertLess(p99, BOUND)
        self.assertLess(growth, 15)
        self.assertIsNone(self.receiver.fault("/quick"))

    def arrivals(self):
        """Returns the time at which each nickname first arrived at the quick receiver."""
        found = {}
        for post in self.receiver.of("/quick"):
            for event in post.events:
                found.setdefault(event["data"]["nickname"], post.at)
        return found


if __name__ == "__main__":
    unittest.main()
