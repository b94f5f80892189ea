"""The world that most tests share: one service, test products and apps, and a watcher."""

import os
import secrets
import shutil
import unittest

import client as clients
import postgres
from client import Client, Device, Terminal, fresh_mac, register
from harness import TOPICS, Service

LAMP = {
    "productKey": "1a" * 16,
    "name": "Test lamp",
    "registration": "open",
    "reset": "owner",
    "dataPoints": [
        {"name": "power", "access": "rw", "type": "bool"},
        {"name": "brightness", "access": "rw", "type": "int", "min": 0, "max": 100, "step": 5},
        {"name": "count", "access": "rw", "type": "int"},
        {"name": "mode", "access": "rw", "type": "enum", "values": ["white", "colour"]},
        {"name": "temperature", "access": "ro", "type": "float", "min": -40, "max": 125},
        {"name": "label", "access": "rw", "type": "string", "maxLength": 8},
        {"name": "blob", "access": "rw", "type": "raw", "maxLength": 4},
        {"name": "pin", "access": "wo", "type": "string", "maxLength": 8},
    ],
    "alerts": ["overheat", "smoke"],
    "faults": ["sensor"],
}
FREE = {"productKey": "2b" * 16, "name": "Free form", "registration": "open"}
LISTED = {"productKey": "3c" * 16, "name": "Listed", "registration": "listed"}
EASY = {"productKey": "4d" * 16, "name": "Easily reset", "registration": "open", "reset": "open"}
OTHER = {"productKey": "5e" * 16, "name": "Of the other app", "registration": "open"}
REMOTE = {"productKey": "6f" * 16, "name": "Bound by secret", "registration": "open", "remoteBind": "secret"}
OPERATED = {"productKey": "7a" * 16, "name": "Reset by operators", "registration": "open", "reset": "operator"}
PRODUCTS = [LAMP, FREE, LISTED, EASY, OTHER, REMOTE, OPERATED]
# The service sends codes to a gateway, from which the tests read them. By default, `up` would write the codes to its
# log. All tests together would exceed the default limits on one app's codes.
SETTINGS = ["--set", "delivery.email=gateway", "--set", "delivery.sms=gateway",
            "--set", "limits.codesPerHour=100000", "--set", "limits.codesPerCountry=100000",
            # Tests send requests faster than users do, so these limits are high. test_limits_accounts tests the default
            # limits in separate worlds.
            "--set", "limits.codesPerTerminal=1000", "--set", "limits.anonymousPerTerminal=100000",
            "--set", "limits.mailsPerTerminal=1000",
            "--set", "limits.namedPerTerminal=1000", "--set", "limits.hashesPerTerminal=10000",
            "--set", "limits.sessionsPerTerminal=100000", "--set", "limits.hashesAtOnce=256",
            "--set", "limits.providerCallsAtOnce=128"]
# Tests send faster than users and sensors; test_limits_connection tests the defaults.
SETTINGS += [word for who in ("terminal", "key", "device", "product") for kind in (
    "MessagesPerSecond", "MessageBurst", "KilobytesPerSecond", "KilobyteBurst")
    for word in ("--set", f"limits.{who}{kind}=1000000")]
# One terminal logs in as a hundred users, and keeps the subscriptions of each user.
SETTINGS += ["--set", "limits.terminalSubscriptions=1000"]


class World:
    """A running service with the test products and apps."""

    def __init__(self, watch=True, service=None, settings=()):
        self.service = service or Service(arguments=[*SETTINGS, *settings])
        self.secrets, self.apps, self.watcher, self.gateway = {}, {}, None, None
        try:
            # Most services start with a copy of prepared data. A service with its own data or database doesn't use the
            # copy. For such a service, the program's commands import the products and apps.
            if Furnished.fits(self):
                furnished().copy_to(self)
                self.service.start()
            else:
                self.service.start()
                self.furnish()
            if watch:
                self.watcher = self.tool("watch").connect_as_watcher()
        except BaseException:
            self.close()
            raise

    def furnish(self):
        """Imports the test products and apps."""
        for product in PRODUCTS:
            secret = secrets.token_urlsafe(32)
            self.service.import_document("product", {**product, "productSecret": secret})
            self.secrets[product["productKey"]] = secret
        self.apps = {
            "test-app": {
                "secret": secrets.token_urlsafe(32),
                "products": [p["productKey"] for p in PRODUCTS if p is not OTHER],
            },
            "other-app": {"secret": secrets.token_urlsafe(32), "products": [OTHER["productKey"]]},
        }
        for app_id, app in self.apps.items():
            self.import_app(app_id, app)

    def import_app(self, app_id, app):
        """Imports an app under this name, and creates a secret if the app has none."""
        self.apps[app_id] = {"secret": secrets.token_urlsafe(32), **app}
        self.service.import_document("app", {"appId": app_id, "name": app_id, **self.apps[app_id]})

    @property
    def port(self):
        return self.service.mqtt_port

    def tool(self, suffix):
        service = self.service.ready["service"]
        return Tool(self.port, service["username"], service["password"], service["clientIdPrefix"] + suffix)

    def register(self, product=LAMP, mac=None, **more):
        """Registers a device; returns the whole answer."""
        key = product["productKey"]
        return register(self.port, key, self.secrets[key], mac, **more)

    def device(self, product=LAMP, connect=True, passcode="123456", mac=None, **more):
        """Returns a registered device, which is connected by default."""
        mac = mac or fresh_mac()
        answer = self.register(product, mac, passcode=passcode)
        assert answer["ok"], answer
        result = answer["result"]
        device = Device(self.port, result["did"], result["secret"], mac, product, passcode, **more)
        return device.come() if connect else device

    def terminal(self, app_id="test-app", login=True, device_id=None, **more):
        """Returns a connected terminal, which is logged in by default."""
        terminal = Terminal(self.port, app_id, self.apps[app_id]["secret"], **more)
        try:
            terminal.come()
        except AssertionError as error:  # The log has the gate's reason.
            raise AssertionError(f"{error}\n{self.service.tail()}") from None
        if login:
            terminal.login(device_id)
        return terminal

    def close(self):
        for client in (self.watcher, self.gateway):
            if client:
                client.close()
        self.service.close()


