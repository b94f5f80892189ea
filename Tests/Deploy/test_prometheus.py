"""Tests the alert rules with Prometheus's own tool, and checks the guide's sections about these rules."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

from packages import ROOT

RULES = ROOT / "deploy/prometheus/lamplighter.rules.yml"
CONFIG = ROOT / "deploy/prometheus/prometheus.yml"
CASES = ROOT / "Tests/Deploy/alerts.test.yml"
GUIDE = ROOT / "docs/guides/watching.md"


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def alerts():
    [group] = yaml.safe_load(RULES.read_text())["groups"]
    return group["rules"]


class Alerts(unittest.TestCase):
    def test_prometheus_accepts_rules_and_configuration(self):
        self.assertEqual(promtool("check", "rules", RULES)[0], 0)
        self.assertEqual(promtool("check", "config", CONFIG)[0], 0)

    def test_each_alert_fires_when_it_should_and_only_then(self):
        code, said = promtool("test", "rules", CASES)
        self.assertEqual(code, 0, said)

    def test_each_alert_has_a_case_that_fires_and_one_that_does_not(self):
        fires, quiet = set(), set()
        for case in yaml.safe_load(CASES.read_text())["tests"]:
            for wanted in case["alert_rule_test"]:
                (fires if wanted["exp_alerts"] else quiet).add(wanted["alertname"])
        names = {rule["alert"] for rule in alerts()}
        self.assertEqual((fires, quiet), (names, names))

    def test_a_rule_that_always_or_never_fires_is_detected(self):
        # Each of the two expressions replaces the expressions of all rules. With the first one, no rule ever fires, so
        # every case that expects an alert must fail. With the second one, all rules always fire, so every other case
        # must fail.
        for expression, wanted in (("vector(0) > 1", True), ('label_replace(vector(1), "instance", "a", "", "")', False)):
            with self.subTest(expression=expression), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                rules = yaml.safe_load(RULES.read_text())
                for rule in rules["groups"][0]["rules"]:
                    rule["expr"] = expression
                    rule.pop("for", None)
                (folder / "rules.yml").write_text(yaml.safe_dump(rules))
                for case in yaml.safe_load(CASES.read_text())["tests"]:
                    if bool(case["alert_rule_test"][0]["exp_alerts"]) != wanted:
                        continue
                    (folder / "case.yml").write_text(yaml.safe_dump({"rule_files": ["rules.yml"], "tests": [case]}))
                    self.assertNotEqual(promtool("test", "rules", folder / "case.yml")[0], 0, case["name"])

    def test_each_alert_refers_to_a_section_of_the_guide_with_instructions(self):
        headings = re.findall(r"^### (\w+)$", GUIDE.read_text(), re.MULTILINE)
        self.assertEqual(headings, [rule["alert"] for rule in alerts()])
        for rule in alerts():
            self.assertEqual(rule["annotations"]["runbook"], f"docs/guides/watching.md#{rule['alert'].lower()}")
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"))


class Tools(unittest.TestCase):
    def test_promtool_is_installed(self):
        self.assertIsNotNone(shutil.which("promtool"), "apt-get install prometheus")


if __name__ == "__main__":
    unittest.main()
