"""Timed commands, and the schedulers that fire them (reference: schedules#due)."""

import datetime
import signal
import subprocess
import time
import unittest
import zoneinfo

from client import Device, Terminal, fresh_id, now
from harness import TOPICS, eventually
from world import EndToEnd, OwnWorld, OwnWorldOfClass, World

EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
DAY = 86_400_000


def clock(ms, zone="UTC"):
    return datetime.datetime.fromtimestamp(ms / 1000, zoneinfo.ZoneInfo(zone))


def ahead(minutes, zone="UTC"):
    """Returns the time of day that will be reached in `minutes` minutes, and the date at that time."""
    moment = clock(now() + minutes * 60_000, zone)
    return moment.strftime("%H:%M"), moment.strftime("%Y-%m-%d")


class Scheduling(EndToEnd):
    def make(self, terminal, device, time=None, **more):
        """Creates a schedule, by default due in 3 to 4 minutes.

        The test can fire this schedule early with its own trigger. The scheduler doesn't fire the schedule during the test.
        """
        params = {"did": device.did, "time": time or ahead(4)[0], "timezone": "UTC", "attrs": {"power": True}}
        if not {"date", "weekDays", "monthDays"} & set(more):
            params["weekDays"] = EVERY_DAY
        params.update(more)
        return terminal.get("schedule/create", {k: v for k, v in params.items() if v is not None})["schedule"]

    def runs(self, terminal, schedule, count=1):
        return eventually(
            lambda: (lambda r: r if len(r) >= count else None)(
                terminal.get("schedule/runs", {"scheduleId": schedule["scheduleId"]})["runs"]),
            40, "the run")

    def fire(self, schedule, due, watcher=None):
        """Publishes a trigger, as any outside scheduler does."""
        (watcher or self.world.watcher).publish(
            f"{TOPICS}/system/trigger/{schedule['scheduleId']}", {"dueAt": due, "firedAt": now()})


