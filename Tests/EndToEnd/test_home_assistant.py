"""Home Assistant: links, discovery, states, commands, neighbours, a bridge."""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

from client import Client, Terminal, fresh_terminal
from cluster import OwnClusterOfClass
from harness import MOSQUITTO, SECOND, TOPICS, eventually, free_port
from homeassistant import HomeAssistant, client_id, space
from sharing import Sharing
from world import FREE, LAMP, OwnWorld, World

GOLDEN = pathlib.Path(__file__).with_name("discovery.json")


def answers(port):
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


class Linked(Sharing):
    def link(self, user, **more):
        return user.get("session/link", {"kind": "homeAssistant", **more})

    def home(self, user):
        """Returns a Home Assistant that the user has just linked."""
        return self.keep(HomeAssistant(self.world.port, self.link(user))).come()

    def linked(self, product=LAMP):
        """Returns a device, its user, and the user's Home Assistant, which has discovered the device."""
        lamp, user = self.pair(product)
        home = self.home(user)
        home.device(lamp.did)
        return lamp, user, home


class Links(Linked):
    def test_a_link_is_a_session(self):
        user = self.terminal()
        link = self.link(user, name="Hut")
        self.assertEqual(link["username"], f"ha:{link['sessionId']}")
        self.assertEqual((link["host"], link["port"], link["tls"]), ("127.0.0.1", self.world.port, False))
        rows = user.get("session/list")["sessions"]
        row = next(row for row in rows if row["sessionId"] == link["sessionId"])
        self.assertEqual((row["name"], row["platform"], row["current"]), ("Hut", "homeAssistant", False))
        [row] = [row for row in self.world.service.json("session", "list", user.uid)["items"] if row["sessionId"] == link["sessionId"]]
        self.assertEqual(row["platform"], "homeAssistant")
        self.assertIn("9999-01-01", self.world.service.cli("session", "list", user.uid).stdout)
        self.assertEqual(user.expect("/session", lambda b: b["type"] == "terminalLoggedIn" and b["terminalId"] == row["terminalId"])
                         .body["platform"], "homeAssistant")

    def test_an_unlinked_home_is_cut_off(self):
        lamp, user, home = self.linked()
        self.assertEqual(user.get("session/unlink", {"sessionId": home.link["sessionId"]}), {})
        home.wait_lost(SECOND)
        again = HomeAssistant(self.world.port, home.link)
        self.assertEqual(again.connect(), 5)
        tool = self.keep(self.world.tool("retained"))
        self.assertEqual(tool.connect(), 0)
        tool.subscribe(f"homeassistant/device/{home.link['sessionId']}/#")
        time.sleep(1)
        tool.unsubscribe(f"homeassistant/device/{home.link['sessionId']}/#")
        tool.clear()
        tool.subscribe(f"homeassistant/device/{home.link['sessionId']}/+/config")
        time.sleep(0.5)
        self.assertEqual(tool.unread("/config"), [], "the broker keeps nothing of an ended link")
        error = user.fail("session/unlink", {"sessionId": home.link["sessionId"]})
        self.assertError(error, "ResourceNotFound", "sessionId")

    def test_only_a_users_own_links_can_be_unlinked(self):
        user, other = self.terminal(), self.terminal()
        link = self.link(user)
        for asking, session in ((other, link["sessionId"]), (user, user.session_id), (user, "l-none")):
            self.assertError(asking.fail("session/unlink", {"sessionId": session}), "ResourceNotFound", "sessionId")
        self.assertError(user.fail("session/link", {"kind": "other"}), "InvalidRequest", "kind")

    def test_a_user_has_five_links(self):
        user = self.terminal()
        links = [self.link(user) for _ in range(5)]
        self.assertError(user.fail("session/link", {"kind": "homeAssistant"}), "Forbidden")
        user.get("session/unlink", {"sessionId": links[0]["sessionId"]})
        self.link(user)

    def test_the_password_works_nowhere_else(self):
        user = self.terminal()
        link = self.link(user)
        self.assertError(user.fail("account/whoami", token=link["password"]), "InvalidToken")
        terminal = link["sessionId"].removeprefix("l-")
        for secret in (link["password"], self.world.apps["test-app"]["secret"]):
            self.assertNotEqual(Terminal(self.world.port, "test-app", secret, terminal).connect(), 0)
        self.assertNotEqual(HomeAssistant(self.world.port, {**link, "password": user.token}).connect(), 0)
        ordinary = {"username": f"ha:{user.session_id}", "password": user.token}
        self.assertNotEqual(HomeAssistant(self.world.port, ordinary).connect(), 0)

    def test_the_client_id_has_22_letters_and_digits(self):
        link = self.link(self.terminal())
        for id in (client_id()[:21], client_id() + "a", "-" + client_id()[1:], fresh_terminal()):
            with self.subTest(id=id):
                self.assertNotEqual(Client(self.world.port, link["username"], link["password"], id, version=4).connect(), 0)

    def test_a_new_connection_ends_the_old(self):
        first = self.home(self.terminal())
        second = self.keep(HomeAssistant(self.world.port, first.link)).come()
        first.wait_lost(SECOND)
        self.assertTrue(second.connected)


