"""For each problem, `notification/explain` must name the true reason and a cure that works."""

import concurrent.futures
import json
import re
import threading
import unittest
import zoneinfo
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric import ec

import client as clients
import tools
from accounts import COUNTRY, OTHER_PASSWORD, PASSWORD, Gateway, fresh_email, fresh_name
from client import fresh_id
from harness import ROOT, TOPICS, eventually
from pushservices import Apple, Google, WebPush, pem
from test_event_log import Server
from world import World

SETTINGS = ["--set", "outbound.privateTargets=127.0.0.1", "--set", "limits.deliveryBackoff=1"]
AT_ONCE = 12
MINUTES = 60_000
CASES = []


def case(plant):
    """Adds a case that creates a problem, yields the expected explanation, and applies the cure.

    The case's last event is then raised again. The service must send a push for it.
    """
    CASES.append(plant)
    return plant


class Told:
    """The outcomes that `explain` must report, and words that its reason and its error must contain."""

    def __init__(self, outcome, *why, push=None, error=(), terminal=None):
        self.outcome, self.why, self.push, self.terminal = outcome, why, push, terminal
        self.error = (error,) if isinstance(error, str) else error

    def misses(self, row, terminal):
        """Returns the expected facts that a row of `explain` doesn't contain."""
        ends = {end["terminalId"]: end for end in row["terminals"]}
        end = ends.get((self.terminal or terminal).terminal_id, {})
        missing = [word for word in self.why if word not in row["why"]]
        missing += [word for word in self.error if word not in end.get("error", "")]
        if row["outcome"] != self.outcome or end.get("outcome") != self.push:
            missing.append((self.outcome, self.push))
        return missing


class NoRow:
    """An event of which this user isn't notified."""


class Refused:
    """The service must refuse the request `notification/explain` with this code."""

    def __init__(self, code):
        self.code = code