class Furnished:
    """The data of a stopped service with the test products and apps.

    Each process makes this data once, and most worlds start with a copy of the data.
    """

    def __init__(self):
        self.owner = os.getpid()
        self.service = Service(arguments=SETTINGS)
        self.world = World.__new__(World)
        self.world.service, self.world.secrets, self.world.apps = self.service, {}, {}
        try:
            self.service.start()
            self.world.furnish()
            self.service.stop()
        except BaseException:
            self.service.close()
            raise

    @staticmethod
    def fits(world):
        service = world.service
        return (type(world).furnish is World.furnish and type(service) is Service and not service.data.exists()
                and service.store == service.database)

    def copy_to(self, world):
        shutil.copytree(self.service.data, world.service.data)
        if world.service.database:
            postgres.shared().copy_database(self.service.database, world.service.database)
        world.secrets = dict(self.world.secrets)
        world.apps = {app_id: dict(app) for app_id, app in self.world.apps.items()}


_furnished = None


def furnished():
    """Returns the data that this process copies for its worlds."""
    global _furnished
    if _furnished is None or _furnished.owner != os.getpid():
        _furnished = Furnished()
    return _furnished


class Tool(Client):
    """A client with the worker role, which operators' tools also have."""

    def connect_as_watcher(self):
        code = self.connect()
        assert code == 0, f"tools refused: {code}"
        granted = self.subscribe(f"{TOPICS}/#")
        assert granted == 1, f"tools may not subscribe: {granted}"
        return self


_shared = None


def shared():
    """Returns the service shared by all tests that don't harm it."""
    global _shared
    if _shared is None:
        _shared = World()
    return _shared


def close_shared():
    global _shared, _furnished
    if _shared is not None:
        _shared.close()
        _shared = None
    if _furnished is not None:
        _furnished.service.close()
        _furnished = None


class EndToEnd(unittest.TestCase):
    """A test that uses the network, and fails if any message violates a schema."""

    longMessage = True
    own = None  # a world that no other tests use

    @property
    def world(self):
        return shared() if self.own is None else self.own

    def setUp(self):
        clients.violations.clear()
        self.addCleanup(self._no_violations)

    def _no_violations(self):
        found = list(dict.fromkeys(clients.violations))
        clients.violations.clear()
        self.assertEqual(found, [], "messages that break the schemas")

    def keep(self, client):
        """Closes the client when the test ends."""
        self.addCleanup(client.close)
        return client

    def device(self, *arguments, **more):
        return self.keep(self.world.device(*arguments, **more))

    def terminal(self, *arguments, **more):
        return self.keep(self.world.terminal(*arguments, **more))

    def pair(self, product=LAMP, **more):
        """Returns a device, and a terminal whose user has bound it and read its status."""
        device, terminal = self.device(product, **more), self.terminal()
        terminal.bind(device)
        terminal.status(device)
        return device, terminal

    def assertError(self, answer, code, field=None):
        error = answer.get("error", answer)
        self.assertEqual(error.get("code"), code, answer)
        if field is not None:
            # The field in an error is a path from the top of the request. The tests omit `params.` at the beginning of
            # the path.
            self.assertEqual(error.get("field", "").removeprefix("params."), field, answer)
        return error


class OwnWorld(EndToEnd):
    """A test class in which each test has its own service.

    This class must precede other base classes, so that their `setUp` can use the service.
    """

    def setUp(self):
        self.own = self.make_world()
        self.addCleanup(self.own.close)
        super().setUp()

    def make_world(self):
        return World(watch=False)


class OwnWorldOfClass(EndToEnd):
    """A test class whose tests share one service."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.own = cls.make_world()
        cls.addClassCleanup(cls.own.close)

    @classmethod
    def make_world(cls):
        return World(watch=False)
