// What pages with a list share: the question in the address, the first page of answers, the next ones.

import { html } from './html.js';
import { refine } from './route.js';

/** The question that the address holds. */
export const asked = view => view.query.get('query') ?? '';

/** The page's search field; a new question replaces the address and loads again. */
export function searchField(view, keys, load, label) {
  return html`<ll-search class="find" .keys=${keys} .value=${asked(view)} label="${label}" onask=${event => {
    view.query.set('query', event.detail);
    refine({ query: event.detail });
    load(view);
  }}></ll-search>`;
}

/** A term put into a question, in place of others with the same key. */
export function withTerm(question, key, value) {
  const rest = question.split(/\s+/).filter(term => term && !term.startsWith(`${key}:`));
  return [...rest, ...(value ? [`${key}:${value}`] : [])].join(' ');
}

/** Puts rows that a live event brought in front of the list, or in the place of what they were. */
export function merge(view, name, items, key) {
  const list = view.state[name];
  if (!list?.data) return;
  const fresh = new Map(items.map(item => [item[key], item]));
  const kept = list.data.items.filter(item => !fresh.has(item[key]));
  const isKnown = new Set(list.data.items.map(item => item[key]));
  const marked = view.state.fresh ?? new Set();
  items.forEach(item => { if (!isKnown.has(item[key])) marked.add(item[key]); });
  view.set({ [name]: { ...list, data: { ...list.data, items: [...items, ...kept] } }, fresh: marked });
}
