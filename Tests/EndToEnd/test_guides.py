"""The guides in docs/guides and the clients' READMEs run exactly as they are printed."""

import base64
import collections
import contextlib
import hmac
import http.client
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest
import urllib.parse

import contract
import postgres
import pythonclient
from browser import Browser
from certificates import shown, trusting
from client import Terminal
from harness import BINARY, ENVIRONMENT, ROOT, Service, eventually, free_port
from receiver import place
from webpages import Pages

GUIDES = ROOT / "docs" / "guides"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PASSCODE = "lamp-4711"
NO_EVENTS = b'{"subscriptionId":"v-none","events":[]}'


def signed(at, secret, body=NO_EVENTS):
    """Returns the headers of a webhook's post, including a signature with the timestamp `at` (in seconds)."""
    text = f"wh-1.{at}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = base64.b64encode(hmac.digest(key, text, "sha256")).decode()
    return {"webhook-id": "wh-1", "webhook-timestamp": str(at), "webhook-signature": f"v1,{signature}"}


class Guide:
    """A Markdown text: its files with their names, its commands, and its other blocks."""

    def __init__(self, path, section=""):
        text = path.read_text(encoding="utf-8")
        if section:
            text = text.partition(f"\n## {section}")[2].partition("\n## ")[0]
        # Finds each text that a guide shows in backticks after the words "you will see".
        promises = re.findall(r"[Yy]ou\s+will\s+see\s(.*?)(?:[.:;]\s|\n\n)", text, re.DOTALL)
        self.promised = [word for promise in promises for word in re.findall(r"`([^`]+)`", promise)]
        self.files, self.commands, self.others = {}, [], []
        end = 0
        for found in FENCE.finditer(text):
            names = re.findall(r"[Ss]ave(?:\s+this)?\s+as\s+`([\w.]+)`", text[end:found.start()])
            end = found.end()
            if names:
                self.files[names[-1]] = found[2]
            elif found[1] == "sh":
                self.commands.append(found[2])
            else:
                self.others.append(found[2])


class Lines:
    """A running program, and its output."""

    def __init__(self, command, folder, **more):
        self.output = folder / f"output-{time.monotonic_ns()}"
        # The Python of Debian finds the modules that Debian has installed.
        environment = {**ENVIRONMENT, "PATH": f"/usr/bin:{ENVIRONMENT['PATH']}", "PYTHONUNBUFFERED": "1", **more}
        self.process = subprocess.Popen(
            ["bash", "-ec", command], cwd=folder, env=environment, stdin=subprocess.PIPE, text=True,
            stdout=self.output.open("wb"), stderr=subprocess.STDOUT, start_new_session=True)

    def text(self):
        return self.output.read_text(encoding="utf-8")

    def wait_for(self, pattern, seconds=30):
        """Waits for a match in the output, and returns it."""
        def probe():
            found = re.search(pattern, self.text())
            if not found and self.process.poll() is not None:
                raise AssertionError(f"it ended with {self.process.returncode}: {self.text()}")
            return found
        return eventually(probe, seconds, f"{pattern} in {self.text()!r}")

    def end(self, seconds=60):
        """Waits until the program ends, and returns its output."""
        code = self.process.wait(seconds)
        if code != 0:
            raise AssertionError(f"it ended with {code}: {self.text()}")
        return self.text()

    def paste(self, text):
        """Gives a running shell a block of commands, and returns their output."""
        marker, before = f"pasted-{time.monotonic_ns()}", len(self.text())
        self.process.stdin.write(f"{text}\necho {marker}\n")
        self.process.stdin.flush()
        self.wait_for(marker, 60)
        return self.text()[before:].replace(marker, "")

    def kill(self):
        subprocess.run(["kill", "-KILL", "--", f"-{self.process.pid}"], stderr=subprocess.DEVNULL)
        self.process.wait()


