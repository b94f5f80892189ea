// A connection over HTTP: requests are sent over HTTP, and messages arrive on a stream of server-sent events.

/** The silence in milliseconds after which a stream counts as lost; the service sends a comment every 15 seconds. */
const SILENCE = 40000;
/** The service answers within 55 seconds. */
const ANSWER = 65000;
/** The milliseconds for which answers are awaited once the stream has ended. */
const GRACE = 2000;
/** CONNACK's reason code for a wrong password. */
const REFUSED = 0x86;

/** Encodes an app's id and secret for the header Authorization. */
function basic(appId, secret) {
  const bytes = new TextEncoder().encode(`${appId}:${secret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/**
 * Sends a request; returns its answer, or null if nothing says what became of it.
 * @param {string} url
 * @param {string} body
 * @param {string|undefined} authorization
 * @param {...AbortSignal} signals End the waiting.
 * @returns {Promise<{status: number, answer: any}|null>}
 */
export async function post(url, body, authorization, ...signals) {
  const late = AbortSignal.timeout(ANSWER);
  try {
    const headers = { "Content-Type": "application/json", ...authorization && { Authorization: authorization } };
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.any([late, ...signals]) });
    const answer = await response.json();
    return answer.error?.reason === "outcomeUnknown" ? null : { status: response.status, answer };
  } catch {
    return null;
  }
}

/**
 * Requests and a stream, with the events and methods of the Connection in mqtt.js. With the app's
 * secret, it only carries requests. Once there is a `token`, the stream brings the messages of the
 * terminal and its user.
 */
export class HTTPConnection {
  /**
   * @param {{url: string, appId: string, terminalId: string, secret: string, token: string|null, root: string,
   *   trace?: (step: import("./mqtt.js").Trace) => void}} options
   */
  constructor({ url, appId, terminalId, secret, token, root, trace = () => {} }) {
    this.trace = (what, more = {}) => trace({ what, username: `app:${appId}`, ...more });
    this.trace("connecting");
    this.base = url.replace(/\/+$/, "");
    this.root = root;
    this.space = `${root}/app/${appId}/${terminalId}`;
    this.basic = basic(appId, secret);
    /** @type {string|null} */
    this.token = token;
    this.onopen = () => {};
    this.onmessage = (_topic, _payload) => {};
    this.onclose = (_refused) => {};
    this.isOver = false;
    /** @type {Map<string, Promise<void>>} The requests under way, by their ids. */
    this.underWay = new Map();
    this.ending = new AbortController();
    this.timer = setInterval(() => Date.now() - this.lastReceived > SILENCE && this.stream && this.end(null), 1000);
    this.lastReceived = Date.now();
    /** @type {{token: string, ending: AbortController}|null} The open stream. */
    this.stream = null;
    this.start();
  }

  /** Opens the stream or, without a token, tries the secret. */
  async start() {
    const status = this.token ? await this.open()
      : (await post(`${this.base}/${this.space}/request/app/info`, "{}", this.basic, this.ending.signal))?.status;
    if (this.isOver) return;
    if (status !== 200) return this.end(status === 401 || status === 403 ? REFUSED : null);
    this.trace("open");
    this.onopen();
  }

  /** Opens the token's stream in place of the present one; returns the status, or undefined if no answer arrives. */
  async open() {
    const ending = new AbortController(), token = this.token;
    this.ending.signal.addEventListener("abort", () => ending.abort());
    try {
      const response = await fetch(`${this.base}/${this.root}/stream`,
        { headers: { Authorization: `Bearer ${token}` }, signal: ending.signal });
      if (response.status === 200) {
        this.stream?.ending.abort();
        this.stream = { token, ending };
        this.lastReceived = Date.now();
        this.read(response.body, this.stream);
      }
      return response.status;
    } catch {
      return undefined;
    }
  }

  /** Passes on a stream's messages until it ends. */
  async read(body, stream) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        this.lastReceived = Date.now();
        const events = (text + part.value).split("\n\n");
        text = events.pop();
        for (const event of events) if (this.stream === stream) this.take(event.split("\n"));
      }
    } catch { /* a broken stream ends like another */ }
    // A login ends the stream of the former session. The stream can end before the login's answer arrives. So the
    // client waits a short time for the answer.
    await Promise.race([Promise.all(this.underWay.values()), new Promise(resolve => setTimeout(resolve, GRACE))]);
    if (this.stream === stream && this.token === stream.token) this.end(null);
  }

  /** @param {string[]} lines */
  take(lines) {
    const values = name => lines.filter(line => line.startsWith(`${name}: `)).map(line => line.slice(name.length + 2));
    const [topic] = values("event");
    if (!topic || topic === "end") return;
    const payload = values("data").join("\n");
    this.trace("received", { topic: `${this.root}/${topic}`, payload });
    this.onmessage(`${this.root}/${topic}`, payload);
  }

  /** Counts as granted once the stream is open, which has all topics of the terminal and its user. */
  async subscribe(filters, then) {
    this.trace("subscribe", { filters });
    const isThere = !this.token || this.stream?.token === this.token;
    const isGranted = await (isThere ? true : this.open().then(status => status === 200));
    if (!this.isOver) then(isGranted);
  }

  unsubscribe(_filter) { /* the next stream is another user's */ }

  /**
   * Sends a request, unless it is a repeat of one whose answer the connection still waits for.
   * @param {string} topic
   * @param {string} payload
   */
  publish(topic, payload) {
    const { id, token } = JSON.parse(payload);
    if (this.underWay.has(id)) return;
    this.trace("sent", { topic, payload });
    const found = post(`${this.base}/${topic}`, payload, token ? undefined : this.basic, this.ending.signal);
    this.underWay.set(id, found.then(found => this.answer(id, found)));
  }

  /** Passes on an answer; a request without one is repeated. */
  answer(id, found) {
    this.underWay.delete(id);
    if (!found || this.isOver) return;
    const answer = JSON.stringify({ id, ...found.answer });
    this.trace("received", { topic: `${this.space}/response`, payload: answer });
    this.onmessage(`${this.space}/response`, answer);
  }

  close() { this.end(null); }

  /** @param {number|null} refused */
  end(refused) {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.timer);
    this.ending.abort();
    this.trace(refused === null ? "closed" : "refused", refused === null ? {} : { code: refused });
    this.onclose(refused);
  }
}
