// System: the doctor's findings, the workers, the store, limits, settings, certificates, backups and the log.

import { html } from '../base/html.js';
import { t, fill, count, about, bytes, span, value } from '../base/words.js';
import { get, post, put } from '../base/api.js';
import { to } from '../base/route.js';
import { shown, when, state, badge, blank, facts, attempt, usage, icon, tell } from '../base/pieces.js';
import { table } from '../base/table.js';
import { may, needs, actButton } from '../base/session.js';
import { saveJSON } from '../shared/label.js';
import { learn, say } from '../shared/findings.js';

const TABS = {
  doctor: { parts: ['system', 'doctor'], draw: doctor }, workers: { parts: ['system', 'workers'], draw: (...all) => workers(...all) }, store: { parts: ['system', 'store'], draw: (...all) => store(...all) }, limits: { parts: ['system', 'limits'], draw: (...all) => limits(...all) },
  config: { parts: ['system', 'config'], draw: config }, certificates: { parts: ['system', 'certificates'], draw: (...all) => certificates(...all) }, log: { parts: ['system', 'logLevel'], draw: log },
};

const tabName = view => (view.parts[1] in TABS ? view.parts[1] : 'doctor');
export const title = view => t.system.tabs[tabName(view)];

export async function start(view) {
  await learn();
  const tab = tabName(view);
  if (tab === 'workers' || tab === 'store') {
    view.feed(['system'], (kind, data) => { if (kind === 'system') view.set({ shown: { data: data[tab] } }); });
  }
  if (tab === 'store') view.load('backups', ['system', 'backups']);
  if (tab === 'doctor') return void examine(view);
  if (tab === 'log' && may('operator')) {
    const read = () => view.load('lines', ['system', 'log']);
    view.every(5000, read);
    read();
  }
  await view.load('shown', TABS[tab].parts);
}

// The doctor examines one group after another. The page shows findings immediately, and names the current group.
async function examine(view) {
  const groups = Object.keys(t.system.groups);
  const checks = [];
  for (const group of groups) {
    view.set({ group, part: groups.indexOf(group) / groups.length, shown: { data: { checks } } });
    try {
      checks.push(...(await get(['system', 'doctor'], { group }, view.signal)).checks);
    } catch (problem) {
      if (!view.signal.aborted) view.set({ group: null, shown: { data: { checks }, problem, again: () => examine(view) } });
      return;
    }
  }
  view.set({ group: null, shown: { data: { checks } } });
}

export function draw(view) {
  const tab = tabName(view);
  return html`<div class="head"><h1 tabindex="-1">${t.nav.system}</h1>${actButton('admin', html`${icon('download')}${t.system.bundle}`, bundle)}</div>
    <nav class="tabs" aria-label="${t.device.views}">${Object.keys(TABS).map(name => html`<a href="${to(['system', name])}" aria-current=${name === tab ? 'page' : null}>${t.system.tabs[name]}</a>`)}</nav>
    ${shown(view.state.shown, data => html`<div class="live">${TABS[tab].draw(data, view)}</div>`)}`;
}

async function bundle() {
  const made = await attempt(() => get(['system', 'supportBundle']));
  if (!made) return;
  saveJSON('lamplighter-support', made);
  tell(fill(t.system.bundled, made.contents.join(', ')));
}

const WORST = ['fail', 'warn', 'skip', 'pass'];

function doctor({ checks }, view) {
  const sorted = [...checks].sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state));
  const { group, part } = view.state;
  return html`<div class="stack">${group && html`<p class="loading row" role="status"><progress max="1" value="${part}" aria-label="${t.system.tabs.doctor}"></progress>${fill(t.system.looking, t.system.groups[group])}</p>`}
    <p class="row">${WORST.map(name => html`<span>${state(name)} ${count(checks.filter(check => check.state === name).length)}</span>`)} <button type="button" disabled=${Boolean(group)} onclick=${() => examine(view)}>${t.system.again}</button></p>
    ${table([
      { id: 'state', label: t.commands.state, cell: row => state(row.state) },
      { id: 'title', label: t.system.check, isHead: true, cell: row => html`<strong>${say(row.says.title)}</strong>${row.subject && html`<br><span class="soft small">${say(row.subject)}</span>`}` },
      { id: 'evidence', label: t.system.evidence, cell: row => html`${say(row.says.evidence)}${row.state !== 'pass' && row.cure && html`<br>${icon('check')} ${say(row.says.cure)}`}${row.state !== 'pass' && row.command && html` <code>${row.command}</code>`}` },
      { id: 'code', label: t.system.code, cell: row => html`<code class="nowrap">${row.code}</code>` },
      { id: 'ms', label: t.system.took, isNumber: true, cell: row => html`<span class="nowrap">${span(row.ms)}</span>` },
    ], sorted, { name: 'doctor', label: t.system.tabs.doctor, key: row => `${row.code} ${row.subject}` })}</div>`;
}

