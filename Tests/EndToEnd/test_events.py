"""device/events and device/commands return the logs, with the newest entries first."""

import unittest

from client import now
from world import EndToEnd


class Events(EndToEnd):
    def all(self, terminal, method, key, params):
        found, cursor = [], None
        while True:
            page = terminal.get(method, {**params, **({"cursor": cursor} if cursor else {})})
            self.assertLessEqual(len(page[key]), params.get("limit", 100))
            found += page[key]
            cursor = page.get("cursor")
            if cursor is None:
                return found

    def test_alerts_faults_and_presence_come_newest_first(self):
        device, terminal = self.pair()
        device.report(alerts=[{"name": "smoke"}])
        device.report(faults=[{"name": "sensor", "value": 3}])
        device.report(alerts=[{"name": "smoke", "value": False}])
        device.close()
        terminal.event(device, lambda b: b["type"] == "offline")
        events = self.all(terminal, "device/events", "events", {"did": device.did, "limit": 2})
        types = [e["type"] for e in events]
        self.assertEqual(types[:4], ["offline", "alertCleared", "fault", "alert"])
        self.assertEqual(events[1]["eventId"], events[3]["eventId"])
        self.assertEqual(events[2]["value"], 3)
        for event in events:
            self.assertEqual(event["actor"], {"kind": "device", "id": device.did})

    def test_a_late_alert_is_stored_and_not_published(self):
        device, terminal = self.pair()
        at = now() + 5000
        self.assertEqual(device.report(alerts=[{"name": "smoke"}], ts=at)["stored"], "state")
        terminal.event(device, lambda b: b["type"] == "alert")
        # The device then reports alerts that it had stored: on, still on, off, and still off.
        for value, ts in ((True, at - 1000), (True, at - 900), (False, at - 500), (False, at - 400)):
            report = device.report(alerts=[{"name": "smoke", "value": value}], ts=ts)
            self.assertEqual(report["stored"], "history")
        self.assertEqual(device.report(faults=[{"name": "sensor"}], ts=at)["stored"], "state")
        self.assertEqual(terminal.event(device, lambda b: b["type"] != "online")["type"], "fault")
        kept = terminal.get("device/events", {"did": device.did, "types": ["alert", "alertCleared"]})["events"]
        self.assertEqual([(event["type"], event["ts"]) for event in kept],
                         [("alert", at), ("alertCleared", at - 500), ("alert", at - 1000)])
        self.assertEqual(kept[1]["eventId"], kept[2]["eventId"])
        self.assertNotEqual(kept[0]["eventId"], kept[2]["eventId"])
        self.assertEqual(terminal.get("device/status", {"did": device.did})["alerts"], ["smoke"])

    def test_types_and_times_filter(self):
        device, terminal = self.pair()
        for value in (True, False, True):
            device.report(alerts=[{"name": "smoke", "value": value}])
        pick = {"did": device.did, "types": ["alert"]}
        self.assertEqual(len(terminal.get("device/events", pick)["events"]), 2)
        self.assertEqual(terminal.get("device/events", {**pick, "to": 1})["events"], [])
        self.assertEqual(terminal.get("device/events", {**pick, "from": now() + 60_000})["events"], [])
        self.assertError(terminal.fail("device/events", {**pick, "types": ["birthday"]}), "InvalidRequest")
        self.assertError(terminal.fail("device/events", {**pick, "cursor": "x"}), "InvalidRequest")

    def test_commands_show_all_their_states(self):
        device, terminal = self.pair()
        other = self.terminal()
        other.bind(device)
        for count in range(5):
            terminal.get("device/control", {"did": device.did, "data": {"count": count}, "sn": count})
            device.report(cid=device.command().body["cid"], code=count % 2, data={"count": count})
        found = self.all(other, "device/commands", "commands", {"did": device.did, "limit": 2})
        self.assertEqual([c["sn"] for c in found], [4, 3, 2, 1, 0])
        self.assertEqual([c["state"] for c in found], ["done", "failed", "done", "failed", "done"])
        for command in found:
            self.assertEqual(command["actor"], {"kind": "user", "id": terminal.uid})
            self.assertEqual(command["data"], command["result"])
            self.assertEqual([s["actor"]["kind"] for s in command["steps"]], ["user", "device"])
            self.assertGreaterEqual(command["doneAt"], command["createdAt"])
        mine = terminal.get("device/commands", {"did": device.did, "types": ["write"]})["commands"]
        self.assertEqual(mine[0]["actor"]["terminalId"], terminal.terminal_id)
        self.assertEqual(terminal.get("device/commands", {"did": device.did, "types": ["query"]})["commands"], [])


if __name__ == "__main__":
    unittest.main()
