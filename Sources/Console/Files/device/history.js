// History: charts of a device's reports, over hours to years. A chart's steps follow the calendar in the chosen time
// zone.

import { html } from '../base/html.js';
import { t, fill, count, dates, now, timeZone, value } from '../base/words.js';
import { get, address } from '../base/api.js';
import { to } from '../base/route.js';
import { blank, icon, trouble, chips } from '../base/pieces.js';
import { isZone } from '../base/calendar.js';
import '../base/chart.js';

const DAY = 86_400_000;
const RANGES = { fit: DAY, hour: DAY / 24, day: DAY, week: 7 * DAY, month: 30 * DAY, quarter: 91 * DAY, year: 365 * DAY };
const ZONES = typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : [];
const MOST = 6;
// The length, in milliseconds, of the shortest range that `fit` returns.
const LEAST = 60_000;

const zone = view => view.query.get('zone') || timeZone;

function range(view) {
  const [from, until] = ['from', 'to'].map(name => Number(view.query.get(name)));
  if (from > 0 && until > from) return { from, to: until };
  const to = now();
  return { from: fits(view) && view.state.since ? view.state.since : to - (RANGES[view.query.get('range')] ?? DAY), to };
}

const fits = view => !view.query.get('from') && (view.query.get('range') ?? 'fit') === 'fit';

function names(view) {
  const points = (view.state.device?.data?.points ?? []).filter(point => point.access !== 'wo');
  const chosen = view.query.get('names');
  if (chosen !== null) return chosen.split(',').filter(Boolean).slice(0, MOST);
  return points.filter(point => point.value !== undefined && ['int', 'float', 'bool', 'enum'].includes(point.kind)).slice(0, 3).map(point => point.name);
}

export async function start(view, again = false) {
  if (!again) view.state.since = null;
  const asked = names(view);
  view.state.asked = asked;
  view.set({ drawing: true, problem: null });
  const read = ({ from, to }) => Promise.all(asked.map(name => get(['devices', view.did, 'history'], { name, from, to, zone: zone(view) }, view.signal)));
  try {
    let shownRange = range(view);
    let charts = await read(shownRange);
    if (fits(view) && !view.state.since && asked.length) [charts, shownRange] = await fit(charts, shownRange, read);
    if (view.state.asked === asked) view.set({ charts, shownRange, since: shownRange.from, drawing: false });
  } catch (problem) {
    if (!view.signal.aborted && view.state.asked === asked) view.set({ problem, drawing: false });
  }
}

// Narrows the shown range, so that it begins shortly before the first report. If the range contains no reports, the
// last year is used as the range, and is narrowed in the same way.
async function fit(charts, { from, to }, read) {
  const first = () => Math.min(...charts.flatMap(({ rows }) => rows.map(row => row.at)));
  if (first() === Infinity) {
    from = to - RANGES.year;
    charts = await read({ from, to });
  }
  // In a long range, each row of an answer summarizes a long period, whose first report can be long after the period's
  // beginning. The first round makes the range shorter, so each row then summarizes a shorter period. A second round
  // can then narrow the range further.
  for (let round = 0; round < 2 && first() < Infinity; round += 1) {
    const began = Math.max(from, first());
    const fitting = Math.min(to - LEAST, began - Math.round((to - began) / 20));
    if (fitting - from < (to - from) / 10) break;
    from = fitting;
    charts = await read({ from, to });
  }
  return [charts, { from, to }];
}

// A range that ends now is read again when reports arrive. This happens at most once every five seconds.
export function changed(view, what) {
  if (!what.version || view.query.get('from') || view.state.waits) return;
  view.state.waits = true;
  setTimeout(() => { view.state.waits = false; if (!view.signal.aborted) start(view, true); }, 5000);
}

function set(view, changes) {
  view.refine(changes);
  start(view);
}

function choose(view, zone) {
  view.set({ noZone: isZone(zone) ? undefined : zone });
  if (isZone(zone)) set(view, { zone });
}

export function draw(view, device) {
  const points = device.points.filter(point => point.access !== 'wo');
  const chosen = names(view);
  const { from, to: until } = view.state.shownRange ?? range(view);
  const turn = (name, on) => set(view, { names: (on ? [...chosen, name] : chosen.filter(one => one !== name)).join(',') });
  const custom = view.query.get('from') ? 'custom' : view.query.get('range') || 'fit';
  return html`<div class="stack">
    <div class="row apart">${chips(t.history.range, Object.keys(RANGES).map(id => ({ id, text: t.history.ranges[id], href: to(['devices', view.did, 'history'], { range: id, names: view.query.get('names'), zone: view.query.get('zone') }) })), custom)}
      <label class="row"><span>${t.history.zone}</span><input list="zones" class="zone" value="${zone(view)}" spellcheck="false" onchange=${event => choose(view, event.target.value)}></label>
      <datalist id="zones">${ZONES.map(name => html`<option value="${name}"></option>`)}</datalist></div>
    ${view.state.noZone !== undefined && html`<p class="note bad" role="alert">${fill(t.history.noZone, view.state.noZone)}</p>`}
    <fieldset class="row card"><legend class="small soft">${fill(t.history.points, MOST)}</legend>${points.map(point => html`<label class="tick" key=${point.name}><input type="checkbox" checked=${chosen.includes(point.name)}
      disabled=${!chosen.includes(point.name) && chosen.length >= MOST} onchange=${event => turn(point.name, event.target.checked)}><span>${point.title || point.name}</span></label>`)}</fieldset>
    ${view.state.problem && trouble(view.state.problem, () => start(view))}
    ${chart(view, device, { from, until, chosen })}
  </div>`;
}

