"""Any malformed message becomes a dead letter with a reason, and blocks no other messages."""

import json
import unittest

import client as clients
from client import Client, fresh_id, fresh_mac
from harness import TOPICS
from world import FREE, LAMP, EndToEnd


def deep(levels, inner="1"):
    return "[" * levels + inner + "]" * levels


BAD = [
    ("not JSON", b"hello"),
    ("nothing", b""),
    ("half of it", b'{"data":{"power":tr'),
    ("two values", b'{"data":{}} {"data":{}}'),
    ("trailing comma", b'{"data":{"power":true,}}'),
    ("single quotes", b"{'data':{'power':true}}"),
    ("a comment", b'{"data":{}/*x*/}'),
    ("no object", b'[{"data":{}}]'),
    ("a text", b'"data"'),
    ("null", b"null"),
    ("not UTF-8", b'{"data":{"label":"\xff\xfe"}}'),
    ("overlong UTF-8", b'{"data":{"label":"\xc0\xaf"}}'),
    ("a surrogate in UTF-8", b'{"data":{"label":"\xed\xa0\x80"}}'),
    ("a byte order mark", b'\xef\xbb\xbf{"data":{}}'),
    ("wrong type", b'{"data":5}'),
    ("depth 200", b'{"x":' + deep(200).encode() + b',"data":{"power":true}}'),
    ("depth 30,000", b'{"x":' + deep(30000).encode() + b',"data":{"power":true}}'),
    ("depth 30,000 unclosed", b'{"x":' + b"[" * 30000),
    ("duplicate keys", b'{"data":{"power":true},"data":{"power":false}}'),
    ("duplicate keys within", b'{"data":{"power":true,"power":false}}'),
    ("duplicate keys by escape", b'{"data":{"power":true,"p\\u006fwer":false}}'),
    ("NaN", b'{"data":{"temperature":NaN}}'),
    ("Infinity", b'{"data":{"temperature":Infinity}}'),
    ("1e400", b'{"data":{"temperature":1e400}}'),
    ("-1e400", b'{"data":{"temperature":-1e400}}'),
    ("a lone high surrogate", b'{"data":{"label":"\\ud800"}}'),
    ("a lone low surrogate", b'{"data":{"label":"\\udc00x"}}'),
    ("surrogates the wrong way round", b'{"data":{"label":"\\udc00\\ud800"}}'),
    ("2^53", b'{"data":{"count":9007199254740992}}'),
    ("-2^53", b'{"data":{"count":-9007199254740992}}'),
    ("twenty digits", b'{"data":{"count":12345678901234567890}}'),
    ("NUL in a name", b'{"data":{"po\\u0000wer":true}}'),
    ("NUL in a value", b'{"data":{"label":"a\\u0000b"}}'),
    ("a raw NUL", b'{"data":{"label":"a\x00b"}}'),
    ("a raw newline in a text", b'{"data":{"label":"a\nb"}}'),
    ("leading zero", b'{"data":{"count":01}}'),
    ("a plus", b'{"data":{"count":+1}}'),
    ("hex", b'{"data":{"count":0x10}}'),
    ("a bad escape", b'{"data":{"label":"\\x41"}}'),
    ("64 KiB of nothing", b" " * 65536),
    ("nothing in it", b"{}"),
    ("an alert without a name", b'{"alerts":[{}]}'),
    ("an unknown attribute", b'{"data":{"colour":"red"}}'),
]


