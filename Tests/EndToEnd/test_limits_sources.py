"""The limits of one source address, tested from several addresses in 127.0.0.0/8."""

import unittest

from accounts import People, fresh_id, parallel
from client import fresh_mac
from harness import Service
from test_limits_accounts import GATEWAY, named_params
from world import LAMP, OwnWorldOfClass, World

HASHES = ("namedPerTerminal", "namedPerSource", "hashesPerTerminal", "hashesAtOnce")
# With only one thread for hashes, hashes wait for each other on any machine.
HASHING = [*GATEWAY, "--set", "limits.hashThreads=1",
           *(word for name in HASHES for word in ("--set", f"limits.{name}=100000"))]
# Without this setting, the gate would refuse new devices before the service could count them.
GATE_OPEN = ["--set", "broker.newClientsPerMinute=100000"]


class OfSource(OwnWorldOfClass, People):
    arguments = ()

    @classmethod
    def make_world(cls):
        return World(watch=False, service=Service(arguments=[*GATEWAY, *cls.arguments]))

    def registered(self, source, count):
        """Registers new devices from an address, and returns each answer's error code or None."""
        answers = [self.world.register(mac=fresh_mac(), source=source) for _ in range(count)]
        return [None if answer["ok"] else answer["error"]["code"] for answer in answers]

    def hashed_at_once(self, source):
        """Sends 48 requests from one address, and meanwhile one request from a second address.

        The service computes the hash of a password for each request that it accepts.

        Returns the answers to the 48 requests, the answer to the single request, and a terminal at a third address.
        """
        crowd = [self.stranger(source=source) for _ in range(12)]
        other = self.stranger(source=source + "1")
        id = fresh_id("other-")
        other.send("account/register", named_params(), id)
        answers = parallel(crowd, "account/register", lambda _terminal, _turn: named_params(), 4)
        return answers, other.answer("account/register", id, 60), self.stranger(source=source + "2")


class Hashes(OfSource):
    arguments = HASHING

    def test_eight_hashes_at_once_and_another_address_still_gets_through(self):
        answers, other, third = self.hashed_at_once("127.0.0.2")
        made = [answer for answer in answers if answer["ok"]]
        refused = [answer for answer in answers if not answer["ok"]]
        self.assertGreaterEqual(len(made), 8)
        self.assertTrue(refused)
        for answer in refused:
            self.assertError(answer, "TooManyRequests")
            self.assertGreater(answer["error"]["retryAfter"], 0)
        self.assertTrue(other["ok"], other)
        third.get("account/register", named_params())


class HashesWithoutIt(OfSource):
    arguments = [*HASHING, "--set", "limits.hashesAtOncePerSource=100000"]

    def test_all_are_hashed(self):
        answers, other, _third = self.hashed_at_once("127.0.0.2")
        self.assertTrue(all(answer["ok"] for answer in [*answers, other]), answers)


class Registrations(OfSource):
    arguments = GATE_OPEN

    def test_thirty_a_minute_of_one_product_and_another_address_still_gets_through(self):
        codes = self.registered("127.0.0.3", 32)
        self.assertEqual(codes, [None] * 30 + ["TooManyRequests"] * 2)
        self.assertEqual(self.registered("127.0.0.4", 1), [None])
        self.assertEqual(self.registered("", 1), [None])

    def test_a_known_device_is_not_a_new_one(self):
        mac = fresh_mac()
        self.assertTrue(self.world.register(LAMP, mac=mac, source="127.0.0.5")["ok"])
        self.registered("127.0.0.5", 30)
        self.assertEqual(self.registered("127.0.0.5", 1), ["TooManyRequests"])
        self.assertTrue(self.world.register(LAMP, mac=mac, source="127.0.0.5")["ok"])


class RegistrationsWithoutIt(OfSource):
    arguments = [*GATE_OPEN, "--set", "limits.registrationsPerSource=100000"]

    def test_all_are_registered(self):
        self.assertEqual(self.registered("127.0.0.3", 40), [None] * 40)


class AtTheGate(OfSource):
    def test_more_than_thirty_new_clients_a_minute_are_refused_and_another_address_is_not_affected(self):
        macs = [fresh_mac() for _ in range(31)]
        for mac in macs[:30]:
            self.assertTrue(self.world.register(mac=mac, source="127.0.0.6")["ok"])
        with self.assertRaisesRegex(AssertionError, "product refused"):
            self.world.register(mac=macs[30], source="127.0.0.6")
        self.assertEqual(self.registered("127.0.0.7", 1), [None])


if __name__ == "__main__":
    unittest.main()
