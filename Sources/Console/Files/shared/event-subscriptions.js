// An app's event subscriptions: how far servers have read, and whether webhooks accept events.

import { html } from '../base/html.js';
import { t, fill, span, timeZone } from '../base/words.js';
import { get, change } from '../base/api.js';
import { shown, when, attempt, ask, badge, dialog, dialogHead } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';

/** Loads the subscriptions of an app into the view. */
export const loadSubscriptions = (view, appId) => view.load('subscriptions', ['eventSubscriptions'], { appId });

/** The section of the app's page. */
export function subscriptions(view, appId) {
  const again = () => loadSubscriptions(view, appId);
  return html`<section class="stack"><h2>${t.events.title}</h2>
    ${shown(view.state.subscriptions, data => table(columns(again), data.items, { name: 'subscriptions', label: t.events.title, key: row => row.subscriptionId }), () => html`<p class="soft">${t.events.none}</p>`)}</section>`;
}

/** The names of the subscriptions that a key made. */
export const madeBy = (view, keyId) => (view.state.subscriptions?.data?.items ?? []).filter(row => row.keyId === keyId).map(row => row.name);

const set = (row, body, done, again) => attempt(() => change(['eventSubscriptions', row.subscriptionId], body), done).then(made => { again(); return made; });

const seek = (row, again) => ask(`${t.events.seek}: ${row.name}`, html`<p>${t.events.seekWhat}</p>
  <label><span>${t.events.from} (${timeZone})</span><input name="at" type="datetime-local" step="1" required></label>`,
t.events.seek, ({ at }) => set(row, { cursor: Date.parse(timeZone === 'UTC' ? `${at}Z` : at) }, t.events.moved, again));

const tries = async row => {
  const found = await attempt(() => get(['eventSubscriptions', row.subscriptionId, 'deliveries']));
  if (found) {
    dialog(t.events.tries, box => html`${dialogHead(`${t.events.tries}: ${row.name}`, box)}${found.items.length
      ? table(tryColumns, found.items, { name: 'deliveries', label: t.events.tries, key: one => `${one.at} ${one.webhookId}` }) : html`<p class="soft">${t.events.noTries}</p>`}`);
  }
};

const tryColumns = [
  { id: 'at', label: t.events.at, isHead: true, cell: row => when(row.at) },
  { id: 'events', label: t.events.title, isNumber: true, cell: row => row.events },
  { id: 'result', label: t.commands.result, cell: row => html`${row.status ?? '–'} ${row.error ? badge(row.error, 'bad') : badge(t.states.done, 'good')}` },
  { id: 'ms', label: t.events.took, isNumber: true, cell: row => span(row.ms) },
];

const TONES = { on: 'good', disabled: 'bad' };
// The lag, in seconds, above which operators are warned.
const LATE = 300;

const columns = again => [
  { id: 'name', label: t.apps.name, isHead: true, cell: row => html`${row.name}<br><span class="soft small any">${row.subscriptionId}${row.url && html`, ${row.url}`}</span>` },
  { id: 'types', label: t.events.types, cell: row => row.types.join(', ') },
  { id: 'state', label: t.commands.state, cell: row => html`${badge(t.events.states[row.state], TONES[row.state])}${row.reason && html`<br><span class="small any">${row.reason}</span>`}
    ${row.failingSince && html`<br><span class="small any">${when(row.failingSince)}: ${fill(t.events.fails, row.tries)} ${row.lastError}</span>`}` },
  { id: 'behind', label: t.events.behind, isNumber: true, cell: row => (row.behind > LATE ? badge(span(row.behind * 1000), 'warn') : span(row.behind * 1000)) },
  { id: 'worked', label: t.apps.worked, cell: row => when(row.lastOkAt) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => html`<span class="row">
    ${row.state === 'on' ? actButton('operator', t.live.pause, () => set(row, { state: 'paused' }, t.events.paused, again)) : actButton('operator', t.live.goOn, () => set(row, { state: 'on' }, t.events.goesOn, again))}
    ${actButton('operator', t.events.seek, () => seek(row, again))}${row.url && actButton('viewer', t.events.tries, () => tries(row))}</span>` },
];
