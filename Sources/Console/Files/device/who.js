// Users: the device's users with their roles, the time at which a guest's access ends, and the device's invitations.
// This file also contains the tab of the device's schedules.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { shown, when, blank, user } from '../base/pieces.js';
import { table } from '../base/table.js';
import { columns as scheduleColumns } from '../shared/schedule.js';

export const start = view => view.load('users', ['devices', view.did, 'users']);
export const changed = (view, what) => what.bindings && start(view);

export const draw = view => shown(view.state.users, data => html`<div class="stack">
  ${data.users.length === 0 ? blank('user', t.who.none, t.who.noneWhy) : table(users, data.users, { name: 'deviceUsers', label: t.device.tabs.who, key: row => row.uid })}
  ${data.invitations.length > 0 && html`<h2>${t.who.invitations}</h2>${table(invitations, data.invitations, { name: 'invitations', label: t.who.invitations, key: row => row.sharingId })}`}</div>`);

const users = [
  { id: 'user', label: t.who.user, isHead: true, cell: row => html`${user(row.uid, row.name)}${row.name && html`<br><span class="soft small">${row.uid}</span>`}` },
  { id: 'role', label: t.who.role, cell: row => html`<span title="${t.who.roleWhat[row.role] ?? ''}">${t.who.roles[row.role] ?? row.role}</span>` },
  { id: 'access', label: t.who.access, cell: row => t.who.accesses[row.access] ?? row.access ?? '' },
  { id: 'alias', label: t.who.alias, cell: row => row.alias ?? '' },
  { id: 'since', label: t.who.since, cell: row => when(row.boundAt) },
  { id: 'until', label: t.who.until, cell: row => (row.guestUntil === undefined ? t.who.always : when(row.guestUntil)) },
  { id: 'hears', label: t.who.hears, cell: row => (row.isSubscribed ? t.yes : t.no) },
];
const invitations = [
  { id: 'guest', label: t.who.invited, isHead: true, cell: row => (row.guest ? user(row.guest) : t.who.byCode) },
  { id: 'inviter', label: t.who.inviter, cell: row => user(row.inviter) },
  { id: 'status', label: t.commands.state, cell: row => t.who.statuses[row.status] ?? row.status },
  { id: 'created', label: t.who.since, cell: row => when(row.createdAt) },
  { id: 'expires', label: t.commands.expires, cell: row => when(row.expiresAt) },
];

/** The device's schedules. */
export const schedules = {
  start: view => view.load('schedules', ['devices', view.did, 'schedules']),
  changed: (view, what) => what.schedules && schedules.start(view),
  draw: view => shown(view.state.schedules, data => table(scheduleColumns.filter(column => column.id !== 'device'), data.items, { name: 'deviceSchedules', label: t.device.tabs.schedules, key: row => row.scheduleId }),
    () => blank('schedule', t.schedules.none, t.schedules.noneWhy)),
};
