"""Links in mails, and the pages that they open."""

import json
import threading
import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, WRONG, People, fresh_email, fresh_phone)
from pages import fetch, local


class Links(People):
    app = "people-4"

    def open(self, to, template, app=None):
        """Opens the link in the next mail of this kind, and returns the page."""
        return fetch(self.url(to, template))

    def url(self, to, template):
        return local(self.gateway.taken(to, template)["params"]["url"], self.world.service.http_port)

    def follow(self, page, password=None):
        """Sends the page's form, if there is one, and returns the resulting page."""
        return page.send(password) if page.forms else page

    def assertSafe(self, page):
        headers = page.headers
        self.assertIn("text/html", headers["content-type"])
        self.assertIn(headers["referrer-policy"], ("no-referrer",))
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertIn("no-store", headers["cache-control"])
        policy = headers["content-security-policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe-eval", policy)
        self.assertEqual(page.scripts, 0)
        self.assertTrue(page.language, "the page says its language")
        self.assertIn("<title>", page.text)


class Verifying(Links):
    def test_a_link_verifies_the_address_once(self):
        email = fresh_email()
        terminal = self.stranger("people-link")
        result = terminal.get("account/register", {"countryCode": COUNTRY, "email": email, "password": PASSWORD})
        terminal.adopt(result)
        page = self.open(email, "verifyEmail")
        self.assertEqual(page.status, 200)
        self.assertSafe(page)
        done = self.follow(page)
        self.assertEqual(done.status, 200)
        self.assertSafe(done)
        self.assertTrue(self.whoami(terminal)["emailVerified"])
        self.login(app="people-link", email=email)

    def test_opening_the_page_verifies_nothing(self):
        owner, email = self.register(), fresh_email()
        owner.get("account/updateProfile", {"email": email})
        page = self.open(email, "verifyEmail")
        self.assertEqual(page.status, 200)
        self.assertFalse(self.whoami(owner)["emailVerified"], "a mail scanner's GET must not verify")
        self.follow(page)
        self.assertTrue(self.whoami(owner)["emailVerified"])

    def test_a_link_to_a_replaced_address_does_nothing(self):
        owner, first, second = self.register(), fresh_email(), fresh_email()
        owner.get("account/updateProfile", {"email": first})
        url = self.url(first, "verifyEmail")
        owner.get("account/updateProfile", {"email": second})
        self.gateway.taken(second, "verifyEmail")
        page = fetch(url)
        if page.forms:
            page = page.send()
        self.assertGreaterEqual(page.status, 400)
        user = self.whoami(owner)
        self.assertEqual((user["email"], user["emailVerified"]), (second, False))

    def test_nonsense_is_refused_like_a_used_link(self):
        owner, email = self.register(), fresh_email()
        owner.get("account/updateProfile", {"email": email})
        url = self.url(email, "verifyEmail")
        self.follow(fetch(url))
        used = fetch(url)
        changed = fetch(url[:-8] + "AAAAAAAA")
        for page in (used, changed):
            self.assertSafe(page)
            self.assertNotIn("Traceback", page.text)
        again = self.follow(used) if used.forms else used
        self.assertTrue(again.status >= 400 or again.status == 200 and not again.forms)


