// A page while it is open: what it knows, what it waits for, and what ends with it.

import { html, render } from './html.js';
import { get } from './api.js';
import { subscribe } from './feed.js';

let pausedAt = null;
const held = [];

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

  /** Reads a resource into the state: { loading } first where there was none, then { data, at } or { problem }. */
  async load(name, parts, query) {
    const asked = {};
    this.set({ [name]: { ...this.state[name], loading: true, adding: false, asked } });
    const isLatest = () => this.state[name]?.asked === asked;
    try {
      const data = await get(parts, query, this.signal);
      if (isLatest()) this.set({ [name]: { data, at: Date.now(), again: () => this.load(name, parts, query), asked } });
      return data;
    } catch (problem) {
      if (this.signal.aborted || !isLatest()) return undefined;
      this.set({ [name]: { ...this.state[name], loading: false, problem, again: () => this.load(name, parts, query) } });
      return undefined;
    }
  }

  /** Reads a list's first page like `load`; `more(name)` puts the next one behind it. */
  async list(name, parts, query = {}) {
    const data = await this.load(name, parts, query);
    if (data) this.set({ [name]: { ...this.state[name], parts, query } });
    return data;
  }

  /** Reads a list's next page, and puts it behind what is there by then: rows change meanwhile as things happen. */
  async more(name) {
    const { parts, query, data, asked } = this.state[name];
    const set = changes => { if (this.state[name].asked === asked) this.set({ [name]: { ...this.state[name], adding: false, ...changes } }); };
    set({ adding: true, addingProblem: null });
    try {
      const page = await get(parts, { ...query, cursor: data.next }, this.signal);
      set({ data: { ...page, items: [...this.state[name].data.items, ...page.items] } });
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
    this.#ending.abort();
  }
}