class Stage:
    """A user with a terminal, and everything that a case needs to cause its problem."""

    def __init__(self, test, app="test-app", **login):
        self.test, self.world, self.app, self.open = test, test.world, app, []
        self.user = self.terminal(app, **login)
        self.asking = self.user  # the terminal that asks for reasons
        self.lamps, self.is_back, self.known, self.type, self.event = [], False, set(), None, None

    def keep(self, client):
        self.open.append(client)
        return client

    def close(self):
        for one in self.open:
            one.close()

    # Cases about the user's terminals and push addresses

    def terminal(self, app=None, **login):
        return self.keep(self.world.terminal(app or self.app, **login))

    def beside(self):
        """Starts again with a new user, and returns this user's second terminal.

        The second terminal requests the reasons."""
        self.installation = fresh_id("installation")
        self.user = self.terminal(device_id=self.installation)
        self.asking = self.terminal(device_id=self.installation)
        # The service notifies the first terminal about this login before that terminal has a push address.
        eventually(self.rows, 20, "the second login")
        return self.asking

    def subscribe(self, terminal=None):
        """Sets a new Web Push address that accepts pushes."""
        subscriber = self.test.web.subscribe()
        (terminal or self.user).get("notification/setPush", {"push": subscriber.push})
        return subscriber

    def answer(self, *answers):
        """Sets an address for Web Push; the next pushes to it get the given answers."""
        subscriber = self.subscribe()
        self.test.web.plans[subscriber.path] = list(answers)
        return subscriber

    def set_push(self, kind, plans=None, answers=(), **more):
        """Sets a fresh address of a kind; the next pushes to it get the given answers."""
        address = fresh_id(kind)
        if plans:
            plans.plans[address] = list(answers)
        self.user.get("notification/setPush", {"push": {"kind": kind, "address": address, **more}})
        return address

    def own_app(self, **push):
        """Creates an app with these push services, and returns the app's id.

        The rest of the case uses a new user of this app.
        """
        self.app = fresh_id("app")
        self.configure(**push)
        self.user = self.asking = self.terminal()
        return self.app

    def configure(self, **push):
        with self.test.importing:
            self.world.import_app(self.app, {**self.world.apps.get(self.app, {}), "products": "all", "push": push})

    def settings(self, **settings):
        self.user.get("notification/settings", settings)

    # Events

    @property
    def lamp(self):
        """Returns the user's lamp, which is made and bound on the first use."""
        if not self.lamps:
            self.lamps.append(self.keep(self.world.device()))
            self.user.bind(self.lamps[0])
        return self.lamps[0]

    def raises(self, type, event, *arguments, **more):
        """Raises an event, and remembers how to raise it again after the cure."""
        self.next(type, event, *arguments, **more)
        self.known = {row["eventId"] for row in self.rows()}
        self.event()

    def next(self, type, event, *arguments, **more):
        """Stores the event that `again` raises after the cure."""
        self.type, self.event = type, lambda: event(*arguments, **more)

    def report(self, **one):
        """The lamp reports an alert or a fault that wasn't active before."""
        for value in (False, True):
            self.lamp.report(**{kind: [{"name": name, "value": value}] for kind, name in one.items()})

    def smoke(self):
        self.raises("device.alert", self.report, alerts="smoke")

    def fault(self):
        self.raises("device.fault", self.report, faults="sensor")

    def away(self):
        """The lamp, which is online, goes offline."""
        self.lamp.report(data={"power": True})
        self.raises("device.offline", self.lamp.close)

    def message(self, kind="home"):
        """The maker's server sends the user a message."""
        self.raises("message", self.test.server.get, "notification/send", {
            "uid": self.user.uid, "title": "News", "text": "Version 2 is ready.", "kind": kind})

    def later(self, minutes):
        """Moves the stored times into the past, so that the test needn't wait."""
        where = f"WHERE uid = '{self.user.uid}'"
        self.world.service.sql(
            f"UPDATE notification SET ts = ts - {minutes * MINUTES}, dueAt = dueAt - {minutes * MINUTES} {where}")
        self.world.service.sql(
            f"UPDATE pushAddress SET countedFrom = countedFrom - {minutes * MINUTES}, "
            f"summaryAt = summaryAt - {minutes * MINUTES} {where}")

    def try_now(self):
        """Makes the terminal's waiting pushes due, so that the service tries them again at once."""
        self.world.service.sql(f"UPDATE delivery SET dueAt = 1 WHERE terminalId = '{self.user.terminal_id}'")

    # Reasons

    def rows(self):
        return self.asking.get("notification/explain")["reasons"]

    def fresh(self):
        """Returns the rows of the last event and of later similar events, newest first."""
        found = [row for row in self.rows() if row["eventId"] not in self.known and row["type"] == self.type]
        self.test.seen.update(row["why"] for row in found)
        return found

    def expect(self, expected):
        if isinstance(expected, Refused):
            error = self.asking.fail("notification/explain", {"did": self.lamp.did})
            assert error["code"] == expected.code, error
        elif isinstance(expected, NoRow):
            # The notifier handles events in order. Once it has handled a later event, it has also handled this event.
            before = self.known, self.type, self.event
            self.message()
            eventually(self.fresh, 20, "the message")
            self.known, self.type, self.event = before
            assert self.fresh() == [], self.fresh()
        else:
            def misses():
                found = self.fresh()
                return expected.misses(found[0], self.user) if found else "a row"
            eventually(lambda: not misses(), 30, lambda: f"{misses()}, missing in {self.fresh()[:2]},")

    def again(self):
        """Raises the event once more: now it must be pushed."""
        self.raises(self.type, self.event)
        eventually(lambda: any(row["outcome"] == "pushed" for row in self.fresh()), 30,
                   lambda: f"{self.fresh()[:2]}: the push")


# Cases in which the user has switched something off

