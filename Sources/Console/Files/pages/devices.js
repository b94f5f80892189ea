// Devices: found by any part of their names, and updated while on the screen.

import { html } from '../base/html.js';
import { t, fill, count } from '../base/words.js';
import { get, post } from '../base/api.js';
import { to } from '../base/route.js';
import { icon, shown, when, presence, badge, more, attempt, chips, tell, user, askTyped } from '../base/pieces.js';
import { searchField, asked, withTerm, nothing } from '../base/list.js';
import { table, columnChoice } from '../base/table.js';
import { may, actButton } from '../base/session.js';
import { connectDevice } from '../shared/later.js';
import { saveLabels } from '../shared/label.js';
import { tags, tagTexts } from '../shared/device-names.js';
import { forget } from '../shared/device-acts.js';

export const title = () => t.nav.devices;

const query = view => ({ query: asked(view) });

async function load(view) {
  view.load('counts', ['devices', 'counts'], query(view));
  await view.list('list', ['devices'], query(view));
  watchSeen(view);
}

export async function start(view) {
  view.set({ chosen: new Set() });
  let timer;
  const soon = () => { clearTimeout(timer); timer = setTimeout(() => watchSeen(view), 150); };
  addEventListener('scroll', soon, { passive: true, signal: view.signal });
  addEventListener('resize', soon, { passive: true, signal: view.signal });
  view.every(10_000, () => view.load('counts', ['devices', 'counts'], query(view)));
  view.load('products', ['products']);
  await load(view);
}

// Watches only the devices whose rows are on the screen.
function watchSeen(view) {
  if (view.signal.aborted) return;
  requestAnimationFrame(() => {
    const seen = [...document.querySelectorAll('main tbody tr[data-key]')].filter(row => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    }).slice(0, 100).map(row => `device:${row.dataset.key}`);
    if (seen.join() === view.state.watched) return;
    view.state.watched = seen.join();
    view.endWatch?.();
    view.endWatch = view.feed(seen, (kind, row) => {
      view.outrun('list');
      view.edit('list', rows => (kind === 'gone' ? rows.filter(item => `device:${item.did}` !== row.term) : rows.map(item => (item.did === row.did ? row : item))));
    });
  });
}

export function draw(view) {
  const { chosen } = view.state;
  const products = view.state.products?.data?.items ?? [];
  const keys = [{ key: 'product', hint: t.devices.product, values: products.map(({ productKey, name }) => ({ value: productKey, hint: name })) },
    { key: 'online', hint: t.devices.state, values: [{ value: 'yes', hint: t.online }, { value: 'no', hint: t.offline }] },
    { key: 'alert', hint: t.devices.alert, values: [{ value: 'any', hint: t.devices.anyAlert }] }, { key: 'fault', hint: t.devices.fault, values: [{ value: 'any', hint: t.devices.anyFault }] },
    { key: 'seen', hint: t.devices.seen, values: [{ value: '<1h', hint: t.devices.seenLess }, { value: '>1d', hint: t.devices.seenMore }] },
    { key: 'name', hint: t.device.name }, { key: 'tag', hint: t.devices.tags, values: [...new Set((view.state.list?.data?.items ?? []).flatMap(row => tagTexts(row.tags)))].filter(text => !/\s/.test(text)).sort().map(value => ({ value })) },
    { key: 'owner', hint: t.devices.owner }, { key: 'registered', hint: t.devices.registered, values: [{ value: 'yes', hint: t.yes }, { value: 'no', hint: t.no }] }];
  return html`<div class="head"><h1 tabindex="-1">${t.nav.devices}</h1>${searchField(view, keys, load, t.search.devices)}${columnChoice('devices', columns, () => view.redraw())}</div>
    ${filters(view)}
    ${chosen.size > 0 && bulk(view)}
    ${shown(view.state.list, data => html`<div class="live">${table(columns, data.items, {
      name: 'devices', label: t.nav.devices, key: row => row.did, chosen: may('operator') ? chosen : null,
      onChoose: (did, on) => { if (on) chosen.add(did); else chosen.delete(did); view.redraw(); },
    })}</div>${more(view, 'list')}`, () => nothing(view, 'device', t.devices.none, t.devices.noneWhy, html`<button type="button" class="main" onclick=${() => connectDevice()}>${icon('plus')}${t.connect.title}</button>`))}`;
}

