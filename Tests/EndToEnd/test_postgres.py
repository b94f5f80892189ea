"""A service whose store is a database of PostgreSQL's: what it refuses, what it survives, what it says."""

import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import postgres
from harness import BINARY, ENVIRONMENT, Service, eventually, free_port
from world import SETTINGS, World


def run(*arguments, environment=ENVIRONMENT):
    return subprocess.run(
        [str(BINARY), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=environment)


class Store(unittest.TestCase):
    """One process on PostgreSQL."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server(port=free_port())
        cls.addClassCleanup(cls.server.close)

    def refuses(self, store, *arguments):
        """What `up` says of a store that it does not start on."""
        with tempfile.TemporaryDirectory() as folder:
            done = run("up", "--data", folder + "/data", "--store", store, "--mqtt-port", "0", "--http-port", "0",
                       "--health-port", "0", "--json", *arguments)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return json.loads(done.stderr.splitlines()[-1] if done.stderr else done.stdout)["error"], done

    def test_a_password_in_the_address_is_refused_and_shown_nowhere(self):
        for address in ("postgres://lamp:geheim@127.0.0.1/x", "postgres://lamp@127.0.0.1/x?password=geheim"):
            error, done = self.refuses(address)
            self.assertEqual(error["code"], "LL1107")
            self.assertIn("passwordFile", json.dumps(error["cures"]))
            self.assertNotIn("geheim", done.stdout + done.stderr)
