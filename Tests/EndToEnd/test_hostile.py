"""With the default limits no client can harm others: hostile processes attack, one at a time.

Other clients send requests, commands, reports and logins during the attack. The times until their answers depend on
the machine. Therefore, the test compares these times with those at a quiet service. If the attack makes the times
longer, the test runs another process for comparison. This process uses as much processor time as the attack,
but has no connection. A debug build is allowed to take longer. If an attack has only delayed other clients, the test
repeats the attack. A shared machine is sometimes slow for a few seconds. Losses, restarts and growth count as
failures in any build, at the first occurrence.

By default, only some attacks run. Other tests run at the same time and make all times longer. An answer therefore
counts as late only after ten seconds. With LAMPLIGHTER_LONG=1, all attacks run for longer, and the test compares the
times of answers. As a control, the test also runs attacks without the limits against them. These attacks must do
harm. If the build is a release build, devices that send without end also flood the service.
"""

import json
import pathlib
import subprocess
import sys
import time
import unittest

from client import fresh_mac
from crowd import Crowd
from harness import IS_DEBUG, LONG, TOPICS, Service, alive
from neighbours import Asker, Cut, Eviction, Others, refused_to_strangers
from world import FREE, World

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 10 if LONG else 4  # of each attack
TRIES = 3
PASSWORD = "seven lamps in a row"

# LATER and LOGIN_LATER are the seconds by which an attack may delay an answer and a login. OUT is the number of seconds
# until an intruder's connection must be closed. A login needs the computation of a hash, and can wait for a few other
# logins.
LATER, LOGIN_LATER, OUT = 0.1, 2.0, 1.0
BESIDE = 100  # the factor by which delays may be longer while other tests run
GROWN, WRITTEN = 100, 50  # MB
LOG = 36 << 20  # the length at which the store keeps its log, however little is written

# The settings that switch off the limits against an attack.
TERMINAL = [f"limits.{name}=0" for name in (
    "terminalMessagesPerSecond", "terminalKilobytesPerSecond", "terminalSubscriptions", "subscriptionLevels",
    "correlationBytes", "addressMessagesPerSecond")]
RETURN = ["limits.tooFastPause=0", "limits.tooFastClosings=0"]
DEVICE = ["limits.deviceMessagesPerSecond=0", "limits.deviceKilobytesPerSecond=0"]
COUNTS = [f"limits.{name}=1000000" for name in (
    "codesPerTerminal", "codesPerSource", "anonymousPerTerminal", "anonymousPerSource", "namedPerTerminal", "namedPerSource",
    "sessionsPerTerminal", "hashesPerTerminal", "hashesAtOnce", "hashesAtOncePerSource")]
PRODUCT = ["limits.productMessagesPerSecond=0", "limits.productKilobytesPerSecond=0", "limits.addressMessagesPerSecond=0",
           "broker.newClientsPerMinute=1000000", "limits.registrationsPerSource=1000000",
           "limits.registrationsPerProduct=1000000"]


class Attack:
    """An attack that a hostile process carries out.

    Two kinds of attacks have no control: attacks against which no setting protects, and harmless attacks. An attack is
    harmless if it delays only its own requests, or respects every limit. Some other attacks are also harmless. They
    cost the workers nothing, and the broker answers each request with one packet.
    """

    def __init__(self, deed, control=(), connections=1, addresses=1, rate=0, known=False, short=True):
        self.deed, self.control, self.connections, self.addresses = deed, list(control), connections, addresses
        self.rate, self.known, self.short = rate, known, short


