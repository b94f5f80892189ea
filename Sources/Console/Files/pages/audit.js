// Audit: the actions of operators, users and the system, with old and new values. The page also shows operators, with
// their sessions and tokens.

import { html } from '../base/html.js';
import { t, fill, count } from '../base/words.js';
import { address, post, change, remove } from '../base/api.js';
import { to } from '../base/route.js';
import { shown, when, more, icon, attempt, badge, dialog, dialogHead, copyable, ask, askTyped } from '../base/pieces.js';
import { searchField, asked, nothing, follow } from '../base/list.js';
import { table } from '../base/table.js';
import { may, session } from '../base/session.js';
import { act } from '../shared/sentences.js';
import { compared } from '../shared/document.js';
import { showSecret } from '../shared/device-acts.js';

export const title = view => (view.parts[1] === 'operators' ? t.audit.operators : t.nav.audit);

const load = view => view.list('list', ['audit'], { query: asked(view) });

async function loadOperators(view) {
  await Promise.all([view.load('sessions', ['operatorSessions']), view.load('tokens', ['tokens']), may('admin') && view.load('operators', ['operators'])]);
}

export async function start(view) {
  if (view.parts[1] === 'operators') {
    view.feed(['audit'], kind => { if (kind === 'audit') loadOperators(view); });
    await loadOperators(view);
  } else {
    follow(view, 'audit', 'id', load);
    await load(view);
  }
}

export function draw(view) {
  const tab = view.parts[1] === 'operators' ? 'operators' : 'list';
  return html`<div class="head"><h1 tabindex="-1">${t.nav.audit}</h1>${tab === 'list' && searchField(view, keys(), load, t.audit.search)}</div>
    <nav class="tabs" aria-label="${t.device.views}"><a href="${to(['audit'])}" aria-current=${tab === 'list' ? 'page' : null}>${t.audit.rows}</a><a href="${to(['audit', 'operators'])}" aria-current=${tab === 'operators' ? 'page' : null}>${t.audit.operators}</a></nav>
    ${tab === 'list' ? rows(view) : operators(view)}`;
}

const keys = () => [{ key: 'kind', hint: t.audit.kind, values: [{ value: 'operatorAct', hint: t.audit.operatorAct }, ...Object.entries(t.audits).map(([value, hint]) => ({ value, hint }))] }, { key: 'act', hint: t.audit.act, values: Object.entries(t.acts).filter(([key]) => key !== 'title').map(([value, hint]) => ({ value, hint })) },
  { key: 'operator', hint: t.actors.operator }, { key: 'user', hint: t.users.user }, { key: 'app', hint: t.users.app }, { key: 'subject', hint: t.audit.subject }];

const rows = view => shown(view.state.list, data => html`<ol class="times">${data.items.map(row => html`<li key=${row.id} data-row="" class="${view.state.fresh?.has(row.id) ? 'new' : ''}"><span class="small">${when(row.at)}</span><span class="soft">${icon(row.actor.kind === 'operator' ? 'gear' : row.actor.kind === 'user' ? 'user' : 'system')}</span>
    <div class="stack tight any"><p>${act(row)}</p>${(row.before !== undefined || row.after !== undefined) && html`<details><summary class="small soft">${t.audit.beforeAfter}</summary>${compared(row.before, row.after)}</details>`}</div></li>`)}</ol>
    ${more(view, 'list')} <p class="row">${may('admin') && html`<a class="button" download href="${address(['audit', 'export'], { query: asked(view) }).href}">${icon('download')}CSV</a>`}</p>`,
  () => nothing(view, 'audit', t.audit.none, t.audit.noneWhy));

function operators(view) {
  const again = () => loadOperators(view);
  return html`<div class="stack">
    ${may('admin') && html`<section class="stack"><div class="row apart"><h2>${t.audit.operators}</h2><button type="button" onclick=${() => add(again)}>${icon('plus')}${t.audit.add}</button></div>${shown(view.state.operators, data => table(people(again), data.items, { name: 'operators', label: t.audit.operators, key: row => row.name }))}</section>`}
    <section class="stack"><h2>${t.audit.sessions}</h2>${shown(view.state.sessions, data => table(sessions(again), data.items, { name: 'operatorSessions', label: t.audit.sessions, key: row => row.sessionId }))}</section>
    <section class="stack"><div class="row apart"><h2>${t.audit.tokens}</h2><button type="button" onclick=${() => addToken(again)}>${icon('plus')}${t.audit.addToken}</button></div>
      ${shown(view.state.tokens, data => table(tokens(again), data.items, { name: 'tokens', label: t.audit.tokens, key: row => row.tokenId }), () => html`<p class="soft">${t.audit.noTokens}</p>`)}</section></div>`;
}

