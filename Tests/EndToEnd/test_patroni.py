"""Patroni runs three PostgreSQL servers for a service, and the test kills the leader and a standby under load."""

import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import unittest

from harness import LONG, ROOT, Service, eventually
from world import SETTINGS, World

sys.path.insert(0, str(ROOT / "deploy" / "patroni"))
import group as patroni  # noqa: E402

PAUSE_SECONDS = 40


class Load:
    """Devices that report without a pause, and repeat each report until it is answered."""

    REPEAT_SECONDS = 3

    def __init__(self, world, count):
        self.answered, self.lock, self.is_over = [], threading.Lock(), False
        self.threads = [threading.Thread(target=self.live, args=(world.device(),)) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def live(self, device):
        number = 0
        while not self.is_over:
            if self.say(device, f"r{number}", number):
                number += 1

    def say(self, device, id, number):
        """Repeats a report until it is answered, and returns whether the answer was ok."""
        while not self.is_over:
            device.send(id=id, data={"count": number})
            deadline = time.monotonic() + self.REPEAT_SECONDS
            while not self.is_over and time.monotonic() < deadline:
                try:
                    answer = device.response(id, 0.2)
                except AssertionError:
                    continue
                if answer["ok"]:
                    with self.lock:
                        self.answered.append((time.monotonic(), device.did, id))
                return answer["ok"]
        return False

    def count(self, since=0.0):
        with self.lock:
            return sum(1 for at, _, _ in self.answered if at > since)

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()
        return {(did, id) for _, did, id in self.answered}


@unittest.skipUnless(LONG and patroni.installed(), "it takes two minutes, patroni and etcd-server")
class Patroni(unittest.TestCase):
    """The drill: every answered report is stored, whichever server dies."""

    def setUp(self):
        holder = tempfile.mkdtemp(prefix="lamplighter-patroni-", dir="/tmp")
        os.chmod(holder, 0o755)
        self.addCleanup(shutil.rmtree, holder, ignore_errors=True)
        self.group = patroni.Group(pathlib.Path(holder))
        self.addCleanup(self.group.close)
        self.group.start()
        self.group.sql("CREATE DATABASE lamps")

    def test_leader_and_synchronous_standby_die_under_load(self):
        world = World(watch=False, service=Service(arguments=SETTINGS, store=self.group.address("lamps")))
        self.addCleanup(world.close)
        load = Load(world, 12)
        try:
            eventually(lambda: load.count() > 200, 60, "the load")
            old = self.group.leader()
            killed = time.monotonic()
            old.kill()
            eventually(lambda: load.count(since=killed + 2) > 20, PAUSE_SECONDS + 20, "answers behind the failover")
            pause = self.longest_pause(load, killed)
            self.assertLessEqual(pause, PAUSE_SECONDS)
            self.assertNotEqual(self.group.leader().name, old.name)

            old.start_patroni()
            began = time.monotonic()
            self.group.wait(lambda: self.follows(old), 90, "rejoining")
            rejoined = time.monotonic() - began

            self.group.wait(self.group.synchronous, 60, "a synchronous standby")
            standby = self.group.synchronous()
            killed = time.monotonic()
            standby.kill()
            eventually(lambda: load.count(since=killed + 2) > 20, PAUSE_SECONDS + 20, "answers without the standby")
            stall = self.longest_pause(load, killed)
        finally:
            answered = load.stop()
        stored = {tuple(line.split("|")) for line in self.group.sql("SELECT did, id FROM inbox", "lamps").split()}
        self.assertEqual(answered - stored, set())
        self.assertEqual(world.service.dead_letters(), [])
        print(f"answered {len(answered)}, all stored; leader killed: {pause:.1f} s of pause; it rejoined in "
              f"{rejoined:.1f} s; synchronous standby killed: {stall:.1f} s")

    def longest_pause(self, load, since):
        """Returns the longest time, in seconds, that passed without an answer after the moment `since`."""
        times = [since, *sorted(at for at, _, _ in list(load.answered) if at > since)]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def follows(self, node):
        member = self.group.members().get(node.name, {})
        return member.get("state") in ("running", "streaming") and member["role"] != "leader"


if __name__ == "__main__":
    unittest.main()
