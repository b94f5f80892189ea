"""Accounts in tests: apps with policies, a message gateway, and users with addresses."""

import itertools
import json
import re
import secrets

import client as clients
from client import Terminal, fresh_id
from harness import TOPICS, eventually
from world import EndToEnd, Tool

COUNTRY = "49"
PASSWORD = "correct lamp staple 42"
OTHER_PASSWORD = "quite another lamp 43"
WRONG = "not the right lamp 44"

# The apps of account tests, each named after its special feature.
APPS = {
    # Four apps, since one app can send only 200 codes an hour to one country.
    **{f"people{n}": {"policies": {"phoneRegistration": True, "uidLogin": True}} for n in ("", "-2", "-3", "-4")},
    "people-link": {"policies": {"emailRegistration": "link", "phoneRegistration": True}},
    "people-none": {"policies": {"emailRegistration": "none", "emailVerification": False}},
    "people-open": {"policies": {"revealAccounts": True, "phoneRegistration": True}},
    "people-strict": {"policies": {"usernameChangeable": False, "anonymous": "discard"}},
    "people-attacked": {"policies": {"phoneRegistration": True, "uidLogin": True}},
    "people-timed": {"policies": {"phoneRegistration": True, "uidLogin": True}},
}
_number = itertools.count(secrets.randbelow(10_000_000))


def fresh_email():
    return f"{fresh_id('p')}@example.com"


def fresh_phone():
    """Returns a German mobile number without its country code."""
    return f"151{next(_number) % 100_000_000:08d}"


def fresh_name():
    return fresh_id("name-")


class Gateway(Tool):
    """A gateway for text messages and e-mails that keeps the messages and reports them as sent."""

    refused = ()  # addresses that it fails to send to
    dead = ()  # addresses that don't exist: it reports a final failure

    def come(self):
        code = self.connect()
        assert code == 0, f"gateway refused: {code}"
        for channel in ("sms", "email"):
            granted = self.subscribe(f"{TOPICS}/system/outbound/{channel}")
            assert granted == 1, f"gateway may not subscribe: {granted}"
        return self

    def _on_message(self, client, data, raw):
        super()._on_message(client, data, raw)
        body = json.loads(raw.payload)
        answer = {"messageId": body["messageId"], "ok": True}
        if body["to"] in self.refused:
            answer.update(ok=False, error="out of paper")
        if body["to"] in self.dead:
            answer.update(ok=False, error="no such number", final=True)
        self.paho.publish(f"{TOPICS}/system/outbound/result", json.dumps(answer), 1)

    def taken(self, to, template="code", seconds=clients.SECONDS, **params):
        """Takes the first unread message that has this address, this template and these params."""
        def fits(body):
            return (same(body["to"], to) and body["template"] == template
                    and all(body["params"].get(k) == v for k, v in params.items()))
        return self.expect(None, fits, seconds, f"{template} to {to}").body

    def unread_to(self, to):
        with self.changed:
            return [m.body for m in self.inbox if same(m.body["to"], to)]


def same(one, other):
    """Returns whether two spellings mean the same address."""
    if "@" in one or "@" in other:
        return one.lower() == other.lower()
    one, other = re.sub(r"\D", "", one), re.sub(r"\D", "", other)
    return one.endswith(other) or other.endswith(one)


def wrong(code):
    """Returns a code that differs from this one."""
    return f"{(int(code) + 1) % 1_000_000:06d}"


def furnish(world):
    """Adds the apps and the gateway to the world, once."""
    if world.gateway is None:
        for app_id, app in APPS.items():
            world.import_app(app_id, app)
        gateway = Gateway(
            world.port, *(world.service.ready["service"][k] for k in ("username", "password")),
            world.service.ready["service"]["clientIdPrefix"] + "gateway",
            reconnect=True, keepalive=120)
        world.gateway = gateway.come()
    return world.gateway


