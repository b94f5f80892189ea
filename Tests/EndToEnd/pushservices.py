"""Push services as their documents describe them: Google's, Apple's over HTTP/2, and one for Web Push."""

import base64
import collections
import json
import socket
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

import tools
from client import fresh_id
from provider import b64


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def claims(token, key):
    """Returns the header and claims of a token, after verification with `key` (P-256 or RSA)."""
    signed, signature = token.rsplit(".", 1)
    header, body = (json.loads(bytes_of(part)) for part in signed.split("."))
    raw = bytes_of(signature)
    try:
        if header["alg"] == "ES256":
            der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
            key.verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
        else:
            key.verify(raw, signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise ValueError("the token is not signed with this key") from None
    return header, body


class Push:
    """One push as it arrived, and the status with which it was answered."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.raw, self.at, self.status = path, headers, body, time.monotonic(), None

    @property
    def json(self):
        return json.loads(self.raw)


class Plans:
    """The pushes that arrived, and for each path a list of the next answers.

    An answer is (status, body, headers), "hang", "drop", "goaway" or "refuse".
    """

    def __init__(self):
        self.pushes, self.plans, self.lock = [], collections.defaultdict(list), threading.Lock()
        self.released = threading.Event()

    def take(self, push, otherwise):
        with self.lock:
            self.pushes.append(push)
            plan = self.plans[push.path]
            return plan.pop(0) if plan else otherwise

    def of(self, path):
        with self.lock:
            return [push for push in self.pushes if push.path == path]

    def taken(self, path):
        return [push for push in self.of(path) if push.status and push.status < 300]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class HTTPService(Plans):
    """A push service over HTTP/1.1."""

    usual = (201, b"", {})

    def __init__(self):
        super().__init__()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                push = Push(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                answer = outer.answer(push)
                if answer == "hang":
                    outer.released.wait(60)
                if isinstance(answer, str):
                    self.close_connection = True
                    return
                push.status, text, headers = answer
                self.send_response(push.status)
                for name, value in {**headers, "Content-Length": len(text)}.items():
                    self.send_header(name, str(value))
                try:
                    self.end_headers()
                    self.wfile.write(text)
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, push):
        return self.take(push, self.usual)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


class WebPush(HTTPService):
    """A push service for Web Push, with its subscribers."""

    def subscribe(self):
        return Subscriber(self)


class Subscriber:
    """A browser's subscription, with the keys to decrypt its pushes."""

    def __init__(self, service):
        self.service, self.path = service, "/push/" + fresh_id("s")
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), fresh_id("auth")[-16:].rjust(16, "0").encode()

    @property
    def push(self):
        """The params of notification/setPush."""
        return {"kind": "webpush", "address": self.service.url + self.path,
                "keys": {"p256dh": b64(point(self.key.public_key())), "auth": b64(self.auth)}}

    def read(self, push, vapid_key):
        """Decrypts a push, and checks its headers and the app's key."""
        tools.use()
        import http_ece
        scheme, parts = push.headers["authorization"].split(" ", 1)
        fields = dict(part.strip().split("=", 1) for part in parts.split(","))
        assert scheme == "vapid" and fields["k"] == vapid_key, push.headers
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes_of(fields["k"]))
        _, said = claims(fields["t"], key)
        assert said["aud"] == self.service.url and 0 < said["exp"] - time.time() <= 86_400, said
        assert push.headers["content-encoding"] == "aes128gcm" and int(push.headers["ttl"]) > 0, push.headers
        text = http_ece.decrypt(push.raw, private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        return json.loads(text)

    def got(self, vapid_key):
        return [self.read(push, vapid_key) for push in self.service.taken(self.path)]


class Google(HTTPService):
    """Firebase Cloud Messaging, HTTP v1, with the endpoint for access tokens."""

    usual = (200, b'{"name": "projects/lamps/messages/1"}', {})

    def __init__(self):
        self.key, self.tokens = rsa.generate_private_key(65537, 2048), set()
        super().__init__()

    def settings(self, **more):
        account = {"type": "service_account", "project_id": "lamps", "client_email": "push@lamps.example",
                   "private_key": pem(self.key), "token_uri": self.url + "/token", **more}
        return {"serviceAccount": account, "baseUrl": self.url}

    @staticmethod
    def error(status, code):
        body = {"error": {"code": status, "status": code, "details": [
            {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}]}}
        return status, json.dumps(body).encode(), {}

    def answer(self, push):
        if push.path == "/token":
            return self.take(push, self.token(push))
        if push.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return self.error(401, "UNAUTHENTICATED")
        # `take` looks up a prepared answer by `push.path`. For a push message, the key is the push address.
        push.path = push.json["message"]["token"]
        return self.take(push, self.usual)

    def token(self, push):
        form = dict(urllib.parse.parse_qsl(push.raw.decode()))
        try:
            _, said = claims(form["assertion"], self.key.public_key())
        except ValueError:
            return 400, b'{"error": "invalid_grant"}', {}
        assert said["iss"] == "push@lamps.example" and said["aud"] == self.url + "/token", said
        assert said["exp"] - said["iat"] <= 3600 and abs(said["iat"] - time.time()) < 60, said
        token = fresh_id("token")
        self.tokens.add(token)
        return 200, json.dumps({"access_token": token, "expires_in": 3599, "token_type": "Bearer"}).encode(), {}


class Apple(Plans):
    """A substitute for Apple's push service (HTTP/2 without TLS), whose answer depends on the device token."""

    def __init__(self):
        super().__init__()
        tools.use()
        self.key, self.connections = ec.generate_private_key(ec.SECP256R1()), 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.listen, daemon=True).start()

    def settings(self, **more):
        return {"teamId": "TEAM123456", "keyId": "KEY1234567", "key": pem(self.key), "topic": "org.example.lamps",
                "baseUrl": self.url, **more}

    @staticmethod
    def error(status, reason, **headers):
        return status, json.dumps({"reason": reason}).encode(), headers

    def listen(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        from h2.config import H2Configuration
        from h2.connection import H2Connection
        from h2.events import DataReceived, RequestReceived, StreamEnded
        from h2.exceptions import ProtocolError
        speaker = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        speaker.initiate_connection()
        headers, bodies = {}, collections.defaultdict(bytes)
        try:
            connection.sendall(speaker.data_to_send())
            while data := connection.recv(65536):
                for event in speaker.receive_data(data):
                    if isinstance(event, RequestReceived):
                        headers[event.stream_id] = dict(event.headers)
                    elif isinstance(event, DataReceived):
                        bodies[event.stream_id] += event.data
                        speaker.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, StreamEnded):
                        if not self.reply(speaker, event.stream_id, headers.pop(event.stream_id),
                                          bodies.pop(event.stream_id, b""), connection):
                            return
                connection.sendall(speaker.data_to_send())
        except (OSError, ProtocolError):
            pass
        finally:
            connection.close()

    def reply(self, speaker, stream, headers, body, connection):
        """Answers a request; returns false if the connection must end."""
        push = Push(headers[":path"].removeprefix("/3/device/"), headers, body)
        answer = self.take(push, self.judge(push))
        if answer == "hang":
            return True
        if answer == "drop":
            return False
        if answer == "goaway":  # This stream was processed; later ones weren't.
            self.send(speaker, stream, push, (200, b"", {}))
            speaker.close_connection(last_stream_id=stream)
            connection.sendall(speaker.data_to_send())
            # If unread bytes were left, the close would send a reset, which can overtake the answer.
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
            return False
        if answer == "refuse":  # The connection ends before this stream was processed.
            speaker.close_connection(last_stream_id=0)
            connection.sendall(speaker.data_to_send())
            return False
        self.send(speaker, stream, push, answer)
        return True

    @staticmethod
    def send(speaker, stream, push, answer):
        push.status, text, more = answer
        fields = [(":status", str(push.status)), *((name.replace("_", "-"), str(value)) for name, value in more.items())]
        speaker.send_headers(stream, fields, end_stream=not text)
        if text:
            speaker.send_data(stream, text, end_stream=True)

    def judge(self, push):
        """Checks the provider token, then the headers, and returns the answer that Apple's rules require."""
        try:
            header, said = claims(push.headers["authorization"].removeprefix("bearer "), self.key.public_key())
        except ValueError:
            return self.error(403, "InvalidProviderToken")
        if header["kid"] != "KEY1234567" or said["iss"] != "TEAM123456":
            return self.error(403, "InvalidProviderToken")
        assert push.headers["apns-topic"] == "org.example.lamps" and push.headers["apns-push-type"] == "alert"
        assert int(push.headers["apns-expiration"]) > time.time() and len(push.headers["apns-collapse-id"]) <= 64
        return 200, b"", {}

    def close(self):
        self.released.set()
        self.socket.close()
