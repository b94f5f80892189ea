// Live changes for this tab. Pages subscribe to terms, and the shared worker delivers the events.

import { Feed } from './feed-core.js';

const subscriptions = new Set();
let port;
let queued = false;

/**
 * The stream's status: `state` is live, waiting, lost or out, and `at` is the time of its last
 * event. The event `feed` reports changes.
 */
export let status = { state: 'waiting', at: null };

// A page's address can contain an invalid id. If a term has such an id, the service refuses the stream of all tabs.
const isTerm = term => /^[a-z]+$|^(device|page|user|tap):[\w-]{1,64}$|^connect:[\w-]{1,64}:[\da-f]+$/i.test(term);

/** Subscribes to the events about some terms, and returns a function that ends the subscription. */
export function subscribe(terms, hear) {
  const subscription = { terms: terms.filter(isTerm), hear };
  subscriptions.add(subscription);
  say();
  return () => {
    if (subscriptions.delete(subscription)) say();
  };
}

/** Opens the stream, which also reports the end of the session. */
export function begin() {
  if (!port) connect();
  say();
}

// Posts the watched terms to the worker. If several subscriptions change in one task, the terms are posted only once.
function say() {
  if (queued) return;
  queued = true;
  queueMicrotask(() => {
    queued = false;
    port?.postMessage({ watch: [...new Set([...subscriptions].flatMap(({ terms }) => terms))] });
  });
}

function connect() {
  if ('SharedWorker' in window) {
    // Browsers that enforce trusted types accept a script's address only from a policy.
    const policy = window.trustedTypes?.createPolicy('feed', { createScriptURL: name => new URL(name, import.meta.url).href });
    const name = 'feed-worker.js';
    port = new SharedWorker(policy ? policy.createScriptURL(name) : new URL(name, import.meta.url), { type: 'module', name: 'lamplighter' }).port;
    port.onmessage = take;
    hold();
  } else {
    // If the browser has no shared workers, as on some phones, this tab opens its own stream.
    const feed = new Feed(new URL('../api/v1/', document.baseURI));
    const self = { postMessage: data => take({ data }) };
    port = { postMessage: ({ watch }) => feed.watch(self, watch) };
  }
  addEventListener('pagehide', () => port.postMessage({ watch: null }));
  addEventListener('pageshow', event => { if (event.persisted) say(); });
}

// Holds a lock while the tab is open, so that the worker notices when the tab closes.
function hold() {
  const lock = `tab-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  navigator.locks?.request(lock, () => {
    port.postMessage({ watch: [], lock });
    say();
    return new Promise(() => {});
  });
}

function take({ data }) {
  if (data.status) {
    status = data.status;
    dispatchEvent(new Event('feed'));
  } else if (data.out) {
    dispatchEvent(new CustomEvent('signedout', { detail: data.out }));
  } else {
    for (const { hear } of subscriptions) hear(data.event, data.data);
  }
}
