"""A second after a session's end, the terminal receives no more messages of that session.

Other tests can slow the machine down, so the limit is normally three seconds. With LAMPLIGHTER_LONG=1, the limit is one
second.
"""

import threading
import time
import unittest

from accounts import COUNTRY, PASSWORD, People, fresh_email, fresh_id
from client import Client, Terminal, now
from crowd import Crowd, Probe
from harness import LONG, SECOND, TOPICS, eventually
from world import OwnWorld, World

TERMINALS = 50
OTHERS = 1000 if LONG else 100
DEVICES = 20


def probes(terminal):
    """Returns, for each probe that reached the terminal, the time at which the probe was published."""
    return [m.body["at"] for m in terminal.everything if m.leaf == "probe"]


class Ways(People):
    """Tests each way to end a session, while a client publishes to the user's topics."""

    def setUp(self):
        super().setUp()
        self.email = fresh_email()
        self.owner = self.register(email=self.email)
        self.other = self.login(email=self.email)

    def cut(self, end, reason, others=(), told=True):
        """Ends the session of `self.other`, and returns the time of the end.

        The method also checks which messages the terminal of this session received last."""
        probe = Probe(self.world.tool(fresh_id("probe")), self.owner.uid)
        probe.tool.connect()
        try:
            self.other.wait(lambda: probes(self.other))
            end()
            ended = time.monotonic()
            if told:
                self.other.wait_lost(10)  # nothing arrives after that
            else:
                self.owner.wait(lambda: any(at > ended + SECOND for at in probes(self.owner)), SECOND + 10)
        finally:
            probe.close()
        last = max(probes(self.other)) - ended
        self.assertLess(last, SECOND)
        heard = [m.body["reason"] for m in self.other.everything
                 if m.body and m.body.get("type") == "sessionInvalid"]
        self.assertEqual(heard, [reason] if told else [])
        print(f"(last probe {last * 1000:+.0f} ms) ", end="", flush=True)
        return ended

    def test_logout(self):
        self.cut(lambda: self.other.get("account/logout"), "loggedOut")

    def test_terminate(self):
        code = self.logout_code(self.owner, email=self.email)
        self.cut(lambda: self.owner.get("session/terminate", {
            "terminalId": self.other.terminal_id, "logoutCode": code}), "terminated")
        self.whoami(self.owner)

    def test_terminate_others(self):
        code = self.logout_code(self.owner, email=self.email)
        self.cut(lambda: self.owner.get("session/terminateOthers", {"logoutCode": code}), "terminated")
        self.whoami(self.owner)

    def test_password_change(self):
        self.cut(lambda: self.owner.get("account/changePassword", {
            "oldPassword": PASSWORD, "newPassword": PASSWORD + " 2"}), "passwordChanged")
        self.whoami(self.owner)

    def test_password_reset(self):
        code = self.code(self.owner, "resetPassword", email=self.email)
        self.cut(lambda: self.stranger().get("account/resetPassword", {
            "countryCode": COUNTRY, "email": self.email, "code": code, "newPassword": PASSWORD + " 2"}),
            "passwordReset")

    def test_cancellation(self):
        self.cut(lambda: self.owner.get("account/cancel", {"password": PASSWORD}), "accountCancelled")

    def test_operators_commands(self):
        self.cut(lambda: self.world.service.cli("session", "terminate", self.other.session_id), "operator")
        self.whoami(self.owner)

    def test_erased_by_an_operator(self):
        self.cut(lambda: self.world.service.cli("user", "erase", self.owner.uid, "--yes"), "accountCancelled")

    def test_another_user_on_the_terminal(self):
        """After another user's login, the terminal receives no messages on the old user's topics.

        The terminal keeps its connection and the new user's topics."""
        stranger = self.register()
        name = stranger.user["username"]
        stranger.get("account/logout")
        self.cut(lambda: self.login(self.other, username=name), "replaced", told=False)
        self.assertTrue(self.other.connected)
        self.assertEqual(self.whoami(self.other)["username"], name)
        told = self.owner.expect("/session", lambda b: b["type"] == "terminalLoggedOut").body
        self.assertEqual((told["terminalId"], told["reason"]), (self.other.terminal_id, "replaced"))

    def identity(self):
        name = fresh_id("idp")
        made = self.world.service.json("service", "add", name, "--role", "identity")
        client = self.keep(Client(
            self.world.port, made["username"], made["password"], made["clientIdPrefix"] + "1"))
        self.assertEqual(client.connect(), 0)
        return client

    def notice(self, **scope):
        return {"noticeId": fresh_id("n"), **scope, "reason": "terminated", "ts": now(),
                "actor": {"kind": "operator", "id": "directory"}}

    def test_notices_of_an_identity_provider(self):
        identity = self.identity()
        notice = self.notice(uid=self.owner.uid, exceptTerminalId=self.owner.terminal_id)
        self.cut(lambda: identity.publish(f"{TOPICS}/system/session-invalid", notice), "terminated")
        self.whoami(self.owner)

    def test_a_session_ends_once_however_often_it_is_notified(self):
        identity = self.identity()
        topic = f"{TOPICS}/system/session-invalid"
        notice = self.notice(sessionId=self.other.session_id)
        for _ in range(3):
            identity.publish(topic, notice)
        self.assertEqual(identity.publish(topic, self.notice(sessionId=self.other.session_id)), 0)
        self.assertEnded(self.other, "terminated")
        identity.publish(topic, self.notice(sessionId=self.other.session_id))

        def told():
            return [m for m in self.owner.everything if m.body and m.body.get("type") == "terminalLoggedOut"]
        self.owner.wait(told)
        third = self.login(email=self.email)
        identity.publish(topic, {**self.notice(appId=self.app, terminalId=third.terminal_id),
                                 "ts": now() - 60_000})
        third.get("account/logout")
        self.owner.wait(lambda: len(told()) == 2)
        self.assertEqual([m.body["reason"] for m in told()], ["terminated", "loggedOut"])

    def test_nobody_else_can_end_a_session(self):
        device = self.device()
        topic = f"{TOPICS}/system/session-invalid"
        for role in ("gateway", "scheduler"):
            made = self.world.service.json("service", "add", fresh_id(role), "--role", role)
            client = self.keep(Client(
                self.world.port, made["username"], made["password"], made["clientIdPrefix"] + "1"))
            self.assertEqual(client.connect(), 0)
            self.assertEqual(client.publish(topic, self.notice(uid=self.owner.uid)), 0x87, role)
        for client in (device, self.stranger(), self.other):
            self.assertEqual(client.publish(topic, self.notice(uid=self.owner.uid)), 0x87)
        self.whoami(self.other)

    def test_a_removed_service_is_cut_off(self):
        identity = self.identity()
        name = identity.client_id.split(".")[1]
        rows = self.world.service.json("service", "list")
        self.assertIn({"name": name, "role": "identity"}, rows)
        self.world.service.cli("service", "remove", name)
        identity.wait_lost()
        self.assertNotEqual(self.world.service.cli("service", "remove", name, check=False).returncode, 0)


