// Schedules: the runs of the last and the next 24 hours, and clock changes, on one time axis. Each schedule shows its
// rule, last runs, and next times in its time zone.

import { html } from '../base/html.js';
import { t, fill, count, exact, now, timeZone, locale, dates } from '../base/words.js';
import { get, post, change } from '../base/api.js';
import { to, go, here, refine } from '../base/route.js';
import { shown, when, more, state, attempt, dialog, dialogHead, facts, device, user, badge, tell } from '../base/pieces.js';
import { searchField, asked, nothing } from '../base/list.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { values } from '../shared/sentences.js';
import { columns, rule } from '../shared/schedule.js';
import { ticks, tickText } from '../base/calendar.js';

export const title = () => t.nav.schedules;

const load = view => view.list('list', ['schedules'], { query: asked(view) });

export async function start(view) {
  const hours = () => view.load('upcoming', ['schedules', 'upcoming'], { hours: 24 });
  view.feed(['schedules'], kind => { if (kind === 'schedules') { hours(); load(view); } });
  view.every(60_000, hours);
  await Promise.all([hours(), load(view)]);
  const opened = view.query.get('open');
  if (opened) showSchedule(view, opened);
}

export function draw(view) {
  const keys = [{ key: 'device', hint: t.devices.device }, { key: 'user', hint: t.users.user }, { key: 'zone', hint: t.history.zone, values: [{ value: timeZone }] }, { key: 'enabled', hint: t.schedules.enabled, values: [{ value: 'yes', hint: t.yes }, { value: 'no', hint: t.no }] }];
  return html`<div class="head"><h1 tabindex="-1">${t.nav.schedules}</h1>${searchField(view, keys, load, t.schedules.search)}</div>
    <div class="stack"><section class="card stack tight"><h2>${t.schedules.day}</h2>${shown(view.state.upcoming, day)}</section>
    <section class="stack"><h2>${t.schedules.all}</h2>
    ${shown(view.state.list, data => html`${table(columns, data.items, { name: 'schedules', label: t.nav.schedules, key: row => row.scheduleId })}${more(view, 'list')}`,
      () => nothing(view, 'schedule', t.schedules.none, t.schedules.noneWhy))}</section></div>`;
}

const MOST_LANES = 40;
const TONE = { failed: 'bad', missed: 'bad', expired: 'warn' };

// Draws each device's lane: its past runs, the present time, and its coming runs.
function day({ from, to: until, occurrences, runs, clockChanges, isCut }) {
  if (!occurrences.length && !runs.length) return html`<p class="soft">${t.schedules.quiet}</p>`;
  const place = at => ({ '--at': `${((at - from) / (until - from) * 100).toFixed(2)}%` });
  const { step, found } = ticks(from, until, timeZone, innerWidth < 700 ? 4 : 8);
  const lanes = new Map();
  const names = new Map([...runs, ...occurrences].map(({ did, deviceName }) => [did, deviceName]));
  const lane = did => { if (!lanes.has(did)) lanes.set(did, []); return lanes.get(did); };
  for (const run of runs) lane(run.did ?? '').push({ at: run.dueAt, id: run.scheduleId, tone: TONE[run.state] ?? '', sign: run.state === 'done' ? '✓' : run.state === 'sent' ? '…' : '✕', text: `${exact(run.dueAt)}: ${t.states[run.state] ?? run.state}` });
  for (const one of occurrences) lane(one.did).push({ at: one.at, id: one.scheduleId, tone: '', sign: '', text: `${exact(one.at)}: ${t.schedules.due} (${one.timezone})` });
  const shownLanes = [...lanes].slice(0, MOST_LANES);
  const changes = clockChanges.map(({ at, timezone, before, after }) => html`<i class="zone-change" css=${place(at)} title="${clocks(timezone, (after - before) / 3600)}"></i>`);
  return html`<div class="day"><span class="who soft small">${timeZone}</span>
      <div class="axis">${found.map(at => html`<span css=${place(at)}>${tickText(at, step, timeZone, locale)}</span>`)}</div>
      ${shownLanes.map(([did, marks]) => html`<span class="who" key=${`n${did}`}>${did ? device(did, names.get(did)) : t.schedules.gone}</span><div class="lane" key=${did}>${changes}
        <i class="zone-change now" css=${place(now())} title="${t.time.now}"></i>
        ${marks.map(mark => html`<a key=${`${mark.id} ${mark.at}`} class="${mark.tone}" css=${place(mark.at)} href="${to(['schedules'], { open: mark.id })}" title="${mark.text}" aria-label="${mark.text}">${mark.sign}</a>`)}</div>`)}</div>
    ${clockChanges.map(({ at, timezone, before, after }) => html`<p class="warn small">${clocks(timezone, (after - before) / 3600)} ${exact(at)}</p>`)}
    ${(isCut || lanes.size > MOST_LANES) && html`<p class="soft small">${t.schedules.cut}</p>`}`;
}