class Guided(unittest.TestCase):
    """A folder like the project's folder, in which `up` has started a service."""

    settings = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-guides-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "clients").symlink_to(ROOT / "clients")
        (cls.folder / ".build" / "debug").mkdir(parents=True)
        (cls.folder / ".build" / "debug" / "lamplighter").symlink_to(BINARY)
        cls.service = Service(cls.folder / "lamplighter-data", ["--set", "tls.host=127.0.0.1", *cls.settings])
        cls.addClassCleanup(cls.service.close)
        cls.service.start()
        cls.demo = cls.service.ready["demo"]

    def guide(self, name):
        """Reads a guide, and saves its files."""
        guide = Guide(GUIDES / f"{name}.md")
        for file, text in guide.files.items():
            (self.folder / file).write_text(text, encoding="utf-8")
        return guide

    def start(self, command, **more):
        store = {"LAMPLIGHTER_STORE": self.service.store} if self.service.store else {}
        lines = Lines(command, self.folder, **store, **more)
        self.addCleanup(lines.kill)
        return lines

    def lamp(self):
        """Starts the first guide's Python lamp, and returns the program and the device id.

        The lamp isn't bound yet."""
        guide = self.guide("first-device")
        (self.folder / "lamp.json").unlink(missing_ok=True)
        lines = self.start(guide.commands[-1])
        return lines, lines.wait_for(r"did (\S+)")[1]

    def browse(self, page, did):
        """Opens a page of the folder in a browser, with the values that a user would enter."""
        pages = Pages({"clients": self.folder / "clients"}, {"": (self.folder / page).read_text(encoding="utf-8")})
        self.addCleanup(pages.close)
        browser = Browser()
        self.addCleanup(browser.close)
        values = {"url": f"ws://127.0.0.1:{self.service.ready['webSocketPort']}/mqtt", "appId": self.demo["appId"],
                  "secret": self.demo["appSecret"], "did": did}
        browser.open(f"{pages.address}/#{urllib.parse.urlencode(values)}")
        return browser

    def until(self, browser, expression, what):
        try:
            return eventually(lambda: browser.run(f"return {expression}"), 20, what)
        except AssertionError as error:
            raise AssertionError(f"{error}: {browser.run('return document.body.innerText')} {browser.log()}") from None