const workers = ({ parts, workers: all, gateLagSeconds }) => html`<div class="stack">
  <div class="grid">${parts.map(part => html`<section class="card" key=${part.name}><h2>${part.name}</h2><p>${part.isReady ? badge(html`${icon('check')}${t.system.ready}`, 'good') : badge(html`${icon('warn')}${part.reason ?? t.system.notReady}`, 'bad')}</p></section>`)}</div>
  ${facts([[t.system.gateLag, gateLagSeconds > 0 ? span(gateLagSeconds * 1000) : t.system.noLag]])}
  ${table([
    { id: 'name', label: t.dead.worker, isHead: true, cell: row => row.name }, { id: 'ready', label: t.commands.state, cell: row => (row.isReady ? badge(t.system.ready, 'good') : badge(t.system.notReady, 'bad')) },
    { id: 'batch', label: t.system.batch, isNumber: true, cell: row => (row.batchSize === undefined ? '–' : about(row.batchSize)) }, { id: 'commit', label: t.system.commit, isNumber: true, cell: row => (row.commitMs === undefined ? '–' : `${about(row.commitMs)} ms`) },
    { id: 'unconfirmed', label: t.system.unconfirmed, isNumber: true, cell: row => (row.unconfirmed === undefined ? '–' : count(row.unconfirmed)) }, { id: 'received', label: t.system.received, isNumber: true, cell: row => (row.received === undefined ? '–' : count(row.received)) },
  ], all, { name: 'workers', label: t.system.tabs.workers, key: row => row.name })}</div>`;

const store = (facts_, view) => html`<div class="halves"><section class="stack"><h2>${t.system.database}</h2>
    ${facts([[t.system.engine, facts_.engine], [t.dead.size, bytes(facts_.bytes)], [t.system.walSize, facts_.logBytes !== undefined && bytes(facts_.logBytes)], [t.system.free, facts_.isDiskLow && badge(t.system.diskLow, 'bad')]])}
    <p>${actButton('operator', t.system.checkpoint, () => attempt(async () => { await post(['system', 'checkpoint']); start(view); }, t.system.checkpointed))}</p>
    <h2>${t.system.backups}</h2>${shown(view.state.backups, data => html`${data.error && html`<p class="note bad">${data.error}</p>`}
      ${facts([[t.system.lastBackup, data.lastAt === undefined ? html`<span class="warn">${t.system.noBackup}</span>` : when(data.lastAt)], [t.system.file, data.lastPath], [t.dead.size, data.lastBytes !== undefined && bytes(data.lastBytes)], [t.system.every, data.everySeconds ? span(data.everySeconds * 1000) : t.system.notByItself], [t.system.directory, data.directory ?? t.system.noDirectory]])}`)}
    <p>${actButton('operator', t.system.backup, () => attempt(async () => view.set({ backups: { data: await post(['system', 'backups']) } }), t.system.backedUp))}</p></section>
  <section class="stack"><h2>${t.system.rows}</h2>${table([{ id: 'name', label: t.system.table, isHead: true, cell: ([name]) => name }, { id: 'rows', label: t.system.rows, isNumber: true, cell: ([, number]) => count(number) }],
    Object.entries(facts_.rows).sort((a, b) => b[1] - a[1]), { name: 'rows', label: t.system.rows, key: ([name]) => name })}</section></div>`;

