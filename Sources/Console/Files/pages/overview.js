// Overview: the installation's state in a sentence, the work for operators, and the latest changes. Until all steps of
// the first run are done, the page also shows a guide.

import { html } from '../base/html.js';
import { t, fill, count, about, span, time, timeZone } from '../base/words.js';
import { to } from '../base/route.js';
import { status } from '../base/feed.js';
import { icon, shown, when, copyable, tick, state as stateBadge } from '../base/pieces.js';
import { connectDevice } from '../shared/later.js';
import { act as auditSentence } from '../shared/sentences.js';
import { learn, say } from '../shared/findings.js';
import '../base/chart.js';

export const title = () => t.nav.overview;

export async function start(view) {
  await learn();
  const now = data => view.set({ overview: { data, at: Date.now() } });
  view.feed(['overview'], (kind, data) => { if (kind === 'overview') now(data); });
  let state;
  view.every(1000, () => {
    if (state === status.state) return;
    state = status.state;
    view.redraw();
  });
  await view.load('overview', ['overview']);
}

export function draw(view) {
  return html`<div class="head"><h1 tabindex="-1">${t.nav.overview}</h1></div>
    ${shown(view.state.overview, data => html`<div class="stack live">
      ${health(data)}
      ${guide(data)}
      <div class="glance"><section class="card"><h2>${t.overview.day}</h2><ll-chart .data=${line(data)}></ll-chart></section>${ring(data.devices)}</div>
      <div class="grid figures">
        ${figure(about(data.reportsPerSecond), t.overview.reports, to(['live']))}
        ${figure(data.oldestUnansweredSeconds >= 0.001 ? span(data.oldestUnansweredSeconds * 1000) : '–', t.overview.oldest, to(['system', 'workers']))}
        ${figure(count(data.outbox), t.overview.outbox, to(['system', 'workers']))}
        ${figure(count(data.refusalsToday), t.overview.refusals, to(['refusals']), data.refusalsToday > 0 && 'warn')}
        ${figure(count(data.deadLettersToday), t.overview.deadLetters, to(['deadletters']), data.deadLettersToday > 0 && 'bad')}
        ${figure(count(data.users), t.overview.users, to(['users']))}
        ${figure(count(data.devices.alerting), t.overview.alerting, to(['devices'], { query: 'alert:any' }), data.devices.alerting > 0 && 'warn')}
      </div>
      <div class="halves">
        <section class="stack tight"><h2>${t.overview.commands}</h2>${commands(data.commands)}</section>
        <section class="stack tight"><h2>${t.overview.changes}</h2>
          ${data.changes.length === 0 ? html`<p class="soft">${t.overview.noChanges}</p>`
            : html`<ul class="stack tight">${data.changes.map(row => html`<li key=${row.id}>${auditSentence(row)} <span class="soft small">${when(row.at)}</span></li>`)}</ul>`}</section>
      </div>
      <p class="soft small">Lamplighter ${data.version} · ${t.overview.since} ${when(data.startedAt)}</p></div>`)}`;
}

function health(data) {
  // Without the stream, the last received state can be out of date.
  if (status.state === 'lost') return html`<section class="note bad" role="alert" aria-label="${t.overview.health}"><p class="strong">${icon('warn')} ${fill(t.overview.gone, time(status.at))}</p></section>`;
  const tone = { ok: 'good', attention: 'warn', failing: 'bad' }[data.state];
  return html`<section class="note ${tone} stack tight" aria-label="${t.overview.health}">
    <p class="strong">${icon(tone === 'good' ? 'check' : 'warn')} ${fill(t.overview.states[data.state], data.needs)}</p>
    ${data.notReady.map(({ part, reason }) => html`<p>${part}: ${reason}</p>`)}
    ${data.findings.length > 0 && html`<ul class="stack tight">${data.findings.map(finding => html`<li key=${finding.code + finding.subject} class="any">
      ${stateBadge(finding.state)} <span class="strong">${say(finding.says.title)}</span> ${say(finding.says.evidence)} ${finding.cure && html`<span class="soft">${say(finding.says.cure)}</span>`} ${finding.command && html`<code>${finding.command}</code>`} <span class="soft small">${finding.code}</span></li>`)}</ul>`}
  </section>`;
}

