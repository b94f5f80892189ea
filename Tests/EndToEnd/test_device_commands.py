"""lamplighter device show, control, watch and history export: an operator's view of one device."""

import csv
import io
import json
import subprocess
import tempfile
import threading
import unittest

from client import now
from world import FREE, EndToEnd


class Operator(EndToEnd):
    def cli(self, *arguments, code=0):
        done = self.world.service.cli(*arguments, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def test_a_command_of_an_operator_and_its_outcome(self):
        device, terminal = self.pair()
        box = {}

        def obey():
            box["command"] = device.command(30).body
            device.report(cid=box["command"]["cid"], data={"power": True})
        thread = threading.Thread(target=obey)
        thread.start()
        shown = json.loads(self.cli("device", "control", device.did, "power=true", "--json").stdout)
        thread.join()
        self.assertEqual((shown["state"], shown["data"]), ("done", {"power": True}))
        self.assertEqual(box["command"]["actor"]["kind"], "operator")
        self.assertEqual(terminal.status(device, lambda b: b["data"])["actor"]["kind"], "operator")
        shown = json.loads(self.cli("device", "show", device.did, "--json").stdout)
        self.assertEqual([c["state"] for c in shown["commands"]], ["done"])
        self.assertIn("COMMAND", self.cli("device", "show", device.did).stdout)

    def test_refused_commands_have_a_reason(self):
        device = self.device()
        for value in ("power=5", "temperature=1", "colour=red"):
            said = self.cli("device", "control", device.did, value, code=1).stderr
            self.assertIn("error LL", said)
        device.close()
        self.world.watcher.expect(f"/system/presence/{device.did}", lambda b: not b["online"])
        said = self.cli("device", "control", device.did, "power=true", "--json", code=1)
        self.assertIn("--queue", said.stdout + said.stderr)
        queued = json.loads(self.cli("device", "control", device.did, "power=true", "--queue", "--json").stdout)
        self.assertEqual(queued["state"], "queued")
        self.keep(device.come())
        self.assertEqual(device.command().body["data"], {"power": True})

    def test_the_settings_limit_the_waiting_commands(self):
        device = self.device(connect=False)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("limits:\n  queuedCommands: 1\n")
            file.flush()
            given = ("device", "control", device.did, "power=true", "--queue", "--config", file.name)
            self.cli(*given)
            said = self.cli(*given, code=1).stderr
            self.assertIn("Too many commands are waiting", said)
            self.assertIn("limits.queuedCommands", said)

    def test_texts_by_the_product_need_no_quotes(self):
        device = self.device(connect=False)
        for given, meant in (("label=0042", "0042"), ('label="0042"', "0042"), ("label=true", "true"),
                             ("mode=white", "white"), ("count=42", 42)):
            queued = json.loads(self.cli("device", "control", device.did, given, "--queue", "--json").stdout)
            self.assertEqual(queued["data"], {given.split("=")[0]: meant})
        said = self.cli("device", "control", device.did, "power=0042", "--queue", code=1).stderr
        self.assertIn(str(self.world.service.data), said, "a cure is a command that works as it stands")

    def test_a_name_given_twice_and_null_are_usage_errors(self):
        device = self.device(connect=False)
        for given in (("brightness=50", "brightness=55"), ("power=null",)):
            for more in ((), ("--queue",)):
                said = self.cli("device", "control", device.did, *given, *more, code=2).stderr
                self.assertIn("error LL1105", said)
                self.assertIn(given[0].split("=")[0], said)

    def test_control_characters_in_names_do_not_reach_the_terminal(self):
        device = self.device(FREE)
        name = "a\x1b[2J\u009b1mb\u202ec"
        device.report(data={name: name}, alerts=[{"name": name}])
        shown = self.cli("device", "show", device.did).stdout
        for character in "\x1b\u009b\u202e":
            self.assertNotIn(character, shown)
        self.assertIn("a\\u001b[2J\\u009b1mb\\u202ec", shown)
        printed = self.cli("device", "show", device.did, "--json").stdout
        self.assertNotIn("\u009b", printed)
        self.assertEqual(self.world.service.device(device.did)["data"], {name: name})

    def test_watching_a_device(self):
        device = self.device()
        self.cli("device", "watch", device.did, "--count", "0", code=2)
        process = self.world.service.running(
            "device", "watch", device.did, "--count", "2", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stderr.readline()
        for count in range(200):
            device.report(data={"count": count})
            if process.poll() is not None:
                break
        out, _ = process.communicate(timeout=20)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(lines), 2)
        self.assertLessEqual({line["what"] for line in lines}, {"report", "response"})

    def test_history_as_lines_and_as_a_table(self):
        device = self.device()
        start = now()
        device.report(reports=[{"ts": start + i, "data": {"count": i, "label": 'a,"b'}} for i in range(30)])
        done = self.cli("history", "export", device.did)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r["data"]["count"] for r in rows], list(range(30)))
        self.assertIn("30 records", done.stderr)
        table = list(csv.DictReader(io.StringIO(self.cli("history", "export", device.did, "--format", "csv").stdout)))
        self.assertEqual((table[7]["ts"], table[7]["count"], table[7]["label"]), (str(start + 7), "7", 'a,"b'))
        part = self.cli("history", "export", device.did, "--from", str(start + 3), "--to", str(start + 5)).stdout
        self.assertEqual(len(part.splitlines()), 2)
        self.cli("history", "export", "d-0000000000000", code=1)
        self.assertIn("--from takes", self.cli("history", "export", device.did, "--from", "soon", code=2).stderr)
        self.cli("history", "export", device.did, "--from", "2", "--to", "1", code=2)

    def test_a_table_of_history_has_each_column_once_and_no_formulas(self):
        device = self.device(FREE)
        texts = {name: f"{name}1" for name in ("=a", "@b", "+c", "-d", "\te", "\rf", "plain")}
        device.report(data={"ts": 5, "binary": "own", "data.ts": 6, "minus": -7, **texts}, binary="+/8=")
        table = list(csv.reader(io.StringIO(
            self.cli("history", "export", device.did, "--format", "csv").stdout, newline="")))
        self.assertEqual(len(table[0]), len(set(table[0])), table[0])
        rows = [dict(zip(table[0], line)) for line in table[1:]]
        self.assertIn("+/8=", [row["binary"] for row in rows])
        row = next(row for row in rows if row["data.ts"])
        self.assertTrue(row["ts"].isdigit())
        self.assertEqual((row["data.ts"], row["data.binary"], row["data.data.ts"]), ("5", "own", "6"))
        self.assertEqual(row["minus"], "-7", "a number is none to guard against")
        for name, text in texts.items():
            guard = "" if name == "plain" else "'"
            # The pipe is read as text, in which every end of line is a line feed.
            self.assertEqual(row[(guard + name).replace("\r", "\n")], (guard + text).replace("\r", "\n"))


if __name__ == "__main__":
    unittest.main()
