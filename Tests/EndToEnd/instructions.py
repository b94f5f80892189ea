#!/usr/bin/env python3
"""Counts the instructions that a message costs the worker that handles it, in full batches.

    instructions.py PROGRAM [PROGRAM ...]

A wall clock on a shared machine can't tell five percent. Instructions of requests hardly change from run to run; those of
reports do on a busy machine, where batches are smaller: run it on a quiet one, more than once. Each program is a release
build with its gate beside it, and runs in Valgrind's callgrind. For each kind, thousands of messages wait in the broker
before it goes on, and what its loop's turns cost is divided by them. The clock that it sees goes slower, about as much as
Valgrind slows the program, so that windows and bounds of time mean what they mean outside.

Wants valgrind, cc and objcopy. Prints a line a kind: thousands of instructions a message, of each program.
"""

import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import client as clients
import harness
from client import Client
from world import SETTINGS, World

MESSAGES = 3000  # in all, of each kind
DEVICES = 50
SLOWER = 40  # times
SECONDS = 900  # a bound for what never ends
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    static long long begin[16];
    if (real == 0) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (result != 0 || clock < 0 || clock >= 16) return result;
    long long at = now->tv_sec * 1000000000LL + now->tv_nsec;
    if (begin[clock] == 0) begin[clock] = at;
    at = begin[clock] + (at - begin[clock]) / SLOWER;
    now->tv_sec = at / 1000000000LL;
    now->tv_nsec = at % 1000000000LL;
    return 0;
}
"""


class Counted(harness.Service):
    """A service that runs in callgrind, which counts while it is told to."""

    def __init__(self, program, folder, clock):
        super().__init__(arguments=SETTINGS)
        self.folder = folder
        harness.BINARY = folder / "lamplighter"  # for this service and its commands
        for name in ("lamplighter", "libLamplighterGate.so"):
            # Valgrind reads debug information, and does not know Swift's.
            subprocess.run(["objcopy", "--strip-debug", program.parent / name, folder / name], check=True)
        self.environment = {**self.environment, "LD_PRELOAD": str(clock)}

    def command(self):
        return ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet",
                f"--callgrind-out-file={self.folder}/counts", *super().command()]

    def control(self, *words):
        subprocess.run(["callgrind_control", *words, str(self.process.pid)], check=True, capture_output=True)

    def count(self, messages, send, answered):
        """Has messages wait for the service, lets it handle them; gives the instructions of its loops' turns."""
        self.control("-i", "on")
        self.control("-z")
        os.kill(self.process.pid, signal.SIGSTOP)
        send()
        os.kill(self.process.pid, signal.SIGCONT)
        harness.eventually(answered, SECONDS, "the last answer")
        self.control("-d")
        self.control("-i", "off")
        newest = max(self.folder.glob("counts*"), key=lambda path: path.stat().st_mtime_ns)
        return turns(newest) / messages / 1000


def turns(path):
    """The instructions within `WorkerLoop.turn()`, of all workers."""
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(path)],
                          capture_output=True, text=True, check=True).stdout
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+)\s.*?(\$s7Workers10WorkerLoopV\S*4turn\S*)", line)
        if match:
            found[match[2].split("'")[0]] = max(found[match[2].split("'")[0]], int(match[1].replace(",", "")))
    assert found, f"no turns in {path}"
    return sum(found.values())


def measure(program, clock):
    """Counts all kinds; gives thousands of instructions a message by kind."""
    with tempfile.TemporaryDirectory(prefix="lamplighter-instructions-") as folder:
        service = Counted(program, pathlib.Path(folder), clock)
        world = World(watch=False, service=service)
        try:
            return {kind: count(world) for kind, count in KINDS.items()}
        finally:
            world.close()


def requests(method, params):
    """Returns what counts requests of a terminal; `params` makes each one's by its number."""
    def count(world):
        terminal = world.terminal()
        try:
            def send():
                for number in range(MESSAGES):
                    terminal.send(method, params(number), id=f"n{number}")

            def answered():
                with terminal.changed:
                    found = [m for m in terminal.inbox if m.topic.endswith("/response")]
                    assert all(m.body["ok"] for m in found[:1]), found[0].body
                    return len(found) >= MESSAGES

            terminal.clear()
            return world.service.count(MESSAGES, send, answered)
        finally:
            terminal.close()
    return count


def reports(world):
    """Counts reports with ids of devices in turn."""
    devices = [world.device() for _ in range(DEVICES)]
    try:
        def send():
            for number in range(MESSAGES):
                device = devices[number % DEVICES]
                device.send(id=f"n{number}", data={"count": number, "temperature": number % 100, "power": number % 2 == 0})

        def answered():
            return all(len(device.unread("/response")) >= MESSAGES // DEVICES for device in devices)

        return world.service.count(MESSAGES, send, answered)
    finally:
        for device in devices:
            device.close()


def commands(world):
    """Counts commands to devices in turn, from an app's request to the outcome: all requests, then all answers."""
    devices, terminal = [world.device() for _ in range(DEVICES)], world.terminal()
    try:
        for device in devices:
            terminal.bind(device)
        terminal.clear()

        def ask():
            for number in range(MESSAGES):
                terminal.send("device/control", {"did": devices[number % DEVICES].did, "data": {"count": number}}, id=f"n{number}")

        def obey():
            for device in devices:
                for message in device.unread("/command"):
                    device.send(id=f"a{message.body['cid']}", cid=message.body["cid"], code=0, data=message.body["data"])

        def arrived():
            return all(len(device.unread("/command")) >= MESSAGES // DEVICES for device in devices)

        # By what devices hear: of all that an app hears at once, the broker may drop some.
        def answered():
            return all(len(device.unread("/response")) >= MESSAGES // DEVICES for device in devices)

        return world.service.count(MESSAGES, ask, arrived) + world.service.count(MESSAGES, obey, answered)
    finally:
        for client in (*devices, terminal):
            client.close()


KINDS = {
    "reports": reports,
    "device/control": commands,
    "account/whoami": requests("account/whoami", lambda number: {}),
    "account/updateProfile": requests("account/updateProfile", lambda number: {"nickname": f"n{number}"}),
}


def main(programs):
    clients.check = clients.check_answer = lambda *_: None  # what an older program says is not ours to judge
    clients.SECONDS = SECONDS
    harness.START_SECONDS = harness.STOP_SECONDS = SECONDS
    for method in (Client.expect, Client.wait):
        method.__defaults__ = tuple(SECONDS if value == 10 else value for value in method.__defaults__)
    with tempfile.TemporaryDirectory(prefix="lamplighter-clock-") as folder:
        source, clock = pathlib.Path(folder) / "clock.c", pathlib.Path(folder) / "clock.so"
        source.write_text(CLOCK)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-DSLOWER={SLOWER}", "-o", clock, source, "-ldl"], check=True)
        counts = [measure(pathlib.Path(program).resolve(), clock) for program in programs]
    for kind in KINDS:
        values = [count[kind] for count in counts]
        more = "".join(f"  {100 * (value / values[0] - 1):+.1f} %" for value in values[1:])
        print(f"{kind:24}" + "".join(f"{value:10.1f}" for value in values) + more)


if __name__ == "__main__":
    main(sys.argv[1:])
