"""After a user's logout, another user can log in at the terminal at once."""

import threading

from accounts import People
from harness import LONG

# The seconds from a logout's answer to the next login. The gate cuts the connection 0.3 to 0.5 s after the logout.
PAUSES = [step / 20 for step in range(21)] * 2 if LONG else [0, 0.2, 0.3, 0.35, 0.4, 0.6]
SECONDS = 2
# The seconds that a login may take. On a shared machine, some logins take almost this long. If the previous logout
# locked the terminal out, the next login would take 30 s.
PAUSED_SECONDS = 6 if LONG else 15
ROUNDS = 8  # of one terminal, which is allowed 20 hashes of passwords in 15 minutes


class Pair(People):
    """Two users who take turns on a terminal, each with a device that keeps reporting."""

    def setUp(self):
        super().setUp()
        self.took = []
        self.users = [self.register() for _ in range(2)]
        self.devices = [self.device() for _ in self.users]
        self.ends = threading.Event()
        for user, device in zip(self.users, self.devices):
            user.bind(device)
        reporting = threading.Thread(target=self.report, daemon=True)
        reporting.start()
        self.addCleanup(reporting.join)
        self.addCleanup(self.ends.set)

    def report(self):
        count = 0
        while not self.ends.wait(0.05):
            count += 1
            for device in self.devices:
                device.publish(f"{device.base}/report", {"data": {"count": count}}, wait=False)

    def name(self, number):
        return self.users[number % 2].user["username"]

    def note(self, pause, seconds):
        self.took.append(seconds)
        self.assertLess(seconds, PAUSED_SECONDS, f"{pause} s after the logout")

    def tell(self):
        if LONG:
            self.assertLess(sorted(self.took)[len(self.took) * 3 // 4], SECONDS)
        print(f"({len(self.took)} logins, {sorted(self.took)[len(self.took) // 2]:.2f} s, at most {max(self.took):.2f} s) ",
              end="", flush=True)
