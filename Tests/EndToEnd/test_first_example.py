"""The README's first example, done by hand with Mosquitto's tools and the demo's secrets."""

import json
import subprocess
import unittest

import contract
from client import check_answer, fresh_id, fresh_mac, fresh_terminal
from harness import TOPICS, eventually
from world import EndToEnd


class FirstExample(EndToEnd):
    def rr(self, username, password, client_id, topic, answer, body, version="5"):
        done = subprocess.run(
            ["mosquitto_rr", "-V", version, "-h", "127.0.0.1", "-p", str(self.world.port), "-u", username, "-P", password,
             "-i", client_id, "-q", "1", "-t", topic, "-e", answer, "-m", json.dumps(body), "-W", "10"],
            capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def demo(self):
        return self.world.service.ready["demo"]

    def ask(self, terminal, password, method, params, token=None):
        demo = self.demo()
        base = f"{TOPICS}/app/{demo['appId']}/{terminal}"
        body = {"id": fresh_id(), "params": params, **({"token": token} if token else {})}
        answer = self.rr(f"app:{demo['appId']}", password, terminal, f"{base}/request/{method}", f"{base}/response", body)
        check_answer(method, answer)
        self.assertTrue(answer["ok"], answer)
        return answer["result"]

    def test_a_device_registers_and_reports_and_an_app_logs_in_binds_sees_and_switches(self):
        demo, mac, terminal = self.demo(), fresh_mac(), fresh_terminal()
        key = demo["productKey"]
        base = f"{TOPICS}/product/{key}/{mac}"
        registered = self.rr(
            f"product:{key}", demo["productSecret"], mac, f"{base}/register", f"{base}/registered",
            {"id": "1", "mac": mac, "passcode": "123456", "hardware": {}})
        self.assertEqual(contract.problems("registered", registered), [])
        did, secret = registered["result"]["did"], registered["result"]["secret"]
        points = {p["name"]: p for p in self.world.service.json("product", "show", key)["document"]["dataPoints"]}
        switch = next(name for name, p in points.items() if p["type"] == "bool" and p["access"] == "rw")

        device = f"{TOPICS}/device/{did}"
        answer = self.rr(
            f"device:{did}", secret, did, f"{device}/report", f"{device}/response",
            {"id": "1", "data": {switch: False}})
        self.assertIsInstance(answer.pop("ts"), int)
        self.assertEqual(answer, {"id": "1", "ok": True, "version": 1, "stored": "state"})

        login = self.ask(terminal, demo["appSecret"], "account/loginAnonymous", {"countryCode": "49"})
        token, uid = login["token"], login["user"]["uid"]
        self.ask(terminal, token, "device/bind", {"did": did, "passcode": "123456"}, token)
        shown = self.sub(f"app:{demo['appId']}", token, terminal, f"{TOPICS}/user/{uid}/#", 1)[0]
        self.assertEqual((shown["did"], shown["data"], shown["online"]), (did, {switch: False}, False))

        obeys = subprocess.Popen(
            ["mosquitto_sub", "-V", "5", "-p", str(self.world.port), "-u", f"device:{did}", "-P", secret, "-i", did,
             "-q", "1", "-t", f"{device}/command", "-C", "1", "-W", "10"], stdout=subprocess.PIPE, text=True)
        try:
            eventually(lambda: self.ask(terminal, token, "device/status", {"did": did}, token)["online"],
                       what="the device's coming online")
            result = self.ask(terminal, token, "device/control", {"did": did, "data": {switch: True}}, token)
            command = json.loads(obeys.communicate(timeout=15)[0])
        finally:
            obeys.kill()
            obeys.wait()
        self.assertEqual((command["cid"], command["data"]), (result["cid"], {switch: True}))

        pub = subprocess.run(
            ["mosquitto_pub", "-p", str(self.world.port), "-u", f"device:{did}", "-P", secret, "-i", did, "-q", "1",
             "-t", f"{device}/report", "-m", json.dumps({"cid": command["cid"], "data": {switch: True}})])
        self.assertEqual(pub.returncode, 0)
        eventually(lambda: self.ask(terminal, token, "device/status", {"did": did}, token)["data"][switch],
                   what="the switch")

    def sub(self, username, password, client_id, filter, count):
        done = subprocess.run(
            ["mosquitto_sub", "-V", "5", "-p", str(self.world.port), "-u", username, "-P", password, "-i", client_id,
             "-q", "1", "-t", filter, "-C", str(count), "-W", "10"], capture_output=True, text=True, timeout=20)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_the_same_by_mqtt_3_1_1(self):
        demo, mac = self.demo(), fresh_mac()
        key = demo["productKey"]
        base = f"{TOPICS}/product/{key}/{mac}"
        answer = self.rr(
            f"product:{key}", demo["productSecret"], mac, f"{base}/register", f"{base}/registered",
            {"id": "1", "mac": mac, "passcode": "123456", "hardware": {}}, version="mqttv311")
        self.assertTrue(answer["ok"], answer)

    def test_the_ready_file_keeps_its_form(self):
        self.assertEqual(contract.problems("ready", self.world.service.ready), [])
        mode = (self.world.service.data / "ready.json").stat().st_mode & 0o777
        self.assertEqual(mode, 0o600)


if __name__ == "__main__":
    unittest.main()
