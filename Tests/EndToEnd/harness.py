"""A service under test, with functions to start, stop and kill it and to run its command line."""

import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time

import postgres

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("LAMPLIGHTER_BIN", ROOT / ".build/debug/lamplighter"))
IS_DEBUG = BINARY.parent.name == "debug"
LONG = os.environ.get("LAMPLIGHTER_LONG") == "1"
# The variables that configure the tests are removed. The program would warn about them, since they aren't its settings.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")} | {"CHECK_LOCKS": "1"}
TOPICS = "ll/v1"
MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
# The time limit for anything that must happen within a second. Without LAMPLIGHTER_LONG, the limit is longer, because
# tests that run at the same time can occupy the processor cores.
SECOND = 1.0 if LONG else 3.0

# For each of these port settings, the name of the port in ready.json.
OTHER_PORTS = {
    "mqtt.tlsPort": "mqttTlsPort", "mqtt.clientCertificatePort": "clientCertificatePort",
    "mqtt.webSocketPort": "webSocketPort", "mqtt.webSocketTlsPort": "webSocketTlsPort", "http.tlsPort": "httpTlsPort",
    "console.port": "consolePort",
}

START_SECONDS = 60
STOP_SECONDS = 30
# This limit only serves to end commands that would never end. It is long because commands are slow on a busy machine.
CLI_SECONDS = 120


def patience(seconds):
    """Returns the seconds to wait.

    A limit of ten seconds or more only serves to end tests that would otherwise never end. Such limits are made longer,
    since other tests can occupy the processor cores.
    """
    return seconds if seconds < 10 else max(seconds, 40)


def eventually(probe, seconds=10, what="the condition"):
    """Calls the probe until it returns a true value, and returns this value."""
    seconds = patience(seconds)
    deadline = time.monotonic() + seconds
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what() if callable(what) else what} did not come true within {seconds} s")
        time.sleep(0.02)


def slow(seconds):
    """Returns the 95th percentile: on a shared machine, a pause can make a single value large."""
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1]


# Outgoing connections get ports from 32,768 on (ip_local_port_range). Listeners use lower ports. So no outgoing
# connection takes the port of a restarting service.
FIRST_PORT, BLOCK_PORTS, BLOCKS = 12_000, 200, 100
# The ports of each process, by the process's id. run.py forks, and each of its processes has its own ports.
port_blocks = {}


def port_block():
    """Returns this process's ports, which an open socket reserves until the process ends."""
    if os.getpid() not in port_blocks:
        for block in range(BLOCKS):
            name = socket.socket(socket.AF_UNIX)
            try:
                name.bind(f"\0lamplighter-test-ports-{block}")
            except OSError:
                name.close()
                continue
            first = FIRST_PORT + block * BLOCK_PORTS
            port_blocks[os.getpid()] = name.detach(), itertools.cycle(range(first, first + BLOCK_PORTS))
            break
    return port_blocks[os.getpid()][1]


def free_port():
    """Returns a free port, which no outgoing connection and no other test process takes."""
    for port in itertools.islice(port_block(), BLOCK_PORTS):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("", port))
                return port
            except OSError:
                pass
    raise AssertionError(f"none of {BLOCK_PORTS} ports is free")


