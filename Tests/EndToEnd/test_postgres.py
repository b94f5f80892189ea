"""A service with PostgreSQL as its store: databases that it refuses, and failures that it survives."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import client as clients
import postgres
from harness import BINARY, ENVIRONMENT, LONG, ROOT, Service, eventually, free_port
from world import SETTINGS, World

HERE = pathlib.Path(__file__).resolve().parent


def run(*arguments, environment=ENVIRONMENT):
    return subprocess.run(
        [str(BINARY), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=environment)


def readyz(service):
    """Returns the status and text of `/readyz`."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/readyz", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def store_is_away(service, reason=""):
    """Returns whether `/readyz` gives this reason and reports the store itself as not ready."""
    code, text = readyz(service)
    return code == 503 and any(
        part["name"] == "store" and not part["ready"] and part["reason"].startswith(reason) for part in json.loads(text)["parts"])


class Changed:
    """A proxy that replaces bytes in the service's messages with other bytes of the same length.

    The test replaces settings of the connection, so the service finds wrong settings, as behind a pooler that resets
    them."""

    def __init__(self, path, old, new):
        assert len(old) == len(new)
        self.path, self.old, self.new = path, old, new
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.path)
            for one, other, change in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pass_on, args=(one, other, change), daemon=True).start()

    def pass_on(self, one, other, change):
        try:
            while data := one.recv(65536):
                other.sendall(data.replace(self.old, self.new) if change else data)
        except OSError:
            pass
        for end in (one, other):
            end.close()

    def close(self):
        self.socket.close()


