"""The commands of `lamplighter` on the data directory of a running service."""

import json
import os
import pathlib
import pty
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import contract
from client import Client, fresh_mac
from harness import BINARY, ENVIRONMENT, TOPICS, Service, eventually, free_port
from world import EASY, LAMP, EndToEnd, OwnWorld


class Products(EndToEnd):
    def document(self, **changes):
        return self.written({**LAMP, "productKey": fresh_mac() + fresh_mac() + "0" * 8, **changes})

    def written(self, document):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        path = pathlib.Path(holder.name) / "document.json"
        path.write_text(json.dumps(document))
        return path

    def test_an_imported_product_works_at_once_and_its_secret_is_shown_once(self):
        path = self.document()
        printed = self.world.service.json("product", "import", str(path))
        secret = printed["productSecret"]
        key = json.loads(path.read_text())["productKey"]
        mac = fresh_mac()
        client = self.keep(Client(self.world.port, f"product:{key}", secret, mac))
        self.assertEqual(client.connect(), 0)
        for command in (("product", "list"), ("product", "show", key), ("product", "export", key)):
            self.assertNotIn(secret, self.world.service.cli(*command).stdout)
            self.assertNotIn(secret, self.world.service.cli(*command, "--json").stdout
                             if command[1] != "export" else "")

    def test_an_export_imports_again_and_keeps_the_secret(self):
        key = LAMP["productKey"]
        exported = json.loads(self.world.service.cli("product", "export", key).stdout)
        self.assertEqual(contract.problems("product", exported), [])
        self.assertEqual(exported["dataPoints"], LAMP["dataPoints"])
        self.world.service.import_document("product", exported)
        self.assertTrue(self.world.register()["ok"], "the old secret still works")

    def test_a_length_limit_is_shown_in_its_unit(self):
        shown = self.world.service.cli("product", "show", LAMP["productKey"]).stdout
        self.assertRegex(shown, r"(?m)^label .*up to 8 characters")
        self.assertRegex(shown, r"(?m)^blob .*up to 4 bytes")

    def test_documents_that_break_the_schema_are_refused(self):
        for kind in ("product", "app"):
            for case, document in contract.examples(kind, "invalid").items():
                with self.subTest(kind=kind, example=case):
                    path = self.written(document)
                    done = self.world.service.cli(kind, "import", str(path), check=False)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertTrue(done.stderr.strip())

    def test_every_fault_of_a_document_is_reported_at_once(self):
        path = self.document(dataPoint=[], dataPoints=[{"name": "a", "acces": "rw", "type": "date"}], historyDays=0)
        failed = self.world.service.cli("product", "import", str(path), check=False)
        self.assertEqual(failed.returncode, 1)
        for fault in ("dataPoint is unknown; did you mean dataPoints?",
                      "dataPoints.0.acces is unknown; did you mean access?", "dataPoints.0.access is missing.",
                      "dataPoints.0.type must be one of", "historyDays must lie between"):
            self.assertIn(fault, failed.stderr)

    def test_removing_a_data_point_that_stored_state_uses_needs_force(self):
        device = self.device()
        device.report(data={"mode": "white"})
        narrower = {**LAMP, "dataPoints": [p for p in LAMP["dataPoints"] if p["name"] != "mode"]}
        path = self.document(**narrower)
        done = self.world.service.cli("product", "import", str(path), check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("mode", done.stderr + done.stdout)
        self.assertTrue(device.report(data={"mode": "colour"})["ok"], "nothing has changed")


class Usage(EndToEnd):
    def run_cli(self, *arguments):
        return subprocess.run(
            [str(BINARY), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)

    def test_an_unparsable_command_line_obeys_json_and_ends_with_2(self):
        for arguments in (
            ("device", "show"), ("device", "list", "--bogus"), ("device", "list", "--limit", "x"),
            ("device", "list", "--limit", "0"), ("deadletter", "drop"), ("explain", "LL0000"),
            ("simulate", "--devices", "0"), ("device", "list", "--set", "nonsense"),
        ):
            with self.subTest(arguments=arguments):
                done = self.run_cli(*arguments, "--json")
                self.assertEqual(done.returncode, 2, done)
                self.assertEqual(done.stderr, "")
                error = json.loads(done.stdout)["error"]
                self.assertEqual(error["code"], "LL1105")
                self.assertTrue(error["message"] and error["cause"] and error["cures"])
                told = self.run_cli(*arguments)
                self.assertEqual((told.returncode, told.stdout), (2, ""))
                self.assertIn("error LL1105", told.stderr)

    def test_an_unknown_command_is_named_whatever_follows_it(self):
        for arguments in (("nosuch",), ("device", "nosuch"), ("device", "nosuch", "--data", "x", "--bogus")):
            with self.subTest(arguments=arguments):
                done = self.run_cli(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("Unknown command 'nosuch'", done.stderr)
                self.assertNotIn("did you mean", done.stderr)
                told = self.run_cli(*arguments, "--json")
                self.assertEqual((told.returncode, told.stderr), (2, ""))
                self.assertEqual(json.loads(told.stdout)["error"]["code"], "LL1105")
        self.assertIn("'--bogus'", self.run_cli("device", "list", "--bogus").stderr)

    def test_a_failure_obeys_json_and_ends_with_1(self):
        done = self.run_cli("device", "list", "--data", "/nonexistent/lamplighter", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("error", done.stderr)
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "LL1205")

    def test_an_installed_package_names_its_own_command(self):
        with tempfile.TemporaryDirectory() as folder:
            wrapper = pathlib.Path(folder) / "lamplighterctl"
            wrapper.write_text("#!/bin/sh\n")
            wrapper.chmod(0o755)
            environment = {**os.environ, **ENVIRONMENT, "PATH": f"{folder}:{os.environ['PATH']}"}
            words = [str(BINARY), "device", "list", "--data", "/nonexistent/lamplighter"]
            told = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=30)
            self.assertRegex(told.stderr, r"(?m)^  do    sudo lamplighterctl device list +the package's data$")
            self.assertNotIn("lamplighter up", told.stderr)
            # The wrapper itself already sets the package's data directory.
            told = subprocess.run(words, capture_output=True, text=True, timeout=30,
                                  env={**environment, "LAMPLIGHTER_DATA": "/nonexistent/lamplighter"})
            self.assertNotIn("lamplighterctl", told.stderr)

    def test_all_ports_in_use_are_named_with_one_command_that_avoids_them(self):
        holders = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        for holder in holders:
            self.addCleanup(holder.close)
        mqtt, http, health = (holder.getsockname()[1] for holder in holders)
        with tempfile.TemporaryDirectory() as folder:
            told = self.run_cli("up", "--data", folder + "/d", "--mqtt-port", str(mqtt), "--http-port", str(http),
                                "--health-port", str(health), "--no-console", "--set", "mqtt.webSocketPort=0")
        self.assertEqual(told.returncode, 1, told)
        self.assertIn(f"error LL1003  ports {mqtt}, {http}, {health} are taken", told.stderr)
        for port in (mqtt, http, health):
            self.assertRegex(told.stderr, rf"port {port} is taken by \S+ \(pid {os.getpid()}\)")
        self.assertRegex(told.stderr, r"(?m)^  do    lamplighter up --mqtt-port 0 --http-port 0 --health-port 0 +any free ports$")
        self.assertEqual(told.stderr.count(f"kill {os.getpid()}"), 1)

    def test_the_banner_is_on_standard_output_and_shows_no_key_without_a_terminal(self):
        service = Service()
        self.addCleanup(service.close)
        shown = pathlib.Path(service.data).parent / "shown"
        with shown.open("wb") as output:
            process = subprocess.Popen(service.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=service.log,
                                       env=service.environment)
        try:
            text = eventually(lambda: (found := shown.read_text()) and "Trouble: " in found and found, 60, "the banner")
        finally:
            process.terminate()
            process.wait(30)
        self.assertRegex(text, r"(?m)^ready in [0-9.]+ s$")
        self.assertNotIn("Ctrl-C", text)


    def test_a_misspelled_command_gets_a_suggestion(self):
        for arguments, meant in (
            (("upp",), "up"), (("devise",), "device"), (("device", "lst"), "device list"),
            (("user", "exprot", "u-1"), "user export"), (("operator", "tokn"), "operator token"),
            (("simulat", "--app"), "simulate"),
        ):
            with self.subTest(arguments=arguments):
                done = self.run_cli(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"did you mean {meant.split()[-1]}?", done.stderr)
                self.assertRegex(done.stderr, rf"(?m)^  do    lamplighter {meant} ")

    def commands(self):
        """Returns the path of each command that the help shows, and the parser's description of this command."""
        top = json.loads(self.run_cli("--experimental-dump-help").stdout)["command"]

        def walk(command, path):
            for sub in command.get("subcommands", []):
                if sub["commandName"] != "help" and sub.get("shouldDisplay", True):
                    yield [*path, sub["commandName"]], sub
                    yield from walk(sub, [*path, sub["commandName"]])

        return list(walk(top, []))

    def test_each_help_has_a_valid_example(self):
        found = self.commands()
        self.assertGreater(len(found), 50)
        for path, command in found:
            with self.subTest(command=path):
                lines = [line for line in command.get("discussion", "").splitlines()
                         if line.startswith("lamplighter ")]
                self.assertTrue(lines, "no example")
                for line in lines:
                    words = shlex.split(line.partition("   ")[0].partition(" > ")[0].partition(" | ")[0])[1:]
                    # With --help at the end, the program checks only the names of commands. Therefore, the test itself
                    # checks that the options exist.
                    done = self.run_cli(*words, "--help")
                    self.assertEqual(done.returncode, 0, line)
                    options = {word for word in words if word.startswith("--")}
                    for option in options:
                        self.assertIn(option, done.stdout, line)

    def test_common_options_are_in_one_group(self):
        for path in (("device", "list"), ("up",), ("user", "erase")):
            with self.subTest(command=path):
                text = self.run_cli(*path, "--help").stdout
                self.assertEqual(text.count("COMMON OPTIONS:"), 1, text)
                group = text.partition("COMMON OPTIONS:")[2].partition("\n\n")[0]
                for option in ("--data", "--config", "--set", "--json"):
                    self.assertIn(option, group)

    def test_colour_is_used_only_on_terminals_and_not_with_no_color(self):
        for environment, is_red in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
            with self.subTest(environment=environment):
                ours, theirs = pty.openpty()
                subprocess.run(
                    [str(BINARY), "upp"], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, timeout=30,
                    env={**{k: v for k, v in ENVIRONMENT.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment})
                os.close(theirs)
                told = os.read(ours, 65536).decode()
                os.close(ours)
                self.assertEqual("\x1b[1;31merror\x1b[0m LL1105" in told, is_red, told)
                self.assertEqual("\x1b" in told, is_red)
        self.assertNotIn("\x1b", self.run_cli("upp").stderr)


class Starting(OwnWorld):
    def test_up_prints_one_object_when_it_is_ready(self):
        service = self.own.service
        secrets = [service.ready["service"]["password"], service.ready["demo"]["appSecret"],
                   service.ready["demo"]["productSecret"]]
        service.stop()
        process = subprocess.Popen(
            [*service.command(), "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=service.environment)
        try:
            line = process.stdout.readline()
            ready = json.loads(line)
            whole = json.loads((service.data / "ready.json").read_text())
            self.assertEqual(ready["pid"], process.pid)
            for name in ("mqttPort", "httpPort", "healthPort", "pid"):
                self.assertEqual(ready[name], whole[name])
            self.assertEqual(ready["demo"], {k: whole["demo"][k] for k in ("appId", "productKey")})
        finally:
            process.send_signal(signal.SIGTERM)
            out, told = process.communicate(timeout=30)
        self.assertEqual(out, "", "one line, and no more")
        self.assertNotIn("ready in", told, "no banner")
        for secret in secrets:
            self.assertNotIn(secret, line + told)

    def test_serve_says_once_that_it_waits_for_its_broker(self):
        service = self.own.service
        service.stop()
        process = subprocess.Popen(
            [str(BINARY), "serve", "--data", str(service.data), "--mqtt-port", str(free_port()), "--http-port", "0",
             "--health-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=service.environment)
        time.sleep(4)
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate(timeout=30)
        self.assertEqual(told.count("Waiting for the broker at 127.0.0.1:"), 1, told)
        self.assertNotIn("The worker restarts", told)


class Rows(EndToEnd):
    def test_lists_are_shown_as_tables_and_as_json(self):
        device = self.device()
        device.publish(f"{device.base}/report", b"nonsense")
        device.report(data={"power": True})
        for command in (("product", "list"), ("app", "list"), ("device", "list"), ("deadletter", "list")):
            with self.subTest(command=command):
                json.loads(self.world.service.cli(*command, "--json").stdout)
                self.assertTrue(self.world.service.cli(*command).stdout.strip())

    def test_a_page_mentions_the_next_page_only_if_there_is_one(self):
        for _ in range(3):
            self.device(EASY, connect=False)
        words = ("device", "list", "--product", EASY["productKey"], "--limit")
        dids = [row["did"] for row in self.world.service.json(*words, "1000")["items"]]
        for limit, more, told in (
            (2, (), f"2 of {len(dids)}; next page: --after {dids[1]}"), (len(dids), (), ""), (1000, (), ""),
            (1, ("--after", dids[-2]), ""), (10, ("--after", dids[-1]), ""),
        ):
            with self.subTest(limit=limit, more=more):
                self.assertEqual(self.world.service.cli(*words, str(limit), *more).stderr.strip(), told)
        device = self.device()
        for _ in range(2):
            device.publish(f"{device.base}/report", b"nonsense")
        words = ("deadletter", "list", "--limit")
        letters = eventually(lambda: (rows := self.world.service.json(*words, "10000")["items"])[1:] and rows)
        self.assertIn("1 of ", said := self.world.service.cli(*words, "1").stderr)
        self.assertIn("; next page: --before ", said)
        oldest = str(letters[-1]["id"])
        self.assertEqual(self.world.service.cli(*words, "1", "--before", oldest).stderr.strip(), "")

    def test_a_device_is_shown_without_its_secret(self):
        device = self.device()
        device.report(data={"power": True})
        shown = self.world.service.cli("device", "show", device.did, "--json").stdout
        self.assertIn(device.did, shown)
        self.assertNotIn(device.secret, shown)
        self.assertNotIn(device.passcode, json.dumps(json.loads(shown)).replace(device.mac, ""))

    def test_a_device_forgotten_is_cut_off(self):
        device, terminal = self.pair()
        self.world.service.cli("device", "forget", device.did, "--yes")
        device.wait_lost()
        self.assertError(terminal.fail("device/status", {"did": device.did}), "NotBound")

    def test_forgetting_a_device_shows_the_consequences_and_needs_a_confirmation(self):
        device, terminal = self.pair()
        device.report(data={"power": True})
        command = ("device", "forget", device.did)
        for more in ((), ("--json",)):
            with self.subTest(more=more):
                done = self.world.service.cli(*command, *more, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn("--yes", done.stderr)
                self.assertIn(terminal.uid, done.stdout)
        told = json.loads(done.stdout)
        self.assertEqual((told["forgotten"], told["users"], told["schedules"]), (False, [terminal.uid], 0))
        self.assertIn("would forget " + device.did, self.world.service.cli(*command, check=False).stdout)
        self.assertIn(f"Forget {device.did}?", self.answered(command, "n\n"))
        self.assertTrue(terminal.ask("device/status", {"did": device.did})["ok"])
        self.answered(command, "y\n", code=0)
        device.wait_lost()
        self.assertError(terminal.fail("device/status", {"did": device.did}), "NotBound")

    def answered(self, command, answer, code=2):
        """Runs a command on a terminal, answers its question, and returns its output."""
        ours, theirs = pty.openpty()
        os.write(ours, answer.encode())
        done = subprocess.run(
            [str(BINARY), *command, "--data", str(self.world.service.data)],
            stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, timeout=30, env=self.world.service.environment)
        os.close(theirs)
        told = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(done.returncode, code, told)
        return told

    def test_a_dead_letter_can_be_dropped(self):
        device = self.device()
        self.world.watcher.clear()
        device.publish(f"{device.base}/report", b"nonsense")
        id = self.world.watcher.expect(
            "/system/dead-letter", lambda b: b["topic"] == f"{device.base}/report").body["id"]
        self.world.service.cli("deadletter", "drop", str(id))
        self.assertNotIn(id, [row["id"] for row in self.world.service.dead_letters()])
        for words in (("drop", str(id)), ("drop", str(id), "999999"), ("show", str(id)), ("replay", str(id))):
            done = self.world.service.cli("deadletter", *words, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("error LL1203", done.stderr)

    def test_a_dead_letter_can_be_replayed_after_its_cause_is_gone(self):
        key = fresh_mac() + fresh_mac() + "0" * 8
        narrow = {**LAMP, "productKey": key, "dataPoints": LAMP["dataPoints"][:1]}
        secret = self.world.service.import_document("product", narrow)["productSecret"]
        self.world.secrets[key] = secret
        device = self.device(narrow)
        self.world.watcher.clear()
        device.publish(f"{device.base}/report", {"data": {"mode": "white"}})
        id = self.world.watcher.expect(
            "/system/dead-letter", lambda b: b["topic"] == f"{device.base}/report").body["id"]
        self.world.service.import_document("product", {**LAMP, "productKey": key})
        self.world.service.cli("deadletter", "replay", str(id))
        app = {"appId": "replay-app", "name": "Replay", "products": "all"}
        made = self.world.service.import_document("app", app)
        self.world.apps["replay-app"] = {**app, "secret": made["secret"]}
        terminal = self.terminal("replay-app")
        terminal.bind(device)
        terminal.status(device, lambda b: b["data"].get("mode") == "white")

    def test_workers_announce_that_they_are_up(self):
        late = self.keep(self.world.tool("workers"))
        self.assertEqual(late.connect(), 0)
        late.subscribe(f"{TOPICS}/system/worker/+")
        for name in ("status", "control", "account", "session", "schedule", "scheduler"):
            message = late.expect(f"/worker/{name}")
            self.assertTrue(message.retain and message.body["online"])

    def test_doctor_and_config(self):
        self.assertEqual(self.world.service.doctor(), [])
        printed = self.world.service.cli("config").stdout
        self.assertTrue(printed.strip())
        self.assertNotIn(self.world.service.ready["service"]["password"], printed)


if __name__ == "__main__":
    unittest.main()
