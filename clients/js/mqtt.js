// The part of MQTT 5 that an app needs, over the browser's WebSocket. It has QoS 1 in both directions, and no sessions
// on the broker.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

const CONNECT = 0x10, CONNACK = 0x20, PUBLISH = 0x30, PUBACK = 0x40, SUBSCRIBE = 0x82, SUBACK = 0x90, UNSUBSCRIBE = 0xa2,
  PINGREQ = 0xc0, PINGRESP = 0xd0, DISCONNECT = 0xe0;
/** Browsers run a hidden page's timers once a minute, so two runs fit into the keep-alive time. */
const KEEPALIVE_SECONDS = 120;
/**
 * The milliseconds of silence after which the broker is pinged, and those after which it counts as
 * lost if it doesn't answer.
 */
const SILENCE = 15000, PATIENCE = 20000;
/** The most bytes in a packet; a message has at most 64 KiB. */
const PACKET_MAX = 0x100000;

/**
 * Encodes a number in up to four bytes of seven bits, lowest first.
 * @param {number} value
 */
function varint(value) {
  const bytes = [];
  do {
    bytes.push(value % 128 + (value >= 128 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return bytes;
}

/**
 * Encodes a text, preceded by its length.
 * @param {string} value
 */
function text(value) {
  const bytes = encoder.encode(value);
  return [bytes.length >> 8, bytes.length & 255, ...bytes];
}

/**
 * Builds a packet from its first byte and its parts.
 * @param {number} first
 * @param {Array<number|Uint8Array>} parts
 */
function packet(first, ...parts) {
  const length = parts.reduce((sum, part) => sum + (typeof part === "number" ? 1 : part.length), 0);
  const head = [first, ...varint(length)];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const part of parts) {
    if (typeof part === "number") bytes[at++] = part;
    else { bytes.set(part, at); at += part.length; }
  }
  return bytes;
}

/** Reads a packet's fields one after another; reading past its end is an error. */
class Fields {
  /** @param {Uint8Array} bytes */
  constructor(bytes) { this.bytes = bytes; this.at = 0; }

  get isOver() { return this.at >= this.bytes.length; }

  byte() {
    if (this.isOver) throw new Error("A packet is cut short.");
    return this.bytes[this.at++];
  }

  short() { return this.byte() << 8 | this.byte(); }

  varint() {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new Error("A length has too many bytes.");
  }

  /** @param {number} count */
  take(count) {
    if (this.at + count > this.bytes.length) throw new Error("A packet is cut short.");
    return this.bytes.subarray(this.at, this.at += count);
  }

  text() { return decoder.decode(this.take(this.short())); }

  rest() { return this.take(this.bytes.length - this.at); }

  /** Skips a packet's properties; none of them matters here. */
  skipProperties() { this.take(this.varint()); }
}

/**
 * A step of a connection, for a log or a picture: `what` is connecting, open, refused (with the
 * reason `code`), closed, subscribe (with `filters`), sent or received (with `topic` and
 * `payload`). Payloads contain tokens: mask them.
 * @typedef {{what: string, username: string, topic?: string, payload?: string, filters?: string[],
 *   code?: number}} Trace
 */

/**
 * A connection. Its events are functions to set: `onopen()` after CONNACK, `onmessage(topic,
 * payload)`, and finally `onclose(refused)`, where `refused` is CONNACK's reason code if it
 * refused.
 */
export class Connection {
  /**
   * @param {{url: string, clientId: string, username: string, password: string, trace?: (step:
   *   Trace) => void}} options
   */
  constructor({ url, clientId, username, password, trace = () => {} }) {
    this.trace = (what, more = {}) => trace({ what, username, ...more });
    this.trace("connecting");
    this.onopen = () => {};
    this.onmessage = (_topic, _payload) => {};
    this.onclose = (_refused) => {};
    this.isOpen = false;
    this.isOver = false;
    this.received = new Uint8Array(0);
    this.packetId = 0;
    /** @type {Map<number, (granted: boolean) => void>} */
    this.subscribing = new Map();
    this.socket = new WebSocket(url, "mqtt");
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      const flags = 0xc2; // user name, password, clean start
      const properties = [0x27, PACKET_MAX >> 24, PACKET_MAX >> 16 & 255, PACKET_MAX >> 8 & 255, PACKET_MAX & 255];
      this.send(packet(CONNECT, text("MQTT"), 5, flags, 0, KEEPALIVE_SECONDS, properties.length, properties,
        text(clientId), text(username), text(password)));
    };
    this.socket.onmessage = event => {
      try { this.take(new Uint8Array(event.data)); } catch { this.end(null); }
    };
    this.socket.onclose = () => this.end(null);
    this.lastReceived = this.lastSent = Date.now();
    this.pingSent = 0;
    this.timer = setInterval(() => this.keepAlive(), 1000);
  }

  /** Pings the broker within the keep-alive time, and ends a connection that went silent. */
  keepAlive() {
    const now = Date.now();
    const isWaiting = this.pingSent > this.lastReceived || !this.isOpen;
    if (isWaiting) {
      if (now - Math.max(this.pingSent, this.isOpen ? 0 : this.lastSent) > PATIENCE) this.end(null);
    } else if (now - this.lastSent > SILENCE || now - this.lastReceived > SILENCE) {
      this.send(packet(PINGREQ));
      this.pingSent = now;
    }
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.lastSent = Date.now();
    this.socket.send(bytes);
  }

  /**
   * Handles received bytes; frames and packets needn't begin together.
   * @param {Uint8Array} bytes
   */
  take(bytes) {
    this.lastReceived = Date.now();
    if (this.received.length) {
      const both = new Uint8Array(this.received.length + bytes.length);
      both.set(this.received);
      both.set(bytes, this.received.length);
      bytes = both;
    }
    for (;;) {
      const size = packetSize(bytes);
      if (size === null || bytes.length < size) break;
      const fields = new Fields(bytes.subarray(0, size));
      const first = fields.byte();
      fields.varint();
      this.handle(first, fields);
      if (this.isOver) return;
      bytes = bytes.subarray(size);
    }
    this.received = bytes.slice();
  }

  /**
   * @param {number} first
   * @param {Fields} fields
   */
  handle(first, fields) {
    switch (first & 0xf0) {
      case CONNACK: {
        fields.byte();
        const code = fields.byte();
        if (code !== 0) return this.end(code);
        this.isOpen = true;
        this.trace("open");
        return this.onopen();
      }
      case PUBLISH: {
        const topic = fields.text();
        const id = first & 0x06 ? fields.short() : null;
        fields.skipProperties();
        const payload = decoder.decode(fields.rest());
        this.trace("received", { topic, payload });
        this.onmessage(topic, payload);
        if (id !== null) this.send(packet(PUBACK, id >> 8, id & 255));
        return;
      }
      case SUBACK: {
        const id = fields.short();
        const then = this.subscribing.get(id);
        this.subscribing.delete(id);
        fields.skipProperties();
        return then?.(fields.rest().every(code => code < 128));
      }
      case DISCONNECT:
        return this.end(null);
      case PUBACK: case PINGRESP: default: // unanswered messages are repeated
    }
  }

  nextId() {
    this.packetId = this.packetId % 65535 + 1;
    return [this.packetId >> 8, this.packetId & 255];
  }

  /**
   * Subscribes to topics; `then` is called with the broker's answer.
   * @param {string[]} filters
   * @param {(granted: boolean) => void} then
   */
  subscribe(filters, then) {
    const id = this.nextId();
    this.subscribing.set(this.packetId, then);
    this.trace("subscribe", { filters });
    this.send(packet(SUBSCRIBE, id, 0, ...filters.flatMap(filter => [text(filter), 1])));
  }

  /** @param {string} filter */
  unsubscribe(filter) { this.send(packet(UNSUBSCRIBE, this.nextId(), 0, text(filter))); }

  /**
   * Publishes a message with QoS 1.
   * @param {string} topic
   * @param {string} payload
   */
  publish(topic, payload) {
    this.trace("sent", { topic, payload });
    this.send(packet(PUBLISH | 0x02, text(topic), this.nextId(), 0, encoder.encode(payload)));
  }

  close() {
    this.send(packet(DISCONNECT, 0));
    this.end(null);
  }

  /** @param {number|null} refused */
  end(refused) {
    if (this.isOver) return;
    this.isOver = true;
    this.isOpen = false;
    clearInterval(this.timer);
    this.socket.close();
    this.trace(refused === null ? "closed" : "refused", refused === null ? {} : { code: refused });
    this.onclose(refused);
  }
}

/**
 * Returns the size of the first packet in bytes, or null while it isn't known.
 * @param {Uint8Array} bytes
 */
function packetSize(bytes) {
  let length = 0;
  for (let at = 1; at < Math.min(bytes.length, 5); at++) {
    length += (bytes[at] & 127) * 128 ** (at - 1);
    if (bytes[at] < 128) {
      if (length > PACKET_MAX) throw new Error("A packet is too large.");
      return at + 1 + length;
    }
  }
  if (bytes.length >= 5) throw new Error("A length has too many bytes.");
  return null;
}
