"""The rights to connect, publish and subscribe, which are never outdated (reference: connecting#rights)."""

import unittest

from client import Client, Device, Terminal, fresh_id, fresh_mac, fresh_terminal, now, register_on
from harness import LONG, TOPICS
from world import LAMP, EndToEnd, OwnWorld

ROUNDS = 10_000 if LONG else 200
KEY = LAMP["productKey"]
REFUSED = (0x86, 0x87)


class Connecting(EndToEnd):
    def refused(self, username, password, client_id, version=5, **more):
        client = Client(self.world.port, username, password, client_id, version=version, **more)
        code = client.connect()
        if code == 0:
            client.close()
        self.assertIn(code, REFUSED if version == 5 else (4, 5), f"{username} as {client_id}")

    def test_unknown_clients_are_refused(self):
        device = self.world.device(connect=False)
        secret = self.world.secrets[KEY]
        app = self.world.apps["test-app"]["secret"]
        service = self.world.service.ready["service"]
        for username, password, client_id in (
                (None, None, "anybody"),
                ("", "", "anybody"),
                ("nobody", "x", "nobody"),
                (f"product:{KEY}", "wrong", fresh_mac()),
                (f"product:{KEY}", "", fresh_mac()),
                (f"product:{KEY}", secret + "x", fresh_mac()),
                (f"product:{KEY}", secret, "no-mac"),
                (f"product:{KEY}", secret, fresh_mac().upper().replace("0", "A")),
                (f"product:{'00' * 16}", secret, fresh_mac()),
                ("product:", secret, fresh_mac()),
                (f"device:{device.did}", "wrong", device.did),
                (f"device:{device.did}", secret, device.did),
                (f"device:{device.did}", device.secret, "somebody"),
                (f"device:{device.did}", device.secret, device.did.upper()),
                ("device:d-00000000000ff", device.secret, "d-00000000000ff"),
                ("app:test-app", "wrong", fresh_terminal()),
                ("app:test-app", app, "no-terminal"),
                ("app:test-app", app, fresh_terminal()[:31]),
                ("app:other-app", app, fresh_terminal()),
                ("app:unknown", app, fresh_terminal()),
                (service["username"], "wrong", service["clientIdPrefix"] + "x"),
                (service["username"], service["password"], "svc.lamplighter.status"),
                (service["username"], service["password"], device.did),
                ("service:lamplighter", service["password"], "svc.lamplighter.status")):
            with self.subTest(username=username, client_id=client_id):
                self.refused(username, password, client_id)

    def test_unknown_clients_are_refused_by_mqtt_3_1_1(self):
        device = self.world.device(connect=False)
        self.refused(f"device:{device.did}", "wrong", device.did, version=4)
        self.refused("nobody", "x", "nobody", version=4)
        self.refused(None, None, "nobody", version=4)

    def test_a_terminal_belongs_to_the_first_app_that_used_it(self):
        terminal = self.terminal()
        terminal.get("account/logout")
        terminal.wait_lost()
        self.refused("app:other-app", self.world.apps["other-app"]["secret"], terminal.terminal_id)

    def test_a_retained_will_is_refused(self):
        device = self.world.device(connect=False)
        will = (f"{device.base}/presence", {"online": False})
        client = Client(self.world.port, f"device:{device.did}", device.secret, device.did, will=will, will_retain=True)
        code = client.connect()
        if code == 0:
            client.vanish()
            late = self.keep(self.world.tool("late-will"))
            late.connect()
            late.subscribe(f"{device.base}/presence")
            late.subscribe(f"{TOPICS}/system/worker/status")
            late.expect("/worker/status")
            self.assertEqual(late.unread("/presence"), [], "at least nothing is retained")

    def test_a_will_on_a_foreign_topic_is_not_published(self):
        device, other = self.world.device(connect=False), self.world.device(connect=False)
        self.world.watcher.clear()
        client = Client(self.world.port, f"device:{device.did}", device.secret, device.did,
                        will=(f"{other.base}/report", {"id": "from-a-will", "data": {"power": True}}))
        if client.connect() == 0:
            client.vanish()
        self.device().report(data={"power": True})
        self.assertEqual(self.world.watcher.unread(f"{other.base}/report"), [])


