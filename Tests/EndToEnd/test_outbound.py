"""No webhook reaches an internal address, whatever its spelling or the name server's answer."""

import time
import unittest

import names
from client import fresh_id
from harness import Service, eventually
from test_keys import Server
from world import SETTINGS, EndToEnd, World

PUBLIC = ["93.184.216.34", "2606:2800:220:1::1"]
# These addresses belong to the test's network. So if the service connected to such an address, the connection would
# succeed.
INSIDE = [
    "127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "198.18.0.1", "192.0.0.8",
    "fd00::1", "fec0::1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:a00:1::1", "2001:0:1:2::3", "::ffff:0:a00:1", "100::1",
]
REFUSED = [
    # Different spellings of addresses of this machine and of internal networks.
    "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/",
    "https://017700000001/", "https://127.0.0.1./", "https://0/", "https://0.0.0.0/", "https://10.0.0.1/", "https://012.0.0.1/",
    "https://172.31.255.255/", "https://192.168.0.1/", "https://169.254.169.254/latest/meta-data/", "https://2852039166/",
    "https://100.64.0.1/", "https://192.0.0.1/", "https://198.18.0.1/", "https://224.0.0.1/", "https://255.255.255.255/",
    "https://240.0.0.1/", "https://192.0.2.1/", "https://198.51.100.1/", "https://203.0.113.1/", "https://192.88.99.1/",
    # IPv6 addresses of many kinds: loopback, IPv4-mapped, IPv4-compatible, translated, tunnel and local addresses,
    # multicast groups, and addresses with a zone.
    "https://[::1]/", "https://[::]/", "https://[0:0:0:0:0:0:0:1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/",
    "https://[::FFFF:10.0.0.1]/", "https://[::127.0.0.1]/", "https://[::a00:1]/", "https://[::ffff:0:10.0.0.1]/",
    "https://[64:ff9b::10.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[64:ff9b:1::a00:1]/", "https://[2002:7f00:1::]/",
    "https://[2002:a9fe:a9fe::1]/", "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "https://[2606:2800::5efe:10.0.0.1]/",
    "https://[2606:2800::200:5efe:7f00:1]/", "https://[fe80::1]/", "https://[fe80::1%25lo]/", "https://[fe80::1%lo]/", "https://[fec0::1]/",
    "https://[fc00::1]/", "https://[fdff::1]/", "https://[ff02::1]/", "https://[2001:db8::1]/", "https://[3fff::1]/", "https://[100::1]/",
    "https://[5f00::1]/", "https://[2001:20::1]/", "https://[::1%25lo]/", "https://[::1", "https://::1/", "https://[127.0.0.1]/",
    # Names of this machine.
    "https://localhost/", "https://LOCALHOST/", "https://localhost./", "https://a.localhost/", "https://a.localhost./",
    # URLs with a scheme, a port or credentials that aren't allowed, invalid URLs, and URLs that different programs read
    # in different ways.
    "http://example.com/", "http://93.184.216.34/", "ftp://example.com/", "file:///etc/passwd", "file://localhost/etc/passwd",
    "gopher://example.com:6379/_INFO", "dict://example.com/", "ldap://example.com/", "javascript:alert(1)", "//example.com/", "example.com",
    "https:example.com", "https:/example.com", "https:///etc/passwd", "https://", "https://user@example.com/", "https://user:p@example.com/",
    "https://example.com@127.0.0.1/", "https://@example.com/", "https://:p@example.com/", "https://example.com\\@127.0.0.1/",
    "https://example.com:0/", "https://example.com:65536/", "https://example.com:-1/", "https://example.com:443x/", "https://example.com:/",
    "https://exam ple.com/", "https://example.com/\r\nX: y", "https://ex%61mple.com/", "https://%31%32%37.0.0.1/",
    "https://\uff11\uff12\uff17.0.0.1/", "https://127\u30020.0.1/", "https://example..com/", "https://.example.com/", "",
    "https://example.com/" + "a" * 2048,
]


