"""Devices' presence, as the gate and the devices report it (reference: presence#birth)."""

import signal
import subprocess
import unittest

from client import Device
from harness import TOPICS
from world import EndToEnd


class Presence(EndToEnd):
    def test_connections_and_their_ends_are_published(self):
        device, terminal = self.world.device(connect=False), self.terminal()
        terminal.bind(device)
        self.assertFalse(terminal.status(device)["online"])

        device.come()
        self.assertTrue(terminal.status(device, lambda b: b["online"])["online"])
        terminal.event(device, lambda b: b["type"] == "online")
        device.close()
        status = terminal.status(device, lambda b: not b["online"])
        self.assertEqual((status["version"], status["changed"]), (0, []))
        event = terminal.event(device, lambda b: b["type"] == "offline")
        self.assertEqual(event.get("reason"), "closed")

    def test_presence_does_not_raise_the_version(self):
        device, terminal = self.pair()
        version = device.report(data={"power": True})["version"]
        device.close()
        status = terminal.status(device, lambda b: not b["online"])
        self.assertEqual((status["version"], status["data"]), (version, {"power": True}))

    def test_a_device_that_vanishes_is_lost(self):
        for will in (None, {"online": False, "session": "one"}):
            with self.subTest(will=will):
                device, terminal = self.world.device(connect=False), self.terminal()
                if will:
                    topic = f"{device.base}/presence"
                    device = Device(self.world.port, device.did, device.secret, device.mac,
                                    passcode=device.passcode, will=(topic, will))
                device.come()
                if will:
                    device.publish(f"{device.base}/presence", {"online": True, "session": "one"})
                terminal.bind(device)
                terminal.status(device, lambda b: b["online"])
                device.vanish()
                terminal.status(device, lambda b: not b["online"])
                event = terminal.event(device, lambda b: b["type"] == "offline")
                self.assertIn(event.get("reason"), ("lost", None))

    def test_a_device_killed_with_sigkill_is_lost(self):
        device, terminal = self.world.device(connect=False), self.terminal()
        terminal.bind(device)
        process = subprocess.Popen(
            ["mosquitto_sub", "-V", "5", "-p", str(self.world.port), "-i", device.did,
             "-u", f"device:{device.did}", "-P", device.secret, "-q", "1", "-t", f"{device.base}/command",
             "--will-topic", f"{device.base}/presence", "--will-payload", '{"online":false}', "--will-qos", "1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            terminal.status(device, lambda b: b["online"])
            process.send_signal(signal.SIGKILL)
        finally:
            process.wait()
        terminal.status(device, lambda b: not b["online"])

    def test_a_takeover_stays_online(self):
        device, terminal = self.pair()
        self.assertTrue(self._online(terminal, device))
        terminal.clear()
        second = self.keep(Device(self.world.port, device.did, device.secret)).come()
        device.wait_lost()
        second.report(data={"power": True})
        status = terminal.status(device, lambda b: b["changed"] == ["power"])
        self.assertTrue(status["online"])
        self.assertTrue(self._online(terminal, device))
        told = [m.body["type"] for m in terminal.unread("/event")]
        self.assertNotIn("offline", told)

    def test_a_takeover_with_a_will_stays_online(self):
        first = self.world.device(connect=False)
        will = (f"{first.base}/presence", {"online": False, "session": "one"})
        device = Device(self.world.port, first.did, first.secret, passcode=first.passcode, will=will).come()
        terminal = self.terminal()
        terminal.bind(device)
        terminal.status(device, lambda b: b["online"])
        second = self.keep(Device(self.world.port, first.did, first.secret)).come()
        second.publish(f"{second.base}/presence", {"online": True, "session": "two"})
        device.wait_lost()
        second.report(data={"power": True})
        status = terminal.status(device, lambda b: b["changed"] == ["power"])
        self.assertTrue(status["online"])
        self.assertTrue(self._online(terminal, device))

    def test_a_device_may_have_its_own_will_which_changes_nothing_while_it_is_connected(self):
        device, terminal = self.pair()
        device.publish(f"{device.base}/presence", {"online": False})
        device.report(data={"power": True})
        self.assertTrue(terminal.status(device, lambda b: b["changed"] == ["power"])["online"])

    def test_ten_quick_reconnects_end_online(self):
        device, terminal = self.pair()
        last = device
        for _ in range(10):
            last = self.keep(Device(self.world.port, device.did, device.secret)).come()
        last.report(data={"power": True})
        terminal.status(device, lambda b: b["changed"] == ["power"])
        self.assertTrue(self._online(terminal, device))
        last.close()
        terminal.status(device, lambda b: not b["online"])

    def test_the_list_shows_it_too(self):
        device, terminal = self.pair()
        self.assertTrue(self._online(terminal, device))
        entry = terminal.get("device/list")["devices"][0]
        self.assertTrue(entry["online"])

    def test_no_client_can_publish_the_presence_of_another(self):
        device, other = self.device(), self.device()
        self.assertEqual(device.publish(f"{other.base}/presence", {"online": False}), 0x87)
        self.assertEqual(
            device.publish(f"{TOPICS}/system/presence/{device.did}", {"online": False, "connection": 99, "ts": 1}),
            0x87)

    def _online(self, terminal, device):
        return terminal.get("device/status", {"did": device.did})["online"]


if __name__ == "__main__":
    unittest.main()
