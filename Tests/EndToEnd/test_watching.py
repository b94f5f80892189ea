"""A real Prometheus, which is configured by deploy/prometheus, scrapes a real service.

Prometheus gets an answer to every expression of the rules and of the dashboard.
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import yaml

import postgres
from client import fresh_id
from harness import ROOT, eventually, free_port
from test_serve import filled_in
from world import OwnWorldOfClass, World

PROMETHEUS = ROOT / "deploy/prometheus"
DASHBOARD = ROOT / "deploy/grafana/lamplighter.json"
# These metrics don't exist without TLS; Tests/Deploy/alerts.test.yml tests their alerts.
WITH_TLS = {"lamplighter_certificate_remaining_seconds", "lamplighter_certificate_lifetime_seconds",
            "lamplighter_certificate_refused"}
# With PostgreSQL, the service lacks these metrics. The database server makes the backups and frees space itself.
OF_A_FILE = {"lamplighter_backup_age_seconds", "lamplighter_database_free_bytes"} if postgres.WANTED else set()
METRIC = re.compile(r'\b((?:lamplighter|process)_\w+|up)(\{[^}]*\})?')
LABELS = re.compile(r"\b(?:by|on|ignoring|without) \([^)]*\)")


class Prometheus:
    """Debian's Prometheus on a free port, with the configuration in deploy/prometheus and the ports of a service."""

    def __init__(self, service):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-prometheus-"))
        self.port = free_port()
        shutil.copy(PROMETHEUS / "lamplighter.rules.yml", self.folder)
        config = filled_in((PROMETHEUS / "prometheus.yml").read_text(), **{
            "127.0.0.1:8081": f"127.0.0.1:{service.health_port}",
            "scrape_interval: 15s": "scrape_interval: 1s", "evaluation_interval: 15s": "evaluation_interval: 1s"})
        (self.folder / "prometheus.yml").write_text(config)
        self.log = (self.folder / "log").open("wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def get(self, path, **query):
        """Returns the data of an answer, or None if Prometheus doesn't answer."""
        if self.process.poll() is not None:
            raise AssertionError(f"prometheus ended: {(self.folder / 'log').read_text()[-2000:]}")
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return None
            raise AssertionError(f"{query or path}: {error.read().decode()}") from None
        except OSError:
            return None

    def ask(self, expression):
        """Returns the current samples of an expression."""
        data = self.get("query", query=expression)
        return data["result"] if data else []

    def value(self, expression):
        found = self.ask(expression)
        return float(found[0]["value"][1]) if found else 0

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def expressions():
    """Yields the dashboard's expressions, as Grafana sends them for all instances."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m")
            assert "$" not in expression, expression
            yield panel["title"], expression


def rules():
    for rule in yaml.safe_load((PROMETHEUS / "lamplighter.rules.yml").read_text())["groups"][0]["rules"]:
        yield rule["alert"], rule["expr"]


class Watching(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        cls.backups = tempfile.mkdtemp(prefix="lamplighter-backups-")
        cls.addClassCleanup(shutil.rmtree, cls.backups, ignore_errors=True)
        backup = () if postgres.WANTED else ("--set", f"backup.directory={cls.backups}")
        return World(watch=False, settings=(*backup, "--set", "delivery.email=log"))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prometheus = Prometheus(cls.own.service)
        cls.addClassCleanup(cls.prometheus.close)
        eventually(lambda: cls.prometheus.value('up{job="lamplighter"}') == 1, 60, "the first scrape")

    def setUp(self):
        super().setUp()
        self.live_a_little()
        # The test waits for two scrapes, one second apart, that begin after `live_a_little` has ended.
        since = time.time()
        eventually(lambda: self.prometheus.value("timestamp(lamplighter_ready)") > since + 1.1, 60, "two more scrapes")

    def live_a_little(self):
        """Causes some events of every kind that the service measures."""
        device, terminal = self.pair()
        terminal.get("device/control", {"did": device.did, "data": {"power": True}})
        device.report(cid=device.command().body["cid"], code=0, data={"power": True})
        device.report(data={"brightness": 7})  # refused: not a multiple of the step, 5
        device.publish(f"{device.base}/report", b"{no")
        terminal.fail("device/bind", {"did": device.did, "passcode": "wrong"})
        terminal.fail("account/login", {"countryCode": "49", "username": "no-such-user", "password": fresh_id("p")})
        terminal.get("account/sendCode", {"countryCode": "49", "purpose": "register", "email": f"{fresh_id()}@example.org"})
        other = self.terminal()
        self.assertTrue(other.ask("account/logout")["ok"])

    def test_every_panel_of_the_dashboard_has_data(self):
        for title, expression in expressions():
            if any(name in expression for name in OF_A_FILE):
                continue
            with self.subTest(panel=title, expression=expression):
                # Devices and sessions are counted every half minute.
                    eventually(lambda expression=expression: self.prometheus.ask(expression), 60, "a sample")

    def test_every_rule_is_evaluated_and_its_metrics_exist(self):
        def loaded():
            groups = (self.prometheus.get("rules") or {"groups": []})["groups"]
            found = [rule for group in groups for rule in group["rules"]]
            return found if found and all(rule["health"] != "unknown" for rule in found) else None
        for rule in eventually(loaded, 30, "the rules"):
            self.assertEqual(rule["health"], "ok", rule)
        for alert, expression in rules():
            self.assertNotIn("$", expression)
            selectors = {name + (labels or "") for name, labels in METRIC.findall(LABELS.sub("", expression))}
            self.assertTrue(selectors, alert)
            for selector in selectors - WITH_TLS - OF_A_FILE:
                with self.subTest(alert=alert, selector=selector):
                    eventually(lambda selector=selector: self.prometheus.ask(selector), 20, "a sample")

    def test_prometheus_accepts_the_page(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.own.service.health_port}/metrics", timeout=10) as answer:
            page = answer.read()
        done = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, b""))

    def test_a_healthy_service_raises_no_alert(self):
        firing = {alert["labels"]["alertname"] for alert in self.prometheus.get("alerts")["alerts"]
                  if alert["state"] == "firing"}
        # On a busy machine, the service can be slow to end a session.
        self.assertEqual(firing - {"LamplighterRevocationSlow"}, set())


if __name__ == "__main__":
    unittest.main()