@unittest.skipUnless(names.is_possible(), "needs the right to make a network")
class Outbound(EndToEnd):
    """The service runs in its own network, where every address of `PUBLIC` and `INSIDE` belongs to the test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.network = names.Network(PUBLIC + [a for a in INSIDE if not a.startswith("127.")])
        cls.addClassCleanup(cls.network.close)
        service = Service(arguments=SETTINGS)
        cls.network.use(service)
        cls.own = World(watch=False, service=service)
        cls.addClassCleanup(cls.own.close)

    def setUp(self):
        super().setUp()
        self.service, self.network.reached[:] = self.own.service, []
        made = self.service.json("key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events")
        self.made, self.user = made, self.terminal()
        self.server = self.keep(Server(self.own.port, made).come())

    def subscribe(self, url):
        id = self.server.get("events/subscribe", {"name": "x", "types": ["account.changed"], "url": url})["subscriptionId"]
        self.addCleanup(self.service.sql, f"DELETE FROM eventSubscription WHERE subscriptionId = '{id}'")
        return id

    def error(self, id, tries=1):
        """Waits until the webhook has been tried `tries` times, and returns the last error."""
        def row():
            found = next(r for r in self.server.get("events/subscriptions")["subscriptions"] if r["subscriptionId"] == id)
            return found if found["tries"] >= tries else None
        return eventually(row, 20, "a try")["lastError"]

    def change(self):
        self.user.get("account/updateProfile", {"nickname": fresh_id("name")})

    def again(self):
        """Makes all webhooks due, and restarts the service, which looks up all names again."""
        self.service.stop()
        self.service.sql("UPDATE eventSubscription SET dueAt = NULL")
        self.service.start()
        self.server.close()
        self.server = self.keep(Server(self.own.port, self.made).come())

    def test_each_forbidden_url_is_refused_where_it_is_given(self):
        id = self.subscribe("https://example.com/")
        self.network.asked[:] = []
        asked = []
        for url in REFUSED:
            for method, params in (("subscribe", {"name": "x", "types": ["account.*"]}), ("update", {"subscriptionId": id})):
                asked.append((fresh_id("q"), url, method))
                self.server.send(f"events/{method}", {**params, "url": url}, asked[-1][0])
        for number, url, method in asked:
            with self.subTest(url=url[:80], method=method):
                error = self.server.answer(f"events/{method}", number).get("error", {})
                self.assertEqual((error.get("code"), error.get("field")), ("InvalidRequest", "params.url"))
        self.assertEqual(self.network.asked, [], "nothing was looked up")

    def test_a_name_of_an_internal_address_is_refused_at_the_try(self):
        ids = {}
        for number, address in enumerate(INSIDE):
            name = f"inside{number}.example"
            self.network.answers[name] = [[address]]
            ids[address] = self.subscribe(f"https://{name}/hook")
        self.change()
        for address, id in ids.items():
            with self.subTest(address):
                self.assertIn("addressNotAllowed", self.error(id))
        self.assertEqual(self.network.reached, [])

    def test_a_name_with_addresses_of_both_kinds_leads_only_to_the_public_one(self):
        for number, order in enumerate((["10.0.0.1", PUBLIC[0]], [PUBLIC[0], "10.0.0.1"], ["fd00::1", PUBLIC[0]], [PUBLIC[1], "10.0.0.1"])):
            name = f"both{number}.example"
            self.network.answers[name] = [order]
            id = self.subscribe(f"https://{name}/")
            self.network.reached[:] = []
            self.change()
            self.error(id)
            with self.subTest(order=order):
                self.assertEqual(set(self.network.reached) - set(PUBLIC), set())
                self.assertTrue(self.network.reached, "its public address was tried")

    def test_a_name_that_changes_between_two_tries_is_checked_at_each(self):
        self.network.answers["turns.example"] = [[PUBLIC[0]]]
        id = self.subscribe("https://turns.example/")
        self.change()
        self.assertNotIn("addressNotAllowed", self.error(id))
        self.assertEqual(set(self.network.reached), {PUBLIC[0]})
        for tries, address in ((2, "127.0.0.1"), (3, "fd00::1"), (4, "169.254.169.254")):
            with self.subTest(address):
                self.network.answers["turns.example"] = [[address]]
                self.network.reached[:] = []
                self.again()
                self.assertIn("addressNotAllowed", self.error(id, tries))
                self.assertEqual(self.network.reached, [])
        self.network.answers["turns.example"] = [[PUBLIC[1]]]
        self.again()
        self.assertNotIn("addressNotAllowed", self.error(id, 5))
        self.assertEqual(set(self.network.reached), {PUBLIC[1]})

    def test_a_name_that_changes_with_every_answer_never_leads_to_an_internal_address(self):
        """The name server's answers alternate, and a second look-up would give an internal address."""
        ids = []
        for number in range(6):
            name = f"rebind{number}.example"
            self.network.answers[name] = [[PUBLIC[0]], ["127.0.0.1"]] * 20
            ids.append(self.subscribe(f"https://{name}/"))
        self.change()
        for id in ids:
            self.error(id)
        self.assertEqual(set(self.network.reached), {PUBLIC[0]})

    def test_an_internal_address_in_the_store_is_refused_at_the_try(self):
        id = self.subscribe("https://example.com/")
        for tries, url in enumerate(("https://127.0.0.1/", "http://10.0.0.1/", "file:///etc/passwd", "https://[::ffff:127.0.0.1]/"), 1):
            self.service.sql(f"UPDATE eventSubscription SET url = '{url}', dueAt = NULL WHERE subscriptionId = '{id}'")
            if tries == 1:
                self.change()
            else:
                self.again()
            with self.subTest(url):
                self.assertIn("addressNotAllowed", self.error(id, tries))
        self.assertEqual(self.network.reached, [])


if __name__ == "__main__":
    unittest.main()
