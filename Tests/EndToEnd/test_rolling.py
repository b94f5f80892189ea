"""A rolling restart of three processes under load: the history contains each answered report exactly once.

LAMPLIGHTER_LONG=1 runs 200 restarts; LAMPLIGHTER_RESTARTS sets another number.
"""

import collections
import json
import os
import time
import unittest

import test_cluster
from harness import LONG, eventually

RESTARTS = int(os.environ.get("LAMPLIGHTER_RESTARTS", 200 if LONG else 6))


class Rolling(test_cluster.Processes):
    def test_after_restarts_in_turn_the_history_has_each_answered_report_once(self):
        self.load(devices=24, terminals=2, reports=200, commands=10)
        began = time.monotonic()
        for number in range(RESTARTS):
            node = self.cluster.nodes[number % len(self.cluster.nodes)]
            code, taken = node.stop()
            self.assertEqual(code, 0, f"restart {number}, which took {taken:.1f} s: {node.tail()}")
            node.start()
        seconds = time.monotonic() - began
        state = self.all_answered_again()
        print(f"{RESTARTS} restarts, one each {seconds / RESTARTS:.1f} s; {sum(state['answered'])} reports answered")
        self.compare()
        # The load starts again, so that all processes write. The test waits until all rows that are now in the buffer
        # have been moved to chunks. Then the test compares the histories with the answered reports again.
        self.fleet.ask("go")
        marks = self.waiting_rows()
        eventually(lambda: not marks & self.waiting_rows(), 60, "all rows of then in chunks")
        self.compare()
        done = self.cluster.cli("doctor", "--only", "history", "--json")
        self.assertEqual([check["state"] for check in json.loads(done.stdout)["checks"]], ["pass"], done.stdout)

    def compare(self):
        """Pauses the load, and compares each device's whole history with the answered reports."""
        state, _ = self.rest("the restarts")
        self.assertEqual(state["errors"], [])
        self.assertEqual(sum(state["answered"]), state["sent"])
        wrong = {}
        for did, answered in zip(state["versions"], state["answered"]):
            lines = self.cluster.cli("history", "export", did).stdout.splitlines()
            found = collections.Counter(json.loads(line)["data"]["count"] for line in lines)
            if found != collections.Counter(range(1, answered + 1)):
                twice = sorted(number for number, times in found.items() if times > 1)
                lost = sorted(set(range(1, answered + 1)) - set(found))
                wrong[did] = f"{len(lines)} of {answered}; twice {twice[:3]} and so on, lost {lost[:3]} and so on"
        self.assertEqual(wrong, {})

    def waiting_rows(self):
        return set(self.sql("SELECT seq FROM historyBuffer").split())
