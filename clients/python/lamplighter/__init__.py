"""Lamplighter for apps: requests with answers, pushes about devices, sessions that reconnect.

    from lamplighter import App

    with App("demo", SECRET) as app:
        app.account.login(countryCode="49", email="lena@example.com", password="seven lamps in a row")
        app.on("status", lambda push: print(push.did, push.body))
        print(app.control(did, {"power": True})["state"])
"""

from .app import App, Push, Credentials, new_terminal_id
from .asynchronous import AsyncApp
from .errors import ConnectionRefused, LamplighterError
from .server import Server

__all__ = ["App", "AsyncApp", "ConnectionRefused", "LamplighterError", "Push", "Credentials", "Server", "new_terminal_id"]
