"""The worst attacks of strangers: ways to make the broker hold memory.

The attackers run in a separate process, on one thread. They reconnect when their connections are closed or refused.
"""

import base64
import heapq
import itertools
import json
import os
import secrets
import selectors
import socket
import struct
import time

from harness import TOPICS
from packets import length, packet, text

APP, GROUPS = "test-app", 30
SOURCES = {"thirty": [f"127.0.1.{n}" for n in range(1, 31)], "one": ["127.0.2.1"], "local": ["127.0.0.1"]}
HELD_OFF = {"limits.terminalHeldKilobytes": 0, "limits.terminalHeldMessages": 0, "limits.tooSlowSeconds": 0,
            "broker.heldPercent": 0}


def number(value):
    return struct.pack(">H", value)


def connect(client_id, username, password, will=None, window=1):
    """Returns a CONNECT of MQTT 5 that requests a session that never expires."""
    flags = 0xC0 | (0x0C if will else 0)
    body = text("MQTT") + bytes([5, flags]) + number(600) + b"\x08\x11\xff\xff\xff\xff\x21" + number(window)
    body += text(client_id)
    if will:
        topic, payload, properties = will
        body += length(len(properties)) + properties + text(topic) + text(payload)
    return packet(0x10, body + text(username) + text(password))


def subscribe(filter, qos=1):
    return packet(0x82, b"\0\1\0" + text(filter) + bytes([qos]))


def publish(topic, payload, qos=0, mid=1):
    return packet(0x30 | qos << 1, text(topic) + (number(mid) if qos else b"") + b"\0" + payload)


class Way:
    """The actions of an attacking terminal while connecting, once connected, and at each beat."""

    off = {"broker.heldPercent": 0}
    needs = ""  # "users" if it needs users with tokens; "devices" if it also needs their devices
    pause = None  # seconds from beat to beat
    left = 0  # megabytes that sessions can still hold when the attackers are gone
    window = 1
    segment = None  # maximum size of a TCP segment; small segments keep the kernel's buffers small

    def __init__(self, spec):
        self.spec = spec

    def own(self, link):
        return f"{TOPICS}/app/{APP}/{link.id}"

    def hello(self, link):
        """Returns the first packet that a connection sends."""
        if self.needs:
            link.id, token = self.spec["users"][link.number % len(self.spec["users"])][:2]
            return connect(link.id, f"app:{APP}", token, window=self.window)
        link.id = secrets.token_hex(16)
        return connect(link.id, f"app:{APP}", self.spec["secret"], self.will(link))

    def will(self, link):
        return None

    def begin(self, link):
        pass

    def beat(self, link):
        pass

    def ask(self, link, method, params, qos=0):
        """Returns a request with a new id."""
        body = {"id": f"f{link.number}-{next(link.serial)}", "params": params}
        if self.needs:
            body["token"] = self.spec["users"][link.number % len(self.spec["users"])][1]
        return publish(f"{self.own(link)}/request/{method}", json.dumps(body).encode(), qos)


class Idle(Way):
    """Connections that subscribe but send nothing, to measure the memory of an idle connection."""

    def begin(self, link):
        link.send(subscribe(f"{self.own(link)}/#"))


class QoS2(Way):
    """Messages of QoS 2 that are never released."""

    off = {"broker.clientQoS": 2, "broker.heldPercent": 0}
    pause, payload = 1, b"x" * 60_000

    def begin(self, link):
        link.mid = 0
        for _ in range(16):
            self.beat(link)

    def beat(self, link):
        for _ in range(2 if link.mid >= 16 else 1):
            link.mid = link.mid % 65_535 + 1
            link.send(publish(f"{self.own(link)}/request/account/x", self.payload, 2, link.mid))


class Sessions(Way):
    """Sessions that never expire, each with 64 filters and a 60 KB will."""

    off = {"limits.terminalSessionSeconds": 0, "broker.heldPercent": 0}
    pause, payload = 0.5, json.dumps({"id": "will", "params": {"x": "y" * 60_000}}).encode()

    def will(self, link):
        return f"{self.own(link)}/request/account/x", self.payload, b"\x18\xff\xff\xff\xff"  # delayed without end

    def begin(self, link):
        link.send(b"".join(subscribe(f"{self.own(link)}/response/{n}/b") for n in range(64)))

    def beat(self, link):
        link.close(0.1)


