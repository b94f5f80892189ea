"""What strangers leave behind in the broker: bounded for one and for all, while others notice nothing."""

import os
import secrets
import socket
import struct
import time
import unittest

from harness import TOPICS, eventually
from world import FREE, OwnWorld, World

LONG = os.environ.get("LAMPLIGHTER_TORTURE") == "1"
CROWD = 300 if LONG else 60
OPEN = ["--set", "broker.newClientsPerMinute=100000", "--set", "broker.memoryMegabytes=256"]
PAYLOAD = b"x" * 60_000


def text(value):
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">H", len(raw)) + raw


def packet(kind, body):
    size, head = len(body), bytearray([kind])
    while True:
        size, digit = size >> 7, size & 0x7F
        head.append(digit | (0x80 if size else 0))
        if not size:
            return bytes(head) + body


class Stranger:
    """A connection of MQTT 5 that asks for a session without end and acknowledges nothing."""

    def __init__(self, port, username, password, client_id, will=b"", window=1, source="127.0.0.1"):
        self.socket = socket.create_connection(("127.0.0.1", port), 10, (source, 0))
        flags = 0xC0 | (0x0C if will else 0)
        asked = b"\x11\xff\xff\xff\xff\x21" + struct.pack(">H", window)
        body = text("MQTT") + bytes([5, flags]) + struct.pack(">H", 600) + bytes([len(asked)]) + asked
        body += text(client_id)
        if will:
            body += b"\x05\x18\xff\xff\xff\xff" + text(f"{TOPICS}/app/test-app/{client_id}/request/account/x") + text(will)
        self.socket.sendall(packet(0x10, body + text(username) + text(password)))
        answer = self.socket.recv(512)
        self.code = answer[3] if len(answer) > 3 else None
        self.connack = answer

    def publish(self, topic, payload, qos, mid):
        try:
            self.socket.sendall(packet(0x30 | qos << 1, text(topic) + struct.pack(">H", mid) + b"\0" + payload))
            return True
        except OSError:
            return False

    def subscribe(self, filter):
        self.socket.sendall(packet(0x82, b"\0\1\0" + text(filter) + b"\x01"))

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

    def close(self):
        self.socket.close()


class Held(OwnWorld):
    settings = ()

    @classmethod
    def make_world(cls):
        return World(watch=False, settings=[*OPEN, *cls.settings])

    def memory(self):
        """Megabytes that the broker has in memory."""
        pages = int(open(f"/proc/{self.world.service.broker_pid}/statm").read().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / (1 << 20)

    def stranger(self, **more):
        client_id = secrets.token_hex(16)
        return Stranger(self.world.port, "app:test-app", self.world.apps["test-app"]["secret"], client_id, **more), client_id

    def reasons(self):
        return self.world.service.cli("refusals").stdout


class QoS2(Held):
    def test_it_is_refused_with_a_reason_and_nothing_stays(self):
        _device, app = self.pair(FREE)
        before = self.memory()
        for _ in range(CROWD):
            stranger, client_id = self.stranger()
            self.assertEqual(stranger.code, 0)
            self.assertIn(b"\x24\x01", stranger.connack, "Maximum QoS 1")
            for mid in range(1, 17):
                if not stranger.publish(f"{TOPICS}/app/test-app/{client_id}/request/account/x", PAYLOAD, 2, mid):
                    break
            self.assertTrue(stranger.is_closed())
            stranger.close()
        app.get("account/whoami")
        self.assertLess(self.memory(), before + 32)
        eventually(lambda: "qosNotSupported" in self.reasons(), 10, "the reason")


class Sessions(Held):
    def test_one_that_the_apps_secret_began_leaves_neither_session_nor_will(self):
        _device, app = self.pair(FREE)
        before = self.memory()
        for _ in range(CROWD):
            stranger, client_id = self.stranger(will=PAYLOAD)
            self.assertEqual(stranger.code, 0)
            for number in range(64):
                stranger.subscribe(f"{TOPICS}/app/test-app/{client_id}/response/{number}/b/c/d")
            stranger.close()
        app.get("account/whoami")
        eventually(lambda: self.memory() < before + 24, 20, "memory is given back")


class Deliveries(Held):
    """A bound user who takes nothing, of a device that reports large states."""

    def crowd(self, count):
        device = self.device(FREE)
        strangers = []
        for _ in range(count):
            terminal = self.terminal(source="127.0.0.9")
            terminal.get("device/bind", {"did": device.did, "passcode": device.passcode})
            token, uid, client_id = terminal.token, terminal.uid, terminal.terminal_id
            terminal.close()
            stranger = Stranger(self.world.port, "app:test-app", token, client_id)
            self.assertEqual(stranger.code, 0)
            stranger.subscribe(f"{TOPICS}/user/{uid}/#")
            strangers.append(stranger)
        return device, strangers

    def flood(self, device, seconds):
        big, end, number = "y" * 2_000, time.monotonic() + seconds, 0
        while time.monotonic() < end:
            number += 1
            device.report(data={f"a{at}": f"{number}{big}" for at in range(10)})

    def test_what_waits_is_bounded_and_others_are_answered(self):
        _other, app = self.pair(FREE)
        device, strangers = self.crowd(10)
        before = self.memory()
        self.flood(device, 60 if LONG else 15)
        app.get("account/whoami")
        # A quarter of the broker's memory, and the packets of the network beside it.
        self.assertLess(self.memory() - before, 64 + 24)
        for stranger in strangers:
            stranger.close()
        app.get("account/whoami")
        return before


class DeliveriesWithout(Deliveries):
    settings = ("--set", "limits.terminalHeldKilobytes=0", "--set", "limits.terminalHeldMessages=0",
                "--set", "broker.heldPercent=0")

    @unittest.skipUnless(LONG, "a control of the long form")
    def test_what_waits_is_bounded_and_others_are_answered(self):
        with self.assertRaises(AssertionError):
            super().test_what_waits_is_bounded_and_others_are_answered()


class Newcomers(Held):
    settings = ("--set", "limits.newcomersPerSecond=20")

    def test_they_have_a_rate_from_this_machine_too_and_devices_always_get_in(self):
        device = self.device(FREE)
        began = time.monotonic()
        codes = [self.stranger()[0].code for _ in range(100)]
        taken = time.monotonic() - began
        self.assertLessEqual(codes.count(0), 20 * (taken + 2))
        self.assertIn(0x87, codes)
        device.close()
        device.come()
        eventually(lambda: "busy" in self.reasons(), 10, "the reason")


if __name__ == "__main__":
    unittest.main()
