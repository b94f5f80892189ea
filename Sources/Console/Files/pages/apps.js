// Apps: their policies in sentences, their identity providers, their users.

import { html } from '../base/html.js';
import { t, count, value } from '../base/words.js';
import { post, put } from '../base/api.js';
import { to, go } from '../base/route.js';
import { icon, shown, when, blank, facts } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { editDocument } from '../shared/document.js';
import { askNewSecret, showSecret } from '../shared/device-acts.js';

export const title = view => view.state.one?.data?.row.name ?? t.nav.apps;
export const start = view => (view.parts[1] ? view.load('one', ['apps', view.parts[1]]) : view.load('list', ['apps']));
export const draw = view => (view.parts[1] ? one(view) : list(view));

const add = () => editDocument({
  title: t.apps.add, document: { appId: 'my-app', name: 'My app' }, check: ['apps', 'check'], save: document => post(['apps'], document),
  done: made => { go(to(['apps', made.row.appId])); if (made.secret) showSecret(made.secret); },
});
const addButton = kind => actButton('admin', [icon('plus'), t.apps.add], add, { kind });

const list = view => html`<div class="head"><h1 tabindex="-1">${t.nav.apps}</h1>${addButton('')}</div>
  ${shown(view.state.list, data => table(columns, data.items, { name: 'apps', label: t.nav.apps, key: row => row.appId }), () => blank('app', t.apps.none, t.apps.noneWhy, addButton('main')))}`;

const columns = [
  { id: 'name', label: t.apps.name, isHead: true, cell: row => html`<a href="${to(['apps', row.appId])}">${row.name}</a><br><span class="soft small">${row.appId}</span>` },
  { id: 'users', label: t.nav.users, isNumber: true, cell: row => html`<a href="${to(['users'], { query: `app:${row.appId}` })}">${count(row.users)}</a>` },
  { id: 'sessions', label: t.apps.sessions, isNumber: true, cell: row => count(row.sessions) },
  { id: 'providers', label: t.apps.providers, cell: row => row.providers.join(', ') },
  { id: 'changed', label: t.products.changed, cell: row => when(row.updatedAt) },
];

function one(view) {
  return shown(view.state.one, ({ row, document, policies }) => {
    return html`<div class="head"><h1 tabindex="-1">${row.name}</h1><span class="row">
        ${actButton('admin', t.edit, () => editDocument({ title: t.products.edit(row.name), document, check: ['apps', 'check'], save: changed => put(['apps', row.appId], changed, row.updatedAt), done: () => start(view) }))}
        ${actButton('admin', t.secret.rotate, () => askNewSecret(['apps', row.appId], row.appId))}</span></div>
      <div class="stack">
      ${facts([['appId', html`<code>${row.appId}</code>`], [t.nav.users, html`<a href="${to(['users'], { query: `app:${row.appId}` })}">${count(row.users)}</a>`], [t.apps.sessions, count(row.sessions)], [t.apps.providers, row.providers.join(', ') || t.apps.noProviders], [t.products.changed, when(row.updatedAt)]])}
      <h2>${t.apps.policies}</h2>
      <ul class="stack tight">${Object.entries(policies).map(([name, set]) => html`<li key=${name}>${sentence(name, set)} <span class="soft small"><code>${name}: ${value(set)}</code></span></li>`)}</ul>
      <h2>${t.apps.document}</h2><pre tabindex="0">${JSON.stringify(document, null, 2)}</pre></div>`;
  });
}

function sentence(name, set) {
  const known = t.policies[name];
  if (known === undefined) return '';
  return typeof known === 'function' ? known(set) : known[String(set)] ?? '';
}
