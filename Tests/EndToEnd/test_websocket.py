"""MQTT over WebSocket, for browsers, by the service's own listener."""

import base64
import contextlib
import json
import os
import pathlib
import re
import socket
import ssl
import struct
import urllib.request

from certificates import trusting
from client import Terminal
from harness import eventually
from test_tls import HOST, secure_world
from world import EndToEnd, OwnWorld, OwnWorldOfClass, World

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
UPGRADE = {
    "Host": "localhost", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(), "Sec-WebSocket-Protocol": "mqtt",
}


class Raw:
    """A raw WebSocket, which can violate the protocol in ways that ordinary clients don't."""

    def __init__(self, port, source="", path="/mqtt", upgrade=True, **headers):
        self.socket = socket.create_connection(("127.0.0.1", port), 10, source_address=(source, 0) if source else None)
        self.file = self.socket.makefile("rb")
        self.status = None
        if upgrade:
            lines = {**UPGRADE, **{name.replace("_", "-"): value for name, value in headers.items()}}
            text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
            self.socket.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
            head = list(iter(self.file.readline, b"\r\n"))
            self.status = int(head[0].split()[1]) if head else 0
            self.headers = b"".join(head).decode().lower()

    def send(self, payload, opcode=BINARY, fin=True, masked=True):
        size = len(payload)
        head = bytes([(0x80 if fin else 0) | opcode, (0x80 if masked else 0) | (size if size < 126 else 126 if size < 65536 else 127)])
        if size > 125:
            head += struct.pack(">H" if size < 65536 else ">Q", size)
        mask = os.urandom(4) if masked else b""
        if masked:
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(head + mask + payload)

    def receive(self):
        """Returns the next frame's opcode and payload, or None if the connection has ended."""
        head = self.file.read(2)
        if len(head) < 2:
            return None
        size = head[1] & 127
        if size > 125:
            size = int.from_bytes(self.file.read(2 if size == 126 else 8), "big")
        return head[0] & 15, self.file.read(size)

    def closing(self):
        """Returns the code of the closing frame, and asserts that the connection ends after this frame."""
        while (frame := self.receive()) is not None:
            if frame[0] == CLOSE:
                assert self.receive() is None
                return struct.unpack(">H", frame[1][:2])[0]
        return None

    def is_over(self, seconds=10):
        """Returns whether the other side ends the connection within `seconds`."""
        self.socket.settimeout(seconds)
        try:
            return self.socket.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionResetError:
            return True

    def close(self):
        self.file.close()
        self.socket.close()


def connect_packet(username, password, client_id):
    """Returns an MQTT 3.1.1 CONNECT."""
    texts = b"".join(struct.pack(">H", len(text)) + text.encode() for text in (client_id, username, password))
    body = b"\0\4MQTT\4\xc2\0\x1e" + texts
    return b"\x10" + remaining(len(body)) + body


def remaining(size):
    """Encodes a packet's length as MQTT does."""
    found = b""
    while True:
        size, digit = divmod(size, 128)
        found += bytes([digit | (0x80 if size else 0)])
        if not size:
            return found