class Memory(OwnWorld):
    def heap(self, tool):
        """Returns the next figure of the broker's memory, which appears every few seconds."""
        started = len(tool.unread("/uptime"))
        tool.wait(lambda: len(tool.unread("/uptime")) > started + 1, 20, "the broker's next word")
        return tool.unread("/heap/current")[-1].body

    def test_connections_do_not_distort_the_brokers_count_of_its_memory(self):
        """The broker's memory count once fell below zero, and all clients were then refused."""
        device = self.device(connect=False)
        tool = self.keep(self.own.tool("heap"))
        tool.connect()
        for leaf in ("uptime", "heap/current"):
            tool.subscribe(f"$SYS/broker/{leaf}")
        before = self.heap(tool)
        for _ in range(1000):
            # The client uses MQTT 3.1.1, because Mosquitto counts too much memory for each connection with MQTT 5. This
            # error isn't the gate's.
            client = Client(self.own.port, f"device:{device.did}", device.secret, device.did, version=4)
            self.assertEqual(client.connect(), 0)
            client.close()
        self.assertLess(abs(self.heap(tool) - before), 50_000)


class PublishingAndSubscribing(EndToEnd):
    def test_the_rights_of_devices(self):
        device, other = self.device(), self.world.device(connect=False)
        own = device.base
        for topic in (f"{own}/command", f"{own}/response", f"{own}/other", own, f"{own}/report/x",
                      f"{other.base}/report",
                      f"{TOPICS}/device/report", f"{TOPICS}/product/{KEY}/{device.mac}/register",
                      f"{TOPICS}/user/u-0000000000000/device", f"{TOPICS}/system/session-invalid",
                      f"{TOPICS}/system/worker/status", "elsewhere", "$SYS/broker/uptime", "$CONTROL/lamplighter/v1",
                      f"/{own}/report", f"{own}//report"):
            with self.subTest(publish=topic):
                self.assertEqual(device.publish(topic, {"x": 1}), 0x87)
        for filter in (f"{own}/report", f"{own}/#", f"{own}/+", f"{other.base}/command", f"{TOPICS}/device/+/command",
                       f"{TOPICS}/#", "#", "+/+/#", "$SYS/#", "$SYS/broker/uptime", f"$share/g/{own}/report",
                       "$share/g/#", "$CONTROL/#", f"{TOPICS}/user/#", f"{TOPICS}/system/#", f"{own}/presence"):
            with self.subTest(subscribe=filter):
                self.assertGreaterEqual(device.subscribe(filter), 0x80)
        self.assertTrue(device.report(data={"power": True})["ok"], "it goes on")

    def test_the_rights_of_products(self):
        mac, other = fresh_mac(), fresh_mac()
        client = self.keep(Client(self.world.port, f"product:{KEY}", self.world.secrets[KEY], mac))
        self.assertEqual(client.connect(), 0)
        base = f"{TOPICS}/product/{KEY}"
        for topic in (f"{base}/{other}/register", f"{base}/{mac}/registered", f"{base}/{mac}",
                      f"{TOPICS}/product/{'00' * 16}/{mac}/register"):
            with self.subTest(publish=topic):
                self.assertEqual(client.publish(topic, {"x": 1}), 0x87)
        for filter in (f"{base}/{other}/registered", f"{base}/+/registered", f"{base}/{mac}/#", f"{base}/{mac}/register", "#"):
            with self.subTest(subscribe=filter):
                self.assertGreaterEqual(client.subscribe(filter), 0x80)
        self.assertTrue(register_on(client, KEY, mac)["ok"])

    def test_the_rights_of_terminals(self):
        terminal, other = self.terminal(), self.terminal()
        own = terminal.base
        for topic in (f"{own}/response", f"{own}/session", own, f"{other.base}/request/account/whoami",
                      f"{TOPICS}/user/{terminal.uid}/device", f"{TOPICS}/app/test-app/request/account/whoami", "x"):
            with self.subTest(publish=topic):
                self.assertEqual(terminal.publish(topic, {"x": 1}), 0x87)
        for filter in (f"{other.base}/#", f"{TOPICS}/app/test-app/+/response", f"{TOPICS}/app/#", f"{TOPICS}/user/#",
                       f"{TOPICS}/user/+/device", f"{TOPICS}/user/{other.uid}/#", f"{TOPICS}/#", "#", "$SYS/#",
                       f"$share/g/{TOPICS}/user/{other.uid}/#"):
            with self.subTest(subscribe=filter):
                self.assertGreaterEqual(terminal.subscribe(filter), 0x80)
        for filter in (f"{own}/response", f"{own}/+", f"{TOPICS}/user/{terminal.uid}/session",
                       f"{TOPICS}/user/{terminal.uid}/device/+/status"):
            with self.subTest(subscribe=filter):
                self.assertEqual(terminal.subscribe(filter), 1)

    def test_before_the_login_there_are_no_user_topics(self):
        known, terminal = self.terminal(), self.terminal(login=False)
        self.assertGreaterEqual(terminal.subscribe(f"{TOPICS}/user/{known.uid}/#"), 0x80)

    def test_a_clients_own_requests_are_not_delivered_to_it(self):
        terminal = self.terminal()
        terminal.get("account/whoami")
        terminal.get("device/list")
        self.assertEqual([m for m in terminal.everything if "/request/" in m.topic], [])

    def test_retained_is_refused(self):
        device, terminal = self.device(), self.terminal()
        self.assertEqual(device.publish(f"{device.base}/report", {"data": {"power": True}}, retain=True), 0x87)
        self.assertEqual(
            terminal.publish(f"{terminal.base}/request/account/whoami", {"id": "r"}, retain=True), 0x87)
        self.assertTrue(device.report(data={"power": True})["version"] == 1)

    def test_mqtt_3_1_1_clients_are_refused_silently_and_by_0x80(self):
        device, other = self.device(version=4), self.world.device(connect=False)
        self.assertEqual(device.subscribe("#"), 0x80)
        self.world.watcher.clear()
        device.publish(f"{other.base}/report", {"data": {"power": True}})
        self.assertTrue(device.report(data={"power": True})["ok"])
        self.assertEqual(self.world.watcher.unread(f"{other.base}/report"), [])

    def test_qos_0_works_too(self):
        device = self.device()
        id = fresh_id()
        device.publish(f"{device.base}/report", {"id": id, "data": {"count": 1}}, qos=0)
        self.assertTrue(device.response(id)["ok"])


