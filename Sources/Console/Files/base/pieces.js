// Small pieces that every page uses.

import { html, render } from './html.js';
import { t, fill, ago, exact, count, language, speak } from './words.js';
import { to } from './route.js';

/** An icon of the sprite, hidden from screen readers. */
export const icon = name => html`<svg class="icon" aria-hidden="true"><use href="icons.svg#${name}"/></svg>`;

/** <ll-time>: a relative time that is kept current, with the exact time as its title. */
class Time extends HTMLElement {
  set at(at) {
    this.moment = at;
    this.said = null;
    this.show();
  }

  connectedCallback() {
    times.add(this);
  }

  disconnectedCallback() {
    times.delete(this);
  }

  show() {
    const { moment } = this;
    const said = moment === undefined || moment === null ? '–' : ago(moment);
    if (said === this.said) return;
    this.said = said;
    render(said === '–' ? said : html`<time datetime="${new Date(moment).toISOString()}" title="${exact(moment)}">${said}</time>`, this);
  }
}
const times = new Set();
setInterval(() => { if (!document.hidden) times.forEach(time => time.show()); }, 5000);
customElements.define('ll-time', Time);

/** A moment, relative to now. */
export const when = at => (at === undefined || at === null ? '–' : html`<ll-time .at=${at}></ll-time>`);

/** Whether a device is online, in a word and a sign. */
export const presence = online => html`<span class="nowrap"><span class="${online ? 'dot good' : 'dot off'}"></span> ${online ? t.online : t.offline}</span>`;

/** Whether a step is done, as a sign. */
export const tick = isDone => (isDone ? html`<span class="good">${icon('check')}<span class="hush">${t.guide.done}</span></span>` : icon('wait'));

/** The button that switches to the other language. */
export const languageButton = (kind = '') => html`<button type="button" class="${kind}" lang="${language === 'zh' ? 'en' : 'zh-Hans'}" onclick=${() => speak(language === 'zh' ? 'en' : 'zh')}>${language === 'zh' ? 'English' : '中文'}</button>`;

/** A word on a coloured field. */
export const badge = (text, tone = '') => html`<span class="badge ${tone}">${text}</span>`;

const TONES = {
  done: 'good', delivered: 'good', active: 'good', pass: 'good', accepted: 'good', sent: '', queued: '', sending: '', failed: 'bad', fail: 'bad',
  missed: 'bad', refused: 'bad', expired: 'warn', superseded: 'warn', warn: 'warn', ended: '',
};
/** The state of a command, run, message or check. */
export const state = name => badge(t.states[name] ?? name, TONES[name] ?? '');

/** A link to a device by its name, with the id beside it. */
export const device = (did, name) => html`<a class="${name ? '' : 'nowrap'}" href="${to(['devices', did])}">${name || did}</a>${name && html` <span class="soft small nowrap">${did}</span>`}`;
/** A link to a user. */
export const user = (uid, name) => html`<a class="${name ? '' : 'nowrap'}" href="${to(['users', uid])}">${name || uid}</a>`;

