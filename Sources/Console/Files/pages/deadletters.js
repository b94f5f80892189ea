// Dead letters: messages that the service can't process, with the reason and the position of the error.

import { html } from '../base/html.js';
import { t, bytes } from '../base/words.js';
import { get, post, remove } from '../base/api.js';
import { to, here, refine } from '../base/route.js';
import { shown, when, more, attempt, dialog, dialogHead, facts, soon, icon, device } from '../base/pieces.js';
import { searchField, asked, termChips, nothing, follow } from '../base/list.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { saveJSON } from '../shared/label.js';

export const title = () => t.nav.deadletters;

function load(view) {
  return Promise.all([view.list('list', ['deadLetters'], { query: asked(view) }), view.load('counts', ['deadLetters', 'counts'])]);
}

export async function start(view) {
  follow(view, 'deadLetters', 'id', load);
  await load(view);
  const opened = view.query.get('open');
  if (opened) show(view, Number(opened));
}

export function draw(view) {
  const counts = view.state.counts?.data?.items ?? [];
  const columns = [
    { id: 'topic', label: t.dead.topic, isHead: true, cell: row => html`<a href="${to(['deadletters'], { open: row.id, query: asked(view) })}" class="any">${row.topic}</a>${row.deviceName && html`<br>${device(row.did, row.deviceName)}`}` },
    { id: 'reason', label: t.dead.reason, cell: row => row.reason },
    { id: 'worker', label: t.dead.worker, cell: row => row.worker },
    { id: 'bytes', label: t.dead.size, isNumber: true, cell: row => bytes(row.bytes) },
    { id: 'at', label: t.dead.at, cell: row => when(row.at) },
    { id: 'acts', label: t.acts.title, isActs: true, cell: row => html`<span class="row">${acts(view, row)}</span>` },
  ];
  return html`<div class="head"><h1 tabindex="-1">${t.nav.deadletters}</h1>${searchField(view, [{ key: 'worker', hint: t.dead.worker }, { key: 'reason', hint: t.dead.reason }, { key: 'topic', hint: t.dead.topic }], load, t.dead.search)}<p>${t.dead.about}</p></div>
    ${counts.length > 1 && termChips(view, t.dead.byReason, 'reason', counts.map(({ reason, count: number }) => ({ id: reason, text: reason, number })))}
    ${shown(view.state.list, data => html`<div class="live">${table(columns, data.items, { name: 'deadLetters', label: t.nav.deadletters, key: row => row.id, isNew: row => view.state.fresh?.has(row.id) })}</div>${more(view, 'list')}`,
      () => nothing(view, 'check', t.dead.none, t.dead.noneWhy))}`;
}

const without = (view, id) => view.edit('list', rows => rows.filter(row => row.id !== id));

function acts(view, row) {
  const drop = () => {
    without(view, row.id);
    soon(t.dead.dropped, () => remove(['deadLetters', row.id]), () => load(view));
  };
  const replay = async () => { if (await attempt(() => post(['deadLetters', row.id, 'replay']), t.dead.replayed)) without(view, row.id); };
  return [actButton('operator', t.dead.replay, replay, { disabled: row.isShapeOnly, title: row.isShapeOnly ? t.dead.shapeOnly : null }), actButton('operator', t.dead.drop, drop)];
}

async function show(view, id) {
  const letter = await attempt(() => get(['deadLetters', id]));
  if (!letter) return;
  const box = dialog(t.dead.one, box => html`<div>${dialogHead(t.dead.one, box)}
    ${facts([[t.dead.topic, html`<code>${letter.row.topic}</code>`], [t.devices.device, letter.row.did && device(letter.row.did, letter.row.deviceName)], [t.dead.reason, letter.row.reason], [t.dead.worker, letter.row.worker], [t.dead.at, when(letter.row.at)], [t.dead.size, bytes(letter.row.bytes)]])}
    ${letter.row.isShapeOnly && html`<p class="note">${t.dead.shapeOnly}</p>`}
    ${letter.text !== undefined ? html`<pre tabindex="0">${marked(letter)}</pre>` : html`<p class="soft">${t.dead.binary}</p><pre tabindex="0">${letter.base64}</pre>`}
    <p class="row end"><button type="button" onclick=${() => example(letter)}>${icon('download')}${t.dead.example}</button><span class="row" onclick=${box.close}>${acts(view, letter.row)}</span></p></div>`);
  box.element.addEventListener('close', () => { if (here().parts[0] === 'deadletters') refine({ open: null }); });
}

// Saves a dead letter as a file for a test: its payload, its topic, and why processing failed.
function example({ row, text, base64 }) {
  let payload = text ?? { base64 };
  try { payload = JSON.parse(text); } catch { /* a text that isn't JSON stays a text */ }
  saveJSON(`dead-letter-${row.id}`, { topic: row.topic, reason: row.reason, payload });
}

// Returns the text with the faulty character marked. The text is encoded to find this character, because `offset`
// counts bytes, while JavaScript counts UTF-16 units.
function marked({ text, offset }) {
  if (offset === undefined) return text;
  const head = new TextDecoder().decode(new TextEncoder().encode(text).slice(0, offset));
  const rest = text.slice(head.length);
  return html`${head}<mark aria-label="${t.dead.here}">${rest.slice(0, 1) || '␃'}</mark>${rest.slice(1)}`;
}
