"""A visitor's whole first minute in the playground, with a real lamp and app."""

import json
import pathlib
import re
import secrets
import subprocess
import tempfile
import unittest
import urllib.parse

import contract  # adds the folder of `catalog` to sys.path
import catalog
from harness import BINARY, ENVIRONMENT, Service, eventually
from test_reference import example
from webpage import Chromium, barriers, expect
from world import EndToEnd

HOSTILE = "<img src=x onerror=\"window.hacked=1\">"
RIGHT_TO_LEFT = "\u202eevil\u2066"


class InPlayground(EndToEnd):
    """Tests that share one browser and one service with the demo; each test is a new visitor."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service = Service().start()
        cls.addClassCleanup(cls.service.close)
        cls.chromium = Chromium()
        cls.addClassCleanup(cls.chromium.close)

    def visit(self, path="docs/try.html", host="127.0.0.1", **more):
        self.visitor = self.chromium.visitor(**more)
        self.addCleanup(self.visitor.close)
        self.addCleanup(self.well_behaved)
        self.page = self.visitor.open(f"http://{host}:{self.service.http_port}/{path}")
        return self.page

    def well_behaved(self):
        """Asserts that all requests went to the page's origin, and that nothing failed.

        Nothing may violate the content security policy."""
        own = {self.service.http_port, self.service.ready["webSocketPort"]}
        for address in self.visitor.requests:
            parts = urllib.parse.urlsplit(address)
            self.assertTrue(parts.hostname in ("127.0.0.1", "localhost") and parts.port in own, address)
        self.assertEqual(self.visitor.faults, [])

    def card(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def state(self, card, text):
        expect(self.card(card).locator(".head .state").first).to_have_text(text)

    def log_in(self):
        self.page.get_by_role("button", name="Log in", exact=True).click()
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()

    def bind(self):
        self.state("The lamp", "online")
        self.page.get_by_role("button", name="Bind", exact=True).click()
        expect(self.page.get_by_role("switch")).to_be_visible()

    def enter(self, **more):
        """Opens the page, and logs in a user who binds the lamp."""
        self.visit(**more)
        self.log_in()
        self.bind()

    def outcome(self, text):
        expect(self.page.locator(".outcome")).to_contain_text(text)

    def entry(self, text):
        return self.page.locator(".journal > li", has_text=text).last

    def identity(self, place):
        return self.page.locator("dl.label dd").nth(place).text_content()

    def choose(self, method):
        self.page.get_by_label("Method", exact=True).select_option(method)


class FirstMinute(InPlayground):
    def test_from_the_first_page_to_the_light(self):
        self.visit("")
        self.page.get_by_role("link", name="Try it").click()
        self.state("The lamp", "online")
        expect(self.page.locator(".lamp-line")).to_contain_text("Off, 21.5 °C")
        self.log_in()
        self.state("The app", "connected")
        self.bind()

        self.page.get_by_role("switch", name="Power").click()
        self.outcome("Done: the device carried out command 1")
        expect(self.page.get_by_role("img", name="The lamp: On, 60 %, warm")).to_be_visible()
        expect(self.page.get_by_role("switch", name="Power")).to_be_checked()
        # Now in the other direction: the user presses the switch on the lamp.
        self.page.get_by_role("button", name="Press its switch").click()
        expect(self.page.get_by_role("switch", name="Power")).not_to_be_checked()

        # The lamp is an ordinary device: the command line shows it too.
        device = self.service.device(self.identity(0))
        self.assertTrue(device["online"])
        for text in ("registers", "gets an identity", "asks account/loginAnonymous", "asks device/bind", "asks device/control",
                     "carried out command 1", "stored, version", "status, version", "command 1: done"):
            expect(self.entry(text)).to_be_attached()

    def test_each_message_is_shown_live_without_its_secrets(self):
        self.enter()
        demo = self.service.ready["demo"]
        for title, topic in (("registers", f"product/{demo['productKey']}/{self.identity(2)}/register"),
                             ("asks device/bind", "/request/device/bind"), ("gets an identity", "/registered")):
            with self.subTest(title):
                entry = self.entry(title)
                entry.get_by_role("button").first.click()
                expect(entry.locator(".whole")).to_contain_text(topic)
        shown = self.page.locator(".journal").inner_text()
        token = self.page.evaluate(
            "Object.values(localStorage).map(one => one.match(/\"token\":\"([^\"]+)/)?.[1]).find(Boolean)")
        self.assertGreater(len(token), 20)
        for secret in (demo["productSecret"], demo["appSecret"], token, self.identity(1)):
            self.assertNotIn(secret, shown)
        self.assertIn('"passcode": "•••"', shown)
        self.assertIn('"token": "•••"', shown)
        self.assertIn('"secret": "•••"', shown)

    def test_related_messages_are_marked(self):
        self.enter()
        self.page.get_by_role("switch").click()
        self.outcome("Done")
        self.entry("asks device/control").hover()
        expect(self.entry("answer to device/control")).to_have_class(re.compile("related"))
        self.entry("carried out command 1").hover()
        expect(self.entry("command 1: done")).to_have_class(re.compile("related"))
        expect(self.entry("asks device/bind")).not_to_have_class(re.compile("related"))

    def test_with_an_account_that_returns_on_another_terminal(self):
        name, password = f"ada{secrets.token_hex(4)}", "correct horse 42"

        def fill():
            self.page.get_by_label("With an account").check()
            self.page.get_by_label("User name").fill(name)
            self.page.get_by_label("Password", exact=True).first.fill(password)

        self.visit()
        fill()
        self.page.get_by_role("button", name="Log in", exact=True).click()
        expect(self.page.locator(".steps .problem")).to_contain_text("InvalidCredentials")
        self.page.get_by_role("button", name="Make an account").click()
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()
        self.bind()
        did = self.identity(0)

        self.visit()
        fill()
        self.log_in()
        expect(self.page.locator(".device")).to_contain_text("Demo lamp")
        self.page.get_by_role("switch").click()
        self.outcome("Done")
        self.assertNotEqual(self.identity(0), did)
        self.assertNotIn(password, self.page.locator(".journal").inner_text())

    def test_an_offline_lamp(self):
        self.enter()
        self.page.get_by_role("button", name="Pull the plug").click()
        expect(self.page.locator(".device .state")).to_have_text("offline")
        self.page.get_by_role("switch").click()
        self.outcome("DeviceOffline")
        self.outcome("mode: \"queue\"")
        expect(self.page.locator(".outcome").get_by_role("link")).to_have_attribute("href", "errors.html#DeviceOffline")
        self.page.get_by_role("checkbox").check()
        self.page.get_by_role("switch").click()
        self.outcome("Queued: command 1")
        self.page.get_by_role("button", name="Plug it in").click()
        expect(self.page.get_by_role("switch")).to_be_checked()
        expect(self.page.locator(".lamp-line")).to_contain_text("On")

    def test_another_lamp_and_an_unknown_device(self):
        self.enter()
        did = self.identity(0)
        self.page.get_by_role("button", name="Take a new lamp").click()
        expect(self.page.locator("dl.label dd").first).not_to_have_text(did)
        self.state("The lamp", "online")
        expect(self.page.locator(".device .state")).to_have_text("offline")
        self.page.get_by_text("Bind another device").click()
        self.page.get_by_role("button", name="Bind", exact=True).click()
        expect(self.page.get_by_role("switch")).to_have_count(2)
        self.page.get_by_label("Device id").fill("d-nothing")
        self.page.get_by_role("button", name="Bind", exact=True).click()
        expect(self.page.locator(".steps .problem")).to_contain_text("InvalidCredentials")

    def test_an_alert(self):
        self.enter()
        self.page.get_by_role("button", name="Cover it").click()
        expect(self.page.locator(".device")).to_contain_text("overheat")
        self.page.get_by_role("button", name="Uncover it").click()
        expect(self.page.locator(".device")).not_to_contain_text("overheat")


class Lasting(InPlayground):
    def test_the_service_is_killed_and_comes_back(self):
        self.enter()
        self.service.kill()
        self.state("The app", "no connection, trying again")
        self.state("The lamp", "no connection, trying again")
        expect(self.card("The app")).to_contain_text("as of ")
        # After the service is back, the device reports a change that was made in the meantime.
        self.page.get_by_role("button", name="Press its switch").click()
        expect(self.card("The lamp")).to_contain_text("1 report without an answer yet")
        self.service.start()
        self.state("The app", "connected")
        self.state("The lamp", "online")
        expect(self.page.get_by_role("switch")).to_be_checked()
        expect(self.card("The lamp")).not_to_contain_text("without an answer")
        self.page.get_by_role("switch").click()
        self.outcome("Done")

    def test_the_next_visit_continues_and_a_second_tab_is_another_lamp(self):
        self.enter()
        did = self.identity(0)
        self.page.reload()
        expect(self.page.get_by_role("switch")).to_be_visible()
        self.assertEqual(self.identity(0), did)
        first = self.page
        self.page = self.visitor.open(first.url)
        self.state("The lamp", "online")
        self.assertNotEqual(self.identity(0), did)
        self.page = first
        self.state("The lamp", "online")
        self.state("The app", "connected")

    def test_the_end_by_an_operator_is_shown(self):
        self.enter()
        token = self.page.evaluate("Object.values(localStorage).map(one => one.match(/\"sessionId\":\"([^\"]+)/)?.[1]).find(Boolean)")
        self.service.cli("session", "terminate", token)
        expect(self.page.get_by_role("button", name="Log in", exact=True)).to_be_visible()
        self.log_in()

    def test_messages_wait_while_paused_and_are_filtered_by_connection(self):
        self.enter()
        self.page.get_by_role("button", name="Pause").click()
        before = self.page.locator(".journal > li").count()
        self.page.get_by_role("switch").click()
        self.outcome("Done")
        self.assertEqual(self.page.locator(".journal > li").count(), before)
        self.page.get_by_role("button", name="Go on").click()
        expect(self.entry("asks device/control")).to_be_attached()
        self.page.get_by_role("radio", name="The lamp").check()
        expect(self.entry("asks device/control")).to_be_hidden()
        expect(self.entry("carried out command")).to_be_visible()
        self.page.get_by_role("button", name="Clear").click()
        expect(self.page.get_by_text("Nothing has travelled yet.")).to_be_visible()


class Pushes(InPlayground):
    """A headless browser has neither a notification centre nor a push service of its own.

    The test makes the page record the notifications that it would show. DevTools deliver the pushes in place of a push
    service. Some tests replace the browser's `subscribe` function with one that returns an invented subscription.
    """

    SHOWS = """registration => { registration.showNotification = async (title, { body, tag }) => {
        (self.shown ??= []).push([title, body, tag]); } }"""
    ALLOWED = f"""Object.defineProperty(Notification, "permission", {{ get: () => "granted" }});
        ({SHOWS})(ServiceWorkerRegistration.prototype)"""
    SUBSCRIBES = """PushManager.prototype.subscribe = async ({ applicationServerKey }) => ({ toJSON: () => ({
        endpoint: `https://push.example.com/${applicationServerKey}`, keys: { p256dh: "BA", auth: "BB" } }) })"""

    def allow(self, *scripts):
        """Opens the page for a reader who allows notifications, and logs in."""
        self.visit()
        for script in (self.ALLOWED, *scripts):
            self.page.add_init_script(script)
        self.page.reload()
        self.log_in()

    def says(self, text):
        expect(self.page.locator(".notes [role=status]")).to_contain_text(text)

    def test_the_worker_shows_pushes_and_a_click_opens_the_page(self):
        self.allow()
        self.says("The browser's push service can't be reached")
        self.visitor.faults = [fault for fault in self.visitor.faults if "Push API in incognito mode" not in fault]
        session, found = self.visitor.context.new_cdp_session(self.page), []
        session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
        session.send("ServiceWorker.enable")
        worker, = self.visitor.context.service_workers
        worker.evaluate(f"({self.SHOWS})(registration)")
        registration, = {one["registrationId"] for one in found if one["scopeURL"].endswith("/docs/try/")}
        for text in ("Too hot", HOSTILE):
            session.send("ServiceWorker.deliverPushMessage", {
                "origin": f"http://127.0.0.1:{self.service.http_port}", "registrationId": registration,
                "data": json.dumps({"notificationId": "t-1", "type": "device.fault", "title": "Lamp", "text": text, "ts": 1})})
        shown = eventually(lambda: (lambda all: all if len(all) == 2 else None)(worker.evaluate("self.shown ?? []")))
        self.assertEqual(shown, [["Lamp", "Too hot", "t-1"], ["Lamp", HOSTILE, "t-1"]])
        # Only a user's click may bring a page to the front.
        did = worker.evaluate("""async () => {
            const did = [];
            WindowClient.prototype.focus = async function () { did.push(this.url); };
            const event = new ExtendableEvent("notificationclick");
            event.notification = { close: () => did.push("closed") };
            await new Promise(resolve => { event.waitUntil = resolve; dispatchEvent(event); });
            return did;
        }""")
        self.assertEqual(did, ["closed", self.page.url])

    def test_an_open_page_shows_new_notifications(self):
        self.allow(self.SUBSCRIBES)
        self.bind()
        self.page.get_by_role("button", name="Break it").click()
        (title, text, tag), = eventually(lambda: self.page.evaluate("self.shown"))
        self.assertIn("Demo lamp", title)
        expect(self.page.locator(".notes li")).to_contain_text(text)
        self.assertRegex(tag, r"^t")

    def test_the_browsers_address_belongs_to_the_terminal_after_each_login(self):
        self.allow(self.SUBSCRIBES)
        for _ in range(2):
            self.says("Pushes reach this browser")
            self.choose("session/list")
            self.page.get_by_role("button", name="Send").click()
            expect(self.page.locator(".answer")).to_contain_text('"kind": "webpush"')
            self.assertNotIn("push.example.com", self.page.locator(".journal").inner_text())
            self.page.get_by_role("button", name="Log out").click()
            self.log_in()


class AnyMethod(InPlayground):
    def send(self):
        self.page.get_by_role("button", name="Send").click()

    @property
    def answer(self):
        return self.page.locator(".answer")

    def test_a_form_for_each_method_writes_its_example_in_five_languages(self):
        self.visit()
        expect(self.page.get_by_label("Method", exact=True)).to_be_visible()
        written = self.page.evaluate("""async () => {
            const { example } = await import("./try/code.js");
            const { methods } = await (await fetch("try/contract.json")).json();
            return methods.map(({ name, examples }) => [name, Object.fromEntries(
                ["sh", "python", "javascript", "c", "swift"].map(one => [one, example(one, name, examples[0].value)]))]);
        }""")
        self.assertEqual([name for name, _ in written], list(catalog.methods()))
        for name, texts in written:
            for language, text in texts.items():
                with self.subTest(method=name, language=language):
                    self.assertEqual(text, example(name, language))

        # If an example fills a form, the form returns the same example.
        changed = self.page.evaluate("""async () => {
            const { Form } = await import("./try/form.js");
            const { methods } = await (await fetch("try/contract.json")).json();
            const sorted = value => JSON.stringify(value, (_key, one) => one && typeof one === "object" && !Array.isArray(one)
                ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1)) : one);
            // One takes whatever it is given, and has no form.
            return methods.filter(({ params }) => params.properties).flatMap(({ name, params, examples }) => examples.flatMap(({ title, value }) => {
                const form = new Form(params, () => {});
                form.value = value;
                return sorted(form.value) === sorted(value) ? [] : [[name, title, value, form.value]];
            }));
        }""")
        # A form leaves out empty fields.
        empty = re.compile(r'null|\{\}|""')
        self.assertEqual([one for one in changed if not empty.search(json.dumps(one[2]))], [])

    def test_an_answer_and_a_refusal_with_cause_and_cure(self):
        self.visit()
        self.choose("home/create")
        expect(self.page.get_by_text("It needs a session: log in first.")).to_be_visible()
        self.send()
        expect(self.answer).to_contain_text("InvalidToken")
        self.log_in()
        expect(self.page.get_by_text("It needs a session: log in first.")).to_be_hidden()
        self.page.get_by_label("name").first.fill("Under the roof")
        self.send()
        expect(self.answer).to_contain_text("homeId")
        self.page.get_by_label("name").first.fill("")
        self.send()
        expect(self.answer).to_contain_text("InvalidRequest")
        expect(self.answer).to_contain_text("Correct the member that field names")
        self.choose("home/list")
        self.send()
        expect(self.answer).to_contain_text("Under the roof")

    def test_params_as_json_and_as_a_form_are_the_same(self):
        self.visit()
        self.choose("device/control")
        self.page.get_by_text("Params as JSON").first.click()
        box = self.page.get_by_label("Params as JSON")
        box.fill('{"did": "d-1", "data": {"power": true}, "ttl": 9007199254740991, "unknown": [1]}')
        self.assertEqual(self.page.get_by_label("ttl").input_value(), "9007199254740991")
        code = self.page.get_by_label("The same call to copy")
        expect(code).to_contain_text('"ttl":9007199254740991,"unknown":[1]')
        box.fill('{"did": ')
        expect(self.page.get_by_role("alert")).to_contain_text("This is not a JSON object")
        self.page.get_by_label("ttl").fill("30")
        expect(self.page.get_by_role("alert")).to_be_hidden()
        self.assertEqual(json.loads(box.input_value())["ttl"], 30)

    def test_a_login_by_any_method_is_used_by_the_page(self):
        self.visit()
        self.choose("account/loginOrRegister")
        self.card("Any method").get_by_label("uid").fill("my-own-7")
        self.card("Any method").get_by_label("password required").fill("correct horse 42")
        expect(self.page.get_by_label("The same call to copy")).to_contain_text('"password":"•••"')
        self.send()
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()
        expect(self.answer).to_contain_text('"token": "•••"')

    def test_the_copied_code_runs_as_pasted(self):
        self.enter(permissions=["clipboard-read", "clipboard-write"])
        self.entry("asks device/bind").get_by_role("button").first.click()
        self.page.get_by_role("button", name="This call in five languages").click()
        expect(self.page.get_by_label("Method", exact=True)).to_have_value("device/bind")
        self.choose("device/status")
        self.page.get_by_text("What it needs").click()
        copies = self.page.get_by_role("button", name="Copy")

        def copied(place):
            copies.nth(place).click()
            expect(self.page.get_by_text("Copied")).to_be_visible()
            return self.page.evaluate("navigator.clipboard.readText()")

        call, variables = copied(0), copied(1)
        self.assertIn(self.identity(0), call)
        self.assertNotIn("•••", variables)
        with tempfile.TemporaryDirectory() as holder:
            subprocess.run([str(BINARY), "docs", holder], check=True, capture_output=True, env=ENVIRONMENT)
            done = subprocess.run(
                ["sh", "-c", f"{variables}\n{call}"], cwd=pathlib.Path(holder) / "examples", capture_output=True, text=True, timeout=30)
        self.assertTrue(json.loads(done.stdout)["ok"], done.stderr)
        # The page's terminal reconnects automatically.
        self.state("The app", "connected")
        self.page.get_by_role("switch").click()
        self.outcome("Done")


class Strangers(InPlayground):
    def test_names_and_values_of_strangers_are_text(self):
        self.enter()
        did = self.identity(0)
        for name in (HOSTILE, RIGHT_TO_LEFT, "long " * 12):
            self.choose("device/setCustomInfo")
            if not self.page.get_by_label("Params as JSON").is_visible():
                self.page.get_by_text("Params as JSON").first.click()
            self.page.get_by_label("Params as JSON").fill(json.dumps({"did": did, "alias": name}))
            self.page.get_by_role("button", name="Send").click()
            expect(self.page.locator(".device h3")).to_have_text(name.strip())
        # The messages contain unusual strings, even strings that the service never sends.
        shown = self.page.evaluate("""async texts => {
            const { Journal } = await import("./try/journal.js");
            const journal = new Journal(() => {});
            document.querySelector("main").append(journal.element);
            for (const text of texts) {
                journal.add("app", { what: "received", topic: text, payload: JSON.stringify({ [text]: text, big: 9007199254740991, low: -9007199254740991 }) });
                journal.add("lamp", { what: "received", topic: "ll/v1/device/d/command", payload: text });
                journal.add("app", { what: "received", topic: "ll/v1/app/a/t/response", payload: JSON.stringify({ id: text, ok: false, error: { code: text, message: text } }) });
            }
            for (const button of journal.list.querySelectorAll("li > button")) button.click();
            const text = journal.list.textContent;
            const width = document.documentElement.scrollWidth;
            const images = document.querySelectorAll("main img").length;
            journal.element.remove();
            return { text, width, images, hacked: window.hacked ?? null };
        }""", [HOSTILE, RIGHT_TO_LEFT, "x" * 10000, "</li></ol><script>hacked=1</script>"])
        self.assertEqual((shown["images"], shown["hacked"], shown["width"]), (0, None, 1280))
        for text in (HOSTILE, RIGHT_TO_LEFT, "9007199254740991", "-9007199254740991"):
            self.assertIn(text, shown["text"])

    def test_without_its_socket_the_page_names_the_setting(self):
        service = Service(arguments=["--set", "mqtt.webSocketPort=-1"]).start()
        self.addCleanup(service.close)
        visitor = self.chromium.visitor()
        self.addCleanup(visitor.close)
        page = visitor.open(f"http://127.0.0.1:{service.http_port}/docs/try.html")
        expect(page.get_by_role("alert")).to_contain_text("--set mqtt.webSocketPort=8083")
        self.assertEqual(visitor.faults, [])

    def test_without_a_demo_the_page_asks_for_keys(self):
        service = Service(arguments=["--no-demo"]).start()
        self.addCleanup(service.close)
        secret = secrets.token_urlsafe(32)
        service.import_document("app", {"appId": "mine", "name": "Mine", "secret": secret, "products": "all"})
        visitor = self.chromium.visitor()
        self.addCleanup(visitor.close)
        page = visitor.open(f"http://127.0.0.1:{service.http_port}/docs/try.html")
        page.get_by_label("App id").fill("mine")
        page.get_by_label("App secret").fill(secret)
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_text("Without a product's key there is no lamp here.")).to_be_visible()
        page.get_by_role("button", name="Log in", exact=True).click()
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        self.assertEqual(visitor.faults, [])

    def test_under_each_name_of_this_machine(self):
        for host in ("localhost", "127.0.0.1"):
            with self.subTest(host):
                self.visit(host=host)
                self.state("The lamp", "online")


class ForEveryone(InPlayground):
    def test_no_accessibility_fault_and_no_scrolling_sideways(self):
        english, chinese = ("en-US", "Log in", "Bind", "Send"), ("zh-CN", "登录", "绑定", "发送")
        for width, scheme, (locale, *words) in ((390, "light", english), (390, "dark", chinese), (1280, "light", chinese), (1280, "dark", english)):
            with self.subTest(width=width, scheme=scheme, locale=locale):
                page = self.visit(width=width, scheme=scheme, locale=locale)
                expect(page.locator(".state[data-state=online]")).to_have_count(2)
                self.assertEqual(barriers(page), [])
                page.get_by_role("button", name=words[0], exact=True).click()
                page.get_by_role("button", name=words[1], exact=True).click()
                page.get_by_role("switch").click()
                page.locator(".journal > li").last.get_by_role("button").first.click()
                page.get_by_role("button", name=words[2]).click()
                expect(page.locator(".answer pre")).to_be_visible()
                self.assertEqual(barriers(page), [])
                self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_both_languages_have_the_same_texts(self):
        self.visit()
        names = self.page.evaluate("""async () => {
            const { all } = await import("./try/words.js");
            const names = (words, path = "") => Object.entries(words).flatMap(([name, one]) =>
                one && typeof one === "object" ? names(one, `${path}${name}.`) : [`${path}${name} ${typeof one}`]).sort();
            return [names(all.en), names(all.zh)];
        }""")
        self.assertEqual(*names)
        self.page.get_by_role("button", name="中文").click()
        expect(self.page.get_by_role("heading", name="试一试")).to_be_visible()
        self.assertEqual(self.page.locator("main").get_attribute("lang"), "zh")

    def test_by_keyboard_alone(self):
        self.visit()
        self.state("The lamp", "online")
        page = self.page
        focused = "document.activeElement.textContent.trim() || document.activeElement.getAttribute('aria-label') || document.activeElement.id"

        def go(text, key="Tab"):
            for _ in range(150):
                page.keyboard.press(key)
                if page.evaluate(focused) == text:
                    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                    self.assertNotEqual(outline, "none", text)
                    return
            self.fail(f"{text} was not reached")

        go("Log in")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        go("Bind")
        page.keyboard.press("Enter")
        expect(page.get_by_role("switch")).to_be_visible()
        go("off")
        page.keyboard.press("Space")
        self.outcome("Done")
        go("Send")
        page.keyboard.press("Enter")
        expect(page.locator(".answer pre")).to_be_visible()


del InPlayground

if __name__ == "__main__":
    unittest.main(verbosity=2)
