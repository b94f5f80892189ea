"""After any kill, a device has one owner at most and only invited guests.

Strangers get no status."""

import random
import threading
import time
import unittest

from client import Terminal, fresh_id
from harness import LONG, eventually
from world import OwnWorld

KILLS = 40 if LONG else 5
USERS, DEVICES = 5, 3


class User(threading.Thread):
    """A user who binds, invites, answers, revokes, transfers and leaves, at random."""

    def __init__(self, terminal, cast, seed, stop):
        super().__init__(daemon=True)
        self.terminal, self.cast, self.stop = terminal, cast, stop
        self.dice = random.Random(seed)
        self.done, self.wrong = 0, []

    def run(self):
        try:
            while not self.stop.is_set():
                self.one()
        except AssertionError as error:
            self.wrong.append(str(error))

    def one(self):
        device = self.dice.choice(self.cast["devices"])
        other = self.dice.choice(self.cast["users"]).terminal
        did, uid = {"did": device.did}, {"uid": other.uid}
        shares = self.cast["shares"]
        id, text = self.dice.choice(shares) if shares else ("none", None)
        by = {"sharingId": id} if text is None else {"qrText": text}
        way = {"way": "qrcode"} if self.dice.random() < 0.5 else {
            "way": "user", "guest": {"type": "uid", "value": other.uid}}
        method, params = self.dice.choice([
            ("device/bind", {**did, "passcode": device.passcode}),
            ("device/bind", {**did, "passcode": device.passcode}),
            ("device/unbind", did), ("share/invite", {**did, **way}), ("share/invite", {**did, **way}),
            ("share/answer", {**by, "accept": True}), ("share/answer", {**by, "accept": True}),
            ("share/revoke", {"sharingId": id}), ("share/transfer", {**did, **uid}),
            ("device/removeUser", {**did, **uid}),
            ("device/subscribe", {**did, "subscribed": self.dice.random() < 0.7}),
        ])
        answer = self.ask(method, params)
        self.done += 1
        if not answer["ok"]:
            return
        if method == "share/invite":
            shares.append((answer["result"]["sharingId"], answer["result"].get("qrCode", {}).get("text")))
            del shares[:-20]

    def ask(self, method, params):
        """Repeats a request with the same id until it is answered."""
        id = fresh_id("q")
        for _ in range(120):
            self.terminal.send_once(method, params, id)
            try:
                return self.terminal.answer(method, id, 1)
            except AssertionError:
                pass
        raise AssertionError(f"{method} was never answered")


class Patient(Terminal):
    def send_once(self, method, params, id):
        body = {"id": id, "params": params, "token": self.token}
        self.publish(f"{self.base}/request/{method}", body, wait=False)


class Bonds(OwnWorld):
    def patient(self):
        secret = self.own.apps["test-app"]["secret"]
        terminal = self.keep(Patient(self.own.port, "test-app", secret, reconnect=True, keepalive=5)).come()
        terminal.login()
        # While the terminal's session exists, the terminal can reconnect only with its token.
        terminal.paho.username_pw_set("app:test-app", terminal.token)
        return terminal

    def rows(self, sql):
        return self.own.service.sql(sql)

    def invariants(self):
        """Uses one query to check the rules that must hold at every moment."""
        bonds = self.rows("SELECT did, uid, role, sharingId FROM binding")
        accepted = {row[0] for row in self.rows("SELECT sharingId FROM sharing WHERE status = 'accepted'")}
        for did in {b[0] for b in bonds}:
            roles = sorted(b[2] for b in bonds if b[0] == did)
            heads = [r for r in roles if r in ("owner", "special")]
            self.assertEqual(len(heads), 1, roles)
            self.assertEqual(set(roles) - {heads[0]}, set(roles) & ({"guest"} if heads == ["owner"] else {"normal"}), roles)

    def guests(self):
        """Asserts that guests match accepted invitations, and that the inviter of each open invitation may share
        the device."""
        found = self.rows("""
            SELECT b.did, b.uid FROM binding b LEFT JOIN sharing s ON s.sharingId = b.sharingId
            WHERE b.sharingId IS NOT NULL AND (s.status IS NULL OR s.status <> 'accepted' OR s.guestUid <> b.uid
                OR s.did <> b.did OR b.role <> 'guest')""")
        self.assertEqual(found, [], "a guest without an accepted invitation")
        found = self.rows("""
            SELECT s.sharingId FROM sharing s LEFT JOIN binding b ON b.sharingId = s.sharingId
            WHERE s.status = 'accepted' AND b.uid IS NULL""")
        self.assertEqual(found, [], "an accepted invitation without its guest")
        found = self.rows("""
            SELECT s.sharingId FROM sharing s LEFT JOIN binding b ON b.did = s.did AND b.uid = s.inviterUid
            WHERE s.status IN ('pending', 'accepted') AND (b.role IS NULL OR b.role <> 'owner')
                AND (s.status = 'accepted' OR b.role IS NULL OR b.role <> 'special')""")
        self.assertEqual(found, [], "an open invitation whose inviter may not share the device")

    def retained(self):
        """Returns the pairs (uid, did) that have a retained status."""
        watcher = self.own.tool(fresh_id("w"))
        try:
            self.assertEqual(watcher.connect(), 0)
            watcher.subscribe("ll/v1/user/+/device/+/status")
            watcher.subscribe("ll/v1/system/worker/status")
            watcher.expect("/worker/status")
            return {(m.topic.split("/")[3], m.topic.split("/")[5]) for m in watcher.everything
                    if m.leaf == "status" and m.payload and "/user/" in m.topic}
        finally:
            watcher.close()

    def owed(self):
        return set(self.rows("SELECT uid, did FROM binding WHERE subscribed = 1"))

    def strike(self, fault):
        cast = {"devices": [self.device(connect=False) for _ in range(DEVICES)], "shares": [], "users": []}
        stop, seed = threading.Event(), random.randrange(2 ** 32)
        dice = random.Random(seed)
        cast["users"] += [User(self.patient(), cast, dice.random(), stop) for _ in range(USERS)]
        for user in cast["users"]:
            user.start()
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.1, 1.0))
            fault()
            self.invariants(), self.guests()
        time.sleep(0.5)
        stop.set()
        for user in cast["users"]:
            user.join(180)
        self.assertEqual([line for user in cast["users"] for line in user.wrong], [], f"seed {seed}")
        self.assertGreater(sum(user.done for user in cast["users"]), KILLS)
        self.invariants(), self.guests()
        eventually(lambda: self.retained() == self.owed(), 20, f"statuses for those who are bound alone (seed {seed})")
        for user in cast["users"]:
            listed = {d["did"] for d in user.terminal.get("device/list")["devices"]}
            self.assertEqual(listed, {did for uid, did in set(self.rows("SELECT uid, did FROM binding"))
                                      if uid == user.terminal.uid})

    def test_the_service_killed_at_random_times(self):
        def fault():
            self.own.service.kill()
            self.own.service.start()
        self.strike(fault)


if __name__ == "__main__":
    unittest.main()