async function showSchedule(view, id) {
  const found = await attempt(() => get(['schedules', id]));
  if (!found) return;
  const box = dialog(t.schedules.one, box => drawOne(view, box));
  box.set({ found });
  box.element.addEventListener('close', () => { if (here().parts[0] === 'schedules') refine({ open: null }); });
  // A click on a link closes the dialog.
  box.element.addEventListener('click', event => { if (event.target.closest('a')) box.close(); });
}

function drawOne(view, box) {
  if (!box.state.found) return html`<div>${dialogHead(t.schedules.one, box)}</div>`;
  const { schedule, next, runs } = box.state.found;
  const turn = async () => {
    const enabled = !schedule.enabled;
    if (!(await attempt(() => change(['schedules', schedule.scheduleId], { enabled })))) return;
    box.set({ found: await get(['schedules', schedule.scheduleId]) });
    load(view);
    tell(enabled ? t.schedules.resumed : t.schedules.pausedNow, { undo: async () => { await attempt(() => change(['schedules', schedule.scheduleId], { enabled: !enabled }), t.undone); load(view); } });
  };
  return html`<div>${dialogHead(rule(schedule), box)}
    ${facts([[t.devices.device, device(schedule.did, schedule.deviceName)], [t.users.user, user(schedule.creator)], [t.schedules.does, values(schedule.attrs)], [t.schedules.enabled, schedule.enabled ? t.yes : badge(t.schedules.paused, 'warn')], [t.schedules.misfire, t.schedules.misfires[schedule.misfire]], [t.who.remark, schedule.remark]])}
    <section class="stack tight"><h3>${t.schedules.why}</h3>${next.length ? html`<ol>${next.slice(0, 8).map(at => html`<li class="row"><time datetime="${new Date(at).toISOString()}">${inZone(at, schedule.timezone)}</time> <span class="soft small">${when(at)}</span></li>`)}</ol>` : html`<p class="soft">${schedule.enabled ? t.schedules.noMore : t.schedules.isPaused}</p>`}</section>
    <section class="stack tight"><h3>${t.schedules.runs}</h3>${runs.length ? html`<ol>${runs.slice(0, 12).map(run => html`<li class="row" key=${run.dueAt}>${state(run.state)} ${when(run.dueAt)} ${run.firedAt - run.dueAt > 5000 && html`<span class="soft small">${fill(t.schedules.lateBy, count(Math.round((run.firedAt - run.dueAt) / 1000)))}</span>`} ${run.error && html`<span class="bad small">${t.causes[run.error] ?? run.error}</span>`}</li>`)}</ol>` : html`<p class="soft">${t.schedules.never}</p>`}</section>
    <p class="row end">${actButton('operator', schedule.enabled ? t.schedules.pause : t.schedules.resume, turn)}
      ${actButton('operator', t.schedules.runNow, async () => { if (await attempt(() => post(['schedules', schedule.scheduleId, 'run']), t.schedules.ran)) go(to(['devices', schedule.did, 'commands'])); box.close(); }, { kind: 'main' })}</p></div>`;
}

const clocks = (zone, hours) => fill(t.schedules.clocks[hours > 0 ? 'forward' : 'back'], zone, Math.abs(hours));
const inZone = (at, zone) => dates({ dateStyle: 'full', timeStyle: 'short' }, zone).format(at) + ` (${zone})`;
