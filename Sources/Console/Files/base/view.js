// A page while it is open: what it knows, what it waits for, and what ends with it.

import { html, render } from './html.js';
import { get, address } from './api.js';
import { subscribe } from './feed.js';

let pausedAt = null;
const held = [];
const MOST = 200; // rows that the service gives at once
const MOST_AGAIN = 1000; // rows of a list that are read again
const lengths = new Map(); // by the question: how many rows a list had when its page was left

/** When the person paused what is live; null while it flows. */
export const paused = () => pausedAt;

/** Pauses what is live, or lets it flow again: what came meanwhile is shown then. */
export function pause() {
  pausedAt = pausedAt === null ? Date.now() : null;
  dispatchEvent(new Event('feed'));
  if (pausedAt === null) held.splice(0).forEach(deliver => deliver());
}

export class View {
  /** What the page knows; changed with `set`. */
  state = {};
  #draw;
  #root;
  #ending = new AbortController();
  #drawn = false;

  constructor(root, parts, query, draw) {
    this.#root = root;
    this.parts = parts;
    this.query = query;
    this.#draw = draw;
  }

  /** Ends with the page. */
  get signal() {
    return this.#ending.signal;
  }

  /** Takes over what changed, and shows it with the next frame. */
  set(changes) {
    Object.assign(this.state, changes);
    this.redraw();
  }

  redraw() {
    if (this.#drawn || this.signal.aborted) return;
    this.#drawn = true;
    queueMicrotask(() => {
      this.#drawn = false;
      if (this.signal.aborted) return;
      try {
        render(html`${this.#draw(this)}`, this.#root);
      } catch (error) {
        // A fault of ours in one page: said, and the frame around it goes on.
        this.#root.replaceChildren(String(error));
        throw error;
      }
    });
  }

  /**
   * Reads a resource into the state: { loading } first where there was none, then { data, at } or { problem }.
   *
   * What is asked for while it is under way is read once more at the end, as its answer may be older than the wish:
   * what changes faster than it can be read is shown all the same. Of a list, as much is read as is there, or was when its
   * page was left.
   */
  load(name, parts, query = {}, isList = false) {
    const { asked: former, loading, data } = this.state[name] ?? {};
    const key = `${address(parts, query)}`;
    const isSame = former?.key === key;
    if (loading && isSame) {
      former.again = true;
      return former.reading;
    }
    const asked = { key, parts, query, isList };
    this.set({ [name]: { ...this.state[name], loading: true, adding: false, asked } });
    const length = !isList ? 0 : isSame && data ? data.items.length : lengths.get(key);
    asked.length = Math.min(length || 0, MOST_AGAIN);
    return asked.reading = this.#read(name, asked);
  }

  async #read(name, asked) {
    const { parts, query } = asked;
    const isLatest = () => this.state[name].asked === asked;
    const again = () => this.load(name, parts, query, asked.isList);
    const next = (number, cursor) => get(parts, { ...query, ...(number > (query.limit ?? 50) && { limit: Math.min(number, MOST) }), cursor }, this.signal);
    try {
      let data = await next(asked.length);
      while (data.next && data.items.length < asked.length && isLatest()) {
        const page = await next(asked.length - data.items.length, data.next);
        data = { ...page, items: [...data.items, ...page.items] };
      }
      if (!isLatest()) return data;
      this.set({ [name]: { data, at: Date.now(), again, asked } });
      if (asked.again) again();
      return data;
    } catch (problem) {
      if (!this.signal.aborted && isLatest()) this.set({ [name]: { ...this.state[name], loading: false, problem, again } });
      return undefined;
    }
  }

  /** Reads a list's first page; `more(name)` puts the next one behind it. */
  list(name, parts, query) {
    return this.load(name, parts, query, true);
  }

  /** Has what is under way asked for once more at its end: something came that its answer may not have. */
  outrun(name) {
    const { loading, asked } = this.state[name] ?? {};
    if (loading) asked.again = true;
  }

  /** Asks again for what could not be read while the service was away. */
  resume() {
    for (const one of Object.values(this.state)) if (one?.problem && one.again) one.again();
  }

  /** Reads a list's next page, and puts it behind what is there by then: rows change meanwhile as things happen. */
  async more(name) {
    const { data, asked } = this.state[name];
    const set = changes => { if (this.state[name].asked === asked) this.set({ [name]: { ...this.state[name], adding: false, ...changes } }); };
    set({ adding: true, addingProblem: null });
    try {
      const page = await get(asked.parts, { ...asked.query, cursor: data.next }, this.signal);
      const items = [...this.state[name].data.items, ...page.items];
      asked.length = items.length; // for one that is read again meanwhile
      set({ data: { ...page, items } });
    } catch (problem) {
      if (!this.signal.aborted) set({ addingProblem: problem });
    }
  }

  /** Hears of changes as long as the page is open; gives back a function that ends it earlier. */
  feed(wanted, hear) {
    const deliver = (kind, data) => { if (!this.signal.aborted) hear(kind, data); };
    const end = subscribe(wanted, (kind, data) => {
      if (pausedAt === null) deliver(kind, data); else if (held.push(() => deliver(kind, data)) > 2000) held.shift();
    });
    this.signal.addEventListener('abort', end);
    return end;
  }

  /** Has something done every so many milliseconds while the page is open and seen. */
  every(ms, act) {
    const timer = setInterval(() => { if (!document.hidden) act(); }, ms);
    this.signal.addEventListener('abort', () => clearInterval(timer));
  }

  close() {
    for (const one of Object.values(this.state)) if (one?.asked?.isList && one.data) lengths.set(one.asked.key, one.data.items.length);
    this.#ending.abort();
  }
}