class Devices(Guided):
    def app(self, did):
        """Runs the guide's Python app with this lamp, and returns its output."""
        guide = self.guide("first-app")
        (self.folder / "terminal.json").unlink(missing_ok=True)
        return self.start(guide.commands[0], did=did).end()

    def wait_online(self, did):
        eventually(lambda: self.service.device(did)["online"], 20, "the lamp")

    def check_lamp(self, command):
        lines = self.start(command)
        did = lines.wait_for(r"did (\S+)")[1]
        self.wait_online(did)
        printed = self.app(did)
        self.assertIn("done", printed)
        lines.wait_for("light on")
        # After each command, the lamp's state contains all values that the command set.
        for data in ({"brightness": 42}, {"mode": "night", "brightness": 7}, {"power": False}, {"power": True}):
            result = self.switch(did, data)
            self.assertEqual(result["state"], "done", (data, result))
            state = self.service.device(did)["data"]
            self.assertEqual({**state, **data}, state)
        self.assertIn("temperature", state)
        # If a command has an attribute that the lamp doesn't know, the lamp doesn't report success.
        self.widen()
        self.assertEqual(self.switch(did, {"power": False, "fan": True})["state"], "failed")
        # After a restart, it is still the same lamp.
        lines.kill()
        again = self.start(command)
        self.assertEqual(again.wait_for(r"did (\S+)")[1], did)
        self.wait_online(did)
        eventually(lambda: self.service.device(did)["data"]["power"] is False, 20, "the first report")

    def switch(self, did, data):
        """Sends a command as the demo's bound user; returns its outcome."""
        terminal = json.loads((self.folder / "terminal.json").read_text())["credentials"]
        app = Terminal(self.service.mqtt_port, self.demo["appId"], terminal["token"], terminal_id=terminal["terminalId"])
        self.addCleanup(app.close)
        app.come()
        app.token, app.uid = terminal["token"], terminal["uid"]
        try:
            return app.get("device/control", {"did": did, "data": data, "wait": True, "ttl": 10})
        finally:
            app.close()

    def widen(self):
        """Adds a data point to the demo product; no lamp of the guide has this data point."""
        product = json.loads(self.service.cli("product", "export", self.demo["productKey"]).stdout)
        if not any(point["name"] == "fan" for point in product["dataPoints"]):
            product["dataPoints"].append({"name": "fan", "access": "rw", "type": "bool"})
            self.service.import_document("product", product)

    def test_the_lamp_in_c_is_the_clients_example(self):
        self.assertEqual(self.guide("first-device").files["lamp.c"], (ROOT / "clients/c/lamp.c").read_text())

    def test_a_product_of_the_reader_is_accepted_and_its_alerts_are_reports(self):
        guide = self.guide("first-device")
        command = ".build/debug/lamplighter product import plant.json"
        text = (GUIDES / "first-device.md").read_text()
        self.assertIn(f"`{command}`", text)
        self.assertIn("imported product", self.start(command).end())
        self.assertEqual(contract.problems("product", json.loads(guide.files["plant.json"])), [])
        reports = re.findall(r'`(\{"id":"r\d","alerts".*?\})`', text)
        self.assertEqual(len(reports), 2)
        for report in reports:
            self.assertEqual(contract.problems("report", json.loads(report)), [])

    def test_an_app_of_the_reader_is_accepted(self):
        guide = self.guide("first-app")
        self.assertIn("imported app plants", self.start(guide.commands[1]).end())
        self.assertEqual(contract.problems("app", json.loads(guide.files["plants.json"])), [])

    def test_a_lamp_in_c(self):
        guide = self.guide("first-device")
        strict = subprocess.run(
            ["gcc", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only", "-I", "clients/c", "lamp.c"], cwd=self.folder,
            capture_output=True, text=True)
        self.assertEqual(strict.returncode, 0, strict.stderr)
        self.check_lamp(guide.commands[0])

    def test_a_lamp_in_c_connects_by_tls(self):
        make, init, run = self.guide("first-device").commands[:3]
        self.start(init).end()
        self.service.stop()
        self.service.start()
        # This keeps all lines except the last line, which starts the lamp.
        make = make.rsplit("\n", 2)[0]
        self.assertIn("lamps.example.com 8883", run)
        (self.folder / "lamp.id").unlink(missing_ok=True)
        run = run.replace("lamps.example.com 8883", f"localhost {self.service.ready['mqttTlsPort']}")
        self.wait_online(self.start(f"{make}\n{run}").wait_for(r"did (\S+)")[1])

    def test_a_lamp_in_python(self):
        self.check_lamp(self.guide("first-device").commands[-1])

    def test_a_lamp_and_an_app_in_python_connect_by_tls(self):
        self.service.cli("tls", "init")
        self.service.stop()
        self.service.start()
        (self.folder / "authority.pem").write_bytes((self.service.data / "tls" / "authority.pem").read_bytes())
        plain = {"lamp.py": '    client.connect("127.0.0.1", port)\n',
                 "app.py": 'with App(demo["appId"], demo["appSecret"], port=ready["mqttPort"], store="terminal.json") as app:\n'}
        guides = {}
        for name, file in (("first-device", "lamp.py"), ("first-app", "app.py")):
            guides[name] = guide = self.guide(name)
            [lines] = guide.others
            text = guide.files[file]
            self.assertIn(plain[file], text)
            text = text.replace(plain[file], lines)
            for there, here in (("lamps.example.com", "localhost"), ("8883", str(self.service.ready["mqttTlsPort"]))):
                self.assertIn(there, text)
                text = text.replace(there, here)
            (self.folder / file).write_text(text)
        for kept in ("lamp.json", "terminal.json"):
            (self.folder / kept).unlink(missing_ok=True)
        did = self.start(guides["first-device"].commands[-1]).wait_for(r"did (\S+)")[1]
        self.wait_online(did)
        self.assertIn("done", self.start(guides["first-app"].commands[0], did=did).end())


class Notifying(Guided):
    def test_a_message_centre_and_a_makers_server(self):
        centre, message, settings = self.guide("notifications").commands
        here = "\n".join([centre, message, settings]).replace("127.0.0.1:8080", f"127.0.0.1:{self.service.http_port}")
        answers = [json.loads(line)["result"] for line in self.start(here).end().splitlines() if line.startswith("{")]
        empty, sent, listed, read, _, _, explained = answers
        self.assertEqual((empty["notifications"], sent), ([], {"notifications": 1}))
        self.assertEqual(([row["title"] for row in listed["notifications"]], listed["unread"]["home"]), (["New firmware"], 1))
        self.assertEqual((read["unread"]["home"], explained["reasons"][0]["outcome"]), (0, "off"))


class OverHTTP(Guided):
    def test_an_app_without_mqtt(self):
        guide = self.guide("over-http")
        shell, python = guide.commands
        here = shell.replace("127.0.0.1:8080", f"127.0.0.1:{self.service.http_port}")
        printed = self.start(here).end()
        self.assertRegex(printed, r'"ok":true.*"session":')
        self.assertIn("'devices': []", self.start(python).end())

        # The guide's JavaScript uses the token from the shell commands. At its end, the program logs out. The logout
        # ends the stream, so the program ends too.
        [functions] = guide.others
        (self.folder / "app.mjs").write_text(
            f"const {{ base, token }} = process.env;\n{functions}"
            "follow((topic, body) => console.log(topic, body));\n"
            "console.log(await ask('device/list', {}));\n"
            "await ask('device/status', { did: 'd-none' }).catch(error => console.log(error.code));\n"
            "await new Promise(resolve => setTimeout(resolve, 1000));\n"
            "await ask('account/logout', {});\n", encoding="utf-8")
        printed = self.start(f"{here}\nbase=$base token=$token node app.mjs").end()
        self.assertRegex(printed, r"(?s)devices: \[\].*NotBound.*end { reason: 'loggedOut' }")


class MakersServers(Guided):
    settings = ("--set", "outbound.privateTargets=localhost")

    def guide(self, name):
        """Reads a guide, and saves its files with this service's ports.

        The receiver gets a free port."""
        guide = super().guide(name)
        self.port = free_port()
        ports = {"127.0.0.1:8080": f"127.0.0.1:{self.service.http_port}", "-p 1883": f"-p {self.service.mqtt_port}",
                 "localhost:9000": f"localhost:{self.port}", '("127.0.0.1", 9000)': f'("127.0.0.1", {self.port})',
                 "listen(9000": f"listen({self.port}"}

        def here(text):
            for old, new in ports.items():
                text = text.replace(old, new)
            return text
        guide.commands = [here(command) for command in guide.commands]
        for file, text in guide.files.items():
            (self.folder / file).write_text(here(text), encoding="utf-8")
        return guide

    def shell(self):
        return self.start("exec bash -e")

    def receiver(self, command):
        """Starts a receiver, and checks that it refuses unsigned posts and old posts."""
        lines = self.start(command)
        secret = json.loads((self.folder / "webhook.json").read_text())["result"]["secret"]
        eventually(lambda: self.post({}) == 401 or lines.process.poll(), 20, lambda: lines.text())
        now = int(time.time())
        for at, key, status in ((now, secret, 204), (now - 900, secret, 401), (now, "whsec_" + "A" * 44, 401)):
            self.assertEqual(self.post(signed(at, key)), status, (at, key))
        for headers in ({"webhook-signature": "v1,é", "webhook-timestamp": str(now)}, {"webhook-timestamp": "x"}):
            self.assertEqual(self.post(headers), 401)
        return lines

    def post(self, headers, body=NO_EVENTS):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            try:
                connection.request("POST", "/", body, headers)
                return connection.getresponse().status
            except OSError:
                return None

    def all_taken(self):
        """Waits until the service has posted the whole log to the webhook."""
        def probe():
            [row] = [row for row in self.service.json("events", "list")["items"] if row["name"] == "shop"]
            return row["behind"] == 0 and place(row["cursor"]) >= place(self.log()[-1]["id"])
        eventually(probe, 60, "the events' delivery")

    def log(self):
        """Returns the log's events of the types that the guide's webhook wants."""
        types = [word for kind in self.wanted for word in ("--type", kind)]
        return self.service.json("events", "tail", "--app", "demo", *types)["items"]

    def test_receiving_events(self):
        guide = self.guide("server-events")
        subscribe, python, happen, node, down, letters, replay, rotate, reader, stream = guide.commands
        self.wanted = json.loads(re.search(r"wanted='(.*)'", subscribe)[1])
        shell = self.shell()
        printed = shell.paste(subscribe)
        self.assertIn('"secret":"whsec_', printed)
        # The receiver in Python counts each event once, even after a kill and a replay.
        receiver = self.receiver(python)
        shell.paste(happen)
        self.all_taken()
        receiver.wait_for("device.offline")
        kinds = [line.split()[0] for line in receiver.text().splitlines() if line.startswith("device.")]
        # Two workers write the next two events, so either can be the first.
        kinds[1:3] = sorted(kinds[1:3])
        self.assertEqual(kinds, [f"device.{kind}" for kind in ("registered", "bound", "online", "command", "offline")])
        receiver.kill()
        receiver = self.receiver(python)
        shell.paste(replay)
        self.all_taken()
        with contextlib.closing(sqlite3.connect(self.folder / "events.db")) as db:
            self.assertEqual(dict(db.execute("SELECT * FROM tally")), collections.Counter(e["type"] for e in self.log()))
        receiver.kill()
        # At first, no receiver is running. After that, a receiver in Node is running.
        printed = shell.paste(down)
        self.assertIn("the server could not be reached", printed)
        self.assertIn('"deliveries":[{', printed)
        receiver = self.receiver(node)
        shell.paste("$lamplighter events resume $webhook")
        self.all_taken()
        receiver.wait_for("device.offline")
        receiver.kill()
        file = self.folder / "events.jsonl"
        file.write_text(file.read_text() + '{"id":"half')
        shell.paste(rotate)
        receiver = self.receiver(node)
        shell.paste(letters)
        shell.paste(replay)
        self.all_taken()
        ids = [json.loads(line)["id"] for line in file.read_text().splitlines()]
        self.assertEqual(sorted(ids), sorted(event["id"] for event in self.log()))
        # By asking.
        lines = self.start(reader)
        lines.wait_for("device.offline")
        lines.kill()
        key = json.loads((self.folder / "key.json").read_text())["key"]
        lines = self.start(stream, key=key)
        for event in self.log():
            if event["type"].startswith("device."):
                lines.wait_for(rf"(?m)^id: {event['id']}\nevent: {event['type']}\ndata: {{")
        lines.kill()

    def test_linking_home_assistant(self):
        lamp, did = self.lamp()
        guide = self.guide("home-assistant")
        link, bind, watch, switch, bridge, unlink = guide.commands
        shell = self.shell()
        self.assertIn("tls: False\nusername: ha:l-", shell.paste(f"did={did}\n{link}"))
        self.assertIn('"ok":true', shell.paste(bind))
        printed = shell.paste(watch)
        for key in guide.promised:
            self.assertIn(key, printed)
        shell.paste(switch)
        lamp.wait_for("light on")
        self.assertIn("notifications false", shell.paste(bridge))
        printed = shell.paste(unlink)
        self.assertIn('"ok":true', printed)
        self.assertIn("unlinked", printed)

    def test_requests_for_users(self):
        lamp, did = self.lamp()
        guide = self.guide("server-requests")
        key, login, ask, python, mqtt, end = guide.commands
        shell = self.shell()
        shell.paste(f"did={did}\n{key}")
        printed = shell.paste(login) + shell.paste(ask)
        self.assertNotIn('"ok":false', printed)
        self.assertIn('"state":"done"', printed)
        lamp.wait_for("light on")
        self.assertIn("Demo lamp is online\ndone\n", shell.paste(python))
        lamp.kill()
        eventually(lambda: not self.service.device(did)["online"], 20, "the lamp's end")
        self.assertIn("not switched: DeviceOffline", shell.paste(python))
        self.assertIn(did, shell.paste(mqtt))
        printed = shell.paste(end)
        self.assertRegex(printed, r'"devices"(?s:.*)\nrevoked (?s:.*)"code":"InvalidToken"')


class Apps(Guided):
    def test_a_page_in_the_browser(self):
        lamp, did = self.lamp()
        guide = self.guide("first-app")
        script = guide.files["index.html"].split("<script")[1]
        self.assertLessEqual(len(script.splitlines()), 30)
        browser = self.browse("index.html", did)
        self.until(browser, "!document.querySelector('#switch').disabled", "the lamp")
        browser.run("document.querySelector('#switch').click()")
        lamp.wait_for("light on")
        self.until(browser, "document.querySelector('#state').textContent === 'On'", "the light")
        # At the next visit the page is logged in.
        browser.run("location.reload()")
        self.until(browser, "document.querySelector('#state').textContent === 'On'", "the light")

    def test_history_as_a_chart(self):
        _lamp, did = self.lamp()
        identity = json.loads((self.folder / "lamp.json").read_text())
        guide = self.guide("history")
        [past] = guide.others
        now = int(time.time() * 1000)
        past = re.sub(r"17954\d{8}", lambda m: str(now - 7_200_000 + int(m[0]) - 1_795_400_000_000), past)
        self.assertEqual(contract.problems("report", json.loads(past)), [])
        subprocess.run(
            ["mosquitto_rr", "-p", str(self.service.mqtt_port), "-i", did, "-u", f"device:{did}", "-P", identity["secret"],
             "-q", "1", "-t", f"ll/v1/device/{did}/report", "-e", f"ll/v1/device/{did}/response", "-m", past, "-W", "10"],
            check=True, capture_output=True)
        eventually(lambda: self.service.device(did)["data"].get("temperature") == 21.5, 20, "the lamp's own")
        browser = self.browse("chart.html", did)
        self.until(browser, "document.querySelector('#words').textContent", "the chart")
        self.assertEqual(browser.run("return document.querySelector('#words').textContent"),
                         "3 quarters of an hour, 20.5 to 21.5 °C")
        self.assertEqual(len(browser.run("return document.querySelector('polyline').getAttribute('points')").split()), 3)

    def test_sharing(self):
        _lamp, did = self.lamp()
        printed = self.start(self.guide("sharing").commands[0], did=did).end()
        self.assertIn("an offer of Demo lamp control\ntom is guest\nmia sees an offer of Demo lamp\n", printed)
        self.assertIn("mia may not switch it: Forbidden\nusers: ['guest', 'guest', 'owner']\nmia has 0\n", printed)
        self.assertIn("<svg", (self.folder / "offer.svg").read_text())


class LoggingIn(Guided):
    def test_in_every_way(self):
        guide = self.guide("logging-in")
        script = self.start(guide.commands[0])
        for turn in range(3):
            eventually(lambda: script.text().count("The code: ") > turn, 30, "the question")
            # The log must contain one code for each time that the script asked for a code. If the limit refused a code,
            # the test would prove nothing.
            codes = eventually(lambda: self.codes(turn + 1), 10, "the code in the log")
            script.process.stdin.write(codes[turn] + "\n")
            script.process.stdin.flush()
        printed = script.end().replace("The code: ", "")
        for line in ("registered, the same user: True", "by name: True", "by e-mail and code: True", "terminals: 2",
                     "by phone, new: True", "refused: InvalidCredentials"):
            self.assertIn(line, printed)

    def codes(self, count):
        log = pathlib.Path(self.service.log.name).read_text()
        found = re.findall(r"DEVELOPMENT ONLY.*?\b(\d{6})\b", log, re.DOTALL)
        return found if len(found) >= count else None

    def test_the_apps_document_is_accepted(self):
        guide = self.guide("logging-in")
        printed = self.start(guide.commands[1]).end()
        self.assertIn("lamps", printed)
        shown = self.service.json("app", "show", "lamps")
        self.assertEqual(contract.problems("app", json.loads(guide.files["app.json"])), [])
        self.assertIn("google", json.dumps(shown))

    def test_every_provider_is_named(self):
        text = (GUIDES / "logging-in.md").read_text()
        providers = contract.files()["documents"]["definitions"]["app"]["properties"]["providers"]["properties"]
        for name in providers:
            self.assertIn(f"| `{name}` |", text)


class Servers(Guided):
    def test_a_real_server(self):
        guide = self.guide("real-server")
        imports, init, renew, report, certificate, looks, _backup, _restore = guide.commands
        commands = f'PATH="$PWD/.build/debug:$PATH"; {imports}'
        self.assertIn("ecret", self.start(commands).end())
        self.others_come(init, report, certificate)
        settings, hook = guide.others
        (self.folder / "settings.yaml").write_text(settings)
        printed = self.start(".build/debug/lamplighter config --config settings.yaml").end()
        self.assertIn("/etc/lamplighter/tls/privkey.pem", printed)
        self.certbot_renews(hook)
        self.the_authority_is_renewed(renew)
        looks = looks.replace("8081", str(self.service.health_port))
        # A test machine can cause warnings, and `doctor` then exits with code 3.
        code = 1 if postgres.CARELESS else 3
        looks = looks.replace("doctor", f"doctor || [ $? = {code} ]")
        self.start(f'PATH="$PWD/.build/debug:$PATH"; {looks}').end()

    @postgres.on_file
    def test_a_real_servers_backup(self):
        *_others, backup, restore = self.guide("real-server").commands
        self.start(f'PATH="$PWD/.build/debug:$PATH"; {backup}{restore}').end()
        self.assertTrue((self.folder / "restored").is_dir())

    def others_come(self, init, report, certificate):
        """Creates certificates, and connects a lamp by its secret and by a certificate."""
        lamplighter = 'PATH="$PWD/.build/debug:$PATH"; '
        lamp, did = self.lamp()
        lamp.kill()
        identity = json.loads((self.folder / "lamp.json").read_text())
        self.start(lamplighter + init).end()
        self.service.stop()
        self.service.start()
        (self.folder / "authority.pem").write_bytes((self.service.data / "tls" / "authority.pem").read_bytes())
        for command, setting, port, power in ((report, "8883", "mqttTlsPort", True), (certificate, "8884", "clientCertificatePort", False)):
            self.assertIn(f"lamps.example.com -p {setting}", command)
            command = command.replace(f"lamps.example.com -p {setting}", f"localhost -p {self.service.ready[port]}")
            self.start(lamplighter + command, did=did, secret=identity["secret"]).end()
            eventually(lambda: self.service.device(did)["data"].get("power") is power, 20, "the report")

    def the_authority_is_renewed(self, command):
        authority = self.service.data / "tls" / "authority.pem"
        self.start(f'PATH="$PWD/.build/debug:$PATH"; {command}').end()
        self.assertEqual(authority.read_text().count("BEGIN CERTIFICATE"), 2)
        self.service.stop()
        self.service.start()
        # The first file is the copy of the authority that was distributed before the renewal.
        for trusted in (self.folder / "authority.pem", authority):
            shown("localhost", self.service.ready["mqttTlsPort"], trusting(trusted))

    def certbot_renews(self, hook):
        """Runs the hook without its options for owner and group, since a test machine lacks the service's user."""
        lineage, to = self.folder / "live", self.folder / "etc-tls"
        lineage.mkdir()
        for name in ("privkey.pem", "fullchain.pem"):
            (lineage / name).write_text(name)
            (lineage / name).chmod(0o600)
        self.assertIn("/etc/lamplighter/tls", hook)
        hook = hook.replace("/etc/lamplighter/tls", str(to)).replace("-o root -g lamplighter", "")
        self.start(hook, RENEWED_LINEAGE=str(lineage)).end()
        self.assertEqual({path.name: path.stat().st_mode & 0o777 for path in to.iterdir()},
                         {"privkey.pem": 0o640, "fullchain.pem": 0o644})

    def test_watching(self):
        guide = self.guide("watching")
        metrics, check, traced = guide.commands
        (self.folder / "deploy").symlink_to(ROOT / "deploy")
        self.assertIn("lamplighter_ready 1", self.start(metrics.replace("8081", str(self.service.health_port))).end())
        self.assertIn("SUCCESS", self.start(check).end())
        [line] = guide.others
        self.assertEqual(json.loads(line)["trace.id"], "4bf92f3577b34da6a3ce929d0e0e4736")
        self.start(traced, port=str(self.service.mqtt_port), terminal="5d" * 16, **{
            name: self.demo[name] for name in ("appId", "appSecret")}).end()
        # Without a token the request is refused, and its log line has the trace.
        log = pathlib.Path(self.service.log.name)
        eventually(lambda: "trace.id=4bf92f3577b34da6a3ce929d0e0e4736" in log.read_text(), 10, "the line")

    def test_behind_a_proxy(self):
        guide = self.guide("proxy")
        certificate = ("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
                       " -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>&1; cat cert.pem key.pem > proxy.pem")
        self.start(certificate).end()
        tls, web = free_port(), free_port()
        text = guide.files["haproxy.cfg"]
        for old, new in (("bind :8883", f"bind 127.0.0.1:{tls}"), ("bind :443", f"bind 127.0.0.1:{web}"),
                         ("/etc/haproxy/lamplighter.pem", str(self.folder / "proxy.pem")),
                         ("127.0.0.1:1883", f"127.0.0.1:{self.service.mqtt_port}"),
                         ("127.0.0.1:8083", f"127.0.0.1:{self.service.ready['webSocketPort']}"),
                         ("127.0.0.1:8080", f"127.0.0.1:{self.service.http_port}")):
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "haproxy.cfg").write_text(text)
        self.start("/usr/sbin/haproxy -f haproxy.cfg")
        page = f"https://localhost:{web}/healthz"
        eventually(lambda: subprocess.run(["curl", "-sf", "--cacert", "cert.pem", page], cwd=self.folder,
                                          capture_output=True).returncode == 0, 20, "the page")
        _lamp, did = self.lamp()
        identity = json.loads((self.folder / "lamp.json").read_text())
        command = guide.commands[0].replace("lamps.example.com -p 8883 --capath /etc/ssl/certs",
                                            f"localhost -p {tls} --cafile cert.pem")
        self.start(command, did=did, secret=identity["secret"]).end()
        eventually(lambda: self.service.device(did)["data"].get("power"), 20, "the report")
        # `curl` sends an upgrade request as a browser would, with the subprotocol `mqtt`. The WebSocket listener behind
        # the proxy accepts this request.
        asked = subprocess.run(
            ["curl", "-si", "--http1.1", "--max-time", "3", "--cacert", "cert.pem", "-H", "Connection: Upgrade", "-H",
             "Upgrade: websocket", "-H", "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Key: bGFtcGxpZ2h0ZXItMTIzNA==",
             "-H", "Sec-WebSocket-Protocol: mqtt", f"https://localhost:{web}/mqtt"], cwd=self.folder, capture_output=True)
        self.assertIn(b"101 Switching Protocols", asked.stdout)