class Reports(EndToEnd):
    def test_each_is_a_dead_letter_with_its_reason_and_valid_reports_pass(self):
        device, terminal = self.pair()
        topic = f"{device.base}/report"
        watcher = self.world.watcher
        ids = {}
        for index, (why, payload) in enumerate(BAD):
            with self.subTest(why=why):
                watcher.clear()
                device.publish(topic, payload)
                good = device.report(data={"count": index})
                self.assertEqual(good["version"], index + 1, "the neighbour counts, the bad one does not")
                told = watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic, 5).body
                self.assertGreater(len(told["reason"]), 3, told)
                ids[told.get("id")] = why
        rows = {row["id"]: row for row in self.world.service.dead_letters()}
        for id, why in ids.items():
            with self.subTest(row=why):
                self.assertIn(id, rows)
                self.assertEqual(rows[id]["topic"], topic)
                self.assertTrue(rows[id]["reason"])

    def test_more_than_64_KiB_is_refused_and_64_KiB_is_taken(self):
        device = self.device()

        def padded(size, id):
            body = json.dumps({"id": id, "data": {"power": True}, "x": ""})
            return body[:-2] + "y" * (size - len(body)) + body[-2:]

        device.publish(f"{device.base}/report", padded(65536, "whole"))
        self.assertTrue(device.response("whole")["ok"])
        self.world.watcher.clear()
        code = device.publish(f"{device.base}/report", padded(65537, "more"))
        if code < 0x80:
            self.world.watcher.expect(
                "/system/dead-letter", lambda b: b["topic"] == f"{device.base}/report", 5)
        self.assertTrue(device.report(data={"power": True})["ok"])
        self.assertEqual([m for m in device.everything if m.body.get("id") == "more" and m.body["ok"]], [])

    def test_16_levels_are_accepted_and_more_are_refused(self):
        device = self.device(FREE)
        topic = f"{device.base}/report"
        # The message object and its `data` object already count as two levels.
        device.publish(topic, '{"id":"d16","data":{"a":%s}}' % deep(14))
        self.assertTrue(device.response("d16")["ok"])
        self.world.watcher.clear()
        device.publish(topic, '{"id":"d17","data":{"a":%s}}' % deep(15))
        self.world.watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic)

    def test_a_message_with_an_id_is_answered(self):
        device = self.device()
        for body in ({"data": 5}, {}, {"data": {"colour": "red"}}, {"ts": "x", "data": {}}):
            with self.subTest(body=body):
                self.assertError(device.report(**body), "InvalidRequest")

    def test_numbers_at_the_limits_are_accepted(self):
        device, terminal = self.pair()
        topic = f"{device.base}/report"
        for id, text in (("n1", "9007199254740991"), ("n2", "-9007199254740991"), ("n3", "0"), ("n4", "1e3"), ("n5", "5.0")):
            with self.subTest(text=text):
                device.publish(topic, '{"id":"%s","data":{"count":%s}}' % (id, text))
                self.assertTrue(device.response(id)["ok"])
                self.assertEqual(
                    terminal.get("device/status", {"did": device.did})["data"]["count"], float(text))

    def test_escapes_and_surrogate_pairs_are_accepted(self):
        device, terminal = self.pair()
        device.publish(f"{device.base}/report", b'{"id":"e1","data":{"label":"\\ud83d\\ude00\\u00e4\\n\\/"}}')
        self.assertTrue(device.response("e1")["ok"])
        self.assertEqual(terminal.get("device/status", {"did": device.did})["data"]["label"], "😀ä\n/")

    def test_one_in_a_hundred_affects_no_other(self):
        device, terminal = self.pair()
        total, ahead = 300, 100  # at most 200 answers can wait for a device
        for i in range(total):
            if i >= ahead:
                self.assertEqual(device.response(f"b{i - ahead}", 20)["version"], i - ahead + 1)
            if i % 100 == 50:
                device.publish(f"{device.base}/report", b"garbage", wait=False)
            device.publish(f"{device.base}/report", {"id": f"b{i}", "data": {"count": i}}, wait=False)
        for i in range(total - ahead, total):
            self.assertEqual(device.response(f"b{i}", 20)["version"], i + 1)