class WebSocket(EndToEnd):
    @property
    def port(self):
        return self.world.service.ready["webSocketPort"]

    def raw(self, *arguments, **more):
        raw = Raw(*(arguments or (self.port,)), **more)
        self.addCleanup(raw.close)
        return raw

    def app(self, **more):
        secret = self.world.apps["test-app"]["secret"]
        return self.keep(Terminal(self.port, "test-app", secret, transport="websockets", **more).come())

    def test_a_terminal_logs_in_and_watches(self):
        lamp = self.keep(self.world.device())
        for version in (5, 4):
            with self.subTest(version=version):
                app = self.app(version=version)
                app.login()
                app.bind(lamp)
                lamp.report(data={"power": True})
                app.status(lamp, lambda body: body["data"].get("power") is True)
                app.get("device/unbind", {"did": lamp.did})

    def test_a_device_that_vanishes_is_offline_at_once(self):
        lamp = self.world.device(connect=False)
        raw = self.raw()
        raw.send(connect_packet(f"device:{lamp.did}", lamp.secret, lamp.did))
        self.assertEqual(raw.receive(), (BINARY, b"\x20\x02\x00\x00"))
        eventually(lambda: self.world.service.device(lamp.did)["online"], 10, "online")
        raw.close()
        eventually(lambda: not self.world.service.device(lamp.did)["online"], 10, "offline")

    def test_a_request_that_is_not_mqtt_over_websocket_is_refused_with_the_reason(self):
        for change, status in (
                ({}, 101), ({"path": "/"}, 404), ({"path": "/mqtt?x"}, 101), ({"Upgrade": None}, 426),
                ({"Sec_WebSocket_Protocol": None}, 400), ({"Sec_WebSocket_Protocol": "chat"}, 400),
                ({"Sec_WebSocket_Protocol": "mqttv3.1, mqtt"}, 101), ({"Sec_WebSocket_Version": "8"}, 400),
                ({"Sec_WebSocket_Key": None}, 400)):
            with self.subTest(change):
                raw = self.raw(self.port, **change)
                self.assertEqual(raw.status, status)
                if status == 101:
                    self.assertIn("sec-websocket-protocol: mqtt\r\n", raw.headers)

    def test_pages_of_other_origins_are_refused(self):
        for origin, status in (("http://localhost:8000", 101), ("http://127.0.0.1", 101), ("https://evil.example", 403),
                               ("null", 403), ("http://localhost.evil.example", 403)):
            with self.subTest(origin):
                self.assertEqual(self.raw(self.port, Origin=origin).status, status)

    def test_a_refused_origin_is_stored_with_the_page_and_the_address(self):
        for number in range(2):
            self.assertEqual(self.raw(self.port, Origin="https://evil.example").status, 403)
        self.assertEqual(self.raw(self.port, Origin="https://other.example", X_Forwarded_For="192.0.2.77").status, 403)
        rows = told(self.world.service, "originNotAllowed", address="192.0.2.77", wait=True)
        self.assertEqual((rows[0]["detail"], rows[0]["action"], rows[0]["clientId"]), ("https://other.example", "connect", ""))
        self.assertRegex(self.world.service.cli("refusals").stdout, r"originNotAllowed .*from 192\.0\.2\.77  https://other")
        told(self.world.service, "originNotAllowed", address="127.0.0.1", wait=True)
        self.assertGreaterEqual(counted(self.world.service, "originNotAllowed"), 3)

    def test_invalid_frames_end_the_connection(self):
        for send, code in (
                (lambda raw: raw.send(b"hello", TEXT), 1003), (lambda raw: raw.send(b"\x10", masked=False), 1002),
                (lambda raw: raw.send(b"\0" * (129 << 10)), 1009), (lambda raw: raw.send(b"\x03\xe8", CLOSE), 1000)):
            with self.subTest(code=code):
                raw = self.raw()
                with contextlib.suppress(ConnectionError):
                    send(raw)
                    self.assertEqual(raw.closing(), code)

    def test_packets_can_be_split_into_frames_anywhere(self):
        lamp = self.world.device(connect=False)
        packet = connect_packet(f"device:{lamp.did}", lamp.secret, lamp.did)
        cut = self.raw()
        for index in range(len(packet)):
            cut.send(packet[index:index + 1], BINARY if index == 0 else 0, fin=index == len(packet) - 1)
        self.assertEqual(cut.receive(), (BINARY, b"\x20\x02\x00\x00"))
        # One frame can also contain two packets, and a WebSocket ping can come after it.
        cut.send(b"\xc0\x00\xc0\x00")
        cut.send(b"hi", PING)
        found = b""
        frames = []
        while len(found) < 4 or (PONG, b"hi") not in frames:
            frames.append(cut.receive())
            found += frames[-1][1] if frames[-1][0] == BINARY else b""
        self.assertEqual(found, b"\xd0\x00\xd0\x00")

    def refused_from(self, source="", **headers):
        """Returns the address that the gate reports for a refused client."""
        name = f"d-{os.urandom(7).hex()[:13]}"
        raw = self.raw(self.port, source=source, **headers)
        raw.send(connect_packet(f"device:{name}", "wrong", name))
        self.assertTrue(raw.receive())
        rows = eventually(lambda: refusals(self.world.service, name), 10, "the refusal")
        return rows[0]["address"]

    def test_the_gate_sees_the_clients_addresses(self):
        self.assertEqual(self.refused_from(source="127.0.0.9"), "127.0.0.9")
        self.assertEqual(self.refused_from(), "127.0.0.1")
        # Only a proxy on this machine is trusted to name the client's address.
        self.assertEqual(self.refused_from(X_Forwarded_For="203.0.113.9, 192.0.2.7"), "192.0.2.7")
        self.assertEqual(self.refused_from(X_Forwarded_For="2001:db8::7"), "2001:db8::7")
        self.assertEqual(self.refused_from(source="127.0.0.9", X_Forwarded_For="192.0.2.7"), "127.0.0.9")

    def test_the_loss_of_the_broker_is_stated_in_a_closing_frame(self):
        raw = self.raw()
        raw.send(b"\xff\xff\xff\xff\xff\xff\xff")
        self.assertEqual(raw.closing(), 1000)


