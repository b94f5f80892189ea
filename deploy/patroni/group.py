#!/usr/bin/env python3
"""Starts three PostgreSQL servers under Patroni, and three etcd servers, for trials and drills.

`deploy/patroni/group.py DIRECTORY` starts the group, and prints the address for --store. Ctrl-C stops the group. All
servers listen only on this machine's loopback address. The script needs Debian's `patroni`, `etcd-server` and
`postgresql-15`. A group on three machines needs the settings that `settings()` returns for synchronous commits. With
these settings, a commit is confirmed only after a standby has it.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
NAMES = ("one", "two", "three")
START_SECONDS = 90


def installed():
    """Returns whether all required programs are installed."""
    return all(shutil.which(name) for name in ("patroni", "etcd")) and (PROGRAMS / "postgres").exists()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Node:
    """One of the three nodes: its ports and processes."""

    def __init__(self, group, name):
        self.group = group
        self.name = name
        self.directory = group.directory / name
        self.postgres_port, self.rest_port, self.client_port, self.peer_port = (free_port() for _ in range(4))
        self.etcd = None
        self.patroni = None

    def start_etcd(self):
        members = ",".join(f"{node.name}=http://127.0.0.1:{node.peer_port}" for node in self.group.nodes)
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.client_port, self.peer_port))
        self.etcd = self.group.run(self.directory / "etcd.log", [
            shutil.which("etcd"), "--name", self.name, "--data-dir", str(self.directory / "etcd"),
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", members, "--initial-cluster-state", "new", "--unsafe-no-fsync"])

    def start_patroni(self):
        path = self.directory / "patroni.json"  # JSON is YAML
        path.write_text(json.dumps(self.settings(), indent=1))
        self.patroni = self.group.run(self.directory / "patroni.log", [shutil.which("patroni"), str(path)])

    def settings(self):
        local = f"127.0.0.1:{self.postgres_port}"
        return {
            "scope": "lamplighter",
            "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.rest_port}", "connect_address": f"127.0.0.1:{self.rest_port}"},
            "etcd3": {"hosts": [f"127.0.0.1:{node.client_port}" for node in self.group.nodes]},
            "bootstrap": {
                "dcs": {
                    # A leader that is silent for 20 s is replaced.
                    "ttl": 20, "loop_wait": 5, "retry_timeout": 5,
                    # A commit is confirmed only after a standby has stored it. Without a standby, no commit is
                    # confirmed.
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True,
                        "parameters": {
                            "max_connections": 150, "wal_level": "replica", "wal_log_hints": "on",
                            # This size is enough for an hour of load. A server that was down for less time can catch
                            # up.
                            "wal_keep_size": "2GB", "max_wal_senders": 10,
                        },
                    },
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}],
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"],
            },
            "postgresql": {
                "listen": local, "connect_address": local,
                "data_dir": str(self.directory / "data"), "bin_dir": str(PROGRAMS),
                "pgpass": str(self.directory / "pgpass"),
                "authentication": {"superuser": {"username": "lamplighter"}, "replication": {"username": "replicator"}},
                "parameters": {"unix_socket_directories": str(self.directory), "shared_buffers": "64MB"},
            },
        }

    def kill(self):
        """Kills the server (SIGKILL) together with Patroni, because Patroni would restart the server."""
        self.patroni.kill()
        self.patroni.wait()
        try:
            os.kill(int((self.directory / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass

    def close(self):
        if self.patroni and self.patroni.poll() is None:
            self.patroni.terminate()
            try:
                self.patroni.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        if self.etcd and self.etcd.poll() is None:
            self.etcd.kill()
            self.etcd.wait()


class Group:
    """The whole group."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.nodes = [Node(self, name) for name in NAMES]
        for node in self.nodes:
            node.directory.mkdir(parents=True, exist_ok=True)
        if os.getuid() == 0:
            for path in (self.directory, *(node.directory for node in self.nodes)):
                shutil.chown(path, "postgres", "postgres")

    def run(self, log, command):
        """Starts a process under a user other than root, because PostgreSQL refuses to run as root."""
        if os.getuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL", *command]
        with open(log, "ab") as out:
            return subprocess.Popen(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def start(self):
        """Starts everything and waits until there is a leader that has a synchronous standby."""
        for node in self.nodes:
            node.start_etcd()
        # All nodes start at once. The node that first gets Patroni's lock makes the database. The others copy it.
        for node in self.nodes:
            node.start_patroni()
        self.wait(lambda: self.leader() and self.synchronous(), START_SECONDS, "a leader with a synchronous standby")
        return self

    def wait(self, probe, seconds, what):
        deadline = time.monotonic() + seconds
        while True:
            value = probe()
            if value:
                return value
            if time.monotonic() > deadline:
                logs = "".join((node.directory / "patroni.log").read_text()[-600:] for node in self.nodes)
                raise AssertionError(f"no {what} within {seconds} s: {logs}")
            time.sleep(0.2)

    def members(self):
        """Returns every member's role, state and lag by name, as one node reports them."""
        for node in self.nodes:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{node.rest_port}/cluster", timeout=2) as answer:
                    return {member["name"]: member for member in json.load(answer)["members"]}
            except (OSError, ValueError):
                continue
        return {}

    def _with(self, role):
        name = next((name for name, member in self.members().items()
                     if member["role"] == role and member["state"] in ("running", "streaming")), None)
        return next((node for node in self.nodes if node.name == name), None)

    def leader(self):
        return self._with("leader")

    def synchronous(self):
        return self._with("sync_standby")

    def address(self, database):
        hosts = ",".join(f"127.0.0.1:{node.postgres_port}" for node in self.nodes)
        return f"postgres://lamplighter@{hosts}/{database}"

    def sql(self, statement, database="postgres"):
        """Runs a statement at the leader, and returns psql's output lines, with vertical bars between the values."""
        done = subprocess.run(
            [PROGRAMS / "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
             "-p", str(self.leader().postgres_port), "-U", "lamplighter", "-d", database, "-c", statement],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def close(self):
        for node in self.nodes:
            node.close()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not installed():
        sys.exit("this needs Debian's patroni, etcd-server and postgresql-15")
    group = Group(pathlib.Path(sys.argv[1]).resolve())
    try:
        group.start()
        group.sql("CREATE DATABASE lamplighter")
        print(f"--store {group.address('lamplighter')}", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        group.close()


if __name__ == "__main__":
    main()
