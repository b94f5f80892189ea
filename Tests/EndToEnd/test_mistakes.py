"""Typical mistakes: each answer names the cause, the place and the cure."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from client import Device, Terminal, fresh_id
from harness import BINARY, eventually
from world import LAMP, EndToEnd

FILES = {
    "misspelt.json": '{"name":"L","dataPoint":[]}',
    "cut.json": '{"name":"L","dataPoints":[{"name":"a"',
    "two.json": '{"name":"L","dataPoints":[{"name":"a","type":"int"},{"name":"b","access":"rx","type":"bool"}]}',
    "app.json": '{"appId":"my app","name":"A"}',
    "policy.json": '{"appId":"mine","name":"A","policies":{"emailRegistraton":false}}',
    "tab.yaml": "mqtt:\n\tport: 1\n",
    "unknown.yaml": "mqtt.prt: 1\n",
    "kind.yaml": "mqtt:\n  port: abc\n",
}
# Each row has a command line and three patterns. The command's error message must match all three patterns: one for the
# error's cause, one for its place, and one for its cure.
TYPED = [
    (["upp"], r"Unknown command 'upp'; did you mean up\?", r"lamplighter has up,", "lamplighter up"),
    (["device", "lst"], r"'lst'; did you mean list\?", "lamplighter device has list", "lamplighter device list"),
    (["device", "list", "--jsn"], "Unknown option '--jsn'", "lamplighter device list", "--json"),
    (["up", "--set", "mqtt.prt=1"], "unknown setting mqtt.prt", r"\(flag\)", r"did you mean mqtt\.port\?"),
    (["up", "--config", "unknown.yaml"], "unknown setting mqtt.prt", "unknown.yaml", r"did you mean mqtt\.port\?"),
    (["up", "--config", "kind.yaml"], "must be a whole number 0 to 65535", "kind.yaml", "lamplighter config"),
    (["up", "--config", "tab.yaml"], "cannot be read", "tab.yaml(.|\n)* 2:1", "lamplighter config --json"),
    (["up", "--config", "none.yaml"], "no such file", "none.yaml", "lamplighter config --json"),
    (["up", "--http-port", "99999"], "must lie between 0 and 65535", r"http\.port", "lamplighter config"),
    (["up", "--set", "mqtt.host=0.0.0.0"], "would cross the network in the clear", r"0\.0\.0\.0", "tls init"),
    (["device", "list", "--data", "nowhere"], "there is no Lamplighter data", "nowhere", "name the right directory"),
    (["restore", "none.backup"], "No such file", "none.backup", "lamplighter backup verify"),
    (["backup", "verify", "cut.json"], "is not a backup of Lamplighter", "cut.json", "lamplighter backup"),
    (["explain", "nonsense"], "there is no code or reason nonsense", "explain", "`lamplighter explain` lists them"),
    (["refusals", "--since", "5"], "takes a time such as 30s", "--since", "lamplighter refusals --help"),
    (["operator", "add", "bob", "--role", "chef"], "'chef' is invalid", "--role", "'viewer', 'operator' or 'admin'"),
]
# These rows look like the rows above, but their commands need a running service.
ASKED = [
    (["product", "import", "misspelt.json"], "dataPoint is unknown", "misspelt.json", r"did you mean dataPoints\?"),
    (["product", "import", "cut.json"], "is not a JSON document", "cut.json:1", "is expected here at byte 37"),
    (["product", "import", "two.json"], r"access is missing", r"dataPoints\.0\.access(.|\n)*dataPoints\.1\.access",
     "must be one of rw, ro, wo"),
    (["product", "import", "nofile.json"], "cannot be read", "nofile.json", "no such file"),
    (["app", "import", "app.json"], "is not a valid appId", "app.json", "1 to 64 of A–Z"),
    (["app", "import", "policy.json"], "emailRegistraton is unknown", "policy.json", r"did you mean emailRegistration\?"),
    (["device", "show", "d-nope"], "no device with that id has registered", "no device d-nope", "lamplighter device list"),
    (["user", "show", "u-nope"], "or it was erased", "no user u-nope", "lamplighter user list"),
    (["product", "show", "nope"], "no product with that key was imported", "no product nope", "lamplighter product list"),
    (["schedule", "show", "nope"], "or it was deleted", "no schedule nope", "lamplighter schedule list"),
    (["deadletter", "show", "999999"], "it was dropped, replayed", "no dead letter 999999", "lamplighter deadletter list"),
    (["device", "list", "--search", "colour:red"], "is not a search key", "--search: colour:", "product:, online:"),
    (["up"], "is in use by the service with pid", "the data directory", "on its own directory"),
]


class Typed(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-mistakes-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name, text in FILES.items():
            (cls.folder / name).write_text(text)

    def check(self, rows, *more):
        for words, *parts in rows:
            with self.subTest(typed=" ".join(words)):
                done = subprocess.run([str(BINARY), *words, *more], cwd=self.folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=30, env=self.world.service.environment)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                for part in parts:
                    self.assertRegex(done.stderr, part)

    def test_without_a_service(self):
        self.check(TYPED)

    def test_before_a_service(self):
        self.check(ASKED, "--data", str(self.world.service.data))


class Sent(EndToEnd):
    def test_in_reports(self):
        device = self.device()
        for data, message, field in (
                ({"pwer": True}, "pwer is not a data point of this product.", "data.pwer"),
                ({"power": "on"}, "must be a boolean|true or false", "data.power"),
                ({"brightness": 101}, "at most 100", "data.brightness"),
                ({"mode": "red"}, "white, colour", "data.mode"),
                ({"label": "far too long"}, "8", "data.label")):
            with self.subTest(data=data):
                answer = device.report(data=data)
                self.assertEqual((answer["ok"], answer["error"]["code"], answer["error"]["field"]), (False, "InvalidRequest", field))
                self.assertRegex(answer["error"]["message"], message)
        answer = device.report(ts=1_790_000_000, data={"power": True})
        self.assertEqual(answer["error"]["field"], "ts")
        self.assertIn("milliseconds", answer["error"]["message"])

    def test_in_reports_that_have_no_answer(self):
        device = self.device()
        for payload, reason in ((b'{"data":{"power":tru}}', r"byte 1\d"), (b'{"id":12,"data":{"power":true}}', "id must be a text: 1 to 64")):
            with self.subTest(payload=payload):
                device.publish(f"{device.base}/report", payload)
                eventually(lambda: [row for row in self.world.service.dead_letters()
                                    if row["topic"] == f"{device.base}/report" and re.search(reason, row["reason"])], 10, "it")

    def test_in_requests(self):
        terminal = self.terminal()
        for method, params, code, field, message in (
                ("device/control", {"did": "d-nope00000000", "data": {"power": True}}, "NotFound|NotBound", None, "."),
                ("device/bind", {"passcode": "123456"}, "InvalidRequest", "params.did", "give did, or productKey and mac"),
                ("account/sendCode", {"countryCode": "49", "email": "a@example.com", "purpose": "sign-up"}, "InvalidRequest",
                 "params.purpose", "one of login, register, resetPassword"),
                ("account/login", {"countryCode": "49", "password": "x"}, "InvalidRequest", None, "phone, email, username and account"),
                ("account/login", {"countryCode": "49", "username": "nobody", "password": "wrong-one"}, "InvalidCredentials", None,
                 "name or the password is wrong")):
            with self.subTest(method=method):
                error = terminal.ask(method, params)["error"]
                self.assertRegex(error["code"], code)
                self.assertRegex(error["message"], message)
                if field:
                    self.assertRegex(error["field"], field)

    def test_in_secrets(self):
        """The broker gives no reason, but `refusals` names the broken rule, and `explain` names the cure."""
        lamp, user = self.device(connect=False), fresh_id()
        for client, name in ((Device(self.world.port, lamp.did, "wrong"), f"device:{lamp.did}"),
                             (Terminal(self.world.port, "test-app", "wrong"), "app:test-app"),
                             (Terminal(self.world.port, user, "any"), f"app:{user}")):
            with self.subTest(name=name):
                self.assertNotEqual(client.connect(), 0)
                rows = eventually(lambda: [row for row in map(json.loads, self.world.service.cli(
                    "refusals", "--since", "1m", "--json").stdout.splitlines())
                    if row["username"] == name and row["reason"] in ("badSecret", "unknownPrincipal")], 10, name)
                page = json.loads(subprocess.run([str(BINARY), "explain", rows[0]["reason"], "--json"], capture_output=True).stdout)
                self.assertGreater(len(page["cause"]) + len(page["cure"]), 80)


if __name__ == "__main__":
    unittest.main()
