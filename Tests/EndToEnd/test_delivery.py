"""E-mails by SMTP and text messages by webhook: messages that arrive, and messages that fail."""

import json
import re
import signal
import time
import unittest

from accounts import COUNTRY, OTHER_PASSWORD, PASSWORD, fresh_email, fresh_name, fresh_phone
from harness import eventually, free_port
from mailserver import PASSWORD as MAIL_PASSWORD
from mailserver import USER, TextServer
from pages import fetch
from post import NAME, Post


class ByMail(Post):
    def test_a_code_arrives_and_the_sending_is_reported(self):
        for kind, login in (("plain", False), ("starttls", True), ("tls", True)):
            with self.subTest(kind=kind):
                server = self.mail_server(kind, login=login)
                self.serve(self.smtp(server))
                terminal, to = self.stranger(), fresh_email()
                sent = self.ask_code(terminal, email=to)
                mail = server.next(to)
                self.assertEqual((mail.sender, mail.receivers), ("no-reply@lamp.example", [to]))
                self.assertEqual(mail.user, USER if login else None)
                message = mail.message
                self.assertEqual(message["From"].addresses[0].display_name, NAME)
                self.assertEqual(message["To"].addresses[0].addr_spec, to)
                self.assertEqual(message["Auto-Submitted"], "auto-generated")
                self.assertTrue(message["Message-ID"].endswith("@lamp.example>"))
                self.assertLess(abs(message["Date"].datetime.timestamp() - time.time()), 60)
                code = re.search(r"^(\d{6})$", mail.text(), re.MULTILINE)[1]
                self.assertIn(code, mail.text("html"))
                self.assertIn("&amp; &quot;Söhne&quot;", mail.text("html"))
                self.assertIn(NAME, mail.text())
                self.assertEqual(self.told(terminal, sent), {"requestId": sent["requestId"], "state": "sent"})
                self.assertEqual(self.counted("email", "sent"), 1)
                self.assertEqual(terminal.get("account/register", {
                    "countryCode": COUNTRY, "email": to, "password": PASSWORD, "code": code})["user"]["email"], to)
                self.assertNotIn(code, self.log())
                self.assertNotIn(MAIL_PASSWORD, self.log())
                self.own.close()

    def test_without_tls_nothing_is_sent_to_a_server_that_requires_it(self):
        server = self.mail_server("plain")
        self.serve({**self.smtp(server), "smtp.security": "starttls"})
        self.ask_code(self.stranger(), email=fresh_email())
        eventually(lambda: self.counted("email", "retried") >= 2, 20, "two tries")
        self.assertEqual((server.mails, server.tries), ([], 0))

    def test_a_wrong_password_is_logged_and_counted(self):
        server = self.mail_server("starttls", login=True)
        settings = self.smtp(server)
        (self.folder / "password").write_text("not the right one 78\n")
        self.serve(settings)
        to = fresh_email()
        self.ask_code(self.stranger(), email=to)
        eventually(lambda: self.counted("email", "retried") >= 2, 20, "two tries")
        self.assertEqual(server.mails, [])
        log = self.log()
        self.assertIn("A message was not accepted", log)
        for secret in ("not the right one", to):
            self.assertNotIn(secret, log)

    def test_a_server_that_is_down_is_retried_until_it_is_up(self):
        port = free_port()
        server = self.mail_server(port=port)
        settings = self.smtp(server)
        server.close()
        self.serve(settings)
        terminal, to = self.stranger(), fresh_email()
        sent = self.ask_code(terminal, email=to)
        eventually(lambda: self.counted("email", "retried") >= 2, 20, "two tries")
        self.assertEqual([m for m in terminal.everything if m.leaf == "code"], [], "nothing is told yet")
        again = self.mail_server(port=port)
        self.assertEqual(again.next(to).receivers, [to])
        self.assertEqual(self.told(terminal, sent)["state"], "sent")
        self.assertEqual(self.counted("email", "sent"), 1)

    def test_a_server_that_says_4xx_is_retried_with_longer_pauses(self):
        server = self.mail_server()
        server.answers = ["451 4.3.2 busy", "452 4.2.2 full"]
        self.serve(self.smtp(server))
        terminal, to = self.stranger(), fresh_email()
        sent, began = self.ask_code(terminal, email=to), time.monotonic()
        server.next(to)
        self.assertGreaterEqual(time.monotonic() - began, 2.5, "1 s, then 2 s")
        self.assertEqual(self.told(terminal, sent)["state"], "sent")
        self.assertEqual((server.tries, self.counted("email", "retried"), self.counted("email", "sent")), (3, 2, 1))

    def test_a_server_that_says_5xx_is_retried_three_times_and_the_failure_is_reported(self):
        server = self.mail_server()
        server.answers = ["554 5.7.1 secret words of the server"] * 9
        self.serve(self.smtp(server))
        terminal, to = self.stranger(), fresh_email()
        told = self.told(terminal, self.ask_code(terminal, email=to))
        self.assertEqual((told["state"], told["error"]["code"]), ("failed", "Unavailable"))
        self.assertEqual((server.tries, self.counted("email", "failed")), (3, 1))
        self.assertNotIn("secret words", str(told))
        self.assertNotIn(to, self.log())

    def test_each_mail_is_in_its_receivers_language(self):
        server = self.mail_server()
        self.serve(self.smtp(server))
        # The language follows the country if nothing else is known.
        for country, words in (("49", "Your code to register"), ("86", "您正在注册"), ("852", "您正在注册")):
            to = fresh_email()
            self.ask_code(self.stranger(), country, email=to)
            mail = server.next(to)
            self.assertIn(words, mail.text())
            self.assertIn(f'lang="{"en" if country == "49" else "zh"}"', mail.text("html"))
        # If the user has chosen a language, the mail uses this language in any country.
        for country, language, words in (("49", "zh-Hans-CN", "请确认这是您的邮箱"), ("86", "en-GB", "Please confirm that it is yours")):
            terminal, to = self.register(server, fresh_email(), country=country), fresh_email()
            terminal.get("account/updateProfile", {"language": language})
            terminal.get("account/updateProfile", {"email": to})
            self.assertIn(words, server.next(to).text())

    def test_an_app_has_its_own_texts(self):
        server = self.mail_server()
        self.serve(self.smtp(server))
        to = fresh_email()
        self.ask_code(self.stranger("post-own"), email=to)
        mail = server.next(to)
        self.assertEqual(mail.subject, "Ahoy from Harbour")
        self.assertRegex(mail.text(), r"^Ahoy!\r?\n\r?\n\d{6}\r?\n\r?\nFor 10 minutes <b>only</b>\.")
        self.assertIn("&lt;b&gt;only&lt;/b&gt;", mail.text("html"))
        to = fresh_email()
        self.ask_code(self.stranger("post-own"), "86", email=to)
        mail = server.next(to)
        self.assertRegex(mail.subject, r"^Harbour 你好 \d{6}$")
        self.assertIn("您正在注册", mail.text(), "what the app doesn't say is the service's")

    def test_an_app_has_its_own_texts_in_any_language(self):
        server = self.mail_server()
        self.serve(self.smtp(server))
        for language, subject in (("de-AT", "Hallo von Harbour"), ("pt_BR", "Oi de Harbour"), ("fr", "Ahoy from Harbour")):
            to, terminal = fresh_email(), self.stranger("post-own")
            self.ask_code(terminal, email=to)
            code = re.search(r"^(\d{6})\s*$", server.next(to).text(), re.MULTILINE)[1]
            terminal.get("account/register", {
                "countryCode": COUNTRY, "email": to, "password": PASSWORD, "code": code, "profile": {"language": language}})
            self.stranger("post-own").get("account/sendCode", {"countryCode": COUNTRY, "email": to, "purpose": "login"})
            mail = server.next(to)
            self.assertEqual(mail.subject, subject)
            self.assertIn(f'lang="{ {"de-AT": "de", "pt_BR": "pt-br"}.get(language, "en") }"', mail.text("html"))

    def test_invalid_texts_are_refused_at_import(self):
        self.serve(self.smtp(self.mail_server()))
        for texts, field in (([], "texts"), ({"cod": {}}, "texts.cod"), ({"code": {"pt_BR": {}}}, "texts.code.pt_BR"),
                             ({"code": {"en": {"subject": 5}}}, "texts.code.en.subject"),
                             ({"code": {"en": {"body": "x"}}}, "texts.code.en.body"),
                             ({"code": {"en": {"text": "x" * 10_001}}}, "texts.code.en.text")):
            path = self.folder / "app.json"
            path.write_text(json.dumps({"appId": "bad", "name": "Bad", "secret": "x" * 32, "texts": texts}))
            done = self.own.service.cli("app", "import", str(path), check=False)
            self.assertNotEqual(done.returncode, 0, texts)
            self.assertIn(field, done.stderr)

    def test_addresses_with_other_characters_than_ascii(self):
        server = self.mail_server()
        self.serve(self.smtp(server))
        for to, arrives in (("lampe@bücher.example", "lampe@xn--bcher-kva.example"),
                            ("lamp+tag_1@EXAMPLE.com", "lamp+tag_1@EXAMPLE.com"),
                            ("jörg@example.com", "jörg@example.com"),
                            ("灯@例子.example", "灯@xn--fsqu00a.example")):
            with self.subTest(to=to):
                terminal = self.stranger()
                sent = self.ask_code(terminal, email=to)
                mail = server.next(arrives)
                self.assertEqual(self.told(terminal, sent)["state"], "sent")
                self.assertEqual(mail.message["To"].addresses[0].addr_spec, arrives)

    def test_addresses_that_would_inject_commands_are_refused(self):
        server = self.mail_server()
        self.serve(self.smtp(server))
        terminal = self.stranger()
        for to in ("a@b.example\r\nBcc: c@d.example", "a@b.example>\r\nDATA", "<a@b.example>", "a b@c.example",
                   "\"a\\\"b\"@c.example", "a@b.example,c@d.example", "a@[127.0.0.1]", "a@localhost", "@b.example",
                   "a@-b.example", "a\u2028@b.example", "a" * 65 + "@b.example", "a@" + "b" * 64 + ".example"):
            with self.subTest(to=to):
                self.assertError(terminal.ask("account/sendCode", {
                    "countryCode": COUNTRY, "email": to, "purpose": "register"}), "InvalidRequest", "email")
        to = fresh_email()
        self.ask_code(terminal, email=to)
        server.next(to)
        self.assertEqual(server.tries, 1)

    def test_a_link_in_a_mail_leads_to_its_page(self):
        server = self.mail_server()
        self.serve(self.smtp(server))
        to = fresh_email()
        terminal = self.register(server, to)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": to})
        mail = server.next(to)
        url = re.search(r"^(http://127\.0\.0\.1:\d+/link/\S{43})$", mail.text(), re.MULTILINE)[1]
        self.assertEqual(mail.text("html").count(url), 2)
        page = fetch(url)
        self.assertIn(NAME.replace("&", "&amp;").replace('"', "&quot;"), page.text)
        self.assertEqual(page.send(OTHER_PASSWORD).status, 200)
        self.assertIn("was changed", server.next(to).subject)
        terminal.expect("/session", lambda b: b.get("reason") == "passwordReset")