def switched_off(stage, plant, raise_event, *told, **cure):
    """A case in which the settings `plant` cause a problem and `cure` solves it."""
    stage.subscribe()
    stage.settings(**plant)
    raise_event()
    yield Told(*told, "notification/settings")
    stage.settings(**cure)


@case
def devices_are_off(stage):
    yield from switched_off(stage, {"device": False}, stage.smoke, "off", "this kind", device=True)


@case
def homes_are_off(stage):
    yield from switched_off(stage, {"home": False}, stage.message, "off", "this kind", home=True)


@case
def pushes_of_the_account_are_off(stage):
    yield from switched_off(
        stage, {"system": False}, lambda: stage.message("system"), "shown", "`system`", system=True)


@case
def one_device_is_off(stage):
    did = stage.lamp.did
    yield from switched_off(stage, {"dids": {did: False}}, stage.smoke, "off", "`dids`", dids={did: True})


@case
def devices_that_are_offline_do_not_notify(stage):
    stage.subscribe()
    stage.away()
    yield Told("off", "`offlineMinutes` was 0", "notification/settings")
    stage.settings(offlineMinutes=1)
    stage.again = lambda: stays_offline(stage)


@case
def a_device_has_not_been_offline_for_long(stage):
    stage.subscribe()
    stage.settings(offlineMinutes=600)
    stage.away()
    yield Told("pending", "has not been offline", "Lower it with notification/settings")
    stage.settings(offlineMinutes=1)
    stage.again = lambda: stays_offline(stage)


@case
def a_device_returned_in_time(stage):
    stage.subscribe()
    stage.settings(offlineMinutes=600)
    stage.away()
    yield Told("pending", "has not been offline")
    stage.lamp.come()
    stage.is_back = True
    yield Told("off", "online again", "Lower it with notification/settings")
    stage.settings(offlineMinutes=1)
    stage.again = lambda: stays_offline(stage)


def stays_offline(stage):
    """The lamp goes offline again, and stays offline for longer than a minute."""
    if not stage.is_back:
        stage.lamp.come()
    stage.raises(stage.type, stage.event)
    stage.expect(Told("pending", "has not been offline"))
    stage.later(2)
    stage.expect(Told("pushed", push="pushed"))


# Quiet hours

def around_now(zone):
    """Returns quiet hours that began half an hour ago and last an hour."""
    now = datetime.now(zoneinfo.ZoneInfo(zone))
    return {"from": f"{now - timedelta(minutes=30):%H:%M}", "to": f"{now + timedelta(minutes=30):%H:%M}"}


@case
def quiet_hours(stage):
    stage.subscribe()
    stage.settings(quiet={**around_now("UTC"), "timezone": "UTC"})
    stage.smoke()
    yield Told("held", "quiet hours", "notification/settings")
    stage.settings(quiet=None)
    stage.later(600)


@case
def quiet_hours_of_a_zone(stage):
    stage.subscribe()
    hours = around_now("Asia/Kolkata")
    stage.settings(quiet={**hours, "timezone": "Asia/Kolkata"})
    stage.message()
    yield Told("held", "quiet hours", "`quiet`")
    stage.settings(quiet={**hours, "timezone": "UTC"})


@case
def quiet_hours_of_the_profiles_zone(stage):
    stage.subscribe()
    stage.user.get("account/updateProfile", {"timezone": "Asia/Tokyo"})
    stage.settings(quiet=around_now("Asia/Tokyo"))
    stage.message()
    yield Told("held", "quiet hours", "`quiet`")
    stage.user.get("account/updateProfile", {"timezone": "UTC"})


@case
def read_before_the_quiet_hours_ended(stage):
    stage.subscribe()
    stage.settings(quiet={**around_now("UTC"), "timezone": "UTC"})
    stage.message()
    yield Told("held", "quiet hours")
    stage.user.get("notification/markRead", {"all": True})
    stage.later(600)
    yield Told("shown", "read before the end of the quiet hours", "notification/settings")
    stage.settings(quiet=None)


# Cases about devices and other users

