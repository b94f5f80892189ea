// State: each data point with its value, time and sender, and with the wanted value and a control.

import { html } from '../base/html.js';
import { t, fill, now, value } from '../base/words.js';
import { get, post } from '../base/api.js';
import { when, blank, attempt, state, icon } from '../base/pieces.js';
import { actor } from '../shared/sentences.js';
import { sparkline } from '../base/chart.js';
import { may, needs } from '../base/session.js';
import { to } from '../base/route.js';

const MOST_SPARKLINES = 12;

export function startState(view) {
  view.set({ sparks: {}, edits: {} });
  drawSparks(view);
}

// The sparklines of the last day are loaded one by one after the rest of the page.
async function drawSparks(view) {
  const points = view.state.device?.data?.points ?? [];
  const numbers = points.filter(({ kind, value }) => (kind === 'int' || kind === 'float') && value !== undefined).slice(0, MOST_SPARKLINES);
  for (const { name } of numbers) {
    try {
      const chart = await get(['devices', view.did, 'history'], { name, from: now() - 86_400_000, to: now() }, view.signal);
      view.set({ sparks: { ...view.state.sparks, [name]: chart.rows.map(row => ({ at: row.at, value: row.mean })) } });
    } catch {
      return; // without a history there's no line; the History tab shows why
    }
  }
}

export function drawState(view, { points, row }) {
  if (!points.length) return blank('device', t.state.none, t.state.noneWhy, html`<a class="button" href="${to(['products', row.productKey])}">${t.state.toProduct}</a>`);
  return html`<div class="state-grid">${points.map(point => html`<section class="card stack tight" key=${point.name} aria-label="${point.title || point.name}">
    <div class="row apart"><h2 class="any">${point.title || point.name}</h2><code class="soft small">${point.title ? point.name : t.kinds[point.kind] ?? point.kind}</code></div>
    ${point.access === 'wo' ? html`<p class="soft">${t.state.secret}</p>`
      : html`<p class="value" tint=${point.at} dir="auto" tabindex=${mayScroll(point) ? 0 : null}>${value(point.value, point.unit)}</p>
      <p class="soft small">${point.at === undefined ? t.state.never : html`${when(point.at)}${point.by && html` · ${t.state.setBy} ${actor(point.by)}`}`}</p>`}
    ${point.wanted && html`<p class="note row">${t.state.wanted} <strong>${value(point.wanted.value, point.unit)}</strong> ${state(point.wanted.state)} <span class="soft small">${actor(point.wanted.by)} ${when(point.wanted.at)}</span></p>`}
    ${view.state.sparks?.[point.name] && html`<a href="${to(['devices', view.did, 'history'], { names: point.name })}" aria-label="${fill(t.state.toHistory, point.title || point.name)}">${sparkline(view.state.sparks[point.name])}</a>`}
    ${point.access !== 'ro' && control(view, point)}</section>`)}</div>`;
}

// A long value can be scrolled in its card, also with the keyboard.
const mayScroll = point => value(point.value, point.unit).length > 60;

// Returns the value that an operator typed for a device without declared data points. The value is parsed as JSON. A
// text that isn't JSON is used unchanged.
function anything(typed) {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

// Sends a value in the operator's name. The device's answer arrives through the page's stream.
function send(view, point, wanted) {
  return attempt(() => post(['devices', view.did, 'commands'], { data: { [point.name]: wanted }, mode: 'queue' }),
    command => (command.error ? t.causes[command.error] ?? command.error : fill(t.state.sent, point.title || point.name, value(wanted, point.unit), t.states[command.state] ?? command.state)));
}

function control(view, point) {
  const locked = !may('operator');
  const why = locked ? needs('operator') : null;
  const label = fill(t.state.set, point.title || point.name);
  const edits = view.state.edits ?? {};
  const edit = text => view.set({ edits: { ...view.state.edits, [point.name]: text } });
  const now = point.wanted?.value ?? point.value;
  if (point.kind === 'bool') {
    return html`<p class="row"><button type="button" role="switch" aria-checked="${now === true}" aria-label="${label}" disabled=${locked} title=${why} onclick=${() => send(view, point, now !== true)}></button><span aria-hidden="true">${label}</span></p>`;
  }
  if (point.kind === 'enum') {
    return html`<label><span>${label}</span><select disabled=${locked} title=${why} value="${String(now ?? '')}" onchange=${event => send(view, point, event.target.value).then(done => done || view.redraw())}>
      ${now === undefined && html`<option value="">–</option>`}${(point.values ?? []).map(word => html`<option value="${word}">${word}</option>`)}</select></label>`;
  }
  const isNumber = point.kind === 'int' || point.kind === 'float';
  // If a string would be parsed as another value, such as the string "5" as a number, the field shows the string as
  // JSON, in quotation marks. Thus, the same string is sent again.
  const isText = typeof now === 'string' && (point.kind !== 'any' || anything(now) === now);
  const text = edits[point.name] ?? (isText ? now : now === undefined ? '' : JSON.stringify(now));
  const submit = event => {
    event.preventDefault();
    const typed = event.target.elements.value.value;
    const data = isNumber ? Number(typed) : point.kind === 'any' ? anything(typed) : typed;
    return send(view, point, data).then(done => { if (done) edit(undefined); });
  };
  const bounded = isNumber && point.min !== undefined && point.max !== undefined;
  return html`<form class="row" onsubmit=${submit}>
    ${bounded && html`<input type="range" min="${point.min}" max="${point.max}" step="${point.step ?? (point.kind === 'int' ? 1 : 'any')}" value="${text}" aria-label="${label}" disabled=${locked} oninput=${event => edit(event.target.value)}>`}
    <input name="value" class="short" type="${isNumber ? 'number' : 'text'}" min=${point.min} max=${point.max} step=${isNumber ? point.step ?? (point.kind === 'int' ? 1 : 'any') : null} maxlength=${point.maxLength}
      value="${text}" required=${isNumber} aria-label="${label}" disabled=${locked} title=${why} oninput=${event => edit(event.target.value)}>
    <button disabled=${locked}>${icon('out')}${t.state.send}</button></form>`;
}