class Refusals(unittest.TestCase):
    """For each unusable database, the service reports the problem's code and a cure."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.close)

    def refuses(self, store, code, *arguments, environment=ENVIRONMENT, data=None):
        """Asserts that `up` doesn't start on a store, and returns its error and output."""
        with tempfile.TemporaryDirectory() as folder:
            done = run("up", "--data", data or folder + "/data", "--store", store, "--mqtt-port", "0", "--http-port", "0",
                       "--health-port", "0", "--json", *arguments, environment=environment)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        texts = (done.stderr + done.stdout).splitlines()
        error = next(json.loads(line)["error"] for line in texts if line.startswith('{"error"'))
        self.assertEqual(error["code"], code, error)
        self.assertTrue(error["cures"][0]["command"])
        page = run("explain", code).stdout
        self.assertIn(code, page)
        return error, done

    def test_a_password_in_the_address_is_refused_and_shown_nowhere(self):
        for address in ("postgres://lamp:geheim@127.0.0.1/x", "postgres://lamp@127.0.0.1/x?password=geheim"):
            error, done = self.refuses(address, "LL1107")
            self.assertIn("passwordFile", json.dumps(error["cures"]))
            self.assertNotIn("geheim", done.stdout + done.stderr)
        done = run("config", environment=ENVIRONMENT | {"LAMPLIGHTER_STORE": "postgres://lamp:geheim@127.0.0.1/x"})
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("geheim", done.stdout + done.stderr)

    def test_an_invalid_address_is_refused(self):
        for address in ("mysql://lamp@127.0.0.1/x", "postgres://[x"):
            self.refuses(address, "LL1102")

    def test_no_server_answers(self):
        error, _ = self.refuses(f"postgres://lamplighter@127.0.0.1:{free_port()},127.0.0.1:{free_port()}/x", "LL1017")
        self.assertEqual(error["message"].count("refused"), 2, error)

    def test_an_unknown_user_or_database(self):
        self.refuses(self.server.address("nothing"), "LL1019")
        self.refuses(self.server.address("postgres").replace("lamplighter@", "stranger@"), "LL1019")

    def test_a_read_only_host(self):
        address = self.server.make()
        name = address.split("@/")[1].split("?")[0]
        self.server.sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        error, _ = self.refuses(address, "LL1018")
        self.assertIn("HOST1,HOST2", json.dumps(error["cures"]))

    def test_other_encodings_and_collations(self):
        for options, code in (("ENCODING 'LATIN1' LOCALE 'C'", "LL1021"), ("ENCODING 'UTF8' LOCALE 'C.UTF-8'", "LL1022")):
            name = "other" + code.lower()
            self.server.sql(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
            self.refuses(self.server.address(name), code)

    def test_settings_that_a_pooler_resets(self):
        address = self.server.make()
        name = address.split("@/")[1].split("?")[0]
        self.server.sql("ALTER ROLE lamplighter SET synchronous_commit = off")
        self.addCleanup(self.server.sql, "ALTER ROLE lamplighter RESET synchronous_commit")
        for old, new, code in (
            (b"'synchronous_commit', 'on', false", b"'synchronous_commit', 'on', true ", "LL1020"),
            (b"SET idle_in_transaction_session_timeout = '2s'", b"SET idle_in_transaction_session_timeout = '0s'", "LL1023"),
            (b"SET lock_timeout = '5s'", b"SET lock_timeout = '0s'", "LL1023"),
            (b"SET statement_timeout = '15s'", b"SET statement_timeout = '00s'", "LL1023"),
        ):
            proxy = Changed(f"{self.server.directory}/.s.PGSQL.5432", old, new)
            self.addCleanup(proxy.close)
            self.refuses(f"postgres://lamplighter@127.0.0.1:{proxy.port}/{name}", code)

    def test_a_clock_that_differs(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        with tempfile.TemporaryDirectory() as folder:
            library = f"{folder}/clock.so"
            subprocess.run([compiler, "-shared", "-fPIC", "-o", library, str(HERE / "clock.c"), "-ldl"], check=True)
            pathlib.Path(folder, "shift").write_text("3")
            environment = ENVIRONMENT | {"LD_PRELOAD": library, "CLOCK_FILE": f"{folder}/shift"}
            error, _ = self.refuses(self.server.make(), "LL1024", environment=environment)
        self.assertRegex(error["message"], "-(2[5-9]|3[0-4])[0-9][0-9] ms")

    def test_the_key_of_another_installation(self):
        store = self.server.make()
        first = Service(store=store)
        try:
            first.start()
            first.stop()
            key = (first.data / "server.key").read_text()
            with tempfile.TemporaryDirectory() as folder:
                # A new node has no server key. The service doesn't create one, because a new key would be wrong.
                other = pathlib.Path(folder) / "data"
                error, _ = self.refuses(store, "LL1104", data=str(other))
                self.assertIn("serverKeyFile", json.dumps(error["cures"]))
                self.assertFalse((other / "server.key").exists())
                wrong = pathlib.Path(folder) / "wrong.key"
                wrong.write_text("A" * 43 + "\n")
                wrong.chmod(0o600)
                self.refuses(store, "LL1106", "--set", f"serverKeyFile={wrong}", data=str(other))
                right = pathlib.Path(folder) / "right.key"
                right.write_text(key)
                right.chmod(0o600)
                second = Service(other, ["--set", f"serverKeyFile={right}"], store=store)
                second.start()
                self.assertEqual(second.stop()[0], 0)
                second.close()
        finally:
            first.close()


class Works(unittest.TestCase):
    """A server with a password and TLS, and the roles of `deploy/postgres`."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server(port=free_port())
        cls.addClassCleanup(cls.server.close)

    def hba(self, *lines):
        (self.server.data / "pg_hba.conf").write_text("\n".join(["local all lamplighter trust", *lines, ""]))
        self.server.sql("SELECT pg_reload_conf()")

    def test_roles_scram_and_tls(self):
        sql = (ROOT / "deploy" / "postgres" / "roles.sql").read_text()
        # The server's superuser is already named `lamplighter`, so the script's role is renamed.
        script = self.server.directory / "roles.sql"
        script.write_text(sql.replace("CREATE ROLE lamplighter ", "CREATE ROLE lamp ")
                          .replace("OWNER lamplighter ", "OWNER lamp ").replace("stats TO lamplighter", "stats TO lamp"))
        self.server.run("psql", "-X", *self.server.where(), "-d", "postgres", "-f", script)
        self.server.sql("ALTER ROLE lamp PASSWORD 'geheim'")
        self.server.certify()
        self.hba("hostssl lamplighter lamp 127.0.0.1/32 scram-sha-256",
                 "local lamplighter lamplighter_feed trust")
        address = f"postgres://lamp@127.0.0.1:{self.server.port}/lamplighter?sslmode=verify-ca&sslrootcert=" \
            f"{self.server.data}/server.crt"
        service = Service(store=address)
        try:
            password = pathlib.Path(service.holder) / "password"
            password.write_text("geheim\n")
            password.chmod(0o600)
            service.environment = service.environment | {"LAMPLIGHTER_POSTGRES_PASSWORD_FILE": str(password)}
            service.start()
            self.assertEqual(
                self.server.sql("SELECT DISTINCT s.ssl, a.usename FROM pg_stat_ssl AS s JOIN pg_stat_activity AS a "
                                "USING (pid) WHERE a.datname = 'lamplighter'").split(), ["t|lamp"])
            self.assertIn("pass  LL1301", service.cli("doctor", "--only", "store").stdout)
            command = pathlib.Path(f"/proc/{service.process.pid}/cmdline").read_bytes()
            self.assertNotIn(b"geheim", command)
            self.assertNotIn("geheim", service.cli("config").stdout + service.tail())
            self.feed()
            self.wrong_password(service, password)
        finally:
            service.close()

    def feed(self):
        """Asserts that a feeder can read only what the gate needs, and can't write."""
        self.server.run("psql", "-X", *self.server.where(), "-d", "lamplighter", "-f",
                        self.server.copy(ROOT / "deploy" / "postgres" / "feed.sql"))

        def ask(statement):
            return self.server.run("psql", "-X", "-A", "-t", "-h", self.server.directory, "-p", self.server.port,
                                   "-U", "lamplighter_feed", "-d", "lamplighter", "-c", statement)
        self.assertTrue(ask("SELECT name, role, secretHash FROM service").startswith("tools|"))
        ask("SELECT t.terminalId, t.appId, s.tokenHash FROM terminal AS t LEFT JOIN session AS s "
            "ON s.terminalId = t.terminalId AND s.endedAt IS NULL")
        ask("SELECT max(connection) FROM status")
        for statement in ("SELECT nickname FROM account", "SELECT passcodeHash FROM device", "DELETE FROM session"):
            with self.assertRaisesRegex(AssertionError, "permission denied"):
                ask(statement)

    def wrong_password(self, service, password):
        password.write_text("falsch\n")
        done = service.cli("device", "list", check=False)
        self.assertIn("LL1019", done.stderr)
        self.assertNotIn("falsch", done.stderr)

    def test_the_tables_are_those_of_the_schema(self):
        """With `LAMPLIGHTER_WRITE=1` the test writes `schemas/postgres.sql` from the tables."""
        path = ROOT / "schemas" / "postgres.sql"
        store = self.server.make()
        with tempfile.TemporaryDirectory() as folder:
            done = run("migrate", "--data", folder, "--store", store)
        self.assertIn("is at the schema", done.stdout, done.stderr)
        found = self.server.dump(store.split("@/")[1].split("?")[0])
        if os.environ.get("LAMPLIGHTER_WRITE") == "1":
            path.write_text(found)
        self.assertEqual(path.read_text(), found)

    def test_doctor_checks_the_server(self):
        service = Service(store=self.server.make())
        try:
            service.start()
            name = service.store.split("@/")[1].split("?")[0]
            found = {row["code"]: row for row in self.examine(service)}
            self.assertEqual((found["LL1313"]["state"], found["LL1314"]["state"]), ("warn", "fail"), found)
            self.assertIn("no standby", found["LL1313"]["evidence"])
            for code in ("LL1315", "LL1316", "LL1317"):
                self.assertEqual(found[code]["state"], "pass", found[code])
            self.server.sql("CREATE TABLE heap AS SELECT generate_series(1, 20000) AS n; DELETE FROM heap; "
                            "SELECT pg_stat_force_next_flush()", name)
            found = eventually(
                lambda: next((row for row in self.examine(service) if row["state"] == "warn" and row["code"] == "LL1316"),
                             None), 10, "the dead rows")
            self.assertIn("heap 20000 dead", found["evidence"])
            self.assertEqual(found["command"], "VACUUM heap")
        finally:
            service.close()

    def examine(self, service):
        return json.loads(service.cli("doctor", "--only", "database", "--json", check=False).stdout)["checks"]

    def test_backups_are_left_to_the_server(self):
        service = Service(store=self.server.make())
        try:
            service.start()
            for arguments in (["backup", f"{service.holder}/x.backup"], ["restore", f"{service.holder}/x.backup"]):
                done = service.cli(*arguments, check=False)
                self.assertIn("LL1208", done.stderr)
                self.assertIn("pg_dump", done.stderr)
            service.stop()
            done = run("up", "--data", str(service.data), "--set", f"backup.directory={service.holder}",
                       environment=service.environment)
            self.assertIn("LL1208", done.stderr)
        finally:
            service.close()


class Load:
    """Devices that report without a pause, and repeat each report until it is answered."""

    def __init__(self, world, count):
        self.world = world
        self.devices = [world.device() for _ in range(count)]
        self.answered, self.lock, self.isOver = [], threading.Lock(), False
        self.threads = [threading.Thread(target=self.live, args=(device,)) for device in self.devices]
        for thread in self.threads:
            thread.start()

    def live(self, device):
        number = 0
        while not self.isOver:
            id = f"r{number}"
            device.send(id=id, data={"count": number})
            deadline = time.monotonic() + 3
            while not self.isOver:
                try:
                    answer = device.response(id, 0.2)
                except AssertionError:
                    if time.monotonic() > deadline:
                        device.send(id=id, data={"count": number})
                        deadline = time.monotonic() + 3
                    continue
                if answer["ok"]:
                    with self.lock:
                        self.answered.append((time.monotonic(), device.did, id))
                    number += 1
                break

    def count(self, since=0.0):
        with self.lock:
            return sum(1 for at, _, _ in self.answered if at > since)

    def stop(self):
        self.isOver = True
        for thread in self.threads:
            thread.join()
        return {(did, id) for _, did, id in self.answered}


class Dies(unittest.TestCase):
    """A server that is killed under load, and starts again."""

    AWAY_SECONDS = 60 if LONG else 4

    def setUp(self):
        self.server = postgres.Server()
        self.addCleanup(self.server.close)

    def test_nothing_is_acknowledged_without_the_database_and_nothing_answered_is_lost(self):
        store = self.server.make()
        world = World(watch=False, service=Service(arguments=SETTINGS, store=store))
        self.addCleanup(world.close)
        load = Load(world, 12)
        try:
            eventually(lambda: load.count() > 200, 120, "the load")
            self.server.kill()
            killed = time.monotonic()
            eventually(lambda: store_is_away(world.service, "the database can't be used"), 20, "the bad news")
            while time.monotonic() < killed + self.AWAY_SECONDS:
                time.sleep(0.1)
            # A report can be committed just before the kill, and its answer can arrive just after the kill. Therefore,
            # the test counts only answers that arrive more than a second after the kill.
            self.assertEqual(load.count(since=killed + 1), 0)
            self.assertEqual(readyz(world.service)[0], 503)
            self.server.start()
            back = time.monotonic()
            eventually(lambda: readyz(world.service)[0] == 200, 120, "the good news")
            eventually(lambda: load.count(since=back) > 200, 120, "the load goes on")
        finally:
            answered = load.stop()
        name = store.split("@/")[1].split("?")[0]
        stored = {tuple(line.split("|")) for line in self.server.sql("SELECT did, id FROM inbox", name).split()}
        self.assertEqual(answered - stored, set())
        self.assertEqual(world.service.dead_letters(), [])
        terminal = world.terminal()
        terminal.bind(load.devices[0])
        self.assertTrue(terminal.get("device/status", {"did": load.devices[0].did}))


class Unanswered(unittest.TestCase):
    """A commit that succeeds, but whose answer is lost."""

    def setUp(self):
        self.server = postgres.Server()
        self.addCleanup(self.server.close)
        self.world = World(watch=False, service=Service(arguments=SETTINGS, store=self.server.make()))
        self.addCleanup(self.world.close)

    def test_an_operators_action_takes_effect_once(self):
        device = self.world.device()
        self.server.hold_commits()
        done = []
        tool = threading.Thread(target=lambda: done.append(self.world.service.cli(
            "device", "control", device.did, "power=true", "--queue", "--json", check=False)))
        tool.start()
        first = eventually(lambda: self.server.held_commits("lamplighter command %"), 20, "the commit")
        self.server.sql(f"SELECT pg_terminate_backend({first[0]})")
        # The command tries again in another database session, whose commit waits too.
        eventually(lambda: set(self.server.held_commits("lamplighter command %")) - set(first), 20, "the next commit")
        self.server.let_commits_go()
        tool.join(60)
        self.assertEqual(done[0].returncode, 0, done[0].stderr)
        cid = json.loads(done[0].stdout)["cid"]
        self.assertEqual(device.command().body["cid"], cid)
        name = self.world.service.store.split("@/")[1].split("?")[0]
        self.assertEqual(self.server.sql(f"SELECT cid FROM command WHERE did = '{device.did}'", name).split(), [str(cid)])


class Fails(unittest.TestCase):
    """A primary with a standby, and an address that names both."""

    def test_the_other_host_is_used_once_it_accepts_writes(self):
        first = postgres.Server(["wal_level=replica"], port=free_port())
        self.addCleanup(first.close)
        second = first.standby(free_port())
        self.addCleanup(second.close)
        first.sql("CREATE DATABASE lamps")
        eventually(lambda: second.behind(first) == 0, 20, "the standby follows")
        store = f"postgres://lamplighter@127.0.0.1:{second.port},127.0.0.1:{first.port}/lamps"
        world = World(watch=False, service=Service(arguments=SETTINGS, store=store))
        self.addCleanup(world.close)
        load = Load(world, 6)
        try:
            eventually(lambda: load.count() > 50, 120, "the load")
            doctor = world.service.cli("doctor", "--only", "database", check=False).stdout
            self.assertRegex(doctor, "1 standby: .* asynchronous, [0-9]+ KiB behind")
            load.stop()
            answered = {(did, id) for _, did, id in load.answered}
            eventually(lambda: second.behind(first) == 0, 20, "the standby has all")
            first.kill()
            eventually(lambda: store_is_away(world.service), 20, "the bad news")
            second.promote()
            eventually(lambda: readyz(world.service)[0] == 200, 120, "the good news")
            self.assertTrue(load.devices[0].report(data={"count": 7})["ok"])
        finally:
            load.stop()
        stored = {tuple(line.split("|")) for line in second.sql("SELECT did, id FROM inbox", "lamps").split()}
        self.assertEqual(answered - stored, set())


if __name__ == "__main__":
    unittest.main()
