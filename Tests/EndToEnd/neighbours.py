"""Honest clients that, beside a hostile client, send requests evenly and time the answers."""

import collections
import json
import secrets
import selectors
import time

from crowd import Member
from harness import TOPICS

# The number of requests of each kind that all clients together send in a second.
RATES = {"whoami": 30, "control": 10, "report": 40, "login": 1}


def percentile99(values):
    """Returns the 99th percentile, or the second highest value if there are fewer than 200 values."""
    ordered = sorted(values)
    if len(ordered) < 200:
        return (ordered[-2:] or [0])[0]
    return ordered[int((len(ordered) - 1) * 0.99)]


class Cut(Exception):
    """An honest client was cut off."""


class Neighbour(Member):
    """One connection, which passes its messages to its `Neighbours`."""

    def __init__(self, neighbours, port, username, password, client_id, *filters):
        super().__init__(port, username, password, client_id)
        self.neighbours, self.filters = neighbours, filters
        neighbours.selector.register(self.socket, selectors.EVENT_READ, self)
        for filter in filters:
            self.subscribe(filter)

    def hear(self, topic, payload):
        self.neighbours.hear(self, topic, json.loads(payload) if payload else {})


class Neighbours:
    """Clients of any kind on one thread."""

    def __init__(self, port):
        self.port, self.selector, self.members = port, selectors.DefaultSelector(), []

    def add(self, *who):
        """Adds a client with a username, a password, a client id and filters."""
        self.members.append(Neighbour(self, self.port, *who))
        return self.members[-1]

    def ready(self):
        """Waits until all clients are connected and all their subscriptions are granted."""
        self.until(lambda: all(m.code is not None and len(m.granted) == len(m.filters) for m in self.members), 30)
        codes = {m.code for m in self.members} | {code for m in self.members for code in m.granted}
        if not codes <= {0, 1}:
            raise Cut(f"neighbours are refused: {codes}")

    def turn(self, seconds):
        """Takes the received messages."""
        for key, _ in self.selector.select(seconds):
            try:
                data = key.data.socket.recv(65536)
            except OSError as error:
                raise Cut(f"{key.data.client_id}: {error}") from None
            if not data:
                raise Cut(f"{key.data.client_id} was cut off")
            key.data.feed(data)

    def until(self, probe, seconds):
        """Takes messages until the probe is true, and returns whether it became true in time."""
        end = time.monotonic() + seconds
        while not (done := probe()) and time.monotonic() < end:
            self.turn(0.01)
        return done

    def close(self):
        for member in self.members:
            self.selector.unregister(member.socket)
            member.socket.close()
        self.members = []

    def hear(self, member, topic, body):
        """Takes a message."""


class Asker(Neighbours):
    """Clients that send a request and wait for the answer."""

    def __init__(self, port):
        super().__init__(port)
        self.answers = {}

    def hear(self, member, topic, body):
        if "id" in body:
            self.answers[body["id"]] = body

    def ask(self, member, topic, seconds=10, **body):
        """Publishes a message, and returns its answer, or None after the time limit."""
        id = secrets.token_hex(6)
        member.publish(topic, {"id": id, **body})
        self.until(lambda: id in self.answers, seconds)
        return self.answers.pop(id, None)


class Lane:
    """The outcomes of messages of one kind."""

    def __init__(self):
        self.seconds, self.refusals, self.lost = [], [], 0

    @property
    def p99(self):
        return percentile99(self.seconds)


