"""A client with slow or incomplete requests loses its connections, but doesn't affect other clients."""

import contextlib
import http.client
import resource
import socket
import time
import unittest

from harness import LONG, SECOND, Service, eventually
from world import OwnWorldOfClass, World

CROWD = 10_000 if LONG else 1_100
HALF = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "


def status(port, path, source="127.0.0.1", seconds=5):
    """Sends a request from an address, and returns the status and the delay in seconds."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds, source_address=(source, 0))
    with contextlib.closing(connection):
        connection.request("GET", path)
        return connection.getresponse().status, time.monotonic() - began


def is_open(connection):
    """Returns whether the connection is still open on the other side."""
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            pass
        return False
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


class Slow(OwnWorldOfClass):
    @classmethod
    def setUpClass(cls):
        # This process also needs file descriptors, because it holds the clients' ends of all connections.
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = CROWD + 1_000
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
        super().setUpClass()

    def half(self, port, source="127.0.0.1", text=HALF):
        connection = socket.create_connection(("127.0.0.1", port), 5, source_address=(source, 0))
        self.addCleanup(connection.close)
        connection.sendall(text)
        return connection

    def fill(self, port, count, source="127.0.0.1"):
        crowd = []
        for _ in range(count):
            with contextlib.suppress(OSError):
                crowd.append(self.half(port, source))
        return crowd

    @staticmethod
    def lasting(crowd, seconds):
        """Returns how many connections stay open for `seconds` while the client sends a byte every half second."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for connection in crowd:
                with contextlib.suppress(OSError):
                    connection.send(b"a")
            time.sleep(0.5)
        return sum(is_open(connection) for connection in crowd)

    @property
    def pages(self):
        return self.own.service.http_port

    @property
    def health(self):
        return self.own.service.health_port


class HalfRequests(Slow):
    def test_a_crowd_from_one_address_affects_nobody(self):
        crowd = self.fill(self.pages, CROWD, "127.0.0.9")
        for source in ("127.0.0.1", "127.0.0.2", "127.0.0.9"):
            with self.subTest(source=source):
                found, seconds = status(self.pages, "/healthz", source)
                self.assertEqual(found, 200)
                self.assertLess(seconds, SECOND)
        self.assertEqual(status(self.health, "/readyz")[0], 200)
        self.assertLessEqual(self.lasting(crowd, 0), 64)

    def test_a_crowd_from_many_addresses_affects_nobody(self):
        for number in range(CROWD):
            with contextlib.suppress(OSError):
                self.half(self.pages, f"127.0.{1 + number // 50}.1")
        for port, path in ((self.pages, "/healthz"), (self.health, "/readyz"), (self.health, "/metrics")):
            with self.subTest(path=path):
                found, seconds = status(port, path)
                self.assertEqual(found, 200)
                self.assertLess(seconds, SECOND)

    def test_a_slow_header_is_cut_off_after_ten_seconds(self):
        crowd = self.fill(self.pages, 10, "127.0.0.7")
        self.assertEqual(self.lasting(crowd, 7), 10, "ten seconds are for all")
        self.assertEqual(self.lasting(crowd, 5), 0)

    def test_a_slow_body_is_cut_off_after_ten_seconds(self):
        text = b"POST /link HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\ntoken="
        crowd = [self.half(self.pages, "127.0.0.6", text) for _ in range(5)]
        self.assertEqual(self.lasting(crowd, 13), 0)

    def test_an_idle_connection_is_closed(self):
        connection = self.half(self.pages, "127.0.0.5", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertIn(b"200", connection.recv(4096))
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertIn(b"200", connection.recv(4096), "it may ask again")
        connection.settimeout(13)
        self.assertEqual(connection.recv(4096), b"", "it is closed")

    def test_the_users_listener_shows_no_figures(self):
        for path in ("/metrics", "//metrics", "/metrics/", "/%6d%65trics", "/readyz", "//readyz", "/./metrics"):
            with self.subTest(path=path):
                self.assertEqual(status(self.pages, path)[0], 404)
        for path in ("/healthz", "/readyz", "/metrics"):
            with self.subTest(path=path):
                self.assertEqual(status(self.health, path)[0], 200)


class OnePlace(Slow):
    """An address that is allowed only one connection, which is busy because the client reads no answers."""

    @classmethod
    def make_world(cls):
        return World(watch=False, service=Service(arguments=["--set", "limits.httpPerAddress=1"]))

    def busy(self, source):
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.bind((source, 0))
        connection.connect(("127.0.0.1", self.pages))
        # The first answers fill both sides' buffers, so the service can't send the rest.
        request = b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
        connection.settimeout(1)
        with contextlib.suppress(TimeoutError):
            connection.sendall(request * 200_000)
        return connection

    def test_one_client_too_many_is_told_to_try_again(self):
        busy = self.busy("127.0.0.5")
        more = http.client.HTTPConnection("127.0.0.1", self.pages, timeout=5, source_address=("127.0.0.5", 0))
        with contextlib.closing(more):
            more.request("GET", "/healthz")
            answer = more.getresponse()
            self.assertEqual((answer.status, answer.getheader("Retry-After")), (503, "30"))
            self.assertIn(b"too many connections", answer.read())
            self.assertEqual(more.sock, None, "it is closed")
        self.assertEqual(status(self.pages, "/healthz", "127.0.0.6")[0], 200, "another address is not touched")
        busy.close()
        eventually(lambda: status(self.pages, "/healthz", "127.0.0.5")[0] == 200, 10, "the place is free again")


class WithoutLimits(Slow):
    """The control test: with very high limits, the connections of incomplete requests stay open."""

    @classmethod
    def make_world(cls):
        return World(watch=False, service=Service(
            arguments=["--set", "limits.httpPerAddress=5000", "--set", "limits.httpConnections=5000",
                       "--set", "limits.httpHeader=60"]))

    def test_incomplete_requests_stay(self):
        crowd = self.fill(self.pages, 200, "127.0.0.9")
        self.assertEqual(self.lasting(crowd, 12), 200)


if __name__ == "__main__":
    unittest.main()