class History(Way):
    """Large answers that nobody acknowledges."""

    off, needs, pause = HELD_OFF, "users", 1
    left = 45  # The broker can still keep an answer of 45 KB for each session.

    def begin(self, link):
        link.send(subscribe(f"{self.own(link)}/response"))

    def beat(self, link):
        link.send(b"".join(self.ask(link, "device/history", {
            "did": self.spec["did"], "from": 1_500_000_000_000, "to": 4_000_000_000_000}) for _ in range(self.spec["rate"])))


class Slow(History):
    """Large answers of QoS 0 to terminals that don't read."""

    segment = 536

    def begin(self, link):
        link.is_deaf = True
        link.send(subscribe(f"{self.own(link)}/response", 0))


class Status(Way):
    """A busy device's statuses, sent to users who disconnected or acknowledge nothing."""

    off, needs, pause = HELD_OFF, "users", 0.125

    def hello(self, link):
        if link.number:
            return super().hello(link)
        return connect(self.spec["did"], f"device:{self.spec['did']}", self.spec["deviceSecret"])

    def begin(self, link):
        if link.number:
            link.send(subscribe(f"{TOPICS}/user/{self.spec['users'][link.number % len(self.spec['users'])][2]}/#"))

    def beat(self, link):
        if not link.number:
            state = {f"a{n}": f"{next(link.serial)}{'y' * 2_000}" for n in range(13)}
            link.send(publish(f"{TOPICS}/device/{self.spec['did']}/report", json.dumps({"data": state}).encode(), 1))
        elif link.number % 2:
            link.close(15)
        else:
            link.due = None


class Half(Way):
    """Messages that announce almost the greatest allowed length and never end."""

    size = 320_000

    def begin(self, link):
        link.send(packet(0x32, bytes(self.size))[:self.size - 100])


class Wills(Way):
    """Terminals that stay connected, each with a will (topic, payload, property) of 240 KB."""

    properties = b"\x26" + text("k" * 60_000) + text("v" * 60_000)

    def will(self, link):
        return "t" * 60_000, b"x" * 60_000, self.properties


class Filters(Way):
    """As many filters as allowed, each with as many nodes in the broker's tree as possible."""

    off = {"limits.terminalSubscriptions": 0, "limits.subscriptionLevels": 0, "limits.terminalMessagesPerSecond": 0,
           "limits.terminalKilobytesPerSecond": 0, "broker.heldPercent": 0}
    pause = 5

    def begin(self, link):
        link.count = 0
        self.beat(link)

    def beat(self, link):
        deep = "/".join("abcdefgh") if self.spec["off"] else "b"
        for n in range(link.count, min(link.count + 64, 640)):
            link.send(subscribe(f"{self.own(link)}/response/{n}{'x' * 50}/{deep}{'y' * 100}"))
        link.count += 64


class Commands(Way):
    """Commands of 45 KB for devices that acknowledge no command."""

    off = {"limits.deviceHeldKilobytes": 0, "limits.deviceHeldMessages": 0, "limits.tooSlowSeconds": 0,
           "broker.heldPercent": 0}
    left = GROUPS  # The broker keeps each device's session for a week, with up to 1 MiB.
    needs, pause, binary = "devices", 2, base64.b64encode(bytes(33_000)).decode()

    def hello(self, link):
        if link.number >= len(self.spec["devices"]):
            return super().hello(link)
        did, secret = self.spec["devices"][link.number]
        return connect(did, f"device:{did}", secret)

    def begin(self, link):
        if link.number < len(self.spec["devices"]):
            link.send(subscribe(f"{TOPICS}/device/{self.spec['devices'][link.number][0]}/command"))

    def beat(self, link):
        if link.number >= len(self.spec["devices"]):
            did = self.spec["devices"][link.number % len(self.spec["users"]) % GROUPS][0]
            link.send(self.ask(link, "device/control", {"did": did, "binary": self.binary}))


class Requests(Way):
    """Requests of 60 KB that the service can't parse, as many as one terminal can send."""

    off = {"limits.terminalMessagesPerSecond": 0, "limits.terminalKilobytesPerSecond": 0,
           "limits.addressMessagesPerSecond": 0, "broker.heldPercent": 0}
    pause, payload = 1, b"x" * 60_000

    def begin(self, link):
        for _ in range(6):
            self.beat(link)

    def beat(self, link):
        for _ in range(10 if self.spec["off"] else 2):
            link.send(publish(f"{self.own(link)}/request/account/whoami", self.payload, 1))


