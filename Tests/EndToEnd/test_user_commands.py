"""Operators' commands for users and sessions, with the service running and without it."""

import json
import stat
import tempfile
import unittest
from pathlib import Path

import contract
from client import Terminal, fresh_id
from world import EndToEnd, OwnWorld


class Beside(EndToEnd):
    """Runs commands about users and sessions while the service is running."""

    def test_lists_and_details_without_secrets(self):
        secret = fresh_id("installation-secret-")
        terminal = self.terminal(device_id=secret)
        rows = self.all_users()
        row = next(r for r in rows if r["uid"] == terminal.uid)
        self.assertTrue(row["anonymous"])
        self.assertNotIn("@", str([r.get("email") or "" for r in rows]).replace("•••@", ""))
        shown = self.world.service.json("user", "show", terminal.uid)
        self.assertEqual([s["terminalId"] for s in shown["sessions"]], [terminal.terminal_id])
        text = self.world.service.cli("user", "show", terminal.uid).stdout
        self.assertIn(terminal.terminal_id, text)
        table = self.world.service.cli("session", "list", terminal.uid).stdout
        self.assertIn(terminal.session_id, table)
        for output in (str(rows), str(shown), text, table):
            self.assertNotIn(terminal.token, output)
            self.assertNotIn(secret, output)

    def all_users(self):
        """Returns all users, read page by page, because there may be thousands."""
        rows = []
        while True:
            after = ["--after", rows[-1]["uid"]] if rows else []
            page = self.world.service.json("user", "list", "--limit", "1000", *after)
            rows += page["items"]
            if "next" not in page:
                return rows

    def test_unknown_users_are_a_problem(self):
        for words in (("user", "show", "u-nobody"), ("user", "logout", "u-nobody"),
                      ("user", "erase", "u-nobody", "--yes"), ("session", "terminate", "s-none")):
            with self.subTest(words=words):
                done = self.world.service.cli(*words, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words[2], done.stderr)

    def test_an_export_has_all_data_of_a_person_and_nothing_else(self):
        device, terminal = self.pair()
        guest = self.terminal()
        guest.bind(device)
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        guest.get("device/control", {"did": device.did, "data": {"power": False}})
        exported = self.world.service.cli("user", "export", terminal.uid).stdout
        self.assertEqual(exported.count("\n"), 1)
        document = json.loads(exported)
        self.assertEqual(contract.problems("userExport", document), [])
        self.assertEqual(document["uid"], terminal.uid)
        self.assertEqual([row["did"] for row in document["devices"]], [device.did])
        self.assertEqual([row["terminalId"] for row in document["sessions"]], [terminal.terminal_id])
        self.assertEqual([row["data"] for row in document["commands"]], [{"power": True}])
        for other in (guest.uid, guest.terminal_id, terminal.token, device.secret, device.passcode):
            self.assertNotIn(other, exported)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "person.json"
            done = self.world.service.cli("user", "export", terminal.uid, str(path))
            self.assertEqual(done.stdout, "")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertEqual(json.loads(path.read_text())["devices"], document["devices"])
            again = self.world.service.cli("user", "export", terminal.uid, str(path), check=False)
            self.assertEqual(again.returncode, 1)
            self.assertIn("already exists", again.stderr)

    def test_erasing_needs_a_confirmation_and_shows_the_consequences(self):
        device, terminal = self.pair()
        heir = self.terminal()
        heir.bind(device)
        done = self.world.service.cli("user", "erase", terminal.uid, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"would erase {terminal.uid}", done.stdout)
        self.assertIn(f"passes to {heir.uid}", done.stdout)
        self.assertIn("--yes", done.stderr)
        planned = json.loads(self.world.service.cli("user", "erase", terminal.uid, "--json", check=False).stdout)
        self.assertEqual((planned["erased"], planned["sessions"]), (False, 1))
        self.assertEqual(
            planned["devices"], [{"did": device.did, "role": "special", "losing": [], "heir": heir.uid,
                                  "withoutUser": False, "schedules": 0}])
        self.assertTrue(terminal.ask("account/whoami")["ok"], "nothing was changed")
        erased = self.world.service.json("user", "erase", terminal.uid, "--yes")
        self.assertEqual(erased, {**planned, "erased": True})

    def test_an_erased_user_is_told_and_the_devices_continue(self):
        device, terminal = self.pair()
        heir = self.terminal()
        heir.bind(device)
        self.world.service.cli("user", "erase", terminal.uid, "--yes")
        told = terminal.expect("/session", lambda b: b["type"] == "sessionInvalid").body
        self.assertEqual(told["reason"], "accountCancelled")
        terminal.wait_lost()
        heir.expect("/device", lambda b: b["type"] == "roleChanged" and b["role"] == "special")
        trail = self.world.service.json("user", "audit", terminal.uid)
        self.assertIn("erased", [row["kind"] for row in trail["items"]])
        self.assertNotIn(terminal.terminal_id, str(trail))
        device.report(data={"power": True})
        heir.status(device, lambda b: b["data"].get("power") is True)


class Alone(OwnWorld):
    """The service publishes the effects of commands that ran while it was stopped."""

    def test_a_session_ended_while_the_service_is_down(self):
        world = self.own
        terminal = self.terminal(clean=False, expiry=600)
        world.service.stop()
        self.assertEqual(world.service.json("user", "logout", terminal.uid)["count"], 1)
        self.assertEqual(world.service.json("session", "list", terminal.uid)["items"], [])
        world.service.start()
        late = self.keep(Terminal(
            world.port, terminal.app_id, terminal.token, terminal_id=terminal.terminal_id))
        self.assertIn(late.connect(), (0x86, 0x87))
        late.close()
        again = self.keep(Terminal(
            world.port, terminal.app_id, world.apps[terminal.app_id]["secret"], terminal_id=terminal.terminal_id)).come()
        error = self.assertError(again.ask("account/whoami", token=terminal.token), "InvalidToken")
        self.assertEqual(error["reason"], "operator")


if __name__ == "__main__":
    unittest.main()
