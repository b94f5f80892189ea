"""The Python client on two versions of paho, and helpers for its tests."""

import contextlib
import functools
import importlib
import os
import signal
import sys

import tools
from harness import ROOT, eventually

FOLDER = ROOT / "clients" / "python"
VERSIONS = ("1.6", "2.1")
WAIT_SECONDS = 15


@functools.cache
def module(version):
    """Loads and returns the client's package with Debian's or PyPI's version of paho."""
    names = ("lamplighter", "paho")
    saved = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in names}
    path = list(sys.path)
    sys.path.insert(0, str(FOLDER))
    if version.startswith("2"):
        sys.path.insert(0, str(tools.file("paho", "mqtt/client.py").parents[2]))
    try:
        found = importlib.import_module("lamplighter")
        assert importlib.import_module("paho.mqtt").__version__.startswith(version)
        return found
    finally:
        sys.path[:] = path
        for name in [name for name in sys.modules if name.split(".")[0] in names]:
            del sys.modules[name]
        sys.modules.update(saved)


class Heard:
    """The pushes that a handler received."""

    def __init__(self, app, kind, did=None):
        self.pushes = []
        app.on(kind, self.pushes.append, did)

    def next(self, fits=lambda push: True, seconds=WAIT_SECONDS):
        """Takes the first push that passes the check `fits`."""
        def take():
            for index, push in enumerate(self.pushes):
                if fits(push):
                    return self.pushes.pop(index)
            return None
        return eventually(take, seconds, "the push")


@contextlib.contextmanager
def stopped(process):
    """Stops a process, and lets it continue when the `with` block ends."""
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)
