"""Several `lamplighter serve` processes that share one PostgreSQL server and one Mosquitto broker.

Each process has its own connections to PostgreSQL and to Mosquitto.
"""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import postgres
from harness import BINARY, ENVIRONMENT, MOSQUITTO, Service, eventually, free_port
from way import Way
from world import SETTINGS, OwnWorldOfClass, World

GATE = BINARY.parent / "libLamplighterGate.so"


class Node(Service):
    """One process of the cluster, whose secrets come from the first process."""

    def __init__(self, cluster, number):
        super().__init__(cluster.folder / f"node{number}")
        self.cluster, self.name = cluster, f"node{number}"
        self.log.close()
        self.log = open(cluster.folder / f"{self.name}.log", "ab")
        self.broker_way, self.database_way = Way(cluster.broker_port), Way(cluster.server.port, cluster.replacements)
        self.store = cluster.address(self.database_way.port)
        self.environment = ENVIRONMENT | {"LAMPLIGHTER_STORE": self.store}

    def command(self):
        return [
            str(BINARY), "serve", "--data", str(self.data), "--http-port", str(free_port()), "--health-port", str(free_port()),
            "--set", f"console.port={free_port()}", "--log-level", "info", "--set", f"mqtt.port={self.broker_way.port}",
            "--set", f"mqtt.webSocketPort={free_port()}", "--set", f"processName={self.name}", "--set", "postgres.oneWriter=false", *self.cluster.shared_files(self), *SETTINGS,
            *self.cluster.settings]

    def spawn(self):
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment)

    def start(self):
        self.spawn()
        self.ready = eventually(self._ready, 60, lambda: f"{self.name}'s ready.json {self.tail()}")
        self.mqtt_port = self.cluster.broker_port
        return self

    def status(self):
        return json.loads(self.cli("cluster", "status", "--json").stdout)

    def freeze(self):
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def close(self):
        if self.process and self.process.poll() is None:
            self.thaw()
        super().close()
        self.broker_way.close()
        self.database_way.close()


class Cluster:
    """A cluster that a `World` uses like one service, through the first process."""

    def __init__(self, count=3, replacements=None, settings=()):
        """Prepares `count` processes, each with a proxy between the process and the database.

        `replacements` is a dictionary. In the traffic that a process sends to the database, the proxy replaces each of
        the dictionary's keys with its value.
        """
        self.replacements, self.settings = replacements, settings
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-cluster-"))
        self.server = postgres.Server(port=free_port())
        self.server.sql("CREATE DATABASE shared")
        self.broker_port, self.broker = free_port(), None
        self.nodes = []
        self.nodes = [Node(self, number) for number in range(count)]

    def address(self, port):
        return f"postgres://lamplighter@127.0.0.1:{port}/shared"

    @property
    def gate_file(self):
        return self.nodes[0].data / "gate/credentials"

    def shared_files(self, node):
        first = self.nodes[0].data
        if node.data == first:
            return []
        return ["--set", f"gateFile={self.gate_file}", "--set", f"serverKeyFile={first}/server.key",
                "--set", f"serviceSecretFile={first}/service.secret"]

    def broker_options(self):
        return []

    def secrets_are_there(self):
        return (self.nodes[0].data / "service.secret").exists() and self.gate_file.exists()

    def start_broker(self):
        secret = (self.nodes[0].data / "service.secret").read_text().strip()
        config = self.folder / "mosquitto.conf"
        config.write_text("\n".join([
            f"listener {self.broker_port} 127.0.0.1", "allow_anonymous false", "persistence false", "user root",
            # The service's own broker has the same values for these two settings.
            "max_queued_messages 100000", "max_inflight_messages 20000", f"plugin {GATE}", f"plugin_opt_credentials {self.gate_file}",
            "plugin_opt_root ll/v1", "plugin_opt_shards true", *self.broker_options(),
            f"plugin_opt_worker_hash {hashlib.sha256(secret.encode()).hexdigest()}",
            "plugin_opt_new_clients_per_minute 0",
            *(f"plugin_opt_{who}_{kind} 0" for who in ("terminal", "device", "product")
              for kind in ("messages_per_second", "bytes_per_second"))]) + "\n")
        log = open(self.folder / "broker.log", "ab")
        self.broker = subprocess.Popen(
            [MOSQUITTO, "-c", str(config)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    # A `World` calls the functions below, as it calls those of a `Service`.

    def start(self):
        first = self.nodes[0]
        first.spawn()
        eventually(self.secrets_are_there, 60, "the secrets")
        self.start_broker()
        eventually(first._ready, 60, lambda: f"{first.name}'s ready.json {first.tail()}")
        first.ready, first.mqtt_port = first._ready(), self.broker_port
        for node in self.nodes[1:]:
            node.start()
        self.settle()
        return self

    @property
    def mqtt_port(self):
        return self.broker_port

    @property
    def ready(self):
        return self.nodes[0].ready

    def import_document(self, *arguments):
        return self.nodes[0].import_document(*arguments)

    def cli(self, *arguments, **more):
        return self.nodes[0].cli(*arguments, **more)

    def shares(self):
        """Returns each process's number of lanes, or None while a lane has no holder."""
        lanes = self.nodes[0].status()["lanes"]
        if any(lane["node"] is None for lane in lanes):
            return None
        names = [lane["node"] for lane in lanes]
        return {name: names.count(name) for name in names}

    def settle(self, count=None):
        """Waits until all lanes are shared evenly among `count` processes, or among all processes by default."""
        wanted = count or len(self.nodes)

        def even():
            shares = self.shares()
            return shares and len(shares) == wanted and max(shares.values()) - min(shares.values()) <= 7 and shares

        return eventually(even, 60, f"even shares of {wanted}")

    def close(self):
        try:
            for node in self.nodes:
                node.close()
        finally:
            if self.broker:
                self.broker.terminate()
                self.broker.wait(10)
            self.server.close()
            if os.environ.get("LAMPLIGHTER_KEEP") != "1":
                shutil.rmtree(self.folder, ignore_errors=True)


@postgres.installed
class OwnClusterOfClass(OwnWorldOfClass):
    """A class of tests that share a cluster of `processes` processes."""

    processes, replacements, settings = 1, None, ()

    @classmethod
    def make_world(cls):
        cls.cluster = Cluster(cls.processes, cls.replacements, cls.settings)
        return World(watch=False, service=cls.cluster)
