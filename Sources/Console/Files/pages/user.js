// A user's devices, account events, and sessions on terminals. A session shows why it ended, and when the gate cut it
// off.

import { html } from '../base/html.js';
import { t, fill, count, span } from '../base/words.js';
import { get, post, remove } from '../base/api.js';
import { to, go } from '../base/route.js';
import { shown, when, device, badge, blank, facts, more, attempt, askTyped, soon, icon } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { act as sentence, actor } from '../shared/sentences.js';
import { saveJSON } from '../shared/label.js';

export const title = view => view.state.user?.data?.row.name || view.parts[1];

export async function start(view) {
  view.uid = view.parts[1];
  view.feed([`user:${view.uid}`], (kind, data) => {
    if (kind === 'gone') view.load('user', ['users', view.uid]);
    if (kind !== 'user') return;
    view.outrun('sessions');
    view.set({ sessions: { ...view.state.sessions, problem: undefined, data: { items: data.sessions } } });
  });
  view.list('audit', ['users', view.uid, 'audit']);
  view.load('notifications', ['users', view.uid, 'notifications']);
  await Promise.all([view.load('user', ['users', view.uid]), view.load('sessions', ['users', view.uid, 'sessions'])]);
}

const inFull = view => attempt(async () => view.set({ user: { ...view.state.user, data: await get(['users', view.uid], { addresses: 'true' }), full: true } }));

export function draw(view) {
  return shown(view.state.user, user => html`
    <div class="head"><h1 tabindex="-1">${user.row.name || user.row.uid}</h1>
      <span class="row">${user.row.anonymous && badge(t.users.anonymous)}${user.locked && badge(t.users.locked, 'warn')}${user.deletesAt !== undefined && badge(t.users.cancelled, 'bad')}</span>
      ${user.row.name && html`<p><code>${user.row.uid}</code></p>`}</div>
    <div class="stack">
    ${user.deletesAt !== undefined && html`<p class="note warn row"><span>${t.users.deletes} ${when(user.deletesAt)}</span>${actButton('operator', t.users.keep, () => attempt(async () => { await remove(['users', view.uid, 'cancellation']); start(view); }, t.users.kept))}</p>`}
    ${user.locked && html`<p class="note warn row"><span>${t.users.lockedWhy}</span>${actButton('operator', t.users.unlock, () => attempt(async () => { await post(['users', view.uid, 'unlock']); start(view); }, t.users.unlocked))}</p>`}
    <section class="stack"><div class="row apart"><h2>${t.users.sessions}</h2>${actButton('operator', t.users.endAll, () => endAll(view), { kind: 'danger' })}</div>
      ${shown(view.state.sessions, data => html`<div class="live">${table(sessions(view), data.items, { name: 'sessions', label: t.users.sessions, key: row => row.sessionId })}</div>`, () => blank('app', t.users.noSessions, t.users.noSessionsWhy))}</section>
    <div class="halves"><section class="stack"><h2>${t.nav.devices}</h2>${user.devices.length ? table(devices, user.devices, { name: 'userDevices', label: t.nav.devices, key: row => row.did }) : html`<p class="soft">${t.users.noDevices}</p>`}</section>
      <section class="stack"><h2>${t.users.about}</h2>${facts([[t.users.app, html`<a href="${to(['apps', user.row.appId])}">${user.row.appId}</a>`], [t.users.email, user.row.email], [t.users.phone, user.row.phone], [t.users.region, `${user.row.region} / ${user.row.countryCode}`],
        [t.users.hasPassword, user.row.hasPassword ? t.yes : t.no], [t.apps.providers, user.row.providers.join(', ')], [t.users.homes, count(user.homes)], [t.nav.schedules, count(user.schedules)], [t.info.created, when(user.row.createdAt)], [t.users.seen, when(user.row.lastSeenAt)]])}
        <p class="row">${!view.state.user.full && actButton('admin', t.users.inFull, () => inFull(view))}
          ${actButton('admin', t.users.export, () => attempt(async () => saveJSON(view.uid, await get(['users', view.uid, 'export']))))}
          ${actButton('admin', t.users.erase, () => erase(view, user), { kind: 'danger' })}</p></section></div>
    <section class="stack"><h2>${t.users.notifications}</h2>${shown(view.state.notifications, data => table(notifications, data.items, { name: 'userNotifications', label: t.users.notifications, key: row => row.id }), () => html`<p class="soft">${t.users.noNotifications}</p>`)}</section>
    <section class="stack"><h2>${t.users.happened}</h2>${shown(view.state.audit, data => html`<ol class="stack tight">${data.items.map(row => html`<li key=${row.id}>${sentence(row)} <span class="soft small">${when(row.at)}</span></li>`)}</ol>${more(view, 'audit')}`, () => html`<p class="soft">${t.users.nothing}</p>`)}</section></div>`);
}

