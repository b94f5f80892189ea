#!/usr/bin/env python3
"""Keeps a store of this version for test_upgrade.py: writes stores/VERSION.tar.gz and VERSION.json.

The archive contains a data directory with rows in most tables. The service that wrote this directory has ended
normally. The JSON file contains the facts that a test needs. Run this script once for a release, and never again for
that version. Before the first release, the first migration step can change. Run this script again after such a
change.
"""

import json
import pathlib
import sqlite3
import subprocess
import tarfile
import tempfile

import client as clients
from accounts import COUNTRY, PASSWORD
from harness import BINARY, ROOT, TOPICS, Service
from world import LAMP, SETTINGS, World

STORES = pathlib.Path(__file__).resolve().parent / "stores"
KEPT = ["lamplighter.db", "server.key", "service.secret", "tools.secret"]
EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]


def version():
    return subprocess.run([str(BINARY), "version"], check=True, capture_output=True, text=True).stdout.split()[1]


def user(world, name):
    """Connects a terminal whose user has a name and a password."""
    terminal = world.terminal(login=False)
    terminal.adopt(terminal.get("account/register", {
        "countryCode": COUNTRY, "username": name, "password": PASSWORD, "nickname": name}))
    return terminal


def live(world):
    """Lets users and devices use the service, and returns facts that must hold afterwards."""
    owner, guest = user(world, "keeper"), user(world, "visitor")
    lamp, other = world.device(), world.device(connect=False)
    owner.bind(lamp)
    owner.bind(other)
    owner.get("device/setCustomInfo", {"did": other.did, "alias": "cellar"})
    home = owner.get("home/create", {"name": "House", "latitude": 52.5, "longitude": 13.25})["homeId"]
    owner.get("home/addDevice", {"homeId": home, "did": lamp.did})
    start = clients.now()
    for number in range(5):
        lamp.report(ts=start + number, data={"power": True, "brightness": 5 * number, "count": number},
                    alerts=[{"name": "overheat", "open": number % 2 == 0}])
    command = owner.ask("device/control", {"did": lamp.did, "data": {"power": False}})["result"]
    lamp.command()
    lamp.report(cid=command["cid"], code=0, data={"power": False})
    schedule = owner.get("schedule/create", {
        "did": lamp.did, "time": "07:30", "weekDays": EVERY_DAY, "timezone": "Europe/Berlin",
        "attrs": {"power": True}})["schedule"]
    sharing = owner.get("share/invite", {
        "did": lamp.did, "way": "user", "guest": {"type": "uid", "value": guest.uid}})["sharingId"]
    guest.get("share/answer", {"sharingId": sharing, "accept": True})
    owner.get("share/invite", {"did": lamp.did, "way": "qrcode"})
    other.come().publish(f"{TOPICS}/device/{other.did}/report", "not JSON")
    status = owner.get("device/status", {"did": lamp.did})
    for one in (lamp, other, owner, guest):
        one.close()
    return {
        "product": LAMP["productKey"], "app": {"appId": "test-app", "secret": world.apps["test-app"]["secret"]},
        "password": PASSWORD, "home": home, "scheduleId": schedule["scheduleId"],
        "lamp": {"did": lamp.did, "secret": lamp.secret}, "other": {"did": other.did, "secret": other.secret},
        "status": status["data"], "version": status["version"],
        "owner": {"username": "keeper", "uid": owner.uid}, "guest": {"username": "visitor", "uid": guest.uid},
    }


def main():
    with tempfile.TemporaryDirectory() as holder:
        service = Service(pathlib.Path(holder) / "data", SETTINGS)
        world = World(watch=False, service=service)
        try:
            facts = live(world)
            code, _ = service.stop()
            assert code == 0, service.tail()
            # The archive doesn't contain the write-ahead log, so the log is first merged into the database file.
            with sqlite3.connect(service.data / "lamplighter.db") as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.close()
            STORES.mkdir(exist_ok=True)
            path = STORES / f"{version()}.tar.gz"
            with tarfile.open(path, "w:gz", compresslevel=9) as archive:
                for name in KEPT:
                    archive.add(service.data / name, name)
            path.with_name(f"{version()}.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
        finally:
            world.close()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
