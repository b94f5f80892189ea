// Small pieces that every page is made of.

import { html, render } from './html.js';
import { t, fill, ago, exact, count } from './words.js';
import { to } from './route.js';

/** An icon of the sprite; it says nothing to a screen reader. */
export const icon = name => html`<svg class="icon" aria-hidden="true"><use href="icons.svg#${name}"/></svg>`;

/** <ll-time>: a moment as people say it, kept true, with the exact one behind it. */
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

/** Whether a device is there, in a word and a sign. */
export const presence = online => html`<span class="nowrap"><span class="${online ? 'dot good' : 'dot off'}"></span> ${online ? t.online : t.offline}</span>`;

/** A word in a coloured field. */
export const badge = (text, tone = '') => html`<span class="badge ${tone}">${text}</span>`;

const TONES = {
  done: 'good', delivered: 'good', active: 'good', pass: 'good', accepted: 'good', sent: '', queued: '', sending: '', failed: 'bad', fail: 'bad',
  missed: 'bad', refused: 'bad', expired: 'warn', superseded: 'warn', warn: 'warn', ended: '',
};
/** The state of a command, run, message or check. */
export const state = name => badge(t.states[name] ?? name, TONES[name] ?? '');

/** A device's link by its name, with the id beside. */
export const device = (did, name) => html`<a class="${name ? '' : 'nowrap'}" href="${to(['devices', did])}">${name || did}</a>${name && html` <span class="soft small nowrap">${did}</span>`}`;
/** A user's link. */
export const user = (uid, name) => html`<a class="${name ? '' : 'nowrap'}" href="${to(['users', uid])}">${name || uid}</a>`;

