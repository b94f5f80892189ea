"""The guide to voice assistants, run with recorded directives of Alexa and Google Home."""

import json
import pathlib
import re
import subprocess
import sys
import unittest
import urllib.parse

import test_guides
from harness import eventually
from test_oauth import Browser, answer

RECORDED = pathlib.Path(__file__).parent / "directives"
REDIRECT = "http://localhost:9000/linked"


class Voice(test_guides.Devices.__base__):  # the base class of the guides' tests, without tests
    def setUp(self):
        self.port = self.service.http_port
        self.printed, self.did = self.lamp()
        guide = self.guide("voice")
        self.commands = [command.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}") for command in guide.commands]
        program = self.folder / "voice.py"
        program.write_text(program.read_text().replace("127.0.0.1:8080", f"127.0.0.1:{self.port}"))

    def link(self):
        """Runs the guide's commands up to the one that gets the access token, and returns the shell and the
        token."""
        client, user, exchange, *_ = self.commands
        shell = self.start("exec bash -e")
        shell.paste(f"did={self.did}\n{client}")
        address = re.search(r"http://\S+/oauth/authorize\S+", shell.paste(user))[0]
        browser = Browser(self.port)
        sent = browser.send(browser.open(address), account="voice-user", password="nine green lamps")
        self.assertTrue((sent.location or "").startswith(f"{REDIRECT}?"), sent.text)
        shell.paste(f"code={answer(sent.location)['code']}\n{exchange}")
        return shell, shell.paste("echo $access").strip()

    def run_program(self, code, *arguments):
        """Runs Python with the guide's program as `voice`, and returns the printed JSON value."""
        done = subprocess.run(
            [sys.executable, "-c", f"import json, sys, voice\nprint(json.dumps({code}))", *arguments],
            cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def recorded(self, name, token):
        """Returns a recorded directive, with this test's device and token."""
        text = (RECORDED / f"{name}.json").read_text()
        return text.replace("DEVICE", self.did).replace("TOKEN", token)

    def alexa(self, name, token):
        return self.run_program("voice.lambda_handler(json.loads(sys.argv[1]))", self.recorded(f"alexa-{name}", token))

    def google(self, name, token):
        return self.run_program("voice.google(json.loads(sys.argv[1]), sys.argv[2])", self.recorded(f"google-{name}", token), token)

    def state(self, answered, namespace):
        return next(one["value"] for one in answered["context"]["properties"] if one["namespace"] == namespace)

    def test_the_guide_and_recorded_directives(self):
        shell, token = self.link()
        *_, turn_on, unlink = self.commands
        printed = shell.paste(turn_on)
        self.assertRegex(printed, r'"powerState", "value": "ON"')
        self.printed.wait_for("light on")

        # Alexa.
        granted = self.alexa("accept-grant", token)["event"]
        self.assertEqual(granted["header"]["name"], "AcceptGrant.Response")
        found = self.alexa("discover", token)["event"]
        self.assertEqual((found["header"]["namespace"], found["header"]["name"]), ("Alexa.Discovery", "Discover.Response"))
        endpoint, = found["payload"]["endpoints"]
        self.assertEqual((endpoint["endpointId"], endpoint["displayCategories"]), (self.did, ["LIGHT"]))
        self.assertEqual({one["interface"] for one in endpoint["capabilities"]}, {
            "Alexa", "Alexa.PowerController", "Alexa.BrightnessController", "Alexa.EndpointHealth"})
        done = self.alexa("turn-off", token)
        self.assertEqual((done["event"]["header"]["name"], done["event"]["header"]["correlationToken"]), (
            "Response", json.loads(self.recorded("alexa-turn-off", token))["directive"]["header"]["correlationToken"]))
        self.assertEqual(self.state(done, "Alexa.PowerController"), "OFF")
        self.printed.wait_for("light off")
        report = self.alexa("report-state", token)
        self.assertEqual(report["event"]["header"]["name"], "StateReport")
        self.assertEqual(self.state(report, "Alexa.EndpointHealth"), {"value": "OK"})
        self.assertEqual(self.state(self.alexa("turn-on", token), "Alexa.PowerController"), "ON")
        for name, value in (("set-brightness", 42), ("adjust-brightness", 17)):
            self.assertEqual(self.state(self.alexa(name, token), "Alexa.BrightnessController"), value)
        for name, error in (("unknown", "INVALID_DIRECTIVE"), ("other-endpoint", "NO_SUCH_ENDPOINT")):
            refused = self.alexa(name, token)["event"]
            self.assertEqual((refused["header"]["name"], refused["payload"]["type"]), ("ErrorResponse", error))
        self.assertEqual(self.alexa("turn-on", "lla_expired")["event"]["payload"]["type"], "EXPIRED_AUTHORIZATION_CREDENTIAL")

        # Google Home.
        synced = self.google("sync", token)
        device, = synced["payload"]["devices"]
        self.assertEqual((device["id"], device["type"]), (self.did, "action.devices.types.LIGHT"))
        self.assertTrue(synced["payload"]["agentUserId"].startswith("u-"))
        self.assertEqual(device["traits"], ["action.devices.traits.OnOff", "action.devices.traits.Brightness"])
        queried = self.google("query", token)["payload"]["devices"][self.did]
        self.assertEqual((queried["status"], queried["online"], queried["on"]), ("SUCCESS", True, True))
        executed, = self.google("execute", token)["payload"]["commands"]
        self.assertEqual((executed["ids"], executed["status"], executed["states"]["on"]), ([self.did], "SUCCESS", False))
        bright, = self.google("execute-brightness", token)["payload"]["commands"]
        self.assertEqual((bright["status"], bright["states"]["brightness"]), ("SUCCESS", 65))
        refused, = self.google("execute-too-bright", token)["payload"]["commands"]
        self.assertEqual((refused["status"], refused["errorCode"]), ("ERROR", "valueOutOfRange"))
        self.assertEqual(self.google("query", "lla_expired")["payload"]["devices"][self.did]["errorCode"], "authExpired")
        self.printed.kill()
        eventually(lambda: not self.service.device(self.did)["online"], 20, "the lamp's end")
        self.assertEqual(self.alexa("turn-on", token)["event"]["payload"]["type"], "ENDPOINT_UNREACHABLE")
        self.assertEqual(self.google("execute", token)["payload"]["commands"][0]["errorCode"], "deviceOffline")

        # Google ends its own link, and then the operator removes the OAuth client.
        self.assertEqual(self.google("disconnect", token), {})
        self.assertEqual(self.alexa("turn-on", token)["event"]["payload"]["type"], "EXPIRED_AUTHORIZATION_CREDENTIAL")
        address = f"http://127.0.0.1:{self.port}/oauth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "redirect_uri": REDIRECT,
            "client_id": json.loads((self.folder / "voice.json").read_text())["clientId"]})
        browser = Browser(self.port)
        browser.send(browser.open(address), account="voice-user", password="nine green lamps")
        printed = shell.paste(unlink)
        self.assertRegex(printed, r'"platform":"oauth"(?s:.*)removed (?s:.*)EXPIRED_AUTHORIZATION_CREDENTIAL')


if __name__ == "__main__":
    unittest.main()
