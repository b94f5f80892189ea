"""A process with many devices and terminals, which detect messages that are lost, duplicated or out of order.

Each device reports a counter. A device repeats a report until the service answers. Then the device reports the next
number. The devices also obey commands. `rate` is the maximum number of reports a second for all devices together. With
`hasty` the devices don't wait for answers and ignore the contents of answers. The terminals receive statuses and send
commands. The process writes MQTT 3.1.1 packets itself to save processor time. The service runs on the same machine.

    fleet.py < plan.json, then lines with one word each: `forget`, `rest`, `go`, `show`

The process answers each line of input with a line of JSON. The end of input ends the process.
"""

import collections
import json
import os
import selectors
import socket
import subprocess
import sys
import time

TOPICS = "ll/v1"
REPEAT_SECONDS = 3
CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x32, 0x40, 0x82, 0x90


def text(value):
    data = value.encode()
    return len(data).to_bytes(2, "big") + data


def packet(kind, body):
    length, rest = bytearray(), len(body)
    while True:
        length.append(rest % 128 | (0x80 if rest > 127 else 0))
        rest //= 128
        if not rest:
            return bytes([kind]) + bytes(length) + body


class Link:
    """One connection."""

    def __init__(self, port, client_id, username, password, filters):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.mid, self.buffer, self.waiting = 0, bytearray(), bytearray()
        self.socket.sendall(packet(CONNECT, text("MQTT") + b"\x04\xc2\x00\x00" + text(client_id) + text(username) + text(password)))
        assert self.read_one(CONNACK)[1] == 0, f"{client_id} was refused"
        self.socket.sendall(packet(SUBSCRIBE, b"\x00\x01" + b"".join(text(f) + b"\x01" for f in filters)))
        assert max(self.read_one(SUBACK)[2:]) == 1, f"{client_id} may not subscribe"
        self.socket.setblocking(False)

    def read_one(self, kind):
        """Waits for one packet of a kind while connecting, and keeps all other packets."""
        while True:
            for number, (other, body) in enumerate(found := list(self.packets())):
                if other & 0xf0 == kind & 0xf0:
                    self.buffer[:0] = b"".join(packet(*p) for p in found[:number] + found[number + 1:])
                    return body
            self.buffer[:0] = b"".join(packet(*p) for p in found)
            data = self.socket.recv(65536)
            assert data, "the broker hung up"
            self.buffer += data

    def packets(self):
        buffer, at = self.buffer, 0
        while len(buffer) - at >= 2:
            length, shift, place = 0, 0, at + 1
            while place < len(buffer):
                byte = buffer[place]
                length |= (byte & 127) << shift
                shift, place = shift + 7, place + 1
                if byte < 128:
                    break
            else:
                break
            if len(buffer) < place + length:
                break
            yield buffer[at], bytes(buffer[place:place + length])
            at = place + length
        del buffer[:at]

    def publish(self, topic, body):
        self.mid = self.mid % 65535 + 1
        self.write(packet(PUBLISH, text(topic) + self.mid.to_bytes(2, "big") + json.dumps(body).encode()))

    def write(self, data):
        if not self.waiting:
            try:
                data = data[self.socket.send(data):]
            except BlockingIOError:
                pass
        self.waiting += data

    def flush(self):
        if self.waiting:
            data, self.waiting = bytes(self.waiting), bytearray()
            self.write(data)

    def received(self):
        """Yields the topics and bodies of the received messages, and acknowledges them."""
        data = self.socket.recv(262144)
        if not data:
            raise ConnectionError("the broker hung up")
        self.buffer += data
        for kind, body in self.packets():
            if kind & 0xf0 != 0x30:
                continue
            end = 2 + int.from_bytes(body[:2], "big")
            topic = body[2:end].decode()
            if kind & 6:
                self.write(packet(PUBACK, body[end:end + 2]))
                end += 2
            payload = body[end:]
            yield topic, json.loads(payload) if payload else None


class FleetDevice:
    def __init__(self, port, plan, interval, offset):
        self.did, self.interval = plan["did"], interval
        self.base = f"{TOPICS}/device/{self.did}"
        self.link = Link(port, self.did, f"device:{self.did}", plan["secret"], [f"{self.base}/{w}" for w in ("command", "response")])
        self.count, self.answered, self.first, self.version = 0, 0, None, None
        self.due, self.asked_at, self.sent_at, self.longest = time.monotonic() + offset, None, 0, 0
        self.cids, self.highest, self.obeyed, self.again = set(), 0, 0, 0

    def turn(self, now, fleet):
        if self.asked_at is None or fleet.is_hasty:
            if now >= self.due and not fleet.is_resting:
                self.count += 1
                self.due = max(self.due + self.interval, now)
                self.asked_at = now
                self.send(now)
        elif now - self.sent_at > REPEAT_SECONDS:
            self.send(now)

    def send(self, now):
        self.sent_at = now
        self.link.publish(f"{self.base}/report", {"id": f"n{self.count}", "data": {"count": self.count}})

    def take(self, topic, body, now, fleet):
        if topic.endswith("/command"):
            return self.obey(body, fleet)
        if fleet.is_hasty:
            self.asked_at = None
            self.answered += 1
            return
        if self.asked_at is None or body.get("id") != f"n{self.count}":
            return
        if not body["ok"]:
            return fleet.wrong(f"{self.did}: {body}")
        if self.version is not None and body["version"] != self.version + 1:
            fleet.wrong(f"{self.did}: report {self.count} led from version {self.version} to {body['version']}")
        if self.first is None:
            self.first = body["version"]
        self.version = body["version"]
        wait = now - self.asked_at
        self.longest, self.asked_at = max(self.longest, wait), None
        self.answered += 1

    def obey(self, body, fleet):
        cid = body["cid"]
        if cid in self.cids:
            self.again += 1
        elif cid < self.highest:
            fleet.wrong(f"{self.did}: command {cid} came for the first time behind {self.highest}")
        self.cids.add(cid)
        self.highest = max(self.highest, cid)
        self.obeyed += 1
        self.link.publish(f"{self.base}/report", {"cid": cid, "code": 0})

    def quiet(self, now):
        return max(self.longest, now - self.asked_at if self.asked_at else 0)


