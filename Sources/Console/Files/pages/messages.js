// Messages out: codes and links by mail and text, to whom, how often tried; in development the code itself.

import { html } from '../base/html.js';
import { t, count } from '../base/words.js';
import { post } from '../base/api.js';
import { shown, when, blank, more, state, attempt, copy, icon } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { merge } from '../base/list.js';
import { to } from '../base/route.js';

export const title = () => t.nav.messages;

export async function start(view) {
  view.feed(['messages'], (kind, data) => { if (kind === 'messages') merge(view, 'list', data.items, 'messageId'); });
  await view.list('list', ['messages']);
}

export function draw(view) {
  const ways = view.state.list?.data?.ways ?? {};
  return html`<div class="head"><h1 tabindex="-1">${t.nav.messages}</h1><p>${Object.entries(ways).map(([channel, way]) => html`${t.messages.channels[channel] ?? channel}: ${t.messages.ways[way] ?? way}. `)}</p></div>
    ${shown(view.state.list, data => html`<div class="live">${table(columns, data.items, { name: 'messages', label: t.nav.messages, key: row => row.messageId, isNew: row => view.state.fresh?.has(row.messageId) })}</div>${more(view, 'list')}`,
      () => blank('message', t.messages.none, t.messages.noneWhy, html`<a class="button" href="${to(['system', 'config'], { text: 'delivery' })}">${t.messages.toSettings}</a>`))}`;
}

const columns = [
  { id: 'to', label: t.messages.to, isHead: true, cell: row => html`<span class="nowrap">${icon(row.channel === 'email' ? 'message' : 'app')} ${row.to}</span>` },
  { id: 'template', label: t.messages.template, cell: row => t.messages.templates[row.template] ?? row.template },
  { id: 'code', label: t.messages.code, cell: row => (row.code ? html`<span class="nowrap"><code>${row.code}</code><button type="button" class="plain" aria-label="${t.copy}" onclick=${() => copy(row.code)}>${icon('copy')}</button></span>` : html`<span class="soft">${t.messages.hidden}</span>`) },
  { id: 'state', label: t.commands.state, tint: row => row.state, cell: row => html`${state(row.state)} ${row.reason && html`<span class="small">${row.reason}</span>`}` },
  { id: 'tries', label: t.messages.tries, isNumber: true, cell: row => count(row.tries) },
  { id: 'due', label: t.messages.next, cell: row => (row.dueAt === undefined ? '' : when(row.dueAt)) },
  { id: 'app', isExtra: true, label: t.users.app, cell: row => row.appId },
  { id: 'created', label: t.info.created, cell: row => when(row.createdAt) },
  { id: 'expires', label: t.commands.expires, cell: row => when(row.expiresAt) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => (row.state === 'waiting' || row.state === 'retrying' ? actButton('operator', t.messages.resend, () => attempt(() => post(['messages', row.messageId, 'resend']), t.messages.resent)) : '') },
];
