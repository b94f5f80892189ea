"""Each session ends exactly once and completely, even if the service is killed meanwhile."""

import contextlib
import threading
import time
import unittest

from accounts import PASSWORD, Gateway, People, fresh_email, fresh_id
from client import Terminal
from harness import LONG, eventually
from world import OwnWorld

KILLS = 15 if LONG else 2
OTHERS = 3


class Killed(OwnWorld, People):
    def by_token(self, terminal):
        """Connects the terminal with its token, now and after each restart of the broker."""
        terminal.close()
        again = self.keep(Terminal(self.own.port, self.app, terminal.token, terminal_id=terminal.terminal_id,
                                   reconnect=True, keepalive=5)).come()
        again.token, again.uid, again.session_id = terminal.token, terminal.uid, terminal.session_id
        return again

    def patient(self, terminal, method, params):
        """Repeats a request with the same id while the answer is missing or `Unavailable`."""
        id = fresh_id("k")
        end = time.monotonic() + 90
        while time.monotonic() < end:
            if terminal.connected:
                terminal.send(method, params, id)
                try:
                    answer = terminal.answer(method, id, 2)
                except AssertionError:
                    continue
                if answer["ok"] or answer["error"]["code"] != "Unavailable":
                    return answer
            time.sleep(0.1)
        raise AssertionError(f"{method} was never answered")

    def is_out(self, terminal):
        """Returns whether a logout has taken effect.

        If it hasn't, and the terminal is connected, the method also sends the logout again."""
        if [r for r in self.audit(terminal.uid) if r["kind"] == "sessionEnded"]:
            return True
        if terminal.connected:
            with contextlib.suppress(RuntimeError):  # Cut off meanwhile.
                terminal.send("account/logout", id="out")
        return False

    def struck(self, seconds, work):
        """Kills and restarts the service `seconds` after `work` has begun in a thread."""
        result = []
        thread = threading.Thread(target=lambda: result.append(work()), daemon=True)
        thread.start()
        time.sleep(seconds)
        self.own.service.kill()
        self.own.service.start()
        # The broker ended with the service, so the gateway lost its connection to the broker.
        self.gateway.close()
        service = self.own.service.ready["service"]
        self.gateway = self.own.gateway = Gateway(
            self.own.port, service["username"], service["password"], service["clientIdPrefix"] + fresh_id("g")).come()
        thread.join(120)
        self.assertTrue(result, "the work did not come to an end")
        return result[0]

    def assertOver(self, terminals, uid, reason, count):
        for terminal in terminals:
            late = Terminal(self.own.port, self.app, terminal.token, terminal_id=terminal.terminal_id)
            self.assertIn(late.connect(), (0x86, 0x87))
            late.close()
            asker = self.stranger(terminal_id=terminal.terminal_id)
            error = self.assertError(asker.ask("account/whoami", token=terminal.token), "InvalidToken")
            self.assertEqual(error["reason"], reason)
        ended = [r for r in self.audit(uid) if r["kind"] == "sessionEnded"]
        self.assertEqual([r["detail"] for r in ended], [reason] * count)

    def people(self):
        email = fresh_email()
        owner = self.register(email=email)
        return self.by_token(owner), [self.login(email=email) for _ in range(OTHERS)], email

    def test_while_others_are_terminated(self):
        for kill in range(KILLS):
            with self.subTest(kill=kill):
                owner, others, email = self.people()
                code = self.logout_code(owner, email=email)
                answer = self.struck(0.005 * kill, lambda: self.patient(
                    owner, "session/terminateOthers", {"logoutCode": code}))
                self.assertEqual(answer["result"], {"terminated": OTHERS})
                self.assertOver(others, owner.uid, "terminated", OTHERS)
                self.assertTrue(self.patient(owner, "account/whoami", {})["ok"])

    def test_while_one_is_terminated(self):
        for kill in range(KILLS):
            with self.subTest(kill=kill):
                owner, (one, *rest), email = self.people()
                code = self.logout_code(owner, email=email)
                answer = self.struck(0.005 * kill, lambda: self.patient(
                    owner, "session/terminate", {"terminalId": one.terminal_id, "logoutCode": code}))
                self.assertEqual(answer["result"], {"terminated": one.terminal_id})
                self.assertOver([one], owner.uid, "terminated", 1)
                for other in rest:
                    late = self.by_token(other)
                    late.get("account/whoami")

    def test_while_one_logs_out(self):
        for kill in range(KILLS):
            with self.subTest(kill=kill):
                owner, _, _ = self.people()
                self.struck(0.005 * kill, lambda: owner.send("account/logout", id="out") or True)
                eventually(lambda: self.is_out(owner), 60, "the end")
                owner.close()
                self.assertOver([owner], owner.uid, "loggedOut", 1)

    def test_while_an_account_is_cancelled_and_erased(self):
        owner, others, _ = self.people()
        owner.get("account/cancel", {"password": PASSWORD})
        self.struck(0, lambda: True)
        self.assertOver([owner, *others], owner.uid, "accountCancelled", OTHERS + 1)
        self.struck(0.05, lambda: self.own.service.cli("user", "erase", owner.uid, "--yes", check=False))
        self.own.service.cli("user", "erase", owner.uid, "--yes", check=False)
        eventually(lambda: self.audit(owner.uid)[0]["kind"] == "erased", 30, "the erasure")
        self.assertEqual([r["kind"] for r in self.audit(owner.uid)].count("erased"), 1)


if __name__ == "__main__":
    unittest.main()