class Resetting(Links):
    def prepare(self):
        email = fresh_email()
        owner = self.register(email=email)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        return owner, email

    def test_the_page_sets_a_new_password_once_and_ends_all_sessions(self):
        owner, email = self.prepare()
        url = self.url(email, "resetPassword")
        page = fetch(url)
        self.assertEqual(page.status, 200)
        self.assertSafe(page)
        self.whoami(owner)
        done = page.send(OTHER_PASSWORD)
        self.assertEqual(done.status, 200)
        self.assertSafe(done)
        self.assertEnded(owner, "passwordReset")
        self.assertError(self.try_login(email=email), "InvalidCredentials")
        self.login(email=email, password=OTHER_PASSWORD)
        again = page.send("yet another lamp 45")
        self.assertGreaterEqual(again.status, 400)
        self.assertError(self.try_login(email=email, password="yet another lamp 45"), "InvalidCredentials")

    def test_a_weak_password_is_refused_and_the_link_stays_valid(self):
        _, email = self.prepare()
        page = self.open(email, "resetPassword")
        for weak in ("12345678", "short", email):
            with self.subTest(password=weak):
                refused = page.send(weak)
                self.assertTrue(refused.status >= 400 or refused.forms, "the form comes again")
                self.assertNotIn(weak, refused.text.replace(email, "") if weak != email else "")
        page.send(OTHER_PASSWORD)
        self.login(email=email, password=OTHER_PASSWORD)

    def test_of_many_concurrent_uses_one_sets_the_password(self):
        _, email = self.prepare()
        page = self.open(email, "resetPassword")
        passwords = [f"parallel lamp number {n:03d}" for n in range(20)]
        pages = []
        threads = [threading.Thread(target=lambda p=p: pages.append((p, page.send(p)))) for p in passwords]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        won = [p for p, answer in pages if answer.status == 200 and not answer.forms]
        self.assertEqual(len(won), 1, [(p, a.status) for p, a in pages])
        self.login(email=email, password=won[0])

    def test_skipping_steps_has_no_effect(self):
        owner, email = self.prepare()
        url = self.url(email, "resetPassword")
        page = fetch(url)
        form = page.forms[0]
        emptied = {name: "" for name, (kind, _) in form["fields"].items() if kind == "hidden"}
        for changed in (emptied, {name: "A" * 43 for name in emptied}):
            if changed:
                self.assertGreaterEqual(page.send(OTHER_PASSWORD, **changed).status, 400)
        base = f"http://127.0.0.1:{self.world.service.http_port}"
        for path in ("/", "/link", "/link/", "/link/resetPassword", "/reset", "/reset-password"):
            with self.subTest(path=path):
                self.assertGreaterEqual(fetch(base + path, "POST", {"password": OTHER_PASSWORD}).status, 400)
        self.assertError(self.try_login(email=email, password=OTHER_PASSWORD), "InvalidCredentials")
        self.whoami(owner)

    def test_an_unknown_or_unverified_email_gets_the_same_answer_and_no_link(self):
        owner, unverified = self.register(), fresh_email()
        owner.get("account/updateProfile", {"email": unverified})
        self.gateway.taken(unverified, "verifyEmail")
        known = self.register(email=fresh_email()).user["email"]
        answers = [self.stranger().ask("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
                   for email in (known, unverified, fresh_email())]
        self.assertEqual([(a["ok"], a.get("result")) for a in answers], [(True, answers[0]["result"])] * 3)
        self.gateway.taken(known, "resetPassword")
        self.assertEqual([b for b in self.gateway.unread_to(unverified) if b["template"] == "resetPassword"], [])

    def test_a_username_that_is_an_email_gets_a_link(self):
        email = fresh_email()
        owner = self.register(username=email)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        self.open(email, "resetPassword").send(OTHER_PASSWORD)
        self.assertEqual(self.login(username=email, password=OTHER_PASSWORD).uid, owner.uid)


class Undoing(Links):
    def test_the_old_address_restores_the_account(self):
        old, new = fresh_email(), fresh_email()
        owner = self.register(email=old)
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": new, "code": self.code(owner, "bind", email=new)})
        page = self.open(old, "addressChanged")
        self.assertSafe(page)
        self.assertNotIn(new, page.text, "the new address is masked")
        self.assertEqual(self.whoami(owner)["email"], new, "looking undoes nothing")
        self.assertEqual(self.follow(page).status, 200)
        self.assertEnded(owner, "terminated")
        back = self.login(email=old)
        self.assertEqual((back.uid, back.user["email"]), (owner.uid, old))
        self.assertError(self.try_login(email=new), "InvalidCredentials")

    def test_a_phone_added_with_the_change_is_removed(self):
        for phone_first in (True, False):
            with self.subTest(phone_first=phone_first):
                old, phone = fresh_email(), fresh_phone()
                owner = self.register(email=old)
                steps = [lambda: self.change(owner, fresh_email()),
                         lambda: owner.get("account/bindPhone", {
                             "countryCode": COUNTRY, "phone": phone, "code": self.code(owner, "bind", phone=phone)})]
                for step in reversed(steps) if phone_first else steps:
                    step()
                self.assertEqual(self.follow(self.open(old, "addressChanged")).status, 200)
                self.assertError(self.try_login(phone=phone), "InvalidCredentials")
                thief = self.login(phone=phone, code=self.code(self.stranger(), "login", phone=phone))
                self.assertNotEqual(thief.uid, owner.uid)
                back = self.login(email=old)
                self.assertEqual((back.uid, back.user.get("phone")), (owner.uid, None))

    def test_a_password_set_since_then_is_removed(self):
        old, new = fresh_email(), fresh_email()
        owner = self.register(email=old)
        self.change(owner, new)
        owner.get("account/changePassword", {"oldPassword": PASSWORD, "newPassword": OTHER_PASSWORD})
        self.assertEqual(self.follow(self.open(old, "addressChanged")).status, 200)
        for password in (PASSWORD, OTHER_PASSWORD):
            self.assertError(self.try_login(email=old, password=password), "InvalidCredentials")
        self.assertEqual(self.login(email=old, code=self.code(self.stranger(), "login", email=old)).uid, owner.uid)

    def change(self, owner, new):
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": new, "code": self.code(owner, "bind", email=new)})

    def test_a_second_change_keeps_the_link_valid(self):
        old, first, second = (fresh_email() for _ in range(3))
        owner = self.register(email=old)
        self.change(owner, first)
        way_back = self.url(old, "addressChanged")
        self.change(owner, second)
        thiefs = self.url(first, "addressChanged")
        self.assertEqual(fetch(way_back).send().status, 200)
        self.assertEqual(self.login(email=old, code=self.code(self.stranger(), "login", email=old)).uid, owner.uid)
        # The second change sent a link to the address `first`. This link no longer works.
        self.assertGreaterEqual(fetch(thiefs).status, 400)
        self.assertGreaterEqual(fetch(way_back).status, 400)

    def test_a_phone_is_restored_too(self):
        old, new = fresh_phone(), fresh_phone()
        owner = self.register(phone=old)
        owner.get("account/bindPhone", {
            "countryCode": COUNTRY, "phone": new, "code": self.code(owner, "bind", phone=new)})
        page = self.open(old, "addressChanged")
        self.assertNotIn(new, page.text)
        self.assertEqual(self.follow(page).status, 200)
        self.assertEqual(self.login(phone=old, code=self.code(self.stranger(), "login", phone=old)).uid, owner.uid)


class InABrowser(Links):
    """Pages that work in a browser without scripts, and how these pages protect users."""

    def prepare(self, template="resetPassword"):
        email = fresh_email()
        owner = self.register(email=email)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        return owner, self.url(email, template)

    def test_a_form_says_what_it_is_for(self):
        _, url = self.prepare()
        page = fetch(url)
        form = page.forms[0]
        self.assertEqual((form["method"], form["action"]), ("POST", "/link"))
        self.assertEqual({n: kind for n, (kind, _) in form["fields"].items()},
                         {"token": "hidden", "password": "password", "repeat": "password"})
        for field in ("password", "repeat"):
            self.assertIn(f'<label for="{field}">', page.text)
            self.assertRegex(page.text, f'<input id="{field}" name="{field}"[^>]* autocomplete="new-password"')
        self.assertEqual(page.text.count("<h1>"), 1)
        self.assertIn('name="viewport"', page.text)
        self.assertNotRegex(page.text, r"(?i)<script|\son\w+=|style=|javascript:")
        style = fetch(f"http://127.0.0.1:{self.world.service.http_port}/pages/style.css")
        self.assertEqual((style.status, style.headers["content-type"]), (200, "text/css; charset=utf-8"))
        self.assertEqual(style.headers["x-content-type-options"], "nosniff")

    def test_a_fault_is_shown_at_the_field(self):
        _, url = self.prepare()
        page = fetch(url)
        for values, words in (({"password": "12345678", "repeat": "12345678"}, "easily guessed"),
                              ({"password": "short", "repeat": "short"}, "8 to 128"),
                              ({"password": OTHER_PASSWORD, "repeat": OTHER_PASSWORD + "!"}, "differ"),
                              ({"password": "", "repeat": ""}, "8 to 128")):
            with self.subTest(words=words):
                refused = page.send(**values)
                self.assertEqual(refused.status, 422)
                self.assertSafe(refused)
                self.assertIn("<title>Error: ", refused.text)
                self.assertRegex(refused.text, rf'<p class="error" id="fault" role="alert">[^<]*{words}')
                self.assertRegex(refused.text, r'<input id="password"[^>]*aria-describedby="fault rule"[^>]*aria-invalid="true"')
                self.assertIn("password", refused.forms[0]["fields"])

    def test_the_language_is_the_browsers_or_else_the_users(self):
        owner, url = self.prepare()
        self.assertEqual(fetch(url, headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}).language, "zh-Hans")
        self.assertEqual(fetch(url, headers={"Accept-Language": "fr"}).language, "en")
        owner.get("account/updateProfile", {"language": "zh-CN"})
        page = fetch(url)
        self.assertEqual((page.language, page.headers["content-language"]), ("zh-Hans", "zh"))
        self.assertIn("设置新密码", page.text)

    def test_every_answer_has_the_headers(self):
        _, url = self.prepare()
        base = f"http://127.0.0.1:{self.world.service.http_port}"
        answers = [fetch(url), fetch(url, "HEAD"), fetch(base + "/link/nonsense"), fetch(base + "/nowhere"),
                   fetch(base + "/link", "POST", {"token": "x"}), fetch(base + "/link"), fetch(base + "/metrics"),
                   fetch(base + "/link/" + "A" * 5000), fetch(base + "/link/%00%0d%0aSet-Cookie:x"),
                   fetch(base + "/link/..%2f..%2fetc%2fpasswd")]
        for page in answers:
            with self.subTest(url=page.url[:80], status=page.status):
                self.assertLess(page.status, 500)
                self.assertEqual(page.headers["referrer-policy"], "no-referrer")
                self.assertEqual(page.headers["x-content-type-options"], "nosniff")
                self.assertEqual(page.headers["x-frame-options"], "DENY")
                self.assertIn("no-store", page.headers["cache-control"])
                self.assertIn("default-src 'none'", page.headers["content-security-policy"])
                self.assertIn("frame-ancestors 'none'", page.headers["content-security-policy"])
                self.assertNotIn("set-cookie", page.headers)
        self.assertEqual([p.status for p in answers[:2]], [200, 200])
        self.assertEqual(fetch(url).status, 200, "none of it used the link up")

    def test_a_post_without_a_form_does_nothing(self):
        _, url = self.prepare()
        token = url.rsplit("/", 1)[1]
        base = f"http://127.0.0.1:{self.world.service.http_port}/link"
        body = f"token={token}&password={OTHER_PASSWORD}&repeat={OTHER_PASSWORD}"
        for kind, text in (("application/json", json.dumps({"token": token})), ("text/plain", body),
                           ("multipart/form-data; boundary=x", body),
                           ("application/x-www-form-urlencoded", "x=" + "y" * 20_000)):
            with self.subTest(kind=kind):
                page = fetch(base, "POST", raw=text, headers={"Content-Type": kind})
                self.assertEqual(page.status, 400)
        self.assertEqual(fetch(url).status, 200)

    def test_frequent_visitors_wait_and_others_do_not(self):
        _, url = self.prepare()
        statuses, page = set(), None
        # On a slow machine, more requests are answered before the limit takes effect.
        for _ in range(2000):
            page = fetch(url, headers={"X-Forwarded-For": "203.0.113.7"})
            statuses.add(page.status)
            if page.status != 200:
                break
        self.assertEqual(page.status, 429)
        self.assertSafe(page)
        self.assertEqual((page.headers["retry-after"], page.forms), ("60", []))
        self.assertEqual(fetch(url, headers={"X-Forwarded-For": "203.0.113.8"}).status, 200)

    def test_after_a_reset_earlier_guesses_lock_nobody_out(self):
        email = fresh_email()
        self.register(email=email)
        for _ in range(11):
            self.try_login(email=email, password=WRONG)
        self.assertError(self.try_login(email=email), "TooManyRequests")
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        self.assertEqual(self.open(email, "resetPassword").send(OTHER_PASSWORD).status, 200)
        self.login(email=email, password=OTHER_PASSWORD)


class Secrets(Links):
    def test_no_token_is_in_the_log_or_the_data_directory(self):
        email = fresh_email()
        self.register(email=email)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        url = self.url(email, "resetPassword")
        token = max(url.replace("?", "/").replace("=", "/").replace("&", "/").split("/"), key=len)
        self.assertGreaterEqual(len(token), 32)
        fetch(url).send(OTHER_PASSWORD)
        service = self.world.service
        service.log.flush()
        for path in [p for p in service.data.parent.rglob("*") if p.is_file()]:
            self.assertNotIn(token.encode(), path.read_bytes(), path.name)


if __name__ == "__main__":
    unittest.main()
