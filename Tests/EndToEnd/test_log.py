"""The log can be JSON, has a limited size, and traces requests to their outcome."""

import json
import pathlib
import secrets
import subprocess
import tempfile
import unittest

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from client import Client, fresh_id
from harness import BINARY, ENVIRONMENT, eventually
from world import LAMP, OwnWorld, OwnWorldOfClass, World


def traceparent(trace):
    return f"00-{trace}-{secrets.token_hex(8)}-01"


def properties(value):
    found = Properties(PacketTypes.PUBLISH)
    found.UserProperty = ("traceparent", value)
    return found


def given_back(message):
    """Returns the values of the user property `traceparent` of a message."""
    return [value for name, value in getattr(message.properties, "UserProperty", []) if name == "traceparent"]


def whole_lines(service):
    """Returns the JSON objects of all complete lines of the output."""
    text = pathlib.Path(service.log.name).read_text()
    return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]


class Logged(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        # With `--json`, the service also prints one JSON line to standard output. The harness writes standard output to
        # the same file as the log.
        return World(watch=False, settings=(
            "--json", "--set", "log.format=json", "--log-level", "debug", "--set", "limits.refusalLines=1000"))

    def lines(self):
        """Returns all complete lines of the log."""
        return [line for line in whole_lines(self.own.service) if "level" in line]

    def found(self, **values):
        """Waits for a log line with these values, where underscores in names mean dots."""
        wanted = {name.replace("_", "."): value for name, value in values.items()}
        return eventually(
            lambda: next((line for line in self.lines() if wanted.items() <= line.items()), None), 10, f"{wanted}")

    def request(self, terminal, method, params, trace, **more):
        """Sends a request with `traceparent`, and returns the request's id and this property."""
        id, value = fresh_id(), traceparent(trace)
        body = {"id": id, "token": terminal.token, "params": params, **more}
        terminal.publish(f"{terminal.base}/request/{method}", body, properties=properties(value))
        return id, value


class Form(Logged):
    def test_every_line_is_an_object_with_time_level_label_and_message(self):
        self.found(message="The worker is connected")
        for line in self.lines():
            self.assertEqual([type(line.get(name)) for name in ("time", "level", "label", "message")], [str] * 4, line)
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_a_refused_request_and_a_dead_letter_are_one_line_each(self):
        terminal, device = self.terminal(), self.device()
        terminal.fail("device/bind", {"did": device.did, "passcode": "wrong-passcode"})
        line = self.found(message="A request was refused", terminal_id=terminal.terminal_id)
        self.assertEqual((line["level"], line["request.method"], line["code"]), ("info", "device/bind", "InvalidCredentials"))
        device.publish(f"{device.base}/report", b"{no")
        line = self.found(message="A message became a dead letter", code="malformed")
        self.assertEqual((line["level"], line["message.topic"]), ("info", f"{device.base}/report"))

    def test_a_refused_client_is_a_line(self):
        device = self.device()
        device.subscribe("ll/v1/device/+/report")
        line = self.found(message="The gate refused a client", client_id=device.did)
        self.assertEqual((line["level"], line["action"]), ("info", "subscribe"))

    def test_no_passcode_token_or_secret_is_in_the_log(self):
        device, terminal = self.pair()
        terminal.fail("device/bind", {"did": device.did, "passcode": "wrong-passcode-2"})
        self.found(message="A request was refused", terminal_id=terminal.terminal_id)
        text = pathlib.Path(self.own.service.log.name).read_text()
        for secret in ("wrong-passcode-2", terminal.token, device.secret):
            self.assertNotIn(secret, text)


class WithoutText(OwnWorld):
    """With `log.format: json`, messages for users are lines of the log too."""

    def make_world(self):
        return World(watch=False, settings=(
            "--set", "log.format=json", "--log-level", "error", "--insecure", "--set", "health.host=0.0.0.0"))

    def test_the_banner_is_a_line_of_the_log(self):
        service = self.own.service
        lines = eventually(lambda: [line for line in whole_lines(service) if line["message"] == "Everything accepts work"],
                           10, "the line")
        self.assertEqual(len(lines), 1)
        line = lines[0]
        self.assertEqual((line["level"], line["mqtt.url"]), ("notice", f"mqtt://127.0.0.1:{service.mqtt_port}"))
        self.assertEqual(line["open.listeners"], [f"health 0.0.0.0:{service.health_port}"])
        self.assertTrue(all("level" in line for line in whole_lines(service)))

    def test_the_end_of_the_service_and_odd_settings_are_lines_too(self):
        service = self.own.service
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(BINARY), "up", "--data", folder, "--set", "log.format=json", "--mqtt-port", str(service.mqtt_port)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                env={**ENVIRONMENT, "LAMPLIGHTER_MQTT_PROT": "1"})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertIn("LAMPLIGHTER_MQTT_PROT", lines[0]["message"])
        self.assertEqual((lines[-1]["level"], lines[-1]["code"]), ("critical", "LL1003"))
        self.assertTrue(lines[-1]["cures"])


