// The page for an unknown address.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { blank } from '../base/pieces.js';

export const title = () => t.problems.missing;
export const start = () => {};
export const draw = () => html`<h1 tabindex="-1" class="hush">${t.problems.missing}</h1>${blank('search', t.problems.missing, t.problems.missingWhy, html`<a class="button" href="#/overview">${t.nav.overview}</a>`)}`;
