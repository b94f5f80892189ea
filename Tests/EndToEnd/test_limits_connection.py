"""The default limits of one connection, each of which can be switched off."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from client import Terminal, fresh_id
from harness import TOPICS, Service, eventually
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from test_disk import skip_aloud
from world import OwnWorld, World

HERE = pathlib.Path(__file__).resolve().parent
DEFAULTS = ["--set", "delivery.email=gateway", "--set", "delivery.sms=gateway"]


def memory(pid):
    """Returns the resident bytes of a process."""
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def publish_properties(correlation=None, response=None):
    properties = Properties(PacketTypes.PUBLISH)
    if correlation is not None:
        properties.CorrelationData = correlation
    if response is not None:
        properties.ResponseTopic = response
    return properties


class Limits(OwnWorld):
    settings = ()

    def make_world(self):
        return World(service=Service(arguments=[*DEFAULTS, *self.settings]))

    def flood(self, client, topic, count, qos=1):
        """Publishes as fast as possible, and returns the number of accepted messages and the codes of refusals."""
        infos = [client.paho.publish(topic, '{"id":"f","params":{}}', qos) for _ in range(count)]
        for info in infos:
            info.wait_for_publish(20)
        codes = [client.puback.get(info.mid, 0) for info in infos]
        return sum(code < 0x80 for code in codes), [code for code in codes if code >= 0x80]

    @staticmethod
    def most(burst, rate, began):
        """Returns the maximum number of messages that a connection's limit allows from `began` until now."""
        return burst + rate * (time.monotonic() - began) + 1

    def refusals(self):
        return [m.body for m in self.own.watcher.everything if m.topic == f"{TOPICS}/system/refusal"]


class ByDefault(Limits):
    def test_a_terminal_sends_a_hundred_at_once_and_others_are_not_affected(self):
        hostile, other = self.world.terminal(login=False), self.world.terminal()
        began = time.monotonic()
        taken, refused = self.flood(hostile, f"{hostile.base}/request/account/whoami", 400)
        self.assertGreaterEqual(taken, 90)
        self.assertLessEqual(taken, self.most(100, 20, began))
        self.assertEqual(set(refused), {0x87})
        self.assertEqual(other.get("account/whoami")["user"]["uid"], other.uid)
        told = eventually(
            lambda: [r for r in self.refusals() if r["reason"] == "tooFast" and r["clientId"] == hostile.terminal_id],
            5, "the word of it")
        self.assertEqual((told[0]["action"], told[0]["username"]), ("publish", "app:test-app"))
        self.assertTrue(hostile.connected)

    def test_an_old_client_gets_puback_and_excess_messages_are_dropped(self):
        hostile = self.world.terminal(login=False, version=4)
        began = time.monotonic()
        self.flood(hostile, f"{hostile.base}/request/account/whoami", 400)
        behind = self.world.terminal()
        behind.get("account/whoami")
        self.own.watcher.expect(f"{behind.base}/request/account/whoami")
        heard = [m for m in self.own.watcher.everything if m.topic.startswith(f"{hostile.base}/request/")]
        self.assertLessEqual(len(heard), self.most(100, 20, began))
        self.assertGreaterEqual(len(heard), 90)

    def test_a_device_sends_five_hundred_stored_reports_at_once(self):
        device = self.device()
        began = time.monotonic()
        taken, refused = self.flood(device, f"{device.base}/report", 480)
        self.assertEqual((taken, refused), (480, []))
        taken, refused = self.flood(device, f"{device.base}/report", 1000)
        self.assertLessEqual(480 + taken, self.most(500, 50, began))
        self.assertEqual(set(refused), {0x87})

    def test_sixty_four_subscriptions_of_known_forms(self):
        terminal = self.world.terminal()
        base, user = terminal.base, f"{TOPICS}/user/{terminal.uid}"
        for filter in (f"{base}/response", f"{base}/session", f"{base}/command/#", f"{base}/response/mine/1",
                       f"{user}/device/+/status", f"{user}/device/d-1/event", f"{user}/device/#", f"{user}/share"):
            self.assertEqual(terminal.subscribe(filter), 1, filter)
        for filter in (f"{base}/a/b/c/d", f"{user}/device/d-1/status/x/y", f"{base}/x" + "/x" * 150):
            self.assertEqual(terminal.subscribe(filter), 0x87, filter)
        held = 10  # the eight above, and the terminal's own space and its user's topics
        codes = [terminal.subscribe(f"{base}/q{n}") for n in range(60)]
        self.assertEqual(codes.count(1), 64 - held)
        self.assertEqual(set(codes[64 - held:]), {0x87})

    def test_a_thousand_deep_filters_cost_the_broker_nothing(self):
        before = memory(self.own.service.broker_pid)
        for _ in range(2):
            hostile = self.world.terminal(login=False, version=5)
            for start in range(0, 500, 50):
                hostile.paho.subscribe([
                    (f"{hostile.base}/q{n}" + "/x" * 150, 0) for n in range(start, start + 50)])
            hostile.subscribe(f"{hostile.base}/response")
        self.assertLess(memory(self.own.service.broker_pid) - before, 10 << 20)

    def test_long_correlation_data_is_refused_and_a_long_response_topic_ignored(self):
        terminal = self.world.terminal()
        topic = f"{terminal.base}/request/account/whoami"

        def ask(id, **properties):
            terminal.publish(topic, {"id": id, "token": terminal.token, "params": {}},
                             properties=publish_properties(**properties))
            return terminal.expect("/response", lambda b: b.get("id") == id)

        for size, ok in ((128, True), (129, False), (60_000, False)):
            answer = ask(fresh_id(), correlation=b"c" * size)
            self.assertEqual(answer.body["ok"], ok, size)
            if not ok:
                self.assertEqual(answer.body["error"]["code"], "InvalidRequest")
                self.assertEqual(answer.body["error"]["field"], "correlationData")
        self.assertTrue(ask(fresh_id(), response=f"{terminal.base}/" + "r" * 256).body["ok"])

    def test_ten_seconds_above_the_rate_end_the_connection_for_a_minute(self):
        hostile = self.world.terminal(login=False)
        began = time.monotonic()
        while hostile.connected and time.monotonic() < began + 20:
            hostile.publish(f"{hostile.base}/request/account/whoami", {"id": "f"}, qos=0, wait=False)
            time.sleep(0.005)
        self.assertTrue(9 < time.monotonic() - began < 14, time.monotonic() - began)
        again = self.keep(Terminal(self.own.port, "test-app", self.own.apps["test-app"]["secret"],
                                   terminal_id=hostile.terminal_id))
        self.assertIn(again.connect(), (0x86, 0x87))
        told = eventually(lambda: [r for r in self.refusals() if r["action"] == "connect"], 5, "the word of it")
        self.assertEqual(told[-1]["reason"], "tooFast")
        other = self.keep(Terminal(self.own.port, "test-app", self.own.apps["test-app"]["secret"]))
        self.assertEqual(other.connect(), 0)


