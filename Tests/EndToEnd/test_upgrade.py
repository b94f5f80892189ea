"""A migration keeps all contents of a store from this version or from an earlier version."""

import json
import pathlib
import sqlite3
import subprocess
import tarfile
import tempfile
import unittest

import postgres
from accounts import COUNTRY
from client import Device, Terminal
from harness import BINARY, ENVIRONMENT, Service
from keep_store import STORES, version
from world import SETTINGS, EndToEnd


def contents(path):
    """Returns the rows of each table, each row as a dictionary from column names to values."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    try:
        names = [row[0] for row in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'")]
        return {name: [dict(row) for row in database.execute(f"SELECT * FROM {name} ORDER BY 1, 2")] for name in names}
    finally:
        database.close()


@postgres.on_file
class Upgrades(EndToEnd):
    def unpack(self, path):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        data = folder / "data"
        for part in (data, data / "gate", data / "broker"):
            part.mkdir(mode=0o700)
        with tarfile.open(path) as archive:
            for member in archive:
                target = data / pathlib.PurePath(member.name).name
                target.write_bytes(archive.extractfile(member).read())
                target.chmod(0o600)
        return data, json.loads(path.with_name(path.name.removesuffix(".tar.gz") + ".json").read_text())

    def stores(self):
        paths = sorted(STORES.glob("*.tar.gz"))
        self.assertIn(f"{version()}.tar.gz", [path.name for path in paths], "Tests/EndToEnd/keep_store.py makes it")
        return paths

    def test_every_row_of_every_store_is_kept(self):
        for path in self.stores():
            with self.subTest(path.name):
                data, _ = self.unpack(path)
                before = contents(data / "lamplighter.db")
                self.assertGreater(sum(bool(rows) for rows in before.values()), 15)
                done = subprocess.run([str(BINARY), "migrate", "--data", str(data)],
                                      capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
                self.assertEqual(done.returncode, 0, f"{done.stderr}\nmade before the tables changed? "
                                 "Before the first release, make it again with Tests/EndToEnd/keep_store.py")
                after = contents(data / "lamplighter.db")
                for table, rows in before.items():
                    self.assertEqual(len(after[table]), len(rows), table)
                    for old, new in zip(rows, after[table]):
                        self.assertEqual({name: new.get(name) for name in old}, old, table)

    def test_devices_and_users_continue_with_their_secrets_and_passwords(self):
        for path in self.stores():
            with self.subTest(path.name):
                self.go_on(*self.unpack(path))

    def go_on(self, data, facts):
        service = Service(data, SETTINGS)
        self.addCleanup(service.close)
        service.start()
        app = facts["app"]
        people = []
        for name in ("owner", "guest"):
            person = self.keep(Terminal(service.mqtt_port, app["appId"], app["secret"])).come()
            person.adopt(person.get("account/login", {
                "countryCode": COUNTRY, "username": facts[name]["username"], "password": facts["password"]}))
            self.assertEqual(person.uid, facts[name]["uid"])
            people.append(person)
        owner, guest = people
        did = facts["lamp"]["did"]
        devices = {row["did"]: row for row in owner.get("device/list")["devices"]}
        self.assertEqual(sorted(devices), sorted([did, facts["other"]["did"]]))
        self.assertEqual(devices[did]["homeId"], facts["home"])
        self.assertEqual([row["did"] for row in guest.get("device/list")["devices"]], [did])
        self.assertEqual([row["scheduleId"] for row in owner.get("schedule/list", {"did": did})["schedules"]],
                         [facts["scheduleId"]])
        status = owner.get("device/status", {"did": did})
        self.assertEqual((status["data"], status["version"]), (facts["status"], facts["version"]))
        lamp, other = (self.keep(Device(service.mqtt_port, facts[name]["did"], facts[name]["secret"])).come()
                       for name in ("lamp", "other"))
        self.assertTrue(other.report(data={"count": 98})["ok"])
        self.assertTrue(lamp.report(data={"count": 99})["ok"])
        told = guest.status(lamp, lambda b: b["data"].get("count") == 99)
        self.assertGreater(told["version"], facts["version"])


if __name__ == "__main__":
    unittest.main()
