"""Sends requests over HTTP and reads server-sent events, instead of a broker connection."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import random
import socket
import ssl
import threading

# The service answers a request within 55 seconds. It sends each open stream a comment every 15 seconds.
ANSWER_SECONDS, SILENCE_SECONDS = 65, 40
PARALLEL_MAX = 16
ACCEPTED, REFUSED = 0, 5
GRANTED, NOT_GRANTED = 1, 128
BROKEN = (OSError, http.client.HTTPException)


class Address:
    """The address of a service's HTTP listener, with a TLS context if the listener uses HTTPS."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None = None):
        self.host, self.port, self.context = host, port, context

    def open(self, seconds: float) -> http.client.HTTPConnection:
        """Returns a connection object; the first request opens the connection."""
        if self.context:
            return http.client.HTTPSConnection(self.host, self.port, timeout=seconds, context=self.context)
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds)

    def post(self, path: str, body: str, headers: dict, seconds: float = ANSWER_SECONDS) -> tuple[int, dict]:
        """Sends a request; returns the status and the answer.

        Raises OSError, HTTPException or ValueError if no complete answer arrives.
        """
        with contextlib.closing(self.open(seconds)) as connection:
            connection.request("POST", path, body.encode(), {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())


def is_answer(answer: dict) -> bool:
    """Returns whether an answer says what became of the request; an answer with the reason `outcomeUnknown` does
    not."""
    return (answer.get("error") or {}).get("reason") != "outcomeUnknown"


class Message:
    """A message with the attributes of paho's messages that App uses."""

    def __init__(self, topic, payload):
        self.topic, self.payload = topic, payload


class HTTPClient:
    """A client over HTTP; it has those methods and callbacks of paho's client that App uses.

    With only the app's secret, the client just sends requests and receives their answers. With a token, the stream
    brings the messages of the terminal and its user.
    """

    def __init__(self, app_id: str, terminal_id: str, secret: str, root: str, context: ssl.SSLContext | None):
        self.on_connect = self.on_disconnect = self.on_subscribe = self.on_message = None
        self._space, self._root = f"{root}/app/{app_id}/{terminal_id}", root
        basic = base64.b64encode(f"{app_id}:{secret}".encode()).decode()
        self._secret, self._basic = secret, {"Authorization": f"Basic {basic}"}
        self._context, self._token = context, None
        self._changed = threading.Condition()
        self._closed = False
        self._subscribing: list[int] = []  # the numbers of subscriptions that aren't answered
        self._last = 0
        self._stream = self._socket = self._stream_token = None
        self._is_reading = False
        self._under_way: set[str] = set()  # the ids of requests
        self._slots = threading.Semaphore(PARALLEL_MAX)
        self._thread = threading.Thread(target=self._run, name="lamplighter-http", daemon=True)

    # -- as paho's

    def username_pw_set(self, _user, password):
        self._token = None if password == self._secret else password

    def connect(self, host, port, keepalive):
        """Raises OSError if the listener can't be reached."""
        socket.create_connection((host, port), 10).close()
        self.connect_async(host, port, keepalive)

    def connect_async(self, host, port, _keepalive):
        self._address = Address(host, port, self._context)

    def loop_start(self):
        self._thread.start()

    def loop_stop(self):
        if self._thread.is_alive():
            self._thread.join(5)

    def disconnect(self):
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._leave()

    def subscribe(self, _filters):
        """Subscribes to all topics of the terminal and its user, whatever the filters.

        The subscription counts as granted once the stream is open."""
        with self._changed:
            self._last += 1
            self._subscribing.append(self._last)
            self._changed.notify_all()
            if self._is_reading:  # the open stream belongs to an earlier token
                self._leave()
            return 0, self._last

    def unsubscribe(self, _filter):
        pass  # nothing to do: the next stream has only the new user's topics

    def publish(self, topic, payload, _qos):
        body = json.loads(payload)
        with self._changed:
            if body["id"] in self._under_way:  # a repeat, but the connection still waits for the answer
                return
            self._under_way.add(body["id"])
        threading.Thread(target=self._post, args=(topic, payload, body), daemon=True).start()

    # -- requests

    def _post(self, topic, payload, body):
        try:
            with self._slots:
                _status, answer = self._address.post(f"/{topic}", payload, {} if body.get("token") else self._basic)
        except (*BROKEN, ValueError):
            answer = None
        with self._changed:
            self._under_way.discard(body["id"])
        if answer is not None and is_answer(answer):  # `App` repeats a request without an answer
            answer.setdefault("id", body["id"])
            self.on_message(self, None, Message(f"{self._space}/response", json.dumps(answer)))

    # -- the stream

    def _run(self):
        pause = 1
        while not self._closed:
            code = self._enter()
            if code is not None:
                self.on_connect(self, None, {}, code)
                if code != ACCEPTED:
                    return
                self._serve()
                pause = 1
                if not self._closed:
                    self.on_disconnect(self, None, 0)
            with self._changed:
                self._changed.wait_for(lambda: self._closed, pause * random.uniform(0.5, 1))
            pause = min(60, 2 * pause)

    def _enter(self):
        """Opens the stream or, without a token, tries the secret.

        Returns None if it stays unknown whether the service accepts the client."""
        try:
            if self._token:
                return self._open()
            status, _answer = self._address.post(f"/{self._space}/request/app/info", "{}", self._basic)
        except (*BROKEN, ValueError):
            return None
        return {200: ACCEPTED, 401: REFUSED}.get(status)

    def _open(self):
        token, connection = self._token, self._address.open(SILENCE_SECONDS)
        connection.request("GET", f"/{self._root}/stream", headers={"Authorization": f"Bearer {token}"})
        held = connection.sock
        stream = connection.getresponse()
        if stream.status != 200:
            connection.close()
            return REFUSED if stream.status in (401, 403) else None
        with self._changed:
            self._stream, self._socket, self._stream_token = stream, held, token
            if self._closed:
                self._leave()
        return ACCEPTED

    def _leave(self):
        """Shuts down the stream's socket, so that the thread that reads the stream stops reading."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _serve(self):
        """Answers subscriptions, and passes on the stream's messages until the stream ends."""
        while not self._closed:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._subscribing or self._stream)
                asked, self._subscribing = self._subscribing, []
                must_open = asked and self._token and self._token != self._stream_token
            granted = True
            if must_open:
                try:
                    granted = self._open() == ACCEPTED
                except BROKEN:
                    granted = False
            for number in asked:
                self.on_subscribe(self, None, number, [GRANTED if granted else NOT_GRANTED])
            with self._changed:
                self._is_reading = self._stream is not None and not self._subscribing
            if not self._is_reading:
                continue
            with contextlib.suppress(*BROKEN, ValueError, AttributeError):
                self._read(self._stream)
            self._stream.close()
            with self._changed:
                self._is_reading = False
                self._stream = self._socket = self._stream_token = None
                if not self._subscribing:
                    return

    def _read(self, stream):
        topic, data = "", []
        while line := stream.readline():
            name, _, value = line.rstrip(b"\n").decode().partition(": ")
            if name == "event":
                topic = value
            elif name == "data":
                data.append(value)
            elif not name and topic:
                if topic == "end":
                    return
                self.on_message(self, None, Message(f"{self._root}/{topic}", "\n".join(data)))
                topic, data = "", []
