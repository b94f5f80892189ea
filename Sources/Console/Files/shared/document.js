// An editor for JSON documents. Before saving, it lists the changes, and warns of changes that devices or apps don't fit.

import { html } from '../base/html.js';
import { t, fill, count, value } from '../base/words.js';
import { post } from '../base/api.js';
import { trouble, dialog, dialogHead } from '../base/pieces.js';

/**
 * Opens the editor. `save(document, force)` stores the document; `force` stores it even if it
 * breaks something. `form(document, change)` draws the document as a form beside the JSON.
 */
export function editDocument({ title, document, check, save, done, form }) {
  dialog(title, box => {
    const { text = JSON.stringify(document, null, 2), found, problem, busy, isForm = !!form } = box.state;
    const edit = text => box.set({ text, found: null, problem: null });
    const read = () => {
      try {
        return JSON.parse(text);
      } catch (error) {
        box.set({ problem: { status: 400, title: t.document.notJSON, detail: error.message }, found: null });
        return undefined;
      }
    };
    const run = async act => {
      const parsed = read();
      if (parsed === undefined) return;
      box.set({ busy: true, problem: null });
      try {
        await act(parsed);
      } catch (problem) {
        box.set({ problem });
      }
      box.set({ busy: false });
    };
    const toForm = () => {
      try {
        if (read() !== undefined) box.set({ isForm: true });
      } catch {
        // If a member has the wrong kind, the form can't be shown. The service's check names the member.
        box.set({ isForm: false });
        look();
      }
    };
    const look = () => run(async parsed => box.set({ found: await post(check, parsed) }));
    const store = () => run(async parsed => { const made = await save(parsed, found.breaks.length > 0); box.close(); done(made); });
    return html`<form onsubmit=${event => { event.preventDefault(); if (found && !found.problems.length) store(); else look(); }}>
      ${dialogHead(title, box)}
      <p class="soft">${t.document.about}</p>
      ${form && html`<p class="choices"><button type="button" aria-pressed="${isForm}" onclick=${toForm}>${t.document.form}</button><button type="button" aria-pressed="${!isForm}" onclick=${() => box.set({ isForm: false })}>JSON</button></p>`}
      ${isForm ? form(JSON.parse(text), changed => edit(JSON.stringify(changed, null, 2)))
        : html`<label><span>JSON</span><textarea spellcheck="false" value="${text}" oninput=${event => edit(event.target.value)}></textarea></label>`}
      ${problem && trouble(problem)}
      ${found && findings(found)}
      <div class="row end"><button type="button" onclick=${box.close}>${t.cancel}</button>${found && !found.problems.length ? html`<button class="${found.breaks.length ? 'danger' : 'main'}" disabled=${busy}>${found.breaks.length ? t.document.saveAnyway : t.document.save}</button>`
        : html`<button class="main" disabled=${busy}>${t.document.look}</button>`}</div></form>`;
  });
}

function findings({ isNew, problems, changes, breaks }) {
  return html`<section class="stack" aria-live="polite">
    ${problems.length > 0 && html`<div class="note bad"><p class="strong">${t.document.problems}</p><ul>${problems.map(({ field, message }) => html`<li>${field && html`<code>${field}</code>`} ${message}</li>`)}</ul></div>`}
    ${breaks.length > 0 && html`<div class="note warn"><p class="strong">${t.document.breaks}</p><ul>${breaks.map(({ path, why, devices }) => html`<li><code>${path}</code> ${t.document.why[why] ?? why}${devices > 0 && html` <span class="strong">${fill(t.document.devices, count(devices))}</span>`}</li>`)}</ul></div>`}
    ${!problems.length && (isNew ? html`<p class="note good">${t.document.isNew}</p>` : !changes.length ? html`<p class="note">${t.document.nothing}</p>`
      : html`<div class="diff code">${changes.map(({ path, before, after }) => html`<span class="strong">${path}</span>${before !== undefined && html`<del>− ${value(before)}</del>`}${after !== undefined && html`<ins>+ ${value(after)}</ins>`}`)}</div>`)}</section>`;
}

/** The values before and after, side by side. */
export const compared = (before, after) => html`<div class="diff code">${before !== undefined && html`<del>− ${value(before)}</del>`}${after !== undefined && html`<ins>+ ${value(after)}</ins>`}</div>`;
