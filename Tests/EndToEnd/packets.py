"""Raw packets of MQTT 3.1.1 and 5, for tests with many clients, fast clients or malicious clients."""

import struct


def text(value):
    """Returns a string or bytes, preceded by the length."""
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(raw)) + raw


def length(size):
    """Encodes a length of any size, with seven bits in each byte."""
    digits = bytearray()
    while True:
        size, digit = size >> 7, size & 0x7F
        digits.append(digit | (0x80 if size else 0))
        if not size:
            return bytes(digits)


def packet(kind, body):
    """Returns a packet with this first byte."""
    return bytes([kind]) + length(len(body)) + body


def connect(client_id, username, password, version=4, will=None):
    """Returns a clean-start CONNECT, whose `will` is a topic and payload of QoS 1."""
    none = b"\0" if version == 5 else b""
    body = text("MQTT") + bytes([version, 0xCE if will else 0xC2]) + struct.pack(">H", 600) + none + text(client_id)
    if will:
        body += none + text(will[0]) + text(will[1])
    return packet(0x10, body + text(username) + text(password))


def split(data):
    """Returns the complete packets in some bytes (first byte and body) and the remaining bytes."""
    found, start = [], 0
    while True:
        size, shift, at = 0, 0, start + 1
        while at < len(data):
            digit, at = data[at], at + 1
            size, shift = size | (digit & 0x7F) << shift, shift + 7
            if digit < 0x80:
                break
        else:
            return found, data[start:]
        if at + size > len(data):
            return found, data[start:]
        found.append((data[start], data[at:at + size]))
        start = at + size