class Away(People):
    """Tests of terminals that aren't connected when their sessions end."""

    def test_messages_queued_for_an_absent_terminal_are_gone(self):
        secret = fresh_id("installation-secret-")
        device, here = self.device(), self.anonymous(device_id=secret)
        here.bind(device)
        away = self.anonymous(device_id=secret, clean=False, expiry=600)
        away.close()
        device.report(data={"power": True})
        self.world.service.cli("session", "terminate", away.session_id)
        here.expect("/session", lambda b: b["type"] == "terminalLoggedOut")
        device.report(data={"power": False})
        here.expect(f"/device/{device.did}/status", lambda b: b["data"].get("power") is False)
        back = self.stranger(terminal_id=away.terminal_id, clean=False, expiry=600)
        # With the app's secret, the terminal begins a new MQTT session. So the messages for the old session are gone,
        # including the notice of the logout.
        error = self.assertError(back.ask("account/whoami", token=away.token), "InvalidToken")
        self.assertEqual(error["reason"], "operator")
        self.assertEqual([m for m in back.everything if f"/user/{away.uid}/" in m.topic], [])
        self.assertEqual(back.subscribe(f"{TOPICS}/user/{away.uid}/#"), 0x87)

    def test_the_will_of_an_ended_session_is_not_published(self):
        owner = self.register()
        terminal_id = owner.terminal_id
        owner.close()
        base = f"{TOPICS}/app/{self.app}/{terminal_id}"
        will = (f"{base}/request/account/updateProfile", {
            "id": "will", "token": owner.token, "params": {"nickname": "from the grave"}})
        again = self.keep(Terminal(self.world.port, self.app, owner.token, terminal_id=terminal_id, will=will)).come()
        self.world.service.cli("session", "terminate", owner.session_id)
        again.wait_lost()
        back = self.stranger(terminal_id=terminal_id)
        self.login(back, username=owner.user["username"])
        self.assertNotEqual(back.get("account/whoami")["user"]["nickname"], "from the grave")
        # If the broker had published the will, the will would have arrived before this request.
        self.world.watcher.expect(f"{base}/request/account/whoami")
        self.assertEqual([m for m in self.world.watcher.everything if m.topic == will[0]], [])

    def test_the_outcome_of_a_command_does_not_reach_the_terminals_next_user(self):
        device, terminal = self.device(), self.register()
        terminal.bind(device)
        terminal.get("device/control", {"did": device.did, "data": {"power": True}, "ttl": 60})
        cid = device.command().body["cid"]
        terminal.send("device/control", {"did": device.did, "data": {"brightness": 50}, "ttl": 60, "wait": True},
                      "waiting")
        second = device.command().body["cid"]
        stranger = self.register()
        self.login(terminal, username=stranger.user["username"])
        device.report(cid=cid, code=0, data={"power": True})
        device.report(cid=second, code=0, data={"brightness": 50})
        self.assertError(terminal.answer("device/control", "waiting"), "InvalidToken")
        terminal.get("account/whoami")
        self.assertEqual([m for m in terminal.everything if m.leaf == "command"], [])