class Requests(Scheduling):
    def test_a_weekly_schedule_shows_its_next_time(self):
        device, terminal = self.pair()
        zone = "Europe/Berlin"
        text, day = ahead(60, zone)
        result = terminal.get("schedule/create", {
            "did": device.did, "time": text, "weekDays": EVERY_DAY, "timezone": zone,
            "attrs": {"power": True, "brightness": 40}, "remark": "evening"})
        schedule = result["schedule"]
        self.assertEqual(clock(schedule["nextAt"], zone).strftime("%H:%M %Y-%m-%d"), f"{text} {day}")
        self.assertEqual(result["schedules"], [schedule])
        self.assertEqual(schedule["actor"], {"kind": "user", "id": terminal.uid})
        pushed = terminal.expect("/schedule").body
        self.assertEqual(pushed, {"did": device.did, "schedules": [schedule]})

    def test_all_bound_users_are_told_of_each_change(self):
        device, terminal = self.pair()
        other = self.terminal()
        other.bind(device)
        schedule = self.make(terminal, device)
        other.expect("/schedule", lambda b: len(b["schedules"]) == 1)
        id = {"scheduleId": schedule["scheduleId"]}
        for method in ("disable", "enable"):
            terminal.get(f"schedule/{method}", id)
            other.expect("/schedule", lambda b: b["schedules"][0]["enabled"] == (method == "enable"))
        terminal.get("schedule/update", {**id, "remark": "x"})
        other.expect("/schedule", lambda b: b["schedules"][0]["remark"] == "x")
        self.assertEqual(terminal.get("schedule/delete", id)["schedules"], [])
        other.expect("/schedule", lambda b: b["schedules"] == [])

    def test_the_users_zone_is_the_default(self):
        device, terminal = self.pair()
        terminal.get("account/updateProfile", {"timezone": "Asia/Kathmandu"})
        schedule = self.make(terminal, device, "06:00", timezone=None)
        self.assertEqual(schedule["timezone"], "Asia/Kathmandu")
        self.assertEqual(clock(schedule["nextAt"], "Asia/Kathmandu").strftime("%H:%M"), "06:00")
        terminal.get("account/updateProfile", {"timezone": "Europe/Berlin"})
        again = terminal.get("schedule/list", {"did": device.did})["schedules"]
        self.assertEqual(again, [schedule])

    def test_the_kind_can_be_changed(self):
        device, terminal = self.pair()
        schedule = self.make(terminal, device, date="2031-01-16", time="06:30")
        id = {"scheduleId": schedule["scheduleId"]}
        monthly = terminal.get("schedule/update", {**id, "monthDays": [15, 1]})["schedule"]
        self.assertEqual((monthly["monthDays"], "date" in monthly, monthly["time"]), ([1, 15], False, "06:30"))
        both = terminal.get("schedule/update", {**id, "monthDays": [1], "weekDays": [7]})
        self.assertEqual((both["schedule"]["weekDays"], both["ignored"]), ([7], ["monthDays"]))
        once = terminal.get("schedule/update", {**id, "date": "2031-01-17", "weekDays": None})["schedule"]
        self.assertEqual((once["date"], "weekDays" in once), ("2031-01-17", False))
        self.assertEqual({s["scheduleId"] for s in (monthly, both["schedule"], once)}, {schedule["scheduleId"]})

    def test_refusals_have_code_and_field(self):
        device, terminal = self.pair()
        good = {"did": device.did, "time": "07:00", "weekDays": [1], "timezone": "UTC", "attrs": {"power": True}}
        yesterday = clock(now() - DAY).strftime("%Y-%m-%d")
        for change, field in (
            ({"time": None}, "time"), ({"time": "24:00"}, "time"), ({"time": "7:00"}, "time"), ({"time": 7}, "time"),
            ({"time": "sunset"}, "time"), ({"time": "sunrise+25:00"}, "time"), ({"time": "sunset-01:00"}, "time"),
            ({"weekDays": []}, "weekDays"), ({"weekDays": [0]}, "weekDays"), ({"weekDays": [8]}, "weekDays"),
            ({"weekDays": ["1"]}, "weekDays"), ({"weekDays": 1}, "weekDays"), ({"monthDays": [0]}, "monthDays"),
            ({"monthDays": [32]}, "monthDays"), ({"weekDays": None, "date": "2027-02-29"}, "date"),
            ({"weekDays": None, "date": yesterday}, "date"), ({"weekDays": None, "date": 20270101}, "date"),
            ({"timezone": "Europe/Atlantis"}, "timezone"), ({"timezone": "/etc/passwd"}, "timezone"),
            ({"attrs": None}, "attrs"), ({"attrs": {}}, "attrs"), ({"attrs": []}, "attrs"),
            ({"attrs": {"power": 1}}, "attrs.power"), ({"attrs": {"temperature": 1}}, "attrs.temperature"),
            ({"attrs": {"brightness": 101}}, "attrs.brightness"), ({"attrs": {"speed": 1}}, "attrs.speed"),
            ({"remark": 1}, "remark"), ({"remark": "x" * 257}, "remark"), ({"enabled": 1}, "enabled"),
            ({"misfire": "later"}, "misfire"), ({"did": None}, "did"),
        ):
            with self.subTest(change=change):
                self.assertError(terminal.ask("schedule/create", {**good, **change}), "InvalidRequest", field)
        self.assertError(terminal.ask("schedule/create", {**good, "did": "d-none"}), "NotBound", "did")
        self.assertEqual(terminal.get("schedule/list", {"did": device.did})["schedules"], [])

    def test_only_the_creator_and_principals_can_change_one(self):
        device, special = self.pair()
        normal, stranger = self.terminal(), self.terminal()
        normal.bind(device)
        own, foreign = self.make(normal, device), self.make(special, device)
        for method in ("update", "enable", "disable", "delete", "runs"):
            for schedule_id in (foreign["scheduleId"], "s-none"):
                if method == "runs" and schedule_id != "s-none":
                    continue
                with self.subTest(method=method, id=schedule_id):
                    self.assertError(
                        normal.ask(f"schedule/{method}", {"scheduleId": schedule_id}), "ResourceNotFound", "scheduleId")
            self.assertError(
                stranger.ask(f"schedule/{method}", {"scheduleId": own["scheduleId"]}), "ResourceNotFound", "scheduleId")
        self.assertError(normal.ask("schedule/update", {}), "InvalidRequest", "scheduleId")
        special.get("schedule/update", {"scheduleId": own["scheduleId"], "remark": "y"})
        special.get("schedule/delete", {"scheduleId": own["scheduleId"]})
        self.assertError(stranger.ask("schedule/list", {"did": device.did}), "NotBound", "did")

    def test_a_hundred_is_the_limit(self):
        device, terminal = self.pair()
        ids = []
        for minute in range(100):
            ids.append(fresh_id())
            terminal.send("schedule/create", {
                "did": device.did, "time": f"0{minute // 60}:{minute % 60:02}", "weekDays": [1],
                "attrs": {"power": True}}, ids[-1])
        for id in ids:
            self.assertTrue(terminal.answer("schedule/create", id)["ok"])
        refused = terminal.ask("schedule/create", {
            "did": device.did, "time": "05:00", "weekDays": [1], "attrs": {"power": True}})
        self.assertError(refused, "Forbidden", "did")
        listed, cursor, pages = [], None, 0
        while True:
            page = terminal.get("schedule/list", {"limit": 30, "cursor": cursor})
            listed += [s["scheduleId"] for s in page["schedules"]]
            pages, cursor = pages + 1, page.get("cursor")
            if not cursor:
                break
        self.assertEqual((len(listed), len(set(listed)), pages), (100, 100, 4))

    def test_write_only_values_are_hidden_and_set(self):
        device, terminal = self.pair()
        schedule = self.make(terminal, device, attrs={"pin": "pin-4711", "power": True})
        self.assertEqual(schedule["attrs"], {"pin": "***", "power": True})
        shown = self.world.service.cli("schedule", "show", schedule["scheduleId"])
        self.assertNotIn("pin-4711", shown.stdout)
        terminal.get("schedule/update", {
            "scheduleId": schedule["scheduleId"], "attrs": {"pin": "***", "power": False}})
        self.fire(schedule, schedule["nextAt"])
        self.assertEqual(device.command().body["data"], {"pin": "pin-4711", "power": False})

    def test_sunset_needs_a_place_and_follows_it(self):
        device, terminal = self.pair()
        wish = {"did": device.did, "time": "sunset-00:30", "weekDays": EVERY_DAY, "timezone": "UTC",
                "attrs": {"power": True}}
        error = self.assertError(terminal.ask("schedule/create", wish), "InvalidRequest", "time")
        self.assertIn("latitude", error["message"])
        terminal.get("account/updateProfile", {"latitude": 0.0, "longitude": 0.0})
        equator = terminal.get("schedule/create", wish)["schedule"]
        # At the equator the sun sets at about 18:00 all year.
        minutes = (clock(equator["nextAt"]).hour - 17) * 60 + clock(equator["nextAt"]).minute
        self.assertTrue(5 < minutes < 60, equator)
        terminal.get("account/updateProfile", {"latitude": 0.0, "longitude": 90.0})
        moved = terminal.expect(
            "/schedule", lambda b: clock(b["schedules"][0]["nextAt"]).hour in (10, 11), seconds=15).body
        self.assertEqual(moved["schedules"][0]["scheduleId"], equator["scheduleId"])

    def test_polar_days_are_reported(self):
        device, terminal = self.pair()
        terminal.get("account/updateProfile", {"latitude": 78.2, "longitude": 15.6})
        once = {"did": device.did, "time": "sunset+00:00", "timezone": "Arctic/Longyearbyen", "attrs": {"power": True}}
        error = self.assertError(
            terminal.ask("schedule/create", {**once, "date": "2031-06-21"}), "InvalidRequest", "date")
        self.assertIn("polar day", error["message"])
        error = self.assertError(
            terminal.ask("schedule/create", {**once, "date": "2031-12-21"}), "InvalidRequest", "date")
        self.assertIn("polar night", error["message"])
        # Some months of each half year have no sunset at all.
        schedule = terminal.get("schedule/create", {**once, "weekDays": EVERY_DAY})["schedule"]
        month = clock(now()).month
        if month in (5, 6, 7, 11, 12, 1):
            self.assertEqual(schedule["polar"]["sun"], "polarDay" if month in (5, 6, 7) else "polarNight")
        self.assertGreater(schedule["nextAt"], now())

    def test_unbinding_deletes_the_users_schedules(self):
        device, terminal = self.pair()
        other = self.terminal()
        other.bind(device)
        mine, theirs = self.make(terminal, device), self.make(other, device)
        other.get("device/unbind", {"did": device.did})
        terminal.expect("/schedule", lambda b: [s["scheduleId"] for s in b["schedules"]] == [mine["scheduleId"]]
                        and b["schedules"][0]["updatedAt"] == mine["updatedAt"])
        left = terminal.get("schedule/list", {"did": device.did})["schedules"]
        self.assertEqual([s["scheduleId"] for s in left], [mine["scheduleId"]])
        self.world.watcher.clear()
        self.fire(theirs, theirs["nextAt"])
        self.world.watcher.expect("/system/dead-letter", lambda b: theirs["scheduleId"] in b["topic"])