# This program searches the log for the messages to an e-mail address. It prints the code from message number `turn`.
# The program's last argument contains the address.
CODE_OF_THE_LOG = r"""
import pathlib, re, sys, time

log, turn = pathlib.Path(sys.argv[1]), int(sys.argv[2])
[name] = re.findall(r"[0-9a-f]+@example\.com", sys.argv[3])
deadline = time.monotonic() + 10
while time.monotonic() < deadline:
    messages = [each for each in log.read_text().split("DEVELOPMENT ONLY")[1:] if name in each]
    codes = [re.search(r"\b\d{6}\b", each.replace(name, "")) for each in messages]
    if len(codes) >= turn and codes[turn - 1]:
        print(codes[turn - 1][0])
        break
    time.sleep(0.05)
"""


class Readmes(Guided):
    def test_the_first_example_and_more_by_hand(self):
        example, by_hand = Guide(ROOT / "README.md", "The first example"), self.guide("by-hand")
        blocks, (more, accounts) = example.commands, by_hand.commands
        # In the guide, the user reads a code in the log, and types it for the shell command `read`. `read` needs a
        # terminal, so the test replaces this command with a program that prints the code from the log.
        (self.folder / "code.py").write_text(CODE_OF_THE_LOG)
        for turn in (1, 2):
            asked = f"code=$(python3 code.py {self.service.log.name} {turn} \"$lena\")"
            accounts = accounts.replace("read -p 'The code: ' code", asked, 1)
        printed = self.start("set +e\nPATH=$PWD/.build/debug:$PATH\n" + "\n".join([*blocks, more, accounts])).end(120)
        self.assertNotIn('"ok":false', printed)
        self.assertGreaterEqual(len(example.promised), 3)
        for word in example.promised + by_hand.promised:
            self.assertIn(word, printed)
        self.assertIn('"type":"write"', printed)
        self.assertIn('"terminated":1', printed)

    def test_of_the_python_client(self):
        example, server = Guide(ROOT / "clients" / "python" / "README.md").others
        (self.folder / "example.py").write_text(example)
        self.start("PYTHONPATH=clients/python python3 example.py").end()
        # This runs the example over HTTP, without paho.
        over_http = example.replace('port=ready["mqttPort"]', 'port=ready["httpPort"], transport="http"')
        self.assertNotEqual(over_http, example)
        (self.folder / "example.py").write_text(over_http)
        self.start("PYTHONPATH=clients/python python3 example.py").end()
        self.ask_from_a_server("example.py", server, "PYTHONPATH=clients/python python3 example.py")

    def ask_from_a_server(self, file, text, command):
        """Runs a README's example of a server, which prints the dids of a user's devices."""
        _lamp, did = self.lamp()
        port = self.service.http_port
        with pythonclient.module("1.6").App(self.demo["appId"], self.demo["appSecret"], port=port, transport="http") as app:
            app.account.loginAnonymous(countryCode="49")
            app.device.bind(did=did, passcode=PASSCODE)
            uid = app.credentials.uid
        self.start(f".build/debug/lamplighter key add {uid} --app demo --scope device --json > key.json").end()
        (self.folder / file).write_text(text.replace("127.0.0.1:8080", f"127.0.0.1:{port}"))
        self.assertIn(did, self.start(f"{command} {uid}").end())

    def test_of_the_javascript_client(self):
        example, server = Guide(ROOT / "clients" / "js" / "README.md").others
        example = example.replace("wss://lamplighter.example:8084/mqtt", f"ws://127.0.0.1:{self.service.ready['webSocketPort']}/mqtt")
        example = example.replace('"demo"', json.dumps(self.demo["appId"])).replace('"…"', json.dumps(self.demo["appSecret"]))
        pages = Pages({"clients": ROOT / "clients"}, {"": "<!doctype html><meta charset=utf-8><script type=module>"
                      + example.replace("./lamplighter.js", "./clients/js/lamplighter.js") + "window.done = true</script>"})
        self.addCleanup(pages.close)
        browser = Browser()
        self.addCleanup(browser.close)
        browser.open(pages.address)
        self.until(browser, "window.done", "the example's end")
        self.ask_from_a_server("example.mjs", server.replace("./server.js", "./clients/js/server.js"), "node example.mjs")


