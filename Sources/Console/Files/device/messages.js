// Messages: the device's messages in both directions, shown live and masked, and the reasons for refusals.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { shown } from '../base/pieces.js';
import { refusal } from '../pages/refusals.js';
import { watch, lines } from '../shared/tap.js';

export function start(view) {
  watch(view, `tap:${view.did}`);
  return view.load('refusals', ['refusals'], { query: `client:${view.did}`, limit: 5 });
}

export const draw = view => html`<div class="stack"><p class="soft">${t.live.masked}</p>${view.state.tap && lines(view)}
  <h2>${t.nav.refusals}</h2>
  ${shown(view.state.refusals, data => html`<ul class="stack tight">${data.items.map(row => html`<li key=${row.id} class="card">${refusal(view, row)}</li>`)}</ul>`, () => html`<p class="soft">${t.refusals.noneOfDevice}</p>`)}</div>`;
