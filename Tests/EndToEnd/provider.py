"""A fake identity provider that follows the providers' documentation, with keys and ID tokens."""

import base64
import hmac
import json
import secrets
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignores errors from clients that disconnect, which happens when a test makes the server hang."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Provider:
    """An OpenID Connect issuer and an API.

    A test sets the provider's answers, and can make the provider hang. The test can also read the received requests.
    """

    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kid = secrets.token_hex(4)
        self.answers = {}  # path: function of the query that returns (status, body)
        self.asked = []
        self.hang = threading.Event()
        self.hang.set()  # set: it answers
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length).decode() if length else ""
                outer.hang.wait(30)
                status, answer = outer.answer(self.path, body, dict(self.headers))
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                try:
                    self.end_headers()
                    self.wfile.write(data)
                except ConnectionError:  # the client has given up
                    self.close_connection = True

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path, body, headers):
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query) + urllib.parse.parse_qsl(body))
        self.asked.append((parts.path, query))
        # For the OpenID Connect documents and the issuers' keys, only the end of the path is fixed. The beginning of
        # the path distinguishes the issuers. The answers for all other paths are in `answers`.
        if parts.path.endswith("/.well-known/openid-configuration"):
            issuer = self.url + parts.path[: -len("/.well-known/openid-configuration")]
            return 200, {"issuer": issuer, "jwks_uri": issuer + "/keys",
                         "id_token_signing_alg_values_supported": ["RS256"]}
        if parts.path.endswith(("/keys", "/certs", "/jwks", "/oauth2/v3/certs")):
            public = self.key.public_key().public_numbers()
            return 200, {"keys": [{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.kid,
                                   "n": number(public.n), "e": number(public.e)}]}
        found = self.answers.get(parts.path)
        query.update({k.lower(): v for k, v in headers.items() if k.lower() == "authorization"})
        return found(query) if found else (404, {"error": "not_found"})

    def rotate(self):
        """Replaces the key, as issuers do now and then."""
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kid = secrets.token_hex(4)

    def forged_token(self, issuer, audience, subject, secret):
        """Returns a token whose HMAC signature uses a publicly known secret."""
        now = int(time.time())
        head = {"alg": "HS256", "kid": self.kid, "typ": "JWT"}
        claims = {"iss": issuer, "aud": audience, "sub": subject, "iat": now, "exp": now + 600}
        text = ".".join(b64(json.dumps(part).encode()) for part in (head, claims))
        return f"{text}.{b64(hmac.digest(secret, text.encode(), 'sha256'))}"

    def id_token(self, issuer, audience, subject, key=None, alg="RS256", kid=None, **more):
        """Returns a signed ID token, without the members of `more` that are None."""
        now = int(time.time())
        claims = {"iss": issuer, "aud": audience, "sub": subject, "iat": now, "exp": now + 600, **more}
        head = {"alg": alg, "kid": kid or self.kid, "typ": "JWT"}
        claims = {k: v for k, v in claims.items() if v is not None}
        text = ".".join(b64(json.dumps(part).encode()) for part in (head, claims))
        if alg == "none":
            return text + "."
        signature = (key or self.key).sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{b64(signature)}"

    def close(self):
        self.hang.set()
        self.server.shutdown()
        self.server.server_close()