class Expiring(OwnWorld, People):
    """Tests of sessions that expire early, because a test changes their expiry times while the service is
    stopped."""

    def test_an_expired_session_is_notified_and_cut_off(self):
        owner = self.register()
        other = self.login(username=owner.user["username"])
        for terminal in (owner, other):
            terminal.close()
        self.own.service.stop()
        ends = now() + 12_000
        self.own.service.sql(f"UPDATE session SET expiresAt = {ends} WHERE sessionId = '{other.session_id}'")
        self.own.service.start()
        back = self.keep(Terminal(self.own.port, self.app, other.token, terminal_id=other.terminal_id)).come()
        self.assertEqual(back.subscribe(f"{TOPICS}/user/{owner.uid}/#"), 1)
        here = self.keep(Terminal(self.own.port, self.app, owner.token, terminal_id=owner.terminal_id)).come()
        self.assertEqual(here.subscribe(f"{TOPICS}/user/{owner.uid}/#"), 1)
        probe = Probe(self.own.tool("probe"), owner.uid)
        probe.tool.connect()
        self.addCleanup(probe.close)
        told = back.expect("/session", lambda b: b["type"] == "sessionInvalid", 30).body
        self.assertEqual((told["reason"], told["actor"]["kind"]), ("expired", "system"))
        self.assertLess(told["ts"] - ends, 2000)
        back.wait_lost()
        over = ends / 1000 - (time.time() - time.monotonic())
        last = max(probes(back)) - over
        self.assertLess(last, 0.1, "the gate knows the time itself")
        here.expect("/session", lambda b: b["type"] == "terminalLoggedOut" and b["reason"] == "expired")
        late = self.stranger(terminal_id=other.terminal_id)
        error = self.assertError(late.ask("account/whoami", token=other.token), "InvalidToken")
        self.assertEqual(error["reason"], "expired")
        self.assertEqual(len(here.get("session/list", token=owner.token)["sessions"]), 1)
        kinds = [(r["kind"], r.get("detail")) for r in self.audit(owner.uid)]
        self.assertIn(("sessionEnded", "expired"), kinds)


