"""An app's terminal: requests, pushes, the session, and a connection that restores itself."""

from __future__ import annotations

import json
import os
import queue
import random
import secrets
import ssl
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import asdict, dataclass

try:
    import paho.mqtt.client as mqtt
except ImportError:  # not needed over HTTP
    mqtt = None

from .errors import ConnectionRefused, LamplighterError
from .methods import SERVICES
from .overhttp import HTTPClient

REFUSED = ("The broker refused the connection: the app's id or its secret is wrong, or a limit or rule forbids it;"
           " `lamplighter refusals` says which.")
MAX_PAYLOAD = 65536
KEEPALIVE = 60
# The members that the result of a login or a registration has.
SESSION_MEMBERS = ("token", "sessionId", "expiresAt")
# The kinds of pushes, grouped by the topics on which they arrive. These topics are below user/{uid}/ or
# app/{appId}/{terminalId}/.
USER_KINDS = ("account", "device", "notification", "schedule", "session", "share")
DEVICE_KINDS = ("binary", "event", "status")
APP_KINDS = ("code", "command", "devices", "ended", "system")


def new_terminal_id() -> str:
    """Returns a new id for an installation of an app; the installation must keep the id."""
    return secrets.token_hex(16)


@dataclass
class Credentials:
    """The credentials of a login on a terminal; keep them secret like a password.

    `App(credentials=…)` continues the session."""

    terminalId: str
    token: str
    sessionId: str
    uid: str
    expiresAt: int  # milliseconds since 1970


@dataclass
class Push:
    """A message from the service, with its kind and the device that it concerns.

    The body of a status is None once the status has been removed.
    """

    kind: str
    did: str | None
    body: dict | None


class _Request:
    """A pending request, which is repeated with the same id at increasing intervals."""

    def __init__(self, method, body, limit, pause):
        self.method, self.body = method, body
        self.future = Future()
        # A running future can't be cancelled. So if an asynchronous caller is cancelled, the caller stops waiting, but
        # the request continues.
        self.future.set_running_or_notify_cancel()
        self.deadline = time.monotonic() + limit
        self.pause = pause
        # The time of the next repeat; None until the request has been published on the current connection.
        self.next = None