@case
def not_subscribed(stage):
    stage.subscribe()
    stage.user.get("device/subscribe", {"did": stage.lamp.did, "subscribed": False})
    stage.smoke()
    yield Told("notSubscribed", "device/subscribe")
    stage.user.get("device/subscribe", {"did": stage.lamp.did, "subscribed": True})


@case
def unbound_while_the_device_was_offline(stage):
    stage.subscribe()
    stage.settings(offlineMinutes=600)
    stage.away()
    yield Told("pending", "has not been offline")
    stage.user.get("device/unbind", {"did": stage.lamp.did})
    stage.later(601)
    yield Told("notSubscribed", "no longer bound", "device/bind")
    stage.user.bind(stage.lamp)
    stage.settings(offlineMinutes=1)
    stage.again = lambda: stays_offline(stage)


@case
def not_bound(stage):
    stage.subscribe()
    stage.lamp.report(data={"power": True})
    stage.user.get("device/unbind", {"did": stage.lamp.did})
    stage.smoke()
    yield NoRow()
    yield Refused("NotBound")
    stage.user.bind(stage.lamp)


def share(owner, guest, lamp):
    id = owner.get("share/invite", {
        "did": lamp.did, "way": "user", "guest": {"type": "uid", "value": guest.uid}})["sharingId"]
    guest.get("share/answer", {"sharingId": id, "accept": True})


@case
def the_user_left_the_device(stage):
    stage.subscribe()
    owner, lamp = stage.terminal(), stage.keep(stage.world.device())
    owner.bind(lamp)
    share(owner, stage.user, lamp)
    stage.raises("device.unbound", stage.user.get, "device/unbind", {"did": lamp.did})
    yield NoRow()
    share(owner, stage.user, lamp)
    stage.next("device.unbound", owner.get, "device/removeUser", {"did": lamp.did, "uid": stage.user.uid})


@case
def the_user_gave_the_device_away(stage):
    stage.subscribe()
    heir = stage.terminal()
    share(stage.user, heir, stage.lamp)
    stage.raises("device.unbound", stage.user.get, "share/transfer", {"did": stage.lamp.did, "uid": heir.uid})
    yield NoRow()
    share(heir, stage.user, stage.lamp)
    stage.next("device.unbound", heir.get, "device/removeUser", {"did": stage.lamp.did, "uid": stage.user.uid})


@case
def no_event_that_notifies(stage):
    stage.subscribe()
    stage.raises("device.status", stage.lamp.report, data={"power": True})
    yield NoRow()
    stage.next("device.alert", stage.report, alerts="smoke")


@case
def a_message_to_the_users_of_another_app(stage):
    stage.subscribe()
    stage.lamp.report(data={"power": True})
    app = fresh_id("app")
    with stage.test.importing:
        stage.world.import_app(app, {"products": "all"})
    other = stage.keep(Server(stage.world, app, "notification").come())
    message = {"did": stage.lamp.did, "title": "News", "text": "Version 2 is ready."}
    stage.raises("message", other.get, "notification/send", message)
    known = stage.known
    stage.fault()
    yield Told("pushed", push="pushed")
    stage.known = known
    stage.next("message", stage.test.server.get, "notification/send", message)
    assert stage.fresh() == [], stage.fresh()


@case
def the_user_was_erased(stage):
    stage.subscribe()
    stage.smoke()
    yield Told("pushed", push="pushed")
    stage.world.service.cli("user", "erase", stage.user.uid, "--yes")
    token, stage.asking = stage.user.token, stage.terminal(login=False, terminal_id=stage.user.terminal_id)
    stage.asking.token = token
    yield Refused("InvalidToken")
    stage.user = stage.asking = stage.terminal()
    stage.subscribe()
    stage.user.bind(stage.lamp)


# Cases about similar events and the number of events