class Discovery(Linked):
    def test_each_data_point_is_an_entity(self):
        lamp, user, home = self.linked()
        text = json.dumps(home.device(lamp.did), indent=2, ensure_ascii=False)
        mac = ":".join(lamp.mac[i:i + 2] for i in range(0, 12, 2))
        for value, name in ((home.link["sessionId"], "{sessionId}"), (lamp.did, "{did}"), (user.uid, "{uid}"),
                            (mac, "{mac}"), (lamp.mac[-4:], "{end}"), (TOPICS, "{root}")):
            text = text.replace(value, name)
        if os.environ.get("LAMPLIGHTER_WRITE_GOLDEN"):
            GOLDEN.write_text(text + "\n")
        self.assertEqual(json.loads(text), json.loads(GOLDEN.read_text()))

    def test_states_follow_the_device(self):
        lamp, user, home = self.linked()
        home.shows(lamp.did, "binary_sensor-online", "ON")
        self.assertEqual(home.state(lamp.did, "switch-data_power"), "unknown")
        self.assertEqual(home.state(lamp.did, "text-data_label"), "")
        lamp.report(data={"power": True, "brightness": 35, "mode": "colour", "temperature": 21.5, "label": "ü"})
        for key, state in (("switch-data_power", "ON"), ("number-data_brightness", "35"), ("select-data_mode", "colour"),
                           ("sensor-data_temperature", "21.5"), ("text-data_label", "ü"), ("number-data_count", "unknown"),
                           ("binary_sensor-alert_overheat", "OFF")):
            home.shows(lamp.did, key, state)
        lamp.report(alerts=[{"name": "overheat", "value": True}], data={"power": False})
        home.shows(lamp.did, "binary_sensor-alert_overheat", "ON")
        home.shows(lamp.did, "switch-data_power", "OFF")
        self.assertEqual(home.event(lamp.did, "alert")["name"], "overheat")
        lamp.close()
        home.shows(lamp.did, "binary_sensor-online", "OFF")
        self.assertEqual(home.state(lamp.did, "switch-data_power"), "unavailable")
        home.event(lamp.did, "offline")

    def test_a_later_home_gets_the_present_states(self):
        lamp, user = self.pair()
        lamp.report(alerts=[{"name": "smoke", "value": True}], data={"power": True})
        home = self.home(user)
        home.device(lamp.did)
        home.shows(lamp.did, "binary_sensor-alert_smoke", "ON")
        home.shows(lamp.did, "switch-data_power", "ON")

    def test_devices_appear_when_bound_and_disappear_when_unbound(self):
        user = self.terminal()
        home = self.home(user)
        lamp = self.device()
        user.bind(lamp)
        home.device(lamp.did)
        user.get("device/unbind", {"did": lamp.did})
        home.wait_gone(lamp.did)
        user.bind(lamp)
        home.device(lamp.did)
        self.world.service.cli("device", "forget", lamp.did, "--yes")
        home.wait_gone(lamp.did)

    def test_nothing_is_published_again_without_a_change(self):
        lamp, user, home = self.linked()
        other = self.device(FREE)
        user.bind(other)
        home.device(other.did)
        home.clear()
        self.link(user)  # the service then checks again what it has published for the user
        time.sleep(1)
        self.assertEqual(home.unread("/config"), [])

    def test_a_guest_with_read_access_has_sensors(self):
        lamp, owner = self.pair()
        guest = self.terminal()
        self.share(owner, lamp, guest, access="read")
        home = self.home(guest)
        components = home.device(lamp.did)["components"]
        self.assertEqual({key.split("-")[0] for key in components}, {"binary_sensor", "sensor", "event"})
        home.publish(f"{space(home.link)}/{lamp.did}/set", {"power": True})
        self.assertEqual(home.event(lamp.did, "refused")["reason"], "Forbidden")

    def test_odd_names_are_quoted(self):
        odd = {"productKey": "9d" * 16, "name": "Odd", "registration": "open", "dataPoints": [
            {"name": "a'b\"{{c}}%#\\ü 1", "access": "rw", "type": "int"}]}
        secret = fresh_terminal()
        self.world.service.import_document("product", {**odd, "productSecret": secret})
        self.world.secrets[odd["productKey"]] = secret
        app = self.world.apps["test-app"]
        self.world.import_app("test-app", {**app, "products": [*app["products"], odd["productKey"]]})
        lamp, user, home = self.linked(odd)
        name = odd["dataPoints"][0]["name"]
        lamp.report(data={name: 7})
        home.shows(lamp.did, f"number-data_{name}", "7")
        home.act(lamp.did, f"number-data_{name}", 9)
        self.assertEqual(lamp.command().body["data"], {name: 9})


