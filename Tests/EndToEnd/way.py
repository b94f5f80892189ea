"""A TCP proxy in its own process; while a signal has stopped the process, nothing passes.

    way.py PORT [REPLACEMENTS]     prints its port; REPLACEMENTS: JSON of texts of equal length
"""

import json
import selectors
import signal
import socket
import subprocess
import sys

HELD_MAX = 1 << 20
# PostgreSQL's Sync: the end of a pipeline.
SYNC = b"S\0\0\0\4"


class Way:
    """The object with which a test starts and controls the proxy's process."""

    def __init__(self, port, replacements=None):
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(port), json.dumps(replacements or {})], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def cut(self):
        self.process.send_signal(signal.SIGSTOP)

    def withhold_ends(self):
        """Withholds from PostgreSQL the end of each connection's next pipeline, and all data after this end."""
        self.process.send_signal(signal.SIGUSR1)

    def mend(self):
        self.process.send_signal(signal.SIGUSR2)
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class End:
    """One side of a connection, with the data that is waiting to be sent to it."""

    def __init__(self, it, is_near):
        it.setblocking(False)
        it.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.other, self.held, self.events = it, None, bytearray(), 0
        self.is_near, self.withheld = is_near, bytearray()


class Carrier:
    """The proxy itself, which runs in the separate process."""

    def __init__(self, port, replacements):
        self.to, self.selector = port, selectors.DefaultSelector()
        self.replacements = [(a.encode(), b.encode()) for a, b in replacements.items()]
        assert all(len(a) == len(b) for a, b in self.replacements)
        self.withholds, self.withholding = False, set()
        signal.signal(signal.SIGUSR1, lambda *_: self.withhold(True))
        signal.signal(signal.SIGUSR2, lambda *_: self.withhold(False))
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.selector.register(self.listener, selectors.EVENT_READ, None)

    def withhold(self, withholds):
        self.withholds = withholds

    def run(self):
        print(self.listener.getsockname()[1], flush=True)
        while True:
            # A signal doesn't end `select`, so `select` waits only briefly while data is withheld.
            ready = self.selector.select(0.1 if self.withholding else None)
            if not self.withholds:
                self.give_back()
            for key, events in ready:
                if key.data is None:
                    self.accept()
                    continue
                try:
                    if events & selectors.EVENT_WRITE:
                        self.write(key.data)
                    if events & selectors.EVENT_READ:
                        self.read(key.data)
                except OSError:
                    self.end(key.data)

    def accept(self):
        near, _ = self.listener.accept()
        try:
            ends = End(near, True), End(socket.create_connection(("127.0.0.1", self.to)), False)
        except OSError:
            return near.close()
        ends[0].other, ends[1].other = ends[1], ends[0]
        for end in ends:
            self.watch(end)

    def watch(self, end):
        """Tells the selector what to wait for at `end`.

        The selector waits for data if little data is held for the other side. If data is held for `end`, the selector
        waits until `end` can accept it."""
        events = (selectors.EVENT_READ if len(end.other.held) < HELD_MAX else 0) | (selectors.EVENT_WRITE if end.held else 0)
        if events == end.events:
            return
        if not end.events:
            self.selector.register(end.socket, events, end)
        elif not events:
            self.selector.unregister(end.socket)
        else:
            self.selector.modify(end.socket, events, end)
        end.events = events

    def read(self, end):
        data = end.socket.recv(262144)
        if not data:
            return self.end(end)
        for old, new in self.replacements:
            data = data.replace(old, new)
        if end in self.withholding or self.withholds and end.is_near and data.endswith(SYNC):
            cut = len(data) - len(SYNC) if end not in self.withholding else 0
            self.withholding.add(end)
            end.withheld += data[cut:]
            data = data[:cut]
        end.other.held += data
        self.write(end.other)

    def give_back(self):
        while self.withholding:
            end = self.withholding.pop()
            end.other.held += end.withheld
            end.withheld.clear()
            self.write(end.other)

    def write(self, end):
        if end.held:
            try:
                del end.held[:end.socket.send(end.held)]
            except BlockingIOError:
                pass
        self.watch(end)
        self.watch(end.other)

    def end(self, end):
        for one in (end, end.other):
            self.withholding.discard(one)
            if one.events:
                self.selector.unregister(one.socket)
                one.events = 0
            one.socket.close()


if __name__ == "__main__":
    Carrier(int(sys.argv[1]), json.loads(sys.argv[2])).run()
