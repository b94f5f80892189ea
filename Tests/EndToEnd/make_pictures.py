#!/usr/bin/env python3
"""Recreates, in docs/images, the pictures of the README and of the guides: `make_pictures.py`.

The script needs a built program and Chromium. Each picture shows a page of the console. The console belongs to a new
service with the data of one day. Run the script again when the appearance of those pages has changed.
"""

import math
import pathlib
import time

from client import Client, fresh_mac
from console_browser import Browser
from harness import ROOT
from world import World

IMAGES = ROOT / "docs/images"
SIZE = {"width": 1000, "height": 560}
PRODUCT = {
    "productKey": "9c" * 16, "name": "Reading lamp", "registration": "open",
    "dataPoints": [
        {"name": "power", "access": "rw", "type": "bool"},
        {"name": "brightness", "access": "rw", "type": "int", "min": 0, "max": 100},
        {"name": "temperature", "access": "ro", "type": "float", "min": -40, "max": 125, "unit": "°C"},
    ],
    "alerts": ["overheat"],
}


class Furnished:
    """A service that contains data for the pictures."""

    def __init__(self):
        self.world = World(watch=False)
        self.world.secrets[PRODUCT["productKey"]] = "the-secret-of-reading-lamps-0123456789"
        self.world.service.import_document(
            "product", {**PRODUCT, "productSecret": self.world.secrets[PRODUCT["productKey"]]})
        self.world.import_app("test-app", {**self.world.apps["test-app"], "products": [PRODUCT["productKey"]]})
        self.lamps = [self.world.device(PRODUCT) for _ in range(5)]
        self.gone = [self.world.device(PRODUCT, connect=False) for _ in range(2)]
        self.user = self.world.terminal()
        self.lamp = self.lamps[0]
        self.user.bind(self.lamp)
        self.a_day()
        self.refusals()
        self.what_happened()

    def a_day(self):
        """Stores the last day's load: more reports by day than by night, and some refusals."""
        step = int(time.time()) // 600
        for back in range(1, 144):
            number = step - back
            by_day = 1 - math.cos(2 * math.pi * (number % 144) / 144)
            values = {"reports": int(900 + 1600 * by_day + 90 * math.sin(number * 7)), "refusals": 4 if 40 < back < 46 else int(number % 29 == 0)}
            for kind, count in values.items():
                self.world.service.sql(f"INSERT INTO meta (name, value) VALUES ('load.{kind}.{number:010}', '{count}')")

    def refusals(self):
        port, key = self.world.port, PRODUCT["productKey"]
        for client in (Client(port, f"product:{key}", "of-another-product", fresh_mac()),
                       Client(port, f"device:{self.lamp.did}", "an-old-secret", self.lamp.did)):
            assert client.connect() != 0
            client.close()

    def what_happened(self):
        for number in range(6):
            self.lamp.report(data={"temperature": 20.5 + number / 4, "brightness": 40})
        self.user.get("device/control", {"did": self.lamp.did, "data": {"brightness": 65}})
        self.lamp.report(cid=self.lamp.command().body["cid"], code=0, data={"brightness": 65})
        self.lamp.report(alerts=[{"name": "overheat"}])
        self.lamp.report(alerts=[{"name": "overheat", "value": False}])

    def close(self):
        for client in (*self.lamps, self.user):
            client.close()
        self.world.close()


# Pictures of other programs, which this script doesn't make. The only such picture shows a device's page in Home
# Assistant, 1,000 pixels wide. The data on the page come from test_home_assistant_real.py.
OTHERS = {"home-assistant.png"}
# Each picture's page, and a text that the page shows when it is ready.
PICTURES = {
    "console-overview.png": (lambda it: "overview", "The last day"),
    "console-refusals.png": (lambda it: "refusals", "Wrong password"),
    "console-timeline.png": (lambda it: f"devices/{it.lamp.did}/timeline", "overheat"),
}


def make(folder=IMAGES):
    """Takes all pictures; returns their paths."""
    furnished, browser = Furnished(), None
    try:
        browser = Browser()
        visit = browser.visit(furnished.world.service, width=SIZE["width"], locale="en-GB").enter()
        visit.page.set_viewport_size(SIZE)
        made = []
        for name, (path, text) in PICTURES.items():
            visit.show(path(furnished))
            visit.see(text)
            made.append(pathlib.Path(folder) / name)
            visit.page.screenshot(path=made[-1])
        visit.close()
        return made
    finally:
        if browser:
            browser.close()
        furnished.close()


if __name__ == "__main__":
    for picture in make():
        print(picture)