class Refusals(EndToEnd):
    def test_each_is_reported_with_its_reason(self):
        device, watcher = self.device(), self.world.watcher
        watcher.clear()
        stranger = Client(self.world.port, f"device:{device.did}", "very-wrong-secret", device.did)
        self.assertIn(stranger.connect(), REFUSED)
        told = watcher.expect("/system/refusal", lambda b: b["clientId"] == device.did and b["action"] == "connect").body
        self.assertEqual(told["username"], f"device:{device.did}")
        self.assertIn("127.0.0.1", told["address"])
        self.assertGreater(len(told["reason"]), 3)

        device.publish(f"{TOPICS}/system/session-invalid", {})
        told = watcher.expect("/system/refusal", lambda b: b["clientId"] == device.did and b["action"] == "publish").body
        self.assertEqual(told["topic"], f"{TOPICS}/system/session-invalid")
        device.subscribe("$SYS/#")
        told = watcher.expect("/system/refusal", lambda b: b["clientId"] == device.did and b["action"] == "subscribe").body
        self.assertEqual(told["topic"], "$SYS/#")
        for message in watcher.everything:
            self.assertNotIn(b"very-wrong-secret", message.payload)


class LostRights(EndToEnd):
    def with_session(self):
        """Returns a terminal that has connected with its token; its MQTT session outlives the connection."""
        first = self.world.terminal()
        first.close()
        terminal = self.keep(Terminal(
            self.world.port, "test-app", first.token, terminal_id=first.terminal_id, clean=False, expiry=600))
        self.assertEqual(terminal.connect(), 0)
        terminal.token, terminal.uid, terminal.session_id = first.token, first.uid, first.session_id
        terminal.subscribe(f"{terminal.base}/#")
        terminal.subscribe(f"{TOPICS}/user/{terminal.uid}/#")
        return terminal

    def test_messages_queued_for_an_ended_session_are_not_delivered(self):
        device, terminal = self.device(), self.with_session()
        terminal.bind(device)
        terminal.status(device)
        terminal.close()
        for i in range(5):
            device.report(data={"count": i})
        self.world.watcher.clear()
        self.world.watcher.publish(f"{TOPICS}/system/session-invalid", {
            "noticeId": fresh_id(), "sessionId": terminal.session_id, "reason": "operator", "ts": now(),
            "actor": {"kind": "operator", "id": "test"}})
        self.world.watcher.expect("/session", lambda b: b.get("sessionId") == terminal.session_id and b.get("type"))

        back = self.keep(Terminal(
            self.world.port, "test-app", self.world.apps["test-app"]["secret"],
            terminal_id=terminal.terminal_id, clean=False, expiry=600)).come()
        # A client that connects with the app's secret starts with a new MQTT session.
        self.assertFalse(back.session_present)
        back.ask("account/whoami")
        device.report(data={"count": 99})
        back.ask("account/whoami")
        self.assertEqual([m for m in back.everything if "/user/" in m.topic], [])

    def test_a_session_kept_by_the_broker_gets_its_queue(self):
        device, terminal = self.device(), self.with_session()
        terminal.bind(device)
        terminal.status(device)
        terminal.close()
        for i in range(3):
            device.report(data={"count": i})
        back = self.keep(Terminal(
            self.world.port, "test-app", terminal.token, terminal_id=terminal.terminal_id, clean=False, expiry=600))
        self.assertEqual(back.connect(), 0)
        back.status(device, lambda b: b["data"].get("count") == 2)


