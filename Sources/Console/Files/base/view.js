// An open page: its data, its pending requests, and everything else that ends when the page closes.

import { html, render } from './html.js';
import { get, address } from './api.js';
import { subscribe } from './feed.js';
import { here, refine } from './route.js';

let pausedAt = null;
const held = [];
const MOST = 200; // the most rows in one answer of the service
// When a list is read again, at most this number of rows are read.
const MOST_AGAIN = 1000;
const lengths = new Map(); // by address: a list's number of rows when its page was left

/** Returns when the operator paused live changes; null if they aren't paused. */
export const paused = () => pausedAt;

/** Pauses live changes, or resumes them and shows the changes that came during the pause. */
export function pause() {
  pausedAt = pausedAt === null ? Date.now() : null;
  dispatchEvent(new Event('feed'));
  if (pausedAt === null) held.splice(0).forEach(deliver => deliver());
}

export class View {
  /** The page's data; change it with `set`. */
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

  /** The signal that is aborted when the page closes. */
  get signal() {
    return this.#ending.signal;
  }

  /** Changes members of the state, and draws the page again at the end of the current task. */
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
        // A programming error is shown in its page. The frame around the page keeps working.
        this.#root.replaceChildren(String(error));
        throw error;
      }
    });
  }

  /**
   * Reads a resource into the state. While the request runs, the state has `loading`; afterwards, it
   * has `data` and `at`, or `problem`.
   *
   * If the resource is requested again during a read, the read is repeated after its end, since its
   * answer can be older than the second request. A list is read up to the length that it has on the
   * page, or that it had when the user left the page.
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

  /** Reads a list's first page; `more(name)` appends the next one. */
  list(name, parts, query) {
    return this.load(name, parts, query, true);
  }

  /** Changes members of the query, in the view and in the address. */
  refine(changes) {
    refine(changes);
    this.query = here().query;
  }

  /** Changes a list's rows and, at the same time, other members of the state. */
  edit(name, rows, changes) {
    const list = this.state[name];
    if (list?.data) this.set({ [name]: { ...list, data: { ...list.data, items: rows(list.data.items) } }, ...changes });
  }

  /** Repeats a pending read after its end, since its answer may lack the newest change. */
  outrun(name) {
    const { loading, asked } = this.state[name] ?? {};
    if (loading) asked.again = true;
  }

  /** Repeats the reads that failed while the service was unreachable. */
  resume() {
    for (const one of Object.values(this.state)) if (one?.problem && one.again) one.again();
  }

  /** Reads a list's next page, and appends it to the list's current rows, which can change during the read. */
  async more(name) {
    const { data, asked } = this.state[name];
    const set = changes => { if (this.state[name].asked === asked) this.set({ [name]: { ...this.state[name], adding: false, ...changes } }); };
    set({ adding: true, addingProblem: null });
    try {
      const page = await get(asked.parts, { ...asked.query, cursor: data.next }, this.signal);
      const items = [...this.state[name].data.items, ...page.items];
      // If the list is being read again at the same time, that read continues until it has as many rows as `items`.
      asked.length = items.length;
      set({ data: { ...page, items } });
    } catch (problem) {
      if (!this.signal.aborted) set({ addingProblem: problem });
    }
  }

  /** Passes changes to `hear` while the page is open; returns a function that ends the subscription earlier. */
  feed(wanted, hear) {
    const deliver = (kind, data) => { if (!this.signal.aborted) hear(kind, data); };
    const end = subscribe(wanted, (kind, data) => {
      if (pausedAt === null) deliver(kind, data); else if (held.push(() => deliver(kind, data)) > 2000) held.shift();
    });
    this.signal.addEventListener('abort', end);
    return end;
  }

  /** Calls `act` every `ms` milliseconds while the page is open and visible. */
  every(ms, act) {
    const timer = setInterval(() => { if (!document.hidden) act(); }, ms);
    this.signal.addEventListener('abort', () => clearInterval(timer));
  }

  close() {
    for (const one of Object.values(this.state)) if (one?.asked?.isList && one.data) lengths.set(one.asked.key, one.data.items.length);
    this.#ending.abort();
  }
}
