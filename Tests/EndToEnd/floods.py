#!/usr/bin/env python3
"""Floods a broker with hostile terminals, and measures its memory and its answers to other clients.

    floods.py --way qos2 --from thirty --seconds 600 [--off]    one run
    floods.py --all --json FILE                                 all ways, then each without bounds

A run first measures the other clients without the flood. Then it floods the broker until nothing changes, and waits
for the memory's release. The memory that the broker uses for the same number of idle connections is the base. The
broker may use this base plus a quarter of its memory limit. The run fails if the broker uses more, restarts, or
keeps the memory. It also fails if other clients wait longer or get no answer. --off switches off the limits
that protect the broker from this flood. Then the run must fail.
"""

import argparse
import base64
import contextlib
import itertools
import json
import multiprocessing
import os
import secrets
import sys
import time

import client as clients
from crowd import Crowd
from floodways import APP, GROUPS, SOURCES, WAYS, flood
from harness import TOPICS, Service, eventually
from metrics import Page
from world import FREE, World

# The hourly limit on anonymous accounts is raised, because the attackers' accounts are all created within a minute.
# Sessions without a connection end sooner than by default, because the broker must release its memory within a minute
# after a flood. All other limits have their defaults.
SETTINGS = {"delivery.email": "gateway", "delivery.sms": "gateway", "limits.anonymousPerHour": 1_000_000,
            "limits.terminalSessionSeconds": 20}
# The gate returns freed memory to the system if more than 8 MB have been free for 15 s.
BACK_SECONDS, BACK_MEGABYTES = 60, 24
SERVICE_MEGABYTES = 512  # a quarter of limits.memoryMegabytes


class Noting:
    """Records the kind and the sending time of each request, and the seconds until the answer.

    The seconds are None if the request was refused or not answered.
    """

    asked = None

    def _on_message(self, client, data, raw):
        if self.asked is None:
            return super()._on_message(client, data, raw)
        body = json.loads(raw.payload or b"{}")
        if raw.topic.endswith("/command") and raw.topic.startswith(f"{TOPICS}/device/"):
            self.publish(f"{self.base}/report", {"cid": body["cid"], "code": 0}, wait=False)
        elif raw.topic.endswith("/response") and body.get("id") in self.asked:
            what, at = self.asked.pop(body["id"])
            self.done.append((what, at, time.monotonic() - at if body["ok"] else None))

    def begin(self):
        self.asked, self.done = {}, []

    def note(self, what, topic, body):
        body["id"] = f"{what}-{secrets.token_hex(8)}"
        self.asked[body["id"]] = (what, time.monotonic())
        self.publish(topic, body, wait=False)

    def results(self):
        return self.done + [(what, at, None) for what, at in list(self.asked.values())]


class Caller(Noting, clients.Terminal):
    pass


class Lamp(Noting, clients.Device):
    pass


def others(spec, stop, pipe):
    """Runs an app and its device, and measures how long each answer takes."""
    device = Lamp(spec["port"], *spec["device"]).come()
    app = Caller(spec["port"], APP, spec["secret"]).come()
    app.login()
    app.get("device/bind", {"did": device.did, "passcode": "123456"})
    app.begin(), device.begin()
    pipe.send("ready")
    count = itertools.count()
    turns = {
        "whoami": (0.125, lambda: app.note("whoami", f"{app.base}/request/account/whoami", {
            "token": app.token, "params": {}})),
        "control": (0.4, lambda: app.note("control", f"{app.base}/request/device/control", {
            "token": app.token, "params": {"did": device.did, "data": {"n": next(count)}, "wait": True}})),
        "report": (0.167, lambda: device.note("report", f"{device.base}/report", {"data": {"m": next(count)}})),
    }
    due = dict.fromkeys(turns, time.monotonic())
    while not stop.wait(max(0, min(due.values()) - time.monotonic())):
        for what, (pause, act) in turns.items():
            if due[what] <= time.monotonic():
                due[what] += pause
                act()
    end = time.monotonic() + 10
    while (app.asked or device.asked) and time.monotonic() < end:
        time.sleep(0.1)
    pipe.send(app.results() + device.results())


