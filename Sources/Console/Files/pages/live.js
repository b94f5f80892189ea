// Live: messages as they travel, by branch of the topics, masked and at most 50 a second; a tap that exists only while
// this page is open.

import { html } from '../base/html.js';
import { t, about, count } from '../base/words.js';
import { refine } from '../base/route.js';
import { blank, when, icon } from '../base/pieces.js';
import { pause, paused } from '../base/view.js';
import { take, lines } from '../shared/tap.js';
import { to } from '../base/route.js';

export const title = () => t.nav.live;

export function start(view) {
  view.set({ tap: { lines: [], since: Date.now() }, pins: [] });
  view.feed(['tap'], (kind, data) => { if (kind === 'tap') take(view, data); });
  view.every(1000, () => view.redraw());
}

const filter = view => ({ text: view.query.get('text') ?? '', outcome: view.query.get('outcome') ?? '', branch: view.query.get('branch') ?? '' });

function chosen(view) {
  const { text, outcome, branch } = filter(view);
  return line => (!outcome || line.outcome === outcome) && (!branch || line.topic.startsWith(branch)) && (!text || line.topic.includes(text) || (line.reason ?? '').includes(text) || JSON.stringify(line.payload ?? '').includes(text));
}

function set(view, changes) {
  for (const [name, value] of Object.entries(changes)) if (value) view.query.set(name, value); else view.query.delete(name);
  refine(changes);
  view.redraw();
}

export function draw(view) {
  const { tap, pins } = view.state;
  const { text, outcome, branch } = filter(view);
  const seen = tap.lines.filter(chosen(view));
  return html`<div class="stack"><div class="head"><h1 tabindex="-1">${t.nav.live}</h1>
      <input type="search" value="${text}" placeholder="${t.live.filter}" aria-label="${t.live.filter}" oninput=${event => set(view, { text: event.target.value })}>
      <select aria-label="${t.live.outcome}" value="${outcome}" onchange=${event => set(view, { outcome: event.target.value })}><option value="">${t.all}</option>${['accepted', 'refused', 'dead'].map(name => html`<option value="${name}">${t.states[name]}</option>`)}</select>
      <button type="button" aria-pressed="${paused() !== null}" onclick=${pause}>${icon(paused() === null ? 'pause' : 'play')}${paused() === null ? t.live.pause : t.live.goOn}</button>
      <p>${t.live.masked}</p></div>
    ${tap.rates?.length > 0 && html`<div class="halves"><section class="card"><h2>${t.live.branches}</h2><ul class="stack tight">${tap.rates.map(({ branch: name, perSecond }) => html`<li class="row apart" key=${name}><button type="button" class="link" aria-pressed="${branch === name}" onclick=${() => set(view, { branch: branch === name ? '' : name })}>${name}</button><span>${about(perSecond)}/s</span></li>`)}</ul></section>
      ${tap.talkers?.length > 0 && html`<section class="card"><h2>${t.live.talkers}</h2><ul class="stack tight">${tap.talkers.map(({ id, messages }) => html`<li class="row apart" key=${id}>${talker(id)}<span>${count(messages)}</span></li>`)}</ul></section>`}</div>`}
    ${branch && html`<p class="note row"><span>${t.live.only(branch)}</span><button type="button" class="plain" onclick=${() => set(view, { branch: '' })}>${t.showAll}</button></p>`}
    ${pins.length > 0 && html`<section class="card"><div class="row apart"><h2>${t.live.pinned}</h2><button type="button" class="plain" onclick=${() => view.set({ pins: [] })}>${t.live.unpin}</button></div>${pins.map(line => html`<p key=${line.key} class="any"><code>${line.topic}</code></p><pre tabindex="0" key=${`p${line.key}`}>${JSON.stringify(line.payload, null, 2)}</pre>`)}</section>`}
    ${tap.left > 0 && html`<p class="soft small">${t.live.left(count(tap.left))}</p>`}
    ${seen.length ? lines(view, chosen(view), line => view.set({ pins: [line, ...pins.filter(pin => pin.key !== line.key)].slice(0, 5) })) : quiet(tap)}</div>`;
}

const talker = id => (id.startsWith('device:') ? html`<a href="${to(['devices', id.slice(7)])}">${id.slice(7)}</a>` : html`<span class="any">${id}</span>`);

function quiet(tap) {
  if (tap.lines.length) return blank('search', t.nothingFound, t.nothingFoundWhy);
  return blank('wave', t.live.waiting, html`${t.live.waitingWhy} ${tap.last ? html`${t.live.lastWas} ${when(tap.last)}` : html`${t.live.since} ${when(tap.since)}`}`);
}
