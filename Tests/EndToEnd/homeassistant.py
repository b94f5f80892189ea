"""A client that acts as Home Assistant: it discovers devices, applies their templates, and sends commands."""

import json
import secrets
import string

import jinja2

from client import Client
from harness import TOPICS

PLATFORMS = (
    "alarm_control_panel binary_sensor button camera climate cover device_automation device_tracker event fan humidifier"
    " image lawn_mower light lock notify number scene select sensor siren switch tag text update vacuum valve water_heater"
).split()
# The topic filters to which Home Assistant 2025.4 subscribes. FILTERS contains two filters for devices, and two for
# each platform: the first for topics without a node id, the second for topics with a node id. FOREIGN contains the
# filters of the integrations of other makers.
FILTERS = [f"homeassistant/{kind}/{levels}/config" for kind in ["device", *PLATFORMS] for levels in ("+", "+/+")]
FOREIGN = ["tasmota/discovery/#", "esphome/discover/#", "drop_connect/discovery/#", "fully/deviceInfo/+", "pglab/discovery/#"]

_jinja = jinja2.Environment()
_jinja.filters["to_json"] = json.dumps


def client_id():
    """Returns a new client id in the form that Home Assistant creates at each start."""
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(22))


def render(template, **values):
    return _jinja.from_string(template).render(**values)


def parsed(payload):
    """Returns the variables for a template that reads a payload."""
    values = {"value": payload.decode()}
    try:
        values["value_json"] = json.loads(payload)
    except ValueError:
        pass
    return values


class HomeAssistant(Client):
    """A client with a link's user name and password, like Home Assistant after starting."""

    def __init__(self, port, link, **more):
        super().__init__(port, link["username"], link["password"], client_id(), **{
            "version": 4, "keepalive": 60, "will": ("homeassistant/status", "offline"), **more})
        self.link = link
        self.last = {}  # the last payload of each topic
        self.events = []  # (did, what the event entity shows)

    def come(self):
        assert self.connect() == 0, f"Home Assistant refused: {self.code}"
        self.publish("homeassistant/status", "online", qos=0)
        for filter in FILTERS:
            assert self.subscribe(filter) == 1, filter
        for filter in FOREIGN:
            assert self.subscribe(filter) == 0x80, filter
        return self

    def _on_message(self, client, data, raw):
        payload = bytes(raw.payload)
        with self.changed:
            self.last[raw.topic] = payload
            events = [(did, config) for did, config in self._configs() for config in config["components"].values()
                      if config.get("platform") == "event" and config.get("state_topic") == raw.topic and payload]
            self.events += [(did, json.loads(render(config["value_template"], **parsed(payload)))) for did, config in events]
        super()._on_message(client, data, raw)
        if raw.topic.startswith("homeassistant/device/") and payload:
            config = json.loads(payload)
            topics = {place["topic"] for place in config["availability"]} | {
                component["state_topic"] for component in config["components"].values() if "state_topic" in component}
            for topic in sorted(topics - set(self.filters)):
                self.filters[topic] = 1
                self.paho.subscribe(topic, 1)

    def _configs(self):
        for topic, payload in self.last.items():
            levels = topic.split("/")
            if levels[0] == "homeassistant" and len(levels) == 5 and payload:
                yield levels[3], json.loads(payload)

    # The methods below show what a user of Home Assistant sees, and act as this user.

    def devices(self):
        """Returns the discovery messages of all devices, in a dictionary with the dids as keys."""
        with self.changed:
            return dict(self._configs())

    def device(self, did, where=lambda config: True):
        """Waits for a device whose discovery message passes the check `where`."""
        return self.wait(lambda: next((c for d, c in self._configs() if d == did and where(c)), None), what=f"{did} in Home Assistant")

    def wait_gone(self, did):
        self.wait(lambda: did not in dict(self._configs()), what=f"the removal of {did}")

    def state(self, did, key):
        """The state of an entity: unavailable, unknown, or the value that its template produces."""
        config = self.devices()[did]
        component = config["components"][key]
        for place in component.get("availability", config["availability"]):
            payload = self.last.get(place["topic"], b"")
            if render(place["value_template"], **parsed(payload)) != "online":
                return "unavailable"
        payload = self.last.get(component["state_topic"])
        if not payload:
            return "unknown"
        state = render(component["value_template"], **parsed(payload))
        return "unknown" if state == "None" else state

    def shows(self, did, key, state):
        self.wait(lambda: did in dict(self._configs()) and self.state(did, key) == state, what=f"{key} = {state}")

    def act(self, did, key, value=None):
        """Turns a switch on or off, presses a button, or sets a value."""
        component = self.devices()[did]["components"][key]
        payload = component.get("payload_press", value)
        if component["platform"] == "switch":
            payload = component["payload_on" if value else "payload_off"]
        self.publish(component["command_topic"], render(component["command_template"], value=payload), qos=component["qos"])

    def event(self, did, kind):
        """Waits for an event of a device."""
        return self.wait(lambda: next((e for d, e in self.events if d == did and e["event_type"] == kind), None), what=kind)


def space(link):
    return f"{TOPICS}/ha/{link['sessionId']}"