class Traces(Logged):
    def test_a_request_is_followed_to_the_outcome_of_its_command(self):
        device, terminal = self.pair()
        trace = secrets.token_hex(16)
        id, value = self.request(terminal, "device/control", {"did": device.did, "data": {"power": True}, "wait": True}, trace)
        cid = device.command().body["cid"]
        self.found(message="A command was accepted", trace_id=trace, device_id=device.did, command_cid=cid)
        self.found(message="A command was sent", trace_id=trace, command_cid=cid)
        device.report(cid=cid, code=0, data={"power": True})
        answer = terminal.expect("/response", lambda body: body.get("id") == id)
        self.assertEqual(answer.body["result"]["state"], "done")
        self.assertEqual(given_back(answer), [value])
        self.found(message="A command ended", trace_id=trace, command_outcome="done")
        line = self.found(message="A request was answered", trace_id=trace)
        self.assertEqual((line["request.method"], line["request.id"], line["code"]), ("device/control", id, "ok"))

    def test_a_request_without_a_trace_gets_one_but_no_property(self):
        device, terminal = self.pair()
        id = fresh_id()
        terminal.send("device/control", {"did": device.did, "data": {"power": True}}, id)
        answer = terminal.expect("/response", lambda body: body.get("id") == id)
        self.assertEqual(given_back(answer), [])
        trace = self.found(message="A request was answered", request_id=id)["trace.id"]
        self.assertRegex(trace, r"^[0-9a-f]{32}$")
        cid = device.command().body["cid"]
        self.found(message="A command was sent", trace_id=trace, command_cid=cid)

    def test_a_queued_command_keeps_its_trace_over_a_restart(self):
        device, terminal = self.pair()
        device.close()
        trace = secrets.token_hex(16)
        id, _ = self.request(terminal, "device/control", {"did": device.did, "data": {"power": True}, "mode": "queue"}, trace)
        terminal.answer("device/control", id)
        terminal.close()
        self.own.service.stop()
        self.own.service.start()
        device.come()
        cid = device.command().body["cid"]
        self.found(message="A command was sent", trace_id=trace, command_cid=cid)

    def test_a_refusal_is_traced_and_returns_the_property(self):
        terminal = self.terminal()
        trace = secrets.token_hex(16)
        id, value = self.request(terminal, "device/fly", {}, trace)
        self.found(message="A request was refused", trace_id=trace)
        answer = terminal.expect("/response", lambda body: body.get("id") == id)
        self.assertEqual(given_back(answer), [value])

    def test_an_invalid_traceparent_is_ignored(self):
        terminal = self.terminal()
        for value in ("x", f"00-{'0' * 32}-{secrets.token_hex(8)}-01", f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-0g"):
            with self.subTest(value=value):
                id = fresh_id()
                terminal.publish(f"{terminal.base}/request/device/list", {"id": id, "token": terminal.token},
                                 properties=properties(value))
                answer = terminal.expect("/response", lambda body: body.get("id") == id)
                self.assertTrue(answer.body["ok"])
                self.assertEqual(given_back(answer), [])

    def test_the_first_of_several_counts(self):
        terminal = self.terminal()
        first, second = (traceparent(secrets.token_hex(16)) for _ in range(2))
        for values, counts in (((first, second), [first]), (("x", second), []), ((first, "x"), [first])):
            with self.subTest(values=values):
                given = Properties(PacketTypes.PUBLISH)
                # If the attribute already has a value, paho appends the new value.
                for value in values:
                    given.UserProperty = ("traceparent", value)
                id = fresh_id()
                terminal.publish(f"{terminal.base}/request/device/list", {"id": id, "token": terminal.token},
                                 properties=given)
                answer = terminal.expect("/response", lambda body: body.get("id") == id)
                self.assertEqual(given_back(answer), counts)

    def test_an_unreadable_request_gets_a_trace_too(self):
        terminal = self.terminal()
        topic = f"{terminal.base}/request/device/list"
        terminal.publish(topic, b"{no")
        line = self.found(message="A message became a dead letter", message_topic=topic)
        self.assertRegex(line["trace.id"], r"^[0-9a-f]{32}$")

    def test_a_refused_registration_is_a_line_with_its_topic_and_trace(self):
        device, _ = self.pair()
        trace, key = secrets.token_hex(16), LAMP["productKey"]
        client = self.keep(Client(self.own.port, f"product:{key}", self.own.secrets[key], device.mac))
        self.assertEqual(client.connect(), 0)
        topic = f"ll/v1/product/{key}/{device.mac}/register"
        client.publish(topic, {"id": fresh_id(), "mac": device.mac, "passcode": "123456", "hardware": {}, "oldSecret": "wrong"},
                       properties=properties(traceparent(trace)))
        line = self.found(message="A message was refused", trace_id=trace)
        self.assertEqual((line["message.topic"], line["code"]), (topic, "Forbidden"))

    def test_clients_of_mqtt_3_get_answers_as_before(self):
        terminal = self.terminal(version=4)
        self.assertTrue(terminal.ask("device/list")["ok"])


if __name__ == "__main__":
    unittest.main()