ATTACKS = {
    "A1": Attack("deepFilters", TERMINAL),  # filters of 150 levels
    "A1-flat": Attack("flatFilters", TERMINAL, short=False),  # very many filters
    "A2": Attack("whoami", TERMINAL),  # without a login, QoS 0
    "A2-confirmed": Attack("confirmed", TERMINAL, short=False),  # QoS 1
    "A2-exactly": Attack("exactly", TERMINAL, short=False),  # QoS 2
    "A2-unknown": Attack("unknownMethod", TERMINAL, short=False),
    "A2-loop": Attack("closedLoop", short=False),  # always 2,000 requests in flight
    "A3": Attack("correlation", TERMINAL),  # 60 KB of Correlation Data
    "A4": Attack("codes", TERMINAL + COUNTS),  # to invented numbers
    "A4-users": Attack("anonymous", TERMINAL + COUNTS, short=False),
    "A5": Attack("hashes"),  # always 400 passwords waiting for a hash
    "A6": Attack("binary", DEVICE, short=False),  # reports of 53 KB from one device
    "A7": Attack("registrations", PRODUCT, connections=16),  # devices register with the product's secret
    "crowd": Attack("whoami", TERMINAL, connections=200, known=True),  # terminals of one address
    "spread": Attack("confirmed", connections=1000, addresses=1000, rate=1),
    "X-connects": Attack("connects", connections=16, short=False),
    "X-returns": Attack("returns", TERMINAL + RETURN, connections=4, short=False),  # bursts, each after a reconnect
    "X-wills": Attack("wills", connections=16, short=False),  # of 60 KB
    "X-halves": Attack("halves", connections=400, short=False),  # of packets
    "X-forbidden": Attack("forbidden", short=False),  # topics of others
    "X-pings": Attack("pings", short=False),
    "X-unsubscribes": Attack("unsubscribes", short=False),  # filters without a subscription
    "X-bundles": Attack("bundles", DEVICE, short=False),  # bundles of 500 reports from one device
    "X-reports": Attack("hastyReports", DEVICE, short=False),  # reports from one device, QoS 0
}


def named(prefix):
    return {name: attack for name, attack in ATTACKS.items() if name.startswith(prefix) and (attack.short or LONG)}


