"""The service's health over HTTP."""

import pathlib
import unittest
import urllib.request

import postgres
from world import EndToEnd


class Health(EndToEnd):
    def get(self, path):
        url = f"http://127.0.0.1:{self.world.service.health_port}{path}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()

    def test_it_says_that_it_is_healthy_and_ready(self):
        for path in ("/healthz", "/readyz"):
            with self.subTest(path=path):
                self.assertEqual(self.get(path)[0], 200)

    def test_the_service_has_a_memory_limit(self):
        limits = pathlib.Path(f"/proc/{self.world.service.process.pid}/limits").read_text()
        self.assertRegex(limits, rf"Max data size +{2048 << 20} ")

    @postgres.on_file
    def test_a_file_shows_its_free_part(self):
        self.assertRegex(self.get("/metrics")[1], r"\nlamplighter_database_free_bytes \d+\n")

    def test_the_disk_shows_its_free_part(self):
        self.assertRegex(self.get("/metrics")[1], r"\nlamplighter_disk_free_bytes [1-9]\d+\n")

    def test_metrics_are_in_prometheus_form(self):
        self.device().report(data={"power": True})
        _status, text = self.get("/metrics")
        self.assertIn("# HELP ", text)
        self.assertIn("# TYPE ", text)
        self.assertIn("\nlamplighter_broker_restarts_total 0\n", text)
        for line in text.splitlines():
            if line and not line.startswith("#"):
                self.assertRegex(line, r'^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? [-+0-9.eEInfNa]+$')


if __name__ == "__main__":
    unittest.main()