class Commands(Linked):
    def test_home_assistant_commands_as_the_user(self):
        lamp, user, home = self.linked()
        for key, value, data in (
                ("switch-data_power", True, {"power": True}), ("number-data_brightness", 40, {"brightness": 40}),
                ("select-data_mode", "white", {"mode": "white"}), ("text-data_label", "a \"b\"", {"label": "a \"b\""}),
                ("text-data_pin", "1234", {"pin": "1234"})):
            with self.subTest(key=key):
                home.act(lamp.did, key, value)
                command = lamp.command().body
                self.assertEqual((command["data"], command["actor"]), (data, {"kind": "user", "id": user.uid}))
                lamp.report(cid=command["cid"], code=0, data={k: v for k, v in data.items() if k != "pin"})
        home.shows(lamp.did, "number-data_brightness", "40")
        rows = user.get("device/commands", {"did": lamp.did})["commands"]
        self.assertEqual(rows[0]["actor"]["terminalId"], home.link["sessionId"].removeprefix("l-"))

    def test_a_command_without_effect_is_an_event(self):
        lamp, user, home = self.linked()
        home.act(lamp.did, "switch-data_power", True)
        lamp.report(cid=lamp.command().body["cid"], code=3)
        self.assertEqual(home.event(lamp.did, "failed")["reason"], 3)
        home.publish(f"{space(home.link)}/{lamp.did}/set", {"brightness": 7})
        problem = home.event(lamp.did, "refused")
        self.assertEqual(problem["reason"], "InvalidRequest")
        self.assertIn("step", problem["message"])
        home.events.clear()
        home.publish(f"{space(home.link)}/{lamp.did}/set", "[]")
        self.assertEqual(home.event(lamp.did, "refused")["reason"], "InvalidRequest")
        lamp.close()
        home.shows(lamp.did, "binary_sensor-online", "OFF")
        home.events.clear()
        home.publish(f"{space(home.link)}/{lamp.did}/set", {"power": True})
        self.assertEqual(home.event(lamp.did, "refused")["reason"], "DeviceOffline")

    def test_it_publishes_nothing_elsewhere(self):
        lamp, user, home = self.linked()
        other = self.home(self.terminal())
        mqtt5 = self.keep(Client(self.world.port, other.link["username"], other.link["password"], client_id()))
        self.assertEqual(mqtt5.connect(), 0)
        for topic in (f"{space(home.link)}/{lamp.did}/set", f"{TOPICS}/device/{lamp.did}/command", f"{space(other.link)}/a/problem",
                      f"homeassistant/device/{other.link['sessionId']}/x/config", f"{TOPICS}/app/test-app/x/request/device/list"):
            with self.subTest(topic=topic):
                self.assertEqual(mqtt5.publish(topic, {"power": True}), 0x87)
        self.assertEqual(mqtt5.publish("homeassistant/status", "online", retain=True), 0x87)
        for filter in ("#", "+/#", f"{TOPICS}/#", f"{TOPICS}/user/#", f"{TOPICS}/user/{user.uid}/device/+/status", f"{space(home.link)}/#",
                       f"{TOPICS}/user/{user.uid}/#", "$share/g/homeassistant/#", "homeassistant/" + "a/" * 9):
            with self.subTest(filter=filter):
                self.assertGreaterEqual(mqtt5.subscribe(filter), 0x80)
        # The lamp belongs to another user, so a command on this link's topic has no effect.
        mqtt5.publish(f"{space(other.link)}/{lamp.did}/set", {"power": True})
        lamp.report(data={"power": False})
        self.assertEqual(lamp.unread("/command"), [])


