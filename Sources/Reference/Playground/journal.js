// The messages between app, service and lamp in order of time. Each message is in the lane of its connection.

import { html, render } from "./base/html.js";
import { fill, t } from "./base/words.js";
import { maskedText, readable } from "./mask.js";
import { block, card, choice, clock } from "./pieces.js";
import { Describer } from "./step.js";

const KEPT_MAX = 400;
/** The list scrolls to new entries if it's at most this many pixels from its end. */
const END = 24;

let made = 0;

export class Journal {
  element = card("messages", "messages");
  describers = { app: new Describer(), lamp: new Describer() };
  entries = [];
  /** The entries held back while the journal is paused. */
  held = [];
  isPaused = false;
  unseen = 0;
  shown = "all";

  /**
   * @param {(request: {method: string, params: object}) => void} choose Receives the request that
   *   the reader wants to copy.
   */
  constructor(choose) {
    this.choose = choose;
    this.draw();
    this.list = this.element.querySelector("ol");
  }

  get isAtEnd() { return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < END; }

  /**
   * Adds a step of a connection.
   * @param {"app"|"lamp"} who
   * @param {import("./mqtt.js").Trace} step
   */
  add(who, step) {
    const entry = { number: made += 1, who, step, at: new Date(), isOpen: false, ...this.describers[who].describe(step) };
    if (!this.isPaused) return this.show([entry]);
    this.held.push(entry);
    if (this.held.length > KEPT_MAX) this.held.shift();
    this.draw();
  }

  show(entries) {
    // The list scrolls to new entries only if it is scrolled to its end and no entry is open.
    const follows = this.isAtEnd && !this.entries.some(({ isOpen }) => isOpen);
    this.unseen += follows ? 0 : entries.length;
    this.entries.push(...entries);
    this.draw();
    const before = this.list.scrollHeight;
    this.entries.splice(0, this.entries.length - KEPT_MAX);
    this.draw();
    if (follows) this.follow();
    else this.list.scrollTop -= before - this.list.scrollHeight;
  }

  follow() {
    this.list.scrollTop = this.list.scrollHeight;
    this.see();
  }

  see() {
    this.unseen = 0;
    this.draw();
  }

  pause() {
    this.isPaused = !this.isPaused;
    this.show(this.held.splice(0));
  }

  clear() {
    this.entries = [];
    this.see();
  }

  /**
   * Marks the entries that are related to an entry, such as the answer to a request, or the report that a command
   * caused.
   */
  relate(item) {
    const items = [...this.list.children];
    const { keys } = this.entries[items.indexOf(item)] ?? { keys: [] };
    items.forEach((other, i) => other.classList.toggle("related", other !== item && this.entries[i].keys.some(key => keys.includes(key))));
  }

  toggle(entry) {
    entry.isOpen = !entry.isOpen;
    entry.view = null;
    this.draw();
  }

  // Views

  draw() {
    const { entries, held, isPaused, unseen } = this;
    const show = shown => {
      this.shown = shown;
      this.draw();
    };
    const relate = event => this.relate(event.target.closest("li"));
    render(html`
      <div class="head"><h2 id="messages">${t.messages}</h2>
        ${choice("show", t.show, [["all", t.everything], ["app", t.app], ["lamp", t.lamp]], this.shown, show)}
        <div class="row"><button type="button" hidden=${unseen === 0} onclick=${() => this.follow()}>${fill(t.newer, unseen)}</button>
          <span class="soft">${isPaused && fill(t.paused, held.length)}</span>
          <button type="button" aria-pressed="${isPaused}" onclick=${() => this.pause()}>${isPaused ? t.resume : t.pause}</button>
          <button type="button" onclick=${() => this.clear()}>${t.clear}</button></div></div>
      <p class="soft">${t.messagesLead}</p>
      <div class="lanes" aria-hidden="true"><span>${t.app}</span><span>${t.service}</span><span>${t.lamp}</span></div>
      <p class="empty" hidden=${entries.length > 0}>${t.nothingYet}</p>
      <ol class="journal" data-show="${this.shown}" onscroll=${() => { if (unseen && this.isAtEnd) this.see(); }}
        onpointerover=${relate} onfocusin=${relate} onpointerleave=${() => this.relate(null)}>
        ${entries.map(entry => entry.view ??= this.entry(entry))}</ol>`, this.element);
  }

  entry(entry) {
    const { number, who, step, at, isOpen, title, detail, request } = entry;
    const isMessage = step.topic !== undefined;
    const isOut = step.what !== "received" && (isMessage || step.what === "subscribe" || step.what === "connecting");
    return html`<li key=${number} class="${who} ${isOut ? "out" : "in"} ${isMessage ? "" : "step"}">
      <button type="button" aria-expanded="${isOpen}" aria-controls="message-${number}" onclick=${() => this.toggle(entry)}>
        <span class="when">${clock(at)}</span><span class="spoken">${fill(isOut ? t.toService : t.fromService, t[who])}: </span>
        <span class="arrow"><b>${maskedText(title)}</b><small>${detail}</small></span></button>
      <div id="message-${number}" class="whole" hidden=${!isOpen}>${isOpen && whole(step, at)}
        ${isOpen && request && html`<button type="button" onclick=${() => this.choose(request)}>${t.sameCall}</button>`}</div></li>`;
  }
}

/** Returns a whole message without its secrets. */
function whole(step, at) {
  const topics = step.filters ?? (step.topic === undefined ? [] : [step.topic]);
  const text = readable(step.payload ?? "");
  return html`<dl><dt>${t.time}</dt><dd><time datetime="${at.toISOString()}">${at.toISOString()}</time></dd>
      ${topics.length > 0 && html`<dt>${t.topic}</dt><dd>${topics.map(topic => html`<code>${maskedText(topic)}</code>`)}</dd>`}</dl>
    ${text ? block(t.payload, text) : step.payload === "" && html`<p class="soft">${t.noPayload}</p>`}`;
}