function chart(view, device, { from, until, chosen }) {
  const charts = (view.state.charts ?? []).filter(({ name }) => chosen.includes(name));
  if (!charts.length) return view.state.drawing ? html`<p class="loading" role="status">${t.loading}</p>` : blank('live', t.history.none, t.history.noneWhy);
  if (charts.every(({ rows }) => rows.length === 0)) return blank('live', t.history.empty, t.history.emptyWhy);
  const label = name => device.points.find(point => point.name === name)?.title || name;
  return html`<figure>
      <ll-chart .data=${data(view, charts, { from, until, label })} onzoom=${event => set(view, { ...event.detail, range: null })}></ll-chart>
      <figcaption class="soft small">${fill(t.history.caption, charts[0].step, charts[0].zone)} ${charts.some(({ isCut }) => isCut) && html`<span class="warn">${t.history.cut}</span>`}</figcaption></figure>
    <p class="row"><a class="button" download href="${address(['devices', view.did, 'history', 'export'], { from, to: until, name: chosen.length === 1 ? chosen[0] : undefined }).href}">${icon('download')}CSV</a>
      ${view.query.get('from') && html`<button type="button" onclick=${() => set(view, { from: null, to: null, range: null })}>${t.history.now}</button>`}</p>
    <details ontoggle=${event => view.set({ table: event.target.open })}><summary>${t.history.table}</summary>${view.state.table && charts.map(one => html`<h2>${label(one.name)}</h2>${rowsTable(one)}`)}</details>`;
}

// The chart's data stays the same object while nothing changes.
function data(view, charts, { from, until, label }) {
  const key = [charts, from, until, charts.length];
  if (view.state.made?.key.every((part, i) => part === key[i] || (i === 0 && part.length === key[0].length && part.every((one, j) => one === key[0][j])))) return view.state.made.data;
  const made = { from, to: until, zone: zone(view), series: charts.map(one => series(one, label(one.name))) };
  view.state.made = { key, data: made };
  return made;
}

/** Returns a chart of the interface as a series; an unusually long time between two rows becomes a gap. */
export function series({ name, kind, unit, rows }, label) {
  const isNumber = kind === 'int' || kind === 'float' || rows.some(row => row.mean !== undefined);
  const between = rows.slice(1).map((row, i) => row.at - rows[i].at).sort((a, b) => a - b);
  const usual = between[Math.floor(between.length / 2)] ?? 0;
  const points = [];
  rows.forEach((row, i) => {
    const before = rows[i - 1];
    if (before && row.at - before.until > 0 && row.at - before.at > 3 * usual) points.push({ at: before.until, value: null });
    const isSame = !isNumber && points[points.length - 1]?.value === row.last;
    if (!isSame) points.push(isNumber ? { at: row.at, value: row.mean, min: row.min, max: row.max } : { at: row.at, value: row.last });
  });
  if (!isNumber && rows.length) points.push({ at: rows[rows.length - 1].until, value: null });
  return { name, label, unit, kind: isNumber ? 'number' : 'words', points };
}

const MOST_ROWS = 500;

function rowsTable({ rows, unit, zone }) {
  const format = dates({ dateStyle: 'medium', timeStyle: 'short' }, zone);
  const isNumber = rows.some(row => row.mean !== undefined);
  return html`<div class="scroll"><table><thead><tr><th scope="col">${t.history.at}</th>${(isNumber ? ['min', 'mean', 'max'] : ['last']).map(name => html`<th scope="col" class="number">${t.history.columns[name]}</th>`)}<th scope="col" class="number">${t.history.reports}</th></tr></thead>
    <tbody>${rows.slice(-MOST_ROWS).reverse().map(row => html`<tr key=${row.at}><th scope="row" class="nowrap">${format.format(row.at)}</th>${(isNumber ? [row.min, row.mean, row.max] : [row.last]).map(one => html`<td class="number">${value(one, unit)}</td>`)}
      <td class="number">${count(row.count)}</td></tr>`)}</tbody></table></div>`;
}
