"""MQTT clients like those of third parties, with schema checks of all messages."""

import itertools
import json
import os
import secrets
import threading
import time

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

import contract
from harness import TOPICS, patience

SECONDS = 10
violations = []  # messages to any client that violate the schemas, as lines
_serial = itertools.count(1)


def fresh_id(prefix="t"):
    return f"{prefix}{next(_serial)}-{secrets.token_hex(4)}"


def fresh_mac():
    return secrets.token_hex(6)


def fresh_terminal():
    return secrets.token_hex(16)


def fresh_did():
    """Returns the did of a device that doesn't exist."""
    return f"d-{secrets.token_hex(7)[:13]}"


def now():
    return int(time.time() * 1000)


class Message:
    """A received message: topic, body (None if empty), retain flag, and MQTT 5 properties."""

    def __init__(self, raw):
        self.topic = raw.topic
        self.payload = bytes(raw.payload)
        self.retain = bool(raw.retain)
        self.qos = raw.qos
        self.properties = getattr(raw, "properties", None)
        self.at = time.monotonic()
        self.body = None
        if self.payload:
            try:
                self.body = json.loads(self.payload)
            except (ValueError, RecursionError):
                self.body = None  # some topics allow any payload; see check()

    @property
    def leaf(self):
        return self.topic.rsplit("/", 1)[-1]

    def __repr__(self):
        return f"{self.topic}{' (retained)' if self.retain else ''}: {self.payload[:300]!r}"


def check(message):
    """Checks a message that the service or the gate published, and records each violation of the schemas."""
    found = contract.channel_of(message.topic, TOPICS)
    if found is None:
        return
    name, channel = found
    # Only messages on channels on which the service or the gate publishes are checked.
    if channel["action"] != "send" and channel["who"] != "gate":
        return
    if "binary" in channel:
        return
    if len(message.payload) > 65536:
        violations.append(f"{message.topic}: {len(message.payload)} bytes")
    if message.body is None:
        if message.payload or not channel.get("retain"):
            violations.append(f"{message.topic}: empty")
        return
    if message.retain and not channel.get("retain"):
        violations.append(f"{message.topic}: is retained")
    for problem in contract.problems(channel["payload"], message.body):
        violations.append(f"{message.topic} as {channel['payload']}: {problem} in {message.payload[:500]!r}")


class _Paho(paho.Client):
    """A client of paho 1.6 that notes PUBACK's reason code, which paho hides."""

    puback = None

    def _handle_pubackcomp(self, cmd):
        packet = self._in_packet["packet"]
        if self.puback is not None and len(packet) >= 2:
            mid = packet[0] << 8 | packet[1]
            self.puback[mid] = packet[2] if self._protocol == paho.MQTTv5 and len(packet) > 2 else 0
        return super()._handle_pubackcomp(cmd)