class Firing(Scheduling):
    def test_it_runs_when_its_minute_begins(self):
        device, terminal = self.pair()
        text, day = ahead(1 if clock(now()).second < 50 else 2)
        schedule = self.make(terminal, device, text, date=day, attrs={"brightness": 35})
        self.world.watcher.clear()
        wait = (schedule["nextAt"] - now()) / 1000
        self.assertTrue(0 < wait <= 120, wait)
        trigger = self.world.watcher.expect(
            f"/trigger/{schedule['scheduleId']}", lambda b: True, seconds=wait + 10).body
        self.assertEqual(trigger["dueAt"], schedule["nextAt"])
        self.assertTrue(0 <= trigger["firedAt"] - trigger["dueAt"] < 2000, trigger)
        command = device.command().body
        self.assertEqual(command["data"], {"brightness": 35})
        self.assertEqual(command["actor"], {"kind": "schedule", "id": schedule["scheduleId"]})
        device.report(cid=command["cid"], data={"brightness": 35})
        event = terminal.expect("/event", lambda b: b["type"] == "scheduleRun").body
        self.assertEqual((event["actor"], event["value"]["state"]), (command["actor"], "done"))
        pushed = terminal.expect("/schedule", lambda b: not b["schedules"][0]["enabled"]).body
        self.assertNotIn("nextAt", pushed["schedules"][0])
        run = self.runs(terminal, schedule)[0]
        self.assertEqual((run["dueAt"], run["state"], run["cid"]), (schedule["nextAt"], "done", command["cid"]))
        logged = terminal.get("device/events", {"did": device.did, "types": ["scheduleRun"]})["events"]
        self.assertEqual([e["eventId"] for e in logged], [event["eventId"]])

    def test_an_external_trigger_runs_it_once_however_often_it_is_sent(self):
        device, terminal = self.pair()
        schedule = self.make(terminal, device)
        for _ in range(5):
            self.fire(schedule, schedule["nextAt"])
        command = device.command().body
        device.report(cid=command["cid"], code=9)
        run = self.runs(terminal, schedule)
        self.assertEqual([(r["state"], r["code"]) for r in run], [("failed", 9)])
        self.fire(schedule, schedule["nextAt"])
        terminal.get("schedule/list")
        self.assertEqual(len(self.runs(terminal, schedule)), 1)
        listed = terminal.get("schedule/list", {"did": device.did})["schedules"][0]
        self.assertEqual(listed["nextAt"], schedule["nextAt"] + DAY)

    def test_an_offline_device_makes_it_fail(self):
        device, terminal = self.pair()
        schedule = self.make(terminal, device)
        device.close()
        terminal.status(device, lambda b: not b["online"])
        self.fire(schedule, schedule["nextAt"])
        run = self.runs(terminal, schedule)[0]
        self.assertEqual((run["state"], run["error"]["code"], "cid" in run), ("failed", "DeviceOffline", False))
        event = terminal.expect("/event", lambda b: b["type"] == "scheduleRun").body
        self.assertEqual(event["reason"], "DeviceOffline")

    def test_invalid_triggers_are_dead_letters(self):
        device, terminal = self.pair()
        schedule, off = self.make(terminal, device), self.make(terminal, device)
        terminal.get("schedule/disable", {"scheduleId": off["scheduleId"]})
        topic = f"{TOPICS}/system/trigger/"
        for name, body in (
            (schedule["scheduleId"], {"dueAt": schedule["nextAt"] + 60_000, "firedAt": now()}),
            (schedule["scheduleId"], {"dueAt": schedule["nextAt"] - DAY, "firedAt": now()}),
            (off["scheduleId"], {"dueAt": off["nextAt"], "firedAt": now()}),
            ("s-none", {"dueAt": schedule["nextAt"], "firedAt": now()}),
            (schedule["scheduleId"], {"firedAt": now()}),
            (schedule["scheduleId"], {"dueAt": "now", "firedAt": now()}),
        ):
            with self.subTest(body=body):
                self.world.watcher.clear()
                self.world.watcher.publish(topic + name, body)
                self.world.watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic + name)
        self.assertEqual(terminal.get("schedule/runs", {"scheduleId": schedule["scheduleId"]})["runs"], [])

    def test_a_trigger_more_than_five_minutes_early_is_a_dead_letter_and_the_schedule_runs_later(self):
        device, terminal = self.pair()
        text, day = ahead(19 * 24 * 60)
        for schedule in (self.make(terminal, device, ahead(7)[0]), self.make(terminal, device, text, date=day)):
            with self.subTest(schedule=schedule):
                self.world.watcher.clear()
                self.fire(schedule, schedule["nextAt"])
                self.world.watcher.expect(
                    "/system/dead-letter", lambda b: schedule["scheduleId"] in b["topic"] and "ahead" in b["reason"])
                id = {"scheduleId": schedule["scheduleId"]}
                self.assertEqual(terminal.get("schedule/runs", id)["runs"], [])
        listed = terminal.get("schedule/list", {"did": device.did})["schedules"]
        self.assertEqual([s["enabled"] for s in listed], [True, True])
        self.assertEqual(device.unread("/command"), [])

    def test_the_command_line_shows_it(self):
        device, terminal = self.pair()
        schedule = self.make(terminal, device, "02:30", timezone="Europe/Berlin")
        service = self.world.service
        rows = service.json("schedule", "list", "--device", device.did)["items"]
        self.assertEqual([r["scheduleId"] for r in rows], [schedule["scheduleId"]])
        shown = service.json("schedule", "show", schedule["scheduleId"])
        self.assertEqual(shown["schedule"]["nextAt"], schedule["nextAt"])
        coming = service.json("schedule", "next", schedule["scheduleId"], "--count", "400")
        self.assertEqual((len(coming), coming[0]["at"]), (400, schedule["nextAt"]))
        for row in coming:
            self.assertEqual(datetime.datetime.fromisoformat(row["local"]).timestamp() * 1000, row["at"])
        # On the day when summer time begins, the clock skips the hour after 02:00. On this day, the schedule runs at
        # 03:00.
        self.assertEqual({r["local"][11:16] for r in coming}, {"02:30", "03:00"})
        lines = service.cli("schedule", "next", schedule["scheduleId"], "--count", "2").stdout.split()
        self.assertEqual(lines, [r["local"] for r in coming[:2]])
        self.assertNotEqual(service.cli("schedule", "show", "s-none", check=False).returncode, 0)


