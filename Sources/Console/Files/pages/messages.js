// Outgoing messages: codes and links by e-mail and SMS, with recipients and outcomes. During development, the page also
// shows the code.

import { html } from '../base/html.js';
import { t, count, language } from '../base/words.js';
import { get, post } from '../base/api.js';
import { shown, when, more, state, attempt, copy, icon, ask } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { searchField, asked, termChips, nothing, follow } from '../base/list.js';
import { to } from '../base/route.js';

export const title = () => t.nav.messages;

// Each event of the stream contains at most the newest 100 rows. The list also loads 100 rows, so that only rows that
// are really new are marked as new.
const load = view => view.list('list', ['messages'], { query: asked(view), limit: 100 });

export async function start(view) {
  follow(view, 'messages', 'messageId', load);
  await load(view);
}

const names = (words, hint) => Object.entries(words).map(([value, text]) => ({ value, hint: text ?? hint }));

export function draw(view) {
  const { ways = {}, items = [] } = view.state.list?.data ?? {};
  const states = Object.fromEntries(['waiting', 'retrying', 'sent', 'failed', 'expired'].map(name => [name, t.states[name]]));
  const keys = [{ key: 'state', hint: t.commands.state, values: names(states) }, { key: 'template', hint: t.messages.template, values: names(t.messages.templates) }, { key: 'channel', hint: t.messages.channel, values: names(t.messages.channels) },
    { key: 'provider', hint: t.messages.provider, values: names(t.messages.ways) }, { key: 'app', hint: t.users.app }, { key: 'to', hint: t.messages.to }];
  return html`<div class="head"><h1 tabindex="-1">${t.nav.messages}</h1>${searchField(view, keys, load, t.search.label)}${actButton('operator', [icon('message'), t.messages.test], () => attempt(() => test(view)))}<p>${Object.entries(ways).map(([channel, way]) => html`${t.messages.channels[channel] ?? channel}: ${t.messages.ways[way] ?? way}. `)}</p></div>
    ${termChips(view, t.commands.state, 'state', Object.entries(states).map(([id, text]) => ({ id, text })))}
    ${shown(view.state.list, data => html`<div class="live">${table(columns.filter(column => column.id !== 'code' || items.some(row => row.code)), data.items, { name: 'messages', label: t.nav.messages, key: row => row.messageId, isNew: row => view.state.fresh?.has(row.messageId) })}</div>${more(view, 'list')}`,
      () => nothing(view, 'message', t.messages.none, t.messages.noneWhy, html`<a class="button" href="${to(['system', 'config'], { text: 'delivery' })}">${t.messages.toSettings}</a>`))}`;
}

async function test(view) {
  const { items } = await get(['apps']);
  const choice = (name, label, options) => html`<label><span>${label}</span><select name="${name}">${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`;
  ask(t.messages.test, html`${choice('channel', t.messages.channel, Object.entries(t.messages.channels).filter(([id]) => id !== 'push'))}
    <label><span>${t.messages.to}</span><input name="to" required maxlength="254" autocomplete="off" autocapitalize="none" spellcheck="false"></label><p class="soft small">${t.messages.toForm}</p>
    ${choice('appId', t.users.app, items.map(app => [app.appId, app.name]))}`, t.state.send, async fields => { const made = await post(['messages', 'test'], { ...fields, language }); load(view); return made; });
}

const columns = [
  { id: 'to', label: t.messages.to, isHead: true, cell: row => html`<span class="any">${icon(row.channel === 'email' ? 'message' : 'app')} ${row.to}</span>` },
  { id: 'template', label: t.messages.template, cell: row => html`${t.messages.templates[row.template] ?? row.template}<br><span class="soft small">${row.appId}</span>` },
  { id: 'code', label: t.messages.code, cell: row => row.code && html`<span class="nowrap"><code>${row.code}</code><button type="button" class="plain" aria-label="${t.copy}" onclick=${() => copy(row.code)}>${icon('copy')}</button></span>` },
  { id: 'state', label: t.commands.state, tint: row => row.state, cell: row => html`${state(row.state)}${row.error && html`<br><span class="small any">${row.error}</span>`}` },
  { id: 'provider', label: t.messages.provider, cell: row => t.messages.ways[row.provider] ?? row.provider },
  { id: 'tries', label: t.messages.tries, isNumber: true, cell: row => count(row.tries) },
  { id: 'created', label: t.info.created, cell: row => when(row.createdAt) },
  { id: 'ended', label: t.messages.ended, cell: row => (row.endedAt ? when(row.endedAt) : row.dueAt && html`<span class="soft">${t.messages.next} ${when(row.dueAt)}</span>`) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => (row.endedAt ? '' : actButton('operator', t.messages.resend, () => attempt(() => post(['messages', row.messageId, 'resend']), t.messages.resent))) },
];
