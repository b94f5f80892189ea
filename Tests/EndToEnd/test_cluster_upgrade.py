"""A later version starts and changes the tables while other processes use the database."""

import subprocess
import tempfile
import unittest

import test_cluster
from cluster import Node
from harness import BINARY, ENVIRONMENT

# The next version runs these statements when it starts (PostgresMigrations). The statements take two locks, and run one
# migration step, which only adds tables and columns. Then the statements store a minimum: a program that knows fewer
# migration steps can't use the database.
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


class Upgrade(test_cluster.Processes):
    processes = 2
    check = test_cluster.Failover.check

    def test_two_processes_run_on_while_the_next_version_migrates_and_a_third_starts(self):
        self.load(devices=24, terminals=2, reports=100, commands=20)
        pids = [node.process.pid for node in self.cluster.nodes]

        self.migrate()
        self.all_answered_again()
        third = Node(self.cluster, 2)
        self.cluster.nodes.append(third)
        third.start()
        self.cluster.settle(3)
        self.all_answered_again()

        self.assertEqual([node.process.pid for node in self.cluster.nodes[:2] if node.process.poll() is None], pids)
        self.assertEqual(self.cluster.nodes[0].dead_letters(), [])
        self.assertEqual(self.sql("SELECT DISTINCT mood FROM status").split(), ["calm"])
        self.refuses_an_older_one(third)
        self.check()

    def migrate(self):
        """Runs the migration, and repeats it after a deadlock with a transaction, as a process of the service does."""
        for _ in range(4):
            try:
                return self.sql(MIGRATION)
            except AssertionError as error:
                if "deadlock detected" not in str(error):
                    raise
        self.sql(MIGRATION)

    def refuses_an_older_one(self, node):
        """Asserts that a program that knows too few migration steps is refused before it changes anything."""
        self.sql("UPDATE meta SET value = '99' WHERE name = 'minimumVersion'")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(BINARY), "migrate", "--data", folder, "--store", self.cluster.address(self.cluster.server.port),
                 *self.cluster.shared_files(node)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
        self.assertIn("newer", done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