class SwitchedOff(Limits):
    settings = [word for key in (
        "terminalMessagesPerSecond", "terminalKilobytesPerSecond", "terminalSubscriptions", "subscriptionLevels",
        "correlationBytes") for word in ("--set", f"limits.{key}=0")]

    def test_every_message_passes(self):
        hostile = self.world.terminal(login=False)
        self.assertEqual(self.flood(hostile, f"{hostile.base}/request/account/nothing", 1000), (1000, []))

    def test_deep_filters_are_granted_and_cost_the_broker_much(self):
        hostile = self.world.terminal(login=False)
        before = memory(self.own.service.broker_pid)
        codes = [hostile.subscribe(f"{hostile.base}/q{n}" + "/x" * 150, 0) for n in range(200)]
        self.assertEqual(set(codes), {0})
        self.assertGreater(memory(self.own.service.broker_pid) - before, 10 << 20)

    def test_long_correlation_data_passes(self):
        terminal = self.world.terminal()
        id = fresh_id()
        terminal.publish(f"{terminal.base}/request/account/whoami",
                         {"id": id, "token": terminal.token, "params": {}},
                         properties=publish_properties(correlation=b"c" * 60_000))
        self.assertTrue(terminal.answer("account/whoami", id)["ok"])


class ClockSetBack(OwnWorld):
    """A clock that was two hours ahead is corrected while the service and the broker aren't running."""

    def make_world(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            skip_aloud(self, "there is no C compiler to build the clock with")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-clock-"))
        self.addCleanup(shutil.rmtree, folder)
        library = folder / "clock.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library),
                        str(HERE / "clock.c"), "-ldl"], check=True)
        self.shift = folder / "shift"
        self.shift.write_text("7200")
        service = Service(arguments=DEFAULTS)
        service.environment = {**os.environ, "LD_PRELOAD": str(library), "CLOCK_FILE": str(self.shift)}
        return World(watch=False, service=service)

    def test_connected_devices_are_online(self):
        device, app = self.device(), self.world.terminal()
        app.bind(device)
        ahead = device.report(data={"power": True})["ts"]
        self.assertGreater(ahead, (time.time() + 3600) * 1000)
        device.vanish()
        self.own.service.stop()
        self.shift.write_text("0")
        self.own.service.start()

        device = self.keep(type(device)(self.own.port, device.did, device.secret, device.mac)).come()
        back = self.keep(Terminal(self.own.port, "test-app", app.token, terminal_id=app.terminal_id)).come()
        back.token, back.uid = app.token, app.uid
        back.subscribe(f"{TOPICS}/user/{app.uid}/#")
        eventually(lambda: back.get("device/status", {"did": device.did})["online"], 10, "the device to be online")
        back.get("device/control", {"did": device.did, "data": {"power": False}})
        self.assertEqual(device.command().body["data"], {"power": False})


if __name__ == "__main__":
    unittest.main()
