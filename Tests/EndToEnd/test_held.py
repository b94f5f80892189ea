"""The memory that strangers can occupy in the broker is limited, and other clients notice nothing.

By default, the test tries three ways to flood the broker. With LAMPLIGHTER_LONG=1, the test tries all ways, each in
the short form and in full.
"""

import secrets
import socket
import time
import unittest

import floods
from floodways import HELD_OFF, SOURCES, WAYS, connect, publish
from harness import LONG, TOPICS, eventually
from world import OwnWorld, World

# These floods fit into two minutes. The short test checks whether other clients get answers. The long test also
# measures how long an answer takes.
SHORT = {"terminals": 60, "seconds": 5, "baseline": 1, "rate": 4, "slack": 9}
# With as few terminals as in `SHORT`, these floods wouldn't reach the memory limit. The gate checks the memory only
# once a second. The highest memory therefore also depends on the flood's pace.
OTHERWISE = {"half": {"terminals": 300, "pace": 18, "seconds": 14}, "wills": {"terminals": 400, "pace": 30, "seconds": 11},
             "filters": {"terminals": 200}}
B1_AND_B2 = ["qos2", "sessions", "history", "status"]
ALWAYS = ["qos2", "sessions", "status"]
ALWAYS_WITHOUT = ["status"]
# Only the long tests run these floods, which are restricted by the broker's own time limit of 90 s for an unfinished
# connection, and by the rate limits.
IN_FULL_ALONE = ["connects", "requests"]


class Stranger:
    """A connection of MQTT 5 with the app's secret and a new id."""

    def __init__(self, world):
        self.id = secrets.token_hex(16)
        self.socket = socket.create_connection(("127.0.0.1", world.port), 10)
        self.socket.sendall(connect(self.id, "app:test-app", world.apps["test-app"]["secret"]))
        self.connack = self.socket.recv(512)
        self.code = self.connack[3] if len(self.connack) > 3 else None

    def is_closed(self, seconds=5):
        self.socket.settimeout(seconds)
        try:
            while self.socket.recv(4096):
                pass
            return True
        except TimeoutError:
            return False
        except OSError:
            return True


class Held(OwnWorld):
    def make_world(self):
        return World(watch=False, settings=["--set", "limits.newcomersPerSecond=20"])

    def stranger(self):
        stranger = Stranger(self.world)
        self.addCleanup(stranger.socket.close)
        return stranger

    def told(self, reason):
        eventually(lambda: reason in self.world.service.cli("refusals").stdout, 10, "the reason")

    def test_qos_2_is_refused_with_a_reason(self):
        stranger = self.stranger()
        self.assertEqual(stranger.code, 0)
        self.assertIn(b"\x24\x01", stranger.connack, "Maximum QoS 1")
        stranger.socket.sendall(publish(f"{TOPICS}/app/test-app/{stranger.id}/request/account/x", b"x" * 60_000, 2))
        self.assertTrue(stranger.is_closed())
        self.told("qosNotSupported")

    def test_new_clients_have_a_rate_even_from_this_machine_and_devices_are_always_admitted(self):
        device = self.device()
        began = time.monotonic()
        codes = [self.stranger().code for _ in range(100)]
        taken = time.monotonic() - began
        self.assertLessEqual(codes.count(0), 20 * (taken + 2))
        self.assertIn(0x87, codes)
        device.close()
        device.come()
        self.told("busy")


class OneGround(unittest.TestCase):
    """Short floods that hit the same broker one after the other."""

    off = None
    ground = None

    @classmethod
    def ready(cls):
        if cls.ground is None:
            cls.ground = floods.Ground(256, cls.off, **{"limits.terminalSessionSeconds": 5})
        return cls.ground

    @classmethod
    def tearDownClass(cls):
        if cls.ground:
            cls.ground.close()

    def flood(self, way, source="local"):
        # With the limits off, a flood may last longer, because it ends as soon as it does harm.
        longer = {"seconds": 40, "rate": 8} if self.off else {}
        seen = floods.run(self.ready(), way, source, **{**SHORT, **OTHERWISE.get(way, {}), **longer})
        return seen["misses"], floods.line(seen)


class Floods(OneGround):
    """During each kind of flood, the memory stays bounded, and other clients get answers."""


class FloodsWithout(OneGround):
    """The floods without the bounds on QoS 2, sessions and held messages: the harm must be visible."""

    off = {**WAYS["qos2"].off, **WAYS["sessions"].off, **HELD_OFF}


class FloodsInFull(unittest.TestCase):
    """Floods from 900 terminals for at most ten minutes, from one or thirty addresses.

    Some floods are repeated without the bound that limits them."""


def bounded(way):
    @unittest.skipUnless(LONG or way in ALWAYS, "a way among many")
    def test(self):
        misses, line = self.flood(way)
        self.assertEqual(misses, [], line)
    return test


def unbounded(way):
    @unittest.skipUnless(LONG or way in ALWAYS_WITHOUT, "a way among many")
    def test(self):
        misses, line = self.flood(way)
        self.assertTrue(any("memory" in miss or "ended" in miss for miss in misses), line)
    return test


def in_full(way, source, off):
    @unittest.skipUnless(LONG, "a long form")
    def test(self):
        ground = floods.Ground(256, off)
        self.addCleanup(ground.close)
        seen = floods.run(ground, way, source)
        self.assertEqual(bool(seen["misses"]), bool(off), floods.line(seen))
    return test


for name, way in WAYS.items():
    if name not in IN_FULL_ALONE:
        setattr(Floods, f"test_{name}", bounded(name))
    if name in B1_AND_B2:
        setattr(FloodsWithout, f"test_{name}", unbounded(name))
    for place in SOURCES:
        setattr(FloodsInFull, f"test_{name}_from_{place}", in_full(name, place, None))
    if way.off:
        setattr(FloodsInFull, f"test_{name}_without_its_bound", in_full(name, "local", way.off))


if __name__ == "__main__":
    unittest.main()