class Apart(OwnWorldOfClass, Scheduling):
    """A service that leaves the scheduler to a separate process.

    The test begins without a scheduler, and later starts two schedulers."""

    @classmethod
    def make_world(cls):
        return World(settings=["--workers", "status,control,account,session,schedule"])

    def scheduler(self):
        """Starts `lamplighter scheduler` beside the service."""
        process = self.own.service.running("scheduler", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close()))
        for line in process.stdout:
            if "scheduler is ready" in line:
                return process
        raise AssertionError("the scheduler did not become ready")

    def test_without_a_scheduler_nothing_runs_and_two_schedulers_do_no_harm(self):
        device, terminal = self.pair()
        text, day = ahead(1 if clock(now()).second < 45 else 2)
        schedule = self.make(terminal, device, text, date=day)
        outside = self.make(terminal, device)
        self.fire(outside, outside["nextAt"])
        self.assertEqual(device.command().body["actor"]["id"], outside["scheduleId"])
        first, second = self.scheduler(), self.scheduler()
        wait = (schedule["nextAt"] - now()) / 1000
        command = device.command(seconds=wait + 10).body
        self.assertEqual(command["actor"]["id"], schedule["scheduleId"])
        device.report(cid=command["cid"])
        run = self.runs(terminal, schedule)
        self.assertEqual([r["state"] for r in run], ["done"])
        for process in (first, second):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(10), 0)