class Texts(unittest.TestCase):
    def test_moving_names_only_existing_requests(self):
        named = set()
        for path in GUIDES.glob("*.md"):
            named |= {(path.name, name) for name in re.findall(r"`((?:account|app|device|events|home|schedule|session|share)/\w+)`",
                                                               path.read_text())}
        for path, name in named:
            with self.subTest(guide=path, request=name):
                self.assertIn(name, contract.methods())

    def test_every_guide_is_listed_and_every_link_leads_somewhere(self):
        listed = set(re.findall(r"\]\((\S+?\.md)\)", (GUIDES / "README.md").read_text()))
        self.assertEqual(listed, {path.name for path in GUIDES.glob("*.md")} - {"README.md"})
        # Tests/Deploy/test_contents.py checks the links of the tarball's own text.
        texts = [path for top in ("docs", "clients", "schemas", "Sources/Console") for path in (ROOT / top).rglob("*.md")]
        self.assertGreater(len(texts), 20)
        for path in [*ROOT.glob("*.md"), *texts]:
            for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", path.read_text()):
                with self.subTest(file=path.name, link=link):
                    self.assertTrue((path.parent / link).exists())
        for path in [ROOT / "README.md", *GUIDES.glob("*.md")]:
            for link, anchor in re.findall(r"\]\(([^):#\s]*)#([^)\s]+)\)", path.read_text()):
                target = path.parent / link if link else path
                slugs = {re.sub(r"[^\w-]", "", head.lower().replace(" ", "-")) for head in re.findall(r"(?m)^#+ (.+)$", target.read_text())}
                with self.subTest(file=path.name, link=link, anchor=anchor):
                    self.assertIn(anchor, slugs)


del Guided

if __name__ == "__main__":
    unittest.main()
