"""The PostgreSQL of the tests: one server, and a database for each service.

With `LAMPLIGHTER_TEST_STORE=postgres` every service of the tests keeps its data in PostgreSQL.
"""

import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

WANTED = os.environ.get("LAMPLIGHTER_TEST_STORE") == "postgres"
PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
START_SECONDS = 30

# This decorator is for tests that concern only SQLite's file.
on_file = unittest.skipIf(WANTED, "it is about a file of SQLite's")
# This decorator is for tests that need PostgreSQL's programs.
installed = unittest.skipUnless((PROGRAMS / "postgres").exists(), "PostgreSQL is not installed")

# This `doctor` check fails, since the tests' server doesn't sync writes. Without syncing, tests run faster.
CARELESS = ["LL1314"] if WANTED else []

_shared = None


def shared():
    """Returns this process's server; the first call starts the server."""
    global _shared
    if _shared is None or _shared.owner != os.getpid():
        _shared = Server()
        atexit.register(_shared.close)
    return _shared


def query(address, statement):
    """Returns the rows of a statement on a database, as tuples of strings."""
    done = subprocess.run(
        [str(PROGRAMS / "psql"), "-X", "-A", "-t", "-q", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-c", statement, address],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return [tuple(line.split("\x1f")) for line in done.stdout.splitlines()]


class Server:
    """One server, which doesn't run as root, and doesn't sync its writes."""

    def __init__(self, settings=(), port=None, of=None):
        """If this server is a standby, `of` is its primary."""
        self.owner = os.getpid()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-pg-", dir="/tmp"))
        self.port = port
        self.settings = ["fsync=off", "max_connections=300", "shared_buffers=64MB", *settings]
        self.process = None
        self.count = 0
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        if of:
            self.run("pg_basebackup", "-D", self.data, "-R", "-c", "fast", "-X", "stream", *of.where())
            (self.data / "postgresql.auto.conf").open("a").write(f"\nport = {port}\n")
        else:
            self.run(
                "initdb", "-D", self.data, "-U", "lamplighter", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start_first()

    def start_first(self, tries=3):
        """Starts the new server, on another port if the given port is taken."""
        # This import isn't at the top of the file, because `harness` itself imports this module.
        from harness import free_port

        try:
            self.start()
        except AssertionError as error:
            if not self.port or tries == 1 or "Address already in use" not in str(error):
                raise
            self.port = free_port()
            self.start_first(tries - 1)

    @property
    def data(self):
        return self.directory / "data"

    def as_user(self, program, *arguments):
        """Returns the command line of one of PostgreSQL's programs, which refuse to run as root."""
        command = [str(PROGRAMS / program), *map(str, arguments)]
        if os.getuid() != 0:
            return command
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]

    def run(self, program, *arguments):
        done = subprocess.run(
            self.as_user(program, *arguments), cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{program}: {done.stderr}{done.stdout}")
        return done.stdout

    def start(self):
        """Starts the server and waits until it accepts connections."""
        listen = ["-c", "listen_addresses="]
        if self.port:
            listen = ["-c", "listen_addresses=127.0.0.1", "-p", str(self.port)]
        options = [word for setting in self.settings for word in ("-c", setting)]
        with open(self.directory / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                self.as_user("postgres", "-D", self.data, "-k", self.directory, *listen, *options),
                cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while subprocess.run(self.as_user("pg_isready", "-q", *self.where()), cwd=self.directory).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((self.directory / "server.log").read_text()[-2000:])
            time.sleep(0.05)
        return self

    def standby(self, port):
        """Creates a standby that follows this server."""
        return Server(self.settings[3:], port, of=self)

    def behind(self, primary):
        """Returns how many bytes of the log of `primary` this server hasn't replayed yet."""
        now = primary.sql("SELECT pg_current_wal_lsn()").strip()
        return int(self.sql(f"SELECT greatest(0, '{now}'::pg_lsn - pg_last_wal_replay_lsn())::bigint"))

    def hold_commits(self):
        """Makes each commit, once it is written, wait for a standby that doesn't exist."""
        self.sql("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        self.sql("SELECT pg_reload_conf()")

    def let_commits_go(self):
        self.sql("ALTER SYSTEM RESET synchronous_standby_names")
        self.sql("SELECT pg_reload_conf()")

    def held_commits(self, name):
        """Returns the process ids of the database sessions whose commit waits for a standby.

        `name` is a `LIKE` pattern for the application names of these sessions.
        """
        return self.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE "
                        f"'{name}'").split()

    def promote(self):
        self.sql("SELECT pg_promote()")

    def copy(self, path):
        """Copies a file to a place where the server's user can read it."""
        copy = self.directory / pathlib.Path(path).name
        copy.write_text(pathlib.Path(path).read_text())
        return copy

    def certify(self):
        """Enables TLS, with a self-signed certificate."""
        self.openssl("req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost",
                     "-out", self.data / "server.crt", "-keyout", self.data / "server.key")
        self.sql("ALTER SYSTEM SET ssl = on")
        self.sql("SELECT pg_reload_conf()")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
        for name in ("server.crt", "server.key"):
            path = self.data / name
            path.chmod(0o600)
            if os.getuid() == 0:
                shutil.chown(path, "postgres", "postgres")

    def dump(self, name):
        """Returns the tables of a database as SQL, in the form of `schemas/postgres.sql`.

        The function omits lines that depend on the server's version. It also omits tables that depend on the current week.
        """
        text = self.run("pg_dump", "--schema-only", "--no-owner", "--no-privileges", "--exclude-table=history_w*",
                        *self.where(), name)
        lines = [line for line in text.splitlines() if line and not line.startswith(("--", "SET ", "SELECT pg_", "\\"))]
        return "\n".join(lines) + "\n"

    def where(self):
        return ["-h", str(self.directory), *(["-p", str(self.port)] if self.port else []), "-U", "lamplighter"]

    def kill(self):
        """Sends SIGKILL to the postmaster; its children notice and end."""
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        self.process.wait()

    def sql(self, statement, database="postgres"):
        """Returns psql's output: a row on each line, with vertical bars between the values."""
        return self.run("psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", *self.where(), "-d", database, "-c", statement)

    def make(self):
        """Creates an empty database and returns its address."""
        self.count += 1
        name = f"test{self.owner}x{self.count}"
        self.sql(f"CREATE DATABASE {name}")
        return self.address(name)

    def address(self, name):
        port = f"&port={self.port}" if self.port else ""
        return f"postgres://lamplighter@/{name}?host={self.directory}{port}"

    def drop(self, address):
        self.sql(f"DROP DATABASE IF EXISTS {self.name(address)} WITH (FORCE)")

    def copy_database(self, source, target):
        """Replaces a database with a copy of another database, which must have no connections."""
        self.drop(target)
        self.sql(f"CREATE DATABASE {self.name(target)} TEMPLATE {self.name(source)}")

    @staticmethod
    def name(address):
        return address.split("@/")[1].split("?")[0]

    def close(self):
        if self.owner != os.getpid():
            return
        try:
            os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
            self.process.wait(10)
        except (FileNotFoundError, ProcessLookupError, subprocess.TimeoutExpired):
            pass
        shutil.rmtree(self.directory, ignore_errors=True)
