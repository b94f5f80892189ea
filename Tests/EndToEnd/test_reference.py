"""The reference is complete and works offline, with its links, search and examples."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree

import contract  # adds the folder of `catalog` to sys.path
import catalog
from browser import Browser
from client import fresh_id, fresh_terminal
from harness import BINARY, ENVIRONMENT, ROOT
from world import EndToEnd

XHTML = "{http://www.w3.org/1999/xhtml}"
# The attributes that make a browser load something.
LOADS = ("src", "srcset", "data", "poster", "background")
NAMED = re.compile(r"\breference: ([a-z-]+)#([A-Za-z0-9_-]+)")
# References to a document that the project doesn't distribute.
UNSHIPPED = re.compile(r"\bPROTOCOL\b(?!_)|\"\"\"Sections? \d|\b[Ss]ections? \d(?:\.\d)? of the protocol")


@functools.cache
def folder():
    """Returns the folder that contains the reference as the program has written it."""
    holder = tempfile.mkdtemp(prefix="lamplighter-docs-")
    subprocess.run([str(BINARY), "docs", holder], check=True, capture_output=True, env=ENVIRONMENT)
    return pathlib.Path(holder)


def tearDownModule():
    if folder.cache_info().currsize:
        shutil.rmtree(folder())
        # Other test modules in this process call `folder()`. They must not get the deleted folder.
        folder.cache_clear()


@functools.cache
def pages():
    """Returns the HTML pages by name, parsed as XML: an unclosed tag is an error."""
    read = {}
    for path in folder().glob("*.html"):
        text = path.read_text(encoding="utf-8")
        read[path.name] = xml.etree.ElementTree.fromstring(text.split("\n", 1)[1])
    return read


@functools.cache
def anchors(page):
    return [element.get("id") for element in pages()[page].iter() if element.get("id")]


def markdown(name):
    return (folder() / "markdown" / f"{name}.md").read_text(encoding="utf-8")


def section(method):
    """Returns the Markdown of one method."""
    service = method.split("/")[0]
    return markdown(f"service-{service}").split(f"\n## {method}\n")[1].split("\n## ")[0]


def example(method, language):
    return re.search(rf"```{language}\n(.*?)\n```", section(method), re.DOTALL)[1]


class Pages(unittest.TestCase):
    def assertSection(self, page, anchor):
        self.assertIn(anchor, anchors(page), f"{page}#{anchor}")

    def test_each_method_has_params_answer_errors_and_examples(self):
        for method in catalog.methods():
            with self.subTest(method=method):
                name = method.replace("/", "-")
                for part in ("", "-params", "-result", "-errors", "-examples"):
                    self.assertSection(f"service-{method.split('/')[0]}.html", name + part)
                text = section(method)
                for code in catalog.error_codes(method):
                    self.assertIn(f"[{code}](errors.md#{code})", text)
                for member in catalog.schema(f"{method.replace('/', '.')}.params").get("properties", {}):
                    self.assertIn(f"| `{member}` |", text)
                for language in ("sh", "c", "python", "javascript", "swift"):
                    self.assertTrue(example(method, language))

    def test_each_topic_and_message_is_included(self):
        topics = markdown("topics")
        for name, channel in catalog.channels().items():
            with self.subTest(channel=name):
                self.assertIn(f"`{catalog.topic(channel['address'])}`", topics)
        for name, entry in catalog.entries().items():
            if entry.side is None:
                with self.subTest(message=name):
                    page = "documents" if entry.file == "documents" else entry.file.replace("/", "-")
                    self.assertSection(f"{page}.html", f"message-{name}")

    def test_each_code_reason_setting_and_metric_is_included(self):
        for code in catalog.files()["common"]["definitions"]["errorCode"]["enum"]:
            self.assertSection("errors.html", code)
        listed = json.loads(self.command("explain", "--json"))
        self.assertGreater(len(listed), 40)
        for page in listed:
            self.assertSection("problems.html" if page["code"].startswith("LL") else "refusals.html", page["code"])
        settings, limits = markdown("settings"), markdown("limits")
        for setting in json.loads(self.command("config", "--json"))["items"]:
            self.assertIn(f"| `{setting['key']}` |", settings)
            if setting["key"].startswith("limits."):
                self.assertIn(f"| `{setting['key']}` |", limits)

    def command(self, *arguments):
        return subprocess.run(
            [str(BINARY), *arguments], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout

    def test_each_reason_for_which_a_session_ends_is_explained(self):
        schema = catalog.files()["methods/session"]["definitions"]["endReason"]
        rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", markdown("sessions"), re.M))
        self.assertEqual(list(rows), schema["enum"])
        meanings = " ".join(f"`{reason}`: {meaning}." for reason, meaning in rows.items())
        self.assertEqual(meanings, schema["description"])

    def test_every_link_works(self):
        for name, page in pages().items():
            for link in page.iter(XHTML + "a"):
                file, _, anchor = link.get("href").partition("#")
                if name.startswith("guide") and file.startswith("https://"):
                    continue  # a third party's page, which needs a network
                with self.subTest(page=name, link=link.get("href")):
                    self.assertIn(file or name, pages())
                    if anchor:
                        self.assertIn(anchor, anchors(file or name))

    def test_anchors_are_unique(self):
        for name in pages():
            self.assertEqual(len(anchors(name)), len(set(anchors(name))), name)

    def test_links_and_pictures_in_markdown_exist(self):
        names = {path.name for path in (folder() / "markdown").iterdir()}
        for path in (folder() / "markdown").glob("*.md"):
            text = re.sub(r"```.*?\n```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            text = re.sub(r"``? .*? ``?|`[^`\n]*`", "", text)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                file, _, anchor = target.partition("#")
                if path.name.startswith("guide") and file.startswith("https://"):
                    continue
                with self.subTest(page=path.name, link=target):
                    self.assertIn(file or path.name, names)
                    if anchor:
                        self.assertIn(anchor, anchors((file or path.name).replace(".md", ".html")))

    def test_nothing_is_loaded_from_elsewhere(self):
        for name, page in pages().items():
            for element in page.iter():
                loads = [element.get(key) for key in LOADS] + [element.get("href") if element.tag.endswith("}link") else None]
                for target in filter(None, loads):
                    with self.subTest(page=name, target=target):
                        self.assertTrue((folder() / target).is_file())
                self.assertIsNone(element.get("style"), "the pages are served without inline styles")
        self.assertNotRegex((folder() / "style.css").read_text(), r"url\(|@import")
        for script in ("search.js", "search-index.js"):
            self.assertNotRegex((folder() / script).read_text(), r"\bfetch\(|XMLHttpRequest|import\(|WebSocket\(")

    def test_pictures_are_complete(self):
        pictures = list((folder() / "markdown").glob("*.svg"))
        self.assertGreater(len(pictures), 10)
        for path in pictures:
            picture = xml.etree.ElementTree.parse(path).getroot()
            self.assertIn("prefers-color-scheme: dark", path.read_text())
            self.assertTrue(picture.findtext("{http://www.w3.org/2000/svg}title"))
            width, height = float(picture.get("width")), float(picture.get("height"))
            for text in picture.iter("{http://www.w3.org/2000/svg}text"):
                with self.subTest(picture=path.name, text=text.text):
                    half = len(text.text) * 7 / 2
                    self.assertGreaterEqual(float(text.get("x")) - half, 0)
                    self.assertLessEqual(float(text.get("x")) + half, width)
                    self.assertLessEqual(float(text.get("y")), height)

    def test_every_section_that_the_project_names_exists(self):
        named = 0
        for path in self.sources():
            text = path.read_text(encoding="utf-8")
            for page, anchor in NAMED.findall(text):
                named += 1
                with self.subTest(file=path.name, section=f"{page}#{anchor}"):
                    self.assertSection(f"{page}.html", anchor)
            if path.name != pathlib.Path(__file__).name:
                self.assertNotRegex(text, UNSHIPPED, path)
        self.assertGreater(named, 20)

    def sources(self):
        for top in ("Sources", "Tests", "schemas", "deploy", "docs"):
            for path in (ROOT / top).rglob("*"):
                if path.suffix in (".swift", ".py", ".json", ".yaml", ".md", ".c", ".h") and "generated" not in path.parts:
                    yield path


class Examples(unittest.TestCase):
    """Tests of examples that need no service."""

    def each(self, language):
        for method in catalog.methods():
            yield method, example(method, language)

    def test_c_compiles(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        for method, text in self.each("c"):
            done = subprocess.run(
                [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", str(folder() / "examples"),
                 "-x", "c", "-"], input=text, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{method}: {done.stderr}")

    def test_shell_and_python_are_well_formed(self):
        for method, text in self.each("python"):
            compile(text, method, "exec")
        texts = "\n".join(text for _, text in self.each("sh"))
        done = subprocess.run(["sh", "-n"], input=texts, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(
            ["shellcheck", "-s", "sh", str(folder() / "examples" / "ask.sh")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(shutil.which("node"), "no engine for JavaScript")
    def test_javascript_is_well_formed(self):
        with tempfile.TemporaryDirectory() as holder:
            for method, text in self.each("javascript"):
                # Each example gets a separate file, since all examples import the same name.
                (pathlib.Path(holder) / f"{method.replace('/', '-')}.mjs").write_text(text)
            shutil.copy(folder() / "examples" / "ask.mjs", holder)
            for path in pathlib.Path(holder).iterdir():
                done = subprocess.run(["node", "--check", str(path)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("swiftc"), "no compiler for Swift")
    def test_swift_is_well_formed(self):
        texts = "\n".join(text for _, text in self.each("swift"))
        with tempfile.TemporaryDirectory() as holder:
            main = pathlib.Path(holder) / "main.swift"
            main.write_text(texts)
            done = subprocess.run(
                ["swiftc", "-frontend", "-parse", str(main), str(folder() / "examples" / "Ask.swift")],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


class Search(unittest.TestCase):
    @unittest.skipUnless(shutil.which("node"), "no engine for JavaScript")
    def test_the_search_finds_sections_by_their_words(self):
        script = """
            const { searchRows } = require("./search.js"), index = require("./search-index.js");
            console.log(JSON.stringify(JSON.parse(process.argv[1]).map((q) => searchRows(index, q, 3).map((r) => r.address))));
        """
        wanted = {
            "device/control": "service-device.html#device-control", "tooFast": "refusals.html#tooFast",
            "InvalidToken": "errors.html#InvalidToken", "LL1003": "problems.html#LL1003",
            "life of a command": "commands.html#life", "birth will": "presence.html#birth",
            # These queries are parts of names, mistyped words, and text from messages or logs.
            "anonymous login": "service-account.html#account-loginAnonymous", "devcie/control": "service-device.html#device-control",
            "InvalidTokn": "errors.html#InvalidToken", "refusla reasons": "refusals.html",
            "ll/v1/device/d-k3m9x2q7w4ta7/report": "messages-device.html#message-report",
            "user/u-7h2kq9m4zc1xa/device/d-k3m9x2q7w4ta7/status": "messages-user.html#message-status",
            "ll/v1/app/demo/0f/request/home/create": "service-home.html#home-create",
            "LL1003 port 1883 is taken by mosquitto (pid 812)": "problems.html#LL1003",
            "登录 匿名": "service-account.html#account-loginAnonymous", "设备 历史": "service-device.html#device-history",
        }
        done = subprocess.run(
            ["node", "-e", script, json.dumps(list(wanted))], cwd=folder(), check=True, capture_output=True, text=True)
        for (query, address), found in zip(wanted.items(), json.loads(done.stdout)):
            with self.subTest(query=query):
                self.assertEqual(found[0], address)

    def test_search_results_exist(self):
        text = (folder() / "search-index.js").read_text(encoding="utf-8")
        rows = json.loads(text[text.index("["):text.rindex("]") + 1])
        self.assertGreater(len(rows), 200)
        for _, _, address, _ in rows:
            page, _, anchor = address.partition("#")
            self.assertTrue(not anchor or anchor in anchors(page), address)

    def test_a_browser_searches_in_pages_from_the_disk(self):
        browser = Browser()
        self.addCleanup(browser.close)
        browser.open((folder() / "index.html").as_uri())
        found = browser.run("""
            const input = document.querySelector("#search input");
            input.value = "device/list";
            input.dispatchEvent(new Event("input"));
            return [...document.querySelectorAll("#results a")].map((one) => one.getAttribute("href"));
        """)
        self.assertEqual(found[0], "service-device.html#device-list")
        self.assertEqual(browser.run("return document.querySelector('#results mark').textContent"), "device/list")
        # No page is wider than a phone. Tables and pictures scroll separately.
        browser.command("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
        for name in pages():
            browser.open((folder() / name).as_uri())
            self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), 360, name)
        self.assertEqual(browser.log(), [])


class Served(EndToEnd):
    """The pages' listener, and examples against the service."""

    def get(self, path, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.world.service.http_port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.headers, answer.read().decode(), answer.url
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode(), error.url

    def test_the_listener_serves_the_same_files(self):
        for path in sorted(folder().rglob("*")):
            if path.is_file():
                status, headers, text, _ = self.get(f"/docs/{path.relative_to(folder()).as_posix()}")
                self.assertEqual((status, text), (200, path.read_text(encoding="utf-8")), path.name)
                self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        status, _, text, url = self.get("/docs")
        self.assertEqual((status, url.rsplit("/", 2)[1:]), (200, ["docs", ""]))
        self.assertEqual(text, (folder() / "index.html").read_text(encoding="utf-8"))

    def test_the_pages_work_under_the_headers_they_are_served_with(self):
        browser = Browser()
        self.addCleanup(browser.close)
        browser.open(f"http://127.0.0.1:{self.world.service.http_port}/docs/service-device.html#device-list")
        self.assertEqual(browser.log(), [])
        self.assertTrue(browser.run("return !document.getElementById('search').hidden"))

    def test_the_first_page_shows_the_services_state_and_links(self):
        status, _, text, _ = self.get("/")
        self.assertEqual(status, 200)
        self.assertIn("The service runs and accepts work.", text)
        self.assertIn('href="/docs/"', text)

    def test_an_unknown_path_gets_a_page_with_links(self):
        for path in ("/nothing", "/docs/nothing.html", "/docs/../ready.json", "/docs/%2e%2e/ready.json", "/pages/x", "/metrics"):
            with self.subTest(path=path):
                status, headers, text, _ = self.get(path)
                self.assertEqual(status, 404)
                self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
                self.assertIn('href="/docs/"', text)

    def run_example(self, method, language, environment, did):
        text = example(method, language).replace("d-k3m9x2q7w4ta7", did)
        command = {"sh": ["sh", "-c", text], "python": ["/usr/bin/python3", "-c", text]}[language]
        done = subprocess.run(
            command, cwd=folder() / "examples", env={**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        if language == "sh":
            return json.loads(done.stdout)
        return eval(done.stdout, {}, {"__builtins__": {}})

    def test_examples_in_shell_python_and_c_run_as_printed(self):
        device, terminal = self.pair()
        terminal.close()
        app = self.world.apps["test-app"]
        environment = {
            "LL_HOST": "127.0.0.1", "LL_PORT": str(self.world.port), "LL_APP": "test-app", "LL_SECRET": app["secret"],
            "LL_TERMINAL": terminal.terminal_id, "LL_TOKEN": terminal.token, "LL_UID": terminal.uid,
        }
        methods = ["account/whoami", "app/info", "device/status", "events/read", "home/create", "notification/list",
                   "schedule/list", "session/list", "share/list"]
        self.assertEqual([method.split("/")[0] for method in methods], sorted({m.split("/")[0] for m in catalog.methods()}))
        key = self.world.service.json("key", "add", fresh_id("reader"), "--app", "test-app", "--scope", "events")
        server = {**environment, "LL_TERMINAL": key["terminalId"], "LL_TOKEN": key["key"]}
        for method in methods:
            for language in ("sh", "python"):
                with self.subTest(method=method, language=language):
                    sender = server if method.startswith("events/") else environment
                    answer = self.run_example(method, language, sender, device.did)
                    self.assertTrue(answer["ok"], answer)
        with self.subTest("a login, with the app's secret"):
            fresh = {**environment, "LL_TERMINAL": fresh_terminal(), "LL_TOKEN": ""}
            for language in ("sh", "python"):
                answer = self.run_example("account/loginAnonymous", language, {**fresh, "LL_TERMINAL": fresh_terminal()}, "")
                self.assertTrue(answer["ok"], answer)
        with self.subTest("C"), tempfile.TemporaryDirectory() as holder:
            program = pathlib.Path(holder) / "example"
            subprocess.run(
                ["gcc", "-I", str(folder() / "examples"), "-x", "c", "-", "-o", str(program), "-lmosquitto"],
                input=example("session/list", "c"), check=True, text=True)
            done = subprocess.run(
                [str(program)], env={**os.environ, **environment}, capture_output=True, text=True, timeout=30)
            self.assertTrue(json.loads(done.stdout)["ok"], done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
