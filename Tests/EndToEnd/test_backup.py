"""A running service's backup contains everything that was answered, and a service elsewhere can run on it."""

import itertools
import json
import pathlib
import random
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

import postgres
from client import Device, Terminal, fresh_id
from harness import BINARY, LONG, Service, device_row, eventually
from world import SETTINGS, OwnWorld, World


@postgres.on_file
class Backups(OwnWorld):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.own.service.holder)
        self.file = self.folder / "one.backup"

    def run_free(self, *arguments):
        """Runs a command that needs no data directory of a service."""
        return subprocess.run([str(BINARY), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)

    def restored(self, *arguments, directory="restored"):
        """Restores the backup, and starts a service on the restored directory."""
        target = self.folder / directory
        done = self.run_free("restore", str(self.file), "--data", str(target), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        service = Service(target, SETTINGS)
        self.addCleanup(service.close)
        return service.start()

    def test_devices_and_apps_continue_elsewhere_with_their_secrets_and_tokens(self):
        device, app = self.pair()
        device.report(data={"power": True, "brightness": 40})
        app.ask("device/control", {"did": device.did, "data": {"power": False}})
        device.report(cid=device.command().body["cid"])
        made = self.own.service.json("backup", str(self.file))
        self.assertEqual((made["state"], made["encrypted"], made["tables"]["device"]), ("made", False, 1))
        device.report(data={"brightness": 90})
        self.own.service.stop()

        other = self.restored()
        back = self.keep(Terminal(other.mqtt_port, "test-app", app.token, terminal_id=app.terminal_id)).come()
        back.token, back.uid = app.token, app.uid
        back.subscribe(f"ll/v1/user/{app.uid}/#")
        again = self.keep(Device(other.mqtt_port, device.did, device.secret)).come()
        status = back.status(device)
        self.assertEqual(status["data"], {"power": True, "brightness": 40})
        self.assertGreater(status["version"], 1_000_000, "a later status than any that was told")
        self.assertTrue(again.report(data={"power": False})["ok"])
        sent = back.get("device/control", {"did": device.did, "data": {"power": True}})
        self.assertGreater(sent["cid"], 1_000_000)
        self.assertEqual(again.command().body["cid"], sent["cid"])
        self.assertTrue(again.report(data={"power": True})["ok"])

    def test_a_restoration_can_end_sessions(self):
        app = self.terminal()
        self.own.service.cli("backup", str(self.file))
        other = self.restored("--end-sessions")
        back = self.keep(Terminal(other.mqtt_port, "test-app", app.token, terminal_id=app.terminal_id))
        self.assertNotEqual(back.connect(), 0)

    def test_a_backup_made_under_load_has_everything_answered_before(self):
        devices = [self.device() for _ in range(8)]
        stopping, answered, failures = threading.Event(), {device.did: 0 for device in devices}, []

        def load(device):
            try:
                for number in itertools.count(1):
                    if stopping.is_set():
                        return
                    id = fresh_id("r")
                    device.send(id=id, data={"count": number})
                    # On a busy machine a backup can occupy the disk for a long time.
                    if device.response(id, 60)["ok"]:
                        answered[device.did] = number
            except Exception as error:  # without a load the test would prove nothing
                failures.append(repr(error))

        threads = [threading.Thread(target=load, args=(device,), daemon=True) for device in devices]
        for thread in threads:
            thread.start()
        self.addCleanup(lambda: [thread.join(10) for thread in threads])
        self.addCleanup(stopping.set)
        rng = random.Random(20)
        for number in range(200 if LONG else 6):
            time.sleep(rng.random() * 0.3)
            before = dict(answered)
            self.file = self.folder / f"{number}.backup"
            self.own.service.cli("backup", str(self.file))
            shown = self.counts(f"restored-{number}", list(before))
            for did, count in before.items():
                self.assertGreaterEqual(shown[did], count, f"backup {number}")
            self.file.unlink()
            shutil.rmtree(self.folder / f"restored-{number}")
            self.assertEqual(failures, [], f"backup {number}")
        stopping.set()

    def counts(self, directory, dids):
        """Restores the backup, and returns each device's `count`, without a service."""
        target = self.folder / directory
        done = self.run_free("restore", str(self.file), "--data", str(target))
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = {}
        for did in dids:
            done = self.run_free("device", "show", did, "--data", str(target), "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            shown[did] = device_row(done.stdout)["data"].get("count", 0)
        return shown

    def test_a_damaged_backup_is_refused_with_a_reason_and_changes_nothing(self):
        self.own.service.cli("backup", str(self.file))
        self.assertEqual(self.run_free("backup", "verify", str(self.file)).returncode, 0)
        whole = self.file.read_bytes()
        changed = whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:]
        for name, content in (("cut", whole[:-100]), ("changed", changed), ("text", b"hello\n")):
            with self.subTest(name):
                self.file.write_bytes(content)
                for command in (["backup", "verify", str(self.file)],
                                ["restore", str(self.file), "--data", str(self.folder / name)]):
                    done = self.run_free(*command)
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertIn("LL1207", done.stderr)
                self.assertFalse((self.folder / name).exists())
                empty = self.folder / f"empty-{name}"
                empty.mkdir()
                self.assertEqual(self.run_free("restore", str(self.file), "--data", str(empty)).returncode, 1)
                self.assertEqual(list(empty.iterdir()), [])

    def test_an_encrypted_backup_opens_only_with_its_passphrase_file(self):
        secret = self.folder / "passphrase"
        secret.write_text("correct horse battery\n")
        secret.chmod(0o600)
        self.own.service.cli("backup", str(self.file), "--passphrase-file", str(secret))
        self.assertIn("encrypted", self.run_free("backup", "verify", str(self.file)).stderr)
        done = self.run_free("backup", "verify", str(self.file), "--passphrase-file", str(secret))
        self.assertEqual(done.returncode, 0, done.stderr)
        secret.chmod(0o644)
        done = self.run_free("backup", "verify", str(self.file), "--passphrase-file", str(secret))
        self.assertIn("others can read it", done.stderr)

    def test_a_killed_backup_leaves_no_file_and_the_next_one_works(self):
        command = [str(BINARY), "backup", str(self.file), "--data", str(self.own.service.data)]
        for delay in (0.02, 0.05, 0.1, 0.2):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
            if self.file.exists():
                self.assertEqual(self.run_free("backup", "verify", str(self.file)).returncode, 0)
                self.file.unlink()
        self.own.service.cli("backup", str(self.file))
        self.assertEqual([p.name for p in self.own.service.data.glob("backup-*")], [])
        self.assertEqual(self.run_free("backup", "verify", str(self.file)).returncode, 0)


@postgres.on_file
class ByItself(OwnWorld):
    def make_world(self):
        self.service = Service(arguments=SETTINGS)
        self.folder = pathlib.Path(self.service.holder) / "backups"
        self.service.arguments += ["--set", f"backup.directory={self.folder}", "--set", "backup.every=60s",
                                   "--set", "backup.keep=2"]
        return World(watch=False, service=self.service)

    def names(self):
        return sorted(p.name for p in self.folder.glob("*.backup")) if self.folder.exists() else []

    def test_the_service_makes_backups_keeps_the_newest_and_shows_their_age(self):
        first = eventually(self.names, 20, "a backup")
        eventually(lambda: "lamplighter_backup_age_seconds" in self.metrics(), 10, "its age")
        self.assertLess(self.metrics()["lamplighter_backup_age_seconds"], 60)
        found = [row for row in self.service.json("doctor", "--only", "backup")["checks"]]
        self.assertEqual((found[0]["code"], found[0]["state"]), ("LL1311", "pass"))
        # After a restart, the service makes a new backup only if all backups are old. The service keeps only the
        # configured number of backups.
        self.service.stop()
        for name in first:
            (self.folder / name).rename(self.folder / "lamplighter-20200102T000000Z.backup")
        (self.folder / "lamplighter-20200101T000000Z.backup").write_text("old")
        (self.folder / "notes.txt").write_text("mine")
        self.service.start()
        eventually(lambda: len(self.names()) == 2 and self.names()[0].startswith("lamplighter-20200102"), 20,
                   "a new backup and the newest old one")
        self.assertTrue((self.folder / "notes.txt").exists())

    def test_the_reason_of_a_failure_is_shown_until_a_backup_succeeds(self):
        self.service.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.write_text("a file where the folder shall be")
        self.service.start()

        def found(state):
            rows = json.loads(self.service.cli("doctor", "--only", "backup", "--json", check=False).stdout)["checks"]
            return rows[0]["state"] == state and rows[0]
        self.assertIn("the last backup failed", eventually(lambda: found("warn"), 20, "a failure")["evidence"])
        self.folder.unlink()
        self.service.stop()
        self.service.start()
        eventually(lambda: found("pass"), 20, "a backup")

    def metrics(self):
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.service.health_port}/metrics").read().decode()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                if line and not line.startswith("#")}
