"""A login works at once after a logout or a lost answer, and the terminal gets no data of the earlier user."""

import time
import unittest

import pythonclient
from accounts import COUNTRY, PASSWORD
from client import Terminal, fresh_id, fresh_terminal
from harness import TOPICS
from turns import PAUSES, ROUNDS, Pair
from world import OwnWorld

REFUSED = (0x86, 0x87)


class Hand(Pair):
    """Logins as the contract describes them, without a client library."""

    transport = "tcp"

    def come(self, password, terminal_id):
        port = self.world.port if self.transport == "tcp" else self.world.service.ready["webSocketPort"]
        terminal = self.keep(Terminal(port, self.app, password, terminal_id=terminal_id, transport=self.transport))
        self.assertEqual(terminal.connect(), 0)
        return terminal

    def granted(self, terminal, filter):
        """Returns the granted QoS, or None if the connection ends before the grant."""
        _rc, mid = terminal.paho.subscribe(filter, 1)
        terminal.wait(lambda: mid in terminal.granted or not terminal.connected)
        return (terminal.granted.get(mid) or [None])[0]

    def log_in(self, terminal, name):
        """Logs in on a connection that can end before the answer arrives.

        Returns a terminal that gets the user's messages, all terminals that were used, and the time when the answer to
        the login arrived.
        """
        secret, id, all = self.world.apps[self.app]["secret"], fresh_id("login-"), [terminal]
        params = {"countryCode": COUNTRY, "username": name, "password": PASSWORD}
        while True:
            body = {"id": id, "params": params}
            terminal.publish(f"{terminal.base}/request/account/login", body, wait=False)
            found = terminal.wait(lambda: [m for m in terminal.everything if m.body and m.body.get("id") == id]
                                  or not terminal.connected)
            if found is not True:
                break
            terminal = self.come(secret, terminal.terminal_id)
            all.append(terminal)
            self.granted(terminal, f"{terminal.base}/#")
        result = found[0].body["result"]
        filter = f"{TOPICS}/user/{result['user']['uid']}/#"
        if self.granted(terminal, filter) != 1:
            terminal = self.come(result["token"], terminal.terminal_id)
            all.append(terminal)
            self.assertEqual(self.granted(terminal, f"{terminal.base}/#"), 1)
            self.assertEqual(self.granted(terminal, filter), 1)
        terminal.token, terminal.uid = result["token"], result["user"]["uid"]
        self.assertEqual(self.whoami(terminal)["username"], name)
        return terminal, all, found[0].at


class ByHand(Hand):
    def test_logging_out_and_in(self):
        for number, pause in enumerate(PAUSES):
            if number % ROUNDS == 0:
                terminal = self.come(self.world.apps[self.app]["secret"], fresh_terminal())
                terminal.subscribe(f"{terminal.base}/#")
                terminal, _, _ = self.log_in(terminal, self.name(number))
            former = terminal.uid
            terminal.wait(lambda: [m for m in terminal.everything if m.leaf == "status"])
            terminal.get("account/logout")
            time.sleep(pause)
            began = time.monotonic()
            terminal, all, at = self.log_in(terminal, self.name(number + 1))
            self.note(pause, time.monotonic() - began)
            terminal.wait(lambda: [m for m in terminal.everything if f"/user/{terminal.uid}/" in m.topic])
            late = [m for one in all for m in one.everything if f"/user/{former}/" in m.topic and m.at > at]
            early = [m for one in all[1:] for m in one.everything if f"/user/{former}/" in m.topic]
            self.assertEqual(late + early, [], f"{pause} s after the logout")
        self.tell()


class ByHandOverWebSocket(ByHand):
    transport = "websockets"


