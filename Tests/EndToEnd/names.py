"""A test's network, with only this machine's addresses and a controllable name server."""

import contextlib
import ctypes
import os
import pathlib
import socket
import struct
import subprocess
import threading

NEW_NETWORK = 0x40000000
TYPES = {1: socket.AF_INET, 28: socket.AF_INET6}


def is_possible():
    """Returns whether this process has the rights to create a network of its own."""
    return os.getuid() == 0 and subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True).returncode == 0


class Network:
    """A network for the current thread, and for all threads and processes that the current thread starts."""

    def __init__(self, addresses):
        self.old = os.open("/proc/self/task/%d/ns/net" % threading.get_native_id(), os.O_RDONLY)
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.answers, self.asked, self.reached, self.sockets = {}, [], [], []
        if self.libc.unshare(NEW_NETWORK) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            for address in addresses:
                bits = "128" if ":" in address else "32"
                more = ["nodad"] if ":" in address else []
                subprocess.run(["ip", "address", "add", f"{address}/{bits}", "dev", "lo", *more], check=True)
            self.listen(443)
            self.listen(80)
            self.serve_names()
        except BaseException:
            self.close()
            raise

    def listen(self, port):
        """Accepts connections to every address, notes the address of each connection, and closes the connections."""
        listener = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64)
        self.sockets.append(listener)

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    self.reached.append(connection.getsockname()[0].removeprefix("::ffff:"))
                    connection.close()

        threading.Thread(target=accept, daemon=True).start()

    def serve_names(self):
        """Answers questions for a name with the lists in `answers[name]` in turn, and repeats the last list."""
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 53))
        self.sockets.append(server)

        def serve():
            with contextlib.suppress(OSError):
                while (received := server.recvfrom(512))[0]:
                    question, client = received
                    server.sendto(self.answer(question), client)

        threading.Thread(target=serve, daemon=True).start()

    def answer(self, question):
        labels, place = [], 12
        while question[place]:
            labels.append(question[place + 1:place + 1 + question[place]].decode())
            place += 1 + question[place]
        end = place + 5
        kind, = struct.unpack(">H", question[place + 1:place + 3])
        name = ".".join(labels).lower()
        self.asked.append(name)
        plan = self.answers.get(name, [[]])
        # The service asks for IPv4 and IPv6 addresses at the same time.
        kinds = self.answers.setdefault((name, "kinds"), set())
        if kind in kinds:
            kinds.clear()
            if len(plan) > 1:
                plan.pop(0)
        kinds.add(kind)
        found = []
        for address in plan[0]:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            if TYPES.get(kind) == family:
                data = socket.inet_pton(family, address)
                found.append(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(data)) + data)
        head = question[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0)
        return head + question[12:end] + b"".join(found)

    def use(self, service):
        """Makes a service that hasn't been started yet use this name server."""
        file = pathlib.Path(service.holder) / "resolv.conf"
        file.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        command = service.command
        service.command = lambda: [
            "unshare", "-m", "sh", "-c", f"mount --bind {file} /etc/resolv.conf && exec \"$@\"", "sh", *command()]

    def close(self):
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.libc.setns(self.old, NEW_NETWORK)
        os.close(self.old)