def late(seconds):
    """Returns the 99th percentile, but never the largest value, since a single pause can make one value large."""
    return sorted(seconds)[-1 - max(1, len(seconds) // 100)] if len(seconds) > 1 else 0


class Ground:
    """A world to flood, with the attackers' accounts and its broker's memory without floods."""

    def __init__(self, megabytes, off=None, **settings):
        wanted = {**SETTINGS, "broker.memoryMegabytes": megabytes, **settings, **(off or {})}
        words = [word for name, value in wanted.items() for word in ("--set", f"{name}={value}")]
        self.world = World(watch=False, service=Service(arguments=words))
        self.megabytes, self.is_off, self.per_link = megabytes, bool(off), None
        self.secret, self.context = self.world.apps[APP]["secret"], multiprocessing.get_context("spawn")
        self.users, self.devices, self.big = [], [], None

    def close(self):
        self.world.close()

    def device(self):
        """Returns a new device, or None if the service refuses new devices now."""
        with contextlib.suppress(AssertionError):
            return self.world.device(FREE, connect=False)

    def memory(self, pid=None):
        """Returns a process's resident megabytes (the broker's by default), or 0 if the process isn't running."""
        try:
            with open(f"/proc/{pid or self.world.service.broker_pid}/statm") as pages:
                return int(pages.read().split()[1]) * os.sysconf("SC_PAGESIZE") / (1 << 20)
        except (OSError, ValueError):
            return 0

    def reasons(self):
        return {labels["reason"] for name, labels, value in Page(self.world.service).samples
                if name == "lamplighter_refusals_total" and value}

    def people(self, count):
        """Creates terminals and devices for 30 users, and a history of 2 MB."""
        if self.users:
            return
        for start in range(0, count, 100):
            # The gate admits 200 new clients a second. While several apps or products have new clients, each gets at
            # most 100 of these 200.
            time.sleep(1)
            crowd = Crowd(self.world.port, APP, self.secret, min(100, count - start))
            parts = [part for part in (crowd.members[:GROUPS], crowd.members[GROUPS:]) if part]
            log = [crowd.ask("account/loginAnonymous", lambda n: {
                "countryCode": "49", "deviceId": f"flood-of-strangers-{n % GROUPS:03d}"}, token=False, members=part)
                for part in parts]
            for member, result in zip(crowd.members, itertools.chain(*log)):
                member.token = result["token"]
                self.users.append((member.client_id, result["token"], result["user"]["uid"]))
            if not start:
                self.bind(crowd)
            crowd.close()

    def bind(self, crowd):
        devices = [self.world.device(FREE, connect=False) for _ in range(GROUPS)]
        self.devices = [(device.did, device.secret) for device in devices]
        members = crowd.members[:GROUPS]
        for params in (lambda n: {"did": devices[n].did, "passcode": "123456"},
                       lambda n: {"did": devices[0].did, "passcode": "123456"}):
            crowd.ask("device/bind", params, members=members)
        devices[0].come()
        for n in range(40):
            devices[0].report(binary=base64.b64encode(secrets.token_bytes(39_000)).decode())
        devices[0].close()

    def spec(self, way, source, terminals, rate=0, pace=400):
        device = self.devices[0] if self.devices else (None, None)
        return {"way": way, "port": self.world.port, "secret": self.secret, "sources": SOURCES[source], "off": self.is_off,
                "terminals": terminals, "users": self.users, "devices": self.devices, "rate": rate, "pace": pace,
                "did": device[0], "deviceSecret": device[1]}

    def child(self, target, spec, *more):
        stop = self.context.Event()
        process = self.context.Process(target=target, args=(spec, stop, *more))
        process.start()
        return process, stop

    def idle(self, count):
        """Measures the broker's memory without a flood, and the additional memory for each idle connection.

        Only the first call measures.
        """
        if self.per_link is not None:
            return
        self.base = self.memory()
        shown = self.context.Array("d", 4)
        process, stop = self.child(flood, self.spec("idle", "local", count), shown)
        eventually(lambda: shown[0] == count, 60, "idle connections")
        time.sleep(1)
        self.per_link = max(0, self.memory() - self.base) / count
        stop.set()
        process.join()


def run(ground, name, source, terminals=900, seconds=600, baseline=10, rate=20, pace=400, slack=0.1):
    """Runs one flood, and returns its measurements, with the exceeded bounds in `misses`.

    `rate` is how many requests a terminal sends each second. `pace` is how many terminals begin each second. `slack` is
    how many seconds longer other clients may wait.
    """
    if WAYS[name].needs:
        ground.people(terminals)
    ground.idle(terminals)
    device = eventually(ground.device, 30, "the end of the last flood")
    ours, theirs = ground.context.Pipe()
    caller, silence = ground.child(others, {
        "port": ground.world.port, "secret": ground.secret, "device": (device.did, device.secret)}, theirs)
    assert ours.poll(60) and ours.recv() == "ready", "the others are not ready"
    time.sleep(baseline)
    before, pid, began = ground.memory(), ground.world.service.broker_pid, time.monotonic()
    shown = ground.context.Array("d", 4)
    process, stop = ground.child(flood, ground.spec(name, source, terminals, rate, pace), shown)
    seen = watch(ground, shown, pid, began + seconds)
    stop.set()
    process.join()
    ended = time.monotonic()
    seen |= {"entered": shown[1], "refused": shown[2], "sent": shown[3] / (1 << 20), "before": before}
    enough = before + BACK_MEGABYTES + WAYS[name].left
    with contextlib.suppress(AssertionError):
        if not ground.is_off:
            eventually(lambda: 0 < ground.memory() <= enough, BACK_SECONDS, "memory")
    seen |= {"way": name, "from": source, "off": ground.is_off, "seconds": ended - began, "after": ground.memory(),
             "backSeconds": time.monotonic() - ended, "reasons": sorted(ground.reasons())}
    silence.set()
    answers = ours.recv() if ours.poll(60) else []
    caller.join()
    seen["misses"] += judge_others(seen, answers, began, slack)
    if not ground.is_off and seen["after"] > enough:
        seen["misses"].append(f"{seen['after'] - before:.0f} MB more after {seen['backSeconds']:.0f} s")
    return seen


def watch(ground, shown, pid, end):
    """Watches the memory of the broker and the service until `end`, and returns the measurements.

    The function returns earlier if nothing has changed for 30 s or the broker has ended. With --off, it also returns
    when a bound is exceeded.
    """
    samples, most, peak, misses = [], 0, 0, []
    while (now := time.monotonic()) < end and not (misses and ground.is_off):
        time.sleep(0.5)
        memory, most = ground.memory(), max(most, shown[0])
        peak, limit = max(peak, memory), ground.megabytes / 4 + ground.base + ground.per_link * most
        if memory > limit and not any("MB of" in miss for miss in misses):
            misses.append(f"more than {limit:.0f} MB of memory")
        own = ground.memory(ground.world.service.process.pid)
        if (own > SERVICE_MEGABYTES or not own) and not any("the service" in miss for miss in misses):
            misses.append(f"the service has {own:.0f} MB")
        if not memory or ground.world.service.broker_pid != pid:
            misses.append("the broker ended")
            break
        samples.append((now, memory, shown[0]))
        last = [sample for sample in samples if sample[0] > now - 30]
        if len(last) < len(samples) and all(
                max(values) - min(values) <= max(1, max(values) / 100) for values in list(zip(*last))[1:]):
            break
    return {"in": most, "base": ground.base, "idle": ground.per_link * most, "limit": limit, "peak": peak, "misses": misses}


def judge_others(seen, answers, began, slack):
    """Stores the other clients' answer times in `seen`, and returns lines about lost requests and slow answers."""
    misses = [] if answers else ["the others said nothing"]
    for what in sorted({what for what, _, _ in answers}):
        took = [[s for kind, at, s in answers if kind == what and (at >= began) == after] for after in (False, True)]
        lost = took[1].count(None)
        calm, rough = (late([s for s in part if s is not None]) for part in took)
        seen[what] = [round(calm * 1000), round(rough * 1000), len(took[1]), lost]
        if lost:
            misses.append(f"{lost} of {len(took[1])} {what} lost")
        if rough > calm + slack:
            misses.append(f"{what} {rough * 1000:.0f} ms instead of {calm * 1000:.0f}")
    return misses


HEADER = ("way       from    bounds  s    in   entered  refused  sent MB  limit  peak  after  whoami   control  report   "
          "misses")


def line(seen):
    pairs = ["/".join(map(str, seen.get(what, ["-", "-"])[:2])) for what in ("whoami", "control", "report")]
    return (f"{seen['way']:9} {seen['from']:7} {'off' if seen['off'] else 'on':7}{seen['seconds']:4.0f} {seen['in']:4.0f} "
            f"{seen['entered']:8.0f} {seen['refused']:8.0f} {seen['sent']:8.0f} {seen['limit']:6.0f} {seen['peak']:5.0f} "
            f"{seen['after']:6.0f}  " + "".join(f"{pair:9}" for pair in pairs) + ("; ".join(seen["misses"]) or "none"))


def attempt(options, ground, name, source):
    """Runs a flood, prints its measurements, and returns whether it ended as expected."""
    try:
        seen = run(ground, name, source, options.terminals, options.seconds, options.baseline, options.rate, options.pace)
    except Exception as error:
        print(f"{name:9} {source:7} could not be run: {error!r}\n{ground.world.service.tail()}", flush=True)
        return False
    print(line(seen), flush=True)
    if options.json:
        with open(options.json, "a") as file:
            print(json.dumps(seen), file=file)
    return bool(seen["misses"]) == seen["off"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=WAYS, action="append")
    parser.add_argument("--from", choices=SOURCES, action="append", dest="sources")
    parser.add_argument("--off", action="store_true", help="without the bound")
    parser.add_argument("--all", action="store_true", help="each way from each source, and each without its bound")
    parser.add_argument("--terminals", type=int, default=900)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--baseline", type=float, default=10, help="seconds without a flood before each")
    parser.add_argument("--rate", type=int, default=20, help="requests a second of one terminal, where answers flood")
    parser.add_argument("--pace", type=float, default=400, help="terminals a second that begin")
    parser.add_argument("--memory-megabytes", type=int, default=256)
    parser.add_argument("--json", help="file for a line of JSON for each run")
    options = parser.parse_args()
    ways, sources = options.way or list(WAYS), options.sources or list(SOURCES)
    print(HEADER, flush=True)
    went = []
    for bounded in [True, False] if options.all else [not options.off]:
        for name in ways:
            if not bounded and not WAYS[name].off:
                continue
            with contextlib.closing(Ground(options.memory_megabytes, None if bounded else WAYS[name].off)) as ground:
                went += [attempt(options, ground, name, source) for source in (sources if bounded else ["local"])]
    return 0 if all(went) else 1


if __name__ == "__main__":
    sys.exit(main())