@case
def counted_in_an_earlier_notification(stage):
    stage.subscribe()
    stage.smoke()
    yield Told("pushed", push="pushed")
    first, = stage.fresh()
    stage.smoke()
    yield Told("collapsed", "less than 10 minutes old", "after that is notified")
    assert stage.fresh()[0]["notificationId"] == first["notificationId"]
    stage.later(11)


@case
def sixty_pushes_within_an_hour(stage):
    stage.subscribe()
    stage.world.service.sql(f"UPDATE pushAddress SET pushes = 60 WHERE uid = '{stage.user.uid}'")
    stage.message()
    yield Told("limited", "60 pushes", "After the hour", push="limited")
    stage.later(60)


@case
def trimmed(stage):
    stage.subscribe()
    stage.message()
    yield Told("pushed", push="pushed")
    first, = stage.fresh()
    columns = "uid, kind, type, subject, title, text, data, isRead, count, hidden, outcome, why, pushes"
    stage.world.service.sql(f"""
        INSERT INTO notification (notificationId, eventId, ts, {columns})
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
        SELECT notificationId || n, eventId || n, ts + 1, {columns} FROM notification, number
        WHERE uid = '{stage.user.uid}'""")
    stage.message()
    yield Told("pushed", push="pushed")
    told = stage.asking.get("notification/explain", {"from": first["ts"], "to": first["ts"]})["reasons"]
    assert told == [], told
    stage.user.get("notification/delete", {"all": True})


@case
def older_than_a_week(stage):
    stage.subscribe()
    stage.settings(home=False)
    stage.message()
    yield Told("off", "this kind")
    stage.later(8 * 24 * 60)
    eventually(lambda: stage.fresh() == [], 30, "the end of the reason")
    stage.settings(home=True)


# Addresses and sessions

@case
def no_address(stage):
    stage.message()
    yield Told("noAddress", "notification/setPush after each login")
    stage.subscribe()


@case
def the_address_was_removed(stage):
    stage.subscribe()
    stage.user.get("notification/setPush", {"push": None})
    stage.message()
    yield Told("noAddress", "notification/setPush")
    stage.subscribe()


@case
def the_address_moved_to_another_terminal(stage):
    subscriber, other = stage.subscribe(), stage.terminal()
    other.get("notification/setPush", {"push": subscriber.push})
    stage.message()
    yield Told("noAddress", "notification/setPush")
    stage.user.get("notification/setPush", {"push": subscriber.push})


def session_ended(stage, end):
    """A case where the session of the only terminal with a push address ends."""
    stage.beside()
    stage.subscribe()
    end(stage.user)
    stage.message()
    yield Told("noAddress", "after each login")
    return_of(stage)


def return_of(stage):
    """Logs in again on the terminal whose session has ended, and sets an address."""
    stage.user = stage.terminal(device_id=stage.installation, terminal_id=stage.user.terminal_id)
    stage.subscribe()


@case
def logged_out(stage):
    yield from session_ended(stage, lambda terminal: terminal.get("account/logout"))


@case
def ended_by_an_operator(stage):
    yield from session_ended(
        stage, lambda terminal: stage.world.service.cli("session", "terminate", terminal.session_id))


@case
def expired(stage):
    def expire(terminal):
        sql, where = stage.world.service.sql, f"WHERE sessionId = '{terminal.session_id}'"
        sql(f"UPDATE session SET expiresAt = 1 {where}")
        eventually(lambda: sql(f"SELECT endReason FROM session {where}") == [("expired",)], 30, "the session's end")
    yield from session_ended(stage, expire)


@case
def ended_while_the_push_waited(stage):
    stage.beside()
    stage.answer(*[(503, b"", {})] * 9)
    stage.message()
    yield Told("pending", "tried again", push="pending", error="503")
    stage.user.get("account/logout")
    yield Told("noAddress", "after each login", push="noAddress", error=("ended", "after the login"))
    return_of(stage)


