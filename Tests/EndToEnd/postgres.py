"""A PostgreSQL of our own for the tests: a server on a Unix socket or a port, and a database for each service.

`LAMPLIGHTER_TEST_STORE=postgres` has every service of the tests keep its data there.
"""

import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

WANTED = os.environ.get("LAMPLIGHTER_TEST_STORE") == "postgres"
PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
START_SECONDS = 30

_shared = None


def shared():
    """The server of this process, started when it is first used."""
    global _shared
    if _shared is None or _shared.owner != os.getpid():
        _shared = Server()
        atexit.register(_shared.close)
    return _shared


class Server:
    """One server, as another user than root, without what makes it survive a loss of power."""

    def __init__(self, settings=(), port=None):
        self.owner = os.getpid()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-pg-", dir="/tmp"))
        self.port = port
        self.settings = ["fsync=off", "max_connections=300", "shared_buffers=64MB", *settings]
        self.process = None
        self.count = 0
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        self.run("initdb", "-D", self.data, "-U", "lamplighter", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    @property
    def data(self):
        return self.directory / "data"

    def as_user(self, program, *arguments):
        """The command line of one of its programs, which refuse to run as root."""
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
        """Starts it and waits until it accepts connections."""
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

    def where(self):
        return ["-h", str(self.directory), *(["-p", str(self.port)] if self.port else []), "-U", "lamplighter"]

    def kill(self):
        """SIGKILL of the postmaster; its children notice and end."""
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        self.process.wait()

    def sql(self, statement, database="postgres"):
        """What psql prints of a statement: a row a line, values between bars."""
        return self.run("psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", *self.where(), "-d", database, "-c", statement)

    def make(self):
        """Makes an empty database; gives its address."""
        self.count += 1
        name = f"test{self.owner}x{self.count}"
        self.sql(f"CREATE DATABASE {name}")
        return self.address(name)

    def address(self, name):
        port = f"&port={self.port}" if self.port else ""
        return f"postgres://lamplighter@/{name}?host={self.directory}{port}"

    def drop(self, address):
        name = address.split("@/")[1].split("?")[0]
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def close(self):
        if self.owner != os.getpid():
            return
        try:
            os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
            self.process.wait(10)
        except (FileNotFoundError, ProcessLookupError, subprocess.TimeoutExpired):
            pass
        shutil.rmtree(self.directory, ignore_errors=True)
