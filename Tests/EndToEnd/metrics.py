"""Prometheus's text format, parsed as Prometheus does."""

import re
import urllib.request

SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Page:
    """A service's /metrics page at one moment."""

    def __init__(self, service):
        with urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/metrics", timeout=10) as answer:
            self.text = answer.read().decode()
        self.helps = dict(re.findall(r"^# HELP (\S+) (.*)$", self.text, re.MULTILINE))
        self.types = dict(re.findall(r"^# TYPE (\S+) (.*)$", self.text, re.MULTILINE))
        self.samples = []
        for line in self.text.splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.match(line).groups()
                self.samples.append((name, dict(LABEL.findall(labels or "")), float(value)))

    def all(self, name, **labels):
        """Returns the values of a metric's samples that have all of these labels."""
        return [value for sample, own, value in self.samples if sample == name and labels.items() <= own.items()]

    def sum(self, name, **labels):
        return sum(self.all(name, **labels))