const roleChoice = (value, onchange) => html`<select name="role" aria-label="${t.audit.role}" value="${value}" onchange=${onchange}>${['viewer', 'operator', 'admin'].map(role => html`<option value="${role}">${t.roles[role]}</option>`)}</select>`;
const showLink = link => dialog(t.audit.link, box => html`<div>${dialogHead(t.audit.link, box)}<p>${fill(t.audit.linkOnce, link.operator)} ${when(link.expiresAt)}</p>${copyable(link.url)}</div>`);

const people = again => [
  { id: 'name', label: t.enter.name, isHead: true, cell: row => html`${row.name} ${row.name === session.operator && badge(t.audit.you)}` },
  { id: 'role', label: t.audit.role, cell: row => (row.name === session.operator ? t.roles[row.role] : roleChoice(row.role, event => attempt(() => change(['operators', row.name], { role: event.target.value }), t.audit.changed).then(again))) },
  { id: 'password', label: t.enter.password, cell: row => (row.hasPassword ? t.yes : t.no) }, { id: 'sessions', label: t.audit.sessions, isNumber: true, cell: row => count(row.sessions) }, { id: 'tokens', label: t.audit.tokens, isNumber: true, cell: row => count(row.tokens) },
  { id: 'seen', label: t.users.seen, cell: row => when(row.lastSeenAt) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => html`<span class="row"><button type="button" onclick=${() => attempt(() => post(['operators', row.name, 'link'])).then(link => link && showLink(link))}>${t.audit.makeLink}</button>
    <button type="button" onclick=${() => attempt(() => post(['operators', row.name, 'revoke']), fill(t.audit.revoked, row.name)).then(again)}>${t.audit.revoke}</button>
    ${row.name !== session.operator && html`<button type="button" class="danger" onclick=${() => askTyped({ title: t.audit.removeTitle, loses: [t.audit.loses], id: row.name, verb: t.audit.remove, act: () => attempt(() => remove(['operators', row.name]), t.audit.removed).then(again) })}>${t.audit.remove}</button>`}</span>` },
];

const sessions = again => [
  { id: 'who', label: t.audit.operator, isHead: true, cell: row => html`${row.operator} ${row.isCurrent && badge(t.audit.thisOne, 'good')}` }, { id: 'client', label: t.audit.client, cell: row => html`<span class="small any">${row.client}</span>` }, { id: 'address', label: t.audit.address, cell: row => html`<span class="nowrap">${row.address}</span>` },
  { id: 'way', label: t.audit.way, cell: row => t.audit.ways[row.way] ?? row.way }, { id: 'since', label: t.users.login, cell: row => when(row.createdAt) }, { id: 'seen', label: t.users.seen, cell: row => when(row.lastSeenAt) }, { id: 'until', label: t.audit.idle, cell: row => when(Math.min(row.idleUntil, row.expiresAt)) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => html`<button type="button" onclick=${() => attempt(() => remove(['operatorSessions', row.sessionId]), t.users.ended).then(again)}>${t.users.end}</button>` },
];

const tokens = again => [
  { id: 'name', label: t.audit.tokenName, isHead: true, cell: row => row.name }, { id: 'who', label: t.audit.operator, cell: row => row.operator }, { id: 'role', label: t.audit.role, cell: row => t.roles[row.role] },
  { id: 'used', label: t.audit.used, cell: row => when(row.lastUsedAt) }, { id: 'until', label: t.commands.expires, cell: row => when(row.expiresAt) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => html`<button type="button" onclick=${() => attempt(() => remove(['tokens', row.tokenId]), t.audit.tokenRevoked).then(again)}>${t.audit.revokeToken}</button>` },
];

const add = again => ask(t.audit.add, html`<label><span>${t.enter.name}</span><input name="name" required maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"></label><label><span>${t.audit.role}</span>${roleChoice('operator')}</label><p class="soft small">${t.audit.roleWhat}</p>`,
  t.audit.add, async ({ name, role }) => { const link = await post(['operators'], { name, role }); showLink(link); again(); return link; });

const addToken = again => ask(t.audit.addToken, html`<label><span>${t.audit.tokenName}</span><input name="name" required maxlength="64" autocomplete="off"></label><label><span>${t.audit.role}</span>${roleChoice(session.role)}</label><label><span>${t.audit.days}</span><input name="days" type="number" min="1" max="3650" value="365" required></label>`,
  t.audit.addToken, async ({ name, role, days }) => { const made = await post(['tokens'], { name, role, days: Number(days) }); showSecret(made.token); again(); return made; });