class Client:
    """A client with an inbox; every wait has a deadline."""

    def __init__(self, port, username=None, password=None, client_id="", version=5, will=None,
                 clean=True, expiry=0, keepalive=30, reconnect=False, will_retain=False, source="",
                 host="127.0.0.1", tls=None, transport="tcp"):
        self.host = host
        self.port, self.version, self.clean, self.expiry = port, version, clean, expiry
        self.keepalive, self.reconnect = keepalive, reconnect
        self.source = source  # the address to connect from; any of 127.0.0.0/8
        self.client_id = client_id
        self.changed = threading.Condition()
        self.inbox, self.everything = [], []
        self.code = None  # of the last CONNACK
        self.session_present = None
        self.connected = False
        self.lost = None  # reason code or rc of the last disconnect
        self.granted, self.puback = {}, {}
        self.filters = {}
        protocol = paho.MQTTv5 if version == 5 else paho.MQTTv311
        more = {} if version == 5 else {"clean_session": clean}
        self.paho = _Paho(client_id, protocol=protocol, transport=transport, **more)
        if tls is not None:
            self.paho.tls_set_context(tls)
        self.paho.puback = self.puback
        self.paho.reconnect_delay_set(1, 1)
        if username is not None:
            self.paho.username_pw_set(username, password)
        if will is not None:
            self.paho.will_set(will[0], json.dumps(will[1]), qos=1, retain=will_retain)
        self.paho.on_connect = self._on_connect
        self.paho.on_disconnect = self._on_disconnect
        self.paho.on_message = self._on_message
        self.paho.on_subscribe = self._on_subscribe

    # -- callbacks, on paho's thread

    def _on_connect(self, _client, _data, flags, code, *_properties):
        with self.changed:
            self.code = getattr(code, "value", code)
            self.session_present = flags.get("session present")
            self.connected = self.code == 0
            if self.connected and self.reconnect:
                for filter, qos in self.filters.items():
                    self.paho.subscribe(filter, qos)
            self.changed.notify_all()

    def _on_disconnect(self, _client, _data, code, *_properties):
        with self.changed:
            self.connected = False
            self.lost = getattr(code, "value", code)
            if not self.reconnect:
                self.paho._thread_terminate = True  # otherwise paho reconnects
            self.changed.notify_all()

    def _on_message(self, _client, _data, raw):
        message = Message(raw)
        try:
            check(message)
        except Exception as error:
            # An uncaught exception would end paho's thread, and this client would get no more messages.
            violations.append(f"{message.topic} could not be checked: {error!r}")
        with self.changed:
            self.inbox.append(message)
            self.everything.append(message)
            self.changed.notify_all()

    def _on_subscribe(self, _client, _data, mid, granted, *_properties):
        with self.changed:
            self.granted[mid] = [getattr(code, "value", code) for code in granted]
            self.changed.notify_all()

    # -- functions for tests

    def wait(self, probe, seconds=SECONDS, what="it"):
        seconds = patience(seconds)
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                value = probe()
                if value:
                    return value
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(
                        f"{self.client_id}: {what} did not come within {seconds} s; "
                        f"unread: {self.inbox[-5:]}")
                self.changed.wait(left)

    def connect(self, seconds=SECONDS):
        """Connects and returns CONNACK's code; 0 is success."""
        self.code = None
        more = {}
        if self.version == 5:
            properties = Properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = self.expiry
            more = {"clean_start": self.clean, "properties": properties}
        self.paho.connect(self.host, self.port, self.keepalive, bind_address=self.source, **more)
        self.paho.loop_start()
        self.wait(lambda: self.code is not None, seconds, "CONNACK")
        if self.code != 0:
            self.paho.loop_stop()
        return self.code

    def subscribe(self, filter, qos=1):
        """Subscribes and returns SUBACK's code."""
        self.filters[filter] = qos
        _rc, mid = self.paho.subscribe(filter, qos)
        return self.wait(lambda: self.granted.get(mid), what=f"SUBACK of {filter}")[0]

    def unsubscribe(self, filter):
        self.filters.pop(filter, None)
        self.paho.unsubscribe(filter)

    def publish(self, topic, body, qos=1, retain=False, properties=None, wait=True):
        """Publishes a message, and returns PUBACK's code.

        A body of bytes or a string is sent unchanged. Any other body is sent as JSON.
        """
        payload = body if isinstance(body, (bytes, str)) else json.dumps(body)
        info = self.paho.publish(topic, payload, qos, retain, properties)
        if not wait:
            return None
        info.wait_for_publish(SECONDS)
        return self.puback.get(info.mid, 0)

    def expect(self, topic=None, where=None, seconds=SECONDS, what=None):
        """Takes the first unread message that passes `where` and whose topic ends with `topic`."""
        def take():
            for index, message in enumerate(self.inbox):
                if topic is not None and not message.topic.endswith(topic):
                    continue
                if where is not None and (message.body is None or not where(message.body)):
                    continue
                return self.inbox.pop(index)
            return None
        return self.wait(take, seconds, what or f"a message on …{topic}")

    def unread(self, topic=""):
        with self.changed:
            return [m for m in self.inbox if m.topic.endswith(topic)]

    def clear(self):
        with self.changed:
            self.inbox.clear()

    def wait_lost(self, seconds=5):
        """Waits until the broker ends the connection."""
        self.wait(lambda: not self.connected, seconds, "the connection's end")

    def close(self):
        """Disconnects with a DISCONNECT, so that no will is sent."""
        self.reconnect = False
        self.paho.disconnect()
        self.paho.loop_stop()
        # paho's select() accepts only descriptors below 1,024. With thousands of clients, a closed client must release
        # its descriptors.
        self.paho._reset_sockets()

    def vanish(self):
        """Drops the connection as after a SIGKILL, so that the broker sends the will."""
        self.reconnect = False
        self.paho.on_disconnect = None
        self.paho._thread_terminate = True
        sock = self.paho.socket()
        if sock is not None:
            sock.shutdown(2)
        self.paho.loop_stop()
        self.connected = False


class Device(Client):
    """A device that sends reports, and receives answers and commands."""

    def __init__(self, port, did, secret, mac=None, product=None, passcode=None, **more):
        super().__init__(port, f"device:{did}", secret, did, **more)
        self.did, self.secret, self.mac = did, secret, mac
        self.product, self.passcode = product, passcode
        self.base = f"{TOPICS}/device/{did}"
        self.last_cid = 0

    def come(self):
        """Connects and subscribes to the device's topics, which the broker must accept."""
        code = self.connect()
        assert code == 0, f"{self.did} refused: {code}"
        for leaf in ("command", "response"):
            granted = self.subscribe(f"{self.base}/{leaf}")
            assert granted == 1, f"{self.did} may not subscribe {leaf}: {granted}"
        return self

    def send(self, **report):
        """Sends a report unchanged."""
        return self.publish(f"{self.base}/report", report)

    def report(self, **report):
        """Sends a report with an id and returns its answer."""
        report.setdefault("id", fresh_id("r"))
        self.send(**report)
        return self.response(report["id"])

    def response(self, id, seconds=SECONDS):
        return self.expect("/response", lambda b: b.get("id") == id, seconds, f"response to {id}").body

    def command(self, seconds=SECONDS):
        """Returns the next command, which must have a greater cid than the previous command."""
        message = self.expect("/command", seconds=seconds)
        cid = message.body["cid"]
        if cid <= self.last_cid:
            violations.append(f"{self.did}: cid {cid} after {self.last_cid}")
        self.last_cid = cid
        return message