def register(stage):
    """Begins anew with a user who has a password, and returns the user's name."""
    name = fresh_name()
    stage.user = stage.asking = stage.terminal(login=False)
    stage.user.adopt(stage.user.get("account/register", {
        "countryCode": COUNTRY, "username": name, "password": PASSWORD}))
    return name


def log_in(stage, name, password=PASSWORD, **more):
    terminal = stage.terminal(login=False, **more)
    terminal.adopt(terminal.get("account/login", {"countryCode": COUNTRY, "username": name, "password": password}))
    return terminal


def bind_email(stage, terminal):
    """Changes the user's e-mail address on a terminal."""
    email = fresh_email()
    terminal.get("account/sendCode", {"countryCode": COUNTRY, "purpose": "bind", "email": email})
    code = stage.test.gateway.taken(email)["params"]["code"]
    terminal.get("account/bindEmail", {"countryCode": COUNTRY, "email": email, "code": code})


@case
def ended_by_a_new_password(stage):
    name = register(stage)
    other = stage.asking = log_in(stage, name)
    stage.subscribe()
    stage.raises("account.changed", other.get, "account/changePassword", {
        "oldPassword": PASSWORD, "newPassword": OTHER_PASSWORD})
    yield Told("noAddress", "after each login")
    stage.user = log_in(stage, name, OTHER_PASSWORD, terminal_id=stage.user.terminal_id)
    stage.subscribe()
    stage.next("account.changed", bind_email, stage, other)


@case
def the_terminal_that_logs_in_is_spared(stage):
    id = fresh_id("installation")
    stage.user = stage.asking = stage.terminal(device_id=id)
    stage.subscribe()
    # The new terminal sets its push address before the notifier reads the login's event.
    other = stage.terminal(login=False)
    stage.world.service.sql(
        f"UPDATE pushAddress SET terminalId = '{other.terminal_id}' WHERE terminalId = '{stage.user.terminal_id}'")
    stage.raises("session.started", other.login, id)
    yield Told("shown", "Only the terminal that logged in", "notification/setPush on the others")
    stage.subscribe()
    stage.next("session.started", stage.terminal, device_id=id)


@case
def no_other_terminal_was_logged_in(stage):
    id = fresh_id("installation")
    stage.user = stage.asking = stage.terminal(device_id=id)
    stage.next("session.started", stage.terminal, device_id=id)
    stage.subscribe()
    yield NoRow()


# Cases about the answers of push services

def refused(stage, *answers, error, address=None):
    """Causes a push that the push service refuses, and yields the expected explanation.

    The caller applies the cure.
    """
    (address or stage.answer)(*answers)
    stage.message()
    yield Told("failed", "the error of each terminal", push="failed", error=error)


@case
def gone_from_web_push(stage):
    yield from refused(stage, (410, b"", {}), error=("gone", "the app sets a new one"))
    stage.subscribe()


@case
def unknown_to_web_push(stage):
    yield from refused(stage, (404, b"", {}), error=("gone", "the app sets a new one"))
    stage.subscribe()


@case
def too_long_for_web_push(stage):
    yield from refused(stage, (413, b"", {}), error=("413", "too long"))


@case
def web_push_refuses_the_apps_key(stage):
    yield from refused(stage, *[(403, b"", {})] * 3, error=("403", "vapidKey", "subscribe again"))
    stage.subscribe()


@case
def the_subscriptions_keys_are_not_valid(stage):
    push = {**stage.test.web.subscribe().push, "keys": {"p256dh": "BA", "auth": "BB"}}
    yield from refused(stage, error=("p256dh", "subscribe again"),
                       address=lambda: stage.user.get("notification/setPush", {"push": push}))
    stage.subscribe()


@case
def web_push_fails_for_now(stage):
    stage.answer(*[(503, b"", {})] * 2)
    stage.message()
    yield Told("pending", "Ask again in a minute", push="pending", error="answered 503")
    yield Told("pushed", push="pushed")