class App:
    """A terminal of an app.

    `app.account`, `app.device`, `app.share`, … have a method for each request, named as in the contract. The method
    waits for the answer. An unanswered request is repeated after `repeat_after` seconds, and each further pause is
    twice as long. It is also repeated after each reconnection. Repeats have the same id, so the request takes effect
    only once. If no answer arrives within `timeout` seconds, the method raises TimeoutError. If the request is
    refused, the method raises LamplighterError.

    A login changes `credentials`, and the app reconnects with the new token. `on("ended", …)` reports the session's end.
    The app then reconnects, and a login can follow at once. If the token is lost, the broker refuses the terminal.
    The app continues as a new terminal. The handlers given to `on` run one by one on a separate thread. They can
    make requests.

        terminal_id, credentials  those of the last run, or `store`: a file that keeps both
        tls                    True for the system's authorities, the path of an authority's file, or an SSLContext
        transport              "tcp", "websockets" with `path`, or "http" with the port of the HTTP listener
        mqtt5                  False for a broker that speaks MQTT 3.1.1 only
    """

    def __init__(self, app_id: str, secret: str, host: str = "127.0.0.1", port: int = 1883, *,
                 terminal_id: str | None = None, credentials: Credentials | None = None, store: str | None = None,
                 tls: bool | str | ssl.SSLContext = False, transport: str = "tcp", path: str = "/mqtt",
                 mqtt5: bool = True, root: str = "ll/v1", timeout: float = 30, repeat_after: float = 5):
        self.app_id, self._secret = app_id, secret
        self._host, self._port, self._root = host, port, root
        self._store = store
        kept = self._kept() if store else {}
        credentials = credentials or (Credentials(**kept["credentials"]) if kept.get("credentials") else None)
        self.credentials = credentials
        self.terminal_id = terminal_id or (credentials.terminalId if credentials else kept.get("terminalId") or new_terminal_id())
        self.timeout, self.repeat_after = timeout, repeat_after
        self.statuses: dict[str, dict] = {}  # the latest status by did
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._requests: dict[str, _Request] = {}
        # The functions that are called when a SUBACK arrives; the key is the SUBACK's message id.
        self._subscribing: dict[int, callable] = {}
        self._handlers: list[tuple[str, str | None, callable]] = []
        self._pushes: queue.SimpleQueue = queue.SimpleQueue()
        self._ready = self._closed = False
        self._refused = 0
        # The terminal id that the app tries next, if the app tries two ids in turn; otherwise None.
        self._other_id: str | None = None
        self._renewal: float | None = None  # when to make another connection
        self._with_token = False
        self._network = None  # the thread of the connection
        self._options = (tls, transport, path, mqtt5)
        self._client = None
        for name, service in SERVICES.items():
            setattr(self, name, service(self.ask))

    # -- connection

    def _make_client(self, tls, transport, path, mqtt5):
        if transport == "http":
            context = ssl.create_default_context(cafile=tls) if isinstance(tls, str) else tls
            context = ssl.create_default_context() if context is True else context or None
            return self._calling(HTTPClient(self.app_id, self.terminal_id, self._secret, self._root, context))
        if mqtt is None:
            raise ImportError("MQTT needs paho: pip install paho-mqtt, or use transport=\"http\".")
        protocol = mqtt.MQTTv5 if mqtt5 else mqtt.MQTTv311
        more = {} if mqtt5 else {"clean_session": True}
        if hasattr(mqtt, "CallbackAPIVersion"):  # paho 2
            client = mqtt.Client(
                mqtt.CallbackAPIVersion.VERSION2, self.terminal_id, protocol=protocol, transport=transport, **more)
        else:
            client = mqtt.Client(self.terminal_id, protocol=protocol, transport=transport, **more)
        if transport == "websockets":
            client.ws_set_options(path=path)
        if isinstance(tls, ssl.SSLContext):
            client.tls_set_context(tls)
        elif tls:
            client.tls_set(ca_certs=None if tls is True else tls)
        client.reconnect_delay_set(1, 60)
        return self._calling(client)

    def _calling(self, client):
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_subscribe, client.on_message = self._on_subscribe, self._on_message
        return client

    def connect(self) -> App:
        """Connects and waits until requests can be made.

        Raises ConnectionRefused, OSError if the broker can't be reached, or TimeoutError.
        """
        self._client = self._make_client(*self._options)
        self._use_password()
        self._save()
        self._client.connect(self._host, self._port, KEEPALIVE)
        threading.Thread(target=self._repeat, name="lamplighter-repeats", daemon=True).start()
        threading.Thread(target=self._dispatch, name="lamplighter-pushes", daemon=True).start()
        self._client.loop_start()
        with self._changed:
            came = self._changed.wait_for(lambda: self._ready or self._refused > 1, self.timeout)
            ready = self._ready
        if not ready:
            self.close()
            raise ConnectionRefused(REFUSED) if came else TimeoutError("No answer to CONNECT.")
        return self

    def close(self) -> None:
        """Disconnects; the session remains and can be used again."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            waiting = list(self._requests.values())
            self._requests.clear()
            self._changed.notify_all()
        if self._client:
            self._client.disconnect()
            if threading.get_ident() != self._network:
                self._client.loop_stop()
        self._pushes.put(None)
        for request in waiting:
            request.future.set_exception(ConnectionError("The app was closed."))

    def __enter__(self):
        return self.connect()

    def __exit__(self, *_error):
        self.close()

    @property
    def is_connected(self) -> bool:
        return self._ready

    def _use_password(self):
        # After each refusal, the client switches between the token and the secret. A temporary refusal doesn't end the
        # session.
        self._with_token = self.credentials is not None and self._refused % 2 == 0
        self._client.username_pw_set(f"app:{self.app_id}", self.credentials.token if self._with_token else self._secret)

    def _on_connect(self, client, _data, _flags, code, *_properties):
        with self._changed:
            if client is not self._client:
                return
            self._network = threading.get_ident()
            if getattr(code, "value", code) != 0:
                return self._on_refusal(client)
            self._refused = 0
            if self._other_id:
                self._other_id = None
                self._save()
            filters = [(f"{self._space}/#", 1)]
            if self._with_token:
                filters.append((self._user_filter, 1))
            self._subscribe(filters, lambda _granted: self._begin())

    def _on_refusal(self, client):
        """Tries the token and the secret in turn. Without a token, tries the current and a new terminal id in turn.

        The first retry is immediate. The new id helps if the current id has a live session whose token was lost,
        because the broker then refuses the current id. The broker never reports the reason of a refusal.
        """
        if self.credentials is None:
            self.terminal_id, self._other_id = self._other_id or new_terminal_id(), self.terminal_id
        client.disconnect()
        self._renew(min(60, 2 ** (self._refused - 1)) * random.uniform(0.5, 1) if self._refused else 0)
        self._refused += 1

    def _renew(self, pause=0):
        """Replaces this connection with a new one after `pause` seconds."""
        self._ready = False
        self._renewal = time.monotonic() + pause
        self._changed.notify_all()

    def _make_anew(self):
        with self._changed:
            self._renewal = None
            if self._closed:
                return
            old, self._client = self._client, self._make_client(*self._options)
            self._ready = False
            self._subscribing.clear()
            self._use_password()
            old.disconnect()
            self._client.connect_async(self._host, self._port, KEEPALIVE)
            self._client.loop_start()
        old.loop_stop()

    def _begin(self):
        """Continues with the requests once answers can be received."""
        if self.credentials is not None and not self._with_token:
            return self._check_session()
        self._ready = True
        for request in list(self._requests.values()):
            request.next = None
            self._publish(request)
        self._changed.notify_all()

    def _check_session(self):
        """Asks the service whether the session is over, after the broker has accepted the app's secret.

        The app must ask, because the broker also accepts the secret for a live session whose token was never used.
        """
        request = _Request("account/whoami", {"id": secrets.token_hex(8), "token": self.credentials.token, "params":
        {}},
                           self.timeout, self.repeat_after)
        request.future.add_done_callback(self._on_checked)
        self._requests[request.body["id"]] = request
        self._publish(request)
        self._changed.notify_all()

    def _on_checked(self, future):
        with self._changed:
            if self.credentials is not None:
                self._renew(1 if future.exception() else 0)

    def _on_disconnect(self, client, *_arguments):
        with self._changed:
            if client is not self._client:
                return
            self._ready = False
            self._subscribing.clear()
            self._changed.notify_all()

    def _subscribe(self, filters, then):
        _code, mid = self._client.subscribe(filters)
        if mid is not None:
            self._subscribing[mid] = then

    def _on_subscribe(self, client, _data, mid, granted, *_properties):
        with self._changed:
            then = self._subscribing.pop(mid, None) if client is self._client else None
            if then:
                then(all(getattr(code, "value", code) < 128 for code in granted))

    @property
    def _space(self):
        return f"{self._root}/app/{self.app_id}/{self.terminal_id}"

    @property
    def _user_filter(self):
        return f"{self._root}/user/{self.credentials.uid}/#"

    # -- requests

    def ask(self, method: str, params: dict | None = None, *, id: str | None = None, timeout: float | None = None) -> dict:
        """Makes a request, such as "device/list", and returns its result.

        If `id` was used in the last ten minutes, the request counts as a repeat.
        """
        if threading.get_ident() == self._network:
            raise RuntimeError("A request can't wait on the thread that brings its answer.")
        return self.submit(method, params, id=id, timeout=timeout).result()

    def submit(self, method: str, params: dict | None = None, *, id: str | None = None,
               timeout: float | None = None) -> Future:
        """Makes a request and returns a future for the request's result."""
        body = {"id": id or secrets.token_hex(8), "params": {n: v for n, v in (params or {}).items() if v is not None}}
        with self._changed:
            if self._closed:
                raise ConnectionError("The app was closed.")
            if self.credentials is not None:
                body["token"] = self.credentials.token
            if len(json.dumps(body, ensure_ascii=False).encode()) > MAX_PAYLOAD:
                raise ValueError(f"A request has at most {MAX_PAYLOAD} bytes.")
            limit = self.timeout if timeout is None else timeout
            request = _Request(method, body, limit, self.repeat_after)
            if body["id"] in self._requests:
                raise ValueError("A request with this id is under way.")
            self._requests[body["id"]] = request
            if self._ready:
                self._publish(request)
            self._changed.notify_all()
        return request.future

    def control(self, did: str, data: dict | None = None, *, binary: str | None = None, sn: int | None = None,
                ttl: int = 30) -> dict:
        """Sends a command to an online device and waits for the outcome.

        The outcome's `state` is done, failed, expired or superseded. Its `code` and `data` come from the device's answer.
        """
        params = {"did": did, "data": data, "binary": binary, "sn": sn, "ttl": ttl, "wait": True}
        return self.ask("device/control", params, timeout=ttl + self.timeout)

    def _publish(self, request):
        payload = json.dumps(request.body, ensure_ascii=False)
        self._client.publish(f"{self._space}/request/{request.method}", payload, 1)
        request.next = time.monotonic() + request.pause
        request.pause *= 2

    def _repeat(self):
        """Repeats unanswered requests, fails requests whose time limit has passed, and reconnects when due."""
        while True:
            late = []
            with self._changed:
                if self._closed:
                    return
                now = time.monotonic()
                is_due = self._renewal is not None and self._renewal <= now
                for id, request in list(self._requests.items()):
                    if request.deadline <= now:
                        late.append(self._requests.pop(id))
                    elif self._ready and request.next is not None and request.next <= now:
                        self._publish(request)
                times = [t for r in self._requests.values() for t in (r.deadline, r.next if self._ready else None) if t]
                if self._renewal is not None:
                    times.append(self._renewal)
                if not late and not is_due:
                    self._changed.wait(min(times) - now if times else None)
            if is_due:
                self._make_anew()
            for request in late:
                refused = self._refused > 1 and not self._ready
                request.future.set_exception(
                    ConnectionRefused(REFUSED) if refused else TimeoutError(f"No answer to {request.method}."))

    def _on_answer(self, answer):
        request = self._requests.pop(answer.get("id"), None)
        if request is None:
            return
        if not answer["ok"]:
            error = LamplighterError(answer["error"], request.body["id"])
            if error.code == "InvalidToken" and self.credentials and request.body.get("token") == self.credentials.token:
                self._end({"type": "sessionInvalid", "sessionId": self.credentials.sessionId,
                           "reason": error.reason or "expired"})
            if request.method == "account/logout" and (error.code, error.reason) == ("InvalidToken", "loggedOut"):
                return request.future.set_result({})  # an earlier logout, whose answer was lost
            return request.future.set_exception(error)
        result = answer["result"]
        if request.method == "session/refresh" and self.credentials:
            self._keep(Credentials(self.terminal_id, result["token"], self.credentials.sessionId, self.credentials.uid,
                               result["expiresAt"]))
        elif all(member in result for member in SESSION_MEMBERS):
            self._log_in(result)
            # A login succeeds only once the app also receives the user's messages. If the login was sent on an earlier
            # connection, the broker can refuse the present connection's subscription to these messages. The app then
            # reconnects with the token, repeats the login, and gets the same answer.
            self._requests[request.body["id"]] = request
            return self._subscribe(
                [(self._user_filter, 1)], lambda granted: self._settle(request, result) if granted else self._renew())
        elif request.method == "account/logout" and self.credentials:
            self._end({"type": "sessionInvalid", "sessionId": self.credentials.sessionId, "reason": "loggedOut"})
        request.future.set_result(result)

    def _settle(self, request, result):
        if self._requests.pop(request.body["id"], None):
            request.future.set_result(result)

    # -- the session

    def _log_in(self, result):
        if self.credentials and self.credentials.uid != result["user"]["uid"]:
            self._client.unsubscribe(self._user_filter)
            self.statuses.clear()
        self._keep(Credentials(self.terminal_id, result["token"], result["sessionId"], result["user"]["uid"],
                           result["expiresAt"]))

    def _keep(self, credentials):
        self.credentials = credentials
        self._use_password()
        self._save()

    def _end(self, notice):
        """Forgets the ended session and reconnects with the app's secret; the app gets one push of the kind `ended`."""
        if self.credentials is None or self.credentials.sessionId != notice["sessionId"]:
            return
        self.credentials = None
        self.statuses.clear()
        self._use_password()
        self._save()
        self._renew()  # the gate will close this connection
        self._put(Push("ended", None, notice))

    def _kept(self):
        try:
            with open(self._store, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def _save(self):
        if not self._store:
            return
        kept = {"terminalId": self.terminal_id, "credentials": asdict(self.credentials) if self.credentials else None}
        part = f"{self._store}.new"
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(part, self._store)

    # -- pushes

    def on(self, kind: str, handler, did: str | None = None):
        """Calls `handler` with each Push of a kind, from one device or from all devices.

        Returns a function that removes the handler.

        Pushes about devices have the kinds status, event and binary. Pushes to the user have the kinds device,
        schedule, share, notification, session and account. Pushes to this terminal have the kinds command, code,
        devices, system and ended. A new handler of the kind status first gets the known statuses.
        """
        if kind not in (*USER_KINDS, *DEVICE_KINDS, *APP_KINDS):
            raise ValueError(f"There is no push {kind!r}.")
        entry = (kind, did, handler)
        with self._lock:
            self._handlers.append(entry)
            if kind == "status":
                for known, body in self.statuses.items():
                    if did in (None, known):
                        self._put(Push("status", known, body), self.credentials, handler)

        def remove():
            with self._lock:
                if entry in self._handlers:
                    self._handlers.remove(entry)
        return remove

    def _on_message(self, _client, _data, message):
        body = json.loads(message.payload) if message.payload else None
        with self._changed:
            if message.topic.startswith(f"{self._space}/"):
                kind = message.topic[len(self._space) + 1:]
                if kind == "response" and body is not None:
                    return self._on_answer(body)
                if kind == "session":
                    return self._end(body)
                return self._put(Push(kind, (body or {}).get("did"), body))
            if self.credentials is None or not message.topic.startswith(self._user_filter[:-1]):
                return
            steps = message.topic[len(self._user_filter) - 1:].split("/")
            kind, did = steps[-1], steps[1] if len(steps) == 3 else (body or {}).get("did")
            if kind == "status" and not self._note(did, body):
                return
            self._put(Push(kind, did, body), self.credentials)

    def _put(self, push, credentials=None, handler=None):
        """Queues a push for its handlers, or only for the given handler.

        A user's push is dropped once the session has ended."""
        self._pushes.put((push, credentials and credentials.sessionId, handler))

    def _note(self, did, status):
        """Stores a device's status, and returns False if the same status is already known.

        The broker sends retained statuses at every reconnection.
        """
        if status is None:
            return self.statuses.pop(did, None) is not None
        if self.statuses.get(did) == status:
            return False
        self.statuses[did] = status
        return True

    def _dispatch(self):
        """Calls the handlers one after another."""
        while True:
            item = self._pushes.get()
            if item is None:
                return
            push, session, only = item
            with self._lock:
                if session and (self.credentials is None or self.credentials.sessionId != session):
                    continue
                handlers = [only] if only else [
                    handler for kind, did, handler in self._handlers if kind == push.kind and did in (None, push.did)]
            for handler in handlers:
                try:
                    handler(push)
                except Exception:
                    # The exception is reported as if one of the app's threads had raised it. The next handler is still
                    # called.
                    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
