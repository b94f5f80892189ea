"""Operators' view of messages and their senders: outcomes, failures with reasons, and trials."""

import json
import re
import urllib.parse

import contract
import postgres
from accounts import COUNTRY, PASSWORD, fresh_email
from console import Console, problems
from harness import eventually, free_port
from mailserver import TextServer
from post import Post
from provider import Provider

OURS = "our-client-id"
ROLES = ["viewer", "operator", "admin"]


class Watched(Post):
    """A service that sends messages itself, with an operator of each role."""

    def watch(self, settings):
        self.serve(settings)
        for role in ROLES:
            self.own.service.cli("operator", "add", f"one-{role}", "--role", role)
        self.tokens = {role: self.own.service.json("operator", "token", f"one-{role}", "--label", "tests")["token"]
                       for role in ROLES}
        return self.console("operator")

    def console(self, role):
        return Console(self.own.service, self.tokens[role])

    def keeps_to(self, operation, answer):
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(problems(operation, answer.json), [])
        return answer.json

    def messages(self, query="", **more):
        parts = urllib.parse.urlencode({"query": query, **more})
        return self.keeps_to("listMessages", self.console("viewer").get(f"/messages?{parts}"))

    def ended(self, query="", count=1):
        def found():
            items = [row for row in self.messages(query)["items"] if "endedAt" in row]
            return items if len(items) >= count else None
        return eventually(found, 20, f"{count} messages that ended")

    def send_test(self, to, channel="email", **more):
        return self.console("operator").post("/messages/test", {"channel": channel, "to": to, "appId": "post", **more})

    def acts(self, name):
        items = self.console("admin").get("/audit?query=act:" + name).json["items"]
        return [row for row in items if row.get("act") == name]


class Kept(Watched):
    def test_a_test_message_is_sent_recorded_and_known_after_a_restart(self):
        server = self.mail_server()
        self.watch(self.smtp(server))
        to = fresh_email()
        made = self.keeps_to("sendTestMessage", self.send_test(to, language="zh"))
        self.assertIn("测试消息", server.next(to).text())
        row = self.ended()[0]
        self.assertEqual((row["messageId"], row["template"], row["state"], row["provider"], row["tries"]),
                         (made["messageId"], "test", "sent", "smtp", 1))
        self.assertEqual(row["to"], f"{to[0]}•••@{to.split('@')[1]}")
        act = self.acts("sendTestMessage")[0]
        self.assertEqual((act["actor"]["id"], act["after"]), ("one-operator", {"channel": "email", "to": row["to"]}))
        self.own.service.stop()
        self.own.service.start()
        self.assertEqual(self.messages()["items"], [row])
        for text in (json.dumps(self.messages()), json.dumps(act), self.log()):
            self.assertNotIn(to, text)

    def test_a_servers_refusal_is_shown_with_its_reason_before_and_after_the_failure(self):
        server = self.mail_server()
        self.watch(self.smtp(server))
        server.answers = ["451 4.3.2 busy"] + ["554 5.7.1 no"] * 9
        self.send_test(fresh_email())
        waiting = eventually(lambda: next(iter(self.messages("state:retrying")["items"]), None), 20, "a message that waits")
        self.assertIn("451", waiting["error"])
        self.assertGreater(waiting["dueAt"], waiting["createdAt"])
        # An operator can make the service try to send the message again at once.
        for _ in range(3):
            self.console("operator").post(f"/messages/{waiting['messageId']}/resend")
        row = self.ended()[0]
        self.assertEqual((row["state"], row["messageId"]), ("failed", waiting["messageId"]))
        self.assertIn("554", row["error"])
        self.assertEqual(self.console("operator").post(f"/messages/{row['messageId']}/resend").status, 404)

    def test_messages_are_found_by_their_members_page_by_page(self):
        texts = TextServer()
        self.addCleanup(texts.close)
        server = self.mail_server()
        self.watch({**self.smtp(server), "delivery.sms": "webhook", "webhook.url": texts.url})
        for number in range(3):
            self.assertEqual(self.send_test(f"anna{number}@example.org").status, 200)
        self.assertEqual(self.send_test("+49 1511 2345678", "sms").status, 200)
        self.assertEqual(texts.next("+4915112345678")[1]["template"], "test")
        self.ended(count=4)
        for query, count in {"channel:sms": 1, "-channel:sms": 3, "provider:smtp": 3, "state:sent": 4, "state:failed": 0,
                             "template:test app:post": 4, "webhook": 1, "to:•••78": 1}.items():
            with self.subTest(query=query):
                self.assertEqual(len(self.messages(query)["items"]), count)
        seen, page = [], self.messages(limit=1)
        while page["items"]:
            seen += [row["messageId"] for row in page["items"]]
            if "next" not in page:
                break
            page = self.messages(limit=1, cursor=page["next"])
        self.assertEqual(seen, [row["messageId"] for row in self.messages()["items"]])
        self.assertEqual(len(set(seen)), 4)
        self.assertEqual(self.console("viewer").get("/messages?query=code:1").code, "InvalidRequest")
        self.assertEqual(self.console("viewer").get("/messages?cursor=elsewhere").code, "InvalidRequest")

    def test_invalid_addresses_and_too_many_addresses_are_refused(self):
        server = self.mail_server()
        self.watch(self.smtp(server))
        for change in ({"to": "nobody"}, {"to": "a@b.c\r\nBcc: d@e.f"}, {"channel": "pigeon"}, {"appId": "no-app"}, {"appId": "not there"},
                       {"channel": "sms", "to": "+4915112345678"}, {"channel": "sms", "to": "anna@example.org"}):
            with self.subTest(change=change):
                body = {"channel": "email", "to": "anna@example.org", "appId": "post", **change}
                self.assertIn(self.console("operator").post("/messages/test", body).status, (400, 404))
        self.assertEqual(self.console("viewer").post("/messages/test", body).status, 403)
        for _ in range(20):
            self.assertEqual(self.send_test("anna@example.org").status, 200)
        many = self.send_test("anna@example.org")
        self.assertEqual((many.status, many.code), (429, "TooManyRequests"))
        self.assertGreater(int(many.headers["Retry-After"]), 0)
        self.ended(count=20)
        self.assertEqual(len(self.messages()["items"]), 20)
        self.assertEqual(len(self.acts("sendTestMessage")), 20)

    def test_a_persons_messages_are_exported_and_erased_with_the_person(self):
        server = self.mail_server()
        self.watch(self.smtp(server))
        to, other = fresh_email(), fresh_email()
        terminal = self.register(server, to)
        self.send_test(other)
        self.ended(count=2)
        exported = json.loads(self.own.service.cli("user", "export", terminal.uid).stdout)
        self.assertEqual(contract.problems("userExport", exported), [])
        self.assertEqual([(row["template"], row["state"]) for row in exported["messageRecords"]], [("code", "sent")])
        self.assertNotIn(other[1:], json.dumps(exported))
        self.own.service.cli("user", "erase", terminal.uid, "--yes")
        self.assertEqual([row["template"] for row in self.messages()["items"]], ["test"])

    @postgres.on_file
    def test_neither_addresses_nor_codes_are_in_the_database(self):
        server = self.mail_server()
        self.watch(self.smtp(server))
        to = fresh_email()
        self.ask_code(self.stranger(), email=to)
        code = re.search(r"^\d{6}$", server.next(to).text(), re.MULTILINE)[0]
        self.ended()
        self.own.service.stop()
        for path in self.own.service.data.glob("lamplighter.db*"):
            held = path.read_bytes()
            self.assertNotIn(to.encode(), held)
            self.assertNotIn(b'"' + code.encode() + b'"', held)