function filters(view) {
  const counts = view.state.counts?.data;
  if (!counts) return null;
  const question = asked(view);
  const bare = ['online', 'alert', 'registered'].reduce((rest, key) => withTerm(rest, key), question);
  const at = term => to(['devices'], { query: [bare, term].filter(Boolean).join(' ') });
  const chosen = ['online:yes', 'online:no', 'alert:any', 'registered:no'].find(term => question.split(/\s+/).includes(term)) ?? '';
  return chips(t.devices.byState, [{ id: '', text: t.all, number: counts.all, href: at('') }, { id: 'online:yes', text: t.online, number: counts.online, href: at('online:yes') },
    { id: 'online:no', text: t.offline, number: counts.offline, href: at('online:no') }, { id: 'alert:any', text: t.devices.alerting, number: counts.alerting, href: at('alert:any') },
    { id: 'registered:no', text: t.devices.unregistered, number: counts.unregistered, href: at('registered:no') }], chosen);
}

const columns = [
  { id: 'name', label: t.devices.device, isHead: true, cell: row => {
    const name = row.name || row.alias;
    return html`<a class="${name ? '' : 'nowrap'}" href="${to(['devices', row.did])}">${name || row.did}</a>${name && html`<br><span class="soft small">${row.did}</span>`}`;
  } },
  { id: 'tags', label: t.devices.tags, cell: row => html`<span class="row">${tags(row.tags)}</span>` },
  { id: 'product', label: t.devices.product, cell: row => html`<a href="${to(['products', row.productKey])}">${row.productName || row.productKey}</a>` },
  { id: 'state', label: t.devices.state, tint: row => row.online, cell: row => html`${presence(row.online)} <span class="soft small">${row.since !== undefined && when(row.since)}</span>` },
  { id: 'report', label: t.devices.changed, tint: row => row.version, cell: row => when(row.changedAt) },
  { id: 'alerts', label: t.devices.alerts, cell: row => row.alerts.length + row.faults.length > 0 && html`<span class="row">${row.alerts.map(name => badge(html`${icon('alert')}${name}`, 'warn'))}${row.faults.map(name => badge(html`${icon('warn')}${name}`, 'bad'))}</span>` },
  { id: 'owner', label: t.devices.owner, cell: row => (row.owner ? user(row.owner) : '') },
  { id: 'firmware', label: t.devices.firmware, cell: row => row.firmware ?? '' },
  { id: 'mac', label: 'MAC', isExtra: true, cell: row => html`<code class="nowrap">${row.mac}</code>` },
];

function bulk(view) {
  const { chosen } = view.state;
  const each = async (act, done) => {
    const dids = [...chosen];
    let number = 0;
    for (const did of dids) if (await attempt(() => act(did))) number += 1;
    tell(fill(done, number));
  };
  // A device without a passcode has no label. For such a device, `attempt` reports the error, and the labels of the
  // other devices are saved.
  const labels = async () => {
    const found = [];
    for (const did of chosen) await attempt(async () => found.push({ name: did, ...(await get(['devices', did, 'label'])) }));
    if (found.length) saveLabels(found);
  };
  return html`<p class="note row" role="status"><span>${fill(t.devices.chosen, count(chosen.size))}</span>
    <button type="button" onclick=${() => each(did => post(['devices', did, 'kick']), t.devices.kicked)}>${t.device.kick}</button>
    <button type="button" onclick=${labels}>${icon('download')}${t.devices.labels}</button>
    ${actButton('admin', t.device.forget, () => askTyped({
      title: fill(t.devices.forgetMany, chosen.size), loses: [...chosen], id: String(chosen.size), verb: t.device.forget,
      act: async () => { await each(forget, t.devices.forgotten); chosen.clear(); load(view); },
    }), { kind: 'danger' })}
    <button type="button" class="plain" onclick=${() => { chosen.clear(); view.redraw(); }}>${t.cancel}</button></p>`;
}
