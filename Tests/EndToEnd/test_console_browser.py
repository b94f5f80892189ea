"""The operators' console in a real browser: pages, keyboard, screen reader, updates and a killed service."""

import datetime
import json
import re
import time
import unittest
import urllib.error
import urllib.request
import zlib
import zoneinfo

import postgres
from client import Device, Terminal, fresh_id
from console import operations
from console_browser import Browser
from harness import LONG, ROOT, SECOND, eventually
from make_pictures import IMAGES, OTHERS, PICTURES
from pushservices import WebPush
from world import FREE, LAMP, LISTED, OwnWorldOfClass, World

FILES = ROOT / "Sources/Console/Files"
LARGEST = 2**53 - 1
SCRIPT = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>"
BACKWARDS = "\u202edrawkcab\u2066"
LENGTHY = "a long one " * 900  # 10 kB

PAGES = ["overview", "live", "refusals", "devices", "products", "apps", "users", "messages", "schedules", "deadletters",
         "system", "system/workers", "system/store", "system/limits", "system/config", "system/certificates", "system/log",
         "audit", "audit/operators", "nowhere"]
# The rules that apply to forced colours. With forced colours, the system determines the contrast. The page still
# determines the names and states.
FORCED = ["aria-valid-attr-value", "button-name", "link-name", "label", "scrollable-region-focusable"]
TABS = ["state", "timeline", "commands", "history", "who", "schedules", "messages", "info"]