class Connects(Way):
    """CONNECT packets that announce almost the greatest allowed length, and whose end is never sent."""

    off, size = {"limits.connectSeconds": 0, "broker.heldPercent": 0}, 320_000

    def hello(self, link):
        return packet(0x10, bytes(self.size))[:self.size - 100]


WAYS = {way.__name__.lower(): way for way in (
    QoS2, Sessions, History, Status, Half, Wills, Filters, Slow, Commands, Requests, Connects)}


class Link:
    """One attacking connection, which reconnects when it is closed or refused."""

    def __init__(self, flood, number, source):
        self.flood, self.number, self.source = flood, number, source
        self.socket, self.due, self.id, self.serial = None, None, "", itertools.count(1)
        self.is_in = self.is_deaf = False

    def act(self):
        """Performs the due action: a connection, or the next beat."""
        if self.socket is None:
            return self.open()
        self.flood.call(self, self.flood.way.pause)
        self.flood.way.beat(self)

    def open(self):
        self.socket, self.is_in, self.is_deaf, self.mask = socket.socket(), False, False, 0
        self.socket.setblocking(False)
        if self.flood.way.segment:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, self.flood.way.segment)
        self.socket.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        self.socket.bind((self.source, 0))
        self.socket.connect_ex(("127.0.0.1", self.flood.port))
        self.out = [memoryview(self.flood.way.hello(self))]
        self.listen()

    def listen(self):
        """Makes the selector wait for the events that this connection needs now."""
        mask = (0 if self.is_deaf else selectors.EVENT_READ) | (selectors.EVENT_WRITE if self.out else 0)
        if mask == self.mask:
            return
        if self.mask:
            self.flood.selector.unregister(self.socket)
        if mask:
            self.flood.selector.register(self.socket, mask, self)
        self.mask = mask

    def send(self, data):
        if self.socket and len(self.out) < 1_000:
            self.out.append(memoryview(data))
            self.listen()

    def turn(self, mask):
        try:
            if mask & selectors.EVENT_READ:
                self.take()
            if self.socket and mask & selectors.EVENT_WRITE:
                self.give()
        except BlockingIOError:
            pass
        except OSError:
            self.close(3)

    def take(self):
        data = self.socket.recv(65_536)
        if not data:
            return self.close(3)
        if self.is_in:
            return
        if data[0] != 0x20 or len(data) < 4 or data[3]:
            self.flood.refused += 1
            return self.close(3)
        self.is_in = True
        self.flood.entered += 1
        self.flood.way.begin(self)
        if self.socket and self.flood.way.pause:
            self.flood.call(self, self.flood.way.pause)

    def give(self):
        while self.out:
            sent = self.socket.send(self.out[0])
            self.flood.sent += sent
            self.out[:1] = [self.out[0][sent:]] if sent < len(self.out[0]) else []
        self.listen()

    def close(self, pause):
        if self.mask:
            self.flood.selector.unregister(self.socket)
        self.socket.close()
        self.socket, self.is_in = None, False
        self.flood.call(self, pause * (1 + self.number % 10 / 20))


class Flood:
    """All attacking connections, which run on one thread of a separate process."""

    def __init__(self, spec):
        self.port, self.way = spec["port"], {**WAYS, "idle": Idle}[spec["way"]](spec)
        self.selector, self.calls = selectors.DefaultSelector(), []
        self.entered = self.refused = self.sent = 0
        self.links = [Link(self, n, spec["sources"][n % len(spec["sources"])]) for n in range(spec["terminals"])]
        for link in self.links:
            self.call(link, link.number / spec["pace"])

    def call(self, link, pause):
        link.due = time.monotonic() + pause
        heapq.heappush(self.calls, (link.due, link.number))

    def run(self, stop, shown):
        while not stop.is_set():
            for key, mask in self.selector.select(0.02):
                key.data.turn(mask)
            while self.calls and self.calls[0][0] <= time.monotonic():
                due, at = heapq.heappop(self.calls)
                if self.links[at].due == due:
                    self.links[at].act()
            shown[:] = [sum(link.is_in for link in self.links), self.entered, self.refused, self.sent]


def flood(spec, stop, shown):
    os.nice(10)  # Real attackers have their own machines.
    Flood(spec).run(stop, shown)
