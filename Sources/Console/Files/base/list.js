// What pages with a list share: the question in the address, the first page of answers, the next ones.

import { html } from './html.js';
import { t } from './words.js';
import { refine, to } from './route.js';
import { blank, chips } from './pieces.js';

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

const terms = (key, flags) => new RegExp(`(?:^|\\s)${key}:(?:"([^"]*)"|(\\S*))`, flags);

/** A term put into a question, in place of others with the same key. */
export function withTerm(question, key, value) {
  const rest = question.replace(terms(key, 'g'), '').trim();
  return [rest, value && `${key}:${/\s/.test(value) ? `"${value}"` : value}`].filter(Boolean).join(' ');
}

/** Chips that put a term with a key into the question; `options` are { id, text, number }. */
export function termChips(view, label, key, options) {
  const [, quoted, bare] = terms(key).exec(asked(view)) ?? [];
  return chips(label, [{ id: '', text: t.all }, ...options].map(one => ({ ...one, href: to([view.parts[0]], { query: withTerm(asked(view), key, one.id) }) })), quoted ?? bare ?? '');
}

/** What a list shows that has no row: that nothing matches the question, or what would fill it. */
export const nothing = (view, ...none) => (asked(view)
  ? blank('search', t.nothingFound, t.nothingFoundWhy, html`<a class="button" href="${to([view.parts[0]])}">${t.showAll}</a>`) : blank(...none));

/** Has a list go on with what happens: a question's answers are the server's to choose, so with one it is asked again. */
export function follow(view, kind, key, load, then) {
  view.feed([kind], (heard, data) => {
    if (heard !== kind) return;
    if (asked(view)) load(view); else { merge(view, 'list', data.items, key); then?.(); }
  });
}

/** Puts rows that a live event brought in front of the list, or in the place of what they were. */
function merge(view, name, items, key) {
  const list = view.state[name];
  view.outrun(name);
  if (!list?.data) return;
  const fresh = new Map(items.map(item => [item[key], item]));
  const kept = list.data.items.filter(item => !fresh.has(item[key]));
  const isKnown = new Set(list.data.items.map(item => item[key]));
  const marked = view.state.fresh ?? new Set();
  items.forEach(item => { if (!isKnown.has(item[key])) marked.add(item[key]); });
  view.set({ [name]: { ...list, data: { ...list.data, items: [...items, ...kept] } }, fresh: marked });
}