class Console(OwnWorldOfClass):
    """A service with a device, a user and a browser that must report no faults."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def visit(self, enter=True, **more):
        visit = self.browser.visit(self.own.service, **more)
        self.addCleanup(self._leave, visit)
        return visit.enter() if enter else visit

    def _leave(self, visit):
        visit.close()
        self.assertEqual(visit.faults, [], "what the browser complained about")
        self.assertEqual(visit.elsewhere, set(), "requests to elsewhere")

    def furnish(self):
        """Creates a device with a history, and its user."""
        device, terminal = self.pair()
        for number in range(3):
            device.report(data={"power": number % 2 == 0, "brightness": 10 * number, "mode": "white", "temperature": 20.5 + number})
        terminal.get("device/setCustomInfo", {"did": device.did, "alias": "Kitchen"})
        return device, terminal


class EveryPage(Console):
    def test_no_page_has_an_accessibility_fault_wide_or_narrow_light_or_dark(self):
        device, terminal = self.furnish()
        self.world.terminal(login=False).close()
        paths = PAGES + [f"devices/{device.did}/{tab}" for tab in TABS] + [
            f"products/{LAMP['productKey']}", "apps/test-app", f"users/{terminal.uid}"]
        visit = self.visit()
        found = []
        for path in paths:
            visit.show(path)
            # The page is loaded only once, because its content stays the same.
            for width in (1400, 390):
                visit.page.set_viewport_size({"width": width, "height": 844})
                for scheme in ("light", "dark"):
                    visit.page.emulate_media(color_scheme=scheme)
                    # Only contrast depends on the scheme.
                    only = None if scheme == "light" else ["color-contrast"]
                    found += [f"{path}, {width} px, {scheme}: {one}" for one in visit.findings(only)]
            visit.page.emulate_media(forced_colors="active")
            found += [f"{path}, forced colours: {one}" for one in visit.findings(FORCED)]
            visit.page.emulate_media(forced_colors="none")
            # WCAG requires that pages work from a width of 320 px. The largest width is also tested with letters that
            # are twice as large.
            for width, size in ((390, ""), (320, ""), (1280, ""), (1280, "200%")):
                visit.page.set_viewport_size({"width": width, "height": 844})
                visit.page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
                if visit.is_wide():
                    found.append(f"{path} is wider than {width} px {size}")
            visit.page.evaluate("document.documentElement.style.fontSize = ''")
        self.assertEqual(found, [])

    def test_times_are_the_services_own_in_the_format_of_the_persons_region(self):
        device, _ = self.furnish()
        visit = self.visit(enter=False)
        visit.page.clock.set_system_time(datetime.datetime.now() - datetime.timedelta(hours=1))
        page = visit.enter().show(f"devices/{device.did}/info")
        times = page.eval_on_selector_all("main time", "all => all.map(one => [one.innerText, one.title])")
        self.assertGreater(len(times), 3)
        for ago, exact in times:
            self.assertRegex(ago, r"^now$|sec\. ago$")
            self.assertRegex(exact, r"^\d+ \w+ \d{4}, \d\d:\d\d:\d\d$")
        visit.show(f"devices/{device.did}/history?range=hour&names=temperature")
        page.wait_for_selector("ll-chart .chart-line[d^=M]", state="attached")

    def test_dialogs_have_no_accessibility_fault(self):
        visit = self.visit()
        for path, name in [("overview", "Connect a device"), ("products", "New product"), ("audit/operators", "Add operator")]:
            visit.show(path)
            visit.page.get_by_role("button", name=name, exact=True).first.click()
            visit.page.wait_for_selector("dialog[open] h2")
            self.assertEqual(visit.findings(), [], name)
            visit.page.keyboard.press("Escape")

    def test_chinese_has_every_text_of_english(self):
        visit = self.visit(locale="zh-CN")
        visit.show("devices")
        self.assertEqual(visit.page.get_attribute("html", "lang"), "zh-Hans")
        missing = visit.page.evaluate("""async () => {
          const paths = (all, at = '') => Object.entries(all).flatMap(([key, one]) =>
            typeof one === 'object' && key !== 'rules' ? paths(one, `${at}${key}.`) : [`${at}${key}: ${typeof one}`]);
          const [en, zh] = await Promise.all(['en', 'zh'].map(async tag => paths(await (await fetch(`/console/base/words-${tag}.json`)).json())));
          return [...en.filter(one => !zh.includes(one)), ...zh.filter(one => !en.includes(one))];
        }""")
        self.assertEqual(missing, [])
        self.assertEqual(visit.findings(), [])

    def test_findings_of_the_doctor_are_shown_in_chinese(self):
        visit = self.visit(locale="zh-CN")
        visit.show("system")
        visit.see("代理有应答，且没有丢弃消息")
        visit.see("个连接，启动以来丢弃 0 条消息")
        visit.see("没有名称的客户端被拒绝；按来源地址的限制统计")
        # Everything is in Chinese, except addresses, values, and the names of settings.
        rows = visit.page.locator("main tbody tr").all_inner_texts()
        self.assertEqual([row for row in rows if not re.search(r"[\u4e00-\u9fff]", row)], [])
        self.assertEqual(visit.findings(), [])
        visit.show("apps/test-app")
        visit.page.get_by_role("button", name="试一下").first.click()
        visit.see("消息发布给网关")
        # If the browser can't load the Chinese words of findings, the findings are shown in English.
        other = self.visit(locale="zh-CN")
        other.page.route("**/words-zh-findings.json", lambda route: route.abort())
        other.show("system")
        other.see("the broker answers and drops nothing")

    def test_every_text_that_a_page_uses_exists(self):
        visit = self.visit()
        used = sorted({name for path in FILES.rglob("*.js")
                       for name in re.findall(r"\bt\.(\w+(?:\.\w+)*)", path.read_text(encoding="utf-8"))})
        self.assertGreater(len(used), 300)
        missing = visit.page.evaluate("""async used => {
          const words = await (await fetch('/console/base/words-en.json')).json();
          const find = path => path.split('.').reduce((at, key) => at === undefined || typeof at === 'string' ? at : at[key], words);
          return used.filter(path => find(path) === undefined);
        }""", used)
        self.assertEqual(missing, [])

    def test_each_reason_for_a_sessions_end_has_a_text(self):
        lists = json.loads((ROOT / "schemas/generated/lists.json").read_text(encoding="utf-8"))
        visit = self.visit()
        words = visit.page.evaluate("""() => Promise.all(['en', 'zh'].map(async tag =>
          Object.keys((await (await fetch(`/console/base/words-${tag}.json`)).json()).endReasons)))""")
        for known in words:
            self.assertEqual(sorted(known), sorted(lists["definitions"]["endReason"]["enum"]))

    def test_with_forced_colours_no_information_depends_on_the_background(self):
        device, terminal = self.furnish()
        visit = self.visit()
        visit.page.emulate_media(forced_colors="active")
        for path in ("devices", f"devices/{device.did}", "system/limits", f"users/{terminal.uid}", "live"):
            visit.show(path)
            self.assertTrue(visit.page.evaluate("matchMedia('(forced-colors: active)').matches"))
            # An element whose colour has a meaning also shows a word. Such an element also has a border, or it keeps
            # its colour when the browser forces other colours.
            bare = visit.page.evaluate("""() => [...document.querySelectorAll('.badge, .note, .dot, .bar i')].filter(one => {
              const style = getComputedStyle(one);
              const box = one.getBoundingClientRect();
              const seen = parseFloat(style.borderTopWidth) > 0 || style.forcedColorAdjust === 'none'
                || !['rgba(0, 0, 0, 0)', getComputedStyle(document.body).backgroundColor].includes(style.backgroundColor);
              return box.width > 0 && !seen;
            }).map(one => one.outerHTML.slice(0, 120))""")
            self.assertEqual(bare, [], path)
            self.assertEqual(visit.findings(FORCED), [])

    def test_a_charts_days_begin_at_midnight_in_its_zone_even_when_clocks_change(self):
        visit = self.visit()
        # The service combines all modules into one file. Therefore, the test loads this module from the sources.
        visit.page.route("**/console/base/calendar.js", lambda route: route.fulfill(
            path=FILES / "base/calendar.js", content_type="text/javascript"))
        days = visit.page.evaluate("""async () => {
          const { ticks, clockChanges } = await import('/console/base/calendar.js');
          const [from, to] = [Date.UTC(2026, 2, 27), Date.UTC(2026, 2, 31)];
          return { days: ticks(from, to, 'Europe/Berlin', 5).found, changes: clockChanges(from, to, 'Europe/Berlin') };
        }""")
        utc = [f"{time.strftime('%m-%dT%H:%M', time.gmtime(at / 1000))}" for at in days["days"]]
        self.assertEqual(utc, ["03-27T23:00", "03-28T23:00", "03-29T22:00", "03-30T22:00"])
        self.assertEqual([change["hours"] for change in days["changes"]], [1])


class Newcomers(Console):
    """Obstacles for users who see the console for the first time."""

    def test_the_request_for_a_password_can_be_dismissed_for_good(self):
        visit = self.visit(enter=False)
        page = visit.page
        page.goto(self.own.service.json("console")["url"])
        page.get_by_role("button", name="Later", exact=True).click()
        page.wait_for_selector("dialog", state="detached")
        page.reload()
        visit.show("overview")
        # All dialogs share one module. If this module still had a request for a password to show, the request would
        # appear together with the next dialog.
        page.keyboard.press("c")
        page.wait_for_selector("dialog[open] h2")
        self.assertEqual(page.locator("dialog").count(), 1)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="admin").click()
        page.get_by_role("button", name="Change password").click()
        page.wait_for_selector("dialog[open] input[name=password]")

    def test_the_menu_is_as_wide_as_its_texts(self):
        page = self.visit(width=1400).show("overview")
        page.click("#bar button[popovertarget=me]")
        self.assertLess(page.eval_on_selector("#me", "menu => menu.getBoundingClientRect().width"), 400)

    def test_history_begins_with_a_suitable_period(self):
        device, _ = self.furnish()
        page = self.visit(width=1400).show(f"devices/{device.did}/history?names=temperature")
        page.wait_for_selector("ll-chart .chart-line[d^=M]", state="attached")
        self.assertEqual(page.inner_text("nav.chips [aria-current]"), "Auto")
        since, to = page.evaluate("(() => { const all = new URL(document.querySelector('a[download]').href).searchParams; return [all.get('from'), all.get('to')]; })()")
        self.assertLessEqual(int(to) - int(since), 120_000)
        page.click("nav.chips a >> text=Day")
        page.wait_for_function("""() => {
            const link = document.querySelector("a[download]");  // There is none while the next window is read.
            const all = link && new URL(link.href).searchParams;
            return all && all.get("to") - all.get("from") >= 86400000;
        }""")

    def test_all_times_have_24_hours_and_one_zone_which_is_named_once(self):
        device, _ = self.furnish()
        visit = self.visit(locale="en-US")
        page = visit.show(f"devices/{device.did}/timeline")
        for zone, other in (("Europe/Berlin", "UTC"), ("UTC", "Europe/Berlin")):
            self.assertEqual(page.inner_text("#side > p"), f"Times in {zone}, 24 hours")
            self.assertEqual(page.inner_text("#shell").count(zone), 1)
            shown = page.eval_on_selector_all(".times time", "all => all.map(one => [one.innerText, one.dateTime])")
            self.assertGreater(len(shown), 2)
            for text, at in shown:
                moment = datetime.datetime.fromisoformat(at).astimezone(zoneinfo.ZoneInfo(zone))
                self.assertEqual(text, moment.strftime("%H:%M:%S"))
            page.click("#bar button[popovertarget=me]")
            page.get_by_role("button", name=f"Show times in {other}").click()
            page.wait_for_function("zone => document.querySelector('#side > p')?.innerText.includes(zone)", arg=other)
            visit.show(f"devices/{device.did}/timeline")

    def test_the_log_shows_its_last_lines_to_operators(self):
        visit = self.visit()
        page = visit.show("system/log")
        page.wait_for_selector("pre.log")
        self.assertRegex(page.inner_text("pre.log"), r"(?m)^\d{4}-\d\d-\d\dT\S+Z \w+ +\S")
        lines = visit.api("GET", "system/log")[1]["items"]
        # Lines of several threads can be slightly out of order.
        self.assertLessEqual(lines[0][:19], lines[-1][:19])
        self.assertLessEqual(len(lines), 200)

    def test_the_doctor_says_what_it_checks(self):
        visit = self.visit()
        page = visit.page
        waiting = []
        page.route("**/system/doctor?group=broker", lambda route: waiting.append(route))
        page.goto(f"{visit.address}/console/#/system")
        eventually(lambda: page.wait_for_timeout(20) or waiting, 20, "the look at the broker")
        self.assertIn("Checking the broker", page.inner_text("main [role=status]"))
        self.assertGreater(page.locator("main tbody tr").count(), 4)
        self.assertEqual(visit.findings(), [])
        waiting.pop().continue_()
        visit.show("system")
        groups = page.evaluate("async () => Object.keys((await (await fetch('/console/base/words-en.json')).json()).system.groups)")
        self.assertEqual(sorted(groups), sorted(next(
            o for _, path, o in operations() if path == "/system/doctor")["parameters"][0]["schema"]["enum"]))

    def test_long_values_scroll_by_keyboard(self):
        device, _ = self.pair(FREE)
        device.report(data={"words": "a long word " * 40})
        visit = self.visit()
        visit.show(f"devices/{device.did}")
        self.assertEqual(visit.findings(), [])


class Keyboard(Console):
    def test_every_page_is_reached_by_keyboard_alone(self):
        self.furnish()
        visit = self.visit()
        page = visit.show("overview")
        page.evaluate("document.activeElement.blur()")
        keys = page.keyboard
        keys.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.className"), "skip")
        reached = set()
        for _ in range(60):
            keys.press("Tab")
            here = page.evaluate("document.activeElement.closest('#side') ? document.activeElement.getAttribute('href') : null")
            if not here or not here.startswith("#/") or here in reached:
                if reached and not here:
                    break
                continue
            keys.press("Enter")
            page.wait_for_function("path => location.hash === path && document.querySelector('main').dataset.page === path.slice(2)", arg=here)
            reached.add(here)
            page.evaluate("path => document.querySelector(`#side a[href='${path}']`).focus()", here)
        self.assertEqual(len(reached), 12)

    def test_keys_search_step_open_and_go_back(self):
        device, _ = self.furnish()
        visit = self.visit()
        page = visit.show("overview")
        keys = page.keyboard
        keys.type("gd")
        page.wait_for_selector(f"main tr[data-key='{device.did}']")
        keys.press("/")
        keys.type(f"online:yes {device.did}")
        page.wait_for_function("did => document.querySelectorAll('main tbody tr').length === 1 && location.hash.includes(did)", arg=device.did)
        keys.press("Escape")
        keys.press("Escape")
        keys.press("j")
        keys.press("Enter")
        page.wait_for_function("did => location.hash === `#/devices/${did}`", arg=device.did)
        page.wait_for_selector("main h1:focus")
        self.assertEqual(page.inner_text("main h1"), "Kitchen")
        keys.press("Escape")
        page.wait_for_function("location.hash === '#/devices'")
        keys.press("?")
        page.wait_for_selector("dialog[open]")
        keys.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        keys.press(".")
        page.wait_for_selector("#live[aria-pressed=true]")
        keys.press(".")
        page.wait_for_selector("#live[aria-pressed=false]")

    def test_a_chart_is_read_by_arrow_keys(self):
        device, _ = self.furnish()
        visit = self.visit()
        page = visit.show(f"devices/{device.did}/history?range=hour&names=temperature")
        page.focus("ll-chart [role=slider]")
        page.keyboard.press("End")
        self.assertIn("temperature 2", page.get_attribute("ll-chart [role=slider]", "aria-valuetext"))

    def test_a_switch_commands_the_device_and_shows_its_answer(self):
        device, _ = self.furnish()
        device.report(data={"power": False})
        visit = self.visit()
        page = visit.show(f"devices/{device.did}")
        switch = page.get_by_role("switch", name="Set power")
        switch.focus()
        page.keyboard.press("Space")
        command = device.command().body
        self.assertEqual(command["data"], {"power": True})
        device.send(cid=command["cid"], data={"power": True})
        page.wait_for_selector("section[aria-label=power] .value:text-is('true')")
        visit.show(f"devices/{device.did}/timeline")
        visit.see("operator")
        visit.see("done")


class Strangers(Console):
    def test_texts_of_devices_and_users_are_shown_exactly_and_as_text(self):
        device, terminal = self.pair(FREE)
        self.assertTrue(device.report(data={
            "largest": LARGEST, "smallest": -LARGEST, SCRIPT[:64]: SCRIPT, "backwards": BACKWARDS, "long": LENGTHY})["ok"])
        terminal.get("device/setCustomInfo", {"did": device.did, "alias": SCRIPT[:64]})
        visit = self.visit()
        visit.show(f"devices/{device.did}")
        for text in (SCRIPT, str(LARGEST), str(-LARGEST), BACKWARDS, LENGTHY.strip()):
            visit.see(text)
        self.assertIsNone(visit.page.evaluate("window.hacked ?? null"))
        visit.show("live")
        visit.see("Listening")
        device.report(data={"again": SCRIPT, "largest": LARGEST})
        # The page shows the text as a JSON string.
        visit.see(json.dumps(SCRIPT)[1:-1])
        visit.see(str(LARGEST))
        for path in ("live", "devices", f"devices/{device.did}/timeline", f"devices/{device.did}/who", f"users/{terminal.uid}"):
            visit.show(path)
            for width in (1280, 390):
                visit.page.set_viewport_size({"width": width, "height": 844})
                self.assertFalse(visit.is_wide(), f"{path} at {width} px")
        self.assertIsNone(visit.page.evaluate("window.hacked ?? null"))
        self.assertEqual(visit.page.locator("main img, main script").count(), 0)

    def test_the_reason_of_a_refusal_is_shown_at_once(self):
        device, _ = self.furnish()
        visit = self.visit()
        visit.show("refusals")
        wrong = self.keep(Device(self.world.port, device.did, "not-the-secret"))
        self.assertNotEqual(wrong.connect(), 0)
        visit.see("Wrong password")
        visit.see(device.did)
        visit.see("Register the device again")


class Lists(Console):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = [cls.own.device(connect=False) for _ in range(60)]
        for device in made:
            cls.addClassCleanup(device.close)
        cls.devices = {device.did: device for device in made}

    def hold(self, page, part):
        """Holds requests whose address contains `part`, and returns the list of these requests."""
        held = []
        page.route(lambda url: part in url, lambda route: held.append(route))
        return held

    def test_a_list_continues_while_its_rows_change(self):
        visit = self.visit()
        # The last device's row and the button below it are on the screen.
        last = self.devices[visit.api("GET", "devices")[1]["items"][-1]["did"]].come()
        page = visit.show("devices")
        row = page.locator(f"tr[data-key='{last.did}']")
        row.get_by_text("online").wait_for()
        rows, held = page.locator("tbody tr").count(), self.hold(page, "cursor=")
        page.get_by_role("button", name="Show more").click()
        eventually(lambda: page.wait_for_timeout(10) or held, what="the request for the next rows")
        last.close()
        row.get_by_text("offline").wait_for()
        held[0].continue_()
        eventually(lambda: page.locator("tbody tr").count() > 50, what="the next rows")
        self.assertEqual(rows, 50)
        row.get_by_text("offline").wait_for()

    def test_a_failed_continuation_is_reported_and_can_be_retried(self):
        visit = self.visit()
        page = visit.show("devices")
        page.route(lambda url: "cursor=" in url, lambda route: route.abort(), times=1)
        more = page.get_by_role("button", name="Show more")
        more.click()
        visit.see("The service does not answer")
        more.click()
        eventually(lambda: page.locator("tbody tr").count() > 50, what="the next rows")
        self.assertNotIn("The service does not answer", visit.text())


    def test_a_list_that_could_not_be_read_at_first_is_read_on_retry(self):
        visit = self.visit()
        page = visit.page
        page.route(lambda url: url.endswith("/api/v1/devices"), lambda route: route.abort(), times=1)
        page.goto(f"{visit.address}/console/#/devices")
        visit.see("The service does not answer")
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("button", name="Show more").click()
        eventually(lambda: page.locator("tbody tr").count() > 50, what="the next rows")

    def test_a_list_continues_with_the_newest_query_however_late_others_are_answered(self):
        visit = self.visit()
        page = visit.show("devices")
        held = self.hold(page, "devices?query=lamp")
        page.keyboard.press("/")
        page.keyboard.type("lamp")
        eventually(lambda: page.wait_for_timeout(10) or held, what="the first question")
        page.keyboard.press("Control+A")
        with page.expect_response(lambda answer: "devices?query=test" in answer.url):
            page.keyboard.type("test")
        with page.expect_response(lambda answer: "devices?query=lamp" in answer.url):
            held[0].continue_()
        with page.expect_request(lambda request: "cursor=" in request.url) as asked:
            page.get_by_role("button", name="Show more").click()
        self.assertIn("query=test&", asked.value.url)

    def test_events_during_the_reading_of_a_list_are_included(self):
        visit = self.visit()
        beside = visit.tab("refusals")
        page = visit.show("overview")
        held = []
        # The service makes the answer first, but the page receives the event first.
        page.route(lambda url: url.endswith("/api/v1/refusals"), lambda route: held.append((route, route.fetch())), times=1)
        page.click("#side a[href='#/refusals']")
        eventually(lambda: page.wait_for_timeout(10) or held, what="the list's first answer")
        wrong = self.keep(Device(self.world.port, next(iter(self.devices)), "not-the-secret"))
        self.assertNotEqual(wrong.connect(), 0)
        beside.get_by_text(wrong.did).first.wait_for()
        held[0][0].fulfill(response=held[0][1])
        visit.see(wrong.did)

    def test_typing_continues_while_a_page_is_loaded(self):
        visit = self.visit()
        page = visit.show("overview")
        held = self.hold(page, "/api/v1/devices")
        page.click("#side a[href='#/devices']")
        page.wait_for_selector("main .find input")
        page.keyboard.press("/")
        page.keyboard.type("online:no ")
        eventually(lambda: page.wait_for_timeout(10) or any("query=" in route.request.url for route in held), what="the question")
        page.unroute_all()  # the held requests continue
        page.wait_for_function("() => document.querySelector('main').dataset.page === 'devices'")
        page.keyboard.type("d-")
        self.assertEqual(page.input_value("main .find input"), "online:no d-")
        page.wait_for_function("() => location.hash.includes('d-')")
        # When the user leaves the field, the typed text and the rows of the list remain.
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        self.assertEqual(page.input_value("main .find input"), "online:no d-")

    def test_a_list_that_is_read_again_keeps_rows_added_meanwhile(self):
        device, _ = self.pair()
        device.close()
        visit = self.visit()

        def command():
            return visit.api("POST", f"devices/{device.did}/commands", {"data": {"power": True}, "mode": "queue"})

        for _ in range(60):
            status, answer = command()
            self.assertEqual(status, 200, answer)
        page = visit.show(f"devices/{device.did}/commands")
        self.assertEqual(page.locator("main tbody tr").count(), 50)
        held = []
        page.route(lambda url: "/commands" in url and "cursor=" not in url, lambda route: held.append(route))
        command()
        eventually(lambda: page.wait_for_timeout(10) or held, what="the list read again")
        page.get_by_role("button", name="Show more").click()
        eventually(lambda: page.locator("main tbody tr").count() == 60, what="the next rows")
        page.unroute_all()  # the held requests continue
        eventually(lambda: page.locator("main tbody tr").count() == 61, what="the new row with all others")

    def test_an_open_timeline_shows_each_report_once(self):
        device, _ = self.pair(FREE)
        for number in range(60):
            device.report(data={"count": number})
        visit = self.visit()
        page = visit.show(f"devices/{device.did}/timeline")
        page.get_by_role("button", name="Show more").click()
        told = re.compile(r"\bcount: (\d+)")
        eventually(lambda: len(told.findall(visit.text())) == 60, what="all reports")
        for number in range(60, 64):
            device.report(data={"count": number})
            visit.see(f"count: {number}")
        page.wait_for_timeout(500)  # for reports that must not appear
        self.assertEqual([int(number) for number in told.findall(visit.text())], list(reversed(range(64))))

    def test_going_back_shows_as_many_rows_as_before(self):
        visit = self.visit()
        page = visit.show("devices")
        page.get_by_role("button", name="Show more").click()
        eventually(lambda: page.locator("tbody tr").count() > 50, what="the next rows")
        rows = page.locator("tbody tr").count()
        last = page.locator("tbody tr").last.locator("th a")
        name = last.get_attribute("href")
        last.click()
        page.wait_for_selector("main .tabs")
        page.go_back()
        page.wait_for_selector("main tbody tr")
        self.assertEqual(page.locator("tbody tr").count(), rows)
        eventually(lambda: page.evaluate("name => document.querySelector(`tbody a[href='${name}']`).getBoundingClientRect().top < innerHeight", name),
                   what="the place in the list")
        # If the query changes, the list begins again with the first 50 rows.
        page.keyboard.press("/")
        page.keyboard.type("online:no ")
        page.wait_for_function("() => document.querySelectorAll('main tbody tr').length === 50")

    def test_rows_that_are_not_redrawn_follow_selection_and_changes(self):
        visit = self.visit()
        device = self.devices[visit.api("GET", "devices")[1]["items"][3]["did"]].come()
        self.addCleanup(device.close)
        page = visit.show("devices")
        row, box = (page.locator(f"tr[data-key='{device.did}']{part}") for part in ("", " input"))
        row.get_by_text("online").wait_for()
        box.check()
        visit.see("1 chosen")
        page.get_by_role("button", name="Columns").click()
        page.get_by_label("MAC", exact=True).check()
        self.assertEqual(page.locator("tbody td[data-label=MAC]").count(), page.locator("tbody tr").count())
        page.keyboard.press("Escape")
        device.close()
        row.get_by_text("offline").wait_for()
        self.assertTrue(box.is_checked())
        self.assertIn("now", row.locator("ll-time").first.inner_text())
        page.locator("main .note").get_by_role("button", name="Cancel").click()
        page.wait_for_function("() => !document.querySelector('main tbody input:checked')")
        eventually(lambda: "ago" in row.locator("ll-time").first.inner_text(), 20, "the moment as it is later")

    def test_rows_of_deleted_objects_disappear(self):
        visit = self.visit()
        did = next(iter(self.devices))
        page = visit.show(f"devices?query={did}")
        page.wait_for_selector(f"tr[data-key='{did}']")
        page.wait_for_selector("#live .dot.good")
        visit.api("DELETE", f"devices/{did}", {"confirm": did})
        page.wait_for_selector(f"tr[data-key='{did}']", state="detached")


class Acts(Console):
    def test_an_action_in_progress_is_not_repeated_and_messages_meanwhile_are_above_the_dialog(self):
        visit = self.visit()
        page = visit.show("audit/operators")
        page.get_by_role("button", name="Make token").click()
        page.fill("dialog input[name=name]", "twice")
        held = []
        page.route("**/api/v1/tokens", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
        send = page.locator("dialog button.main")
        send.click()
        eventually(lambda: page.wait_for_timeout(10) or held, what="the request")
        send.click(force=True)
        page.keyboard.press("Enter")
        page.wait_for_timeout(50)
        held.pop().abort()
        note = page.locator("#words > div")
        note.wait_for()
        self.assertEqual(held, [], "it was asked for once more")
        self.assertTrue(note.evaluate("""one => {
          const { left, top, width, height } = one.getBoundingClientRect();
          return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }"""), "the dialog lies over what is said")
        page.go_back()
        page.wait_for_selector("dialog", state="detached")
        self.assertEqual(page.locator("body > #words").count(), 1)

    def test_a_refused_choice_is_reset(self):
        name = fresh_id("ida")
        self.own.service.json("operator", "add", name, "--role", "viewer")
        visit = self.visit()
        page = visit.show("audit/operators")
        row = page.locator(f"tr[data-key='{name}']")
        page.route(f"**/operators/{name}", lambda route: route.fulfill(status=503, json={"title": "Not now"}))
        row.locator("select").select_option("admin")
        page.get_by_text("Not now").wait_for()
        eventually(lambda: row.locator("select").input_value() == "viewer", what="the role that holds")

    def test_a_dropped_letter_is_restored_by_undo_and_deleted_with_the_page(self):
        device, _ = self.furnish()
        device.publish(f"{device.base}/report", b"{")
        visit = self.visit()
        page = visit.show("deadletters")
        row = page.locator("tbody tr").first
        row.wait_for()
        row.get_by_role("button", name="Drop").click()
        row.wait_for(state="detached")
        page.get_by_role("button", name="Undo").click()
        row.get_by_role("button", name="Drop").click()
        row.wait_for(state="detached")
        page.close()
        eventually(lambda: visit.api("GET", "deadLetters")[1]["items"] == [], what="the letter's end")

    def test_typed_text_survives_the_first_escape(self):
        visit = self.visit()
        page = visit.show("audit/operators")
        unsent, keys = page.get_by_text("What you typed is not saved."), page.keyboard

        def type_name():
            page.get_by_role("button", name="Add operator").click()
            page.wait_for_selector("dialog[open] input:focus")
            keys.type("somebody")

        page.get_by_role("button", name="Add operator").click()
        page.wait_for_selector("dialog[open] input:focus")
        keys.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        type_name()
        keys.press("Escape")
        unsent.wait_for()
        self.assertEqual(page.input_value("dialog input[name=name]"), "somebody")
        self.assertEqual(visit.findings(), [])
        # If the user types more, the dialog asks the question again.
        keys.type(" else")
        unsent.wait_for(state="detached")
        keys.press("Escape")
        unsent.wait_for()
        keys.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        unsent.wait_for(state="detached")
        type_name()
        page.click("dialog h2")  # no element has the focus
        keys.press("Escape")
        page.get_by_role("button", name="Discard").click()
        page.wait_for_selector("dialog", state="detached")
        # The page asks before it discards the input in its own form.
        page = visit.show(f"products/{LISTED['productKey']}")
        page.fill("main form [name=macs]", "a0b1c2d3e4f5")
        keys.press("Escape")
        keys.press("Escape")
        unsent.wait_for()
        self.assertEqual(page.input_value("main form [name=macs]"), "a0b1c2d3e4f5")
        keys.press("Escape")
        page.wait_for_function("location.hash === '#/products'")
        unsent.wait_for(state="detached")
        # If the service has refused the input, the page also asks before it discards the input. The question disappears
        # when the user leaves the page.
        page = visit.show(f"products/{LISTED['productKey']}")
        page.fill("main form [name=macs]", "no address at all")
        keys.press("Enter")
        page.get_by_text("is not a MAC").first.wait_for()
        # If the user types into a dialog meanwhile, the dialog asks its own question.
        keys.press("Escape")
        keys.press("c")
        page.locator("dialog[open] input").first.fill("a0b1c2d3e4f6")
        keys.press("Escape")
        unsent.wait_for()
        keys.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        keys.press("Escape")
        unsent.wait_for()
        page.click("#side a[href='#/users']")
        page.wait_for_function("() => document.querySelector('main').dataset.page === 'users'")
        unsent.wait_for(state="detached")

    def test_an_invalid_zone_is_reported(self):
        device, _ = self.furnish()
        visit = self.visit()
        page = visit.show(f"devices/{device.did}/history")
        page.fill("main input.zone", "Europe/Nowhere")
        page.keyboard.press("Enter")
        visit.see("There is no time zone Europe/Nowhere.")
        self.assertEqual(visit.findings(), [])
        page.fill("main input.zone", "Asia/Tokyo")
        page.keyboard.press("Enter")
        visit.see("calendar of Asia/Tokyo")
        self.assertNotIn("There is no time zone", visit.text())
        page.fill("main input.zone", "")
        page.keyboard.press("Enter")
        visit.see("There is no time zone")

    def test_a_text_that_looks_like_a_number_is_sent_as_a_text(self):
        device, _ = self.pair(FREE)
        device.report(data={"code": "12", "count": 12})
        visit = self.visit()
        page = visit.show(f"devices/{device.did}")
        for name, sent in (("code", "12"), ("count", 12)):
            page.locator(f"section[aria-label={name}]").get_by_role("button", name="Send").click()
            self.assertEqual(device.command().body["data"], {name: sent})

    def test_a_document_that_the_form_cannot_show_has_a_reason(self):
        visit = self.visit()
        page = visit.show("products")
        page.get_by_role("button", name="New product").first.click()
        page.get_by_role("button", name="JSON").click()
        page.fill("dialog textarea", '{"productKey": "%s", "name": "Odd", "dataPoints": 5}' % ("9c" * 16))
        page.get_by_role("button", name="Form", exact=True).click()
        page.get_by_text("It would be refused").wait_for()
        self.assertIn("dataPoints", page.inner_text("dialog .note"))

    def test_a_chart_without_points_with_huge_points_or_without_a_selection(self):
        device, _ = self.pair(FREE)
        for number in (LARGEST, -LARGEST, 1e308, -1e308):
            device.report(data={"big": number})
        visit = self.visit()
        page = visit.show(f"devices/{device.did}/history?range=hour&names=big")
        page.wait_for_selector("ll-chart .chart-line[d^=M]", state="attached")
        page.get_by_role("checkbox", name="big").uncheck()
        page.wait_for_selector("ll-chart", state="detached")
        self.assertEqual(page.locator("main [role=alert]").count(), 0)


class Messages(Console):
    def test_messages_appear_live_are_held_while_paused_and_filtered(self):
        device, _ = self.furnish()
        visit = self.visit()
        page = visit.show("live")
        visit.see("Listening")
        device.report(data={"temperature": 41.5})
        visit.see("41.5")
        visit.see(f"{device.base}/response")
        page.get_by_role("button", name="device/+/report", exact=True).wait_for()
        page.get_by_role("button", name="Pause", exact=True).click()
        beside = visit.tab("live")
        device.report(data={"temperature": 42.5})
        beside.get_by_text("42.5").first.wait_for()
        self.assertNotIn("42.5", visit.text())
        beside.close()
        page.get_by_role("button", name="Resume", exact=True).click()
        visit.see("42.5")
        page.get_by_role("button", name="device/+/report", exact=True).click()
        eventually(lambda: f"{device.base}/response" not in visit.text())
        self.assertIn("branch=", page.url)
        wrong = self.keep(Device(self.world.port, device.did, "not-the-secret"))
        self.assertNotEqual(wrong.connect(), 0)
        page.select_option("select", "refused")
        page.get_by_role("button", name="Show all").click()
        visit.see("wrong password")
        self.assertNotIn("not-the-secret", visit.text())

    def test_a_device_has_its_own_messages(self):
        device, _ = self.furnish()
        other, _ = self.furnish()
        visit = self.visit()
        visit.show(f"devices/{device.did}/messages")
        visit.see("Listening")
        other.report(data={"temperature": 51.5})
        device.report(data={"temperature": 52.5})
        visit.see("52.5")
        self.assertNotIn("51.5", visit.text())


class MessagesOut(Console):
    def test_a_test_message_is_sent_from_the_page_found_and_shown(self):
        visit = self.visit()
        page = visit.show("messages")
        page.get_by_role("button", name="Test message").click()
        page.fill("dialog input[name=to]", "anna@example.org")
        page.select_option("dialog select[name=appId]", "test-app")
        self.assertEqual(visit.findings(), [])
        page.get_by_role("button", name="Send", exact=True).click()
        page.wait_for_selector("dialog", state="detached")
        page.locator("main tbody tr", has_text="a•••@example.org").get_by_text("waiting", exact=True).wait_for()
        page.get_by_role("link", name="failed", exact=True).click()
        visit.see("Nothing matches")
        self.assertIn("state%3Afailed", page.url)
        page.get_by_role("link", name="Show all").click()
        visit.see("a•••@example.org")
        page.get_by_role("button", name="Test message").click()
        page.fill("dialog input[name=to]", "nobody")
        page.get_by_role("button", name="Send", exact=True).click()
        page.get_by_text("to is not an e-mail address").wait_for()
        self.assertEqual(page.locator("dialog").count(), 1)

    def test_a_message_that_changes_stays_in_its_place(self):
        visit = self.visit()
        page = visit.show("messages")
        page.wait_for_selector("#live .dot.good")
        for name in ("bert", "carl"):
            status, _ = visit.api("POST", "messages/test", {"channel": "email", "to": f"{name}@example.com", "appId": "test-app", "language": "en"})
            self.assertLess(status, 300)
            page.locator("main tbody tr", has_text=f"{name[0]}•••@example.com").wait_for()
        older = page.locator("main tbody tr", has_text="b•••@example.com")
        tries = int(older.locator("td[data-label=Tries]").inner_text())
        older.get_by_role("button", name="Send now").click()
        eventually(lambda: int(older.locator("td[data-label=Tries]").inner_text()) > tries, what="another try")
        rows = [row.strip() for row in page.locator("main tbody th").all_inner_texts()]
        self.assertEqual(rows[:2], ["c•••@example.com", "b•••@example.com"])

    def test_a_provider_is_tested_on_the_apps_page(self):
        visit = self.visit()
        page = visit.show("apps/test-app")
        row = page.locator("main tr[data-key=email]")
        row.get_by_role("button", name="Try", exact=True).click()
        row.get_by_text("messages are published for a gateway").wait_for()
        self.assertEqual(visit.findings(), [])

    def test_an_api_key_is_created_rotated_and_revoked_on_the_apps_page(self):
        visit = self.visit()
        page = visit.show("apps/test-app")
        page.get_by_role("button", name="New key").click()
        page.fill("dialog input[name=name]", "shop")
        page.fill("dialog input[name=scopes]", "device:read home")
        page.locator("dialog button.main", has_text="New key").click()
        page.locator("dialog", has_text="llk_").wait_for()
        page.locator("dialog button.main").last.click()
        row = page.locator("main tr", has_text="shop")
        row.get_by_text("device:read, home").wait_for()
        self.assertNotIn("llk_", visit.text())
        row.get_by_role("button", name="New secret").click()
        page.locator("dialog", has_text="llk_").wait_for()
        page.locator("dialog button.main").last.click()
        row.get_by_role("button", name="Revoke").click()
        page.fill("dialog input", "shop")
        page.locator("dialog button.danger").click()
        row.get_by_text("ended").wait_for()
        self.assertEqual(visit.findings(), [])


class Pushes(Console):
    @classmethod
    def make_world(cls):
        return World(watch=False, settings=["--set", "outbound.privateTargets=127.0.0.1"])

    def test_a_terminals_push_is_tested_on_the_apps_page_and_the_result_shown_with_its_cure(self):
        service = WebPush()
        self.addCleanup(service.close)
        terminal, subscriber = self.terminal(), service.subscribe()
        terminal.get("notification/setPush", {"push": subscriber.push})
        service.plans[subscriber.path] = [(201, b"", {}), (403, b"", {}), (410, b"", {})]
        visit = self.visit()
        page = visit.show("apps/test-app")

        def test(*texts):
            page.get_by_role("button", name="Test a terminal").first.click()
            page.fill("dialog input[name=terminal]", terminal.terminal_id)
            page.locator("dialog button.main").click()
            for text in texts:
                page.get_by_text(text).first.wait_for()
        test("the push service accepted the push")
        self.assertEqual(len(subscriber.got(terminal.get("app/info")["push"]["vapidKey"])), 1)
        test("answered 403", "must subscribe again")
        test("no longer knows the address", "the app sets a new address with notification/setPush")
        self.assertEqual(visit.findings(), [])
        self.assertNotIn("push", terminal.get("session/list")["sessions"][0])
        terminal.get("notification/setPush", {"push": {"kind": "fcm", "address": fresh_id("fcm")}})
        test("the app has no settings for this push service", "add push.fcm to the app's document")
        page.locator("main tr[data-key=fcm]").get_by_text("off", exact=True).wait_for()
        # If the terminal has no push address, the console's test of the push settings fails.
        terminal.get("notification/setPush", {"push": None})
        test("push address of the terminal")


class Events(Console):
    @classmethod
    def make_world(cls):
        return World(watch=False, settings=["--set", "outbound.privateTargets=localhost"])

    def test_a_subscription_is_paused_replayed_and_outlives_its_key(self):
        made = self.own.service.json("key", "add", "ledger", "--app", "test-app", "--scope", "events")
        server = self.keep(Terminal(self.own.port, "test-app", made["key"], made["terminalId"]).come())
        server.token = made["key"]
        # No server listens at this address, so every attempt fails.
        hook = server.get("events/subscribe", {
            "name": "to-ledger", "types": ["device.registered"], "url": "https://localhost:9/hook"})["subscriptionId"]
        self.device()
        eventually(lambda: self.subscription(hook).get("failingSince"), 20, "a failed try")
        visit = self.visit()
        page = visit.show("apps/test-app")
        row = page.locator("main tr", has_text="to-ledger")
        row.get_by_text("device.registered").wait_for()
        row.get_by_text("fails, 1 try").or_(row.get_by_text("tries.")).wait_for()
        self.assertEqual(visit.findings(), [])
        row.get_by_role("button", name="Last tries").click()
        page.locator("dialog tbody tr").first.wait_for()
        self.assertEqual(visit.findings(), [])
        page.keyboard.press("Escape")
        row.get_by_role("button", name="Pause").click()
        row.get_by_text("paused", exact=True).wait_for()
        before = self.subscription(hook)["cursor"]
        row.get_by_role("button", name="Replay").click()
        page.fill("dialog input[name=at]", "2099-01-01T00:00:00")
        page.locator("dialog button.main").click()
        page.wait_for_selector("dialog", state="detached")
        self.assertNotEqual(self.subscription(hook)["cursor"], before)
        row.get_by_role("button", name="Resume").click()
        row.get_by_text("on", exact=True).wait_for()
        key = page.locator("main tr", has_text=made["keyId"])
        key.get_by_role("button", name="Revoke").click()
        page.locator("dialog").get_by_text("continue: to-ledger").wait_for()
        page.fill("dialog input", "ledger")
        page.locator("dialog button.danger").click()
        key.get_by_text("ended").wait_for()
        self.assertEqual(self.subscription(hook)["state"], "on")

    def subscription(self, id):
        rows = self.own.service.json("events", "list", "--app", "test-app")["items"]
        return next(row for row in rows if row["subscriptionId"] == id)


class Sessions(Console):
    def test_a_link_works_once_and_a_password_afterwards(self):
        link = self.own.service.json("operator", "add", "anna", "--role", "viewer")["url"]
        visit = self.visit(enter=False)
        visit.page.goto(link)
        visit.page.fill("dialog input[name=password]", "a sentence is good")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_selector("dialog", state="detached")
        self.assertNotIn("enter", visit.page.url)
        # A viewer sees the action, but can't perform it.
        visit.show("products")
        self.assertTrue(visit.page.get_by_role("button", name="New product").first.is_disabled())
        other = self.visit(enter=False)
        other.page.goto(link)
        other.page.get_by_text("This link was used already").wait_for()
        other.page.fill("input[name=name]", "anna")
        other.page.fill("input[name=password]", "a sentence is good")
        other.page.keyboard.press("Enter")
        other.page.wait_for_selector("#side", state="attached")

    def test_a_link_stays_valid_while_the_service_does_not_answer(self):
        visit = self.visit(enter=False)
        page = visit.page
        page.route("**/session/enter", lambda route: route.abort(), times=1)
        page.goto(self.own.service.json("console")["url"])
        page.get_by_text("The service does not answer").wait_for()
        page.locator("main button.main").click()
        page.wait_for_selector("#side", state="attached")

    def test_a_user_erased_meanwhile_is_reported_as_gone(self):
        _, terminal = self.furnish()
        visit = self.visit()
        visit.show(f"users/{terminal.uid}")
        visit.api("DELETE", f"users/{terminal.uid}", {"confirm": terminal.uid})
        visit.see("There is nothing here")

    def test_twelve_tabs_are_live_and_a_revoked_operator_is_signed_out_of_each_within_a_second(self):
        device, _ = self.furnish()
        link = self.own.service.json("operator", "add", fresh_id("bob"), "--role", "operator")
        visit = self.visit(enter=False).enter(link["url"])
        tabs = [visit.page] + [visit.context.new_page() for _ in range(11)]
        for tab in tabs:
            visit.show(f"devices/{device.did}", tab)
        device.report(data={"temperature": 77.25})
        for tab in tabs:
            tab.wait_for_selector("text=77.25")
            tab.evaluate("""() => new MutationObserver(() => {
              if (document.querySelector('main.enter')) window.outAt ??= Date.now();
            }).observe(document.body, { childList: true, subtree: true })""")
        self.own.service.cli("operator", "revoke", link["operator"])
        ended = time.time() * 1000
        for tab in tabs:
            tab.wait_for_selector("main.enter")
        # Twelve tabs are drawn at the same time, while other tests are running.
        self.assertLess(max(tab.evaluate("window.outAt") for tab in tabs) - ended, SECOND * 1000)
        self.assertEqual(visit.api("GET", "devices")[0], 401)

    def test_the_end_of_a_session_by_an_operator_is_shown(self):
        _, terminal = self.furnish()
        visit = self.visit()
        visit.show(f"users/{terminal.uid}")
        visit.page.get_by_role("button", name="End", exact=True).click()
        terminal.wait_lost()
        visit.see("operator admin")
        eventually(lambda: re.search(r"after \d+ ms", visit.text()))

    @postgres.on_file
    def test_an_operator_who_returns_after_a_sessions_end_continues_at_the_same_place(self):
        device, _ = self.furnish()
        link = self.own.service.json("operator", "add", fresh_id("eva"), "--role", "viewer")
        visit = self.visit(enter=False)
        visit.page.goto(link["url"])
        visit.page.fill("dialog input[name=password]", "a sentence is good")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_selector("dialog", state="detached")
        page = visit.show(f"devices/{device.did}/history?range=day&names=temperature")
        was = page.url
        self.own.service.sql(
            f"UPDATE operatorSession SET seenAt = seenAt - 50000000, createdAt = createdAt - 50000000 WHERE name = '{link['operator']}'")
        page.get_by_text("Your session is over").wait_for()
        page.fill("input[name=name]", link["operator"])
        page.fill("input[name=password]", "a sentence is good")
        page.keyboard.press("Enter")
        page.wait_for_selector("main .tabs [aria-current]")
        self.assertEqual(page.url, was)
        visit.see("temperature")

    def test_a_new_sign_in_is_shown_in_the_operators_other_sessions(self):
        link = self.own.service.json("operator", "add", fresh_id("tom"), "--role", "viewer")
        visit = self.visit(enter=False).enter(link["url"])
        visit.show("devices")
        second = self.own.service.json("operator", "link", link["operator"])["url"]
        self.visit(enter=False).enter(second)
        visit.page.get_by_text("New sign-in to your account from 127.0.0.1").wait_for()
        visit.page.get_by_role("link", name="Show sessions").click()
        visit.page.wait_for_function("location.hash === '#/audit/operators'")


class Killed(Console):
    def test_an_open_page_shows_its_age_and_continues_without_gaps_and_duplicates(self):
        device, _ = self.furnish()
        visit = self.visit()
        page = visit.show(f"devices/{device.did}/timeline?kinds=report")
        device.report(data={"temperature": 31.125})
        visit.see("31.125")
        self.own.service.kill()
        page.wait_for_selector("html.stale")
        self.assertRegex(page.inner_text("#live"), r"as of \d")
        self.own.service.start()
        device.close()
        device.come()
        for number in (32.125, 33.125):
            device.report(data={"temperature": number})
        visit.see("33.125")
        for number in ("31.125", "32.125", "33.125"):
            self.assertEqual(visit.text().count(number), 1, number)
        page.wait_for_selector("html:not(.stale)")
        visit.faults.clear()  # the service's absence

    def test_the_overview_does_not_say_that_all_is_well_while_the_service_is_down(self):
        visit = self.visit()
        visit.show("overview")
        visit.see("All accepted reports are stored")
        self.own.service.kill()
        visit.see("The service has not answered since")
        self.assertNotIn("All accepted reports are stored", visit.text())
        self.own.service.start()
        eventually(lambda: "All accepted reports are stored" in visit.text(), 20, "all being well")
        visit.faults.clear()  # the service's absence

    def test_a_page_opened_while_the_service_is_down_is_loaded_later(self):
        visit = self.visit()
        page = visit.show("overview")
        self.own.service.kill()
        page.click("#side a[href='#/users']")
        visit.see("The service does not answer")
        self.own.service.start()
        eventually(lambda: "The service does not answer" not in visit.text(), 20, "the page")
        visit.faults.clear()  # the service's absence

    def test_a_page_watched_for_long_does_not_grow(self):
        device, _ = self.furnish()
        visit = self.visit()
        page = visit.show(f"devices/{device.did}")

        def heap():
            session = visit.context.new_cdp_session(page)
            session.send("HeapProfiler.collectGarbage")
            used = session.send("Runtime.getHeapUsage")["usedSize"]
            session.detach()
            return used

        def watch(reports):
            for number in range(reports):
                device.report(data={"temperature": number / 8})
            visit.see(f"{(reports - 1) / 8}", 30)

        watch(100)
        before = heap()
        for _ in range(200 if LONG else 2):
            watch(100)
        self.assertLess(heap(), before * 1.2 + 500_000)


class Pictures(unittest.TestCase):
    def test_every_picture_can_be_regenerated_and_is_used(self):
        texts = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        shown = {name for path in texts for name in re.findall(r"images/([\w-]+\.png)", path.read_text(encoding="utf-8"))}
        self.assertEqual(shown, set(PICTURES) | OTHERS)
        self.assertEqual({path.name for path in IMAGES.iterdir()}, set(PICTURES) | OTHERS)


class Weight(Console):
    def fetch(self, path, kind=None):
        """Returns a file's bytes, and the number of bytes transferred."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.own.service.ready['consolePort']}/console/{path}",
                                         headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.headers["Content-Encoding"], "gzip", path)
            if kind:
                self.assertEqual(answer.headers["Content-Type"], kind, path)
            travels = answer.read()
        return zlib.decompress(travels, 31), len(travels)

    def test_scripts_and_styles_stay_within_their_budget(self):
        files = [path for kind in ("*.js", "*.css") for path in FILES.rglob(kind)]
        travels = 0
        for path in files:
            text, size = self.fetch(path.relative_to(FILES).as_posix())
            self.assertEqual(text, path.read_bytes(), path)
            travels += size
        # At first, the limit was 100 kB. It was raised by 8 kB for events and HTTP, and again by 8 kB for notifications
        # and sharing.
        self.assertLess(travels, 116_000)

    def test_words_stay_within_their_budget_and_are_data(self):
        # A browser loads the words of one language. It also loads the translated words of findings if it shows a
        # finding.
        files = sorted(path.relative_to(FILES).as_posix() for path in FILES.rglob("*.json"))
        self.assertEqual(files, ["base/words-en.json", "base/words-zh-findings.json", "base/words-zh.json"])
        for path in files:
            text, travels = self.fetch(path, "application/json")
            self.assertEqual(json.loads(text), json.loads((FILES / path).read_text(encoding="utf-8")), path)
            # At first, the limits were 34 kB for the text and 13.5 kB for the transfer. They were raised by 8 % of
            # these values for events and HTTP, and again by 8 % for notifications and sharing.
            self.assertLess(len(text), 39_440, path)
            self.assertLess(travels, 15_660, path)

    def test_files_named_by_their_content_are_cached_and_others_are_requested_again(self):
        visit = self.visit()
        answers = {}
        visit.page.on("response", lambda answer: answers.update({answer.url.split("/console/")[-1]: answer}))
        visit.page.reload()
        visit.see("Overview")
        kept = [answer for path, answer in answers.items() if path.startswith("v/")]
        self.assertGreater(len(kept), 20)
        for answer in kept:
            self.assertIn("immutable", answer.headers["cache-control"], answer.url)
        self.assertEqual(answers[""].headers["cache-control"], "no-cache")

    def test_a_page_of_an_older_program_loads_the_new_one(self):
        visit = self.visit()
        gone = re.compile(r"/console/v/[^/]+/(pages/audit|shared/later)\.js$")
        visit.page.route(gone, lambda route: route.fulfill(status=404, body=""))
        reloads = []
        visit.page.on("request", lambda request: request.is_navigation_request() and (
            reloads.append(request.url), visit.page.unroute(gone)))
        visit.page.evaluate("location.hash = '#/audit'")
        visit.page.wait_for_selector("main[data-page=audit]")
        self.assertEqual(len(reloads), 1)
