"""A test with a real Home Assistant; it runs only if LAMPLIGHTER_HOME_ASSISTANT names Home Assistant's virtual
environment.

The following commands create the environment, with Python 3.13 (docs/contributing/long-tests.md):

    python3.13 -m venv ha && ha/bin/pip download --no-deps -d dl homeassistant
    unzip -p dl/homeassistant-*.whl homeassistant/package_constraints.txt > constraints.txt
    ha/bin/pip install --prefer-binary -c constraints.txt dl/homeassistant-*.whl paho-mqtt home-assistant-frontend
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

from harness import eventually, free_port
from test_home_assistant import Linked
from world import LAMP, OwnWorld, World

PLACE = os.environ.get("LAMPLIGHTER_HOME_ASSISTANT")
CLIENT = "http://127.0.0.1/"


class Server:
    """A running Home Assistant that has an owner; the test uses its HTTP interface."""

    def __init__(self, folder):
        self.port, self.token = free_port(), None
        (folder / "configuration.yaml").write_text(f"""homeassistant: {{name: Test, latitude: 0, longitude: 0, elevation: 0, unit_system: metric, time_zone: UTC}}
http: {{server_host: 127.0.0.1, server_port: {self.port}}}
api:
config:
logger: {{default: warning}}
""")
        self.log = folder / "home-assistant.log"
        path = f"{pathlib.Path(PLACE).resolve()}/bin"
        self.process = subprocess.Popen(
            [f"{path}/hass", "-c", folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})
        eventually(self._is_up, 120, "Home Assistant")
        user = {"client_id": CLIENT, "name": "Test", "username": "test", "password": "test", "language": "en"}
        code = self.ask("onboarding/users", user)["auth_code"]
        form = urllib.parse.urlencode({"client_id": CLIENT, "grant_type": "authorization_code", "code": code}).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/auth/token", form) as answer:
            self.token = json.load(answer)["access_token"]

    def _is_up(self):
        if self.process.poll() is not None:
            raise AssertionError(f"Home Assistant ended with {self.process.returncode}")
        try:
            return self.ask("onboarding")
        except (OSError, ValueError):
            return None

    def ask(self, path, body=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{path}", None if body is None else json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def add_broker(self, link):
        flow = self.ask("config/config_entries/flow", {"handler": "mqtt"})
        done = self.ask(f"config/config_entries/flow/{flow['flow_id']}", {
            "broker": link["host"], "port": link["port"], "username": link["username"], "password": link["password"]})
        assert done["type"] == "create_entry", done

    def entities(self):
        """Returns the states of all entities, in a dictionary with (platform, name) as keys.

        A name begins with the name of the entity's device.
        """
        return {(row["entity_id"].split(".")[0], row["attributes"].get("friendly_name", "")): row for row in self.ask("states")}

    def state(self, platform, name):
        row = self.entities().get((platform, name))
        return row and row["state"]

    def act(self, service, platform, name, **more):
        entity = self.entities()[platform, name]["entity_id"]
        self.ask(f"services/{platform}/{service}", {"entity_id": entity, **more})

    def complaints(self):
        """Home Assistant's warnings and errors about MQTT and templates, except those about connections."""
        return [line for line in self.log.read_text().splitlines()
                if ("WARNING" in line or "ERROR" in line) and ("mqtt" in line or "template" in line) and "socket" not in line
                and "onnect" not in line]

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@unittest.skipUnless(PLACE, "LAMPLIGHTER_HOME_ASSISTANT names no Home Assistant")
class Real(OwnWorld, Linked):
    def make_world(self):
        return World()

    def shows(self, home, platform, name, state):
        eventually(lambda: home.state(platform, name) == state, 20,
                   lambda: f"{name} = {state}, not {home.state(platform, name)}: {home.log.read_text()[-2000:]}")

    def test_a_home(self):
        lamp, user = self.pair()
        user.get("device/setCustomInfo", {"did": lamp.did, "alias": "Lamp"})
        neighbour, other = self.pair()
        self.link(other)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        home = Server(pathlib.Path(folder.name))
        self.addCleanup(home.close)
        link = self.link(user)
        home.add_broker(link)
        self.shows(home, "binary_sensor", "Lamp Connection", "on")
        names = {name for platform, name in home.entities() if name.startswith("Lamp ")}
        self.assertEqual(names, {f"Lamp {name}" for name in (
            "Connection", "Activity", "Command problem", "overheat", "smoke", "sensor", "power", "brightness", "count", "mode",
            "temperature", "label", "pin")})
        self.assertEqual([name for _, name in home.entities() if name.startswith("Test lamp")], [], "the neighbour's")
        self.assertEqual(home.state("switch", "Lamp power"), "unknown")
        # States.
        lamp.report(data={"power": True, "brightness": 35, "mode": "colour", "temperature": 21.5, "label": "hi"})
        for platform, name, state in (("switch", "power", "on"), ("number", "brightness", "35"), ("select", "mode", "colour"),
                                      ("sensor", "temperature", "21.5"), ("text", "label", "hi"), ("number", "count", "unknown")):
            self.shows(home, platform, f"Lamp {name}", state)
        lamp.report(alerts=[{"name": "overheat", "value": True}])
        self.shows(home, "binary_sensor", "Lamp overheat", "on")
        activity = home.entities()["event", "Lamp Activity"]["attributes"]
        self.assertEqual((activity["event_type"], activity["name"]), ("alert", "overheat"))
        # Commands.
        for service, platform, name, more, data in (
                ("turn_off", "switch", "power", {}, {"power": False}),
                ("set_value", "number", "brightness", {"value": 40}, {"brightness": 40}),
                ("select_option", "select", "mode", {"option": "white"}, {"mode": "white"}),
                ("set_value", "text", "label", {"value": 'a "b"'}, {"label": 'a "b"'}),
                ("set_value", "text", "pin", {"value": "1234"}, {"pin": "1234"})):
            with self.subTest(name=name):
                home.act(service, platform, f"Lamp {name}", **more)
                command = lamp.command().body
                self.assertEqual((command["data"], command["actor"]), (data, {"kind": "user", "id": user.uid}))
                lamp.report(cid=command["cid"], code=0, data={k: v for k, v in data.items() if k != "pin"})
        self.shows(home, "switch", "Lamp power", "off")
        self.shows(home, "number", "Lamp brightness", "40")
        # A refused value causes an event that contains the reason.
        home.act("turn_on", "switch", "Lamp power")
        lamp.report(cid=lamp.command().body["cid"], code=3)
        eventually(lambda: home.entities()["event", "Lamp Command problem"]["attributes"].get("reason") == 3, 10, "the problem")
        # Away, and back.
        lamp.close()
        self.shows(home, "binary_sensor", "Lamp Connection", "off")
        self.shows(home, "switch", "Lamp power", "unavailable")
        # A product changes, so one entity disappears and another appears.
        points = [p for p in LAMP["dataPoints"] if p["name"] != "mode"] + [{"name": "new", "access": "ro", "type": "bool"}]
        document = pathlib.Path(folder.name) / "product.json"
        document.write_text(json.dumps({**LAMP, "dataPoints": points}))
        self.world.service.cli("product", "import", "--force", str(document))
        eventually(lambda: home.state("binary_sensor", "Lamp new"), 20, "the new entity")
        eventually(lambda: home.state("select", "Lamp mode") is None, 20, "the end of an entity")
        # The service is away: everything is unavailable.
        self.world.service.stop()
        self.shows(home, "binary_sensor", "Lamp Connection", "unavailable")
        self.world.service.start()
        self.shows(home, "binary_sensor", "Lamp Connection", "off")
        self.assertEqual(home.complaints(), [])

    def test_an_unbound_device_disappears(self):
        lamp, user = self.pair()
        user.get("device/setCustomInfo", {"did": lamp.did, "alias": "Lamp"})
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        home = Server(pathlib.Path(folder.name))
        self.addCleanup(home.close)
        link = self.link(user)
        home.add_broker(link)
        self.shows(home, "binary_sensor", "Lamp Connection", "on")
        user.get("device/unbind", {"did": lamp.did})
        eventually(lambda: home.state("binary_sensor", "Lamp Connection") is None, 20, "the device's end")
        second = self.device()
        user.bind(second)
        user.get("device/setCustomInfo", {"did": second.did, "alias": "Lamp"})
        eventually(lambda: any(name.endswith("Connection") for _, name in home.entities()), 20, "another device")
        user.get("session/unlink", {"sessionId": link["sessionId"]})
        eventually(lambda: all(row["state"] == "unavailable" for (_, name), row in home.entities().items() if "Connection" in name),
                   20, "the link's end")
        self.assertEqual(home.complaints(), [])


if __name__ == "__main__":
    unittest.main()
