"""`bench abuse` and `bench overload` in their short forms: no client takes the service away from others.

Times are what the machine makes of them: a debug build may take longer, and an attack beside which others were late is
tried again, as a machine that is shared has bad seconds. Nothing else is: what is lost, restarts or grows is so in any
build. LAMPLIGHTER_TORTURE=1 asks for each attack to do harm without its limits, and of a release build for the second.
"""

import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import BINARY, ENVIRONMENT, IS_DEBUG, TORTURE


# What no busy machine excuses.
TIMELESS = {"cut off, or restarts", "reports lost"}


def patience(slower):
    """How a run is looser than what is asked for: a debug build may take so many times as long."""
    return ["--slower", str(slower if IS_DEBUG else 1), "--tries", "3"]


class Bench(unittest.TestCase):
    def bench(self, *arguments, seconds=900):
        """Runs a benchmark; gives its exit code, what it found, and its table."""
        with tempfile.TemporaryDirectory(prefix="lamplighter-bench-") as folder:
            done = subprocess.run(
                [str(BINARY), "bench", *arguments, "--json"], stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=seconds, env={**ENVIRONMENT, "TMPDIR": folder})
            self.assertIn("{", done.stdout, done.stderr[-2000:])
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [], "it leaves nothing behind")
        return done.returncode, json.loads(done.stdout), done.stderr


class Abuse(Bench):
    def harmless(self, attack, kinds, slower):
        """Makes the attacks whose names begin so, among which must be these kinds, and finds no harm."""
        code, result, table = self.bench("abuse", "--short", "--seconds", "4", "--attack", attack, *patience(slower))
        names = [attack["attack"] for attack in result["attacks"]]
        for kind in kinds:
            self.assertTrue(any(name.startswith(kind) for name in names), names)
        for attack in result["attacks"]:
            with self.subTest(attack=attack["attack"]):
                self.assertGreater(attack["hostile"]["connects"], 0, "it was an attack")
                for kind, least in (("whoami", 50), ("control", 20), ("report", 80), ("login", 2)):
                    self.assertGreater(attack["others"][kind]["answered"], least, kind)
                missed = [goal for goal in attack["goals"] if not goal["met"]]
                self.assertEqual(missed, [], table)
        self.assertEqual(code, 0, table)

    def test_no_attack_of_one_client_does_harm(self):
        self.harmless("A", ("A1", "A2", "A3", "A4", "A5", "A6", "A7"), 5)

    def test_two_hundred_terminals_of_one_address_do_none(self):
        # They may send 20,000 requests in their first second, which a debug build takes seconds to answer.
        self.harmless("crowd", ("crowd",), 30)

    def test_a_thousand_addresses_do_none(self):
        self.harmless("spread", ("spread",), 5)

    def test_without_its_limits_a_flood_does_harm(self):
        # Devices that register without end fill the disk, which takes half a minute to show.
        attacks, seconds = ("A", "30") if TORTURE else ("A3", "4")
        code, result, table = self.bench("abuse", "--short", "--control", "--seconds", seconds, "--attack", attacks)
        self.assertGreaterEqual(len(result["attacks"]), 1)
        for attack in result["attacks"]:
            with self.subTest(attack=attack["attack"]):
                self.assertFalse(attack["met"], table)
        self.assertEqual(code, 0, table)


@unittest.skipUnless(TORTURE and not IS_DEBUG, "measures times of a release build, which need the machine for themselves")
class Overload(Bench):
    def test_devices_that_send_without_end_leave_the_others_what_is_theirs(self):
        for _ in range(3):
            code, result, table = self.bench(
                "overload", "--limited", "--devices", "3", "300", "--many", "0", "--seconds", "4")
            missed = {goal["name"] for overload in result["overloads"] for goal in overload["goals"] if not goal["met"]}
            if not missed or missed & TIMELESS:
                break
        self.assertGreater(result["bestPerSecond"], 100)
        self.assertEqual(len(result["overloads"]), 4)
        for overload in result["overloads"]:
            with self.subTest(overload=overload["overload"]):
                self.assertEqual([goal for goal in overload["goals"] if not goal["met"]], [], table)
        self.assertEqual(code, 0, table)


if __name__ == "__main__":
    unittest.main()
