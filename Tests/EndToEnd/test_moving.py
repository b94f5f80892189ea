"""`lamplighter migrate --to`: an installation moves to PostgreSQL and back, despite kills."""

import json
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
import time
import unittest

import postgres
from accounts import COUNTRY, fresh_email
from client import Device, Terminal, fresh_id
from harness import BINARY, ENVIRONMENT, IS_DEBUG, LONG, Service, eventually, free_port
from mailserver import MailServer
from world import SETTINGS, OwnWorld, World

STORES = pathlib.Path(__file__).resolve().parent / "stores"
# With a debug build, the test would take hours for a million devices.
DEVICES = (100_000 if IS_DEBUG else 1_000_000) if LONG else 3000
KILLS = 20 if LONG else 3
SECONDS = 3600 if LONG else 120


def migrate(*arguments):
    return [str(BINARY), "migrate", "--json", *map(str, arguments)]


class Moving(unittest.TestCase):
    """The store that was kept from an old version, with many additional devices."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.close)
        holder = tempfile.mkdtemp(prefix="lamplighter-moving-")
        cls.addClassCleanup(shutil.rmtree, holder, ignore_errors=True)
        cls.holder = pathlib.Path(holder)
        cls.kept = cls.holder / "kept"
        cls.kept.mkdir()
        with tarfile.open(sorted(STORES.glob("*.tar.gz"))[-1]) as archive:
            archive.extractall(cls.kept)
        cls.data = next(cls.kept.rglob("lamplighter.db")).parent
        # The tables come from an old version. Therefore, `migrate` applies the later migration steps.
        (cls.data / "gate").mkdir(mode=0o700)
        subprocess.run([str(BINARY), "migrate", "--data", str(cls.data)], check=True, capture_output=True, timeout=60, env=ENVIRONMENT)
        cls.fill(DEVICES)

    @classmethod
    def fill(cls, count):
        """Adds devices with statuses, and empties the outbox."""
        database = sqlite3.connect(cls.data / "lamplighter.db")
        product, = database.execute("SELECT productKey FROM product LIMIT 1").fetchone()
        database.executemany(
            "INSERT INTO device (did, productKey, mac, hardware, ownership, ownershipSince, createdAt)"
            " VALUES (?, ?, ?, '{}', 1, 1, 1)",
            ((f"d-x{number:012}", product, f"{number:012x}") for number in range(count)))
        database.executemany(
            "INSERT INTO status (did, productKey, version, ts, attributes, conditions, online, alive, connection)"
            " VALUES (?, ?, 1, 1, '{\"power\":true}', '[]', 0, 0, 0)",
            ((f"d-x{number:012}", product) for number in range(count)))
        database.executemany(
            "INSERT INTO tag (did, name, value) VALUES (?, 'floor', ?)",
            ((f"d-x{number:012}", str(number % 5)) for number in range(count)))
        database.execute("DELETE FROM outbox")
        database.commit()
        database.close()

    def move(self, *arguments):
        done = subprocess.run(
            migrate(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return {table["name"]: (table["rows"], table["checksum"]) for table in json.loads(done.stdout)["tables"]}

    def refused(self, code, *arguments):
        done = subprocess.run(
            migrate(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        error = json.loads(done.stderr.splitlines()[-1] if done.stderr else done.stdout)["error"]
        self.assertEqual(error["code"], code, error)
        return error

    def test_after_a_move_and_back_with_kills_every_table_is_equal(self):
        seed = random.randrange(1 << 32)
        random.seed(seed)
        began = time.monotonic()
        first = self.move("--data", self.data, "--to", self.server.make())
        took = time.monotonic() - began
        store, kills = self.server.make(), 0
        # Each run continues where the previous run was killed. Together, the runs take about as long as one run without
        # kills. So the kills hit all stages of the move.
        for _ in range(KILLS):
            process = subprocess.Popen(
                migrate("--data", self.data, "--to", store), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            try:
                process.wait(random.uniform(0, 2 * took / KILLS))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        with self.subTest(seed=seed):
            there = self.move("--data", self.data, "--to", store) if kills == KILLS else first
            back = self.move("--data", self.data, "--store", store, "--to", f"sqlite:{self.holder / 'back'}")
            self.assertEqual(there, first)
            self.assertEqual(back, first)
            self.assertGreaterEqual(back["device"][0], DEVICES)
            print(f"moved {sum(rows for rows, _ in back.values())} rows there, there with {kills} kills, and back, "
                  f"{time.monotonic() - began:.0f} s")

    def test_the_moved_store_works(self):
        store = self.server.make()
        self.move("--data", self.data, "--to", store)
        service = Service(directory=self.holder / "node", store=store)
        self.addCleanup(service.close)
        (self.holder / "node").mkdir()
        for name in ("server.key", "service.secret", "tools.secret"):
            shutil.copy(self.data / name, self.holder / "node" / name)
        service.start()
        self.assertGreaterEqual(len(service.json("device", "list", "--limit", "100")["items"]), 1)
        self.assertEqual(service.stop()[0], 0)

    def test_a_target_in_use_another_key_and_waiting_messages_are_refused(self):
        store = self.server.make()
        self.move("--data", self.data, "--to", store)
        self.refused("LL1211", "--data", self.data, "--to", store)
        other = self.holder / "other"
        other.mkdir()
        (other / "server.key").write_text("A" * 43 + "\n")
        (other / "server.key").chmod(0o600)
        self.refused("LL1106", "--data", self.data, "--to", f"sqlite:{other}")
        database = sqlite3.connect(self.data / "lamplighter.db")
        message = b"\0" + (7).to_bytes(4, "little") + b"ll/v1/t" + (1).to_bytes(4, "little") + b"p"
        database.execute(
            "INSERT INTO outbox (id, worker, sealed, messages, createdAt) VALUES (1, 'status', 0, ?, 1)", (message * 2,))
        database.commit()
        self.addCleanup(database.close)
        self.addCleanup(database.commit)
        self.addCleanup(database.execute, "DELETE FROM outbox")
        error = self.refused("LL1212", "--data", self.data, "--to", self.server.make())
        self.assertIn("2 for ll/v1/t", error["message"])

    def test_a_partly_filled_store_is_not_opened(self):
        store = self.server.make()
        process = subprocess.Popen(
            migrate("--data", self.data, "--to", store), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        name = store.split("@/")[1].split("?")[0]

        def has_begun():
            if process.poll() is not None:
                return True
            return self.server.sql("SELECT to_regclass('moving') IS NOT NULL", name).strip() == "t"

        eventually(has_begun, 60, "the copy")
        process.kill()
        process.wait()
        if self.server.sql("SELECT to_regclass('moving') IS NOT NULL", name).strip() == "t":
            self.refused("LL1028", "--data", self.data, "--store", store)
        self.move("--data", self.data, "--to", store)


@postgres.on_file
class AfterACleanStop(OwnWorld):
    """If a service is stopped while clients use it, its data can be moved at once.

    Each round interrupts different work."""

    ROUNDS = 50 if LONG else 3

    def make_world(self):
        self.mail_port = free_port()
        self.server = postgres.Server()
        self.addCleanup(self.server.close)
        return World(watch=False, service=Service(arguments=[*SETTINGS, *self.mail()]))

    def mail(self, way="smtp"):
        settings = {"delivery.email": way, "smtp.host": "localhost", "smtp.port": self.mail_port, "smtp.security": "none",
                    "smtp.from": "no-reply@lamp.example", "limits.deliveryBackoff": 1}
        return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]

    def test_it_is_never_refused_and_nothing_is_lost(self):
        service, seed = self.own.service, random.randrange(1 << 32)
        random.seed(seed)
        device, app = self.pair()
        schedules, mails, version = [], [], 0
        for number in range(self.ROUNDS):
            with self.subTest(round=number, seed=seed):
                asked = self.terminal(login=False)
                mails.append(fresh_email())
                asked.get("account/sendCode", {"countryCode": COUNTRY, "purpose": "register", "email": mails[-1]})
                schedules.append(app.get("schedule/create", {
                    "did": device.did, "time": "12:00", "date": f"{2040 + number}-01-16", "timezone": "UTC",
                    "attrs": {"power": True}})["schedule"]["scheduleId"])
                version = device.report(data={"count": number})["version"]
                # Some of these reports and commands are still in progress when the service stops.
                for count in range(random.randrange(20)):
                    device.send(data={"count": count - 1000})
                    app.send("device/control", {"did": device.did, "data": {"power": True}, "mode": "queue"}, fresh_id("q"))
                self.assertEqual(service.stop()[0], 0)
                store = self.server.make()
                done = subprocess.run(
                    migrate("--data", service.data, "--to", store), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    timeout=SECONDS, env=ENVIRONMENT)
                self.assertEqual(done.returncode, 0, done.stderr)
                moved = {table["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}
                self.assertEqual((moved["schedule"], moved["outbox"]), (len(schedules), 0))
                self.assertGreaterEqual(moved["delivery"], 1, "the mail of this round at least")
                self.assertGreaterEqual(moved["session"], 1)
                if number + 1 < self.ROUNDS:
                    self.server.drop(store)
                    # Each round uses one of two ways to send mails. With either way, messages can still be unsent when
                    # the service stops the next time.
                    service.arguments = [*SETTINGS, *self.mail(("gateway", "smtp")[number % 2])]
                    service.start()
                    device, app = self.again(service, device, app)
        server = self.keep(MailServer(port=self.mail_port))
        other = Service(arguments=[*SETTINGS, *self.mail()], store=store)
        self.addCleanup(other.close)
        other.data.mkdir()
        for name in ("server.key", "service.secret", "tools.secret"):
            shutil.copy(service.data / name, other.data / name)
        other.start()
        device, app = self.again(other, device, app)
        self.assertEqual(server.next(mails[-1]).receivers, [mails[-1]])
        listed = app.get("schedule/list", {"did": device.did})["schedules"]
        self.assertEqual({s["scheduleId"] for s in listed}, set(schedules))
        self.assertGreater(device.report(data={"count": self.ROUNDS})["version"], version)

    def again(self, service, device, app):
        """Connects the device and the terminal to a service, with the device's secret and the terminal's token."""
        device.close(), app.close()
        back = self.keep(Terminal(service.mqtt_port, "test-app", app.token, terminal_id=app.terminal_id)).come()
        back.token, back.uid = app.token, app.uid
        back.subscribe(f"ll/v1/user/{app.uid}/#")
        return self.keep(Device(service.mqtt_port, device.did, device.secret, device.mac)).come(), back


if __name__ == "__main__":
    unittest.main()
