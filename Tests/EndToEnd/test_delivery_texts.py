"""Text messages by webhook, messages in the log, and settings that can't work."""

import re
import time
import unittest

from accounts import COUNTRY, fresh_email, fresh_phone
from harness import eventually
from mailserver import TextServer
from post import NAME, Post


class ByWebhook(Post):
    def setUp(self):
        super().setUp()
        self.server = TextServer()
        self.addCleanup(self.server.close)
        token = self.folder / "token"
        token.write_text("token-of-the-webhook-1\n")
        token.chmod(0o600)
        self.settings = {"delivery.sms": "webhook", "webhook.url": self.server.url, "webhook.tokenFile": token,
                         "limits.deliveryBackoff": 1}

    def test_a_text_is_posted(self):
        self.serve(self.settings)
        for country, words in (("49", " is your code to register."), ("86", "验证码 ")):
            terminal, phone = self.stranger(), fresh_phone() if country == "49" else "13812345678"
            sent = self.ask_code(terminal, country, phone=phone)
            headers, body = self.server.next(f"+{country}{phone}")
            self.assertEqual(headers["authorization"], "Bearer token-of-the-webhook-1")
            self.assertEqual(headers["content-type"], "application/json")
            self.assertEqual((body["countryCode"], body["appName"], body["template"]), (country, NAME, "code"))
            self.assertIn(words, body["text"])
            self.assertIn(body["params"]["code"], body["text"])
            self.assertGreater(body["expiresAt"], time.time() * 1000)
            self.assertRegex(body["messageId"], r"^[A-Za-z0-9_-]{1,64}$")
            self.assertEqual(self.told(terminal, sent)["state"], "sent")
            self.assertNotIn(body["params"]["code"], self.log())
        self.ask_code(self.stranger("post-own"), phone=(phone := fresh_phone()))
        self.assertRegex(self.server.next(f"+{COUNTRY}{phone}")[1]["text"], r"^Ahoy \d{6}$")

    def test_a_failure_is_retried_and_a_refusal_reported(self):
        self.serve(self.settings)
        self.server.answers = [500, 429]
        terminal, phone = self.stranger(), fresh_phone()
        sent = self.ask_code(terminal, phone=phone)
        self.server.next(f"+{COUNTRY}{phone}")
        self.assertEqual(self.told(terminal, sent)["state"], "sent")
        self.assertEqual((self.counted("sms", "retried"), self.counted("sms", "sent")), (2, 1))
        self.server.answers, self.server.tries = [400] * 9, 0
        terminal = self.stranger()
        told = self.told(terminal, self.ask_code(terminal, phone=fresh_phone()))
        self.assertEqual((told["state"], told["error"]["code"]), ("failed", "Unavailable"))
        self.assertEqual((self.server.tries, self.counted("sms", "failed")), (3, 1))


class ByLog(Post):
    def test_up_logs_the_text_that_it_would_have_sent(self):
        self.serve({})
        terminal, to, phone = self.stranger(), fresh_email(), fresh_phone()
        for address in ({"email": to}, {"phone": phone}):
            sent = self.ask_code(terminal, **address)
            self.assertEqual(self.told(terminal, sent)["state"], "sent")
        mail, text = eventually(
            lambda: (lines := [x for x in self.log().splitlines() if "DEVELOPMENT ONLY" in x])[1:] and lines, 10, "lines")
        self.assertIn(to, mail)
        self.assertIn(f"+{COUNTRY}{phone}", text)
        for line, address in ((mail, {"email": to}), (text, {"phone": phone})):
            code = re.search(r"(?<!\d)\d{6}(?!\d)", line.split("text=")[1])[0]
            self.assertTrue(terminal.get("account/checkCode", {
                "countryCode": COUNTRY, "purpose": "register", "code": code, **address})["valid"])


class Settings(Post):
    def test_invalid_settings_are_reported_at_the_start(self):
        for settings, word in (({"delivery.email": "smtp"}, "smtp."),
                               ({"delivery.email": "smtp", "smtp.from": "a@b.example"}, "smtp.host"),
                               ({"delivery.email": "smtp", "smtp.from": "a@b.example", "smtp.host": "mail.example",
                                 "smtp.security": "none"}, "smtp.security"),
                               ({"delivery.email": "smtp", "smtp.from": "a@b.example\r\nBcc: x@y.example",
                                 "smtp.host": "mail.example"}, "smtp.from"),
                               ({"delivery.email": "smtp", "smtp.from": "a@b.example", "smtp.host": "mail.example",
                                 "smtp.username": "lamp"}, "smtp."),
                               ({"delivery.sms": "webhook"}, "webhook.url"),
                               ({"delivery.sms": "webhook", "webhook.url": "http://texts.example/"}, "webhook.url")):
            with self.subTest(settings=settings):
                with self.assertRaises(AssertionError) as refused:
                    self.serve(settings)
                self.assertIn(word, str(refused.exception))
                self.assertNotIn("Fatal error", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
