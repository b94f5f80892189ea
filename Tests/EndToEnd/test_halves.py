"""Tests with incomplete TLS records, WebSocket frames and MQTT packets, and with a broker that has no memory
left."""

import os
import pathlib
import secrets
import socket
import struct
import time
import unittest

from certificates import trusting
from client import Device
from harness import LONG, eventually
from metrics import Page
from test_behaves import LateAcks
from test_limits_connection import memory
from test_tls import ELSEWHERE, HOST, secure_world
from test_websocket import Raw, connect_packet, remaining
from world import FREE, OwnWorldOfClass, World

OPEN = ("broker.newClientsPerMinute=100000", "limits.newcomersPerSecond=0")
MEGABYTE = 1 << 20


def words(*settings):
    return [word for setting in settings for word in ("--set", setting)]


class Halves(OwnWorldOfClass):
    settings = ("broker.memoryMegabytes=128",)  # clients' data may take a quarter of this

    @classmethod
    def make_world(cls):
        return secure_world(settings=words(*OPEN, *cls.settings))

    @property
    def service(self):
        return self.world.service

    def broker_memory(self):
        return memory(self.service.broker_pid) / MEGABYTE

    def half_packet(self):
        """Connects a terminal, and sends only the beginning of a packet of maximum size."""
        mine = socket.create_connection(("127.0.0.1", self.world.port), 10)
        self.addCleanup(mine.close)
        mine.sendall(connect_packet("app:test-app", self.world.apps["test-app"]["secret"], secrets.token_hex(16)))
        answer = mine.recv(4)
        if answer[3:4] == b"\0":
            mine.sendall(b"\x32" + remaining(120_000) + b"\0")
        return mine, answer[3] if len(answer) > 3 else None

    def assert_served(self, device, app, number):
        self.assertTrue(device.report(data={"count": number})["ok"])
        app.status(device, lambda b: b["data"].get("count") == number)
        self.assertTrue(app.connected and device.connected)
        self.assertIsNone(app.lost)


class Silent(Halves):
    settings = ("limits.connectSeconds=1",)

    def test_connections_without_a_complete_connect_are_closed_and_clients_stay(self):
        device, app = self.pair(FREE)
        silent = [socket.create_connection(place, 10) for place in (
            ("127.0.0.1", self.world.port), ("127.0.0.1", self.world.port), (HOST, self.service.ready["mqttTlsPort"]))]
        for mine in silent:
            self.addCleanup(mine.close)
        silent[1].sendall(b"\x10" + remaining(300_000) + b"\0\4MQTT")
        for mine in silent:
            mine.settimeout(10)
            self.assertEqual(mine.recv(1), b"")
        self.assert_served(device, app, 1)


class Records(Halves):
    settings = ("broker.memoryMegabytes=64",)
    count = 1_500 if LONG else 400

    def test_incomplete_handshakes_and_records_affect_nobody_else(self):
        device, app = self.pair(FREE)
        late = LateAcks(app)
        self.addCleanup(late.close)
        for number in range(20):
            device.report(data={"count": number})
        before, context = self.broker_memory(), trusting(self.service.data / "tls" / "authority.pem")
        for number in range(self.count):
            plain = socket.create_connection((HOST, self.service.ready["mqttTlsPort"]), 10)
            secure = context.wrap_socket(plain, server_hostname=HOST)
            self.addCleanup(secure.close)
            with socket.socket(fileno=os.dup(secure.fileno())) as raw:
                raw.sendall(b"\x17\x03\x03\x40\x00" + b"x" * 4_000)
            if number % 40 == 0:
                self.assert_served(device, app, 100 + number)
        each = (self.broker_memory() - before) * 1024 / self.count
        self.assertLess(each, 96, "KB for each")
        plain = self.world.device(connect=False)
        lamp = self.keep(Device(
            self.service.ready["mqttTlsPort"], plain.did, plain.secret, plain.mac, plain.product, plain.passcode, host=HOST,
            source=ELSEWHERE, tls=context)).come()
        self.assertTrue(lamp.report(data={"power": True})["ok"])
        for number in range(5):
            self.assert_served(device, app, 10_000 + number)