class Neighbours(Linked):
    def test_homes_with_the_same_filters_see_only_their_own(self):
        homes = [self.linked() for _ in range(2)]
        for _, _, home in homes:
            home.subscribe("homeassistant/#")
        # For comparison, this tool is a client whose deliveries aren't filtered, so it sees the messages of both homes.
        tool = self.keep(self.world.tool("neighbours"))
        self.assertEqual(tool.connect(), 0)
        tool.subscribe("homeassistant/device/+/+/config")
        for lamp, user, home in homes:
            tool.expect(f"/{lamp.did}/config")
            user.get("device/setCustomInfo", {"did": lamp.did, "alias": "Mine"})
            home.publish("homeassistant/status", "online")
        time.sleep(1)
        for lamp, _, home in homes:
            self.assertEqual(set(home.devices()), {lamp.did})
            self.assertEqual([topic for topic in home.last if home.link["sessionId"] not in topic and "homeassistant" in topic], [])

    def test_the_usual_subscriptions_of_home_assistant_are_not_reported(self):
        user = self.terminal()
        home = self.home(user)
        # The gate has also refused some of Home Assistant's usual subscriptions, but must not report these refusals. So
        # the first refusal that the gate reports is that of this message.
        home.publish(f"{TOPICS}/none", {}, wait=False)
        first = self.world.watcher.expect("system/refusal", lambda b: b.get("username") == home.link["username"]).body
        self.assertEqual(first["topic"], f"{TOPICS}/none")


