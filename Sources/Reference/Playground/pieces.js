// Small pieces that several panels use.

import { html } from "./base/html.js";
import { dates, fill, t } from "./base/words.js";
import { LamplighterError, TimeoutError } from "./lamplighter.js";

const times = dates({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });

/** Returns a moment's time of day, to the millisecond. */
export const clock = at => times.format(at);

/** Makes a panel's element, named by the heading with this id. */
export function card(id, kind = "") {
  const element = document.createElement("section");
  element.className = `card ${kind}`.trim();
  element.setAttribute("aria-labelledby", id);
  return element;
}

/** An input under its label; `id` is the input's. */
export const field = (id, name, input, hint) => html`<div class="field"><label for="${id}">${name}</label>${input}${hint}</div>`;

/** Radio buttons from [value, text] pairs. */
export const choice = (name, legend, options, chosen, choose) => html`<fieldset class="choice"><legend class="spoken">${legend}</legend>
  ${options.map(([value, text]) => html`<label><input type="radio" name="${name}" value="${value}" checked=${value === chosen}
    onchange=${() => choose(value)}><span>${text}</span></label>`)}</fieldset>`;

/** Code or a message, which the keyboard can scroll. */
export const block = (label, text) => html`<pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>`;

/**
 * An error, with the reference's explanation of its code.
 * @param {any} error
 * @param {{errors: Object<string, {cause: string, cure: string}>}} contract
 */
export function problem(error, contract) {
  if (!(error instanceof LamplighterError)) {
    return html`<div class="problem"><p>${error instanceof TimeoutError ? t.noAnswer : String(error?.message ?? error)}</p></div>`;
  }
  const known = contract.errors[error.code];
  return html`<div class="problem">
    <p><b>${fill(t.refused, error.code)}</b> ${error.body.message} ${error.field && html`<code>${error.field}</code>`}</p>
    ${known && html`<p lang="en">${known.cause} ${known.cure}</p>`}
    <p><a href="errors.html#${encodeURIComponent(error.code)}">${t.more}</a></p></div>`;
}
