// A product's document as a form, with the same members as the JSON beside it.

import { html } from '../base/html.js';
import { t, fill } from '../base/words.js';
import { icon } from '../base/pieces.js';

const KINDS = ['bool', 'int', 'float', 'enum', 'string', 'raw'];
const words = text => text.split(/[,\s]+/).filter(Boolean);

/** The form; each edit passes the new document to `change`. */
export function productForm(document, change) {
  const points = document.dataPoints ?? [];
  const set = changes => change(without({ ...document, ...changes }));
  const setPoint = (i, changes) => set({ dataPoints: points.map((point, j) => (j === i ? without({ ...point, ...changes }) : point)) });
  const choice = (name, label, options) => html`<label><span>${label}</span><select value="${document[name] ?? Object.keys(options)[0]}" onchange=${event => set({ [name]: event.target.value })}>
    ${Object.entries(options).map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`;
  const list = (name, label) => html`<label><span>${label}</span><input value="${(document[name] ?? []).join(', ')}" spellcheck="false" onchange=${event => set({ [name]: words(event.target.value) })}></label>`;
  return html`<div class="stack">
    <div class="halves"><label><span>${t.products.name}</span><input required maxlength="128" value="${document.name ?? ''}" onchange=${event => set({ name: event.target.value })}></label>
      <label><span>${t.products.historyDays}</span><input type="number" min="1" max="36500" value="${document.historyDays ?? ''}" placeholder="30" onchange=${event => set({ historyDays: number(event.target.value) })}></label>
      ${choice('registration', t.products.registration, t.products.registrations)}${choice('reset', t.products.reset, t.products.resets)}${choice('remoteBind', t.products.bind, t.products.binds)}
      ${list('alerts', t.devices.alerts)}${list('faults', t.products.faults)}</div>
    <fieldset class="stack card"><legend>${t.products.points}</legend>
      ${points.map((point, i) => pointForm(point, changes => setPoint(i, changes), () => set({ dataPoints: points.filter(one => one !== point) }), i))}
      <p><button type="button" onclick=${() => set({ dataPoints: [...points, { name: `point${points.length + 1}`, type: 'int', access: 'rw' }] })}>${icon('plus')}${t.products.addPoint}</button></p></fieldset></div>`;
}

function pointForm(point, set, remove, i) {
  const field = (name, label, kind = 'text') => html`<label><span>${label}</span><input class="short" type="${kind}" step="any" value="${point[name] ?? ''}" spellcheck="false" onchange=${event => set({ [name]: kind === 'number' ? number(event.target.value) : event.target.value || undefined })}></label>`;
  const isNumber = point.type === 'int' || point.type === 'float';
  const isText = point.type === 'string' || point.type === 'raw';
  return html`<fieldset class="row" key=${i}><legend class="hush">${point.name}</legend>
    <label><span>${t.products.point}</span><input required maxlength="64" value="${point.name}" spellcheck="false" onchange=${event => set({ name: event.target.value })}></label>
    <label><span>${t.products.kind}</span><select value="${point.type}" onchange=${event => set({ type: event.target.value })}>${KINDS.map(kind => html`<option value="${kind}">${t.kinds[kind]}</option>`)}</select></label>
    <label><span>${t.products.access}</span><select value="${point.access}" onchange=${event => set({ access: event.target.value })}>${Object.entries(t.products.accesses).map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>
    ${isNumber && html`${field('min', 'min', 'number')}${field('max', 'max', 'number')}${field('step', t.products.stepName, 'number')}${field('unit', t.products.unit)}`}
    ${isText && field('maxLength', t.products.longestName, 'number')}
    ${point.type === 'enum' && html`<label><span>${t.products.words}</span><input value="${(point.values ?? []).join(', ')}" onchange=${event => set({ values: words(event.target.value) })}></label>`}
    <button type="button" class="plain" aria-label="${fill(t.products.removePoint, point.name)}" onclick=${remove}>${icon('close')}</button></fieldset>`;
}

const number = text => (text === '' ? undefined : Number(text));
const without = all => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
