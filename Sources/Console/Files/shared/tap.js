// The broker's newest messages in real time, up to a limit. During a pause, no lines are added.

import { html } from '../base/html.js';
import { t, fill, value, bytes, exact, count, now, dates } from '../base/words.js';
import { icon, blank, when } from '../base/pieces.js';

const MOST = 300;
const QUIET = 30_000;
const PATIENCE = 4000; // connecting to the broker takes a moment
let number = 0;

/** Watches all messages, or those of a device. */
export function watch(view, term) {
  view.set({ tap: { lines: [], since: now(), left: 0 } });
  view.feed([term], (kind, data) => {
    if (kind !== 'tap' || data.term !== term) return;
    const { tap } = view.state;
    const fresh = data.lines.map(line => ({ ...line, key: number += 1 })).reverse();
    // A topic branch that has been shown keeps its position. Thus, no row moves while the operator points at it.
    const rates = data.rates && [...new Map([...(tap.rates ?? []).map(one => [one.branch, { ...one, perSecond: 0 }]), ...data.rates.map(one => [one.branch, one])]).values()];
    const names = { ...tap.names, ...Object.fromEntries(fresh.filter(line => line.deviceName).map(line => [line.did, line.deviceName])) };
    view.set({ tap: { ...tap, ...data, rates, names, lines: [...fresh, ...tap.lines].slice(0, MOST), left: tap.left + data.left, last: fresh[0]?.at ?? tap.last } });
  });
  view.every(1000, () => view.redraw());
}

const times = dates({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1 });

/** The lines that `chosen` accepts, or why there are none. */
export function lines(view, chosen = () => true, pin) {
  const { tap } = view.state;
  const seen = tap.lines.filter(chosen);
  const quiet = tap.last && now() - tap.last > QUIET;
  if (!tap.isListening && now() - tap.since < PATIENCE) return html`<p class="loading" role="status">${t.loading}</p>`;
  return html`${!tap.isListening && html`<p class="note bad" role="alert"><strong>${t.live.notYet}</strong> ${t.live.notYetWhy}</p>`}
    <p class="soft small row">${quiet && html`<span>${t.live.quiet}; ${t.live.lastWas} ${when(tap.last)}</span>`}${tap.left > 0 && html`<span>${fill(t.live.left, count(tap.left))}</span>`}</p>
    ${seen.length ? html`<ul class="lines live" aria-label="${t.live.messages}">${seen.map(line => html`<li key=${line.key} data-row="">
  <time datetime="${new Date(line.at).toISOString()}" title="${exact(line.at)}">${times.format(line.at)}</time>
  <span class="${line.outcome === 'accepted' ? 'soft' : 'bad'}">${icon(line.outcome === 'accepted' ? line.way : line.outcome === 'dead' ? 'dead' : 'refusal')}<span class="hush">${t.live.ways[line.way]}, ${t.states[line.outcome] ?? line.outcome}</span></span>
  <span>${line.deviceName && html`<strong>${line.deviceName}</strong> `}${pin ? html`<button type="button" class="link" aria-label="${fill(t.live.pin, line.topic)}" onclick=${() => pin(line)}>${line.topic}</button>` : line.topic}</span>
  <span class="payload" dir="auto">${line.reason && html`<strong class="bad">${t.reasons[line.reason] ?? line.reason}</strong> `}${line.payload === undefined ? html`<span class="soft">${fill(t.live.hidden, bytes(line.bytes))}</span>` : value(line.payload)}</span></li>`)}</ul>`
    : tap.lines.length ? blank('search', t.nothingFound, t.nothingFoundWhy)
    : blank('wave', t.live.waiting, html`${t.live.waitingWhy} ${when(tap.since)}`)}`;
}
