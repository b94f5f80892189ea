"""A headless Chromium with one page, for checks that need a browser."""

import tools

tools.use()

from playwright.sync_api import Error  # noqa: E402

SCRIPT_SECONDS = 60


class ScriptError(AssertionError):
    """An error that a script in the page threw."""


class Browser(tools.Chromium):
    """One browser with one page; `close` ends the browser."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.page = self.browser.new_page()
        self.session, self.lines = None, []
        self.page.on("console", lambda message: self.lines.append(f"{message.type} {message.text}"))
        self.page.on("pageerror", lambda error: self.lines.append(f"error {error}"))

    def open(self, address):
        """Loads a page and waits until its scripts are loaded too."""
        self.page.goto(address, timeout=SCRIPT_SECONDS * 1000)

    def run(self, script, *arguments):
        """Runs an async function's body in the page, with `args`, and returns its result."""
        late = f"new Promise((_, no) => setTimeout(() => no(new Error('not done in {SCRIPT_SECONDS} s')), {SCRIPT_SECONDS * 1000}))"
        body = f"args => Promise.race([(async () => {{ {script} }})(), {late}])"
        while True:
            try:
                return self.page.evaluate(body, list(arguments))
            except Error as error:
                # A reload of the page ends the script.
                if "context was destroyed" not in error.message:
                    raise ScriptError(error.message[:2000]) from None
                self.page.wait_for_load_state()

    def command(self, name, **params):
        """Sends the browser a command of its DevTools protocol."""
        # A command has its effects only until the end of the session that sent it. So the session stays open.
        self.session = self.session or self.page.context.new_cdp_session(self.page)
        return self.session.send(name, params)

    def log(self):
        """Returns the lines that the page wrote to its console since the last call."""
        found, self.lines = self.lines, []
        return found
