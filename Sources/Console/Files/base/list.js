// The common parts of pages with a list: the query in the address, the search field, and the list's live changes.

import { html } from './html.js';
import { t } from './words.js';
import { to } from './route.js';
import { blank, chips } from './pieces.js';

/** Returns the query in the address. */
export const asked = view => view.query.get('query') ?? '';

/** The page's search field; a new query replaces the one in the address, and the list is loaded again. */
export function searchField(view, keys, load, label) {
  return html`<ll-search class="find" .keys=${keys} .value=${asked(view)} label="${label}" onask=${event => {
    view.refine({ query: event.detail });
    load(view);
  }}></ll-search>`;
}

const terms = (key, flags) => new RegExp(`(?:^|\\s)${key}:(?:"([^"]*)"|(\\S*))`, flags);

/** Returns a query with a term added in place of others with the same key. */
export function withTerm(question, key, value) {
  const rest = question.replace(terms(key, 'g'), '').trim();
  return [rest, value && `${key}:${/\s/.test(value) ? `"${value}"` : value}`].filter(Boolean).join(' ');
}

/** Chips that add a term with a key to the query; `options` are { id, text, number }. */
export function termChips(view, label, key, options) {
  const [, quoted, bare] = terms(key).exec(asked(view)) ?? [];
  return chips(label, [{ id: '', text: t.all }, ...options].map(one => ({ ...one, href: to([view.parts[0]], { query: withTerm(asked(view), key, one.id) }) })), quoted ?? bare ?? '');
}

/** The text of a list without rows, which says that nothing matches the query, or how to fill the list. */
export const nothing = (view, ...none) => (asked(view)
  ? blank('search', t.nothingFound, t.nothingFoundWhy, html`<a class="button" href="${to([view.parts[0]])}">${t.showAll}</a>`) : blank(...none));

/**
 * Keeps a list up to date with live events. Only the server can match a query, so a list with a
 * query is loaded again.
 */
export function follow(view, kind, key, load, then) {
  view.feed([kind], (heard, data) => {
    if (heard !== kind) return;
    if (asked(view)) load(view); else { merge(view, 'list', data.items, key); then?.(); }
  });
}

/** Puts rows from a live event at the front of the list, or in place of their former versions. */
function merge(view, name, items, key) {
  view.outrun(name);
  const marked = view.state.fresh ?? new Set();
  view.edit(name, known => {
    const [ids, knownIds] = [items, known].map(rows => new Set(rows.map(row => row[key])));
    ids.forEach(id => { if (!knownIds.has(id)) marked.add(id); });
    return [...items, ...known.filter(row => !ids.has(row[key]))];
  }, { fresh: marked });
}