class Trials(Watched):
    def providers(self, app="post"):
        answer = self.keeps_to("showApp", self.console("viewer").get(f"/apps/{app}"))
        return {row["name"]: row for row in answer["providers"]}

    def trial(self, name, app="post"):
        return self.keeps_to("tryProvider", self.console("operator").post(f"/apps/{app}/providers/{name}/try"))

    def says(self, text):
        """Returns a finding's text in English."""
        values = text.get("values", [])
        return re.sub(r"\{(\d+)\}", lambda found: values[int(found[1])] if isinstance(values[int(found[1])], str)
                      else self.says(values[int(found[1])]), text["words"])

    def test_a_mail_server_is_tested_without_a_mail(self):
        for kind, login in (("plain", False), ("starttls", True), ("tls", True)):
            with self.subTest(kind=kind):
                server = self.mail_server(kind, login=login)
                self.watch(self.smtp(server))
                found = self.trial("email")
                self.assertEqual((found["state"], self.says(found["evidence"])), ("pass", "localhost answers and accepts mails"))
                self.assertEqual((server.mails, server.tries), ([], 0))
                self.own.close()

    def test_a_mail_servers_fault_is_shown_with_the_cure(self):
        server = self.mail_server("starttls", login=True)
        settings = self.smtp(server)
        (self.folder / "wrong").write_text("not the right one 78\n")
        (self.folder / "wrong").chmod(0o600)
        plain = self.mail_server()
        for change, cure in [
            ({"smtp.passwordFile": self.folder / "wrong"}, "smtp.passwordFile"), ({"smtp.port": free_port()}, "smtp.port"),
            ({"smtp.host": "nobody.invalid"}, "smtp.host"), ({"smtp.port": plain.port}, "smtp.security"),
            ({"smtp.security": "tls"}, "smtp.security"),
        ]:
            with self.subTest(change=change):
                self.watch({**settings, **change})
                found = self.trial("email")
                self.assertEqual(found["state"], "fail", found)
                self.assertIn(cure, self.says(found["cure"]))
                self.assertNotIn("not the right one", json.dumps(found) + json.dumps(self.acts("tryProvider")))
                self.own.close()

    def test_texts_by_a_webhook_by_a_gateway_or_not_at_all(self):
        texts = TextServer()
        self.addCleanup(texts.close)
        self.watch({"delivery.sms": "webhook", "webhook.url": texts.url, "delivery.email": "gateway"})
        self.assertEqual(self.trial("sms")["state"], "pass")
        self.assertEqual(texts.tries, 0)
        texts.close()
        self.assertEqual(self.trial("sms")["state"], "fail")
        found = self.trial("email")
        self.assertEqual((found["state"], self.says(found["cure"])), ("fail", "lamplighter service add mailer --role gateway"))
        self.own.service.cli("service", "add", "mailer", "--role", "gateway")
        self.assertEqual(self.trial("email")["state"], "skip")
        self.own.close()
        self.watch({"delivery.sms": "log"})
        self.assertEqual((self.trial("sms")["state"], self.providers()["sms"]["isEnabled"]), ("warn", False))

    def test_the_last_success_and_failure_of_a_mail_server_are_shown(self):
        server = self.mail_server()
        self.watch(self.smtp(server))
        self.assertNotIn("succeededAt", self.providers()["email"])
        server.answers = ["451 4.3.2 busy"]
        self.send_test(fresh_email())
        self.ended()
        row = self.providers()["email"]
        self.assertIn("451", row["failure"])
        self.assertLess(row["failedAt"], row["succeededAt"])
        self.assertNotIn("succeededAt", self.providers("post-own")["email"])

    def test_identity_providers_are_tested_and_their_logins_recorded(self):
        provider = Provider()
        self.addCleanup(provider.close)
        self.watch({})
        works = {"clientIds": [OURS], "issuer": provider.url + "/works", "enabled": True}
        app = {"appId": "post", "name": "post", "secret": "post secret 1234567890 abcdefgh", "providers": {
            "oidc:works": works, "google": {**works, "issuer": provider.url + "/google", "enabled": False},
            "wechat": {"clientIds": ["wx"], "clientSecret": "wx-secret", "baseUrl": provider.url + "/wechat", "enabled": True}}}
        self.own.service.import_document("app", app)
        provider.answers["/wechat/sns/oauth2/access_token"] = lambda query: (200, {"errcode": 40125})
        self.assertEqual(list(self.providers()), ["google", "oidc:works", "wechat", "email", "sms"])

        self.assertEqual(self.trial("oidc:works")["state"], "pass")
        self.assertEqual(self.trial("google")["state"], "warn")
        found = self.trial("wechat")
        self.assertEqual((found["state"], self.says(found["evidence"])), ("fail", "the provider answered error 40125"))
        self.assertIn("providers.wechat", self.says(found["cure"]))
        provider.answers["/wechat/sns/oauth2/access_token"] = lambda query: (200, {"errcode": 40029})
        self.assertEqual(self.trial("wechat")["state"], "pass")
        # Trials don't count as uses.
        self.assertNotIn("succeededAt", self.providers()["wechat"])
        self.assertEqual([row["after"]["state"] for row in self.acts("tryProvider")], ["pass", "fail", "warn", "pass"])

        def enter(**credential):
            return self.stranger().ask("account/loginWithProvider", {
                "countryCode": COUNTRY, "provider": "oidc:works", "credential": credential}, seconds=30)
        self.assertTrue(enter(identityToken=provider.id_token(works["issuer"], OURS, "anna"))["ok"])
        self.assertFalse(enter(identityToken=provider.id_token(works["issuer"], "another", "anna"))["ok"])
        row = self.providers()["oidc:works"]
        self.assertIn("succeededAt", row)
        self.assertNotIn("failedAt", row, "a credential that is refused is no failure of the provider")
        provider.close()
        found = self.trial("oidc:works")
        self.assertEqual((found["state"], self.says(found["evidence"])), ("fail", "the server could not be reached"))
        provider.rotate()
        self.assertFalse(enter(identityToken=provider.id_token(works["issuer"], OURS, "anna"))["ok"])
        self.assertEqual(self.providers()["oidc:works"]["failure"], "the server could not be reached")

    def test_tests_are_for_operators_and_limited_in_number(self):
        self.watch({})
        self.assertEqual(self.console("viewer").post("/apps/post/providers/email/try").status, 403)
        for path in ("/apps/post/providers/pigeon/try", "/apps/post/providers/wechat/try", "/apps/nothing/providers/email/try"):
            self.assertEqual(self.console("operator").post(path).status, 404, path)
        for _ in range(60):
            self.trial("email")
        many = self.console("operator").post("/apps/post/providers/email/try")
        self.assertEqual((many.status, many.code), (429, "TooManyRequests"))
