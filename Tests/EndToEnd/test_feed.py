"""`lamplighter feed` writes the gate's file on the broker's machine, where no workers run."""

import os
import signal
import subprocess
import threading
import unittest

import postgres
from client import Terminal
from cluster import Cluster
from harness import BINARY, ENVIRONMENT, LONG, ROOT, eventually
from world import OwnWorldOfClass, World

LOGINS = 2000 if LONG else 60
AGE_SECONDS = 3


class ApartCluster(Cluster):
    """Two processes that can't reach the gate's file, which only the feeder writes."""

    feeder = None

    @property
    def gate_file(self):
        return self.folder / "gate" / "credentials"

    def shared_files(self, node):
        first = self.nodes[0].data
        keys = [] if node.data == first else [
            "--set", f"serverKeyFile={first}/server.key", "--set", f"serviceSecretFile={first}/service.secret"]
        return ["--set", "gateFile=none", *keys]

    def broker_options(self):
        return [f"plugin_opt_credentials_age {AGE_SECONDS}"]

    def secrets_are_there(self):
        return (self.nodes[0].data / "service.secret").exists() and self.has_tables()

    def has_tables(self):
        return self.server.sql("SELECT count(*) FROM pg_tables WHERE tablename = 'status'", "shared").strip() == "1"

    def start_broker(self):
        self.server.sql("CREATE ROLE lamplighter_feed LOGIN NOSUPERUSER")
        self.server.run("psql", "-X", *self.server.where(), "-d", "shared", "-f",
                        self.server.copy(ROOT / "deploy" / "postgres" / "feed.sql"))
        self.gate_file.parent.mkdir()
        self.start_feeder()
        super().start_broker()

    def start_feeder(self):
        self.feeder = subprocess.Popen(
            [str(BINARY), "feed", "--store", f"postgres://lamplighter_feed@127.0.0.1:{self.server.port}/shared",
             "--gate-file", str(self.gate_file)],
            stdin=subprocess.DEVNULL, stdout=open(self.folder / "feed.log", "ab"), stderr=subprocess.STDOUT,
            env=ENVIRONMENT)

    def stop_feeder(self, how=signal.SIGTERM):
        if self.feeder:
            self.feeder.send_signal(how)
            self.feeder.wait(10)

    def close(self):
        self.stop_feeder()
        super().close()


@postgres.installed
class Feed(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        cls.cluster = ApartCluster(2)
        return World(watch=False, service=cls.cluster)

    def test_processes_write_no_file_of_their_own(self):
        for node in self.cluster.nodes:
            self.assertFalse((node.data / "gate/credentials").exists())

    def test_an_answered_change_works_at_once(self):
        """After its registration or login, a device or terminal can connect at once."""
        device = self.world.device()
        device.send(data={"power": True})
        failures = []

        def people(count):
            try:
                terminal = self.world.terminal(login=False)
                for _ in range(count):
                    terminal.login()
                    terminal.close()
                    self.assertEqual(self.come_with_token(terminal), 0)
                    terminal = self.world.terminal(login=False)
            except Exception as error:  # fails the test
                failures.append(repr(error))

        threads = [threading.Thread(target=people, args=(LOGINS // 4,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_an_ended_session_is_cut_off_and_stays_out(self):
        terminal, other = self.world.terminal(), self.world.terminal()
        self.world.service.cli("session", "terminate", terminal.session_id)
        terminal.wait_lost(5)
        self.assertNotEqual(self.come_with_token(terminal), 0)
        self.feed_again()
        self.assertNotEqual(self.come_with_token(terminal), 0)
        self.assertEqual(self.come_with_token(other), 0)

    def test_without_a_feed_new_clients_are_refused_and_connected_ones_stay(self):
        terminal, device = self.world.terminal(), self.world.device()
        terminal.bind(device)
        self.cluster.stop_feeder(signal.SIGKILL)
        try:
            # The feeder isn't running, so this login doesn't get into the gate's file. Instead, the gate learns of the
            # login over the broker, before the terminal gets its answer.
            other = self.world.terminal()
            self.assertEqual(self.come_with_token(other), 0)
            eventually(self.refuses, 30, "a refusal of the gate")
            device.report(data={"power": True})
            self.assertTrue(terminal.status(device, lambda body: "power" in str(body)))
            self.assertTrue(terminal.ask("account/whoami")["ok"])
        finally:
            self.cluster.start_feeder()
        eventually(lambda: not self.refuses(), 30, "an admission")
        self.assertEqual(self.come_with_token(terminal), 0)

    def come_with_token(self, terminal):
        """Connects the terminal again with its session's token, and returns CONNACK's code."""
        again = Terminal(self.world.port, terminal.app_id, terminal.token, terminal.terminal_id)
        code = again.connect()
        again.close()
        return code

    def refuses(self):
        stranger = Terminal(self.world.port, "test-app", self.world.apps["test-app"]["secret"])
        code = stranger.connect()
        stranger.close()
        return code != 0

    def feed_again(self):
        """Makes the feeder rewrite the file from the tables."""
        before = os.stat(self.cluster.gate_file).st_ino
        self.cluster.stop_feeder()
        self.cluster.start_feeder()
        eventually(lambda: os.stat(self.cluster.gate_file).st_ino != before, 20, "the new file")


if __name__ == "__main__":
    unittest.main()
