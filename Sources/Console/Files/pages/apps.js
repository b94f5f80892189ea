// Apps: their policies, providers, push services, API keys, event subscriptions and users.

import { html } from '../base/html.js';
import { t, fill, count, value } from '../base/words.js';
import { post, put } from '../base/api.js';
import { to, go } from '../base/route.js';
import { icon, shown, when, blank, facts, badge, state, attempt, ask } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { editDocument } from '../shared/document.js';
import { askNewSecret, showSecret } from '../shared/device-acts.js';
import { keys, loadKeys } from '../shared/api-keys.js';
import { subscriptions, loadSubscriptions } from '../shared/event-subscriptions.js';
import { learn, say } from '../shared/findings.js';

export const title = view => view.state.one?.data?.row.name ?? t.nav.apps;
export async function start(view) {
  const [, app] = view.parts;
  await learn();
  if (app) view.every(15_000, () => loadSubscriptions(view, app));
  await (app ? Promise.all([view.load('one', ['apps', app]), loadKeys(view, app), loadSubscriptions(view, app)]) : view.load('list', ['apps']));
}
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
  return shown(view.state.one, ({ row, document, policies, push, providers: found }) => {
    return html`<div class="head"><h1 tabindex="-1">${row.name}</h1><span class="row">
        ${actButton('admin', t.edit, () => editDocument({ title: fill(t.products.edit, row.name), document, check: ['apps', 'check'], save: changed => put(['apps', row.appId], changed, row.updatedAt), done: () => start(view) }))}
        ${actButton('admin', t.secret.rotate, () => askNewSecret(['apps', row.appId], row.appId))}</span></div>
      <div class="stack">
      ${facts([['appId', html`<code>${row.appId}</code>`], [t.nav.users, html`<a href="${to(['users'], { query: `app:${row.appId}` })}">${count(row.users)}</a>`], [t.apps.sessions, count(row.sessions)], [t.products.changed, when(row.updatedAt)]])}
      <h2>${t.apps.providers}</h2>${table(providers(view), found, { name: 'providers', label: t.apps.providers, key: one => one.name })}
      <div class="row apart"><h2>${t.apps.push}</h2>${actButton('operator', t.apps.tryPush, () => tryPush(view))}</div>${table(providers(view).slice(0, 3), push, { name: 'push', label: t.apps.push, key: one => one.name })}<p>${trial(view.state.push)}</p>
      ${keys(view, row.appId)}${subscriptions(view, row.appId)}
      <h2>${t.apps.policies}</h2>
      <ul class="stack tight">${Object.entries(policies).map(([name, set]) => html`<li key=${name}>${sentence(name, set)} <span class="soft small"><code>${name}: ${value(set)}</code></span></li>`)}</ul>
      <h2>${t.apps.document}</h2><pre tabindex="0">${JSON.stringify(document, null, 2)}</pre></div>`;
  });
}

const providers = view => [
  { id: 'name', label: t.apps.name, isHead: true, cell: row => html`${t.messages.channels[row.name] ?? t.messages.ways[row.name] ?? row.name}${row.way && html`<br><span class="soft small">${t.messages.ways[row.way] ?? row.way}</span>`} ${!row.isEnabled && !row.way && badge(t.apps.off)}` },
  { id: 'worked', label: t.apps.worked, cell: row => when(row.succeededAt) },
  { id: 'failed', label: t.apps.failed, cell: row => html`${when(row.failedAt)}${row.failure && html`<br><span class="small any">${say(row.failure)}</span>`}` },
  { id: 'trial', label: t.apps.trial, tint: row => view.state[`try ${row.name}`]?.state, cell: row => trial(view.state[`try ${row.name}`]) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => actButton('operator', t.apps.tryIt, async () => {
    const name = `try ${row.name}`;
    view.set({ [name]: true });
    view.set({ [name]: await attempt(() => post(['apps', view.parts[1], 'providers', row.name, 'try'])) });
  }, { disabled: view.state[`try ${row.name}`] === true }) },
];

const tryPush = view => ask(t.apps.tryPush, html`<label><span>${t.users.terminal}</span><input name="terminal" required maxlength="32" autocomplete="off" spellcheck="false"></label>`, t.apps.tryPush, async ({ terminal }) => {
  const found = await post(['apps', view.parts[1], 'push', terminal.trim(), 'try']);
  view.set({ push: found });
  return found;
});

function trial(found) {
  if (!found) return '';
  return found === true ? html`<span role="status">${t.loading}</span>` : html`<span role="status">${state(found.state)} <span class="any">${say(found.evidence)}</span>${found.cure && html`<br><span class="any">${icon('check')} ${say(found.cure)}</span>`}</span>`;
}

function sentence(name, set) {
  const known = t.policies[name];
  return typeof known === 'string' ? fill(known, set) : known?.[set] ?? '';
}