class LostAnswer(OwnWorld, Hand):
    """The client closes the socket right after its login, so the answer is lost."""

    def lose(self):
        """Sends a login whose answer is lost, and waits until the session has begun.

        Returns the terminal and the request.
        """
        terminal = self.come(self.world.apps[self.app]["secret"], fresh_terminal())
        request = {"id": fresh_id("login-"), "params": {
            "countryCode": COUNTRY, "username": self.name(0), "password": PASSWORD}}
        self.users[0].clear()
        self.assertEqual(terminal.publish(f"{terminal.base}/request/account/login", request), 0)
        terminal.vanish()
        self.users[0].expect("/session", lambda b: b.get("terminalId") == terminal.terminal_id)
        return terminal, request

    def enter(self, terminal):
        """Connects with the app's secret, which gives no access to the session."""
        back = self.come(self.world.apps[self.app]["secret"], terminal.terminal_id)
        self.assertEqual(back.subscribe(f"{back.base}/#"), 1)
        self.assertIn(back.subscribe(f"{TOPICS}/user/{self.users[0].uid}/#"), REFUSED)
        return back

    def assertRefused(self, terminal):
        late = self.keep(Terminal(self.world.port, self.app, self.world.apps[self.app]["secret"],
                                  terminal_id=terminal.terminal_id))
        self.assertIn(late.connect(), REFUSED)

    def assertNothing(self, terminal):
        self.assertEqual([m for m in terminal.everything if "/user/" in m.topic], [])

    def test_the_repeat_gets_the_same_answer(self):
        terminal, request = self.lose()
        back = self.enter(terminal)
        back.publish(f"{back.base}/request/account/login", request)
        result = back.answer("account/login", request["id"])["result"]
        self.assertIn(back.subscribe(f"{TOPICS}/user/{self.users[0].uid}/#"), REFUSED, "it began on another connection")
        owner = self.come(result["token"], terminal.terminal_id)
        self.assertEqual(owner.subscribe(f"{TOPICS}/user/{self.users[0].uid}/#"), 1)
        self.assertRefused(terminal)
        self.assertTrue(owner.connected)
        self.assertNothing(back)

    def test_a_new_login_replaces_the_session(self):
        terminal, request = self.lose()
        back = self.enter(terminal)
        back.publish(f"{back.base}/request/account/login", request)
        lost = back.answer("account/login", request["id"])["result"]
        self.login(back, username=self.name(1))
        self.assertEqual(self.whoami(back)["username"], self.name(1))
        error = self.assertError(back.ask("account/whoami", token=lost["token"]), "InvalidToken")
        self.assertEqual(error["reason"], "replaced")
        self.assertEqual([m for m in back.everything if f"/user/{self.users[0].uid}/" in m.topic], [])

    def test_the_secret_is_accepted_until_the_first_use_even_after_restarts(self):
        terminal, request = self.lose()
        self.own.service.stop()
        self.own.service.start()
        back = self.enter(terminal)
        back.publish(f"{back.base}/request/account/login", request)
        token = back.answer("account/login", request["id"])["result"]["token"]
        again = self.enter(terminal)
        again.get("account/whoami", token=token)
        self.assertIn(again.subscribe(f"{TOPICS}/user/{self.users[0].uid}/#"), REFUSED)
        self.assertRefused(terminal)
        self.own.service.stop()
        self.own.service.start()
        self.assertRefused(terminal)
        self.come(token, terminal.terminal_id)

    def test_a_stranger_with_the_secret_sees_nothing_of_a_login_in_progress(self):
        """Another connection takes over the terminal while the password is being hashed."""
        for _ in range(3):
            terminal = self.come(self.world.apps[self.app]["secret"], fresh_terminal())
            request = {"id": fresh_id("login-"), "params": {
                "countryCode": COUNTRY, "username": self.name(0), "password": PASSWORD}}
            self.users[0].clear()
            self.assertEqual(terminal.publish(f"{terminal.base}/request/account/login", request), 0)
            back = self.come(self.world.apps[self.app]["secret"], terminal.terminal_id)
            self.users[0].expect("/session", lambda b: b.get("terminalId") == terminal.terminal_id)
            self.assertIn(back.subscribe(f"{TOPICS}/user/{self.users[0].uid}/#"), REFUSED)


class ByPython(Pair):
    version, transport = "1.6", "tcp"

    def make(self):
        port = self.world.port if self.transport == "tcp" else self.world.service.ready["webSocketPort"]
        app = pythonclient.module(self.version).App(
            self.app, self.world.apps[self.app]["secret"], port=port, transport=self.transport)
        self.addCleanup(app.close)
        self.pushes = []
        for kind in ("status", "event", "session"):
            app.on(kind, self.pushes.append)
        return app.connect()

    def log_in(self, app, number):
        return app.account.login(countryCode=COUNTRY, username=self.name(number), password=PASSWORD)

    def test_logging_out_and_in(self):
        for number, pause in enumerate(PAUSES):
            if number % ROUNDS == 0:
                app = self.make()
                self.log_in(app, number)
            app.account.logout()
            time.sleep(pause)
            self.pushes.clear()
            began = time.monotonic()
            result = self.log_in(app, number + 1)
            self.note(pause, time.monotonic() - began)
            self.assertEqual(app.account.whoami()["user"]["uid"], result["user"]["uid"])
            self.users[0].wait(lambda: [p for p in self.pushes if p.kind == "status"])
            self.assertEqual({p.did for p in self.pushes if p.did}, {self.devices[(number + 1) % 2].did})
        self.tell()


class ByPythonOverWebSocket(ByPython):
    transport = "websockets"


class ByPythonOnPaho2(ByPython):
    version = "2.1"


del Hand, Pair, OwnWorld

if __name__ == "__main__":
    unittest.main()
