"""`bench abuse` and `bench overload` in their short forms: nobody takes the service away from others."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import BINARY, ENVIRONMENT, TORTURE


@unittest.skipUnless(TORTURE, "measures times, which need the machine for themselves")
class Bench(unittest.TestCase):
    def bench(self, *arguments, seconds=280):
        """Runs a benchmark; gives its exit code, and what it found."""
        with tempfile.TemporaryDirectory(prefix="lamplighter-bench-") as folder:
            done = subprocess.run(
                [str(BINARY), "bench", *arguments, "--json"], stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=seconds, env={**ENVIRONMENT, "TMPDIR": folder})
            self.assertIn("{", done.stdout, done.stderr[-2000:])
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [], "it leaves nothing behind")
        return done.returncode, json.loads(done.stdout), done.stderr


class Abuse(Bench):
    def test_no_attack_does_harm(self):
        code, result, table = self.bench("abuse", "--short", "--seconds", "4")
        names = [attack["attack"] for attack in result["attacks"]]
        for kind in ("A1", "A2", "A3", "A4", "A5", "A6", "A7", "crowd", "spread"):
            self.assertTrue(any(name.startswith(kind) for name in names), names)
        for attack in result["attacks"]:
            with self.subTest(attack=attack["attack"]):
                self.assertGreater(attack["hostile"]["connects"], 0, "it was an attack")
                self.assertGreater(attack["others"]["whoami"]["answered"], 50)
                missed = [goal for goal in attack["goals"] if not goal["met"]]
                self.assertEqual(missed, [], table)
        self.assertEqual(code, 0, table)


class Overload(Bench):
    def test_devices_that_send_without_end_leave_the_others_what_is_theirs(self):
        code, result, table = self.bench(
            "overload", "--limited", "--devices", "3", "300", "--many", "0", "--seconds", "4")
        self.assertGreater(result["bestPerSecond"], 100)
        self.assertEqual(len(result["overloads"]), 4)
        for overload in result["overloads"]:
            with self.subTest(overload=overload["overload"]):
                self.assertEqual([goal for goal in overload["goals"] if not goal["met"]], [], table)
        self.assertEqual(code, 0, table)


if __name__ == "__main__":
    unittest.main()
