"""Debian's Chromium, controlled by Playwright, with a list of the pages' faults and with axe's checks."""

import tools

tools.use()

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

SECONDS = 40


class Chromium(tools.Chromium):
    """One browser; `close` ends it."""

    def visitor(self, width=1280, height=900, scheme="light", locale="en-US", **more):
        """Returns a new visitor whose browser window has this size."""
        return Visitor(self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale, reduced_motion="reduce", **more))


class Visitor:
    """One visitor's pages, with the addresses that they requested and the browser's complaints."""

    def __init__(self, context):
        self.context = context
        self.requests, self.faults = [], []
        context.set_default_timeout(SECONDS * 1000)
        expect.set_options(SECONDS * 1000)
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        context.on("console", self._console)

    def _console(self, message):
        # Errors about lost connections don't count, because tests stop the service on purpose.
        if message.type in ("error", "warning") and "net::ERR_CONNECTION" not in message.text:
            self.faults.append(message.text)

    def open(self, address):
        """Opens a page, and waits until its scripts are loaded."""
        page = self.context.new_page()
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.goto(address)
        return page

    def close(self):
        self.context.close()


def barriers(page):
    """Returns axe's findings, one line for each finding."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