class Terminal(Client):
    """An app's terminal, which after a login also gets messages on the user's topics."""

    def __init__(self, port, app_id, secret, terminal_id=None, **more):
        self.terminal_id = terminal_id or fresh_terminal()
        super().__init__(port, f"app:{app_id}", secret, self.terminal_id, **more)
        self.app_id = app_id
        self.base = f"{TOPICS}/app/{app_id}/{self.terminal_id}"
        self.token = self.uid = self.session_id = None

    def come(self):
        code = self.connect()
        assert code == 0, f"terminal refused: {code}"
        granted = self.subscribe(f"{self.base}/#")
        assert granted == 1, f"terminal may not subscribe its own space: {granted}"
        return self

    def ask(self, method, params=None, id=None, seconds=SECONDS, **envelope):
        """Sends a request, by default with the session's token, and returns the whole answer."""
        id = id or fresh_id("q")
        self.send(method, params, id, **envelope)
        return self.answer(method, id, seconds)

    def send(self, method, params=None, id=None, **envelope):
        if self.token is not None:
            envelope.setdefault("token", self.token)
        body = {"id": id, "params": params or {}, **envelope}
        return self.publish(f"{self.base}/request/{method}", {k: v for k, v in body.items() if v is not None})

    def answer(self, method, id, seconds=SECONDS, topic="/response"):
        body = self.expect(topic, lambda b: b.get("id") == id, seconds, f"answer to {method}").body
        check_answer(method, body, by_key=(self.token or "").startswith("llk_"))
        return body

    def get(self, method, params=None, **more):
        """Sends a request that must succeed, and returns the result."""
        answer = self.ask(method, params, **more)
        assert answer["ok"], f"{method}: {answer}"
        return answer["result"]

    def fail(self, method, params=None, **more):
        """Sends a request that must fail, and returns the error."""
        answer = self.ask(method, params, **more)
        assert not answer["ok"], f"{method} was let through: {answer}"
        return answer["error"]

    def login(self, device_id=None, **more):
        """Logs in anonymously and subscribes to the user's topics."""
        params = {"countryCode": "49", "platform": "test", "os": "none", **more}
        if device_id:
            params["deviceId"] = device_id
        return self.adopt(self.get("account/loginAnonymous", params, token=None))

    def adopt(self, result):
        """Adopts the session of a login or registration, and subscribes to the user's topics."""
        self.token, self.session_id = result["token"], result["sessionId"]
        self.uid = result["user"]["uid"]
        granted = self.subscribe(f"{TOPICS}/user/{self.uid}/#")
        assert granted == 1, f"user topics refused right after the login: {granted}"
        return result

    def bind(self, device, **more):
        return self.get("device/bind", {"did": device.did, "passcode": device.passcode, **more})

    def status(self, device, where=None, seconds=SECONDS):
        """Returns the next status of the device on the user's topics."""
        return self.expect(f"/device/{device.did}/status", where, seconds).body

    def event(self, device, where=None, seconds=SECONDS):
        return self.expect(f"/device/{device.did}/event", where, seconds).body


def check_answer(method, body, by_key=False):
    """Records an answer's violations of the method's schemas; `by_key` says whether the request used an API key."""
    for problem in contract.problems("answer", body):
        violations.append(f"answer to {method}: {problem} in {json.dumps(body)[:500]}")
    name = f"{method.replace('/', '.')}.result"
    if body.get("ok") and name in contract.entries():
        for problem in contract.problems(name, body["result"]):
            violations.append(f"result of {method}: {problem} in {json.dumps(body)[:500]}")
    if body.get("ok") is False and method in contract.methods():
        code = body.get("error", {}).get("code")
        if code not in contract.error_codes(method, by_key):
            violations.append(f"answer to {method}: schemas/errors.yaml does not name {code}")


def register(port, product_key, secret, mac=None, passcode="123456", version=5, id=None, source="", **more):
    """Registers a device with the product's secret, and returns the whole answer."""
    mac = mac or fresh_mac()
    client = Client(port, f"product:{product_key}", secret, mac, version=version, source=source)
    code = client.connect()
    assert code == 0, f"product refused: {code}"
    try:
        return register_on(client, product_key, mac, passcode, id=id, **more)
    finally:
        client.close()


def register_on(client, product_key, mac, passcode="123456", id=None, **more):
    base = f"{TOPICS}/product/{product_key}/{mac}"
    if f"{base}/registered" not in client.filters:
        granted = client.subscribe(f"{base}/registered")
        assert granted == 1, f"product may not subscribe: {granted}"
    id = id or fresh_id("g")
    client.publish(f"{base}/register", {"id": id, "mac": mac, "passcode": passcode, "hardware": {}, **more})
    return client.expect("/registered", lambda b: b.get("id") == id).body