/** Facts in two columns: [name, value] pairs; those without a value are left out. */
export const facts = pairs => html`<dl class="facts">${pairs.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
  .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** How much of a limit is used. */
export function usage(used, limit) {
  const part = limit > 0 ? used / limit : 0;
  return html`<span class="row"><span class="bar ${part > 0.9 ? 'bad' : part > 0.7 ? 'warn' : ''}" css=${{ '--part': `${Math.min(100, part * 100)}%` }}><i></i></span>
    <span class="nowrap">${count(used)} / ${count(limit)}</span></span>`;
}

/** What a page shows where it has nothing to show, with the next step. */
export const blank = (sign, title, text, more) => html`<div class="blank">${icon(sign)}<h2>${title}</h2><p>${text}</p>${more}</div>`;

/** Text to copy, with a button that does. */
export const copyable = text => html`<div class="copy"><pre tabindex="0">${text}</pre><button type="button" onclick=${() => copy(text)}>${icon('copy')}${t.copy}</button></div>`;

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell(t.copied);
  } catch {
    tell(t.notCopied);
  }
}

/** A resource's state: loading, failed, forbidden, or what it is; a list that is empty says what would fill it. */
export function shown(resource, draw, empty) {
  if (!resource || (resource.loading && !resource.data && !resource.problem)) return html`<p class="loading" role="status">${t.loading}</p>`;
  if (resource.problem && !resource.data) return trouble(resource.problem, resource.again);
  return html`${resource.problem && trouble(resource.problem, resource.again)}
    ${empty && resource.data.items?.length === 0 ? empty() : draw(resource.data)}`;
}

/** Why something could not be shown or done, and what to do about it. */
export function trouble(problem, again) {
  if (problem.status === 403) return blank('refusal', t.problems.forbidden, t.problems.forbiddenWhy);
  if (problem.status === 404) return blank('search', t.problems.missing, problem.detail || t.problems.missingWhy);
  return html`<div class="note bad stack tight" role="alert">
    <p class="strong">${problem.status === 0 ? t.problems.unreachable : problem.title || t.problems.failed}</p>
    <p>${problem.status === 0 ? t.problems.unreachableWhy : problem.detail}</p>
    <p class="row">${again && html`<button type="button" onclick=${again}>${t.again}</button>`}${problem.code && html`<span class="soft small">${problem.code}</span>`}</p></div>`;
}

/** The button behind a list that goes on. */
export function more(view, name) {
  const { data, adding, addingProblem } = view.state[name];
  if (!data?.next) return null;
  return html`${addingProblem && trouble(addingProblem)}
    <p class="row"><button type="button" disabled=${adding} onclick=${() => view.more(name)}>${adding ? t.loading : t.more}</button></p>`;
}

/** Says something in passing, to eyes and ears; with an act for ten seconds, [words, act], as to undo it. Gives back what is shown. */
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
/** Has all done now that waits. */
export const settle = () => Promise.all([...waiting].map(act => act()));
addEventListener('pagehide', settle);

/** Does something ten seconds from now, or when the page is left, unless it is undone; `back` shows what was before then, and where it failed. */
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

/** Does something now, and says how it went; gives back its result, or undefined. */
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

const typed = new Set(); // forms in which something was typed
let sent; // the form of a page that was sent last: what it holds is not lost with it, unless it is refused
let warning; // what said that Esc discards it
const unwarn = () => warning?.remove();
addEventListener('input', ({ target }) => {
  if (target.form) typed.add(target.form);
  unwarn();
});
// A dialog stays open with what is refused, and ends with what is not.
addEventListener('submit', ({ target }) => { if (!target.closest('dialog') && typed.delete(target)) sent = target; });
addEventListener('hashchange', unwarn);
const restoreSent = () => { if (sent) typed.add(sent); };

/** Keeps what was typed in an element from the first Esc, and says so; `discard` is for who means it, as is another Esc. */
export function keeps(element, discard) {
  const isSaid = warning?.isConnected;
  unwarn();
  if (isSaid || ![...typed].some(form => element.contains(form))) return false;
  warning = tell(t.unsent, { act: [t.discard, discard] });
  return true;
}

/** Opens a dialog whose content is drawn by a function; closing it gives the keyboard back to where it was. */
export function dialog(label, draw) {
  const element = document.createElement('dialog');
  element.setAttribute('aria-label', label);
  const body = element.appendChild(document.createElement('div'));
  // What is said in passing is over the dialog, and may be pressed, while it is open.
  const words = document.getElementById('words');
  const [ending, at] = [new AbortController(), location.hash];
  const box = {
    element, state: {}, signal: ending.signal, close: () => element.close(),
    set(changes) { Object.assign(box.state, changes); box.redraw(); },
    redraw() { if (!ending.signal.aborted) render(draw(box), body); },
  };
  // Not by the event `cancel`: browsers leave it out where they see no other act of the person since the last one.
  addEventListener('keydown', event => { if (event.key === 'Escape' && keeps(element, box.close)) event.preventDefault(); }, { signal: ending.signal });
  element.addEventListener('close', () => {
    ending.abort();
    unwarn();
    ([...document.querySelectorAll('dialog[open]')].pop() ?? document.body).append(words);
    element.remove();
  });
  // It belongs to the page that it was opened on.
  addEventListener('hashchange', () => { if (location.hash !== at) element.close(); }, { signal: ending.signal });
  element.append(words);
  document.body.append(element);
  box.redraw();
  element.showModal();
  // What is asked comes first, not the button that closes.
  element.querySelector('input, select, textarea')?.focus();
  return box;
}

/** The head of a dialog. */
export const dialogHead = (title, box) => html`<div class="row apart"><h2>${title}</h2>
  <button type="button" class="plain" aria-label="${t.close}" onclick=${box.close}>${icon('close')}</button></div>`;

/** Asks for something in a form; what its fields have goes to `send`, and the dialog closes once that is done. */
export function ask(title, fields, verb, send) {
  dialog(title, box => html`<form onsubmit=${async event => {
    event.preventDefault();
    const made = await attempt(() => send(Object.fromEntries(new FormData(event.target))));
    if (made) box.close();
  }}>${dialogHead(title, box)}${fields}<div class="row end"><button type="button" onclick=${box.close}>${t.cancel}</button><button class="main">${verb}</button></div></form>`);
}

/** Asks for something that cannot be taken back: names what disappears, and wants the id typed. */
export function askTyped({ title, loses, id, verb, act }) {
  dialog(title, box => html`<form onsubmit=${event => {
    event.preventDefault();
    if (box.state.typed === id) { box.close(); act(); }
  }}>
    ${dialogHead(title, box)}
    <p>${t.disappears}</p>
    <ul class="stack tight">${loses.map(text => html`<li class="row">${icon('fail')}<span class="any">${text}</span></li>`)}</ul>
    <label><span>${fill(t.typeId, id)}</span><input autocomplete="off" spellcheck="false" value="${box.state.typed ?? ''}" oninput=${event => box.set({ typed: event.target.value })}></label>
    <div class="row end"><button type="button" onclick=${box.close}>${t.cancel}</button><button class="danger" disabled=${box.state.typed !== id}>${verb}</button></div>
  </form>`);
}

/** Chips of which one is chosen; each is a link, so that the address says it. */
export const chips = (label, options, chosen) => html`<nav class="chips" aria-label="${label}">${options.map(({ id, text, href, number }) =>
  html`<a href="${href}" aria-current=${id === chosen ? 'true' : null}>${text}${number !== undefined && html` <span class="soft">${count(number)}</span>`}</a>`)}</nav>`;