class Frames(Halves):
    count = 250

    def test_an_incomplete_frame_loses_its_place_after_ten_seconds(self):
        device, app = self.pair(FREE)
        port, pid = self.service.ready["webSocketPort"], self.service.process.pid
        before, began, halves = memory(pid), time.monotonic(), []
        for _ in range(self.count):
            raw = Raw(port, source="127.0.0.4")
            self.addCleanup(raw.close)
            self.assertEqual(raw.status, 101)
            raw.socket.sendall(struct.pack(">BBH", 0x82, 0x80 | 126, 60_000) + b"mask" + b"x" * 20_000)
            halves.append(raw)
        self.assertLess((memory(pid) - before) / MEGABYTE, 48)
        self.assert_served(device, app, 1)
        for raw in halves:
            self.assertTrue(raw.is_over(max(0.1, 15 - (time.monotonic() - began))))
        self.assertEqual(Raw(port, source="127.0.0.4").status, 101)
        self.assert_served(device, app, 2)


class Packets(Halves):
    count = 480

    def is_closed(self, mine):
        mine.setblocking(False)
        try:
            return mine.recv(1) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def test_incomplete_packets_count_as_held_and_new_clients_are_admitted_again(self):
        device, app = self.pair(FREE)
        before, most, codes, halves = self.broker_memory(), 0, [], []
        for number in range(self.count):
            mine, code = self.half_packet()
            codes.append(code)
            halves.append(mine)
            most = max(most, self.broker_memory())
            if number % 40 == 0:
                self.assert_served(device, app, number)
        self.assertGreater(codes.count(0), 100)
        # The gate limits the memory that the broker has reserved for packets. The resident memory grows by less,
        # because a part of the reserved memory holds no data yet.
        self.assertLess(most - before, 32)
        eventually(lambda: sum(map(self.is_closed, halves)) > 40, 15, "the end of those who hold most")
        eventually(lambda: self.half_packet()[1] == 0, 15, "room for a newcomer")
        self.assert_served(device, app, 10_000)


class Short(Halves):
    """The broker runs out of memory, because the limit on clients' data is off."""

    settings = ("broker.memoryMegabytes=64", "broker.heldPercent=0")

    def refused_with_will(self):
        def text(raw):
            return struct.pack(">H", len(raw)) + raw

        body = b"\0\4MQTT\4\xc6\0\x1e" + text(secrets.token_hex(16).encode()) + text(b"ll/v1/x") + text(b"w" * 60_000)
        body += text(b"app:test-app") + text(b"wrong")
        with socket.create_connection(("127.0.0.1", self.world.port), 10) as mine:
            try:
                mine.sendall(b"\x10" + remaining(len(body)) + body)
                self.assertNotEqual(mine.recv(4)[3:4], b"\0")
            except ConnectionError:
                pass  # the broker had no memory even for this connection

    def log(self):
        return "".join(path.read_text(errors="replace") for path in pathlib.Path(self.service.data / "broker").glob("*log*"))

    def test_the_gate_survives_and_everything_works_afterwards(self):
        device, app = self.pair(FREE)
        pid, halves = self.service.broker_pid, []
        deadline = time.monotonic() + 60
        while "memory is short" not in self.log():
            self.assertLess(time.monotonic(), deadline, "memory does not end")
            for _ in range(40):
                halves.append(self.half_packet()[0])
        _, code = self.half_packet()
        self.assertNotEqual(code, 0)
        # Mosquitto never frees the wills of clients that it refuses. The gate frees these wills.
        for _ in range(800):
            self.refused_with_will()
        for mine in halves:
            mine.close()
        eventually(lambda: self.half_packet()[1] == 0, 30, "room for a newcomer")
        self.assertEqual(self.service.broker_pid, pid)
        self.assertEqual(Page(self.service).sum("lamplighter_broker_restarts_total"), 0)
        self.assertNotIn("signal", self.log())
        for client in (device, app):
            if not client.connected:
                client.come()
        eventually(lambda: device.report(data={"count": 1})["ok"], 30, "an answer")


del Halves


if __name__ == "__main__":
    unittest.main()
