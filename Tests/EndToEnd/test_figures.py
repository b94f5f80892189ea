"""Tests that the figures that operators see are correct after a known load.

The lists name all families of `/metrics` and all checks of `doctor`. They also name all figures in the console's
overview and on its system pages. A test fails if it finds a figure that its list doesn't name. Each entry is a
function that compares the figure, or a string. The string says why the figure can't be compared here. The figures of
`cluster status` are compared in test_cluster, which runs several processes.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from client import Client, fresh_id
from console import Console
from console_browser import Browser
from harness import BINARY, eventually
from metrics import Page
from world import OwnWorldOfClass

REPORTS, REPEATED, REFUSED, BAD, REFUSALS, COMMANDS = 20, 2, 3, 4, 5, 3
# Besides the `REPORTS`, the service accepts a report as the answer to each command, a report with the alert, and the
# report that the device then repeats.
ACCEPTED = REPORTS + COMMANDS + 2
# Reports that break a rule or aren't JSON are refused, and count as dead letters.
DEAD = REFUSED + BAD
DEVICES, ONLINE, USERS, LIVE = 3, 2, 3, 2
STATUS = {"worker": "status"}


# MARK: Functions that check whether a metric has the value that the load should cause


def grows(by, **labels):
    return lambda load, name: load.after.sum(name, **labels) - load.before.sum(name, **labels) == by


def grows_at_least(by, **labels):
    return lambda load, name: load.after.sum(name, **labels) - load.before.sum(name, **labels) >= by


def times(by, **labels):
    """Returns a check that the load added `by` values to a histogram.

    Their average must be at most the load's duration."""
    def compare(load, name):
        grown = [load.after.sum(f"{name}_{what}", **labels) - load.before.sum(f"{name}_{what}", **labels) for what in ("count", "sum")]
        return grown[0] == by and 0 <= grown[1] <= by * load.seconds
    return compare


def shows(value, **labels):
    return lambda load, name: load.after.sum(name, **labels) == value


def about(value, share=0.1):
    """Compares two measurements of a value that changes; they may differ by about the fraction `share`."""
    def compare(load, name):
        other = value(load)
        return abs(load.after.sum(name) - other) <= share * other + 1
    return compare


def absent(load, name):
    return not load.after.all(name)


nothing = shows(0)


def stat(load, name):
    """Returns a field of /proc/PID/status, in bytes."""
    text = pathlib.Path(f"/proc/{load.service.process.pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", text)[1]) * 1024


def file_size(load, ending=""):
    path = load.service.data / f"lamplighter.db{ending}"
    return path.stat().st_size if path.exists() else 0


def connections(load):
    """Returns the number of connections to the broker that the operating system counts."""
    port = f"{load.service.mqtt_port:04X}"
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines() + pathlib.Path("/proc/net/tcp6").read_text().splitlines()
    return sum(1 for line in lines if (fields := line.split())[1].endswith(f":{port}") and fields[3] == "01")


