// The browser's single stream of events: it runs in a shared worker and feeds every tab.

const SLOWEST = 15_000;
const SILENCE = 12_000; // a beat arrives every 5 s; with none for this long, the stream counts as lost

export class Feed {
  #root;
  #tabs = new Map(); // by port: the terms that the tab watches
  #stream = null; // { id, abort } once it is open
  #watched = '';
  #lastID;
  #status = { state: 'waiting', at: null };
  #failures = 0;
  #timer;
  #silence;
  #isBare = false;

  constructor(root) {
    this.#root = root;
  }

  /** Sets the terms that a tab watches; null ends the tab's watching. */
  watch(port, terms) {
    if (!terms) {
      this.#tabs.delete(port);
    } else {
      if (!this.#tabs.has(port)) port.postMessage({ status: this.#status });
      this.#tabs.set(port, terms);
    }
    if (this.#tabs.size === 0) {
      this.#drop();
    } else if (!this.#stream) {
      this.#failures = 0;
      this.#open();
    } else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#change(), 40);
    }
  }

  get #terms() {
    // The service accepts at most 250 watched terms for a stream. If the tabs watch more, the terms of list rows are
    // dropped first.
    const isRow = term => term.startsWith('device:');
    const all = [...new Set([...this.#tabs.values()].flat())].sort((a, b) => isRow(a) - isRow(b) || (a < b ? -1 : 1));
    return all.filter(term => !this.#isBare || !term.includes(':')).slice(0, 250);
  }

  #drop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#stream?.abort.abort();
    this.#stream = null;
  }

  #tell(status) {
    this.#status = { ...this.#status, ...status };
    for (const port of this.#tabs.keys()) port.postMessage({ status: this.#status });
  }

  async #change() {
    const wanted = this.#terms;
    if (wanted.join() === this.#watched || !this.#stream?.id) return;
    const stream = this.#stream;
    this.#watched = wanted.join();
    try {
      const answer = await fetch(new URL(`live/${encodeURIComponent(stream.id)}`, this.#root), {
        method: 'PUT', credentials: 'same-origin', headers: { 'Content-Type': 'application/json', 'X-Lamplighter': 'console' },
        body: JSON.stringify({ watch: wanted }),
      });
      if (!answer.ok) throw new Error(String(answer.status));
    } catch {
      // The stream is lost, or the service doesn't know its id. A new stream resumes after the last event.
      if (this.#stream === stream) this.#again(0);
    }
  }

  #again(delay) {
    this.#drop();
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  async #open() {
    clearTimeout(this.#timer);
    const stream = this.#stream = { id: null, abort: new AbortController() };
    this.#watched = this.#terms.join();
    const url = new URL('live', this.#root);
    url.searchParams.set('watch', this.#watched);
    let isEnded = false;
    try {
      const headers = { Accept: 'text/event-stream' };
      if (this.#lastID) headers['Last-Event-ID'] = this.#lastID;
      this.#listen(stream);
      const answer = await fetch(url, { headers, credentials: 'same-origin', cache: 'no-store', signal: stream.abort.signal });
      if (answer.status === 401) return this.#out('expired');
      // The service refuses a watched term, probably because of an invalid id. From now on, the feed watches no terms
      // with ids.
      if (answer.status === 400 && this.#watched) this.#isBare = true;
      if (!answer.ok) throw new Error(String(answer.status));
      isEnded = await this.#read(answer.body.pipeThrough(new TextDecoderStream()).getReader(), stream);
    } catch {
      // The stream is lost; `#again` opens a new one.
    }
    if (this.#stream !== stream) return undefined;
    this.#failures += 1;
    if (!isEnded) this.#tell({ state: 'lost' });
    const delay = isEnded ? 50 : Math.min(SLOWEST, 250 * 2 ** Math.min(6, this.#failures)) * (0.75 + Math.random() / 2);
    return this.#again(delay);
  }

  // A stream that is silent for too long counts as closed.
  #listen(stream) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => stream.abort.abort(), SILENCE);
  }

  // Reads events until the stream ends. Returns whether the service announced the end.
  async #read(reader, stream) {
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done || this.#stream !== stream) return false;
      this.#listen(stream);
      text += value;
      const events = text.split(/\r?\n\r?\n/);
      text = events.pop();
      for (const event of events) {
        const end = this.#take(parse(event), stream);
        if (end) return end === 'again';
      }
    }
  }

  #take({ id, event, data }, stream) {
    if (id) this.#lastID = id;
    if (event === 'hello') {
      stream.id = data.stream ?? data.id;
      this.#failures = 0;
      this.#change();
    }
    if (event === 'end') {
      if (data.reason === 'revoked' || data.reason === 'expired') {
        this.#out(data.reason);
        return 'out';
      }
      return data.reason === 'time' ? 'again' : 'later';
    }
    if (!event) return null;
    this.#tell({ state: 'live', at: Date.now() });
    if (event !== 'hello' && event !== 'beat') {
      for (const [port, terms] of this.#tabs) if (concerns(terms, event, data)) port.postMessage({ event, data });
    }
    return null;
  }

  #out(reason) {
    this.#drop();
    this.#lastID = undefined;
    this.#tell({ state: 'out' });
    for (const port of this.#tabs.keys()) port.postMessage({ out: reason });
    this.#tabs.clear();
  }
}

function parse(text) {
  const found = { data: '' };
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'data') found.data += value; else if (name) found[name] = value;
  }
  try {
    found.data = JSON.parse(found.data || '{}');
  } catch {
    found.event = undefined;
  }
  return found;
}

/** Returns whether an event concerns one of these terms. */
function concerns(terms, event, data) {
  switch (event) {
    case 'device': return terms.includes(`device:${data.did}`);
    case 'page': return terms.includes(`page:${data.device.did}`);
    case 'user': return terms.includes(`user:${data.uid}`);
    case 'connect': return terms.includes(`connect:${data.productKey}:${data.mac}`);
    case 'signIn': return true;
    case 'gone': return terms.includes(data.term);
    case 'tap': return terms.includes(data.term);
    default: return terms.includes(event);
  }
}