class Others(Neighbours):
    """The honest clients.

    Each request is timed from the moment when it was due. So pauses of the machine are visible.

    `terminals` are (terminal id, token, uid). `devices` are (did, secret, index of the owner's terminal).
    """

    def __init__(self, port, app, terminals, devices, people, password, rates=RATES):
        super().__init__(port)
        self.rates, self.app, self.devices, self.people, self.password = rates, app, devices, people, password
        app_id, secret = app
        self.tokens = [token for _, token, _ in terminals]
        self.terminals = [self.add(f"app:{app_id}", token, id, f"{TOPICS}/app/{app_id}/{id}/#", f"{TOPICS}/user/{uid}/#")
                          for id, token, uid in terminals]
        self.machines = [self.add(f"device:{did}", key, did, *(f"{TOPICS}/device/{did}/{leaf}" for leaf in (
            "command", "response"))) for did, key, _ in devices]
        self.visitors = [self.add(f"app:{app_id}", secret, id, f"{TOPICS}/app/{app_id}/{id}/response")
                         for id in (secrets.token_hex(16) for _ in people)]
        self.next, self.waiting, self.lanes, self.logged = int(time.time() * 1000) % 10**9 * 1000, {}, None, 0
        self.forget()
        self.ready()

    def forget(self):
        self.lanes, self.waiting = {kind: Lane() for kind in self.rates}, {}

    def live(self, seconds, meanwhile=lambda: None):
        """For `seconds`, sends requests at each kind's rate, and calls `meanwhile` in each pass."""
        begin, made = time.monotonic(), collections.Counter()
        while (elapsed := time.monotonic() - begin) < seconds:
            for kind, rate in self.rates.items():
                while made[kind] < int(elapsed * rate):
                    made[kind] += 1
                    self.act(kind, begin + made[kind] / rate)
            self.turn(0.002)
            meanwhile()

    def drain(self, seconds, probe=lambda: True):
        """Waits for the last answers and for `probe`, and counts unanswered requests as lost."""
        self.until(lambda: probe() and not self.waiting, seconds)
        for kind, _ in self.waiting.values():
            self.lanes[kind].lost += 1
        self.waiting = {}

    def act(self, kind, due):
        self.next += 1
        self.waiting[str(self.next)] = (kind, due)
        place = self.next % len(self.devices)
        if kind == "whoami":
            self.ask(self.next % len(self.terminals), "account/whoami", {})
        elif kind == "control":
            did, _, owner = self.devices[place]
            self.ask(owner, "device/control", {"did": did, "sn": self.next, "data": {"sequence": self.next}})
        elif kind == "report":
            self.report(self.machines[place], id=str(self.next))
        else:
            self.log_in()

    def ask(self, place, method, params):
        terminal = self.terminals[place]
        terminal.publish(f"{TOPICS}/app/{self.app[0]}/{terminal.client_id}/request/{method}",
                         {"id": str(self.next), "token": self.tokens[place], "params": params})

    def report(self, machine, **body):
        machine.publish(f"{TOPICS}/device/{machine.client_id}/report", {**body, "data": {"sequence": self.next}})

    def log_in(self):
        place = self.logged % len(self.people)
        self.logged += 1
        visitor = self.visitors[place]
        visitor.publish(f"{TOPICS}/app/{self.app[0]}/{visitor.client_id}/request/account/login", {
            "id": str(self.next),
            "params": {"countryCode": "1", "username": self.people[place], "password": self.password}})

    def hear(self, member, topic, body):
        if topic.endswith("/command"):
            if topic.startswith(f"{TOPICS}/device/"):
                self.report(member, cid=body["cid"], code=0)
            else:
                self.settle(str(body.get("sn")))
        elif topic.endswith("/response") and body.get("id") in self.waiting:
            kind, _ = self.waiting[body["id"]]
            if body.get("ok") is False:
                del self.waiting[body["id"]]
                self.lanes[kind].refusals.append(body)
            elif kind != "control":  # a command counts as answered once its outcome is published
                self.settle(body["id"])

    def settle(self, id):
        if id in self.waiting:
            kind, due = self.waiting.pop(id)
            self.lanes[kind].seconds.append(time.monotonic() - due)


class Eviction:
    """Simulates an owner who changes the password because an intruder is logged in on another terminal."""

    NEW = "eight lamps in a row"

    def __init__(self, port, app, password):
        self.app_id, secret = app
        self.password, self.began, self.out, self.answer = password, None, None, None
        self.owner, self.intruder = Asker(port), Asker(port)
        name = f"owner-{secrets.token_hex(6)}"
        params = {"countryCode": "1", "username": name, "password": password}
        self.token, _ = self.enter(self.owner, secret, "account/register", params)
        token, uid = self.enter(self.intruder, secret, "account/login", params)
        self.intruder.members[0].subscribe(f"{TOPICS}/user/{uid}/#")

    def enter(self, asker, secret, method, params):
        """Connects a terminal and returns the token and uid of its new session.

        An earlier attack may have used up the rate limit for new clients. The terminal then tries again.
        """
        deadline = time.monotonic() + 30
        while True:
            id = secrets.token_hex(16)
            member = asker.add(f"app:{self.app_id}", secret, id, f"{TOPICS}/app/{self.app_id}/{id}/response")
            try:
                asker.ready()
                break
            except Cut:
                asker.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        answer = asker.ask(member, self.topic(member, method), params=params)
        assert answer and answer["ok"], f"{method}: {answer}"
        return answer["result"]["token"], answer["result"]["user"]["uid"]

    def topic(self, member, method):
        return f"{TOPICS}/app/{self.app_id}/{member.client_id}/request/{method}"

    def start(self):
        """Changes the password."""
        self.began = time.monotonic()
        owner = self.owner.members[0]
        owner.publish(self.topic(owner, "account/changePassword"), {"id": "evict", "token": self.token, "params": {
            "oldPassword": self.password, "newPassword": self.NEW}})

    def turn(self):
        """Takes the received messages, and notes when the intruder is cut off."""
        self.owner.turn(0)
        self.answer = self.owner.answers.get("evict", self.answer)
        if self.out is None:
            try:
                self.intruder.turn(0)
            except Cut:
                self.out = time.monotonic() - (self.began or 0)

    def close(self):
        self.owner.close()
        self.intruder.close()


def refused_to_strangers(port, app, product):
    """Returns the refused and unanswered requests of a new terminal and a new device, as lines."""
    asker, found = Asker(port), []

    def ask(username, password, client_id, filter, topic, **body):
        try:
            member = asker.add(username, password, client_id, filter)
            asker.ready()
            answer = asker.ask(member, topic, 5, **body)
        except (Cut, OSError) as error:
            answer = {"error": str(error)}
        asker.close()
        if not answer or not answer.get("ok"):
            found.append(f"{topic}: {answer or 'no answer'}")

    terminal, mac = secrets.token_hex(16), secrets.token_hex(6)
    space = f"{TOPICS}/app/{app[0]}/{terminal}"
    for method, params in (
            ("account/sendCode", {"phone": f"139{secrets.randbelow(10**8):08d}", "purpose": "login"}),
            ("account/loginAnonymous", {})):
        ask(f"app:{app[0]}", app[1], terminal, f"{space}/response", f"{space}/request/{method}",
            params={"countryCode": "86", **params})
    base = f"{TOPICS}/product/{product[0]}/{mac}"
    ask(f"product:{product[0]}", product[1], mac, f"{base}/registered", f"{base}/register",
        mac=mac, passcode="123456", hardware={})
    return found
