// Messages as they travel: the newest lines, held while paused, so many and no more.

import { html } from '../base/html.js';
import { t, value, bytes, exact } from '../base/words.js';
import { icon } from '../base/pieces.js';

const MOST = 300;
let number = 0;

/** Puts what the tap brought in front. */
export function take(view, data) {
  const tap = view.state.tap;
  const fresh = data.lines.map(line => ({ ...line, key: number += 1 })).reverse();
  view.set({ tap: { ...tap, ...data, lines: [...fresh, ...tap.lines].slice(0, MOST), left: data.left, last: fresh.length ? Date.now() : tap.last } });
}

const times = new Intl.DateTimeFormat(document.documentElement.lang, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1, hourCycle: 'h23' });

/** The lines; `chosen` leaves out others. */
export const lines = (view, chosen = () => true, pin) => html`<ul class="lines live" aria-label="${t.live.messages}">${view.state.tap.lines.filter(chosen).map(line => html`<li key=${line.key} data-row="">
  <time datetime="${new Date(line.at).toISOString()}" title="${exact(line.at)}">${times.format(line.at)}</time>
  <span class="${line.outcome === 'accepted' ? 'soft' : 'bad'}">${icon(line.outcome === 'accepted' ? line.way : line.outcome === 'dead' ? 'dead' : 'refusal')}<span class="hush">${t.live.ways[line.way]}, ${t.states[line.outcome] ?? line.outcome}</span></span>
  <span>${pin ? html`<button type="button" class="link" onclick=${() => pin(line)}>${line.topic}</button>` : line.topic}</span>
  <span class="payload" dir="auto">${line.reason && html`<strong class="bad">${t.reasons[line.reason] ?? line.reason}</strong> `}${line.payload === undefined ? html`<span class="soft">${t.live.hidden(bytes(line.bytes))}</span>` : value(line.payload)}</span></li>`)}</ul>`;
