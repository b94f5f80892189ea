"""The operators' console in Debian's Chromium, controlled by Playwright."""

import contextlib
import json

import tools
from harness import eventually

SECONDS = 40
FINDINGS = """async only => {
  const options = only ? { runOnly: only } : {};
  const { violations } = await axe.run(document, options);
  return violations.map(v => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 300)).join(' | ')}`);
}"""
# Returns true if the browser shows the address's page and nothing is loading.
SHOWN = """([parts]) => {
  const main = document.querySelector('main');
  return location.hash.split('?')[0] === '#/' + parts && main && main.dataset.page === parts
    && main.querySelector('h1') && !main.querySelector('.loading');
}"""


class Browser(tools.Chromium):
    """One Chromium; `visit` opens a separate window for an operator."""

    def __init__(self):
        super().__init__("--js-flags=--expose-gc")

    def visit(self, service, **more):
        """Opens a window that isn't signed in yet."""
        return Visit(self.browser, service, **more)


class Visit:
    """An operator's windows: pages that share cookies, and a list of all faults in these pages."""

    def __init__(self, chromium, service, width=1280, scheme="light", locale="en-GB"):
        self.service = service
        self.address = service.ready["consoleUrl"].rstrip("/")
        self.context = chromium.new_context(
            viewport={"width": width, "height": 844 if width < 600 else 900}, color_scheme=scheme, reduced_motion="reduce",
            locale=locale, timezone_id="Europe/Berlin")
        self.context.set_default_timeout(SECONDS * 1000)
        self.faults, self.elsewhere = [], set()
        self.context.on("request", self._request)
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.faults.append(f"thrown: {error.error}"))
        self.page = self.context.new_page()

    def _request(self, request):
        if not request.url.startswith((self.address + "/", "blob:", "data:")):
            self.elsewhere.add(request.url)

    def _console(self, message):
        # The browser also logs refused requests, and requests to a killed service.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.faults.append(f"{message.type}: {message.text}")

    def enter(self, link=None):
        """Signs in with a one-time link."""
        self.page.goto(link or self.service.json("console")["url"])
        self.page.wait_for_selector("nav#side", state="attached")
        session = self.api("GET", "session")[1]
        later = self.page.evaluate("localStorage.getItem('passwordLater')")
        if not session["hasPassword"] and later != session["operator"]:
            self.page.wait_for_selector("dialog")
            self.page.keyboard.press("Escape")
        return self

    def show(self, path, page=None):
        """Opens a page of the console and waits until it is shown."""
        page = page or self.page
        page.goto(f"{self.address}/console/#/{path}")
        page.wait_for_function(SHOWN, arg=[path.split("?")[0]])
        return page

    def tab(self, path):
        return self.show(path, self.context.new_page())

    def findings(self, only=None):
        """Returns axe's findings in the current page."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(tools.file("axe_playwright_python", "axe.min.js").read_text(encoding="utf-8") + ";0")
        return self.page.evaluate(FINDINGS, only)

    def is_wide(self):
        """Returns whether the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")

    def text(self):
        return self.page.inner_text("main")

    def see(self, text, seconds=SECONDS):
        """Waits until the page shows a text."""
        return eventually(lambda: text in self.text(), seconds, f"{text[:60]!r} in {self.page.url}")

    def api(self, method, path, body=None):
        """Calls the API with the window's own session, and returns status and answer."""
        answer = self.context.request.fetch(
            f"{self.address}/api/v1/{path}", method=method, data=None if body is None else json.dumps(body),
            headers={"Content-Type": "application/json", "X-Lamplighter": "console", "Sec-Fetch-Site": "same-origin"})
        with contextlib.suppress(ValueError):
            return answer.status, answer.json()
        return answer.status, None

    def close(self):
        self.context.close()
