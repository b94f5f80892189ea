// A schedule in words, and the columns of lists of schedules.

import { html } from '../base/html.js';
import { t, fill, locale } from '../base/words.js';
import { to } from '../base/route.js';
import { when, badge, state, device, user } from '../base/pieces.js';
import { values } from './sentences.js';

// 2024-01-01 was a Monday.
const day = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });

/** Returns when a schedule runs: 07:30 on Mon, Tue (Europe/Berlin). */
export function rule({ time, date, weekDays, monthDays, timezone }) {
  const days = date ?? (weekDays?.length === 7 || (!weekDays?.length && !monthDays?.length) ? t.schedules.everyDay
    : weekDays?.length ? weekDays.map(number => day.format(Date.UTC(2024, 0, number))).join(', ') : fill(t.schedules.monthDays, monthDays.join(', ')));
  return html`<span class="nowrap strong">${time}</span> ${days} <span class="soft small">${timezone}</span>`;
}

export const columns = [
  { id: 'rule', label: t.schedules.rule, isHead: true, cell: row => html`<a href="${to(['schedules'], { open: row.scheduleId })}">${rule(row)}</a>${row.remark && html`<br><span class="soft small any">${row.remark}</span>`}` },
  { id: 'device', label: t.devices.device, cell: row => device(row.did, row.deviceName) },
  { id: 'does', label: t.schedules.does, cell: row => values(row.attrs) },
  { id: 'next', label: t.schedules.next, cell: row => (row.enabled ? when(row.nextAt) : badge(t.schedules.paused)) },
  { id: 'last', label: t.schedules.last, cell: row => (row.lastRun ? html`${state(row.lastRun.state)} ${when(row.lastRun.dueAt)}` : t.schedules.never) },
  { id: 'user', label: t.users.user, cell: row => user(row.creator) },
];
