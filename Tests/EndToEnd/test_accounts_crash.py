"""Tests that a login or registration takes effect only once, even if the service is killed."""

import threading
import time
import unittest

from accounts import COUNTRY, PASSWORD, Gateway, People, fresh_email, fresh_name, fresh_phone
from client import Terminal
from harness import LONG
from world import OwnWorld

KILLS = 20 if LONG else 3
PEOPLE = 6
REFUSED = (4, 5, 0x86, 0x87)


class Killed(OwnWorld, People):
    def strike(self, seconds):
        """Kills the service after `seconds`, and starts it again on the same ports."""
        time.sleep(seconds)
        self.own.service.kill()
        self.own.service.start()

    def patient(self, terminal, method, params, id):
        """Repeats a request with the same id until it is answered, as apps do.

        Returns None if the broker refuses the app's secret. This refusal means that the terminal has a session. So the
        request took effect, and only the answer was lost.
        """
        for _ in range(60):
            terminal.wait(lambda: terminal.connected or terminal.code in REFUSED, 60, "the broker's return")
            try:
                terminal.send(method, params, id, token=None)
                answer = terminal.answer(method, id, 2)
            except (AssertionError, RuntimeError, ValueError):  # the connection was lost meanwhile
                if terminal.code in REFUSED and not terminal.connected:
                    return None
                continue
            if answer["ok"] or answer["error"]["code"] != "Unavailable":
                return answer
        raise AssertionError(f"{method} was never answered")

    def assertLoggedIn(self, terminal, answer):
        """Asserts that the answer's token works for the terminal that reconnects with it."""
        terminal.close()
        back = self.keep(Terminal(self.own.port, self.app, answer["result"]["token"],
                                  terminal_id=terminal.terminal_id)).come()
        back.get("account/whoami", token=answer["result"]["token"])

    def test_a_registration_repeated_makes_one_user(self):
        for kill in range(KILLS):
            terminals = [self.stranger(reconnect=True, keepalive=5) for _ in range(PEOPLE)]
            names = [fresh_name() for _ in terminals]
            answers = [None] * PEOPLE

            def register(n):
                answers[n] = self.patient(terminals[n], "account/register", {
                    "countryCode": COUNTRY, "username": names[n], "password": PASSWORD}, f"reg-{kill}-{n}")
            threads = [threading.Thread(target=register, args=(n,)) for n in range(PEOPLE)]
            for thread in threads:
                thread.start()
            self.strike(0.02 + 0.05 * kill)
            for thread in threads:
                thread.join(150)
            for n, answer in enumerate(answers):
                with self.subTest(kill=kill, n=n):
                    user = self.login(username=names[n]).user
                    if answer:
                        self.assertTrue(answer["ok"], answer)
                        self.assertLoggedIn(terminals[n], answer)
                        self.assertEqual(user["uid"], answer["result"]["user"]["uid"])

    def test_a_login_by_code_repeated_uses_the_code_once(self):
        terminals = [self.stranger(reconnect=True, keepalive=5) for _ in range(PEOPLE)]
        phones = [fresh_phone() for _ in terminals]
        codes = [self.code(t, "login", phone=p) for t, p in zip(terminals, phones)]
        answers = [None] * PEOPLE

        def login(n):
            answers[n] = self.patient(terminals[n], "account/login", {
                "countryCode": COUNTRY, "phone": phones[n], "code": codes[n]}, f"log-{n}")
        threads = [threading.Thread(target=login, args=(n,)) for n in range(PEOPLE)]
        for thread in threads:
            thread.start()
        self.strike(0.01)
        for thread in threads:
            thread.join(150)
        for n, answer in enumerate(answers):
            with self.subTest(n=n):
                if answer:
                    self.assertTrue(answer["ok"], answer)
                    self.assertLoggedIn(terminals[n], answer)
        for n in range(PEOPLE):
            self.assertError(self.try_login(phone=phones[n], code=codes[n]), "InvalidCode")

    def test_a_code_under_way_arrives_after_the_restart(self):
        terminal, email = self.stranger(reconnect=True, keepalive=5), fresh_email()
        self.gateway.close()
        self.own.gateway = None
        terminal.get("account/sendCode", {"countryCode": COUNTRY, "purpose": "register", "email": email})
        self.strike(0)
        service = self.own.service.ready["service"]
        gateway = self.own.gateway = Gateway(
            self.own.port, service["username"], service["password"], service["clientIdPrefix"] + "gateway2").come()
        self.assertTrue(gateway.taken(email, seconds=90))

    def test_a_session_that_ended_stays_ended(self):
        owner = self.register()
        other = self.login(username=owner.user["username"])
        other.get("account/logout")
        self.strike(0)
        back = self.keep(Terminal(self.own.port, self.app, self.own.apps[self.app]["secret"],
                                  terminal_id=other.terminal_id)).come()
        self.assertError(back.ask("account/whoami", token=other.token), "InvalidToken")
        again = self.keep(Terminal(self.own.port, self.app, owner.token, terminal_id=owner.terminal_id)).come()
        again.get("account/whoami", token=owner.token)


if __name__ == "__main__":
    unittest.main()
