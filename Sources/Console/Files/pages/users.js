// Users: found by id, name or app; their addresses are masked.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { to } from '../base/route.js';
import { shown, when, more, badge } from '../base/pieces.js';
import { searchField, asked, nothing } from '../base/list.js';
import { table, columnChoice } from '../base/table.js';

export const title = () => t.nav.users;

const load = view => view.list('list', ['users'], { query: asked(view) });

export async function start(view) {
  view.load('apps', ['apps']);
  await load(view);
}

export function draw(view) {
  const yes = [{ value: 'yes', hint: t.yes }, { value: 'no', hint: t.no }];
  const keys = [{ key: 'app', hint: t.users.app, values: (view.state.apps?.data?.items ?? []).map(({ appId, name }) => ({ value: appId, hint: name })) }, { key: 'region', hint: t.users.region },
    { key: 'country', hint: t.users.country }, { key: 'anonymous', hint: t.users.anonymous, values: yes }, { key: 'verified', hint: t.users.verified, values: yes }];
  return html`<div class="head"><h1 tabindex="-1">${t.nav.users}</h1>${searchField(view, keys, load, t.users.search)}${columnChoice('users', columns, () => view.redraw())}</div>
    ${shown(view.state.list, data => html`${table(columns, data.items, { name: 'users', label: t.nav.users, key: row => row.uid })}${more(view, 'list')}`,
      () => nothing(view, 'user', t.users.none, t.users.noneWhy))}`;
}

const verified = is => (is ? badge(t.users.isVerified, 'good') : badge(t.users.isNotVerified));

const columns = [
  { id: 'name', label: t.users.user, isHead: true, cell: row => html`<a href="${to(['users', row.uid])}">${row.name || row.uid}</a>${row.name && html`<br><span class="soft small">${row.uid}</span>`} ${row.anonymous && badge(t.users.anonymous)}` },
  { id: 'app', label: t.users.app, cell: row => html`<a href="${to(['apps', row.appId])}">${row.appId}</a>` },
  { id: 'email', label: t.users.email, cell: row => (row.email ? html`${row.email} ${verified(row.emailVerified)}` : '') },
  { id: 'phone', label: t.users.phone, cell: row => (row.phone ? html`${row.phone} ${verified(row.phoneVerified)}` : '') },
  { id: 'region', label: t.users.region, cell: row => `${row.region} / ${row.countryCode}` },
  { id: 'providers', label: t.apps.providers, cell: row => row.providers.join(', ') },
  { id: 'seen', label: t.users.seen, cell: row => when(row.lastSeenAt) },
  { id: 'created', label: t.info.created, cell: row => when(row.createdAt) },
];