def megabytes(pid):
    """Returns the resident megabytes of a process."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def end(process):
    """Waits for a hostile process to end, and returns its tally; later calls return None."""
    if process.stdout.closed:
        return None
    with process.stdout:
        tally = process.stdout.read()
    process.wait()
    return json.loads(tally)


class Ground:
    """A service with default limits, its honest users and devices, and the stolen secrets."""

    def __init__(self, settings=(), known=200, devices=20, people=40):
        words = [word for setting in settings for word in ("--set", setting)]
        self.world, self.others, self.count = World(watch=False, service=Service(arguments=["--no-demo", *words])), None, 0
        try:
            self.fill(known, devices, people)
        except BaseException:
            self.close()
            raise
        self.pids = [self.service.process.pid, self.service.broker_pid]

    def fill(self, known, devices, people):
        """Creates users, terminals and devices.

        Two hundred newcomers can connect in a second. While devices are registering, an app can use only half of these
        connections. Therefore, the devices register last.
        """
        world, key = self.world, FREE["productKey"]
        world.import_app("hostile", {"products": [key], "policies": {"phoneRegistration": True}})
        self.app, self.product = ("hostile", world.apps["hostile"]["secret"]), (key, world.secrets[key])
        crowds = [Crowd(world.port, *self.app, count) for count in (10 + known * 3 // 4, people)]
        self.people = [f"guest-{place}" for place in range(people)]
        crowds[1].ask("account/register", lambda place: {
            "countryCode": "1", "username": self.people[place], "password": PASSWORD}, token=False)
        crowds[0].login()
        if known:
            crowds.append(Crowd(world.port, *self.app, known // 4))
            crowds[2].login()
        owners = crowds[0].members[:10]
        self.terminals = [(m.client_id, m.token, m.uid) for m in owners]
        self.known = [(m.client_id, m.token) for crowd in (crowds[0], *crowds[2:]) for m in crowd.members if m not in owners]
        self.devices = []
        for place in range(devices):
            did, secret = self.register()
            crowds[0].ask("device/bind", {"did": did, "passcode": "123456"}, members=[owners[place % 10]])
            self.devices.append((did, secret, place % 10))
        for crowd in crowds:
            crowd.close()

    def register(self):
        """Registers a new device; returns its did and secret."""
        key, secret, mac = *self.product, fresh_mac()
        asker, base = Asker(self.world.port), f"{TOPICS}/product/{key}/{mac}"
        member = asker.add(f"product:{key}", secret, mac, f"{base}/registered")
        asker.ready()
        result = asker.ask(member, f"{base}/register", mac=mac, passcode="123456", hardware={})["result"]
        asker.close()
        return result["did"], result["secret"]

    def settle(self):
        """Connects the other clients, and measures their times while no attack is running."""
        self.others = Others(self.world.port, self.app, self.terminals, self.devices, self.people, PASSWORD)
        self.others.live(1)  # a warm-up for caches and the like
        self.others.drain(10)
        self.others.forget()
        self.others.live(SECONDS / 2)
        self.others.drain(10)
        self.quiet = self.others.lanes
        return self

    @property
    def service(self):
        return self.world.service

    def hostile(self, deed, seconds, **more):
        """Starts a hostile process, which ends after `seconds`."""
        orders = {
            "deed": deed, "seconds": seconds, "warmSeconds": 0, "port": self.world.port, "root": TOPICS,
            "appId": self.app[0], "appSecret": self.app[1], "productKey": self.product[0], "productSecret": self.product[1],
            "connections": 1, "addresses": 1, "address": "127.0.0.1", "rate": 0, "terminals": [], "devices": [], **more}
        process = subprocess.Popen(
            [sys.executable, HERE / "hostile.py"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(json.dumps(orders))
        process.stdin.close()
        return process

    @property
    def memory(self):
        """The resident memory of service and broker together, in megabytes."""
        return sum(megabytes(pid) for pid in self.pids)

    @property
    def disk(self):
        """The size of the data directory and the log in megabytes.

        A write-ahead log that is smaller than usual counts with its usual size."""
        sizes = [pathlib.Path(self.service.log.name).stat().st_size]
        for path in self.service.data.rglob("*"):
            try:
                sizes.append(max(path.stat().st_size, LOG if path.name.endswith("-wal") else 0))
            except FileNotFoundError:
                pass
        return sum(sizes) / 2**20

    @property
    def restarts(self):
        """The number of restarts of a worker, the broker or the service."""
        stands = all(map(alive, self.pids)) and self.service.broker_pid == self.pids[1]
        return pathlib.Path(self.service.log.name).read_text(errors="replace").count("The worker restarts") + (not stands)

    def close(self):
        if self.others:
            self.others.close()
        self.world.close()


class Trial:
    """One attack, and its effects on others."""

    def __init__(self, ground, name, seconds, slower):
        self.ground, self.name, self.attack, self.seconds, self.slower = ground, name, ATTACKS[name], seconds, slower
        self.failure = self.out = self.tally = None
        self.aftermath, self.grown, self.samples, self.lanes, self.burnt = [], 0, [], {}, None
        self.restarts = -ground.restarts
        self.run()
        self.restarts += ground.restarts

    def run(self):
        ground, attack = self.ground, self.attack
        ground.count += 1
        ground.others.forget()
        devices = [ground.register()] if attack.control == DEVICE else []
        eviction, base = Eviction(ground.world.port, ground.app, PASSWORD), ground.memory
        # Each attack has its own address, so that the limits for one attack don't block the next.
        process = ground.hostile(
            attack.deed, self.seconds, connections=attack.connections, addresses=attack.addresses, rate=attack.rate,
            address=f"127.0.{ground.count}.5", terminals=ground.known if attack.known else [], devices=devices)
        try:
            self.live(eviction, base)
            self.tally = end(process)
            self.aftermath = refused_to_strangers(ground.world.port, ground.app, ground.product)
            self.lanes = ground.others.lanes
            if self.missed(self.times()) and self.late:
                self.burn()
        except Cut as error:
            self.failure, self.lanes = str(error), ground.others.lanes
        finally:
            self.tally = end(process) or self.tally
            eviction.close()

    def live(self, eviction, base):
        """Runs the other clients during the attack, and evicts the intruder halfway through."""
        ground, begin, self.looked = self.ground, time.monotonic(), 0

        def meanwhile():
            now = time.monotonic() - begin
            if eviction.began is None and now > self.seconds / 2:
                eviction.start()
            eviction.turn()
            if now - self.looked > 0.2:
                self.look(now, base)
        ground.others.live(self.seconds, meanwhile)
        ground.others.drain(15, lambda: eviction.turn() or eviction.out is not None)
        self.look(time.monotonic() - begin, base)
        if eviction.answer and eviction.answer["ok"]:
            self.out = eviction.out

    def look(self, now, base):
        self.looked, self.grown = now, max(self.grown, self.ground.memory - base)
        self.samples.append((now, self.ground.disk))

    def burn(self):
        """Measures the other clients while a process without connections is running.

        This process uses as much processor time as the attack used."""
        others = self.ground.others
        others.forget()
        process = self.ground.hostile("burn", self.seconds, share=min(1, self.tally["processorSeconds"] / self.seconds))
        try:
            others.live(self.seconds)
            others.drain(15)
        finally:
            end(process)
        self.burnt = others.lanes

    @property
    def written(self):
        """The most megabytes that were written in any minute of the attack."""
        return max(size - min(earlier for at, earlier in self.samples[:place + 1] if now - at <= 60)
                   for place, (now, size) in enumerate(self.samples))

    def times(self):
        """Returns the measured times that can be too long because the machine is busy.

        Each row contains a name, the measured time, and the limit.
        """
        beside = self.burnt or self.ground.quiet
        found = [(f"{kind}: p99 later, s", lane.p99 - beside[kind].p99,
                  self.slower * (LOGIN_LATER if kind == "login" else LATER)) for kind, lane in self.lanes.items()]
        if self.out is not None:
            found.append(("intruder out, s", self.out, self.slower * OUT))
        return found

    def rest(self):
        """Returns the bounds that must hold even on a slow machine."""
        return [(f"{kind}: lost or refused", lane.lost + len(lane.refusals), 0) for kind, lane in self.lanes.items()] + [
            ("others cut off", int(self.failure is not None), 0), ("intruder left in", int(self.out is None), 0),
            ("memory grown, MB", self.grown, GROWN), ("disk, MB", self.written, WRITTEN), ("restarts", self.restarts, 0),
            ("refused to strangers afterwards", len(self.aftermath), 0)]

    @staticmethod
    def missed(goals):
        return [goal for goal in goals if goal[1] > goal[2]]

    @property
    def harm(self):
        """All missed bounds."""
        return self.missed(self.times() + self.rest())

    @property
    def late(self):
        """Whether only time limits were exceeded, as can happen on a busy machine."""
        return not self.missed(self.rest())

    def __str__(self):
        beside = self.burnt or self.ground.quiet
        words = [f"{kind} {lane.p99:.3f}, else {beside[kind].p99:.3f} s, {len(lane.seconds)} of them"
                 for kind, lane in self.lanes.items()]
        words += [f"intruder out {self.out}", f"{self.grown:.0f} MB grown", f"{self.written:.0f} MB written", str(self.tally)]
        words += [str(lane.refusals[0]) for lane in self.lanes.values() if lane.refusals]
        return "\n    ".join([self.name, *words, *self.aftermath, *filter(None, [self.failure])])


class Hostile(unittest.TestCase):
    ground = None

    @classmethod
    def tearDownClass(cls):
        cls.renew(None)

    @classmethod
    def renew(cls, ground):
        if Hostile.ground:
            Hostile.ground.close()
        Hostile.ground = ground

    def trial(self, name, slower):
        """Runs an attack, and repeats it if only time limits were exceeded."""
        for turn in range(TRIES):
            if not Hostile.ground:
                self.renew(Ground().settle())
            trial = Trial(Hostile.ground, name, SECONDS, (slower if IS_DEBUG else 1) if LONG else BESIDE)
            if not trial.harm:
                break
            # Messages of the attack can still wait in this service, so the next attack gets a new service.
            self.renew(None)
            if not trial.late:
                break
        return trial

    def harmless(self, attacks, slower):
        """Runs attacks, and asserts that they do no harm."""
        self.assertGreater(len(attacks), 0)
        for name in attacks:
            with self.subTest(attack=name):
                trial = self.trial(name, slower)
                self.assertEqual(trial.harm, [], trial)
                self.assertGreater(trial.tally["connects"], 0, "it was an attack")
                for kind, least in (("whoami", 50), ("control", 20), ("report", 80), ("login", 2)):
                    self.assertGreater(len(trial.lanes[kind].seconds), least, kind)

    def test_no_attack_by_one_client_does_harm(self):
        self.harmless(named("A"), 5)

    def test_two_hundred_terminals_at_one_address_do_no_harm(self):
        # The terminals can send 20,000 requests in their first second. A debug build needs several seconds to answer
        # these requests.
        self.harmless(named("crowd"), 30)

    def test_a_thousand_addresses_do_no_harm(self):
        self.harmless(named("spread"), 5)

    @unittest.skipUnless(LONG, "takes minutes")
    def test_no_rarer_attack_does_harm(self):
        self.harmless(named("X"), 5)


class Control(unittest.TestCase):
    def test_without_its_limits_a_flood_does_harm(self):
        # Devices that register without end fill the disk. The effect is visible after half a minute.
        attacks, seconds = (named(""), 30) if LONG else ({"A3": ATTACKS["A3"]}, 4)
        for name, attack in attacks.items():
            if attack.control:
                with self.subTest(attack=name):
                    ground = Ground(attack.control, known=200 if attack.known else 0, devices=10, people=10).settle()
                    self.addCleanup(ground.close)
                    trial = Trial(ground, name, seconds, slower=1)
                    self.assertNotEqual(trial.harm, [], trial)

    def test_each_limit_that_a_control_disables_is_a_setting(self):
        service = Service()
        self.addCleanup(service.close)
        names = sorted({setting for attack in ATTACKS.values() for setting in attack.control})
        self.assertGreater(len(names), 20)
        service.cli("config", *(word for setting in names for word in ("--set", setting)))


@unittest.skipUnless(LONG and not IS_DEBUG, "measures times of a release build, which need the machine for themselves")
class Overload(unittest.TestCase):
    """Some devices send without end, while each of five other devices sends one report a second."""

    # Seconds. The sum is less than ten, because the gate closes a connection that sends too fast for ten seconds.
    WARM, FLOOD = 2, 4
    # The number of devices with which the test measures the machine's highest rate of answers. Each of these devices
    # keeps as many reports unanswered as the service allows.
    BEST = 100
    RATE = 50  # reports a second that one device can send in the long run
    # SHARE is the share of the best rate that must be reached during a flood. SLOW is the limit for the other clients'
    # p99, in seconds. After the flood, the p99 may be SLACK seconds longer than before.
    SHARE, SLOW, SLACK = 0.8, 1.0, 0.1

    def ground(self, *settings):
        ground = Ground(["limits.newcomersPerSecond=0", *settings], known=0, devices=5, people=1)
        self.addCleanup(ground.close)
        ground.others = Others(ground.world.port, ground.app, ground.terminals, ground.devices, [], PASSWORD, {"report": 5})
        ground.others.live(2)
        return ground

    def measure(self, ground, seconds):
        """Runs the other clients for `seconds`, and returns their reports' outcomes."""
        ground.others.forget()
        ground.others.live(seconds)
        ground.others.drain(15)
        return ground.others.lanes["report"]

    def flood(self, ground, deed, count):
        """Floods the service, and returns the number of answers a second and the other clients' outcomes.

        The outcomes are from before, during and after the flood."""
        devices = [ground.register() for _ in range(count)]
        before = self.measure(ground, 3)
        process = ground.hostile(deed, self.WARM + self.FLOOD, warmSeconds=self.WARM, connections=count, devices=devices)
        during = self.measure(ground, self.WARM + self.FLOOD)
        tally = end(process)
        self.measure(ground, 5)
        return (tally["answered"] - tally["early"]) / self.FLOOD, before, during, self.measure(ground, 3)

    def best(self):
        """Returns the highest number of answers a second that this machine can reach."""
        return self.flood(self.ground(*DEVICE), "patientReports", self.BEST)[0]

    def late(self, best):
        """Floods the service in each way, and returns a line for each excessive time.

        Fails if a report is lost or a part restarts."""
        ground, found = self.ground(), []
        for count in (3, 300):
            for deed in ("reports", "hastyReports"):
                rate, before, during, after = self.flood(ground, deed, count)
                self.assertEqual([lane.lost for lane in (before, during, after)], [0, 0, 0], "reports lost")
                self.assertEqual(ground.restarts, 0)
                self.assertGreater(len(during.seconds), 20)
                for what, value, limit in (
                        ("others' p99, s", during.p99, self.SLOW),
                        ("p99 later than before, s", after.p99 - before.p99, self.SLACK),
                        ("best a second", min(best, self.RATE * count) * self.SHARE, rate)):
                    if value > limit:
                        found.append(f"{count} devices, {deed}: {what} {value:.3f} above {limit:.3f}")
        return found

    def test_devices_that_send_endlessly_do_not_affect_others(self):
        for _ in range(TRIES):
            best = self.best()
            self.assertGreater(best, 100)
            late = self.late(best)
            if not late:
                break
        self.assertEqual(late, [])


if __name__ == "__main__":
    unittest.main()
