"""What a terminal is sent counts as what it sends; and what reads much never stands before commands."""

import base64
import threading
import time
import unittest

from client import fresh_id, now
from world import FREE, OwnWorldOfClass

ROWS = 40
ANSWER = 50_000


class Answers(OwnWorldOfClass):
    def heavy(self):
        """A device whose history fills answers, and its terminal."""
        device, terminal = self.pair(FREE)
        for number in range(ROWS):
            binary = base64.b64encode(bytes([number]) * 9_000).decode()
            self.assertTrue(device.report(binary=binary)["ok"])
        self.params = {"did": device.did, "from": 0, "to": now() + 60_000, "limit": 5}
        self.assertGreater(len(str(terminal.get("device/history", self.params))), ANSWER)
        return device, terminal

    def flood(self, terminal, seconds):
        """Asks twenty times a second; gives the ids."""
        ids, began = [], time.monotonic()
        while time.monotonic() - began < seconds:
            ids.append(fresh_id("q"))
            terminal.send("device/history", self.params, ids[-1])
            time.sleep(0.05)
        return ids

    def control(self, app, device, times):
        """How long each command took to be answered, sorted."""
        taken = []
        for number in range(times):
            began = time.monotonic()
            app.get("device/control", {"did": device.did, "data": {"count": number}})
            taken.append(time.monotonic() - began)
        return sorted(taken)

    def test_a_terminal_gets_half_a_mebibyte_a_second_and_others_are_undisturbed(self):
        device, greedy = self.heavy()
        other, app = self.pair(FREE)
        idle = self.control(app, other, 40)
        ids = []
        flooder = threading.Thread(target=lambda: ids.extend(self.flood(greedy, 6)))
        began = time.monotonic()
        flooder.start()
        busy = self.control(app, other, 40)
        flooder.join()
        taken = time.monotonic() - began
        answered = [m.body for m in greedy.unread() if m.leaf == "response" and m.body.get("id") in ids]
        good = [b for b in answered if b["ok"]]
        bytes_sent = sum(len(str(b)) for b in good)
        self.assertLess(bytes_sent, (2 + taken) * (512 << 10) + (1 << 20))
        self.assertGreater(len(good), 20, "it isn't cut off either")
        # Nineteen of twenty: this process, which reads all the answers, may have to wait for itself.
        self.assertLess(busy[37], idle[37] + 0.1)
        # Held, not lost: all of the rest comes in its time.
        for id in ids:
            if id not in [b["id"] for b in answered]:
                body = greedy.answer("device/history", id, 60)
                self.assertTrue(body["ok"] or body["error"]["code"] == "TooManyRequests", body)


if __name__ == "__main__":
    unittest.main()