class Down(OwnWorld, Scheduling):
    """The service and its broker were down when schedules were due."""

    def test_started_in_time_it_waits_for_the_devices_and_catches_up_once(self):
        device, terminal = self.pair()
        text, day = ahead(1 if clock(now()).second < 50 else 2)
        weekly = self.make(terminal, device, text)
        once = self.make(terminal, device, text, date=day, attrs={"brightness": 40})
        device.close()
        terminal.close()
        self.own.service.stop()
        eventually(lambda: now() > once["nextAt"], 130, "the due time")
        self.own.service.start()
        back = self.keep(Terminal(self.own.port, "test-app", terminal.token, terminal.terminal_id)).come()
        back.token, back.uid = terminal.token, terminal.uid
        again = Device(self.own.port, device.did, device.secret)
        again.last_cid = device.last_cid
        self.keep(again).come()
        for _ in range(2):
            command = again.command(30).body
            again.report(cid=command["cid"], data=command["data"])
        for schedule in (weekly, once):
            run, = self.runs(back, schedule)
            self.assertEqual((run["state"], run["dueAt"]), ("done", schedule["nextAt"]))
        self.assertEqual(again.unread("/command"), [])
        enabled = {s["scheduleId"]: s["enabled"] for s in back.get("schedule/list")["schedules"]}
        self.assertEqual(enabled, {weekly["scheduleId"]: True, once["scheduleId"]: False})


if __name__ == "__main__":
    unittest.main()
