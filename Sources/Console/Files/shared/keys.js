// Keyboard shortcuts: everything works without them, and they can be switched off.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { here, go } from '../base/route.js';
import { dialog, dialogHead, keeps } from '../base/pieces.js';
import { pause } from '../base/view.js';
import { connectDevice } from './later.js';

const PLACES = {
  o: 'overview', d: 'devices', l: 'live', r: 'refusals', p: 'products', a: 'apps', u: 'users', m: 'messages', s: 'schedules', x: 'deadletters', y: 'system', t: 'audit',
};
let isGoing = false;

const isOn = () => localStorage.getItem('keys') !== 'off';
const isTyping = target => target.closest('input, textarea, select, [contenteditable]') !== null;

/** Listens to the keyboard. */
export function listen() {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape') return back(event);
    if (!isOn() || isTyping(event.target)) return undefined;
    if (act(event.key)) event.preventDefault();
    return undefined;
  });
}

function act(key) {
  if (isGoing) {
    isGoing = false;
    if (!(key in PLACES)) return false;
    go(`#/${PLACES[key]}`);
    return true;
  }
  switch (key) {
    case 'g': isGoing = true; setTimeout(() => { isGoing = false; }, 1500); return true;
    case '/': (document.querySelector('main input[type="search"]') ?? document.querySelector('#bar input[type="search"]'))?.focus(); return true;
    case 'j': return step(1);
    case 'k': return step(-1);
    case '.': pause(); return true;
    case 'c': connectDevice(); return true;
    case '?': showKeys(); return true;
    default: return false;
  }
}

// Moves between the rows of the page's first list.
function step(by) {
  const rows = [...document.querySelectorAll('main tbody tr, main [data-row]')].filter(row => row.querySelector('a, button'));
  if (!rows.length) return false;
  const at = rows.findIndex(row => row.contains(document.activeElement));
  const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  (row.querySelector('th a, a') ?? row.querySelector('button')).focus();
  row.scrollIntoView({ block: 'nearest' });
  return true;
}

function back(event) {
  if (isTyping(event.target)) {
    // Otherwise the browser would empty a search field, and the page would get no event.
    event.preventDefault();
    return event.target.blur();
  }
  const open = document.querySelector(':popover-open');
  if (open) return undefined; // the browser closes the popover
  const { parts } = here();
  const leave = () => go(`#/${parts[0]}`);
  if (parts.length > 1 && !keeps(document.getElementById('main'), leave)) leave();
  return undefined;
}

/** Shows the shortcuts. */
export function showKeys() {
  dialog(t.keys.title, box => html`<div>
    ${dialogHead(t.keys.title, box)}
    <dl class="keys">${[[['/'], t.keys.search], [['j', 'k'], t.keys.rows], [['Enter'], t.keys.open], [['Esc'], t.keys.back], [['.'], t.keys.pause], [['c'], t.connect.title], [['?'], t.keys.title],
      ...Object.entries(PLACES).map(([key, place]) => [['g', key], t.nav[place]])].map(([keys, text]) => html`<dt>${keys.map(key => html`<kbd>${key}</kbd> `)}</dt><dd>${text}</dd>`)}</dl>
    <label class="tick"><input type="checkbox" checked=${isOn()} onchange=${event => localStorage.setItem('keys', event.target.checked ? 'on' : 'off')}><span>${t.keys.on}</span></label>
  </div>`);
}
