// Refusals: each with the client, the request, the rule and the remedy. Each row also shows the time of the first
// refusal and the number of refusals.

import { html } from '../base/html.js';
import { t, fill, count } from '../base/words.js';
import { post } from '../base/api.js';
import { to } from '../base/route.js';
import { icon, shown, when, more, copy, attempt, device } from '../base/pieces.js';
import { searchField, asked, termChips, nothing, follow } from '../base/list.js';
import { actButton } from '../base/session.js';

export const title = () => t.nav.refusals;

function load(view) {
  return Promise.all([view.list('list', ['refusals'], { query: asked(view) }), view.load('counts', ['refusals', 'counts'])]);
}

export async function start(view) {
  follow(view, 'refusals', 'id', load, () => view.load('counts', ['refusals', 'counts']));
  await load(view);
}

export function draw(view) {
  const counts = view.state.counts?.data?.items ?? [];
  const keys = [{ key: 'reason', hint: t.refusals.reason, values: counts.map(({ reason }) => ({ value: reason, hint: t.reasons[reason] })) },
    { key: 'action', hint: t.refusals.action, values: ['connect', 'publish', 'subscribe', 'receive'].map(value => ({ value, hint: t.actions[value] })) },
    { key: 'client', hint: t.refusals.client }, { key: 'user', hint: t.refusals.user }, { key: 'address', hint: t.refusals.address }];
  return html`<div class="head"><h1 tabindex="-1">${t.nav.refusals}</h1>${searchField(view, keys, load, t.refusals.search)}<p>${t.refusals.about}</p></div>
    ${counts.length > 0 && termChips(view, t.refusals.byReason, 'reason', counts.map(({ reason, count: number }) => ({ id: reason, text: t.reasons[reason] ?? reason, number })))}
    ${shown(view.state.list, data => html`<ul class="stack tight live">${data.items.map(row => html`<li key=${row.id} class="card" data-row="" tint=${row.times}>${refusal(view, row)}</li>`)}</ul>${more(view, 'list')}`,
      () => nothing(view, 'check', t.refusals.none, t.refusals.noneWhy))}`;
}

/** A refusal: the client, the request, the reason, and the remedy. */
export function refusal(view, row) {
  return html`<div class="row apart"><h2>${t.reasons[row.reason] ?? row.title}</h2>
      <span class="row small"><span class="badge ${row.times > 9 ? 'warn' : ''}">${fill(t.times, count(row.times))}</span><span>${when(row.at)}</span></span></div>
    <div class="stack tight">
    <p class="any">${who(row)} ${t.refusals.wanted[row.action] ?? row.action}${row.topic && html` <code>${row.topic}</code>`}${row.address && html` <span class="soft">${fill(t.refusals.from, row.address)}</span>`}</p>
    <p class="any"><span class="soft">${t.refusals.rule}</span> ${t.rules?.[row.reason]?.[0] ?? row.cause}${row.detail && html` <code>${row.detail}</code>`}</p>
    <p class="any"><span class="soft">${t.refusals.cure}</span> ${t.rules?.[row.reason]?.[1] ?? row.cure}</p>
    <p class="row">
      <button type="button" onclick=${() => copy(row.cure)}>${icon('copy')}${t.refusals.copyCure}</button>
      ${row.mac && row.productKey && /listed|mac/i.test(row.reason) && actButton('operator', [icon('check'), fill(t.refusals.allow, row.mac)], () => allow(row))}
      ${row.firstAt !== row.at && html`<span class="soft small">${t.refusals.since} ${when(row.firstAt)}</span>`}<span class="soft small">${row.reason}</span></p></div>`;
}

function who(row) {
  if (row.did) return html`${t.actors.device} ${device(row.did, row.deviceName)}`;
  if (row.mac) return html`${t.refusals.newDevice} <code>${row.mac}</code> (<a href="${to(['products', row.productKey])}">${row.productKey}</a>)`;
  return html`<code>${row.username || row.clientId || t.actors.somebody}</code>${row.username && row.clientId && !row.username.includes(row.clientId) && html` <span class="soft">${row.clientId}</span>`}`;
}

const allow = row => attempt(() => post(['products', row.productKey, 'macs'], { macs: [row.mac] }), fill(t.refusals.allowed, row.mac));
