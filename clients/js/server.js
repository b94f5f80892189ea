// The client for a maker's server, for Node, Deno and Bun. With an API key, it makes requests for an app's users over
// HTTP. It also reads the app's events.

import { post } from "./http.js";
import { LamplighterError, TimeoutError, randomId } from "./lamplighter.js";
import { SERVICES } from "./methods.js";

/** The longest pause in milliseconds before a repeat, and the seconds that events/read waits. */
const PAUSE_MAX = 30000, WAIT = 50;
const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * A server with an API key. An unanswered request is repeated with the same id, so it takes effect only once; after `timeout`
 * milliseconds it fails with TimeoutError. A refusal is a LamplighterError.
 */
export class Server {
  /** @param {{url: string, key: string, root?: string, timeout?: number}} options `url` as https://lamps.example.com:8443. */
  constructor({ url, key, root = "ll/v1", timeout = 60000 }) {
    this.base = `${url.replace(/\/+$/, "")}/${root}`;
    this.authorization = `Bearer ${key}`;
    this.timeout = timeout;
    this.events = new SERVICES.events((method, params) => this.ask(method, params));
  }

  /**
   * Returns the requests for a user, with exactly that user's rights: `of(uid).device.list()`.
   * @param {string} uid
   */
  of(uid) {
    const ask = (method, params) => this.ask(method, params, { uid });
    return Object.fromEntries(Object.entries(SERVICES).map(([name, Service]) => [name, new Service(ask)]));
  }

  /**
   * Makes a request, such as "device/list", and returns its result.
   * @param {string} method
   * @param {object} [params]
   * @param {{uid?: string, id?: string, timeout?: number}} [options] If `id` is given, the request counts as a repeat of any
   *   request with the same id in the last ten minutes.
   * @returns {Promise<any>}
   */
  async ask(method, params = {}, { uid, id = randomId(8), timeout = this.timeout } = {}) {
    const body = JSON.stringify({ id, uid, params }), end = Date.now() + timeout;
    for (let pause = 1000; ; pause = Math.min(2 * pause, PAUSE_MAX)) {
      const signal = AbortSignal.timeout(Math.max(end - Date.now(), 1000));
      const found = await post(`${this.base}/request/${method}`, body, this.authorization, signal);
      if (found?.answer.ok) return found.answer.result;
      if (found) throw new LamplighterError(found.answer.error, id);
      if (Date.now() + pause > end) throw new TimeoutError(`No answer to ${method}.`);
      await sleep(pause);
    }
  }

  /**
   * Yields a subscription's events without end, even across restarts of the service: `for await (const event of …)`.
   *
   * A page of events is acknowledged once the loop asks for the next event. After a crash, the events of the page arrive again:
   * handle each id once.
   * @param {string} subscriptionId
   */
  async *follow(subscriptionId) {
    for (let pause = 1000; ; pause = Math.min(2 * pause, PAUSE_MAX)) {
      try {
        const page = await this.ask("events/read", { subscriptionId, wait: WAIT }, { timeout: 1000 * (WAIT + 15) });
        yield* page.events;
        await this.ask("events/ack", { subscriptionId, cursor: page.cursor });
        pause = 500;
      } catch (error) {
        const isPassing = error instanceof TimeoutError || ["Unavailable", "TooManyRequests"].includes(error.code);
        if (!isPassing) throw error;
        await sleep(pause);
      }
    }
  }
}
