"""A mail server (aiosmtpd) that can refuse mails or hang, and an SMS server."""

import asyncio
import email
import email.policy
import json
import pathlib
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.smtp import SMTP, AuthResult

from harness import eventually

USER, PASSWORD = "lamp", "correct horse 77"


def certificate(directory):
    """Creates a certificate for localhost and its key in a directory."""
    cert, key = pathlib.Path(directory) / "cert.pem", pathlib.Path(directory) / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert, "-days", "2"],
        check=True, capture_output=True)
    return cert, key


class Mail:
    """A received mail: its sender, its recipients, the submitting user, and its content."""

    def __init__(self, session, envelope):
        self.sender, self.receivers = envelope.mail_from, list(envelope.rcpt_tos)
        self.user = session.auth_data.decode() if session.authenticated else None
        self.raw = bytes(envelope.content)
        self.message = email.message_from_string(self.raw.decode(), policy=email.policy.default)

    @property
    def subject(self):
        return self.message["Subject"]

    def text(self, kind="plain"):
        return self.message.get_body((kind,)).get_content().replace("\r\n", "\n")


class MailServer:
    """A mail server.

    `kind` is plain, starttls or tls. The server answers the next DATA commands with `answers` instead of accepting the
    mails.
    """

    def __init__(self, kind="plain", directory=None, port=0, login=False):
        self.kind, self.mails, self.answers, self.tries = kind, [], [], 0
        self.hang = threading.Event()  # if set, clients that submit a mail get no answer
        self.context, self.ca_file = None, None
        if kind != "plain":
            self.ca_file, key = certificate(directory)
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(self.ca_file, key)
        self.login = login
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.server = self.do(self.listen(port))
        self.port = self.server.sockets[0].getsockname()[1]

    def do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(10)

    async def listen(self, port):
        return await self.loop.create_server(
            self.make, "127.0.0.1", port, ssl=self.context if self.kind == "tls" else None)

    def make(self):
        options = {"enable_SMTPUTF8": True, "loop": self.loop}
        if self.login:
            options.update(authenticator=self.authenticate, auth_required=True,
                           auth_require_tls=self.kind == "starttls")
        if self.kind == "starttls":
            options.update(tls_context=self.context, require_starttls=True)
        return SMTP(self, **options)

    def authenticate(self, server, session, envelope, mechanism, data):
        ok = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=ok, auth_data=data.login, handled=ok)

    async def handle_DATA(self, server, session, envelope):
        self.tries += 1
        while self.hang.is_set():
            await asyncio.sleep(0.05)
        if self.answers:
            return self.answers.pop(0)
        self.mails.append(Mail(session, envelope))
        return "250 taken"

    def next(self, to, seconds=20):
        """Takes the next mail to an address."""
        def found():
            return next((m for m in list(self.mails) if to in m.receivers), None)
        mail = eventually(found, seconds, f"a mail to {to}")
        self.mails.remove(mail)
        return mail

    def close(self):
        self.hang.clear()
        self.loop.call_soon_threadsafe(self.server.close)


class TextServer:
    """A server that takes SMS as JSON, and answers with the HTTP statuses in `answers`."""

    def __init__(self):
        self.texts, self.answers, self.tries = [], [], 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.tries += 1
                status = outer.answers.pop(0) if outer.answers else 200
                if status < 300:
                    outer.texts.append(({k.lower(): v for k, v in self.headers.items()}, body))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/send"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self, to, seconds=20):
        """Takes the next SMS to a number, and returns its headers and body."""
        def found():
            return next((t for t in list(self.texts) if t[1]["to"] == to), None)
        text = eventually(found, seconds, f"a text to {to}")
        self.texts.remove(text)
        return text

    def close(self):
        self.server.shutdown()
        self.server.server_close()
