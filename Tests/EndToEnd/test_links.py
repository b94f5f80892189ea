"""Links in mails, and the pages they open."""

import threading
import unittest

from accounts import (
    COUNTRY, OTHER_PASSWORD, PASSWORD, People, fresh_email)
from pages import fetch, local


class Links(People):
    app = "people-4"

    def open(self, to, template, app=None):
        """The page of the link in the next mail of this kind."""
        return fetch(self.url(to, template))

    def url(self, to, template):
        return local(self.gateway.taken(to, template)["params"]["url"], self.world.service.http_port)

    def follow(self, page, password=None):
        """Sends the page's form where it has one; gives the page that comes then."""
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

    def test_looking_at_the_page_verifies_nothing(self):
        owner, email = self.register(), fresh_email()
        owner.get("account/updateProfile", {"email": email})
        page = self.open(email, "verifyEmail")
        self.assertEqual(page.status, 200)
        self.assertFalse(self.whoami(owner)["emailVerified"], "a mail scanner's GET must not verify")
        self.follow(page)
        self.assertTrue(self.whoami(owner)["emailVerified"])

    def test_a_link_to_an_address_that_was_changed_does_nothing(self):
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

    def test_nonsense_is_refused_like_a_used_one(self):
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

    def test_a_weak_password_is_refused_and_the_link_stays_good(self):
        _, email = self.prepare()
        page = self.open(email, "resetPassword")
        for weak in ("12345678", "short", email):
            with self.subTest(password=weak):
                refused = page.send(weak)
                self.assertTrue(refused.status >= 400 or refused.forms, "the form comes again")
                self.assertNotIn(weak, refused.text.replace(email, "") if weak != email else "")
        page.send(OTHER_PASSWORD)
        self.login(email=email, password=OTHER_PASSWORD)

    def test_of_many_at_once_one_sets_the_password(self):
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

    def test_skipping_steps_leads_nowhere(self):
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

    def test_an_unknown_or_unverified_email_answers_alike_and_gets_no_link(self):
        owner, unverified = self.register(), fresh_email()
        owner.get("account/updateProfile", {"email": unverified})
        self.gateway.taken(unverified, "verifyEmail")
        known = self.register(email=fresh_email()).user["email"]
        answers = [self.stranger().ask("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
                   for email in (known, unverified, fresh_email())]
        self.assertEqual([(a["ok"], a.get("result")) for a in answers], [(True, answers[0]["result"])] * 3)
        self.gateway.taken(known, "resetPassword")
        self.assertEqual([b for b in self.gateway.unread_to(unverified) if b["template"] == "resetPassword"], [])

    def test_a_username_that_is_an_email_gets_one(self):
        email = fresh_email()
        owner = self.register(username=email)
        self.stranger().get("account/requestPasswordReset", {"countryCode": COUNTRY, "email": email})
        self.open(email, "resetPassword").send(OTHER_PASSWORD)
        self.assertEqual(self.login(username=email, password=OTHER_PASSWORD).uid, owner.uid)


class Undoing(Links):
    def test_the_old_address_takes_the_account_back(self):
        old, new = fresh_email(), fresh_email()
        owner = self.register(email=old)
        owner.get("account/bindEmail", {
            "countryCode": COUNTRY, "email": new, "code": self.code(owner, "bind", email=new)})
        page = self.open(old, "addressChanged")
        self.assertSafe(page)
        self.assertNotIn(new, page.text, "the new address is masked")
        self.assertEqual(self.whoami(owner)["email"], new, "looking undoes nothing")
        self.assertEqual(self.follow(page).status, 200)
        back = self.login(email=old)
        self.assertEqual((back.uid, back.user["email"]), (owner.uid, old))
        self.assertError(self.try_login(email=new), "InvalidCredentials")


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
