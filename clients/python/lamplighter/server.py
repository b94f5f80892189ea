"""Lets a maker's server make requests for users, and read events, with an API key."""

from __future__ import annotations

import json
import secrets
import ssl
import time
import urllib.parse

from .errors import LamplighterError
from .methods import SERVICES
from .overhttp import BROKEN, Address, is_answer

PAUSE_MAX = 30
WAIT_SECONDS = 50  # the longest that events/read waits


class Server:
    """A maker's server, which makes requests with an API key; it needs neither paho nor a permanent connection.

        server = Server("https://lamps.example.com:8443", key)
        server.of(uid).device.list()
        for event in server.follow(subscription_id):
            ...

    An unanswered request is repeated with the same id, so it takes effect only once. If there is still no answer after
    `timeout` seconds, the call raises TimeoutError. A refusal raises LamplighterError.

        tls    the path of an authority's file or an SSLContext, if no public authority signed the certificate
    """

    def __init__(self, address: str, key: str, *, tls: str | ssl.SSLContext | None = None, root: str = "ll/v1",
                 timeout: float = 60):
        url = urllib.parse.urlsplit(address)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"The address must be like https://lamps.example.com:8443, not {address}.")
        context = tls if isinstance(tls, ssl.SSLContext) else ssl.create_default_context(cafile=tls)
        is_secure = url.scheme == "https"
        self._address = Address(url.hostname, url.port or (443 if is_secure else 80), context if is_secure else None)
        self._headers, self._root, self.timeout = {"Authorization": f"Bearer {key}"}, root, timeout
        self.events = SERVICES["events"](self.ask)

    def of(self, uid: str) -> ForUser:
        """Returns an object that makes requests on behalf of a user, with exactly that user's rights."""
        return ForUser(self, uid)

    def ask(self, method: str, params: dict | None = None, *, uid: str | None = None, id: str | None = None,
            timeout: float | None = None) -> dict:
        """Makes a request, such as "device/list", and returns its result.

        If `id` was used in the last ten minutes, the request counts as a repeat.
        """
        body = {"id": id or secrets.token_hex(8), "params": {n: v for n, v in (params or {}).items() if v is not None}}
        if uid is not None:
            body["uid"] = uid
        text = json.dumps(body, ensure_ascii=False)
        end, pause = time.monotonic() + (self.timeout if timeout is None else timeout), 1
        while True:
            left = end - time.monotonic()
            try:
                _status, answer = self._address.post(f"/{self._root}/request/{method}", text, self._headers, max(left, 1))
            except (*BROKEN, ValueError):
                answer = None
            if answer is not None and is_answer(answer):
                if answer["ok"]:
                    return answer["result"]
                raise LamplighterError(answer["error"], body["id"])
            if time.monotonic() + pause > end:
                raise TimeoutError(f"No answer to {method}.")
            time.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX)

    def follow(self, subscription_id: str):
        """Yields a subscription's events without end, even across restarts of the service.

        Events arrive in pages. A page is acknowledged once the loop has handled all its events. After a crash, all events of
        the page arrive again, so handle each id only once.
        """
        pause = 1
        while True:
            try:
                page = self.ask("events/read", {"subscriptionId": subscription_id, "wait": WAIT_SECONDS},
                                timeout=WAIT_SECONDS + 15)
                yield from page["events"]
                self.ask("events/ack", {"subscriptionId": subscription_id, "cursor": page["cursor"]})
                pause = 1
            except (TimeoutError, LamplighterError) as error:
                if getattr(error, "code", "Unavailable") not in ("Unavailable", "TooManyRequests"):
                    raise
                time.sleep(pause)
                pause = min(2 * pause, PAUSE_MAX)


class ForUser:
    """The requests for one user: `account`, `device`, `home`, `share`, … as in App."""

    def __init__(self, server: Server, uid: str):
        for name, service in SERVICES.items():
            setattr(self, name, service(lambda method, params: server.ask(method, params, uid=uid)))