@case
def web_push_is_busy(stage):
    stage.answer((429, b"", {"Retry-After": 2}))
    stage.message()
    yield Told("pending", "tried again", push="pending", error="answered 429")
    yield Told("pushed", push="pushed")


@case
def web_push_is_not_reached(stage):
    subscriber = stage.answer(*["drop"] * 50)
    stage.message()
    yield Told("pending", "tried again", push="pending", error="was not reached")
    stage.test.web.plans[subscriber.path].clear()
    yield Told("pushed", push="pushed")


def refused_at(kind, name, *answers, words, **again):
    """Adds a case in which FCM or APNs refuses a push.

    The cure is a new address, to which `again` adds further values. If `again` is empty, the push service accepts the
    next push, and no cure is needed.
    """
    def plant(stage):
        provider = stage.test.google if kind == "fcm" else stage.test.apple
        yield from refused(stage, error=words, address=lambda: stage.set_push(kind, provider, answers))
        if again:
            stage.set_push(kind, **again)
    plant.__name__ = name
    case(plant)


NEW = {"sandbox": False}  # a new address
for arguments, words, again in (
        (("fcm", "unregistered_at_google", Google.error(404, "UNREGISTERED")), ("gone", "the app sets a new one"), NEW),
        (("fcm", "of_another_firebase_project", Google.error(403, "SENDER_ID_MISMATCH")),
         ("another Firebase project", "push.fcm"), NEW),
        (("fcm", "no_token_of_google", Google.error(400, "INVALID_ARGUMENT")),
         ("INVALID_ARGUMENT", "the app sets the token"), NEW),
        (("fcm", "google_does_not_know_the_project", *[Google.error(404, "NOT_FOUND")] * 3),
         ("404", "push.fcm.serviceAccount"), {}),
        (("apns", "unregistered_at_apple", Apple.error(410, "Unregistered")), ("gone", "the app sets a new one"), NEW),
        (("apns", "a_token_of_apples_test_environment", Apple.error(400, "BadDeviceToken")),
         ("BadDeviceToken", "`sandbox` of notification/setPush"), {"sandbox": True}),
        (("apns", "too_long_for_apple", Apple.error(413, "PayloadTooLarge")), "too long", {})):
    refused_at(*arguments, words=words, **again)


# Cases about the maker's configuration

def configured(stage, kind, plant, *told, cure, **more):
    """A case with a mistake in the app's document, which the maker corrects."""
    stage.own_app(**plant)
    stage.set_push(kind)
    stage.fault()
    yield Told(*told, **more)
    stage.configure(**cure)
    stage.later(11)


@case
def no_service_account_of_google(stage):
    yield from configured(stage, "fcm", {}, "notConfigured", "`push` in the app's document", push="notConfigured",
                          cure={"fcm": stage.test.google.settings()})


@case
def no_key_of_apple(stage):
    yield from configured(stage, "apns", {}, "notConfigured", "`push` in the app's document", push="notConfigured",
                          cure={"apns": stage.test.apple.settings()})


@case
def a_wrong_key_of_google(stage):
    right = stage.test.google.settings()
    wrong = stage.test.other_google.settings(token_uri=right["serviceAccount"]["token_uri"])
    yield from configured(stage, "fcm", {"fcm": wrong}, "failed", push="failed",
                          error=("invalid_grant", "push.fcm.serviceAccount"), cure={"fcm": right})


@case
def a_wrong_key_of_apple(stage):
    right = stage.test.apple.settings()
    wrong = {**right, "key": pem(stage.test.other_key)}
    yield from configured(stage, "apns", {"apns": wrong}, "failed", push="failed",
                          error=("InvalidProviderToken", "push.apns"), cure={"apns": right})


@case
def no_gateway_answers(stage):
    address = stage.set_push("gateway")
    stage.message()
    yield Told("pending", "on its way", push="pending")
    # The service waits 20 s for the gateway's answer to the first try. The test doesn't wait as long.
    stage.try_now()
    yield Told("pending", "tried again", push="pending", error=("No gateway", "whether one is connected"))
    stage.test.gateway.answers[address] = {"ok": True}
    stage.try_now()
    yield Told("pushed", push="pushed")