class Secure(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        return secure_world("lamps.example.com", settings=["--set", "mqtt.webSocketOrigins=https://app.example"])

    def status(self, **headers):
        service = self.world.service
        with socket.create_connection((HOST, service.ready["webSocketTlsPort"]), 10) as plain, trusting(
                service.data / "tls" / "authority.pem").wrap_socket(plain, server_hostname=HOST) as secure:
            lines = {**UPGRADE, "Host": "lamps.example.com:8084", **headers}
            secure.sendall(("GET /mqtt HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items()) + "\r\n").encode())
            return int(secure.recv(12).split()[1])

    def test_a_terminal_logs_in_with_tls(self):
        service = self.world.service
        app = self.keep(Terminal(
            service.ready["webSocketTlsPort"], "test-app", self.world.apps["test-app"]["secret"], transport="websockets", host=HOST,
            tls=trusting(service.data / "tls" / "authority.pem")).come())
        app.login()
        app.get("device/list")

    def test_failed_handshakes_are_stored_with_the_address_and_the_error(self):
        service = self.world.service
        for name, source in (("webSocketTlsPort", "127.0.0.31"), ("httpTlsPort", "127.0.0.32")):
            with self.subTest(name):
                with socket.create_connection((HOST, service.ready[name]), 10, source_address=(source, 0)) as plain:
                    plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    with contextlib.suppress(ConnectionError):
                        plain.recv(1)
                row = told(service, "handshakeFailed", address=source, wait=True)[0]
                self.assertEqual(row["detail"], "HTTP_REQUEST")
        # This client doesn't trust the service's authority, so it answers the handshake with an alert. The client uses
        # TLS 1.2, because the server can't read such an alert in TLS 1.3.
        distrust = ssl.create_default_context()
        distrust.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection((HOST, service.ready["webSocketTlsPort"]), 10, source_address=("127.0.0.33", 0)) as plain:
            with self.assertRaises(ssl.SSLError), distrust.wrap_socket(plain, server_hostname=HOST):
                pass
        row = told(service, "handshakeFailed", address="127.0.0.33", wait=True)[0]
        self.assertIn("UNKNOWN_CA", row["detail"])
        self.assertGreaterEqual(counted(service, "handshakeFailed"), 3)

    def test_handshakes_at_the_brokers_own_port_are_counted_without_an_address(self):
        service = self.world.service
        with socket.create_connection((HOST, service.ready["mqttTlsPort"]), 10) as plain:
            with self.assertRaises(ssl.SSLError), ssl.create_default_context().wrap_socket(plain, server_hostname=HOST):
                pass
        row = told(service, "handshakeFailed", address="", wait=True)[0]
        self.assertIn("unknown ca", row["detail"])

    def test_pages_of_the_same_name_and_of_the_setting_can_connect(self):
        for origin, status in (("https://lamps.example.com", 101), ("https://lamps.example.com:8443", 101),
                               ("https://app.example", 101), ("http://app.example", 403), ("https://other.example", 403)):
            with self.subTest(origin):
                self.assertEqual(self.status(Origin=origin), status)


class Limits(OwnWorld):
    def make_world(self):
        settings = ("limits.webSocketUpgrade=1", "limits.webSocketPerAddress=3", "broker.newClientsPerMinute=2")
        return World(watch=False, settings=[word for setting in settings for word in ("--set", setting)])

    @property
    def port(self):
        return self.world.service.ready["webSocketPort"]

    def raw(self, **more):
        raw = Raw(self.port, **more)
        self.addCleanup(raw.close)
        return raw

    def test_a_connection_that_does_not_become_a_websocket_is_closed(self):
        silent, half = self.raw(upgrade=False), self.raw(upgrade=False)
        half.socket.sendall(b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\n")
        upgraded = self.raw()
        self.assertTrue(silent.is_over())
        self.assertTrue(half.is_over())
        # The time limit for the first MQTT packet is longer than the limit for the upgrade.
        self.assertEqual(upgraded.status, 101)
        self.assertFalse(upgraded.is_over(1.5))

    def test_a_silent_connection_loses_its_place(self):
        silent, speaking = self.raw(), self.speaking()
        silent.send(b"\x10")
        self.assertTrue(silent.is_over(12))
        self.assertFalse(speaking.is_over(0.5))

    def test_a_new_client_takes_the_place_of_one_that_the_broker_has_not_answered(self):
        speaking = self.speaking(source="127.0.0.4")
        silent = [self.raw(source="127.0.0.4") for _ in range(2)]
        self.assertEqual(self.raw(source="127.0.0.4").status, 101)
        self.assertTrue(silent[0].is_over(5))
        self.assertFalse(silent[1].is_over(0.5))
        self.assertFalse(speaking.is_over(0.5))

    def speaking(self, **more):
        """Returns a WebSocket whose CONNECT the broker has answered."""
        lamp = self.world.device(connect=False)
        raw = self.raw(**more)
        self.assertEqual(raw.status, 101)
        raw.send(connect_packet(f"device:{lamp.did}", lamp.secret, lamp.did))
        self.assertEqual(raw.receive()[1][:1], b"\x20")
        return raw

    def test_an_address_has_a_limit_and_another_address_is_not_affected(self):
        first = [self.speaking(source="127.0.0.5") for _ in range(3)]
        more = self.raw(source="127.0.0.5", upgrade=False)
        self.assertTrue(more.is_over())
        told_to_wait = self.raw(source="127.0.0.5")
        self.assertEqual(told_to_wait.status, 503)
        self.assertIn("retry-after: 30\r\n", told_to_wait.headers)
        self.assertTrue(told(self.world.service, "tooManyConnections", address="127.0.0.5", wait=True))
        self.assertEqual(self.raw(source="127.0.0.6").status, 101)
        first[0].close()
        eventually(lambda: self.raw(source="127.0.0.5").status == 101, 10, "a place")

    def test_new_clients_count_by_address_over_websocket_too(self):
        def terminal(source):
            secret = self.world.apps["test-app"]["secret"]
            return self.keep(Terminal(self.port, "test-app", secret, transport="websockets", source=source))

        self.assertEqual([terminal("127.0.0.7").connect() for _ in range(2)], [0, 0])
        self.assertNotEqual(terminal("127.0.0.7").connect(), 0)
        self.assertEqual(terminal("127.0.0.8").connect(), 0)

    def quiet(self):
        """Returns another terminal that is logged in."""
        secret = self.world.apps["test-app"]["secret"]
        terminal = self.keep(Terminal(self.port, "test-app", secret, transport="websockets").come())
        terminal.login()
        return terminal

    def test_a_client_that_reads_nothing_is_not_buffered_for(self):
        service = self.world.service
        tools = service.ready["service"]
        raw = self.raw()
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.send(connect_packet(tools["username"], tools["password"], tools["clientIdPrefix"] + "deaf"))
        self.assertEqual(raw.receive(), (BINARY, b"\x20\x02\x00\x00"))
        topic = b"ll/v1/system/test"
        subscribe = b"\0\1" + struct.pack(">H", len(topic)) + topic + b"\1"
        raw.send(b"\x82" + remaining(len(subscribe)) + subscribe)
        self.assertEqual(raw.receive()[0], BINARY)
        sender = self.keep(self.world.tool("loud"))
        self.assertEqual(sender.connect(), 0)

        before = resident(service.process.pid)
        for _ in range(1000):
            sender.publish("ll/v1/system/test", b"x" * 60_000, wait=False)
        eventually(lambda: sender.publish("ll/v1/system/test", b"last") is not None, 60, "the last PUBACK")

        # 60 MB of messages are waiting in the broker, not in the service.
        self.assertLess(resident(service.process.pid) - before, 30 << 20)
        # No other client has to wait for these messages.
        self.assertEqual(self.quiet().ask("device/list")["ok"], True)
        # When the client begins to read, the broker's messages arrive. The test reads 5 MB of these messages. Until
        # now, the client's receive buffer was small. With that buffer, the test would take minutes.
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        read = 0
        while read < 5_000_000:
            opcode, payload = raw.receive()
            self.assertEqual(opcode, BINARY)
            read += len(payload)


def told(service, reason, address, wait=False):
    """Returns a listener's stored refusals for a reason and an address."""
    def found():
        rows = [json.loads(line) for line in service.cli("refusals", "--json").stdout.splitlines()]
        return [row for row in rows if (row["reason"], row["address"]) == (reason, address)]
    return eventually(found, 15, reason) if wait else found()


def counted(service, reason):
    """Returns the metrics' count of refusals for a reason."""
    page = urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/metrics", timeout=10).read().decode()
    return float(re.search(rf'^lamplighter_refusals_total{{reason="{reason}"}} (\S+)$', page, re.M)[1])


def refusals(service, client_id):
    """Returns the gate's stored refusals of a client."""
    rows = [json.loads(line) for line in service.cli("refusals", "--json").stdout.splitlines()]
    return [row for row in rows if row["clientId"] == client_id]


def resident(pid):
    """Returns the resident bytes of a process."""
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class Restarting(OwnWorld):
    def test_a_broker_that_is_down_is_reported_and_returns(self):
        service = self.world.service
        service.kill_broker()

        def answer():
            raw = Raw(service.ready["webSocketPort"])
            try:
                lamp = connect_packet("device:d-0000000000000", "x", "d-0000000000000")
                with contextlib.suppress(ConnectionError):
                    raw.send(lamp)
                    return raw.receive()
            finally:
                raw.close()

        # When the broker runs again, it answers this client's CONNECT packet with a refusal.
        eventually(lambda: (found := answer()) and found[0] == BINARY and found[1][:1] == b"\x20", 20, "CONNACK")
