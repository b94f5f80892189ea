"""The client for asyncio."""

from __future__ import annotations

import asyncio

from .app import App, Push, Credentials
from .methods import SERVICES


class AsyncApp:
    """An App whose requests are awaited, as in `await app.device.list()`; it takes the same arguments as App."""

    def __init__(self, *arguments, **more):
        self._app = App(*arguments, **more)
        for name, service in SERVICES.items():
            setattr(self, name, service(self.ask))

    @property
    def credentials(self) -> Credentials | None:
        return self._app.credentials

    @property
    def terminal_id(self) -> str:
        return self._app.terminal_id

    @property
    def statuses(self) -> dict[str, dict]:
        return self._app.statuses

    async def connect(self) -> AsyncApp:
        """Connects and waits until requests can be made, or raises App.connect's errors."""
        await asyncio.to_thread(self._app.connect)
        return self

    async def close(self) -> None:
        """Disconnects; the session remains and can be used again."""
        await asyncio.to_thread(self._app.close)

    async def __aenter__(self):
        return await self.connect()

    async def __aexit__(self, *_error):
        await self.close()

    async def ask(self, method: str, params: dict | None = None, *, id: str | None = None,
                  timeout: float | None = None) -> dict:
        """Makes a request, such as "device/list", and returns its result."""
        return await asyncio.wrap_future(self._app.submit(method, params, id=id, timeout=timeout))

    async def control(self, did: str, data: dict | None = None, *, binary: str | None = None, sn: int | None = None,
                      ttl: int = 30) -> dict:
        """Sends a command to an online device and waits for the outcome."""
        params = {"did": did, "data": data, "binary": binary, "sn": sn, "ttl": ttl, "wait": True}
        return await self.ask("device/control", params, timeout=ttl + self._app.timeout)

    async def watch(self, kind: str, did: str | None = None):
        """Yields pushes of a kind, from one device or all: `async for push in app.watch("status")`."""
        loop, pushes = asyncio.get_running_loop(), asyncio.Queue()

        def put(push: Push):
            loop.call_soon_threadsafe(pushes.put_nowait, push)
        remove = self._app.on(kind, put, did)
        try:
            while True:
                yield await pushes.get()
        finally:
            remove()
