"""Debian's Chromium driven by Playwright, with an ear for what a page must not do, and axe to look at it."""

import tools

tools.use()

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

SECONDS = 40


class Chromium(tools.Chromium):
    """One browser; `close` ends it."""

    def visitor(self, width=1280, height=900, scheme="light", locale="en-US", **more):
        """Somebody with a browser of this size, who was never here."""
        return Visitor(self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale, reduced_motion="reduce", **more))


class Visitor:
    """One visitor's pages: `requests` are the addresses that they asked for, `faults` what the browser complained of."""

    def __init__(self, context):
        self.context = context
        self.requests, self.faults = [], []
        context.set_default_timeout(SECONDS * 1000)
        expect.set_options(SECONDS * 1000)
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        context.on("console", self._console)

    def _console(self, message):
        # A service that is away is what the tests make; the page says so itself.
        if message.type in ("error", "warning") and "net::ERR_CONNECTION" not in message.text:
            self.faults.append(message.text)

    def open(self, address):
        """A new page, once it and its scripts are there."""
        page = self.context.new_page()
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.goto(address)
        return page

    def close(self):
        self.context.close()


def barriers(page):
    """What axe finds wrong, a line each."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
