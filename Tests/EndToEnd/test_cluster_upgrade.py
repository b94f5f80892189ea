"""A later version comes to a database that others work on: it changes the tables while they run."""

import subprocess
import tempfile
import unittest

import postgres
from cluster import Cluster, Node
from harness import BINARY, ENVIRONMENT, eventually
from test_cluster import Reporter
from world import OwnWorldOfClass, World

# What a process of the next version does at its start (PostgresMigrations): one step that only adds, under the lock, and
# the note how many steps a program must know at least.
MIGRATION = """
    BEGIN;
    SET LOCAL lock_timeout = '60s';
    SELECT pg_advisory_xact_lock(440078693);
    SELECT pg_advisory_xact_lock(440078692);
    ALTER TABLE device ADD COLUMN colour TEXT;
    ALTER TABLE status ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
    ALTER TABLE command ADD COLUMN weight BIGINT;
    CREATE TABLE palette (colour TEXT NOT NULL PRIMARY KEY);
    INSERT INTO migration (name) VALUES ('002-colours');
    INSERT INTO meta (name, value) VALUES ('minimumVersion', '1')
        ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    COMMIT;
"""


@unittest.skipUnless((postgres.PROGRAMS / "postgres").exists(), "PostgreSQL is not installed")
class Upgrade(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        cls.cluster = Cluster(2)
        return World(watch=False, service=cls.cluster)

    def test_two_processes_run_on_while_the_next_version_migrates_and_a_third_starts(self):
        terminal, reporters = self.terminal(), []
        for _ in range(8):
            device = self.device()
            terminal.bind(device)
            reporters.append(Reporter(device))
        for reporter in reporters:
            reporter.start()
            self.addCleanup(reporter.ended.set)
        self.goes_on(reporters)
        pids = [node.process.pid for node in self.cluster.nodes]

        self.cluster.server.sql(MIGRATION, "shared")
        self.goes_on(reporters)
        self.cluster.nodes.append(Node(self.cluster, 2))
        self.cluster.nodes[2].start()
        self.cluster.settle(3)
        self.goes_on(reporters)
        terminal.get("device/control", {"did": reporters[0].device.did, "data": {"power": True}})

        for reporter in reporters:
            reporter.ended.set()
        for reporter in reporters:
            reporter.join(70)
            self.assertEqual(reporter.failures, [])
            self.assertEqual(len(reporter.versions), reporter.count)
            self.assertEqual(reporter.versions[-1] - reporter.versions[0], reporter.count - 1)
        self.assertEqual([node.process.pid for node in self.cluster.nodes[:2] if node.process.poll() is None], pids)
        self.assertEqual(self.world.service.nodes[0].dead_letters(), [])
        self.assertEqual(self.cluster.server.sql("SELECT DISTINCT mood FROM status", "shared").split(), ["calm"])
        self.refuses_an_older_one()

    def goes_on(self, reporters):
        before = [reporter.answered for reporter in reporters]
        eventually(lambda: all(r.answered > n + 3 or r.failures for r, n in zip(reporters, before)), 60, "the answers")

    def refuses_an_older_one(self):
        """Once the tables need a program that knows more steps, this one is refused before it changes anything."""
        self.cluster.server.sql("UPDATE meta SET value = '2' WHERE name = 'minimumVersion'", "shared")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(BINARY), "migrate", "--data", folder, "--store", self.cluster.address(self.cluster.server.port),
                 *self.cluster.shared_files(Node(self.cluster, 3))],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
        self.assertIn("newer", done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
