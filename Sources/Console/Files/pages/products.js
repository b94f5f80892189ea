// Products: each product's data points, its number of devices, and the devices that may register.

import { html } from '../base/html.js';
import { t, fill, count } from '../base/words.js';
import { post, put } from '../base/api.js';
import { to, go } from '../base/route.js';
import { icon, shown, when, device, blank, facts, more, attempt } from '../base/pieces.js';
import { table } from '../base/table.js';
import { may, actButton } from '../base/session.js';
import { editDocument } from '../shared/document.js';
import { askNewSecret, showSecret } from '../shared/device-acts.js';
import { saveJSON } from '../shared/label.js';
import { productForm } from '../shared/product-form.js';

export const title = view => view.state.one?.data?.row.name ?? t.nav.products;

const EXAMPLE = {
  name: 'Lamp', dataPoints: [
    { name: 'power', type: 'bool', access: 'rw' }, { name: 'brightness', type: 'int', access: 'rw', min: 0, max: 100, unit: '%' },
    { name: 'temperature', type: 'float', access: 'ro', unit: '°C' }],
  alerts: ['overheated'],
};

export async function start(view) {
  if (!view.parts[1]) return view.load('list', ['products']);
  view.list('macs', ['products', view.parts[1], 'macs']);
  return view.load('one', ['products', view.parts[1]]);
}

export const draw = view => (view.parts[1] ? one(view) : list(view));

function add() {
  const productKey = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
  editDocument({
    title: t.products.add, document: { productKey, ...EXAMPLE }, check: ['products', 'check'], form: productForm, save: document => post(['products'], document),
    done: made => { go(to(['products', made.row.productKey])); if (made.secret) showSecret(made.secret); },
  });
}

const addButton = kind => actButton('admin', [icon('plus'), t.products.add], add, { kind });

const list = view => html`<div class="head"><h1 tabindex="-1">${t.nav.products}</h1>${addButton('')}</div>
  ${shown(view.state.list, data => table(columns, data.items, { name: 'products', label: t.nav.products, key: row => row.productKey }),
    () => blank('product', t.products.none, t.products.noneWhy, addButton('main')))}`;

const columns = [
  { id: 'name', label: t.products.name, isHead: true, cell: row => html`<a href="${to(['products', row.productKey])}">${row.name}</a><br><span class="soft small">${row.productKey}</span>` },
  { id: 'devices', label: t.nav.devices, isNumber: true, cell: row => html`<a href="${to(['devices'], { query: `product:${row.productKey}` })}">${count(row.devices)}</a>` },
  { id: 'points', label: t.products.points, isNumber: true, cell: row => count(row.points) },
  { id: 'registration', label: t.products.registration, cell: row => t.products.registrations[row.registration] },
  { id: 'reset', label: t.products.reset, cell: row => t.products.resets[row.reset] },
  { id: 'changed', label: t.products.changed, cell: row => when(row.updatedAt) },
];

function one(view) {
  return shown(view.state.one, product => {
    const { row, document } = product;
    return html`<div class="head"><h1 tabindex="-1">${row.name}</h1>
        <span class="row">${actButton('admin', t.edit, () => editDocument({ title: fill(t.products.edit, row.name), document, check: ['products', 'check'], form: productForm, save: (changed, force) => put(['products', row.productKey], changed, row.updatedAt, { force: force || null }), done: () => start(view) }))}
        <button type="button" onclick=${() => saveJSON(row.productKey, document)}>${icon('download')}${t.products.export}</button>
        ${actButton('admin', t.secret.rotate, () => askNewSecret(['products', row.productKey], row.productKey))}</span></div>
      <div class="stack">
      ${facts([[t.products.key, html`<code>${row.productKey}</code>`], [t.nav.devices, html`<a href="${to(['devices'], { query: `product:${row.productKey}` })}">${count(row.devices)}</a>`], [t.products.registration, t.products.registrations[row.registration]],
        [t.products.reset, t.products.resets[row.reset]], [t.products.bind, t.products.binds[row.remoteBind]], [t.products.changed, when(row.updatedAt)]])}
      <h2>${t.products.points}</h2>
      ${product.points.length ? table(points, product.points, { name: 'points', label: t.products.points, key: ({ point }) => point.name }) : html`<p class="soft">${t.products.free}</p>`}
      ${row.registration === 'listed' && macs(view, row)}</div>`;
  });
}

const limits = ({ min, max, step, values, maxLength }) => [min !== undefined || max !== undefined ? `${min ?? '−∞'} … ${max ?? '∞'}` : '', step !== undefined && fill(t.products.step, step), values?.length && values.join(', '), maxLength !== undefined && fill(t.products.longest, maxLength)].filter(Boolean).join(' · ');

const points = [
  { id: 'name', label: t.products.point, isHead: true, cell: ({ point }) => html`<code>${point.name}</code>${point.title && html`<br><span class="soft small">${point.title}</span>`}` },
  { id: 'kind', label: t.products.kind, cell: ({ point }) => t.kinds[point.kind] ?? point.kind },
  { id: 'access', label: t.products.access, cell: ({ point }) => t.products.accesses[point.access] },
  { id: 'limits', label: t.products.limits, cell: ({ point }) => limits(point) },
  { id: 'unit', label: t.products.unit, cell: ({ point }) => point.unit ?? '' },
  { id: 'devices', label: t.products.used, isNumber: true, cell: ({ devices }) => (devices === undefined ? '–' : count(devices)) },
];

function macs(view, row) {
  const allow = async event => {
    event.preventDefault();
    const { macs: text } = Object.fromEntries(new FormData(event.target));
    if (await attempt(() => post(['products', row.productKey, 'macs'], { macs: text.split(/[\s,;]+/).filter(Boolean) }), ({ count: number }) => fill(t.products.allowed, number))) {
      event.target.reset();
      view.list('macs', ['products', row.productKey, 'macs']);
    }
  };
  return html`<h2>${t.products.macs}</h2>
    <form class="row" onsubmit=${allow}><input name="macs" required class="any" aria-label="${t.products.newMacs}" placeholder="${t.products.newMacs}" disabled=${!may('operator')}><button disabled=${!may('operator')}>${t.products.allow}</button></form>
    ${shown(view.state.macs, data => html`${table([{ id: 'mac', label: 'MAC', isHead: true, cell: ({ mac }) => html`<code>${mac}</code>` }, { id: 'did', label: t.devices.device, cell: ({ did, deviceName }) => (did ? device(did, deviceName) : t.products.notYet) }],
      data.items, { name: 'macs', label: t.products.macs, key: ({ mac }) => mac })}${more(view, 'macs')}`, () => html`<p class="soft">${t.products.noMacs}</p>`)}`;
}
