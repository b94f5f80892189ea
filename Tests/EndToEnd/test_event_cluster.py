"""Several processes share a PostgreSQL database, and a client can use any of them."""

import time
import types

from client import fresh_id
from cluster import OwnClusterOfClass
from eventlogs import Follower, KilledReceiver, early, faults
from harness import LONG, SECOND, TOPICS, eventually
from test_http import HTTPTerminal, Stream

ALERTS = ["device.alert", "device.alertCleared"]


class Processes(OwnClusterOfClass):
    processes, settings = 3, ("--set", "outbound.privateTargets=localhost")

    def side(self, number):
        """Returns a substitute for the world, with which HTTP terminals and streams use only one process."""
        node = self.cluster.nodes[number]
        return types.SimpleNamespace(
            service=types.SimpleNamespace(http_port=node._ready()["httpPort"]), apps=self.own.apps)

    @property
    def sides(self):
        return [self.side(number) for number in range(self.processes)]

    def key(self):
        return self.own.service.nodes[0].json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")

    def on(self, number, terminal):
        """Returns a client that sends the given terminal's requests to the process with this number."""
        return HTTPTerminal(self.side(number), terminal.app_id, terminal.terminal_id, terminal.token)

    def test_a_request_can_go_to_any_process_and_takes_effect_once(self):
        first = HTTPTerminal(self.side(0)).login()
        apps = [self.on(number, first) for number in range(self.processes)]
        self.assertEqual(len({app.get("account/whoami")["user"]["uid"] for app in apps}), 1)
        answers = [app.ask("home/create", {"name": "Once"}, id="same") for app in apps]
        self.assertEqual([status for status, _ in answers], [200] * 3)
        self.assertEqual(answers[0][1], answers[2][1])
        self.assertEqual(len(apps[1].get("home/list")["homes"]), 1)

    def test_a_stream_of_any_process_has_the_users_messages_and_ends_with_the_session(self):
        device = self.device()
        apps = [HTTPTerminal(side).login() for side in self.sides]
        streams = []
        for app, side in zip(apps, self.sides):
            app.get("device/bind", {"did": device.did, "passcode": device.passcode})
            streams.append(Stream(side, f"/{TOPICS}/stream", app.token))
            self.addCleanup(streams[-1].close)
        device.report(data={"power": True})
        for stream in streams:
            eventually(lambda: any(
                name.endswith("/status") and data["data"].get("power") for name, data in list(stream.events)))
        for number, stream in enumerate(streams):
            self.on((number + 1) % 3, apps[number]).get("account/logout")
            ended = time.monotonic()
            self.assertEqual(stream.expect("end"), {"reason": "loggedOut"})
            self.assertLess(time.monotonic() - ended, SECOND)

    def test_a_key_revoked_at_one_process_ends_at_all(self):
        made, device = self.key(), self.device()
        readers = [Follower(side.service, made["key"], ALERTS, "start") for side in self.sides]
        for reader in readers:
            reader.start()
            self.addCleanup(reader.stop)
        device.report(alerts=[{"name": "smoke", "value": True}])
        for reader in readers:
            eventually(lambda: any(event["did"] == device.did for event in reader.got))
        node = self.cluster.nodes[1]
        node.cli("key", "revoke", made["keyId"], *self.cluster.shared_files(node))
        time.sleep(SECOND)
        known = [len(reader.got) for reader in readers]
        device.report(alerts=[{"name": "smoke", "value": False}])
        time.sleep(1)
        self.assertEqual([len(reader.got) for reader in readers], known)
        for side in self.sides:
            status, answer = HTTPTerminal(side, token=made["key"]).ask("events/subscriptions", short=True)
            self.assertEqual((status, answer["error"]["code"]), (401, "InvalidToken"))

    def test_readers_at_all_processes_get_the_same_events_and_a_webhook_continues_after_its_process_is_killed(self):
        made = self.key()
        receiver = KilledReceiver(self.cluster.folder)
        self.addCleanup(receiver.kill)
        server = HTTPTerminal(self.side(2), token=made["key"])
        id = server.get("events/subscribe", {
            "name": "hook", "types": ALERTS, "url": receiver.url("/hook"), "batch": 5}, short=True)["subscriptionId"]
        begin = server.get("events/read", {"after": "now"}, short=True)["cursor"]
        readers = [Follower(side.service, made["key"], ALERTS, begin) for side in self.sides]
        for reader in readers:
            reader.start()
            self.addCleanup(reader.stop)
        devices = [self.device() for _ in range(4)]

        def report(times):
            for number in range(times):
                for device in devices:
                    self.assertTrue(device.report(alerts=[{"name": "smoke", "value": number % 2 == 0}])["ok"])

        report(6)
        # The first process sends the posts to the webhooks, so the test always kills it.
        killed = self.cluster.nodes[:2 if LONG else 1]
        for node in killed:
            node.kill()
            report(4)
            node.start()
        for number, reader in enumerate(readers):
            reader.service = self.side(number).service
        wanted = 4 * (6 + 4 * len(killed))
        for reader in readers:
            eventually(lambda: len({event["id"] for event in reader.got}) >= wanted, 30)
        truth = server.get("events/read", {"after": begin, "types": ALERTS, "limit": 1000}, short=True)["events"]
        self.assertEqual(len(truth), wanted)
        eventually(lambda: len({event["id"] for event in receiver.taken("/hook")}) >= wanted, 60)
        for reader in readers:
            self.assertEqual(faults(truth, reader.got), [])
        self.assertEqual(faults(truth, receiver.taken("/hook")) + early(receiver.lines("/hook"), truth), [])
        server.get("events/unsubscribe", {"subscriptionId": id}, short=True)
