"""device/history returns a device's reports, page by page or summed up."""

import datetime
import json
import unittest
import zoneinfo

from client import now
from world import FREE, EndToEnd, OwnWorldOfClass

HOUR = 3_600_000
DAY = 24 * HOUR


class History(EndToEnd):
    def past(self, rows, product=None):
        device, terminal = self.pair(product) if product else self.pair()
        for start in range(0, len(rows), 500):
            part = [{"ts": ts, "data": data} for ts, data in rows[start:start + 500]]
            device.report(reports=part)
        return device, terminal

    def pages(self, terminal, params):
        cursor = None
        while True:
            page = terminal.get("device/history", {**params, **({"cursor": cursor} if cursor else {})})
            yield page["rows"]
            cursor = page.get("cursor")
            if cursor is None:
                return

    def ahead(self):
        """Returns the time one minute from now, for the reports of a device that the test binds before this time.

        Users see only data from after the binding. A report's time may be up to ten minutes ahead.
        """
        return now() + 60_000

    def test_pages_come_oldest_first_and_stay_right_while_rows_arrive(self):
        start = self.ahead()
        device, terminal = self.past([(start + i * 1000, {"count": i}) for i in range(300)])
        seen = []
        params = {"did": device.did, "from": start, "to": start + HOUR, "limit": 70}
        for number, rows in enumerate(self.pages(terminal, params)):
            self.assertLessEqual(len(rows), 70)
            seen += [row["data"]["count"] for row in rows]
            # Reports arrive between the pages. This report's time lies in the first page, so no later page contains the
            # report. After the first page, another report arrives, whose time is that of the page's last row.
            device.report(ts=start + 500, data={"count": -1})
            if number == 0:
                device.report(ts=rows[-1]["ts"], data={"count": 7777})
        self.assertEqual(sorted(seen), sorted([*range(300), 7777]))
        self.assertEqual(len(seen), 301)

    def test_an_attribute_alone_and_the_bounds(self):
        start = self.ahead()
        device, terminal = self.past([
            (start, {"count": 1}), (start + 1, {"power": True}), (start + 2, {"count": 3}), (start + 3, {"count": 4})])
        rows = terminal.get(
            "device/history", {"did": device.did, "attr": "count", "from": start, "to": start + 3})["rows"]
        self.assertEqual(rows, [{"ts": start, "value": 1}, {"ts": start + 2, "value": 3}])

    def test_data_from_before_the_registration_belongs_to_the_first_users(self):
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
        # The test uses two whole days. History is kept for 30 times 24 hours, but a day has 25 hours when summer time
        # ends. After such a day, the first hour of the day 29 days ago can already be deleted. Therefore, the test
        # begins 28 days ago.
        days = [datetime.datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)
                - datetime.timedelta(days=n) for n in (28, 27, 26)]
        starts = [int(day.timestamp() * 1000) for day in days]
        rows = [(start + hour * HOUR, {"count": index + 1}) for index, start in enumerate(starts[:2])
                for hour in range((starts[index + 1] - start) // HOUR)]
        device, terminal = self.past(rows)
        params = {"did": device.did, "from": starts[0], "to": starts[2]}
        self.assertEqual(len(terminal.get("device/history", {**params, "limit": 100})["rows"]), len(rows))
        sums = terminal.get(
            "device/history", {**params, "attr": "count", "every": "1d", "fn": "sum", "timezone": "Europe/Berlin"})
        self.assertEqual([row["value"] for row in sums["rows"]],
                         [(starts[1] - starts[0]) // HOUR, 2 * (starts[2] - starts[1]) // HOUR])

    def test_binary_of_a_free_form_device(self):
        device, terminal = self.pair(FREE)
        began = now()
        device.report(binary="AAEC")
        row = terminal.get("device/history", {"did": device.did, "from": began - DAY, "to": now() + DAY})["rows"][0]
        self.assertEqual((row["data"], row["binary"]), ({}, "AAEC"))

    def test_sums_by_steps(self):
        start = (self.ahead() // 60_000 + 1) * 60_000
        device, terminal = self.past([(start + i * 20_000, {"count": i, "power": i % 2 == 0}) for i in range(9)])
        params = {"did": device.did, "attr": "count", "from": start, "to": start + HOUR, "every": "1m"}
        for fn, wanted in (("avg", [1, 4, 7]), ("min", [0, 3, 6]), ("max", [2, 5, 8]), ("sum", [3, 12, 21]),
                           ("count", [3, 3, 3]), ("first", [0, 3, 6]), ("last", [2, 5, 8])):
            with self.subTest(fn=fn):
                rows = terminal.get("device/history", {**params, "fn": fn})["rows"]
                self.assertEqual([r["value"] for r in rows], wanted)
                self.assertEqual([r["ts"] for r in rows], [start, start + 60_000, start + 120_000])
        rows = terminal.get("device/history", {**params, "attr": None, "fn": "last"})["rows"]
        self.assertEqual(rows[0]["data"], {"count": 2, "power": True})
        got = [row for rows in self.pages(terminal, {**params, "fn": "count", "limit": 1}) for row in rows]
        self.assertEqual([r["value"] for r in got], [3, 3, 3])

    def test_invalid_queries_are_refused(self):
        device, terminal = self.pair()
        good = {"did": device.did, "from": 0, "to": DAY}
        for params, field in (({"to": None}, "to"), ({"from": DAY}, "to"), ({"attr": "colour"}, "attr"),
                              ({"attr": "pin"}, "attr"), ({"every": "1y"}, "every"), ({"fn": "max"}, "fn"),
                              ({"every": "1d", "fn": "median"}, "fn"), ({"cursor": "??"}, "cursor"),
                              ({"every": "1d", "timezone": "Mars/Olympus"}, "timezone"), ({"limit": 0}, "limit"),
                              ({"limit": 1001}, "limit"), ({"from": "yesterday"}, "from")):
            with self.subTest(params=params):
                error = self.assertError(terminal.fail("device/history", {**good, **params}), "InvalidRequest")
                self.assertEqual(error["field"], f"params.{field}")
        self.assertError(self.terminal().fail("device/history", good), "NotBound")

    def test_a_new_owner_sees_nothing_of_earlier_owners(self):
        start = self.ahead()
        device, old = self.past([(start + i, {"count": i}) for i in range(5)])
        device.report(data={"count": 9}, alerts=[{"name": "smoke"}])
        old.get("device/control", {"did": device.did, "data": {"power": True}})
        span = {"did": device.did, "from": 0, "to": now() + DAY}
        self.assertEqual(len(old.get("device/history", span)["rows"]), 6)
        old.get("device/unbind", {"did": device.did})
        for method in ("history", "events", "commands"):
            self.assertError(old.fail(f"device/{method}", span), "NotBound")
        new = self.terminal()
        new.bind(device)
        self.assertEqual(new.get("device/history", span), {"rows": []})
        self.assertEqual(new.get("device/events", {"did": device.did}), {"events": []})
        self.assertEqual(new.get("device/commands", {"did": device.did}), {"commands": []})


class Counted(OwnWorldOfClass):
    """`doctor` finds a device whose history has more records than the service accepted."""

    def test_doctor_finds_a_duplicate_chunk(self):
        start = now()
        device, _ = self.pair()
        device.report(reports=[{"ts": start + i, "data": {"count": i}} for i in range(20)])
        self.assertEqual(self.doctor()["state"], "pass")
        lines = "".join(f'[{start + i},{{"count":{i}}}]\n' for i in range(20)).encode().hex()
        blob = f"'\\x{lines}'" if self.world.service.store else f"x'{lines}'"
        self.world.service.sql("INSERT INTO history (did, fromTs, seq, toTs, count, lines) "
                         f"VALUES ('{device.did}', {start}, 1, {start + 19}, 20, {blob})")
        found = self.doctor()
        self.assertEqual(found["state"], "fail", found)
        self.assertRegex(found["evidence"], f"{device.did} has 40 records, but 20 were accepted")
        self.assertIn("LL1318", found["cure"])

    def doctor(self):
        done = self.world.service.cli("doctor", "--only", "history", "--json", check=False)
        return json.loads(done.stdout)["checks"][0]


if __name__ == "__main__":
    unittest.main()