class Others(EndToEnd):
    def test_unknown_devices_and_odd_topics(self):
        watcher = self.world.watcher
        for topic in ("device/d-00000000000ff/report", "device//report", "device/d-x/presence",
                      "device/d-00000000000ff/info", "product/x/y/register", "product///register"):
            with self.subTest(topic=topic):
                watcher.clear()
                watcher.publish(f"{TOPICS}/{topic}", {"data": {"power": True}, "online": True})
                told = watcher.expect("/system/dead-letter", lambda b: b["topic"] == f"{TOPICS}/{topic}", 5)
                self.assertTrue(told.body["reason"])

    def test_odd_requests(self):
        watcher = self.world.watcher
        for topic in ("app///request/account/whoami", "app/test-app/nobody/request/account/whoami",
                      "app//x/request/device/list"):
            with self.subTest(topic=topic):
                watcher.clear()
                watcher.publish(f"{TOPICS}/{topic}", b"nonsense")
                watcher.expect("/system/dead-letter", lambda b: b["topic"] == f"{TOPICS}/{topic}", 5)

    def test_unreadable_requests(self):
        terminal = self.terminal()
        watcher = self.world.watcher
        for method in ("account/whoami", "device/list", "session/list", "nonsense/x"):
            topic = f"{terminal.base}/request/{method}"
            for why, payload in BAD[:9] + BAD[15:19]:
                with self.subTest(method=method, why=why):
                    watcher.clear()
                    terminal.publish(topic, payload if b'"data"' not in payload or why != "duplicate keys" else
                                     b'{"id":"a","id":"b"}')
                    watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic, 5)
        terminal.get("account/whoami")

    def test_unreadable_presence_and_info_messages(self):
        device, terminal = self.pair()
        watcher = self.world.watcher
        for leaf in ("presence", "info"):
            for payload in (b"", b"x", b"[]", b'{"online":"yes","passcode":5}'):
                with self.subTest(leaf=leaf, payload=payload):
                    watcher.clear()
                    device.publish(f"{device.base}/{leaf}", payload)
                    watcher.expect("/system/dead-letter", lambda b: b["topic"] == f"{device.base}/{leaf}", 5)
        self.assertTrue(terminal.get("device/status", {"did": device.did})["online"])

    def test_unreadable_messages_of_services(self):
        watcher = self.world.watcher
        for topic, payload in (("system/session-invalid", b"x"), ("system/session-invalid", b"{}"),
                               ("system/presence/d-00000000000ff", b"x"), ("system/presence/", b"{}")):
            with self.subTest(topic=topic, payload=payload):
                watcher.clear()
                watcher.publish(f"{TOPICS}/{topic}", payload)
                watcher.expect("/system/dead-letter", lambda b: b["topic"] == f"{TOPICS}/{topic}", 5)
        # The watcher also receives its own bad messages, which count as violations.
        clients.violations.clear()

    def test_values_of_requests_and_registrations_are_not_stored(self):
        watcher, terminal = self.world.watcher, self.terminal()
        mac, secret = fresh_mac(), "do-not-keep-me-" + fresh_id()
        key = LAMP["productKey"]
        product = self.keep(Client(self.world.port, f"product:{key}", self.world.secrets[key], mac))
        product.connect()
        register = f"{TOPICS}/product/{key}/{mac}/register"
        request = f"{terminal.base}/request/account/whoami"
        device = self.device()
        info = f"{device.base}/info"
        for client, topic, body in (
                (product, register, {"mac": mac, "passcode": secret}),
                (terminal, request, {"token": secret, "params": {"password": secret}}),
                (device, info, {"passcode": secret * 3}),
                (device, info, b'{"passcode":"' + secret.encode() + b'"'),
                (terminal, request, b'{"token":"' + secret.encode() + b'"')):
            with self.subTest(topic=topic):
                watcher.clear()
                client.publish(topic, body)
                told = watcher.expect("/system/dead-letter", lambda b: b["topic"] == topic, 5).body
                self.assertNotIn(secret, json.dumps(told))
                shown = self.world.service.cli("deadletter", "show", str(told["id"]), "--json").stdout
                self.assertNotIn(secret, shown)
        files = [p for p in self.world.service.data.rglob("*") if p.is_file()]
        for path in files:
            self.assertNotIn(secret.encode(), path.read_bytes(), path.name)

    def test_a_report_in_the_dead_letters_keeps_its_payload(self):
        device = self.device()
        watcher = self.world.watcher
        watcher.clear()
        device.publish(f"{device.base}/report", b'{"data":{"colour":"crimson"}}')
        told = watcher.expect("/system/dead-letter", lambda b: b["topic"] == f"{device.base}/report").body
        shown = self.world.service.cli("deadletter", "show", str(told["id"]), "--json").stdout
        self.assertIn("crimson", shown)


if __name__ == "__main__":
    unittest.main()
