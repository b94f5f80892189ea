"""A hostile client process that performs one action, its deed, as fast as possible.

It reads JSON orders from standard input, and writes JSON results to standard output. It uses one thread, raw
sockets, and packets that differ only in their numbers. A refused or disconnected client reconnects at once. If the
deed invents identities, the client takes a new one.
"""

import json
import random
import re
import resource
import secrets
import select
import socket
import struct
import sys
import time

from packets import connect, length, packet, split, text

CHUNK = 64 << 10  # bytes that are sent at once
# The seconds before a client reconnects, unless its connections are brief. With this pause, clients that are only
# refused take little processor time.
PAUSE = 0.01
PATIENCE = 1  # seconds after which missing answers count as received
# A process with at least this number of connections pauses for BREATH seconds in each round. Each of these connections
# represents a separate machine, so their work must not take up all of this machine's processor time.
CROWD = 100
BREATH = 0.002
BURST = 100  # messages that a terminal can send at once
MANY = 1 << 40


class Repeated:
    """A packet of which a connection sends many copies.

    Each copy contains its own number in place of each row of eight or more # characters. `mid` is the offset of the
    packet identifier, which also differs from copy to copy.
    """

    def __init__(self, raw, mid=None, most=MANY):
        self.size, self.most = len(raw), max(1, min(CHUNK // len(raw), most))
        parts = [raw] if mid is None else [raw[:mid], raw[mid + 2:]]
        self.form = b"%(mid)b".join(re.sub(
            rb"#{8,}", lambda run: b"%%(n)0%dd" % len(run[0]), part.replace(b"%", b"%%")) for part in parts)
        self.fixed = raw * self.most if self.form == raw.replace(b"%", b"%%") else None

    def chunk(self, first, count):
        if self.fixed:
            return self.fixed[:count * self.size]
        return b"".join(self.form % {b"n": n % 10**8, b"mid": struct.pack(">H", n % 65535 + 1)}
                        for n in range(first, first + count))


def publishing(topic, payload, qos, version, correlation=b"", most=MANY):
    tail = payload.encode()
    if version == 5:
        properties = b"\x09" + text(correlation) if correlation else b""
        tail = length(len(properties)) + properties + tail
    raw = packet(0x30 | qos << 1, text(topic) + (b"\0\1" if qos else b"") + tail)
    return Repeated(raw, len(raw) - len(tail) - 2 if qos else None, most)


def filtering(kind, filters, version, tail=b""):
    """Returns a SUBSCRIBE or UNSUBSCRIBE with packet identifier 1 and `tail` after each filter."""
    return packet(kind, b"\0\1" + (b"\0" if version == 5 else b"") + b"".join(text(one) + tail for one in filters))


class Login:
    """The identity of a connection."""

    def __init__(self, version, client_id, username, password, will=None):
        self.version, self.client_id, self.username, self.password, self.will = version, client_id, username, password, will


class Plan:
    """The messages of a hostile action, and the identities that send these messages."""

    once = b""  # instead of messages
    # The maximum numbers of messages without an answer and of messages without the broker's confirmation.
    answer_window = confirm_window = MANY
    # Whether each client disconnects as soon as it is connected or its message is confirmed. A client with another id
    # follows.
    is_brief = False
    # Whether each client disconnects as soon as all its messages are sent, and reconnects with the same id.
    is_returning = False
    filters = ()  # its first subscriptions

    def __init__(self, orders):
        self.deed, self.root, self.rate = orders["deed"], orders["root"], orders["rate"]
        self.orders = orders

    def repeated(self, login):
        """Returns the message that a connection repeats, or None."""
        return None


class AppPlan(Plan):
    """The hostile actions of an app's terminals."""

    METHODS = {
        "unknownMethod": ("account/nothing", "{}"), "correlation": ("account/nothing", "{}"),
        "codes": ("account/sendCode", '{"countryCode":"86","phone":"138########","purpose":"login"}'),
        "anonymous": ("account/loginAnonymous", '{"countryCode":"86"}'),
        "hashes": ("account/register",
                   '{"countryCode":"86","username":"h##########","password":"lamp ########## x"}'),
    }
    QOS = {"whoami": 0, "unknownMethod": 0, "correlation": 0, "forbidden": 0, "exactly": 2}
    SILENT = {"deepFilters", "flatFilters", "connects", "wills", "pings", "unsubscribes", "halves"}

    def __init__(self, orders):
        super().__init__(orders)
        self.ids = [secrets.token_hex(16) for _ in range(orders["connections"])]
        self.is_brief, self.is_returning = self.deed in ("connects", "wills"), self.deed == "returns"
        self.answer_window = {"closedLoop": 2000, "hashes": 400}.get(self.deed, MANY)
        if self.deed == "halves":
            self.once = b"\x30\x80\x80\x04\0\xc8"  # the beginning of a PUBLISH of 64 KiB

    def space(self, client_id):
        return f"{self.root}/app/{self.orders['appId']}/{client_id}"

    def login(self, place, number):
        known, own = self.orders["terminals"], self.ids[place] if self.is_returning else secrets.token_hex(16)
        client_id, password = known[place % len(known)] if known else (own, self.orders["appSecret"])
        version = 5 if number % 2 == 0 or self.deed == "correlation" else 4
        will = (f"{self.space(client_id)}/request/account/whoami", b"z" * 60_000) if self.deed == "wills" else None
        return Login(version, client_id, f"app:{self.orders['appId']}", password, will)

    def filters(self, login):
        return () if self.deed in self.SILENT else [f"{self.space(login.client_id)}/response"]

    def repeated(self, login):
        space = self.space(login.client_id)
        if self.deed in ("deepFilters", "flatFilters"):
            tail = "/x" * (144 if self.deed == "deepFilters" else 1)
            filters = [f"{space}/q########-{number}{tail}" for number in range(500)]
            return Repeated(filtering(0x82, filters, login.version, b"\0"))
        if self.deed == "unsubscribes":
            return Repeated(filtering(0xA2, [f"{space}/q########-{number}" for number in range(200)], login.version))
        if self.deed == "pings":
            return Repeated(b"\xc0\0")
        return None if self.deed in self.SILENT else self.asking(login, space)

    def asking(self, login, space):
        method, params = self.METHODS.get(self.deed, ("account/whoami", "{}"))
        topic = f"{space}/request/{method}"
        if self.deed == "forbidden":
            topic = f"{self.root}/user/{login.client_id}/device/x/status"
        token = f',"token":"{login.password if self.orders["terminals"] else "x"}"' if self.deed == "whoami" else ""
        return publishing(
            topic, f'{{"id":"h##########"{token},"params":{params}}}', self.QOS.get(self.deed, 1), login.version,
            b"c" * 60_000 if self.deed == "correlation" else b"",
            1 if self.rate else BURST if self.is_returning else MANY)


class DevicePlan(Plan):
    """The hostile actions of devices that the service knows."""

    PAYLOADS = {
        "binary": '{"binary":"' + "q" * 53_000 + '"}',
        "bundles": '{"id":"b##########","reports":['
                   + ",".join(f'{{"ts":17{n + 100}########,"data":{{"sequence":{n}}}}}' for n in range(500)) + "]}",
    }

    def __init__(self, orders):
        super().__init__(orders)
        # With `reports`, the client respects the broker's receive maximum for messages in flight. With
        # `patientReports`, it respects the maximum number of unanswered reports of a device.
        self.confirm_window = 20 if self.deed == "reports" else MANY
        self.answer_window = 16 if self.deed == "patientReports" else MANY

    def login(self, place, number):
        did, secret = self.orders["devices"][place % len(self.orders["devices"])]
        return Login(5 if place % 2 == 0 else 4, did, f"device:{did}", secret)

    def filters(self, login):
        return [f"{self.root}/device/{login.client_id}/response"]

    def repeated(self, login):
        payload = self.PAYLOADS.get(self.deed, '{"id":"r##########","data":{"sequence":1##########}}')
        qos = 1 if self.deed in ("reports", "patientReports") else 0
        return publishing(f"{self.root}/device/{login.client_id}/report", payload, qos, login.version,
                          most=4 if self.rate else MANY)


class ProductPlan(Plan):
    """The hostile actions of new devices, which connect one after another with the product's secret."""

    is_brief = True

    def login(self, place, number):
        return Login(5 if number % 2 == 0 else 4, f"ab0f{number % 10**8:08d}",
                     f"product:{self.orders['productKey']}", self.orders["productSecret"])

    def filters(self, login):
        return ()

    def repeated(self, login):
        topic = f"{self.root}/product/{self.orders['productKey']}/{login.client_id}/register"
        payload = f'{{"id":"g1","mac":"{login.client_id}","passcode":"123456","hardware":{{}}}}'
        return publishing(topic, payload, 1, login.version, most=1)


def plan_of(orders):
    if orders["deed"] == "registrations":
        return ProductPlan(orders)
    devices = ("binary", "bundles", "reports", "patientReports", "hastyReports")
    return (DevicePlan if orders["deed"] in devices else AppPlan)(orders)


class Connection:
    """One connection, with the bytes to write on it."""

    def __init__(self, login, address, port):
        self.login, self.repeated = login, None
        self.is_waiting = True  # to write
        self.sent = self.confirmed = self.answered = 0
        self.since = self.heard = 0.0
        self.input, self.output = b"", memoryview(connect(
            login.client_id, login.username, login.password, login.version, login.will))
        self.socket = socket.socket()
        self.socket.setblocking(False)
        # 24 is IP_BIND_ADDRESS_NO_PORT. With this option the system chooses the source port only at connect, for each
        # destination.
        self.socket.setsockopt(socket.IPPROTO_IP, 24, 1)
        self.socket.bind((address, 0))
        self.socket.connect_ex(("127.0.0.1", port))

    def write(self, raw):
        self.output = memoryview(bytes(self.output) + raw) if self.output else memoryview(raw)

    def flush(self):
        """Writes what the system accepts, and returns the number of bytes."""
        try:
            count = self.socket.send(self.output) if self.output else 0
        except BlockingIOError:
            return 0
        self.output = self.output[count:]
        return count

    def read(self):
        """Returns the complete packets received; None if the connection has ended."""
        try:
            data = self.socket.recv(CHUNK)
        except BlockingIOError:
            return []
        if not data:
            return None
        found, self.input = split(self.input + data)
        return found


class Hostile:
    """All connections that perform one hostile action."""

    def __init__(self, orders):
        self.orders, self.plan = orders, plan_of(orders)
        self.connections = [None] * orders["connections"]
        self.come_at = [0.0] * orders["connections"]
        self.places = {}  # by descriptor
        self.poll = select.epoll()
        self.number = random.randrange(10**8)
        self.tally = dict.fromkeys(
            ("sent", "bytes", "confirmed", "refused", "answered", "connects", "turnedAway", "closed", "reason", "early"), 0)

    def run(self):
        """Performs the deed for the time that the orders state, and returns the counts."""
        begin = time.monotonic()
        warm, end = begin + self.orders["warmSeconds"], begin + self.orders["seconds"]
        while (now := time.monotonic()) < end:
            if now < warm:
                self.tally["early"] = self.tally["answered"]
            self.turn(now)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {**self.tally, "processorSeconds": usage.ru_utime + usage.ru_stime}

    def turn(self, now):
        for place, connection in enumerate(self.connections):
            if connection is None:
                if now >= self.come_at[place]:
                    self.come(place, now)
            elif self.plan.is_returning and connection.sent and not connection.output:
                self.leave(place)
            elif connection.repeated and not connection.output:
                self.fill(connection, now)
                if not self.write(place):
                    self.leave(place)
        for descriptor, events in self.poll.poll(0.002):
            place = self.places[descriptor]
            if self.connections[place] and not self.serve(place, events):
                self.leave(place)
        if len(self.connections) >= CROWD:
            time.sleep(BREATH)

    def address(self, place):
        """Returns the source address of a connection.

        If the orders allow only one address, the function returns this address. Otherwise the address depends on
        `place`, and doesn't end in 0 or 255.
        """
        if self.orders["addresses"] == 1:
            return self.orders["address"]
        number = place % self.orders["addresses"]
        return f"127.1.{number // 200}.{number % 200 + 2}"

    def come(self, place, now):
        self.number += 1
        self.come_at[place] = now + PAUSE
        try:
            connection = Connection(self.plan.login(place, self.number), self.address(place), self.orders["port"])
        except OSError:
            return
        self.tally["connects"] += 1
        self.connections[place] = connection
        self.places[connection.socket.fileno()] = place
        self.poll.register(connection.socket, select.EPOLLIN | select.EPOLLOUT)

    def leave(self, place):
        connection = self.connections[place]
        self.poll.unregister(connection.socket)
        del self.places[connection.socket.fileno()]
        connection.socket.close()
        self.connections[place] = None
        self.come_at[place] = time.monotonic() + (0 if self.plan.is_brief else PAUSE)

    def serve(self, place, events):
        """Reads and writes; returns False if the connection has ended."""
        connection = self.connections[place]
        try:
            if events & ~select.EPOLLOUT:
                found = connection.read()
                if found is None:
                    self.tally["closed"] += 1
                    return False
                for kind, body in found:
                    if not self.take(connection, kind, body):
                        return False
        except OSError:
            self.tally["closed"] += 1
            return False
        return self.write(place)

    def write(self, place):
        connection = self.connections[place]
        try:
            self.tally["bytes"] += connection.flush()
        except OSError:
            self.tally["closed"] += 1
            return False
        if connection.is_waiting != bool(connection.output):
            connection.is_waiting = not connection.is_waiting
            self.poll.modify(connection.socket, select.EPOLLIN | (select.EPOLLOUT if connection.is_waiting else 0))
        return True

    def fill(self, connection, now):
        """Writes as much to the connection as its windows and its rate allow."""
        if now - connection.heard > PATIENCE:
            connection.answered = connection.confirmed = connection.sent
        count = min(self.plan.answer_window - (connection.sent - connection.answered),
                    self.plan.confirm_window - (connection.sent - connection.confirmed), connection.repeated.most)
        if self.orders["rate"]:
            count = min(count, int((now - connection.since) * self.orders["rate"]) - connection.sent)
        if count <= 0:
            return
        connection.write(connection.repeated.chunk(self.number, count))
        self.number += count
        connection.sent += count
        self.tally["sent"] += count
        if self.plan.is_brief:
            connection.repeated = None

    # Received packets

    def take(self, connection, kind, body):
        """Handles a packet, and returns False if the connection is refused or has finished."""
        connection.heard = time.monotonic()
        kind, flags = kind & 0xF0, kind
        if kind == 0x20:
            return self.enter(connection, body[1])
        if kind == 0x30:
            self.hear(connection, flags, body)
        elif kind in (0x40, 0x50):
            return self.confirmed(connection, kind, body)
        elif kind == 0x90:
            self.tally["refused"] += sum(code >= 0x80 for code in body[3:])
        elif kind == 0xE0:
            self.tally["reason"] = body[0] if body else 0
        return True

    def enter(self, connection, code):
        if code:
            self.tally["turnedAway"] += 1
            self.tally["reason"] = code
            return False
        connection.since = time.monotonic()
        connection.repeated = self.plan.repeated(connection.login)
        filters = self.plan.filters(connection.login)
        if filters:
            connection.write(filtering(0x82, filters, connection.login.version, b"\0"))
        if self.plan.once:
            connection.write(self.plan.once)
        return not self.plan.is_brief or connection.repeated is not None

    def confirmed(self, connection, kind, body):
        connection.confirmed += 1
        is_taken = len(body) < 3 or body[2] < 0x80
        self.tally["confirmed" if is_taken else "refused"] += 1
        if not is_taken:
            connection.answered += 1
        elif kind == 0x50:
            connection.write(b"\x62\2" + body[:2])  # PUBREL, the answer to PUBREC
        return not self.plan.is_brief

    def hear(self, connection, flags, body):
        self.tally["answered"] += 1
        connection.answered += 1
        if flags & 0x06:
            place = 2 + struct.unpack(">H", body[:2])[0]
            connection.write(b"\x40\2" + body[place:place + 2])


def burn(orders):
    """Keeps a processor busy for a share of the time, without any connection."""
    end, busy = time.monotonic() + orders["seconds"], orders["share"] * 0.01
    while (begin := time.monotonic()) < end:
        while time.monotonic() - begin < busy:
            pass
        time.sleep(max(0.0, 0.01 - busy))
    return {}


def main():
    orders = json.load(sys.stdin)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(json.dumps(burn(orders) if orders["deed"] == "burn" else Hostile(orders).run()))


if __name__ == "__main__":
    main()