class Crowded(OwnWorld):
    """Fifty terminals of one user, and many terminals of other users; all receive messages.

    With LAMPLIGHTER_LONG=1, the other users have a thousand terminals. Otherwise, they have a hundred.
    """

    def make_world(self):
        return World(watch=False, settings=["--set", "broker.newClientsPerMinute=100000",
                                            "--set", "limits.newcomersPerSecond=0"])

    def test_fifty_terminals_of_one_user_while_others_get_traffic(self):
        secret = self.own.apps["test-app"]["secret"]
        devices = [self.device() for _ in range(DEVICES)]
        # paho can use only the first 1,024 file descriptors. So the tool connects before the crowd does.
        tool = self.own.tool("probe")
        tool.connect()
        ended = Crowd(self.own.port, "test-app", secret, TERMINALS)
        self.addCleanup(ended.close)
        others = Crowd(self.own.port, "test-app", secret, OTHERS)
        self.addCleanup(others.close)
        ended.login(deviceId=fresh_id("installation-secret-"))
        others.login()
        uid = ended.members[0].uid
        self.assertEqual({m.uid for m in ended.members}, {uid})
        others.ask("device/bind", lambda n: {"did": devices[n % DEVICES].did, "passcode": "123456"})
        for device in devices:
            ended.ask("device/bind", {"did": device.did, "passcode": "123456"}, members=ended.members[:1])
        stop = threading.Event()
        traffic = threading.Thread(target=self.traffic, args=(devices, stop), daemon=True)
        probe = Probe(tool, uid, 0.002)
        traffic.start()
        try:
            eventually(lambda: all(m.user for m in ended.members + others.members), 60, "traffic for everybody")
            began = time.monotonic()
            self.own.service.cli("user", "logout", uid)
            returned = time.monotonic()
            eventually(lambda: all(m.lost_at for m in ended.members), 30, "the end of each connection")
            eventually(lambda: all(any(at > returned + SECOND for at, _, _ in m.user) for m in others.members), 30,
                       "traffic for the others")
        finally:
            stop.set()
            traffic.join()
            probe.close()
        heard = [(at, topic, body) for m in ended.members for at, topic, body in m.user]
        last = max(body["at"] for _, topic, body in heard if topic.endswith("/probe")) - returned
        self.assertLess(last, SECOND, "a message published a second later reached an ended session")
        self.assertLess(max(at for at, topic, _ in heard) - returned, SECOND)
        for member in ended.members:
            reasons = [b["reason"] for _, t, b in member.own if t.endswith("/session")]
            self.assertEqual(reasons, ["operator"])
            self.assertIsNotNone(member.lost_at)
        lost = [m.lost_at - returned for m in ended.members]
        spared = [m for m in others.members if m.lost_at is None and any(at > returned + SECOND for at, _, _ in m.user)]
        self.assertEqual(len(spared), OTHERS)
        rate = sum(1 for m in others.members for at, _, _ in m.user if began - 1 < at < began)
        print(f"({OTHERS} others got {rate} messages a second; the command took {returned - began:.3f} s; the last "
              f"message that reached one of {TERMINALS} was published {last * 1000:+.0f} ms after it returned; "
              f"connections closed {min(lost) * 1000:+.0f} to {max(lost) * 1000:+.0f} ms after) ", end="", flush=True)

    @staticmethod
    def traffic(devices, stop):
        count = 0
        while not stop.is_set():
            count += 1
            for device in devices:
                device.publish(f"{device.base}/report", {"data": {"count": count}}, wait=False)
            time.sleep(0.5)


if __name__ == "__main__":
    unittest.main()
