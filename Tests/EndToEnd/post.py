"""A service that sends e-mails and text messages without a gateway."""

import pathlib
import re
import shutil
import tempfile
import urllib.request

from accounts import COUNTRY, PASSWORD
from harness import Service
from mailserver import PASSWORD as MAIL_PASSWORD
from mailserver import USER, MailServer
from world import EndToEnd, World

NAME = "Leuchtturm & \"Söhne\" 灯塔"
TEXTS = {
    "code": {
        "en": {"subject": "Ahoy from {app}", "text": "Ahoy!\n\n{code}\n\nFor {minutes} minutes <b>only</b>.",
               "sms": "Ahoy {code}"},
        "zh": {"subject": "{app} 你好 {code}"},
        "de": {"subject": "Hallo von {app}"},
        "pt-BR": {"subject": "Oi de {app}"},
    },
}
APPS = {
    "post": {"name": NAME, "policies": {"phoneRegistration": True}},
    "post-link": {"policies": {"emailRegistration": "link"}},
    "post-own": {"name": "Harbour", "texts": TEXTS, "policies": {"phoneRegistration": True}},
}


class PostWorld(World):
    """A service that sends messages for the apps in `APPS` and has no other apps."""

    def furnish(self):
        for app_id, app in APPS.items():
            self.apps[app_id] = {"secret": f"{app_id} secret 1234567890 abcdefgh", **app}
            self.service.import_document("app", {"appId": app_id, "name": app_id, **self.apps[app_id]})


class Post(EndToEnd):
    """A test whose own service sends its messages itself, without a gateway."""

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-post-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def serve(self, settings):
        # One terminal requests codes for many accounts here.
        settings = {"limits.codesPerTerminal": 1000, **settings}
        arguments = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        self.own = PostWorld(watch=False, service=Service(arguments=arguments))
        self.addCleanup(self.own.close)
        return self.own

    def mail_server(self, kind="plain", **more):
        server = MailServer(kind, self.folder, **more)
        self.addCleanup(server.close)
        return server

    def smtp(self, server, **more):
        """Returns the settings for a mail server."""
        security = {"plain": "none"}.get(server.kind, server.kind)
        settings = {"delivery.email": "smtp", "smtp.host": "localhost", "smtp.port": server.port,
                    "smtp.security": security, "smtp.from": "no-reply@lamp.example",
                    "limits.deliveryBackoff": 1}
        if server.ca_file:
            settings["smtp.caFile"] = server.ca_file
        if server.login:
            path = self.folder / "password"
            path.write_text(MAIL_PASSWORD + "\n")
            path.chmod(0o600)
            settings.update({"smtp.username": USER, "smtp.passwordFile": path})
        return {**settings, **more}

    def stranger(self, app="post"):
        return self.terminal(app, login=False)

    def ask_code(self, terminal, country=COUNTRY, purpose="register", **address):
        return terminal.get("account/sendCode", {"countryCode": country, "purpose": purpose, **address})

    def told(self, terminal, sent, seconds=20):
        return terminal.expect("/code", lambda b: b["requestId"] == sent["requestId"], seconds).body

    def counted(self, channel, outcome):
        url = f"http://127.0.0.1:{self.own.service.health_port}/metrics"
        pattern = rf'^lamplighter_deliveries_total{{channel="{channel}",outcome="{outcome}"}} (\S+)$'
        found = re.search(pattern, urllib.request.urlopen(url).read().decode(), re.MULTILINE)
        return float(found[1]) if found else 0

    def log(self):
        return pathlib.Path(self.own.service.log.name).read_text(errors="replace")

    def register(self, server, email, app="post", country=COUNTRY, **more):
        terminal = self.stranger(app)
        self.ask_code(terminal, country, email=email)
        code = re.search(r"^\d{6}$", server.next(email).text(), re.MULTILINE)[0]
        terminal.adopt(terminal.get("account/register", {
            "countryCode": country, "email": email, "password": PASSWORD, "code": code, **more}))
        return terminal
