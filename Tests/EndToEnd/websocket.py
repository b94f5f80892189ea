"""MQTT over WebSocket for the browser: the service's own listener, else a relay to the broker."""

import base64
import contextlib
import hashlib
import socket
import struct
import threading

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BINARY, CLOSE = 2, 8


def port_of(service):
    """The port at which a browser reaches the service."""
    if "webSocketPort" in service.ready:
        return service.ready["webSocketPort"]
    if not hasattr(service, "relay"):
        service.relay = Relay(service)
    return service.relay.port


class Relay:
    """Passes the bytes of WebSocket messages on to the broker, and the broker's back."""

    def __init__(self, service):
        self.service = service
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            browser = self.listener.accept()[0]
            threading.Thread(target=self.serve, args=(browser,), daemon=True).start()

    def serve(self, browser):
        with contextlib.suppress(OSError, EOFError), browser:
            file = browser.makefile("rb")
            lines = [line.split(b":", 1) for line in iter(file.readline, b"\r\n") if b":" in line]
            headers = {name.lower(): value.strip() for name, value in lines}
            accept = base64.b64encode(hashlib.sha1(headers[b"sec-websocket-key"] + GUID).digest())
            with socket.create_connection(("127.0.0.1", self.service.mqtt_port)) as broker:
                browser.sendall(
                    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    b"Sec-WebSocket-Protocol: mqtt\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
                threading.Thread(target=self.answer, args=(broker, browser), daemon=True).start()
                while (payload := frame(file)) is not None:
                    broker.sendall(payload)
                broker.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def answer(broker, browser):
        with contextlib.suppress(OSError):
            # Short frames, so that packets and frames do not begin together.
            while data := broker.recv(1000):
                size = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
                browser.sendall(bytes([0x80 | BINARY]) + size + data)
            browser.shutdown(socket.SHUT_RDWR)


def exactly(file, count):
    data = file.read(count)
    if len(data) < count:
        raise EOFError
    return data


def frame(file):
    """The payload of a frame from a browser; None for the last one."""
    first, size = exactly(file, 2)
    size &= 127
    if size > 125:
        size = int.from_bytes(exactly(file, 2 if size == 126 else 8), "big")
    mask, data = exactly(file, 4), exactly(file, size)
    if first & 15 == CLOSE:
        return None
    key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return (int.from_bytes(data, "big") ^ key).to_bytes(size, "big")