class InTrouble(Post):
    def test_a_hanging_server_delays_no_other_message(self):
        server, texts = self.mail_server(), TextServer()
        self.addCleanup(texts.close)
        server.hang.set()
        self.serve(self.smtp(server, **{"delivery.sms": "webhook", "webhook.url": texts.url}))
        terminal = self.stranger()
        for _ in range(20):
            self.ask_code(terminal, email=fresh_email())
        eventually(lambda: server.tries >= 8, 20, "as many mails on their way as may be")
        began, phone = time.monotonic(), fresh_phone()
        sent = self.ask_code(terminal, phone=phone)
        texts.next(f"+{COUNTRY}{phone}")
        self.assertEqual(self.told(terminal, sent)["state"], "sent")
        terminal.adopt(terminal.get("account/register", {
            "countryCode": COUNTRY, "username": fresh_name(), "password": PASSWORD}))
        terminal.get("account/whoami")
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(server.mails, [])
        code, took = self.own.service.stop(signal.SIGTERM)
        self.assertEqual(code, 0)
        self.assertLess(took, 8, "what is under way has a moment, and no more")

    def test_a_hanging_server_times_out_and_is_retried(self):
        server = self.mail_server()
        server.hang.set()
        self.serve(self.smtp(server, **{"smtp.timeout": 2}))
        to = fresh_email()
        self.ask_code(self.stranger(), email=to)
        eventually(lambda: self.counted("email", "retried") >= 1, 20, "a try that was given up")
        server.hang.clear()
        server.next(to)

    def test_a_mail_survives_the_end_of_the_process(self):
        server = self.mail_server()
        server.hang.set()
        world = self.serve(self.smtp(server))
        to = fresh_email()
        terminal = self.stranger()
        self.ask_code(terminal, email=to)
        eventually(lambda: server.tries, 20, "a mail on its way")
        world.service.kill()
        server.hang.clear()
        world.service.start()
        first = server.next(to, 30)
        self.assertTrue(first)
        eventually(lambda: self.counted("email", "sent") == 1, 20, "the count")
        for mail in server.mails:
            self.assertEqual(mail.message["Message-ID"], first.message["Message-ID"], "a double is known as one")
        self.assertLessEqual(len(server.mails), 1)

    def test_a_mail_waits_while_the_service_is_stopped(self):
        port = free_port()
        server = self.mail_server(port=port)
        settings = self.smtp(server, **{"limits.deliveryBackoff": 600})
        server.close()
        world = self.serve(settings)
        to = fresh_email()
        self.ask_code(self.stranger(), email=to)
        eventually(lambda: self.counted("email", "retried") == 1, 20, "a try")
        world.service.stop()
        again = self.mail_server(port=port)
        world.service.start()
        self.assertTrue(again.next(to, 20), "a start tries at once what waits")


if __name__ == "__main__":
    unittest.main()
