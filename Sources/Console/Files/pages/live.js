// Live: the broker's messages, masked, at most 50/s. The page also shows the message rate of each topic branch. The tap
// runs only while a page shows it.

import { html } from '../base/html.js';
import { t, fill, about, count } from '../base/words.js';
import { icon, device } from '../base/pieces.js';
import { pause, paused } from '../base/view.js';
import { watch, lines } from '../shared/tap.js';

export const title = () => t.nav.live;

export function start(view) {
  watch(view, 'tap');
  view.set({ pins: [] });
}

const asked = (view, name) => view.query.get(name) ?? '';

function set(view, name, value) {
  view.refine({ [name]: value });
  view.redraw();
}

export function draw(view) {
  const { tap, pins } = view.state;
  const [text, outcome, branch] = ['text', 'outcome', 'branch'].map(name => asked(view, name));
  const chosen = line => (!outcome || line.outcome === outcome) && (!branch || line.branch === branch) && (!text || [line.topic, line.deviceName, line.reason, JSON.stringify(line.payload)].some(one => one?.includes(text)));
  const pin = line => view.set({ pins: [line, ...pins.filter(one => one.key !== line.key)].slice(0, 5) });
  const flows = paused() === null;
  return html`<div class="stack"><div class="head"><h1 tabindex="-1">${t.nav.live}</h1>
      <input type="search" value="${text}" placeholder="${t.live.filter}" aria-label="${t.live.filter}" oninput=${event => set(view, 'text', event.target.value)}>
      <select aria-label="${t.live.outcome}" value="${outcome}" onchange=${event => set(view, 'outcome', event.target.value)}><option value="">${t.all}</option>${['accepted', 'refused', 'dead'].map(name => html`<option value="${name}">${t.states[name]}</option>`)}</select>
      <button type="button" aria-pressed="${!flows}" onclick=${pause}>${icon(flows ? 'pause' : 'play')}${flows ? t.live.pause : t.live.goOn}</button>
      <p>${t.live.masked}</p></div>
    ${tap.rates?.length > 0 && html`<div class="halves">${box(t.live.branches, tap.rates.map(({ branch: name, perSecond }) => [name, html`<button type="button" class="link" aria-pressed="${branch === name}" onclick=${() => set(view, 'branch', branch === name ? '' : name)}>${name}</button>`, `${about(perSecond)}/s`]))}
      ${tap.talkers.length > 0 && box(t.live.talkers, tap.talkers.map(({ id, messages }) => [id, talker(id, tap.names), count(messages)]))}</div>`}
    ${branch && html`<p class="note row"><span>${fill(t.live.only, branch)}</span><button type="button" class="plain" onclick=${() => set(view, 'branch', '')}>${t.showAll}</button></p>`}
    ${pins.length > 0 && html`<section class="card"><div class="row apart"><h2>${t.live.pinned}</h2><button type="button" class="plain" onclick=${() => view.set({ pins: [] })}>${t.live.unpin}</button></div>${pins.map(line => html`<div key=${line.key}><p class="any"><code>${line.topic}</code></p><pre tabindex="0">${JSON.stringify(line.payload, null, 2)}</pre></div>`)}</section>`}
    ${lines(view, chosen, pin)}</div>`;
}

const box = (name, rows) => html`<section class="card"><h2>${name}</h2><ul class="stack tight">${rows.map(([key, what, number]) => html`<li class="row apart" key=${key}>${what}<span>${number}</span></li>`)}</ul></section>`;

const talker = (id, names = {}) => (id.startsWith('device:') ? device(id.slice(7), names[id.slice(7)]) : html`<span class="any">${id}</span>`);