class People(EndToEnd):
    """A test with accounts."""

    app = "people"

    def setUp(self):
        super().setUp()
        self.gateway = furnish(self.world)

    def stranger(self, app=None, **more):
        """Connects a terminal without a session."""
        return self.terminal(app or self.app, login=False, **more)

    def anonymous(self, app=None, device_id=None, **more):
        return self.terminal(app or self.app, device_id=device_id, **more)

    def sent(self, terminal, purpose, **address):
        """Requests a code; returns the answer and the code that arrived."""
        result = terminal.get("account/sendCode", {"countryCode": COUNTRY, "purpose": purpose, **address})
        to = address.get("email") or address["phone"]
        return result, self.gateway.taken(to)["params"]["code"]

    def code(self, terminal, purpose, **address):
        return self.sent(terminal, purpose, **address)[1]

    def register(self, terminal=None, app=None, password=PASSWORD, **more):
        """Registers an account, by default with a new username, and returns the logged-in terminal."""
        terminal = terminal or self.stranger(app)
        if not {"email", "phone", "username"} & set(more):
            more["username"] = fresh_name()
        if "code" not in more and "ticket" not in more:
            for kind in ("email", "phone"):
                if kind in more:
                    more["code"] = self.code(terminal, "register", **{kind: more[kind]})
        result = terminal.get("account/register", {"countryCode": COUNTRY, "password": password, **more})
        terminal.user = result["user"]
        terminal.adopt(result)
        return terminal

    def login(self, terminal=None, app=None, password=PASSWORD, **more):
        """Logs in with the given values and returns the terminal."""
        terminal = terminal or self.stranger(app)
        how = {} if "code" in more else {"password": password}
        result = terminal.get("account/login", {"countryCode": COUNTRY, **how, **more}, token=None)
        terminal.user = result["user"]
        terminal.adopt(result)
        return terminal

    def try_login(self, terminal=None, app=None, password=PASSWORD, **more):
        """Tries to log in and returns the answer."""
        terminal = terminal or self.stranger(app)
        how = {} if "code" in more else {"password": password}
        return terminal.ask("account/login", {"countryCode": COUNTRY, **how, **more}, token=None)

    def whoami(self, terminal):
        return terminal.get("account/whoami")["user"]

    def logout_code(self, terminal, **address):
        """Requests a code for the terminal's own address, exchanges this code for a logout code, and returns the
        logout code."""
        kind, to = next(iter(address.items()))
        code = self.code(terminal, "logoutTerminal", **address)
        return terminal.get("session/logoutCode", {
            "countryCode": COUNTRY, "userName": to, "accountType": kind, "verifyType": "authCode",
            "authCode": code})["logoutCode"]

    def ticket(self, terminal, **address):
        code = self.code(terminal, "operation", **address)
        return terminal.get("account/verifyOperation", {
            "countryCode": COUNTRY, **address, "code": code})["ticket"]

    def audit(self, uid):
        """Returns the user's rows in the audit trail, newest first."""
        return self.world.service.json("user", "audit", uid)["items"]

    def assertEnded(self, terminal, reason, token=None):
        """Asserts that the terminal was notified, and that its token is void from then on."""
        told = terminal.expect("/session", lambda b: b["type"] == "sessionInvalid").body
        self.assertEqual(told["reason"], reason)
        terminal.wait_lost()
        later = self.stranger(terminal.app_id, terminal_id=terminal.terminal_id)
        error = self.assertError(later.ask("account/whoami", token=token or terminal.token), "InvalidToken")
        self.assertEqual(error.get("reason"), reason)
        return later

    def assertOneOf(self, answer, *codes):
        self.assertIn(answer.get("error", answer).get("code"), codes, answer)


def parallel(terminals, method, params, rounds):
    """Sends `rounds` requests with unique ids from each terminal at once, and returns the answers."""
    asked = []
    for turn in range(rounds):
        for terminal in terminals:
            id = fresh_id("x")
            terminal.send(method, params(terminal, turn) if callable(params) else params, id)
            asked.append((terminal, id))
    return [terminal.answer(method, id, 60) for terminal, id in asked]


def succeeded(answers):
    return [a for a in answers if a["ok"]]


__all__ = [
    "APPS", "COUNTRY", "OTHER_PASSWORD", "PASSWORD", "WRONG", "Gateway", "People", "Terminal", "eventually",
    "fresh_email", "fresh_id", "fresh_name", "fresh_phone", "parallel", "same", "succeeded", "wrong",
]
