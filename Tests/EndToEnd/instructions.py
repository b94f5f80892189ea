#!/usr/bin/env python3
"""Counts the instructions that a worker spends on a message, in full batches.

    instructions.py PROGRAM [PROGRAM ...]

On a shared machine, a wall clock can't measure a difference of five percent. Each program is a release build with
its gate beside it, and runs in Valgrind's callgrind. The program is paused until the broker holds thousands of
messages of one kind. Then the cost of the program's turns is divided by the number of messages. The program's clocks
and timed waits are slowed about as much as its code. So time limits keep their meaning. A batch takes all waiting
messages, regardless of how long the batch lasts. The size of a batch determines the cost of a message. So this size
must not depend on the machine's load.

The script needs valgrind, cc and objcopy. It prints one line for each kind of message. The line shows how many
thousand instructions each program needs for a message.
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

MESSAGES = 3000  # the total number for each kind of message
DEVICES = 50
SLOWER = 40  # times
# The milliseconds that a batch can take. This is the largest value that the setting allows. A batch that takes longer
# makes the next batch smaller, and this must not happen.
TURN = 10_000
SECONDS = 900  # only ends waits that would never end
# This library slows the process's clocks down, so it must slow waits down too. Otherwise, a timer would fire before
# anything is due by the slow clocks. The thread would set the timer again at once, and so it would spin. Valgrind runs
# one thread at a time. A spinning thread takes processor time from the workers, and their batches shrink. `epoll_wait`
# is unchanged, as the service gives it no timeout. `sleep` is unchanged too, as it only limits how long the service
# takes to end.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// Looks up the original function that this file's function of the same name replaces.
#define REAL(name) \
    static __typeof__(name) *real; \
    if (real == 0) *(void **)&real = dlsym(RTLD_NEXT, #name)

static const long long second = 1000000000;
static long long begin[16];  // of each clock, when it was read first
static clockid_t clocks[4096];  // of timers, by descriptor

static long long nanoseconds(struct timespec time) { return time.tv_sec * second + time.tv_nsec; }
static struct timespec parts(long long time) { return (struct timespec){time / second, time % second}; }

// Converts a duration by the slow clocks into real time. If the result is too large for the type, returns the type's
// largest or smallest value.
static long long longer(long long time) {
    long long result;
    if (__builtin_mul_overflow(time, SLOWER, &result)) return time < 0 ? LLONG_MIN : LLONG_MAX;
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int result = real(clock, now);
    if (result != 0 || clock < 0 || clock >= 16) return result;
    long long at = nanoseconds(*now);
    if (begin[clock] == 0) begin[clock] = at;
    *now = parts(begin[clock] + (at - begin[clock]) / SLOWER);
    return 0;
}

// Converts a moment by a slow clock into real time. A moment that is past by the slow clock is also past in real time.
static struct timespec moment(clockid_t clock, struct timespec time) {
    struct timespec now;
    clock_gettime(clock, &now);  // so that there is a begin
    long long at, since = longer(nanoseconds(time) - begin[clock]);
    if (__builtin_add_overflow(begin[clock], since, &at)) at = LLONG_MAX;
    return parts(at > 0 ? at : 1);
}

// Timers of event loops and of sleeping tasks.
int timerfd_create(clockid_t clock, int flags) {
    REAL(timerfd_create);
    int timer = real(clock, flags);
    if (timer >= (int)(sizeof clocks / sizeof *clocks)) abort();
    if (timer >= 0) clocks[timer] = clock;
    return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *time, struct itimerspec *old) {
    REAL(timerfd_settime);
    long long value = nanoseconds(time->it_value);
    struct itimerspec slow = {parts(longer(nanoseconds(time->it_interval))), parts(longer(value))};
    // Zero stops a timer, whatever the flags.
    if (value != 0 && flags & TFD_TIMER_ABSTIME) slow.it_value = moment(clocks[timer], time->it_value);
    return real(timer, flags, &slow, old);
}

// An idle thread of the pool waits here until `time`, and then ends. Without this function, `time` would already be
// past in real time. The thread would end at once, and every task would start a new thread.
int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
    REAL(sem_timedwait);
    struct timespec slow = moment(CLOCK_REALTIME, *time);
    return real(semaphore, &slow);
}

// Workers wait for messages in `poll`. Other threads wait in it for a database or a web server.
int poll(struct pollfd *entries, nfds_t count, int milliseconds) {
    REAL(poll);
    long long slow = longer(milliseconds);
    return real(entries, count, slow < 0 ? -1 : slow > INT_MAX ? INT_MAX : slow);
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
    REAL(nanosleep);
    struct timespec slow = parts(longer(nanoseconds(*time)));
    int result = real(&slow, rest);
    if (result != 0 && rest != 0) *rest = parts(nanoseconds(*rest) / SLOWER);
    return result;
}

int usleep(useconds_t microseconds) {
    struct timespec time = parts(microseconds * 1000LL);
    return nanosleep(&time, 0);
}

// This function has nothing to do with clocks. It copies the mask because Valgrind (3.19) writes into the mask.
// Valgrind would crash if the mask were a constant, as it is in libdispatch.
int sigsuspend(const sigset_t *mask) {
    REAL(sigsuspend);
    sigset_t copy = *mask;
    return real(&copy);
}
"""


class Counted(harness.Service):
    """A service that runs in callgrind, which counts only on request."""

    def __init__(self, program, folder, clock):
        super().__init__(arguments=[*SETTINGS, "--set", f"limits.turn={TURN}"])
        self.folder = folder
        harness.BINARY = folder / "lamplighter"  # for this service and its commands
        for name in ("lamplighter", "libLamplighterGate.so"):
            # Valgrind can't read the debug information of Swift.
            subprocess.run(["objcopy", "--strip-debug", program.parent / name, folder / name], check=True)
        self.environment = {**self.environment, "LD_PRELOAD": str(clock)}

    def command(self):
        return ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet",
                f"--callgrind-out-file={self.folder}/counts", *super().command()]

    def control(self, *words):
        subprocess.run(["callgrind_control", *words, str(self.process.pid)], check=True, capture_output=True)

    def count(self, messages, send, answered):
        """Queues messages, then lets the service handle them.

        Returns how many instructions per message the workers execute in `WorkerLoop.turn()`, in thousands.
        """
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
    """Returns the number of instructions that all workers have executed within `WorkerLoop.turn()`."""
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
    """Returns how many thousand CPU instructions one message of each kind takes."""
    with tempfile.TemporaryDirectory(prefix="lamplighter-instructions-") as folder:
        service = Counted(program, pathlib.Path(folder), clock)
        world = World(watch=False, service=service)
        try:
            return {kind: count(world) for kind, count in KINDS.items()}
        finally:
            world.close()


def requests(method, params):
    """Returns a function that counts the processor instructions for a terminal's requests.

    `params` is a function. It gets the number of a request, and returns the request's params.
    """
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
    """Counts the instructions for reports with ids, from all devices in turn."""
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
    """Counts the instructions of commands, first of the requests and then of the answers."""
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

        # The messages to the devices show whether all answers have arrived. The messages to the app don't show this,
        # because the app gets many messages at once, and the broker can drop some of these.
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
    # An older program can have a different contract, so the tests must not check its messages.
    clients.check = clients.check_answer = lambda *_, **more: None
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