@case
def the_gateway_refuses_the_address(stage):
    def address():
        stage.test.gateway.answers[stage.set_push("gateway")] = {"ok": False, "error": "no such token", "final": True}
    yield from refused(stage, error="no such token", address=address)
    stage.test.gateway.answers[stage.set_push("gateway")] = {"ok": True}


@case
def one_of_two_terminals_is_gone(stage):
    other = stage.beside()
    stage.subscribe(other)
    stage.answer((410, b"", {}))
    stage.message()
    yield Told("pushed", push="failed", error=("gone", "the app sets a new one"))
    yield Told("pushed", push="pushed", terminal=other)
    stage.subscribe()


class PushGateway(Gateway):
    """A gateway that confirms only the pushes to the addresses that it knows."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.answers = {}

    def come(self):
        super().come()
        assert self.subscribe(f"{TOPICS}/system/outbound/push") == 1
        return self

    def _on_message(self, client, data, raw):
        if not raw.topic.endswith("/push"):
            return super()._on_message(client, data, raw)
        body = json.loads(raw.payload)
        if answer := self.answers.get(body["to"]):
            self.paho.publish(f"{TOPICS}/system/outbound/result",
                              json.dumps({"messageId": body["messageId"], **answer}), 1)


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tools.use()
        cls.google, cls.other_google, cls.apple, cls.web = Google(), Google(), Apple(), WebPush()
        cls.other_key, cls.importing, cls.seen = ec.generate_private_key(ec.SECP256R1()), threading.Lock(), set()
        for service in (cls.google, cls.other_google, cls.apple, cls.web):
            cls.addClassCleanup(service.close)
        cls.world = World(watch=False, settings=SETTINGS)
        cls.addClassCleanup(cls.world.close)
        service = cls.world.service
        cls.world.import_app("test-app", {
            **cls.world.apps["test-app"], "push": {"fcm": cls.google.settings(), "apns": cls.apple.settings()}})
        cls.server = Server(cls.world, scope="notification").come()
        cls.addClassCleanup(cls.server.close)
        names = service.ready["service"]
        cls.gateway = PushGateway(
            cls.world.port, names["username"], names["password"], names["clientIdPrefix"] + "gateway").come()
        cls.addClassCleanup(cls.gateway.close)

    def play(self, plant):
        """Runs a case, and returns its error, or None if it passes."""
        stage = Stage(self)
        try:
            for expected in plant(stage):
                stage.expect(expected)
            stage.again()
            return None
        except Exception as error:
            return error
        finally:
            stage.close()

    def test_an_invalid_key_is_refused_before_any_push(self):
        google, apple = self.google.settings(), self.apple.settings()
        google["serviceAccount"]["private_key"] = apple["key"] = "no key"
        for kind, settings, field in (("fcm", google, "serviceAccount.private_key"), ("apns", apple, "key")):
            with self.subTest(kind), self.assertRaisesRegex(AssertionError, f"push.{kind}.{field}"):
                self.world.import_app("none", {"products": "all", "push": {kind: settings}})

    def test_each_planted_cause_is_named_and_its_cure_works(self):
        clients.violations.clear()
        self.assertGreaterEqual(len(CASES), 30)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for plant, error in zip(CASES, pool.map(self.play, CASES)):
                with self.subTest(plant.__name__):
                    if error is not None:
                        raise error
        self.assertEqual(clients.violations, [])
        text = (ROOT / "Sources/Domain/Notifications/Notification.swift").read_text(encoding="utf-8")
        sentences = re.findall(r'\.\w+:\s+"([^"]+)"', text)
        self.assertGreater(len(sentences), 15)
        self.assertEqual([one for one in sentences if one not in self.seen], [], "reasons without a case")


if __name__ == "__main__":
    unittest.main()