// The chart of the last day, in steps of ten minutes. The last step is unfinished, so its count would look like a drop.
// Therefore, the chart leaves out the last step, unless all earlier steps are empty.
let drawn;
function line({ load, at }) {
  const key = JSON.stringify(load);
  if (drawn?.key === key) return drawn.data;
  const { from, stepSeconds } = load;
  const points = counts => counts.map((value, i) => ({ at: from + i * stepSeconds * 1000, value }));
  const hasBegun = [...load.reports.slice(0, -1), ...load.refusals.slice(0, -1)].some(Boolean);
  const series = ['reports', 'refusals'].map(name => ({
    name, label: t.overview.lines[name], title: t.overview.lines[name], kind: 'number', floor: 0, points: points(hasBegun ? load[name].slice(0, -1) : load[name]),
  }));
  drawn = { key, data: { from, to: at, zone: timeZone, height: 84, series } };
  return drawn.data;
}

function ring({ online, all }) {
  const part = all > 0 ? Math.max(online > 0 ? 1 : 0, Math.floor(online / all * 100)) : 0;
  return html`<a class="card ring" href="${to(['devices'], { query: 'online:yes' })}"><h2>${t.nav.devices}</h2>
    <svg viewBox="0 0 120 120" aria-hidden="true"><circle cx="60" cy="60" r="50"/><circle class="part" cx="60" cy="60" r="50" pathLength="100" stroke-dasharray="${part} 100" transform="rotate(-90 60 60)"/><text x="60" y="68">${all > 0 ? `${part} %` : '–'}</text></svg>
    <p><span class="dot good"></span> <b>${count(online)}</b> ${t.online} · <span class="dot off"></span> <b>${count(all - online)}</b> ${t.offline}</p></a>`;
}

const figure = (number, text, href, tone) => html`<a class="card figure" href="${href}"><b class="${tone || ''}">${number}</b><span>${text}</span></a>`;

function commands(states) {
  const all = Object.entries(states).filter(([, number]) => number > 0);
  if (!all.length) return html`<p class="soft">${t.overview.noCommands}</p>`;
  return html`<dl class="facts">${all.map(([name, number]) => html`<dt>${stateBadge(name)}</dt><dd>${count(number)}</dd>`)}</dl>`;
}

// The guide of the first run, with a tick at each finished step. The guide disappears when all steps are done.
function guide({ firstRun, demo }) {
  const steps = ['product', 'registered', 'reported', 'bound', 'switched'];
  const next = steps.find(step => !firstRun[step]);
  if (!next) return null;
  return html`<section class="card"><h2>${t.guide.title}</h2>
    <ol class="steps">${steps.map(step => html`<li key=${step}>${tick(firstRun[step])}
      <div class="stack tight"><p class="${step === next ? 'strong' : firstRun[step] ? 'soft' : ''}">${t.guide[step].title}</p>
      ${step === next && html`<p>${t.guide[step].text}</p>${step === 'product' && html`<p><a class="button" href="${to(['products'])}">${t.nav.products}</a></p>`}
        ${(step === 'registered' || step === 'reported') && html`<p class="row"><button type="button" class="main" onclick=${() => connectDevice(demo?.productKey)}>${icon('plus')}${t.connect.title}</button></p>`}
        ${step === 'bound' && copyable(demo ? 'lamplighter simulate --app' : 'device/bind {"did": "…", "passcode": "…"}')}
        ${step === 'switched' && html`<p><a class="button" href="${to(['devices'])}">${t.nav.devices}</a></p>`}`}</div></li>`)}</ol></section>`;
}