class Changes(OwnWorld, Linked):
    def make_world(self):
        return World()

    def announcements(self):
        url = f"http://127.0.0.1:{self.world.service.health_port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            page = answer.read().decode()
        return float(re.search(r"^lamplighter_homeassistant_announcements_total (\S+)$", page, re.M)[1])

    def test_a_changed_product_and_a_restart(self):
        lamp, user, home = self.linked()
        self.assertEqual(self.announcements(), 1)
        points = [p for p in LAMP["dataPoints"] if p["name"] != "mode"]
        points = [{**p, "access": "ro"} if p["name"] == "power" else p for p in points]
        self.world.service.import_document("product", {**LAMP, "dataPoints": [*points, {"name": "new", "access": "ro", "type": "bool"}]})
        config = home.device(lamp.did, lambda config: "binary_sensor-data_new" in config["components"])["components"]
        self.assertEqual(config["select-data_mode"], {"platform": "select"})
        self.assertEqual(config["switch-data_power"], {"platform": "switch"})
        self.assertIn("binary_sensor-data_power", config)
        self.assertEqual(self.announcements(), 2)
        # After a restart, the service doesn't repeat the discovery messages, since the broker still has them.
        before = home.devices()
        self.world.service.stop()
        self.world.service.start()
        again = self.keep(HomeAssistant(self.world.port, home.link)).come()
        again.device(lamp.did)
        self.assertEqual(again.devices(), before)
        # A broker that has lost all its data gets the discovery messages again.
        self.world.service.stop()
        for file in self.world.service.data.glob("broker/*.db"):
            file.unlink()
        self.world.service.start()
        again = self.keep(HomeAssistant(self.world.port, home.link)).come()
        again.device(lamp.did)
        self.assertEqual(again.devices(), before)


class Processes(OwnClusterOfClass, Linked):
    """Several processes share the work: each topic belongs to a shard, and one process announces the devices."""

    processes = 2

    def test_the_same_as_with_one(self):
        lamp, user, home = self.linked()
        home.shows(lamp.did, "binary_sensor-online", "ON")
        home.act(lamp.did, "switch-data_power", True)
        command = lamp.command().body
        self.assertEqual((command["data"], command["actor"]), ({"power": True}, {"kind": "user", "id": user.uid}))
        lamp.report(cid=command["cid"], code=0, data={"power": True})
        home.shows(lamp.did, "switch-data_power", "ON")
        home.publish(f"{space(home.link)}/{lamp.did}/set", {"brightness": 7})
        home.event(lamp.did, "refused")
        user.get("session/unlink", {"sessionId": home.link["sessionId"]})
        home.wait_lost(SECOND)
        self.assertEqual(HomeAssistant(self.world.port, home.link).connect(), 5)


class Bridge(Linked):
    def test_the_users_own_mosquitto(self):
        lamp, user = self.pair()
        link = self.link(user)
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            config = pathlib.Path(folder) / "mosquitto.conf"
            config.write_text(f"user {os.environ.get('USER', 'root')}\nlistener {port} 127.0.0.1\nallow_anonymous true\n{link['bridge']}")
            broker = subprocess.Popen([MOSQUITTO, "-c", config],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(broker.wait)
            self.addCleanup(broker.terminate)
            eventually(lambda: answers(port), 10, "the second broker")
            nobody = {"username": None, "password": None, "sessionId": link["sessionId"]}
            home = self.keep(HomeAssistant(port, nobody))
            self.assertEqual(home.connect(), 0)
            home.subscribe("homeassistant/device/+/+/config")
            home.device(lamp.did)
            lamp.report(data={"power": False})
            home.shows(lamp.did, "switch-data_power", "OFF")
            home.act(lamp.did, "switch-data_power", True)
            command = lamp.command().body
            self.assertEqual(command["actor"], {"kind": "user", "id": user.uid})
            lamp.report(cid=command["cid"], code=0, data={"power": True})
            home.shows(lamp.did, "switch-data_power", "ON")
            lamp.report(alerts=[{"name": "smoke", "value": True}])
            home.event(lamp.did, "alert")
            # The user's broker retains the last messages for a Home Assistant that starts later.
            later = self.keep(HomeAssistant(port, nobody))
            self.assertEqual(later.connect(), 0)
            later.subscribe("homeassistant/device/+/+/config")
            later.device(lamp.did)
            later.shows(lamp.did, "switch-data_power", "ON")
            user.get("device/unbind", {"did": lamp.did})
            later.wait_gone(lamp.did)


if __name__ == "__main__":
    unittest.main()
