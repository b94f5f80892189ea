"""A minimal MQTT 3.1.1 client for tests with a thousand terminals on one thread."""

import json
import secrets
import selectors
import socket
import struct
import threading
import time

from harness import TOPICS, eventually
from packets import connect, packet, split, text


class Member:
    """One connection of the crowd, with the messages that it received."""

    def __init__(self, port, username, password, client_id):
        self.client_id, self.buffer, self.lock = client_id, b"", threading.Lock()
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.code, self.granted, self.lost_at = None, [], None
        self.answers, self.user, self.own = {}, [], []
        self.uid = self.token = None
        self.mid = 0
        self.socket.sendall(connect(client_id, username, password))

    def send(self, kind, body):
        with self.lock:
            self.socket.sendall(packet(kind, body))

    def next_mid(self):
        self.mid = self.mid % 65535 + 1
        return struct.pack(">H", self.mid)

    def subscribe(self, filter):
        self.send(0x82, self.next_mid() + text(filter) + b"\x01")

    def publish(self, topic, body, qos=1):
        mid = self.next_mid() if qos else b""
        self.send(0x30 | qos << 1, text(topic) + mid + json.dumps(body).encode())

    def feed(self, data):
        found, self.buffer = split(self.buffer + data)
        for kind, body in found:
            self.take(kind, body)

    def take(self, kind, body):
        if kind == 0x20:
            self.code = body[1]
        elif kind == 0x90:
            self.granted.append(body[2])
        elif kind & 0xF0 == 0x30:
            length = struct.unpack(">H", body[:2])[0]
            topic, rest = body[2:2 + length].decode(), body[2 + length:]
            if kind & 0x06:
                self.send(0x40, rest[:2])
                rest = rest[2:]
            self.hear(topic, rest)

    def hear(self, topic, payload):
        body = json.loads(payload) if payload else None
        if topic.endswith("/response"):
            self.answers[body["id"]] = body
        elif topic.startswith(f"{TOPICS}/user/"):
            self.user.append((time.monotonic(), topic, body))
        else:
            self.own.append((time.monotonic(), topic, body))


class Crowd:
    """Terminals of one app that connect, log in and subscribe together."""

    member = Member

    def __init__(self, port, app_id, secret, count):
        self.app_id, self.selector = app_id, selectors.DefaultSelector()
        self.members = []
        self.ends = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        for _ in range(count):
            member = self.member(port, f"app:{app_id}", secret, secrets.token_hex(16))
            self.members.append(member)
            self.selector.register(member.socket, selectors.EVENT_READ, member)
        self._all(lambda m: m.code is not None, "CONNACK")
        assert {m.code for m in self.members} == {0}
        for member in self.members:
            member.subscribe(f"{TOPICS}/app/{app_id}/{member.client_id}/#")
        self._all(lambda m: m.granted, "SUBACK")

    def _run(self):
        while not self.ends:
            for key, _ in self.selector.select(0.1):
                try:
                    data = key.data.socket.recv(65536)
                    if data:
                        key.data.feed(data)
                except OSError:
                    # Reading from the connection failed, or acknowledging a message failed.
                    data = b""
                if not data:
                    key.data.lost_at = time.monotonic()
                    self.selector.unregister(key.data.socket)

    def _all(self, probe, what, seconds=120, members=None):
        eventually(lambda: all(probe(m) for m in members or self.members), seconds, what)

    def ask(self, method, params, token=True, members=None):
        """Sends a request from every member, and returns the results; `params` can be a function."""
        id, members = f"crowd-{secrets.token_hex(4)}", members or self.members
        for number, member in enumerate(members):
            body = {"id": id, "params": params(number) if callable(params) else params}
            if token:
                body["token"] = member.token
            member.publish(f"{TOPICS}/app/{self.app_id}/{member.client_id}/request/{method}", body)
        self._all(lambda m: id in m.answers, f"answers to {method}", members=members)
        answers = [m.answers.pop(id) for m in members]
        bad = [a for a in answers if not a["ok"]]
        assert not bad, f"{method}: {bad[:3]}"
        return [a["result"] for a in answers]

    def login(self, **params):
        """Logs all terminals in anonymously and subscribes them to their users' topics."""
        for member, result in zip(self.members, self.ask(
                "account/loginAnonymous", {"countryCode": "49", **params}, token=False)):
            member.uid, member.token = result["user"]["uid"], result["token"]
            member.granted.clear()
            member.subscribe(f"{TOPICS}/user/{member.uid}/#")
        self._all(lambda m: m.granted, "SUBACK of the user's topics")
        assert {m.granted[0] for m in self.members} == {1}

    def close(self):
        self.ends = True
        self.thread.join()
        for member in self.members:
            member.socket.close()


class Probe:
    """A client that continually publishes the time to a user's topics."""

    def __init__(self, tool, uid, seconds=0.005):
        self.tool, self.topic, self.seconds, self.ends = tool, f"{TOPICS}/user/{uid}/probe", seconds, False
        self.sent = 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.ends:
            self.tool.publish(self.topic, {"at": time.monotonic()}, qos=self.sent & 1, wait=False)
            self.sent += 1
            time.sleep(self.seconds)

    def close(self):
        self.ends = True
        self.thread.join()
        self.tool.close()
