// Lamplighter for browsers: a terminal of an app, with requests, pushes and a session that
// reconnects.

import { HTTPConnection } from "./http.js";
import { Connection } from "./mqtt.js";
import { Account, App as AppMethods, Device, Home, Schedule, Session, Share } from "./methods.js";

/**
 * A login on a terminal. Keep it as you keep a password.
 * @typedef {{terminalId: string, token: string, sessionId: string, uid: string, expiresAt: number}}
 *   Credentials
 */
/**
 * A message from the service. The body of a status is null once the status is removed.
 * @typedef {{kind: string, did: string|null, body: any}} Push
 */
/**
 * The storage of the terminal's id and credentials between visits.
 * @typedef {{getItem(key: string): string|null, setItem(key: string, value: string): void}} Store
 */

const PAYLOAD_MAX = 65536;
const USER_KINDS = ["account", "device", "notification", "schedule", "session", "share"];
const DEVICE_KINDS = ["binary", "event", "status"];
const APP_KINDS = ["code", "command", "devices", "ended", "system"];
export const KINDS = [...DEVICE_KINDS, ...USER_KINDS, ...APP_KINDS];

// Node 18 has no global `crypto`.
const random = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

/** Returns a random id for an installation of an app, or for a request. */
export function randomId(bytes = 16) {
  return [...random.getRandomValues(new Uint8Array(bytes))].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A refused request: `code` identifies the error for programs; `field`, `reason`, `retryAfter`
 * (seconds) and `requestId` add details.
 */
export class LamplighterError extends Error {
  /**
   * @param {import("./methods.js").ErrorBody} error
   * @param {string} requestId
   */
  constructor(error, requestId) {
    super(`${error.code}: ${error.message ?? ""}`);
    this.name = "LamplighterError";
    this.code = error.code;
    this.field = error.field;
    this.reason = error.reason;
    this.retryAfter = error.retryAfter;
    this.body = error;
    this.requestId = requestId;
  }
}

/** No answer arrived in time. The request can safely be repeated with the same id. */
export class TimeoutError extends Error {
  name = "TimeoutError";
}

const REFUSED = "The broker refused the connection: the app's id or its secret is wrong, or a limit or rule forbids it;"
  + " `lamplighter refusals` says which.";

/**
 * The broker refused the app twice: with its token and then its secret or, without a token, as two
 * terminals. The app's id or secret is wrong, or a limit or rule forbids the connection. The broker
 * doesn't report which; `lamplighter refusals` does.
 */
export class ConnectionRefused extends Error {
  name = "ConnectionRefused";
}

/**
 * A terminal of an app. `app.account`, `app.device`, … have a method for each request, named as in
 * the contract. An unanswered request is repeated after `repeatAfter`, then after pauses that double,
 * and after a reconnection; repeats have the same id, so it takes effect only once. After `timeout`
 * (both in milliseconds) it fails with TimeoutError. When the session ends, the app reconnects, and
 * a login can follow at once. A terminal whose token is lost is refused; the app continues as a new
 * terminal.
 */
export class App {
  /**
   * @param {{url: string, appId: string, secret: string, terminalId?: string, credentials?:
   *   Credentials|null, store?: Store|null, root?: string, timeout?: number, repeatAfter?: number,
   *   trace?: (step: import("./mqtt.js").Trace) => void}} options `url` is the broker's, ws: or
   *   wss:, or the HTTP listener's, http: or https:. `store` is the browser's localStorage by
   *   default; null stores nothing. `trace` receives every message.
   */
  constructor({ url, appId, secret, terminalId, credentials, store = globalThis.localStorage ?? null, root = "ll/v1",
    timeout = 30000, repeatAfter = 5000, trace }) {
    this.url = url;
    this.trace = trace;
    this.appId = appId;
    this.secret = secret;
    this.root = root;
    this.timeout = timeout;
    this.repeatAfter = repeatAfter;
    this.store = store;
    this.storeKey = `lamplighter.${appId}`;
    const kept = JSON.parse(store?.getItem(this.storeKey) ?? "{}");
    /** @type {Credentials|null} */
    this.credentials = credentials ?? (terminalId && terminalId !== kept.terminalId ? null : kept.credentials) ?? null;
    this.terminalId = terminalId ?? this.credentials?.terminalId ?? kept.terminalId ?? randomId();
    /** @type {Object<string, any>} The latest status by did. */
    this.statuses = {};
    this.isConnected = false;
    this.isClosed = true;
    this.refused = 0;
    /** @type {string|null} The other one of two terminals that are tried in turn. */
    this.otherId = null;
    this.pause = 0;
    /** @type {Map<string, any>} */
    this.requests = new Map();
    /** @type {Set<{kind: string, did: string|undefined, handler: (push: Push) => void}>} */
    this.handlers = new Set();
    const ask = this.ask.bind(this);
    this.account = new Account(ask);
    this.app = new AppMethods(ask);
    this.device = new Device(ask);
    this.home = new Home(ask);
    this.schedule = new Schedule(ask);
    this.session = new Session(ask);
    this.share = new Share(ask);
  }

  get space() { return `${this.root}/app/${this.appId}/${this.terminalId}`; }

  get userSpace() { return `${this.root}/user/${this.credentials?.uid}`; }

  // Connection

  /**
   * Connects and waits until requests can be made. Fails with ConnectionRefused or TimeoutError.
   * @returns {Promise<this>}
   */
  connect() {
    this.isClosed = false;
    this.refused = 0;
    this.save();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => fail(new TimeoutError(this.unreached())), this.timeout);
      const fail = error => { clearTimeout(late); this.settle = null; this.close(); reject(error); };
      this.settle = error => {
        if (error) return fail(error);
        clearTimeout(late);
        this.settle = null;
        resolve(this);
      };
      this.open();
    });
  }

  /**
   * Returns why the broker didn't answer: a browser doesn't report whether nothing listens or the
   * gate refused the page's origin.
   */
  unreached() {
    const page = globalThis.location?.origin;
    return `The broker can't be reached at ${this.url}${page ? `, or this page's origin, ${page}, is not named in`
      + " mqtt.webSocketOrigins; `lamplighter refusals` says so" : ""}.`;
  }

  /** Opens a connection, with token or secret. */
  open() {
    // After each refusal, the client switches between the token and the secret. So a temporary refusal doesn't end the
    // session.
    const withToken = this.credentials !== null && this.refused % 2 === 0;
    const { url, appId, terminalId, secret, root, trace } = this, token = withToken ? this.credentials.token : null;
    const connection = /^https?:/.test(url) ? new HTTPConnection({ url, appId, terminalId, secret, token, root, trace })
      : new Connection({ url, clientId: terminalId, username: `app:${appId}`, password: token ?? secret, trace });
    this.connection = connection;
    connection.onopen = () => {
      this.refused = this.pause = 0;
      if (this.otherId) {
        this.otherId = null;
        this.save();
      }
      const filters = [`${this.space}/#`, ...withToken ? [`${this.userSpace}/#`] : []];
      connection.subscribe(filters, () => this.credentials && !withToken ? this.checkSession() : this.begin());
    };
    connection.onmessage = (topic, payload) => this.receive(topic, payload);
    connection.onclose = refused => {
      this.isConnected = false;
      for (const request of this.requests.values()) clearTimeout(request.repeat);
      if (this.isClosed) return;
      if (refused !== null) {
        // If a terminal has lost the token of a live session, the broker refuses the terminal, but doesn't say why. So
        // after a refusal, a client without a token tries a new terminal id and, after the next refusal, the old one.
        if (!this.credentials) [this.terminalId, this.otherId] = [this.otherId ?? randomId(), this.terminalId];
        if (++this.refused === 1) return this.renew();
        if (this.settle) return this.settle(new ConnectionRefused(REFUSED));
      }
      // Reconnects after a pause of one second. Each further pause is twice as long, up to a minute. The random part
      // keeps many apps from reconnecting at once.
      this.pause = Math.min(this.pause * 2 || 1000, 60000);
      this.returning = setTimeout(() => this.open(), this.pause * (0.5 + Math.random() / 2));
    };
  }

  /** Replaces this connection with another, after a pause in milliseconds. */
  renew(pause = 0) {
    if (this.isClosed) return;
    this.isConnected = false;
    for (const request of this.requests.values()) clearTimeout(request.repeat);
    this.connection.onclose = () => {};
    this.connection.close();
    clearTimeout(this.returning);
    this.returning = setTimeout(() => this.open(), pause);
  }

  /**
   * Checks whether the session is over, because the app's secret was accepted. A session that is not
   * over refuses the secret only after its token's first use.
   */
  checkSession() {
    const id = randomId(8);
    this.ask("account/whoami", {}, { id }).then(() => this.renew(), () => this.credentials && this.renew(1000));
    this.publish(this.requests.get(id));
  }

  /** Continues with the requests once answers can be received. */
  begin() {
    this.isConnected = true;
    for (const request of this.requests.values()) this.publish(request);
    this.settle?.(null);
  }

  /** Disconnects; the session remains and can be used again. */
  close() {
    this.isClosed = true;
    this.isConnected = false;
    clearTimeout(this.returning);
    this.connection?.close();
    for (const request of [...this.requests.values()]) request.fail(new Error("The app was closed."));
  }

  // Requests

  /**
   * Makes a request, such as "device/list", and returns its result.
   * @param {string} method
   * @param {object} [params]
   * @param {{id?: string, timeout?: number}} [options] If `id` is given, the request counts as a
   *   repeat of any request with the same id in the last ten minutes.
   * @returns {Promise<any>}
   */
  ask(method, params = {}, { id = randomId(8), timeout = this.timeout } = {}) {
    if (this.isClosed) return Promise.reject(new Error("The app is not connected; call connect() first."));
    if (this.requests.has(id)) return Promise.reject(new Error("A request with this id is under way."));
    const token = this.credentials?.token;
    const payload = JSON.stringify({ id, token, params });
    if (new TextEncoder().encode(payload).length > PAYLOAD_MAX) {
      return Promise.reject(new RangeError(`A request has at most ${PAYLOAD_MAX} bytes.`));
    }
    return new Promise((resolve, reject) => {
      const finish = settle => value => {
        this.requests.delete(id);
        clearTimeout(request.late);
        clearTimeout(request.repeat);
        settle(value);
      };
      const request = {
        id, method, token, payload, pause: this.repeatAfter, repeat: undefined, late: undefined,
        succeed: finish(resolve), fail: finish(reject),
      };
      request.late = setTimeout(() => request.fail(new TimeoutError(`No answer to ${method}.`)), timeout);
      this.requests.set(id, request);
      if (this.isConnected) this.publish(request);
    });
  }

  /** Publishes a request, and repeats it until it's answered. */
  publish(request) {
    this.connection.publish(`${this.space}/request/${request.method}`, request.payload);
    request.repeat = setTimeout(() => this.isConnected && this.publish(request), request.pause);
    request.pause *= 2;
  }

  /**
   * Sends a command to an online device and waits for the outcome: `state` is done, failed, expired
   * or superseded.
   * @param {string} did
   * @param {Object<string, any>} data
   * @param {{sn?: number, ttl?: number, binary?: string}} [options] `ttl` is in seconds.
   * @returns {Promise<{cid: number, sn: number, state: string, code?: number|string, data?:
   *   object}>}
   */
  control(did, data, { sn, ttl = 30, binary } = {}) {
    return this.ask("device/control", { did, data, binary, sn, ttl, wait: true }, { timeout: 1000 * ttl + this.timeout });
  }

  /** Handles the answer to a request. */
  answer(answer) {
    const request = this.requests.get(answer.id);
    if (!request) return;
    const { ok, result, error } = answer;
    if (!ok) {
      if (error.code === "InvalidToken" && this.credentials && request.token === this.credentials.token) {
        this.end({ sessionId: this.credentials.sessionId, reason: error.reason ?? "expired" });
      }
      const isDone = request.method === "account/logout" && error.code === "InvalidToken" && error.reason === "loggedOut";
      // If a logout fails because the session is already logged out, an earlier logout succeeded, but its answer was
      // lost.
      return isDone ? request.succeed({}) : request.fail(new LamplighterError(error, request.id));
    }
    if (request.method === "session/refresh" && this.credentials) {
      this.keep({ ...this.credentials, token: result.token, expiresAt: result.expiresAt });
    } else if (result.token && result.sessionId && result.user) {
      this.logIn(result);
      // A login succeeds only once the app also receives the user's messages. If the login was sent on an earlier
      // connection, the broker can refuse the present connection's subscription to these messages. The app then
      // reconnects with the token, repeats the login, and gets the same answer.
      return this.connection.subscribe(
        [`${this.userSpace}/#`], granted => granted ? request.succeed(result) : this.renew());
    } else if (request.method === "account/logout" && this.credentials) {
      this.end({ sessionId: this.credentials.sessionId, reason: "loggedOut" });
    }
    request.succeed(result);
  }

  // The session

  logIn({ token, sessionId, expiresAt, user: { uid } }) {
    if (this.credentials && this.credentials.uid !== uid) {
      this.connection.unsubscribe(`${this.userSpace}/#`);
      this.statuses = {};
    }
    this.keep({ terminalId: this.terminalId, token, sessionId, uid, expiresAt });
  }

  /** @param {Credentials|null} credentials */
  keep(credentials) {
    this.credentials = credentials;
    this.connection.token = credentials?.token ?? null; // for the stream over HTTP
    this.save();
  }

  save() {
    this.store?.setItem(this.storeKey, JSON.stringify({ terminalId: this.terminalId, credentials: this.credentials }));
  }

  /** Ends the session: the terminal becomes an anonymous installation again, and gets one push. */
  end(notice) {
    if (this.credentials?.sessionId !== notice.sessionId) return;
    this.statuses = {};
    this.keep(null);
    this.renew(); // the gate will close this connection
    this.push({ kind: "ended", did: null, body: { type: "sessionInvalid", ...notice } });
  }

  // Pushes

  /**
   * Calls `handler` with each push of a kind, of one device or all; returns a function that
   * removes the handler. A new handler of statuses first gets the known ones.
   * @param {string} kind One of KINDS.
   * @param {(push: Push) => void} handler
   * @param {string} [did]
   * @returns {() => void}
   */
  on(kind, handler, did) {
    if (!KINDS.includes(kind)) throw new RangeError(`There is no push ${kind}.`);
    const entry = { kind, did, handler };
    this.handlers.add(entry);
    if (kind === "status") {
      for (const [known, body] of Object.entries(this.statuses)) {
        if (did === undefined || did === known) {
          queueMicrotask(() => this.handlers.has(entry) && this.call(handler, { kind, did: known, body }));
        }
      }
    }
    return () => { this.handlers.delete(entry); };
  }

  /** @param {Push} push */
  push(push) {
    for (const { kind, did, handler } of [...this.handlers]) {
      if (kind === push.kind && (did === undefined || did === push.did)) this.call(handler, push);
    }
  }

  call(handler, push) {
    // The next handler is still called.
    try { handler(push); } catch (error) { (globalThis.reportError ?? console.error)(error); }
  }

  receive(topic, payload) {
    const body = payload ? JSON.parse(payload) : null;
    if (topic.startsWith(`${this.space}/`)) {
      const kind = topic.slice(this.space.length + 1);
      if (kind === "response") return body && this.answer(body);
      if (kind === "session") return this.end(body);
      return this.push({ kind, did: body?.did ?? null, body });
    }
    if (!this.credentials || !topic.startsWith(`${this.userSpace}/`)) return;
    const steps = topic.slice(this.userSpace.length + 1).split("/");
    const kind = steps.at(-1), did = steps.length === 3 ? steps[1] : body?.did ?? null;
    if (kind === "status" && !this.note(did, body)) return;
    this.push({ kind, did, body });
  }

  /**
   * Keeps a status; returns false if it's known already, since the broker sends retained statuses
   * at every reconnection.
   */
  note(did, status) {
    if (status === null) return delete this.statuses[did];
    if (JSON.stringify(this.statuses[did]) === JSON.stringify(status)) return false;
    this.statuses[did] = status;
    return true;
  }
}