class FleetTerminal:
    def __init__(self, port, plan, offset, interval):
        self.plan, self.next, self.due, self.interval = plan, 0, time.monotonic() + offset, interval
        self.base = f"{TOPICS}/app/{plan['app']}/{plan['terminal']}"
        self.link = Link(port, plan["terminal"], f"app:{plan['app']}", plan["token"],
                         [f"{self.base}/#", f"{TOPICS}/user/{plan['uid']}/#"])
        self.versions, self.counts, self.heard = {}, {}, 0

    def turn(self, now, fleet):
        if now < self.due or fleet.is_resting:
            return
        self.due = max(self.due + self.interval, now)
        did = self.plan["dids"][self.next % len(self.plan["dids"])]
        self.next += 1
        self.link.publish(f"{self.base}/request/device/control", {
            "id": f"c{self.next}", "token": self.plan["token"], "params": {"did": did, "data": {"power": self.next % 2 == 0}}})

    def take(self, topic, body, now, fleet):
        if not body or not topic.endswith("/status"):
            return
        self.heard += 1
        did, version = body["did"], body["version"]
        if version < self.versions.get(did, 0):
            fleet.wrong(f"{did}: status {version} came behind {self.versions[did]}")
        self.versions[did], self.counts[did] = version, body["data"].get("count")


class Fleet:
    """The devices and terminals that run inside the fleet's process."""

    def __init__(self, plan):
        self.is_resting, self.errors, self.is_hasty = False, [], plan["hasty"]
        port, rate = plan["port"], plan["rate"]
        interval = len(plan["devices"]) / rate
        self.devices = [FleetDevice(port, one, interval, interval * n / len(plan["devices"])) for n, one in enumerate(plan["devices"])]
        pause = len(plan["terminals"]) / plan["commands"]
        self.terminals = [FleetTerminal(port, one, pause * n / len(plan["terminals"]), pause) for n, one in enumerate(plan["terminals"])]
        self.selector = selectors.DefaultSelector()
        for one in self.devices + self.terminals:
            self.selector.register(one.link.socket, selectors.EVENT_READ, one)
        os.set_blocking(0, False)
        self.selector.register(0, selectors.EVENT_READ, None)
        self.words = b""

    def wrong(self, what):
        if len(self.errors) < 20:
            self.errors.append(what)

    def run(self):
        self.say({"ready": True})
        turned = 0
        while True:
            for key, _ in self.selector.select(0.005):
                if key.data is None:
                    if not self.listen():
                        return
                    continue
                now = time.monotonic()
                for topic, body in key.data.link.received():
                    key.data.take(topic, body, now, self)
            now = time.monotonic()
            if now - turned > 0.005:
                turned = now
                for one in self.devices + self.terminals:
                    one.turn(now, self)
                    one.link.flush()

    def listen(self):
        data = os.read(0, 4096)
        self.words += data
        while b"\n" in self.words:
            word, self.words = self.words.split(b"\n", 1)
            now = time.monotonic()
            if word == b"forget":
                for device in self.devices:
                    device.longest = 0
                    device.asked_at = device.asked_at and now
            if word in (b"rest", b"go"):
                self.is_resting = word == b"rest"
            self.say(self.state(now))
        return bool(data)

    def state(self, now):
        waits = sorted(((d.quiet(now), d.did) for d in self.devices), reverse=True)
        counts = collections.ChainMap(*[t.counts for t in self.terminals])
        return {
            "quiet": waits[0][0], "slowest": waits[0][1],
            "answered": [d.answered for d in self.devices], "sent": sum(d.count for d in self.devices),
            "waiting": [d.did for d in self.devices if d.asked_at is not None],
            "untold": [[d.did, d.count, counts.get(d.did)] for d in self.devices if counts.get(d.did) != d.count],
            "versions": {d.did: d.version for d in self.devices},
            "commands": sum(len(d.cids) for d in self.devices), "again": sum(d.again for d in self.devices),
            "heard": sum(t.heard for t in self.terminals), "errors": self.errors, "at": now,
        }

    def say(self, value):
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()


class FleetProcess:
    """The fleet's process, for a test."""

    def __init__(self, plan):
        self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(plan) + "\n")
        self.process.stdin.flush()
        assert self.answer()["ready"]

    def answer(self):
        line = self.process.stdout.readline()
        assert line, "the fleet ended"
        return json.loads(line)

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


if __name__ == "__main__":
    first = bytearray()
    while not first.endswith(b"\n"):
        first += os.read(0, 1)
    Fleet(json.loads(first)).run()
