"""With an unknown version of Mosquitto, the service ends sessions, and the gate estimates the memory of held
messages."""

import pathlib
import shutil
import sys
import tempfile
import time
import unittest

from client import Terminal
from harness import LONG, TOPICS, Service, eventually
from metrics import Page
from test_behaves import LateAcks
from test_limits_connection import memory
from world import FREE, SETTINGS, OwnWorldOfClass, World

TESTED, OTHER = b"\x002.0.11\x00", b"\x002.0.99\x00"


def other_broker(folder):
    """Returns a broker that reports another version, so that the gate doesn't read the broker's memory."""
    program = pathlib.Path(shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin") or "mosquitto")
    code = program.read_bytes()
    if code.count(TESTED) != 1:
        raise unittest.SkipTest("this broker is of another version already")
    copy = pathlib.Path(folder) / "mosquitto"
    copy.write_bytes(code.replace(TESTED, OTHER))
    copy.chmod(0o755)
    return copy


class Other(OwnWorldOfClass):
    settings = ()

    @classmethod
    def make_world(cls):
        folder = tempfile.TemporaryDirectory(prefix="lamplighter-broker-")
        cls.addClassCleanup(folder.cleanup)
        words = ("--set", f"broker.program={other_broker(folder.name)}", *cls.settings)
        return World(watch=False, service=Service(arguments=[*SETTINGS, *words]))

    def ended(self):
        """Returns the number of sessions that the service ended."""
        return Page(self.world.service).sum("lamplighter_broker_sessions_ended_total")

    def close_and_await_end(self, client):
        before = self.ended()
        client.close()
        eventually(lambda: self.ended() == before + 1, 10, "its end")

    def back(self, phone, password=None, clean=False):
        """Reconnects a phone, by default with its token."""
        again = self.keep(Terminal(
            self.world.port, phone.app_id, password or phone.token, phone.terminal_id, version=phone.paho._protocol, clean=clean,
            expiry=3600))
        self.assertEqual(again.connect(), 0)
        again.token, again.uid = phone.token, phone.uid
        return again

    def memory(self):
        """Returns the broker's resident megabytes."""
        return memory(self.world.service.broker_pid) / (1 << 20)


class SharedSecrets(Other):
    def test_a_session_begun_with_the_apps_secret_is_ended_by_the_service(self):
        for version in (5, 4):
            with self.subTest(version=version):
                secret = self.world.apps["test-app"]["secret"]
                first = self.terminal(login=False, version=version, clean=False, expiry=3600)
                self.close_and_await_end(first)
                again = self.back(first, secret)
                self.assertFalse(again.session_present)
                # The session of a connected client isn't ended.
                self.assertEqual(again.subscribe(f"{again.base}/#"), 1)
                again.login()
                self.assertTrue(again.connected)
                self.close_and_await_end(again)


class Tokens(Other):
    settings = ("--set", "limits.terminalSessionSeconds=3")

    def test_a_token_expires_and_a_device_does_not(self):
        before = self.ended()
        device, first = self.device(FREE, connect=False), self.terminal()
        eventually(lambda: self.ended() == before + 1, 10, "the end of the product's, which registered it")
        device.clean, device.expiry = False, 3600
        device.come()
        device.close()
        self.close_and_await_end(first)
        before = self.ended()
        phone = self.back(first)
        self.assertEqual(phone.subscribe(f"{phone.base}/#"), 1)
        phone.close()
        # A phone that reconnects in time resumes its session, and the time limit then starts again.
        phone = self.back(phone)
        self.assertTrue(phone.session_present)
        phone.close()
        eventually(lambda: self.ended() > before, 15, "its end")
        self.assertFalse(self.back(first).session_present)
        self.assertEqual(device.connect(), 0)
        self.assertTrue(device.session_present)


class Deliveries(Other):
    """Terminals that acknowledge nothing.

    The gate assumes that a terminal accepts a certain number of bytes per second. The test sends each terminal fewer
    bytes per second than that."""

    settings = ("--set", "broker.memoryMegabytes=128", "--set", "broker.newClientsPerMinute=100000")
    count, seconds = 20, 60 if LONG else 20

    def crowd(self, device):
        strangers = []
        for _ in range(self.count):
            first = self.terminal(source="127.0.0.9")
            first.bind(device)
            first.close()
            stranger = self.back(first)
            stranger.reconnect = True  # at once, with its session
            late = LateAcks(stranger, 1e9)
            self.addCleanup(late.close)
            stranger.subscribe(f"{TOPICS}/user/{stranger.uid}/#")
            strangers.append(stranger)
        return strangers

    def test_queues_are_limited_and_well_behaved_clients_stay(self):
        lamp, app = self.pair(FREE)
        device = self.device(FREE)
        strangers = self.crowd(device)
        before, most = self.memory(), 0
        big, end, number = "y" * 2_500, time.monotonic() + self.seconds, 0
        while time.monotonic() < end:
            number += 1
            device.report(data={f"a{at}": f"{number}{big}" for at in range(10)})
            lamp.report(data={"count": number})
            app.get("account/whoami")
            most = max(most, self.memory())
        sent = number * self.count * 25 / 1024
        print(f"\n{sent:.0f} MB sent; the broker went from {before:.0f} to {most:.0f} MB", file=sys.stderr)
        self.assertGreater(sent, 96, "enough was sent")
        # Messages that wait for clients may use a quarter of the broker's memory. Near this limit, the gate cuts off
        # the clients with the most waiting messages. More messages arrive in the meantime, but the broker never runs
        # out of memory.
        self.assertLess(most, 96)
        self.assertTrue(any(s.lost is not None for s in strangers), "they were cut off")
        self.assertTrue(app.connected and app.lost is None)
        app.status(lamp, lambda b: b["data"].get("count") == number)


if __name__ == "__main__":
    unittest.main()
