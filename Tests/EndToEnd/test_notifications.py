"""What users are notified of, what the message centre keeps, and why notifications aren't sent."""

import time
import unittest

from client import fresh_id
from harness import eventually
from sharing import Sharing
from test_event_log import Server

WEB_PUSH = {"kind": "webpush", "address": "https://push.example.com/abc", "keys": {"p256dh": "BA", "auth": "BB"}}


class Notifications(Sharing):
    def web_push(self):
        return {**WEB_PUSH, "address": f"https://push.example.com/{fresh_id()}"}

    def told(self, terminal, where=lambda body: True, **more):
        """Returns the next change of the message centre that the terminal receives."""
        return terminal.expect(f"user/{terminal.uid}/notification", where, **more).body

    def list(self, terminal, **params):
        return terminal.get("notification/list", params)["notifications"]

    def reasons(self, terminal, device=None, count=1, **params):
        """Returns the decisions about a device's events, newest first, as soon as there are at least `count`
        decisions."""
        if device is not None:
            params["did"] = device.did

        def enough():
            found = [r for r in terminal.get("notification/explain", params)["reasons"] if r["type"] != "session.started"]
            return found if len(found) >= count else None
        return eventually(enough, what=f"{count} decisions")

    def smoke(self, device, value=True):
        device.report(alerts=[{"name": "smoke", "value": value}])

    # The events that users are notified of

    def test_an_alert_is_notified_counted_and_cleared(self):
        lamp, terminal = self.pair()
        self.smoke(lamp)
        first = self.told(terminal)
        self.assertEqual((first["change"], first["kind"], first["type"], first["did"]),
                         ("added", "device", "device.alert", lamp.did))
        self.assertEqual((first["title"], first["text"]), ("Test lamp", "Test lamp reports the alert smoke."))
        self.assertEqual((first["unread"], first["count"]), ({"device": 1, "home": 0, "system": 0}, 1))
        self.smoke(lamp, False)
        cleared = self.told(terminal)
        self.assertEqual((cleared["change"], cleared["notificationId"]), ("changed", first["notificationId"]))
        self.assertIn("clearedAt", cleared)
        self.smoke(lamp)
        again = self.told(terminal)
        self.assertEqual((again["notificationId"], again["count"]), (first["notificationId"], 2))
        self.assertNotIn("clearedAt", again)
        row, = self.list(terminal)
        self.assertEqual({**again, "change": 0, "unread": 0}, {**row, "change": 0, "unread": 0})
        newest, oldest = self.reasons(terminal, lamp, 2)
        self.assertEqual((newest["outcome"], newest["notificationId"]), ("collapsed", first["notificationId"]))
        self.assertEqual((oldest["outcome"], oldest["notificationId"]), ("noAddress", first["notificationId"]))

    def test_read_and_deleted_on_all_terminals(self):
        lamp, terminal = self.pair()
        self.smoke(lamp)
        lamp.report(faults=[{"name": "sensor"}])
        ids = [self.told(terminal)["notificationId"] for _ in range(2)]
        page = terminal.get("notification/list", {"limit": 1})
        self.assertEqual(page["unread"]["device"], 2)
        rest = terminal.get("notification/list", {"limit": 1, "cursor": page["cursor"]})
        self.assertNotIn("cursor", rest)
        self.assertEqual({row["notificationId"] for row in page["notifications"] + rest["notifications"]}, set(ids))
        self.assertEqual(terminal.get("notification/markRead", {"notificationIds": ids[:1]})["unread"]["device"], 1)
        read = self.told(terminal)
        self.assertEqual((read["notificationId"], read["read"], read["unread"]["device"]), (ids[0], True, 1))
        self.assertEqual([row["notificationId"] for row in self.list(terminal, unread=True)], ids[1:])
        other, stranger = self.pair()[1], self.terminal()
        for method in ("markRead", "delete"):
            self.assertError(stranger.fail(f"notification/{method}", {"notificationIds": ids}), "ResourceNotFound")
            self.assertError(other.fail(f"notification/{method}", {"notificationIds": [ids[0]]}), "ResourceNotFound")
        self.assertEqual(terminal.get("notification/markRead", {"all": True, "kind": "home"})["unread"]["device"], 1)
        self.assertEqual(terminal.get("notification/delete", {"all": True, "kind": "device"})["unread"]["device"], 0)
        self.assertEqual({self.told(terminal)["notificationId"] for _ in range(2)}, set(ids))
        self.assertEqual(self.list(terminal), [])

    def test_the_other_side_is_notified_of_invitations_and_roles(self):
        lamp, owner = self.pair()
        guest = self.terminal()
        sharing = self.invite(owner, lamp, guest)["sharingId"]
        invited = self.told(guest)
        self.assertEqual((invited["type"], invited["kind"], invited["data"]), (
            "share.changed", "home", {"sharingId": sharing}))
        guest.get("share/answer", {"sharingId": sharing, "accept": True})
        self.assertEqual(self.told(owner)["text"], "Your invitation to use Test lamp was accepted.")
        owner.get("device/removeUser", {"did": lamp.did, "uid": guest.uid})
        removed = self.told(guest, lambda b: b["type"] == "device.unbound")
        self.assertEqual(removed["title"], "Test lamp was removed")
        owner.get("device/unbind", {"did": lamp.did})
        time.sleep(0.5)
        self.assertNotIn("device.unbound", [row["type"] for row in self.list(owner)])

    def test_another_login_is_notified(self):
        id = fresh_id("installation")
        first, second = self.terminal(device_id=id), self.terminal(device_id=id)
        self.assertEqual(first.uid, second.uid)
        told = self.told(first)
        self.assertEqual((told["kind"], told["type"]), ("system", "session.started"))

    def test_a_device_that_stays_offline(self):
        lamp, terminal = self.pair()
        lamp.close()
        reason, = self.reasons(terminal, lamp)
        self.assertEqual((reason["type"], reason["outcome"]), ("device.offline", "off"))
        self.assertIn("offlineMinutes", reason["why"])
        terminal.get("notification/settings", {"offlineMinutes": 1})
        lamp, terminal2 = self.pair()
        terminal2.get("notification/settings", {"offlineMinutes": 1})
        lamp.close()
        self.assertEqual(self.reasons(terminal2, lamp)[0]["outcome"], "pending")
        lamp.come()
        eventually(lambda: self.reasons(terminal2, lamp)[0]["outcome"] == "off")
        self.assertIn("online again", self.reasons(terminal2, lamp)[0]["why"])
        lamp.close()
        told = self.told(terminal2, seconds=80)
        self.assertEqual((told["type"], told["text"]), ("device.offline", "Test lamp has been offline for 1 min."))

    # Settings

    def test_settings_are_stored_and_applied(self):
        lamp, terminal = self.pair()
        settings = terminal.get("notification/settings")
        self.assertEqual(settings, {"device": True, "home": True, "system": True, "dids": {}, "offlineMinutes": 0})
        quiet = {"from": "22:00", "to": "07:00", "timezone": "Europe/Berlin"}
        changed = terminal.get("notification/settings", {"dids": {lamp.did: False}, "quiet": quiet})
        self.assertEqual((changed["dids"], changed["quiet"]), ({lamp.did: False}, quiet))
        self.smoke(lamp)
        reason, = self.reasons(terminal, lamp)
        self.assertEqual((reason["outcome"], "notificationId" in reason), ("off", False))
        self.assertNotIn("quiet", terminal.get("notification/settings", {"dids": {lamp.did: True}, "quiet": None}))
        terminal.get("notification/settings", {"device": False})
        lamp.report(faults=[{"name": "sensor"}])
        self.assertIn("kind", self.reasons(terminal, lamp, 2)[0]["why"])
        self.assertEqual(self.list(terminal), [])
        for wrong, field in (({"quiet": {"from": "22:00", "to": "22:00"}}, "quiet.to"), ({"dids": {"x": 1}}, "dids"),
                             ({"quiet": {"from": "22:00", "to": "07:00", "timezone": "Mars"}}, "quiet.timezone")):
            self.assertError(terminal.fail("notification/settings", wrong), "InvalidRequest", field)

    def test_a_user_without_a_subscription(self):
        lamp, terminal = self.pair()
        terminal.get("device/subscribe", {"did": lamp.did, "subscribed": False})
        self.smoke(lamp)
        reason, = self.reasons(terminal, lamp)
        self.assertEqual((reason["outcome"], self.list(terminal)), ("notSubscribed", []))
        self.assertError(self.terminal().fail("notification/explain", {"did": lamp.did}), "NotBound")

    def test_the_users_language_and_an_apps_own_texts(self):
        smoke = {"en": {"subject": "Smoke!", "text": "{device} detects smoke."}, "de": {"text": "Rauch: {device}"}}
        self.world.import_app("app-with-texts", {"products": "all", "texts": {"device.alert.smoke": smoke}})
        words = {"en": ("Smoke!", "Test lamp detects smoke."), "de-CH": ("Test lamp", "Rauch: Test lamp"),
                 "zh-CN": ("Test lamp", "Test lamp 报警：smoke。")}
        for language, text in words.items():
            lamp, terminal = self.device(), self.terminal("app-with-texts")
            terminal.get("account/updateProfile", {"language": language})
            terminal.bind(lamp)
            self.smoke(lamp)
            told = self.told(terminal)
            self.assertEqual((told["title"], told["text"]), text)
            terminal.get("device/unbind", {"did": lamp.did})

    # The maker's messages

    def test_a_makers_server_notifies_a_user_and_a_devices_users(self):
        server = self.keep(Server(self.world, scope="notification").come())
        lamp, terminal = self.pair()
        message = {"title": "News", "text": "Version 2 is ready."}
        sent = server.get("notification/send", {"uid": terminal.uid, **message})
        self.assertEqual(sent, {"notifications": 1})
        told = self.told(terminal)
        self.assertEqual((told["type"], told["kind"], told["title"], told["text"]), (
            "message", "system", "News", "Version 2 is ready."))
        server.get("notification/send", {"did": lamp.did, "data": {"page": "filter"}, **message})
        told = self.told(terminal)
        self.assertEqual((told["kind"], told["did"], told["data"]), ("device", lamp.did, {"page": "filter"}))
        self.assertError(server.fail("notification/send", message), "InvalidRequest", "uid")
        self.assertError(server.fail("notification/send", {"uid": "u-0000000000000", **message}), "ResourceNotFound")
        self.assertError(terminal.fail("notification/send", {"uid": terminal.uid, **message}), "Forbidden")
        rows = server.get("notification/list", {}, uid=terminal.uid)["notifications"]
        self.assertEqual(len(rows), 2)
        self.assertError(server.fail("notification/setPush", {"push": None}, uid=terminal.uid), "Forbidden")

    # Push addresses

    def test_a_push_address_ends_with_the_session_and_moves_to_another_terminal(self):
        lamp, terminal = self.pair()
        self.assertEqual(terminal.get("notification/test"), {"state": "noAddress"})
        pushed = terminal.get("notification/setPush", {"push": WEB_PUSH})["push"]
        self.assertEqual(pushed["kind"], "webpush")
        session, = terminal.get("session/list")["sessions"]
        self.assertEqual(session["push"], pushed)
        self.smoke(lamp)
        reason, = self.reasons(terminal, lamp)
        self.assertNotEqual(reason["outcome"], "noAddress")
        self.assertEqual([row["terminalId"] for row in reason["terminals"]], [terminal.terminal_id])
        other = self.terminal()
        other.get("notification/setPush", {"push": WEB_PUSH})
        self.assertNotIn("push", terminal.get("session/list")["sessions"][0])
        payload = self.world.service.sql(f"SELECT address FROM pushAddress WHERE uid = '{other.uid}'")[0][0]
        self.assertNotIn("push.example.com", payload)
        other.get("account/logout")
        self.assertEqual(self.world.service.sql(f"SELECT kind FROM pushAddress WHERE uid = '{other.uid}'"), [])
        self.assertError(terminal.fail("notification/setPush", {"push": {"kind": "webpush", "address": "https://a.example"}}),
                         "InvalidRequest", "push.keys")
        self.assertError(terminal.fail("notification/setPush", {"push": {**WEB_PUSH, "address": "http://127.0.0.1/"}}),
                         "InvalidRequest", "push.address")


    def test_pushes_wait_for_the_end_of_the_quiet_hours_but_not_those_of_faults(self):
        lamp, terminal = self.pair()
        terminal.get("notification/setPush", {"push": self.web_push()})
        begin, end = (time.strftime("%H:%M", time.gmtime(time.time() + shift)) for shift in (-60, 60))
        terminal.get("notification/settings", {"quiet": {"from": begin, "to": end, "timezone": "UTC"}})
        lamp.report(faults=[{"name": "sensor"}])
        self.assertNotEqual(self.reasons(terminal, lamp)[0]["outcome"], "held")
        self.smoke(lamp)
        self.assertEqual(self.reasons(terminal, lamp, 2)[0]["outcome"], "held")
        eventually(lambda: self.reasons(terminal, lamp, 2)[0]["outcome"] != "held", 80, "the end of the quiet hours")
        self.assertEqual(len(self.reasons(terminal, lamp, 2)[0]["terminals"]), 1)

    def test_a_terminal_gets_60_pushes_an_hour_and_then_their_number(self):
        lamp, terminal = self.pair()
        terminal.get("notification/setPush", {"push": self.web_push()})
        sql, where = self.world.service.sql, f"WHERE uid = '{terminal.uid}'"
        sql(f"UPDATE pushAddress SET pushes = 60 {where}")
        self.smoke(lamp)
        self.assertEqual(self.reasons(terminal, lamp)[0]["outcome"], "limited")
        self.assertEqual(sql(f"SELECT leftOut FROM pushAddress {where}"), [("1",)])
        self.assertError(terminal.fail("notification/test"), "TooManyRequests")
        sql(f"UPDATE pushAddress SET countedFrom = countedFrom - 3600000, summaryAt = summaryAt - 3600000 {where}")
        eventually(lambda: sql(f"SELECT leftOut, pushes FROM pushAddress {where}") == [("0", "1")])
        lamp.report(faults=[{"name": "sensor"}])
        self.assertNotEqual(self.reasons(terminal, lamp, 2)[0]["outcome"], "limited")

    def test_the_oldest_above_500_are_deleted(self):
        lamp, terminal = self.pair()
        self.smoke(lamp)
        self.told(terminal)
        columns = "uid, kind, type, subject, title, text, data, isRead, count, hidden, outcome, why, pushes"
        self.world.service.sql(f"""
            INSERT INTO notification (notificationId, eventId, ts, {columns})
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 510)
            SELECT notificationId || n, eventId || n, ts - n, {columns} FROM notification, number WHERE uid = '{terminal.uid}'
            """)
        lamp.report(faults=[{"name": "sensor"}])
        self.assertEqual(self.told(terminal)["unread"]["device"], 500)


if __name__ == "__main__":
    unittest.main()