/** Facts in two columns, from [name, value] pairs; pairs without a value are left out. */
export const facts = pairs => html`<dl class="facts">${pairs.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
  .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** The used part of a limit. */
export function usage(used, limit) {
  const part = limit > 0 ? used / limit : 0;
  return html`<span class="row"><span class="bar ${part > 0.9 ? 'bad' : part > 0.7 ? 'warn' : ''}" css=${{ '--part': `${Math.min(100, part * 100)}%` }}><i></i></span>
    <span class="nowrap">${count(used)} / ${count(limit)}</span></span>`;
}

/** A page's placeholder when it has nothing to show, with the next step. */
export const blank = (sign, title, text, more) => html`<div class="blank">${icon(sign)}<h2>${title}</h2><p>${text}</p>${more}</div>`;

/** Text with a button that copies it. */
export const copyable = text => html`<div class="copy"><pre tabindex="0">${text}</pre><button type="button" onclick=${() => copy(text)}>${icon('copy')}${t.copy}</button></div>`;

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell(t.copied);
  } catch {
    tell(t.notCopied);
  }
}

/** A resource in its state: loading, failed, forbidden or loaded; for an empty list, `empty` describes how to fill it. */
export function shown(resource, draw, empty) {
  if (!resource || (resource.loading && !resource.data && !resource.problem)) return html`<p class="loading" role="status">${t.loading}</p>`;
  if (resource.problem && !resource.data) return trouble(resource.problem, resource.again);
  return html`${resource.problem && trouble(resource.problem, resource.again)}
    ${empty && resource.data.items?.length === 0 ? empty() : draw(resource.data)}`;
}

/** The reason why something couldn't be shown or done, and a remedy. */
export function trouble(problem, again) {
  if (problem.status === 403) return blank('refusal', t.problems.forbidden, t.problems.forbiddenWhy);
  if (problem.status === 404) return blank('search', t.problems.missing, problem.detail || t.problems.missingWhy);
  return html`<div class="note bad stack tight" role="alert">
    <p class="strong">${problem.status === 0 ? t.problems.unreachable : problem.title || t.problems.failed}</p>
    <p>${problem.status === 0 ? t.problems.unreachableWhy : problem.detail}</p>
    <p class="row">${again && html`<button type="button" onclick=${again}>${t.again}</button>`}${problem.code && html`<span class="soft small">${problem.code}</span>`}</p></div>`;
}

/** The button that loads a list's next page. */
export function more(view, name) {
  const { data, adding, addingProblem } = view.state[name];
  if (!data?.next) return null;
  return html`${addingProblem && trouble(addingProblem)}
    <p class="row"><button type="button" disabled=${adding} onclick=${() => view.more(name)}>${adding ? t.loading : t.more}</button></p>`;
}

/**
 * Shows a note for a short time; screen readers announce it. If `act` is [words, act], the note
 * offers an act such as undo for ten seconds. Returns the note.
 */
export function tell(text, { tone, undo, act = undo && [t.undo, undo], link } = {}) {
  const note = document.createElement('div');
  const close = () => note.remove();
  render(html`<span>${tone === 'bad' && icon('warn')} ${text}</span>
    ${act && html`<button type="button" onclick=${() => { close(); act[1](); }}>${act[0]}</button>`}
    ${link && html`<a class="button" href="${link[1]}" onclick=${close}>${link[0]}</a>`}`, note);
  document.getElementById('words').append(note);
  setTimeout(close, link ? 60_000 : act ? 10_000 : tone === 'bad' ? 9000 : 3500);
  return note;
}

const waiting = new Set();
/** Carries out all delayed acts now. */
export const settle = () => Promise.all([...waiting].map(act => act()));
addEventListener('pagehide', settle);

/**
 * Carries out an act after ten seconds, or earlier if the page is left. Until then, the user can undo
 * the act. `back` restores the view if the act is undone or fails.
 */
export function soon(text, act, back = () => {}) {
  const run = async () => {
    if (!waiting.delete(run)) return;
    clearTimeout(timer);
    note.remove();
    if (!await attempt(act)) back();
  };
  waiting.add(run);
  const timer = setTimeout(run, 10_000);
  const note = tell(text, { undo: () => { clearTimeout(timer); waiting.delete(run); tell(t.undone); back(); } });
}

/** Carries out an act and reports the outcome; returns its result, or undefined if it failed. */
export async function attempt(act, done) {
  try {
    const result = await act();
    if (done) tell(typeof done === 'function' ? done(result) : done);
    return result === undefined ? true : result;
  } catch (problem) {
    restoreSent();
    tell([problem.title || (problem.status === 0 ? t.problems.unreachable : t.problems.failed), problem.detail].filter(Boolean).join(': '), { tone: 'bad' });
    return undefined;
  }
}

const typed = new Set(); // forms with typed text
// The form that the page sent last. If the service refuses the form, its text counts as unsaved again.
let sent;
// The note on the screen, which warns that another Esc discards the typed text.
let warning;
const unwarn = () => warning?.remove();
addEventListener('input', ({ target }) => {
  if (target.form) typed.add(target.form);
  unwarn();
});
// Forms in dialogs are skipped. A dialog stays open until its form is accepted.
addEventListener('submit', ({ target }) => { if (!target.closest('dialog') && typed.delete(target)) sent = target; });
addEventListener('hashchange', unwarn);
const restoreSent = () => { if (sent) typed.add(sent); };

/** Returns true at the first Esc if an element contains typed text; `discard` or a second Esc discards the text. */
export function keeps(element, discard) {
  const isSaid = warning?.isConnected;
  unwarn();
  if (isSaid || ![...typed].some(form => element.contains(form))) return false;
  warning = tell(t.unsent, { act: [t.discard, discard] });
  return true;
}

/** Opens a dialog whose content `draw` makes; when it closes, the earlier focus is restored. */
export function dialog(label, draw) {
  const element = document.createElement('dialog');
  element.setAttribute('aria-label', label);
  const body = element.appendChild(document.createElement('div'));
  // Notes are shown above the dialog and can be clicked while the dialog is open.
  const words = document.getElementById('words');
  const [ending, at] = [new AbortController(), location.hash];
  const box = {
    element, state: {}, signal: ending.signal, close: () => element.close(),
    set(changes) { Object.assign(box.state, changes); box.redraw(); },
    redraw() { if (!ending.signal.aborted) render(draw(box), body); },
  };
  // Esc is handled as a key, not by the dialog's event `cancel`. After a page has prevented `cancel` once, the browser
  // doesn't fire `cancel` at the next Esc: it closes the dialog, unless the user does something else in between.
  addEventListener('keydown', event => { if (event.key === 'Escape' && keeps(element, box.close)) event.preventDefault(); }, { signal: ending.signal });
  element.addEventListener('close', () => {
    ending.abort();
    unwarn();
    ([...document.querySelectorAll('dialog[open]')].pop() ?? document.body).append(words);
    element.remove();
  });
  // A dialog closes when the operator leaves the page on which it was opened.
  addEventListener('hashchange', () => { if (location.hash !== at) element.close(); }, { signal: ending.signal });
  element.append(words);
  document.body.append(element);
  box.redraw();
  element.showModal();
  // The first field gets the focus, not the button that closes the dialog.
  element.querySelector('input, select, textarea')?.focus();
  return box;
}

/** A dialog's head. */
export const dialogHead = (title, box) => html`<div class="row apart"><h2>${title}</h2>
  <button type="button" class="plain" aria-label="${t.close}" onclick=${box.close}>${icon('close')}</button></div>`;

/** Shows a form with `fields`, passes its values to `send`, and closes the dialog on success. */
export function ask(title, fields, verb, send) {
  dialog(title, box => html`<form onsubmit=${async event => {
    event.preventDefault();
    const made = await attempt(() => send(Object.fromEntries(new FormData(event.target))));
    if (made) box.close();
  }}>${dialogHead(title, box)}${fields}<div class="row end"><button type="button" onclick=${box.close}>${t.cancel}</button><button class="main">${verb}</button></div></form>`);
}

/**
 * Asks for confirmation of an act that can't be undone: lists what is lost and what is kept, and
 * requires the id to be typed.
 */
export function askTyped({ title, loses, keeps, id, verb, act }) {
  dialog(title, box => html`<form onsubmit=${event => {
    event.preventDefault();
    if (box.state.typed === id) { box.close(); act(); }
  }}>
    ${dialogHead(title, box)}
    <p>${t.disappears}</p>
    <ul class="stack tight">${loses.map(text => html`<li class="row">${icon('fail')}<span class="any">${text}</span></li>`)}</ul>${keeps && html`<p class="any">${keeps}</p>`}
    <label><span>${fill(t.typeId, id)}</span><input autocomplete="off" spellcheck="false" value="${box.state.typed ?? ''}" oninput=${event => box.set({ typed: event.target.value })}></label>
    <div class="row end"><button type="button" onclick=${box.close}>${t.cancel}</button><button class="danger" disabled=${box.state.typed !== id}>${verb}</button></div>
  </form>`);
}

/** Chips, one of which is chosen; each chip is a link, so that the address contains the choice. */
export const chips = (label, options, chosen) => html`<nav class="chips" aria-label="${label}">${options.map(({ id, text, href, number }) =>
  html`<a href="${href}" aria-current=${id === chosen ? 'true' : null}>${text}${number !== undefined && html` <span class="soft">${count(number)}</span>`}</a>`)}</nav>`;
