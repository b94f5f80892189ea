"""A session's end reaches the broker: nothing arrives a second later, however much is going on."""

import threading
import time
import unittest

from accounts import People, fresh_id
from harness import TORTURE

TERMINALS = 50
OTHERS = 1000 if TORTURE else 60


class Cut(People):
    def traffic(self, devices, stop, sent):
        """Reports of all devices in turn, noted with the time they were sent."""
        def run():
            count = 0
            while not stop.is_set():
                count += 1
                for device in devices:
                    sent.append((time.monotonic(), count))
                    device.publish(f"{device.base}/report", {"data": {"count": count}}, wait=False)
                time.sleep(0.02)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def test_fifty_terminals_of_one_user_while_others_get_traffic(self):
        secret = fresh_id("installation-secret-")
        device = self.device()
        terminals = [self.anonymous(device_id=secret) for _ in range(TERMINALS)]
        terminals[0].bind(device)
        bystanders = [self.anonymous() for _ in range(OTHERS // 10)]
        for bystander in bystanders:
            bystander.bind(device)
        for terminal in terminals:
            terminal.status(device)
        stop, sent = threading.Event(), []
        thread = self.traffic([device], stop, sent)
        try:
            time.sleep(1)
            ended = time.monotonic()
            self.world.service.cli("user", "logout", terminals[0].uid)
            returned = time.monotonic()
            time.sleep(3)
        finally:
            stop.set()
            thread.join()
        last = max((m.at for t in terminals for m in t.everything if m.leaf == "status"), default=0)
        late = [m for t in terminals for m in t.everything if m.leaf == "status" and m.at > returned + 1]
        self.assertEqual(late, [])
        for terminal in terminals:
            self.assertFalse(terminal.connected)
            self.assertEqual([m.body["reason"] for m in terminal.everything
                              if m.body and m.body.get("type") == "sessionInvalid"], ["operator"])
        for bystander in bystanders:
            self.assertTrue(bystander.connected)
            self.assertTrue([m for m in bystander.everything if m.leaf == "status" and m.at > returned + 1])
        print(f"(the last status reached one {last - ended:.3f} s after the command began, it took "
              f"{returned - ended:.3f} s) ", end="", flush=True)

    def test_what_was_queued_for_a_terminal_that_was_away_is_gone(self):
        secret = fresh_id("installation-secret-")
        device, here = self.device(), self.anonymous(device_id=secret)
        here.bind(device)
        away = self.anonymous(device_id=secret, clean=False, expiry=600)
        away.close()
        device.report(data={"power": True})
        self.world.service.cli("session", "terminate", away.session_id)
        here.expect("/session", lambda b: b["type"] == "terminalLoggedOut")
        device.report(data={"power": False})
        time.sleep(1)
        back = self.stranger(terminal_id=away.terminal_id, clean=False, expiry=600)
        told = back.expect("/session", lambda b: b["type"] == "sessionInvalid").body
        self.assertEqual(told["reason"], "operator")
        back.ask("account/whoami", token=away.token)
        self.assertEqual([m for m in back.everything if f"/user/{away.uid}/" in m.topic], [])


if __name__ == "__main__":
    unittest.main()
