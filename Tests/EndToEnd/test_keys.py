"""Over MQTT, a maker's server acts for users within its key's scopes and lifetime."""

import json
import subprocess
import time
import unittest

from client import Terminal, fresh_id
from console import Console
from harness import SECOND, TOPICS, eventually
from world import World, shared



class Server(Terminal):
    """A maker's server that uses its key as its password and as the token of its requests."""

    def __init__(self, port, made, key=None, **more):
        super().__init__(port, made["appId"], key or made["key"], made["terminalId"], **more)
        self.key_id, self.token = made["keyId"], key or made["key"]


class Keys(unittest.TestCase):
    def setUp(self):
        self.world = shared()
        self.user = self.world.terminal()
        self.lamp = self.world.device()
        self.user.bind(self.lamp)

    def key(self, *scopes, app="test-app", **more):
        """Makes a key; returns the command's answer."""
        options = [word for name, value in more.items() for word in (f"--{name}", str(value))]
        return self.command("add", fresh_id("server"), "--app", app, "--scope", *scopes, *options)

    def command(self, *arguments):
        return self.world.service.json("key", *arguments)

    def server(self, *scopes, **more):
        return Server(self.world.port, self.key(*scopes), **more).come()

    def test_a_key_acts_for_the_user_that_it_names(self):
        server = self.server("device", "home", "account")
        self.assertEqual([row["did"] for row in server.get("device/list", uid=self.user.uid)["devices"]], [self.lamp.did])
        self.assertEqual(server.get("account/whoami", uid=self.user.uid)["user"]["uid"], self.user.uid)
        server.get("home/create", {"name": "Hut"}, uid=self.user.uid)
        self.assertEqual(len(self.user.get("home/list")["homes"]), 1)
        stranger = self.world.terminal()
        self.assertEqual(server.get("device/list", uid=stranger.uid)["devices"], [])
        self.assertEqual(server.fail("device/status", {"did": self.lamp.did}, uid=stranger.uid)["code"], "NotBound")

    def test_its_commands_name_it(self):
        made = self.key("device")
        server = Server(self.world.port, made).come()
        server.send("device/control", {"did": self.lamp.did, "data": {"power": True}}, "c", uid=self.user.uid)
        command = self.lamp.command().body
        self.assertEqual(command["actor"], {"kind": "service", "id": made["name"]})
        self.lamp.report(cid=command["cid"], code=0, data={"power": True})
        self.assertTrue(server.answer("device/control", "c")["ok"])
        status = self.user.status(self.lamp, lambda s: s["data"].get("power") is True)
        self.assertEqual(status["actor"], command["actor"])

    def test_the_user_is_required_and_must_be_the_apps(self):
        server = self.server("device:read")
        other = self.world.terminal("other-app")
        for uid, code in ((None, "InvalidRequest"), (other.uid, "ResourceNotFound"), ("u-nobody", "ResourceNotFound")):
            error = server.fail("device/list", uid=uid)
            self.assertEqual((error["code"], error["field"]), (code, "uid"))

    def test_methods_outside_the_scopes_are_refused(self):
        server = self.server("device:read", "account")
        server.get("device/status", {"did": self.lamp.did}, uid=self.user.uid)
        for method, params in (
                ("device/control", {"did": self.lamp.did, "data": {"power": True}}), ("home/list", {}), ("share/list", {}),
                ("session/list", {}), ("session/refresh", {}), ("account/logout", {}), ("account/checkPassword", {}),
                ("account/cancel", {})):
            with self.subTest(method=method):
                self.assertEqual(server.fail(method, params, uid=self.user.uid)["code"], "Forbidden")
        for method in ("account/loginAnonymous", "account/login", "account/sendCode", "app/info"):
            with self.subTest(method=method):
                self.assertEqual(server.fail(method, {"countryCode": "49"}, uid=self.user.uid)["code"], "Forbidden")

    def test_a_repetition_has_one_effect(self):
        server = self.server("home")
        for _ in range(2):
            self.assertTrue(server.ask("home/create", {"name": "Once"}, id="same", uid=self.user.uid)["ok"])
        self.assertEqual(len(self.user.get("home/list")["homes"]), 1)

    def test_the_key_is_valid_only_on_its_terminal(self):
        made = self.key("device")
        self.user.token, own = made["key"], self.user.token
        self.assertEqual(self.user.fail("device/list", uid=self.user.uid)["code"], "InvalidToken")
        self.user.token = own
        server = Server(self.world.port, made).come()
        server.token = own
        self.assertEqual(server.fail("device/list")["code"], "InvalidToken")
        self.assertEqual(server.subscribe(f"{TOPICS}/user/{self.user.uid}/#"), 0x87)

    def test_the_apps_secret_never_connects_on_its_terminal(self):
        made = self.key("device")
        app_secret = self.world.apps["test-app"]["secret"]
        stranger = Terminal(self.world.port, "test-app", app_secret, made["terminalId"])
        self.assertNotEqual(stranger.connect(), 0)
        self.command("revoke", made["keyId"])
        self.assertNotEqual(stranger.connect(), 0)
        self.assertNotEqual(Server(self.world.port, made).connect(), 0)

    def test_a_rotated_keys_old_secret_works_until_the_new_one_is_used(self):
        made = self.key("device")
        server = Server(self.world.port, made).come()
        new = self.command("rotate", made["keyId"])["key"]
        server.get("device/list", uid=self.user.uid)
        server.close()
        server = Server(self.world.port, made).come()
        server.close()
        # The client connects with the new secret as its password before any request contains the new secret.
        newer = Server(self.world.port, made, new).come()
        newer.token = made["key"]
        eventually(lambda: newer.ask("device/list", uid=self.user.uid).get("error", {}).get("code") == "InvalidToken")
        newer.token = new
        newer.get("device/list", uid=self.user.uid)
        newer.close()
        self.assertNotEqual(Server(self.world.port, made).connect(), 0)

    def test_a_request_with_the_new_secret_ends_the_old_one_too(self):
        made = self.key("device")
        server = Server(self.world.port, made).come()
        new = self.command("rotate", made["keyId"])["key"]
        server.token = new
        server.get("device/list", uid=self.user.uid)
        server.token = made["key"]
        self.assertEqual(server.fail("device/list", uid=self.user.uid)["code"], "InvalidToken")

    def test_revocation_cuts_the_connection_within_a_second(self):
        server = self.server("device")
        lines = self.world.service.running("key", "revoke", server.key_id, stdout=subprocess.PIPE)
        lines.stdout.readline()
        revoked = time.monotonic()
        server.wait_lost(10)
        self.assertLess(time.monotonic() - revoked, SECOND)
        self.assertEqual(lines.wait(10), 0)
        again = self.command("list")["items"]
        [row] = [row for row in again if row["keyId"] == server.key_id]
        self.assertIn("endedAt", row)

    def test_commands_refuse_invalid_input(self):
        made = self.key("device:read", "home", days=30)
        self.assertTrue(made["key"].startswith("llk_"))
        self.assertEqual(made["scopes"], ["device:read", "home"])
        self.assertAlmostEqual(made["expiresAt"], made["createdAt"] + 30 * 86_400_000, delta=1000)
        rows = self.command("list", "--app", "test-app")["items"]
        self.assertIn(made["keyId"], [row["keyId"] for row in rows])
        self.assertNotIn(made["key"], json.dumps(rows))
        for arguments, words in (
                (("add", made["name"], "--app", "test-app", "--scope", "device"), "has a key"),
                (("add", "x", "--app", "nowhere", "--scope", "device"), "there is no app nowhere"),
                (("add", "x", "--app", "test-app", "--scope", "session"), "The scopes are"),
                (("add", "x y", "--app", "test-app", "--scope", "device"), "letters"),
                (("rotate", "k-none"), "there is no key k-none"), (("revoke", "k-none"), "there is no key k-none")):
            done = self.world.service.cli("key", *arguments, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)

    def test_the_audit_trail_has_each_action_without_the_secret(self):
        made = self.key("device")
        new = self.command("rotate", made["keyId"])["key"]
        self.command("revoke", made["keyId"])
        service, name = self.world.service, fresh_id("reader")
        service.cli("operator", "add", name, "--role", "admin")
        token = service.json("operator", "token", name, "--label", "tests")["token"]
        rows = Console(service, token).get("/audit?limit=200").json["items"]
        found = [row for row in rows if row.get("subject") == f"key {made['keyId']}"]
        self.assertEqual([row["act"] for row in found], ["revokeKey", "rotateKey", "addKey"])
        for secret in (made["key"], new):
            self.assertNotIn(secret, json.dumps(rows))


class Full(unittest.TestCase):
    def test_an_app_has_a_limited_number_of_keys(self):
        world = World(watch=False, settings=["--set", "limits.keysPerApp=1"])
        self.addCleanup(world.close)
        add = ("key", "add", "--app", "test-app", "--scope", "device", "--set", "limits.keysPerApp=1", "--json")
        made = json.loads(world.service.cli(*add, "one").stdout)
        full = world.service.cli(*add, "two", check=False)
        self.assertNotEqual(full.returncode, 0)
        self.assertIn("has 1 keys", full.stdout + full.stderr)
        world.service.cli("key", "revoke", made["keyId"])
        world.service.cli(*add, "two")