class Freshness(EndToEnd):
    def test_a_new_secret_is_accepted_and_the_old_refused_at_once(self):
        mac = fresh_mac()
        product = self.keep(Client(self.world.port, f"product:{KEY}", self.world.secrets[KEY], mac))
        self.assertEqual(product.connect(), 0)
        old = register_on(product, KEY, mac)["result"]
        for turn in range(ROUNDS):
            new = register_on(product, KEY, mac)["result"]
            stale = Device(self.world.port, old["did"], old["secret"])
            self.assertIn(stale.connect(), REFUSED, f"round {turn}")
            stale.close()
            device = Device(self.world.port, new["did"], new["secret"])
            self.assertEqual(device.connect(), 0, f"round {turn}")
            device.close()
            old = new

    def test_a_device_connects_right_after_its_first_registration(self):
        for turn in range(ROUNDS // 5):
            result = self.world.register()["result"]
            device = Device(self.world.port, result["did"], result["secret"])
            self.assertEqual(device.connect(), 0, f"round {turn}")
            device.close()

    def test_a_terminal_subscribes_right_after_its_login(self):
        terminal = self.terminal(login=False)
        for _ in range(ROUNDS):
            terminal.login()  # subscribes, and fails if that is refused
            # Each login adds a filter for a new user's topics. A terminal can have at most a thousand filters.
            terminal.unsubscribe(f"{TOPICS}/user/{terminal.uid}/#")
            terminal.clear()

    def test_a_terminal_is_refused_right_after_its_logout(self):
        for turn in range(ROUNDS // 10):
            terminal = self.world.terminal()
            terminal.get("account/logout")
            stale = Terminal(self.world.port, "test-app", terminal.token, terminal_id=terminal.terminal_id)
            self.assertIn(stale.connect(), REFUSED, f"round {turn}")
            stale.close()
            terminal.close()


if __name__ == "__main__":
    unittest.main()