def cpu_seconds(load):
    fields = pathlib.Path(f"/proc/{load.service.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


METRICS = {
    "lamplighter_backup_age_seconds": absent,
    "lamplighter_backup_failures_total": nothing,
    "lamplighter_batch_size": lambda load, name:
        load.grown(name + "_sum", **STATUS) == load.grown("lamplighter_messages_received_total", **STATUS),
    "lamplighter_broker_dropped_total": nothing,
    "lamplighter_broker_restarts_total": nothing,
    # One terminal logged out. Its session is counted only if the session still existed when the gate checked it.
    "lamplighter_broker_sessions_ended_total": lambda load, name: load.grown(name) in (0, 1),
    "lamplighter_build_info": shows(1),
    "lamplighter_certificate_lifetime_seconds": absent,
    "lamplighter_certificate_refused": absent,
    "lamplighter_certificate_remaining_seconds": absent,
    "lamplighter_clock_step_seconds": lambda load, name: abs(load.after.sum(name)) < 1,
    "lamplighter_cluster_processes": absent,
    "lamplighter_command_seconds": times(COMMANDS, kind="write", outcome="done"),
    "lamplighter_commit_seconds": lambda load, name:
        0 < load.grown(name + "_count", **STATUS) <= load.grown("lamplighter_messages_received_total", **STATUS) + 100,
    "lamplighter_database_bytes": about(file_size),
    "lamplighter_database_connections": nothing,
    "lamplighter_database_free_bytes": lambda load, name: 0 <= load.after.sum(name) < file_size(load),
    "lamplighter_dead_letters_total": grows(DEAD),
    "lamplighter_deliveries_total": nothing,
    "lamplighter_devices": lambda load, name: (
        load.after.sum(name, state="online"), load.after.sum(name, state="offline")) == (ONLINE, DEVICES - ONLINE),
    "lamplighter_devices_erased_total": nothing,
    "lamplighter_devices_online": shows(ONLINE),
    "lamplighter_disk_free_bytes": about(lambda load: shutil.disk_usage(load.service.data).free),
    "lamplighter_disk_low": nothing,
    "lamplighter_due_failures_total": nothing,
    "lamplighter_event_log_bytes": lambda load, name: 0 <= load.after.sum(name) < file_size(load),
    "lamplighter_event_readers_waiting": nothing,
    # This explains the expected `lamplighter_events_total` below. No reader has asked for events about the status, so
    # the service writes none. The last command has no outcome yet, so the service has written no event about this
    # command.
    "lamplighter_event_subscription_behind_seconds": nothing,
    "lamplighter_events_total": lambda load, name: [
        load.grown(name, type=type) for type in ("device.alert", "device.command", "session.ended", "device.status")
    ] == [1, COMMANDS, 1, 0],
    "lamplighter_gate_lag_seconds": nothing,
    "lamplighter_history_dropped_total": nothing,
    "lamplighter_homeassistant_announcements_total": nothing,
    "lamplighter_http_closed_total": nothing,
    "lamplighter_http_connections": shows(1, listener="health"),
    "lamplighter_intake_bytes": nothing,
    "lamplighter_intake_messages": nothing,
    "lamplighter_lanes_held": absent,
    "lamplighter_lanes_lost_total": absent,
    "lamplighter_lanes_taken_total": absent,
    "lamplighter_limited_total": nothing,
    # Each report is answered, and each accepted one is published to the user.
    "lamplighter_messages_published_total": grows_at_least(ACCEPTED + REFUSED, **STATUS),
    # A worker also receives its own echoes, by which it measures its lateness. The test allows ten echoes a second.
    "lamplighter_messages_received_total": lambda load, name:
        0 <= load.grown(name, **STATUS) - ACCEPTED - REPEATED - DEAD <= 10 * load.seconds,
    # The alert.
    "lamplighter_notifications_total": lambda load, name: load.grown(name, outcome="noAddress") == load.grown(name) == 1,
    "lamplighter_oldest_unanswered_seconds": nothing,
    "lamplighter_outbox_age_seconds": nothing,
    "lamplighter_outbox_bytes": nothing,
    "lamplighter_outbox_rows": nothing,
    "lamplighter_pool_busy": nothing,
    "lamplighter_pool_rejected_total": nothing,
    "lamplighter_pool_seconds": lambda load, name: 0 <= load.after.sum(name + "_sum") <= load.seconds * 4,
    "lamplighter_pool_unanswered": nothing,
    "lamplighter_pool_waiting": nothing,
    "lamplighter_pool_waiting_bytes": nothing,
    "lamplighter_publish_refused_total": nothing,
    "lamplighter_ready": shows(1),
    "lamplighter_reconnects_total": nothing,
    "lamplighter_refusals_total": grows(REFUSALS),
    "lamplighter_rejected_total": grows(DEAD, **STATUS),
    "lamplighter_reports_total": lambda load, name: [
        load.grown(name, outcome=outcome) for outcome in ("accepted", "repeated", "refused")] == [ACCEPTED, REPEATED, DEAD],
    "lamplighter_request_seconds": times(COMMANDS + 1, service="device", method="control"),
    "lamplighter_requests_held": nothing,
    "lamplighter_requests_total": grows(COMMANDS + 1, service="device", method="control", code="ok"),
    "lamplighter_revocation_seconds": times(1),
    "lamplighter_schedule_lag_seconds": lambda load, name: load.after.sum(name + "_count") == 0,
    "lamplighter_schedule_runs_total": nothing,
    "lamplighter_schedule_triggers_total": nothing,
    "lamplighter_schedules_due": nothing,
    "lamplighter_sessions": shows(LIVE),
    "lamplighter_sessions_lost_total": grows(0),
    "lamplighter_statuses_left_out_total": nothing,
    "lamplighter_statuses_missed_total": nothing,
    "lamplighter_store_reruns_total": nothing,
    "lamplighter_sweep_backlog_rows": nothing,
    "lamplighter_wal_bytes": lambda load, name: load.after.sum(name) <= file_size(load, "-wal") + 1,
    "lamplighter_webhook_events_total": nothing,
    "lamplighter_webhook_posts_total": nothing,
    "lamplighter_webhook_seconds": lambda load, name: load.after.sum(name + "_count") == 0,
    "lamplighter_webhooks": nothing,
    "lamplighter_window_used": nothing,
    "process_cpu_seconds_total": about(cpu_seconds, 0.2),
    "process_open_fds": about(lambda load: len(os.listdir(f"/proc/{load.service.process.pid}/fd")), 0.2),
    "process_resident_memory_bytes": about(lambda load: stat(load, "VmRSS"), 0.3),
    "process_start_time_seconds": lambda load, name: abs(load.after.sum(name) - load.began) < 60,
}
ONLY_ON_FILE = {"lamplighter_database_bytes", "lamplighter_database_free_bytes", "lamplighter_wal_bytes", "lamplighter_database_connections",
                "lamplighter_store_reruns_total"}

# MARK: The console: its figures beside the load


OVERVIEW = {
    "state": lambda load, shown: shown == ("attention" if load.overview["findings"] else "ok"),
    "needs": lambda load, shown: shown == len(load.overview["findings"]),
    "findings": lambda load, shown: all(row["state"] in ("warn", "fail") for row in shown),
    "notReady": lambda load, shown: shown == [],
    # The overview was requested right before the load, and right after it.
    "reportsPerSecond": lambda load, shown: abs(shown - ACCEPTED / load.between) <= 0.1 + 0.1 * shown,
    "load": lambda load, shown: (sum(shown["reports"]), sum(shown["refusals"]), shown["stepSeconds"]) == (ACCEPTED, REFUSALS, 600)
        and 0 <= load.ended - (shown["from"] / 1000 + 143 * 600) < 700,
    "devices": lambda load, shown: shown == {
        "all": DEVICES, "online": ONLINE, "offline": DEVICES - ONLINE, "alerting": 1, "unregistered": 0},
    "users": lambda load, shown: shown == USERS,
    "commands": lambda load, shown: shown == {"sent": 1},
    "oldestUnansweredSeconds": lambda load, shown: 0 <= shown < 1,
    "outbox": lambda load, shown: shown == 0,
    "deadLettersToday": lambda load, shown: shown == DEAD,
    "refusalsToday": lambda load, shown: shown == REFUSALS,
    "changes": lambda load, shown: [row["kind"] for row in shown] == load.changes[:10],
    "firstRun": lambda load, shown: all(shown.values()),
    "demo": lambda load, shown: shown["appId"] == load.service.ready["demo"]["appId"],
    "version": lambda load, shown: shown == load.version,
    "startedAt": lambda load, shown: abs(shown / 1000 - load.began) < 60,
    "at": lambda load, shown: abs(shown / 1000 - load.ended) < 60,
}
WORKERS = {
    "name": lambda load, worker, shown: shown in ("control", "device", "session", "account", "status", "schedule", "scheduler", "home", "share", "reach"),
    "isReady": lambda load, worker, shown: shown is True,
    "batchSize": lambda load, worker, shown: abs(shown - load.mean("lamplighter_batch_size", worker)) <= 0.2 * shown,
    "commitMs": lambda load, worker, shown: abs(shown / 1000 - load.mean("lamplighter_commit_seconds", worker)) <= 0.3 * shown / 1000,
    "unconfirmed": lambda load, worker, shown: shown == 0,
    "received": lambda load, worker, shown: 0 <= shown - load.after.sum("lamplighter_messages_received_total", worker=worker) <= 50,
}
STORE = {
    "engine": lambda load, shown: shown == ("PostgreSQL" if load.service.store else "SQLite"),
    "bytes": lambda load, shown: load.service.store or shown == file_size(load),
    "logBytes": lambda load, shown: load.service.store or abs(shown - file_size(load, "-wal")) <= 1 << 20,
    "isDiskLow": lambda load, shown: shown is False,
    "rows": lambda load, shown: shown == {
        "device": DEVICES, "account": USERS, "session": LIVE, "deadLetter": DEAD, "delivery": 0,
        "attempt": int(load.service.sql("SELECT count(*) FROM attempt")[0][0])},
}
# For these limits, the console also shows the measured use. For the other limits, the console shows only the limit.
LIMITS = {
    "limits.deadLetters": DEAD, "limits.refusals": 1, "limits.outboxRows": 0, "limits.outboxMegabytes": 0, "limits.intakeMessages": 0,
    "limits.intakeMegabytes": 0, "limits.unanswered": 0, "limits.hashQueue": 0, "limits.slowQueueBytes": 0,
    "limits.countRows": lambda load: int(load.service.sql("SELECT count(*) FROM attempt")[0][0]),
    "limits.httpConnections": lambda load: load.after.sum("lamplighter_http_connections"),
    "limits.memoryMegabytes": lambda load: stat(load, "VmRSS") / 1048576,
}
# Each group of the doctor's checks has either a function that tests the evidence that these checks print, or the reason
# why this evidence isn't tested here.
DOCTOR = {
    "service": lambda load, text: text == "all parts accept work",
    "store": lambda load, text: f"{DEVICES} devices, {DEAD} dead letters" in text,
    "history": lambda load, text: text == "2 days of devices compared",
    "database": "compared in test_postgres, where there is one",
    "secrets": lambda load, text: text == "mode 0700",
    "disk": lambda load, text: abs(int(text.split()[0]) - shutil.disk_usage(load.service.data).free // 1048576) < 1024,
    "clock": "another program's words about the machine's clock; the step is compared in test_clock",
    "limits": "the limit of the machine that runs the test",
    # The broker updates its count every ten seconds. The count includes the connections of the workers and of the check
    # itself.
    "broker": lambda load, text: ", 0 messages dropped" in text and abs(int(re.search(r"(\d+) connected", text)[1]) - connections(load)) <= 4,
    "gate": lambda load, text: text.startswith("a client without a name was refused"),
    "refusals": lambda load, text: text.startswith(f"{REFUSALS} refusals: {REFUSALS} "),
    "addresses": "a rule, no figure",
    "backup": lambda load, text: "no backup was made yet" in text,
    "certificates": lambda load, text: not re.search(r"\d+ days", text),
    "webhooks": lambda load, text: text == "0 webhooks, none fails",
}


# The tiles of the first page, in English. When the test reads the tiles, no work is in progress.
TILES = {
    "reports stored per second": "0", "longest wait for an answer": "–", "batches on their way to the broker": "0",
    "refusals today": str(REFUSALS), "dead letters today": str(DEAD), "users": str(USERS), "devices with an alert or fault": "1",
}


class Load:
    """A known load of a service, and the service's figures before and after it."""

    def __init__(self, world, console):
        self.service, self.console = world.service, console
        self.began = time.time()
        self.version = subprocess.run([BINARY, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
        lamp, second = world.device(), world.device()
        world.device(connect=False)
        terminals = [world.terminal(login=number < LIVE) for number in range(USERS)]
        self.own = [lamp, second, *terminals]
        terminals[0].bind(lamp)
        self.before, self.first = Page(self.service), time.monotonic()
        console.get("/overview")
        self.send(world, lamp, *terminals)
        eventually(lambda: self.counted(ACCEPTED), 20, "the counts of reports")
        eventually(lambda: time.monotonic() - self.first > 1)
        self.overview = console.get("/overview").json
        self.between = time.monotonic() - self.first
        # Figures that are measured or written periodically appear a little later.
        eventually(self.settled, 90, lambda: f"{self.unsettled}, measured from time to time; {self.service.cli('refusals').stdout}")
        self.ended = time.time()
        self.overview.update({"load": self.later["load"], "devices": self.later["devices"], "outbox": self.later["outbox"],
                              "refusalsToday": self.later["refusalsToday"]})
        self.workers, self.store, self.limits = (console.get(f"/system/{part}").json for part in ("workers", "store", "limits"))
        self.changes = [row[0] for row in self.service.sql("SELECT kind FROM audit ORDER BY id DESC LIMIT 10")]

    def send(self, world, lamp, user, other, leaving):
        for number in range(REPORTS):
            assert lamp.report(data={"temperature": 20 + number / 2})["ok"]
        again = fresh_id("r")
        for _ in range(1 + REPEATED):
            assert lamp.report(id=again, data={"power": False})["ok"]
        for _ in range(REFUSED):
            assert not lamp.report(data={"brightness": 7})["ok"]
        for _ in range(BAD):
            lamp.publish(f"{lamp.base}/report", b"{")
        assert lamp.report(alerts=[{"name": "smoke"}])["ok"]
        for number in range(COMMANDS):
            user.get("device/control", {"did": lamp.did, "data": {"power": number % 2 == 0}})
            assert lamp.report(cid=lamp.command().body["cid"], code=0, data={"power": number % 2 == 0})["ok"]
        user.get("device/control", {"did": lamp.did, "data": {"mode": "white"}})
        lamp.command()
        # This terminal hasn't subscribed to its user's topics. Otherwise, the gate would refuse messages to the
        # terminal after the logout.
        leaving.token = leaving.get("account/loginAnonymous", {"countryCode": "49", "platform": "test", "os": "none"})["token"]
        assert leaving.ask("account/logout")["ok"]
        leaving.close()
        for _ in range(REFUSALS):
            stranger = Client(world.port, f"device:{lamp.did}", "wrong", lamp.did)
            assert stranger.connect() != 0
            stranger.close()
        # Each check connects to the gate once, and no figure counts this connection.
        for _ in range(2):
            self.service.cli("doctor", "--only", "gate", check=False)
            assert self.console.get("/system/doctor?group=gate").status == 200

    def counted(self, accepted):
        self.after = Page(self.service)
        return self.grown("lamplighter_reports_total", outcome="accepted") >= accepted

    def settled(self):
        """Returns whether the figures that are updated late have the expected values."""
        self.after = Page(self.service)
        self.later = self.console.get("/overview").json
        self.seconds = time.monotonic() - self.first + 1
        self.unsettled = [name for name in ("lamplighter_devices", "lamplighter_devices_online", "lamplighter_sessions",
                                            "lamplighter_refusals_total", "lamplighter_dead_letters_total", "lamplighter_window_used",
                                            "lamplighter_outbox_rows", "lamplighter_revocation_seconds")
                          if not METRICS[name](self, name)]
        self.unsettled += [name for name, total in (("reports", ACCEPTED), ("refusals", REFUSALS)) if sum(self.later["load"][name]) != total]
        return not self.unsettled

    def grown(self, name, **labels):
        return self.after.sum(name, **labels) - self.before.sum(name, **labels)

    def mean(self, name, worker):
        count = self.after.sum(name + "_count", worker=worker)
        return self.after.sum(name + "_sum", worker=worker) / count if count else 0

    def close(self):
        for client in self.own:
            client.close()


class Figures(OwnWorldOfClass):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.load = Load(cls.own, Console(cls.own.service, cls.token()))
        cls.addClassCleanup(cls.load.close)

    @classmethod
    def token(cls):
        cls.own.service.cli("operator", "add", "figures", "--role", "admin")
        return cls.own.service.json("operator", "token", "figures", "--label", "tests")["token"]

    def test_every_family_of_metrics_is_compared_with_the_load(self):
        shown = {name for name in self.load.after.types if name.startswith(("lamplighter_", "process_"))}
        self.assertEqual(shown, set(METRICS))
        for name in sorted(shown):
            if self.load.service.store and name in ONLY_ON_FILE:
                continue
            with self.subTest(name=name):
                lines = [line for line in self.load.after.text.splitlines() if line.startswith(name) and "_bucket" not in line]
                self.assertTrue(METRICS[name](self.load, name), lines)

    def test_every_figure_of_the_overview_is_compared_with_the_load(self):
        self.compare(self.load.overview, OVERVIEW, missing={"demo"})

    def compare(self, shown, figures, missing=()):
        self.assertLessEqual(shown.keys(), figures.keys())
        self.assertLessEqual(figures.keys() - set(missing), shown.keys())
        for name, value in shown.items():
            with self.subTest(name=name):
                self.assertTrue(figures[name](self.load, value), value)

    def test_every_figure_of_the_workers_is_compared_with_the_load(self):
        self.assertEqual(self.load.workers.keys(), {"parts", "workers", "gateLagSeconds"})
        self.assertEqual(self.load.workers["gateLagSeconds"], 0)
        self.assertEqual([part for part in self.load.workers["parts"] if not part["isReady"]], [])
        for row in self.load.workers["workers"]:
            # A worker that hasn't committed anything has neither a batch size nor a duration of a commit.
            self.assertLessEqual(row.keys(), WORKERS.keys())
            self.assertLessEqual(WORKERS.keys() - row.keys(), {name for name, family in (
                ("batchSize", "lamplighter_batch_size"), ("commitMs", "lamplighter_commit_seconds"))
                if not self.load.mean(family, row["name"])})
            for name, value in row.items():
                with self.subTest(worker=row["name"], name=name):
                    self.assertTrue(WORKERS[name](self.load, row["name"], value), value)

    def test_every_figure_of_the_store_and_its_limits_is_compared_with_the_load(self):
        self.compare(self.load.store, STORE)
        settings = {row["key"]: row["value"] for row in self.load.console.get("/system/config").json["items"]}
        used = {row["key"]: row["used"] for row in self.load.limits["items"] if "used" in row}
        self.assertEqual(used.keys(), LIMITS.keys())
        for row in self.load.limits["items"]:
            with self.subTest(limit=row["key"]):
                self.assertEqual(row["value"], settings[row["key"]])
                self.assertEqual(row.get("rejected", 0), 0)
                if "used" in row:
                    known = LIMITS[row["key"]]
                    known = known(self.load) if callable(known) else known
                    self.assertLessEqual(abs(row["used"] - known), 0.3 * known + 1 if known > 10 else 0)

    def test_every_figure_of_the_doctor_is_compared_with_the_load(self):
        found = {}
        for group in DOCTOR:
            done = self.load.service.cli("doctor", "--only", group, "--json", check=False)
            found[group] = [row["evidence"] for row in json.loads(done.stdout)["checks"]]
        everything = json.loads(self.load.service.cli("doctor", "--json", check=False).stdout)["checks"]
        self.assertEqual(len(everything), sum(len(rows) for rows in found.values()))
        for group, rows in found.items():
            if callable(DOCTOR[group]):
                for text in rows:
                    with self.subTest(group=group):
                        self.assertTrue(DOCTOR[group](self.load, text), text)

    def test_every_tile_of_the_first_page_is_compared_with_the_load(self):
        browser = Browser()
        self.addCleanup(browser.close)
        visit = browser.visit(self.load.service).enter()
        page = visit.show("overview")

        def tiles():
            return {label: number for number, label in page.eval_on_selector_all(
                "main a.figure", "all => all.map(one => [one.querySelector('b').innerText, one.querySelector('span').innerText])")}

        # The service's own work, such as the operator's sign-in, can be in progress for a moment.
        eventually(lambda: tiles() == TILES, 20, lambda: f"{TILES} instead of {tiles()}")
        self.assertEqual(page.inner_text("main a.ring p").split(), [str(ONLINE), "online", "·", str(DEVICES - ONLINE), "offline"])
        self.assertEqual(page.text_content("main a.ring svg"), f"{100 * ONLINE // DEVICES} %")
        # The test moves the chart's marker with keys, and reads the number at the marker. The chart shows one number
        # for each ten minutes. The last ten minutes aren't over yet, so the chart leaves them out, unless all earlier
        # numbers are zero. The load is counted in the last ten minutes, in the ten minutes before, or partly in both.
        def said():
            page.focus("main ll-chart [role=slider]")
            numbers = []
            for key in ("End", "ArrowLeft"):
                page.keyboard.press(key)
                numbers += [int(number.replace(",", "")) for number in re.findall(
                    r"(?:stored|Refusals) ([\d,]+)", page.get_attribute("main ll-chart [role=slider]", "aria-valuetext"))]
            return numbers[::2], numbers[1::2]

        def shown():
            load = self.load.console.get("/overview").json["load"]
            self.assertEqual((sum(load["reports"]), sum(load["refusals"])), (ACCEPTED, REFUSALS))
            end = -1 if any(load["reports"][:-1] + load["refusals"][:-1]) else None
            return tuple(load[name][:end][:-3:-1] for name in ("reports", "refusals"))

        eventually(lambda: said() == shown(), 20, lambda: f"{shown()} instead of {said()}")
        visit.close()


if __name__ == "__main__":
    unittest.main()