function endAll(view) {
  soon(t.users.endingAll, async () => { await remove(['users', view.uid, 'sessions']); });
}

function erase(view, user) {
  askTyped({
    title: t.users.eraseTitle, id: view.uid, verb: t.users.erase,
    loses: [t.users.losesAccount, user.devices.length && fill(t.users.losesDevices, count(user.devices.length)), user.schedules && fill(t.device.loses.schedules, count(user.schedules)), t.users.losesNames].filter(Boolean),
    act: async () => { if (await attempt(() => remove(['users', view.uid], { confirm: view.uid }), t.users.erased)) go('#/users'); },
  });
}

const sessions = view => [
  { id: 'terminal', label: t.users.terminal, isHead: true, cell: row => html`${row.name || row.platform || row.terminalId}<br><span class="soft small">${[row.platform, row.os].filter(Boolean).join(' · ')} </span>${(row.name || row.platform) && html`<br><code class="small" title="${row.terminalId}">${row.terminalId.slice(0, 12)}…</code>`}` },
  { id: 'state', label: t.commands.state, tint: row => row.endedAt, cell: row => (row.endedAt === undefined ? badge(html`${icon('check')}${t.users.isLive}`, 'good') : ended(row)) },
  { id: 'cut', label: t.users.cutOff, tint: row => row.cutOffAt, cell: cutOff },
  { id: 'login', label: t.users.login, cell: row => when(row.loginTime) },
  { id: 'seen', label: t.users.seen, cell: row => when(row.lastSeenAt) },
  { id: 'expires', label: t.commands.expires, isExtra: true, cell: row => (row.endedAt === undefined ? when(row.expiresAt) : '') },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => (row.endedAt === undefined ? actButton('operator', t.users.end, () => end(view, row)) : '') },
];

// Ends a session without asking the operator. A session on a lost phone must end quickly. The stream reports when the
// gate has confirmed the end.
async function end(view, row) {
  const ended = await attempt(() => remove(['sessions', row.sessionId]), t.users.ended);
  if (ended?.sessionId) view.edit('sessions', rows => rows.map(one => (one.sessionId === ended.sessionId ? ended : one)));
}

// Shows why a session ended and who ended it. If the session's own user or the service ended the session, only the
// reason is shown. If an operator ended the session, the operator is shown instead of the reason.
function ended(row) {
  const by = row.endedBy?.kind === 'user' && row.endedBy.id === row.uid ? undefined : row.endedBy;
  const isSaid = row.endReason === 'operator' && by;
  return html`${badge(t.users.hasEnded)} <span class="small">${!isSaid && (t.endReasons[row.endReason] ?? row.endReason)} ${by && by.kind !== 'system' && actor(by)} ${when(row.endedAt)}</span>`;
}

function cutOff(row) {
  if (row.cutOffAt === undefined) return '';
  return html`<span class="good nowrap">${icon('check')} ${fill(t.users.cutAfter, span(Math.max(0, row.cutOffAt - row.endedAt)))}</span>`;
}

const devices = [
  { id: 'did', label: t.devices.device, isHead: true, cell: row => html`${device(row.did, row.name || row.alias)}` },
  { id: 'role', label: t.who.role, cell: row => t.who.roles[row.role] ?? row.role },
  { id: 'since', label: t.who.since, cell: row => when(row.boundAt) },
];

const tints = { pushed: 'good', failed: 'bad', notConfigured: 'bad', limited: 'warn', noAddress: 'warn' };

const notifications = [
  { id: 'event', label: t.users.event, isHead: true, cell: row => html`<code>${row.type}</code>${row.count > 1 && ` × ${count(row.count)}`}` },
  { id: 'device', label: t.devices.device, cell: row => row.did && device(row.did) },
  { id: 'outcome', label: t.users.outcome, cell: row => html`<span title="${row.why}">${badge(t.users.reasons[row.reason] ?? row.outcome, tints[row.outcome])}</span>${row.terminals.map(one => one.error && html`<br><span class="small">${one.error}</span>`)}` },
  { id: 'at', label: t.dead.at, cell: row => when(row.ts) },
];