def alive(pid):
    """Returns whether the process is running (a zombie isn't)."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def device_row(text):
    """Parses the output of `device show`, and returns the device's row with the points' values in its member `data`."""
    shown = json.loads(text)
    return {**shown["row"], "data": {point["name"]: point["value"] for point in shown["points"] if "value" in point}}



class Service:
    """One `lamplighter up` with its own data directory.

    `store` is the address of the service's database. The default is a file, or a new database if all tests use
    PostgreSQL.
    """

    def __init__(self, directory=None, arguments=(), store=None):
        self.holder = None
        if directory is None:
            self.holder = tempfile.mkdtemp(prefix="lamplighter-test-")
            directory = pathlib.Path(self.holder) / "data"
        self.data = pathlib.Path(directory)
        self.arguments = list(arguments)
        self.database = None  # created for this service
        if store is None and postgres.WANTED:
            store = self.database = postgres.shared().make()
        self.store = store
        self.environment = ENVIRONMENT | ({"LAMPLIGHTER_STORE": store} if store else {})  # of the process
        self.process = None
        self.ready = None
        self.mqtt_port = 0
        self.http_port = 0
        self.health_port = 0
        # The ports that have a setting but no option on the command line; the key is the setting.
        self.other_ports = {}
        self.log = open(f"{self.holder or self.data.parent}/up.log", "ab")

    def command(self):
        return [
            str(BINARY), "up", "--data", str(self.data), "--mqtt-port", str(self.mqtt_port),
            "--http-port", str(self.http_port), "--health-port", str(self.health_port), "--log-level", "info",
            *(word for name, port in self.other_ports.items() for word in ("--set", f"{name}={port}")), *self.arguments,
        ]

    def start(self):
        """Starts the service with the ports of any earlier run, and waits for ready.json."""
        if not self.mqtt_port:
            self.mqtt_port, self.http_port, self.health_port = (free_port() for _ in range(3))
            self.other_ports = {setting: free_port() for setting in OTHER_PORTS}
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment)
        self.ready = eventually(self._ready, START_SECONDS, "ready.json")
        self.mqtt_port = self.ready["mqttPort"]
        self.http_port = self.ready["httpPort"]
        self.health_port = self.ready["healthPort"]
        self.other_ports = {setting: self.ready[name] for setting, name in OTHER_PORTS.items() if name in self.ready}
        return self

    def _ready(self):
        if self.process.poll() is not None:
            raise AssertionError(
                f"up ended with {self.process.returncode}: {self.tail()}")
        try:
            ready = json.loads((self.data / "ready.json").read_text())
        except (FileNotFoundError, ValueError):
            return None
        return ready if ready["pid"] == self.process.pid else None

    def tail(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text(errors="replace")[-2000:]

    @property
    def broker_pid(self):
        return int((self.data / "broker" / "mosquitto.pid").read_text())

    def kill(self):
        """Sends SIGKILL to the service alone."""
        self.process.kill()
        self.process.wait()

    def kill_broker(self):
        os.kill(self.broker_pid, signal.SIGKILL)

    def stop(self, number=signal.SIGTERM):
        """Asks the service to end, and returns the exit code and the number of seconds until the end."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"up did not end within {STOP_SECONDS} s")
        return code, time.monotonic() - began

    def close(self):
        """Ends the service and its broker, in whatever state they are, and removes the files."""
        try:
            if self.process and self.process.poll() is None:
                self.stop()
        finally:
            try:
                pid = self.broker_pid
                if alive(pid) and b"mosquitto" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
            except (FileNotFoundError, ValueError, ProcessLookupError):
                pass
            self.log.close()
            if self.database:
                postgres.shared().drop(self.database)
            if self.holder and not os.environ.get("LAMPLIGHTER_KEEP"):
                shutil.rmtree(self.holder, ignore_errors=True)

    def cli(self, *arguments, check=True):
        """Runs a command of `lamplighter` on the same data directory."""
        done = subprocess.run(
            [str(BINARY), *arguments, "--data", str(self.data)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CLI_SECONDS, env=self.environment)
        if check and done.returncode != 0:
            raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done

    def running(self, *arguments, **more):
        """Starts a command of `lamplighter` on the same data directory, and returns its `Popen`."""
        return subprocess.Popen(
            [str(BINARY), *arguments, "--data", str(self.data)],
            stdin=subprocess.DEVNULL, text=True, env=self.environment, **more)

    def doctor(self):
        """Returns the codes of `doctor`'s failures, except those that the tests' database causes.

        Warnings are ignored, since they depend on the machine.
        """
        done = self.cli("doctor", check=False)
        failed = re.findall(r"(?m)^fail  (LL\d+)", done.stdout)
        if done.returncode not in ((1,) if failed else (0, 3)) or "pass " not in done.stdout:
            raise AssertionError(f"doctor ended with {done.returncode}: {done.stderr}{done.stdout}")
        return [code for code in failed if code not in postgres.CARELESS]

    def json(self, *arguments):
        """Returns the output of a command with --json."""
        return json.loads(self.cli(*arguments, "--json").stdout)

    def import_document(self, kind, document):
        """Imports a product or app, and returns the command's output."""
        path = pathlib.Path(self.holder or self.data) / f"{kind}.json"
        path.write_text(json.dumps(document))
        return self.json(kind, "import", str(path))

    def sql(self, statement, before_commit=lambda: None):
        """Runs and commits a statement on the service's database, and returns the rows as tuples of strings.

        A test can stop the service in `before_commit`. At that moment the test holds SQLite's write lock. So the stopped
        service can't hold the lock.
        """
        if self.store:
            before_commit()
            return postgres.query(self.store, statement)
        # A deferred transaction fails at once if the service commits between read and write.
        base = sqlite3.connect(self.data / "lamplighter.db", timeout=30, isolation_level="IMMEDIATE")
        try:
            with base:
                rows = [tuple("" if v is None else str(v) for v in row) for row in base.execute(statement)]
                before_commit()
                return rows
        finally:
            base.close()

    def dead_letters(self):
        return self.json("deadletter", "list")["items"]

    def device(self, did, *arguments):
        """Returns the device's row from `device show`, with the points' values in its member `data`."""
        return device_row(self.cli("device", "show", did, "--json", *arguments).stdout)