const limits = ({ items }) => table([
  { id: 'key', label: t.system.limit, isHead: true, cell: row => html`<code>${row.key}</code><br><span class="soft small">${row.about}</span>` },
  { id: 'value', label: t.system.value, isNumber: true, cell: row => `${count(row.value)} ${row.unit}` },
  { id: 'used', label: t.system.used, cell: row => (row.used === undefined ? '' : usage(row.used, row.value)) },
  { id: 'rejected', label: t.system.rejected, isNumber: true, cell: row => (row.rejected ? html`<span class="warn">${count(row.rejected)}</span>` : row.rejected === 0 ? '0' : '') },
], items, { name: 'limits', label: t.system.tabs.limits, key: row => row.key });

function config({ file, items }, view) {
  const text = (view.query.get('text') ?? '').toLowerCase();
  const changed = view.query.get('changed') === '1';
  const set = (name, one) => { view.refine({ [name]: one }); view.redraw(); };
  const found = items.filter(row => (!text || row.key.toLowerCase().includes(text) || row.doc.toLowerCase().includes(text)) && (!changed || row.origin !== 'default'));
  return html`<div class="stack"><p class="row"><input type="search" value="${view.query.get('text') ?? ''}" aria-label="${t.system.findSetting}" placeholder="${t.system.findSetting}" oninput=${event => set('text', event.target.value)}>
      <label class="tick"><input type="checkbox" checked=${changed} onchange=${event => set('changed', event.target.checked ? '1' : '')}><span>${t.system.onlyChanged}</span></label></p>
    <p class="soft">${file ? html`${t.system.file}: <code>${file}</code>` : t.system.noFile}</p>
    ${table([
      { id: 'key', label: t.system.setting, isHead: true, cell: row => html`<code>${row.key}</code><br><span class="soft small">${row.doc}</span>` },
      { id: 'value', label: t.system.value, cell: row => html`<span class="${row.origin === 'default' ? '' : 'strong'}">${row.secret ? t.system.masked : value(row.value)} ${row.unit}</span>` },
      { id: 'default', label: t.system.default, cell: row => html`<span class="soft">${value(row.default)}</span>` },
      { id: 'origin', label: t.system.origin, cell: row => row.origin },
      { id: 'environment', label: t.system.environment, cell: row => html`<code class="small">${row.environment}</code>` },
    ], found, { name: 'config', label: t.system.tabs.config, key: row => row.key })}</div>`;
}

const certificates = ({ items }) => (items.length === 0 ? blank('system', t.system.noCertificates, html`<code>lamplighter tls init --name lamps.example.com</code>`) : table([
  { id: 'use', label: t.system.use, isHead: true, cell: row => row.use }, { id: 'names', label: t.system.names, cell: row => row.names.join(', ') },
  { id: 'until', label: t.system.until, cell: row => html`${when(row.until)} ${row.until - Date.now() < 14 * 86_400_000 && badge(t.system.endsSoon, 'bad')}` }, { id: 'from', label: t.system.from, cell: row => when(row.from) },
  { id: 'concerns', label: t.system.concerns, cell: row => row.concerns.map(text => html`<p class="warn">${say(text)}</p>`) }, { id: 'path', label: t.system.file, cell: row => html`<code>${row.path}</code>` },
], items, { name: 'certificates', label: t.system.tabs.certificates, key: row => `${row.use} ${row.path}` }));

const LEVELS = ['trace', 'debug', 'info', 'notice', 'warning', 'error'];

function log({ level, configured, until }, view) {
  const set = event => {
    event.preventDefault();
    attempt(async () => view.set({ shown: { data: await put(['system', 'logLevel'], { level: event.target.elements.level.value, minutes: 10 }) } }), t.system.levelSet);
  };
  return html`<div class="stack"><p>${fill(t.system.level, level)} ${until !== undefined && html`<span class="soft">${fill(t.system.levelUntil, configured)} ${when(until)}</span>`}</p>
    <form class="row" onsubmit=${set}><label class="row"><span>${t.system.newLevel}</span><select name="level" value="debug" disabled=${!may('operator')}>${LEVELS.map(name => html`<option value="${name}">${name}</option>`)}</select></label><button disabled=${!may('operator')}>${t.system.setLevel}</button></form>
    <h2>${t.system.lines}</h2>${may('operator') ? shown(view.state.lines, ({ items }) => html`<pre class="log" tabindex="0" aria-label="${t.system.lines}">${items.toReversed().join('\n')}</pre>`, () => html`<p class="soft">${t.system.noLines}</p>`) : html`<p class="soft">${needs('operator')}</p>`}</div>`;
}
