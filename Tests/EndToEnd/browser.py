"""A headless Chromium, driven over WebDriver, for what only a browser can tell."""

import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

from harness import eventually, free_port

SCRIPT_SECONDS = 60
OPTIONS = [
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--no-first-run",
]


class ScriptError(AssertionError):
    """What a script in the page threw."""


class Browser:
    """One browser with one page; `close` ends it."""

    def __init__(self, *more):
        self.holder = tempfile.mkdtemp(prefix="lamplighter-browser-")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        # A home of its own: settings and caches of the user who runs the tests stay out of it.
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.holder}, start_new_session=True)
        self.session = None
        try:
            eventually(self._is_ready, 20, "chromedriver")
            options = {"args": [*OPTIONS, f"--user-data-dir={self.holder}/profile", *more]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = f"/session/{made['sessionId']}"
            self._call("POST", f"{self.session}/timeouts", {"script": SCRIPT_SECONDS * 1000})
        except BaseException:
            self.close()
            raise

    def _is_ready(self):
        try:
            return self._call("GET", "/status")["ready"]
        except OSError:
            return False

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=SCRIPT_SECONDS + 30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise ScriptError(f"{value['error']}: {value['message'][:2000]}") from None

    def open(self, address):
        """Loads a page and waits until it and its scripts are there."""
        self._call("POST", f"{self.session}/url", {"url": address})

    def run(self, script, *arguments):
        """Runs an async function's body in the page, with `args`, and gives back what it returns."""
        wrapped = (
            "const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1);"
            f"(async () => {{ {script} }})().then(v => done({{ok: v ?? null}}),"
            " e => done({error: String(e && e.stack || e)}));"
        )
        answer = self._call("POST", f"{self.session}/execute/async", {"script": wrapped, "args": list(arguments)})
        if "error" in answer:
            raise ScriptError(answer["error"])
        return answer["ok"]

    def command(self, name, **params):
        """Gives the browser a command of its DevTools protocol."""
        return self._call("POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": params})

    def log(self):
        """What the page wrote to the console since the last call, as lines."""
        found = self._call("POST", f"{self.session}/se/log", {"type": "browser"})
        return [f"{entry['level']} {entry['message']}" for entry in found]

    def close(self):
        """Ends the browser and its driver, and removes what they wrote."""
        try:
            if self.session:
                self._call("DELETE", self.session)
        except (OSError, AssertionError):
            pass
        finally:
            self.driver.terminate()
            try:
                self.driver.wait(10)
            except subprocess.TimeoutExpired:
                self.driver.kill()
                self.driver.wait()
            shutil.rmtree(self.holder, ignore_errors=True)
