// The messages between app, service and lamp in order of time, each in the lane of its connection.

import { clock, el, freshId, spoken } from "./dom.js";
import { maskedText, readable } from "./mask.js";
import { Describer } from "./step.js";
import { words } from "./words.js";

const KEPT_MAX = 400;
/** The distance from its end, in pixels, within which the list scrolls to new entries. */
const END = 24;

export class Journal {
  /**
   * @param {(request: {method: string, params: object}) => void} choose Receives the request that
   *   the reader wants to copy.
   */
  constructor(choose) {
    this.choose = choose;
    this.describers = { app: new Describer(), lamp: new Describer() };
    this.names = { app: words.app, lamp: words.lamp };
    /** @type {Array<HTMLElement>} The entries held back while the journal is paused. */
    this.held = [];
    this.isPaused = false;
    this.unseen = 0;
    this.keys = new WeakMap();
    this.list = el("ol", { class: "journal", "data-show": "all", onscroll: () => this.isAtEnd && this.seen() });
    for (const kind of ["pointerover", "focusin"]) {
      this.list.addEventListener(kind, event => this.relate(event.target.closest("li")));
    }
    this.list.addEventListener("pointerleave", () => this.relate(null));
    this.empty = el("p", { class: "empty" }, words.nothingYet);
    this.newer = el("button", { type: "button", hidden: true, onclick: () => this.follow() });
    this.count = el("span", { class: "soft" });
    this.pauser = el("button", { type: "button", "aria-pressed": "false", onclick: () => this.pause(!this.isPaused) }, words.pause);
    this.element = el("section", { class: "card messages", "aria-labelledby": "messages" },
      el("div", { class: "head" },
        el("h2", { id: "messages" }, words.messages),
        this.filter(),
        el("div", { class: "row" }, this.newer, this.count, this.pauser, el("button", { type: "button", onclick: () => this.clear() }, words.clear))),
      el("p", { class: "soft" }, words.messagesLead),
      el("div", { class: "lanes", "aria-hidden": "true" }, el("span", {}, words.app), el("span", {}, words.service), el("span", {}, words.lamp)),
      this.empty, this.list);
  }

  filter() {
    const name = freshId("show");
    const choices = [["all", words.everything], ["app", words.app], ["lamp", words.lamp]];
    return el("fieldset", { class: "choice" }, el("legend", { class: "spoken" }, words.show), choices.map(([value, text]) => el("label", {},
      el("input", { type: "radio", name, value, checked: value === "all", onchange: () => { this.list.dataset.show = value; } }),
      el("span", {}, text))));
  }

  get isAtEnd() { return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < END; }

  /**
   * Adds a step of a connection.
   * @param {"app"|"lamp"} who
   * @param {import("./mqtt.js").Trace} step
   */
  add(who, step) {
    const entry = this.entry(who, step, new Date());
    if (this.isPaused) {
      this.held.push(entry);
      if (this.held.length > KEPT_MAX) this.held.shift();
      this.count.textContent = words.paused(this.held.length);
    } else {
      this.show([entry]);
    }
  }

  show(entries) {
    // An entry that the reader is reading stays where it is.
    const follows = this.isAtEnd && !this.list.querySelector("[aria-expanded=true]");
    this.list.append(...entries);
    const before = this.list.scrollHeight;
    while (this.list.childElementCount > KEPT_MAX) this.list.firstElementChild.remove();
    this.empty.hidden = this.list.childElementCount > 0;
    if (follows) return this.follow();
    this.list.scrollTop -= before - this.list.scrollHeight;
    this.unseen += entries.length;
    this.newer.textContent = words.newer(this.unseen);
    this.newer.hidden = false;
  }

  follow() {
    this.list.scrollTop = this.list.scrollHeight;
    this.seen();
  }

  seen() {
    this.unseen = 0;
    this.newer.hidden = true;
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    this.pauser.setAttribute("aria-pressed", String(isPaused));
    this.pauser.textContent = isPaused ? words.resume : words.pause;
    this.count.textContent = isPaused ? words.paused(0) : "";
    this.show(this.held.splice(0));
  }

  clear() {
    this.list.replaceChildren();
    this.empty.hidden = false;
    this.seen();
  }

  /**
   * Marks the entries related to one: the answer to a request, the report that a command caused.
   */
  relate(entry) {
    const keys = this.keys.get(entry) ?? [];
    for (const other of this.list.children) {
      other.classList.toggle("related", other !== entry && this.keys.get(other).some(key => keys.includes(key)));
    }
  }

  entry(who, step, at) {
    const { title, detail, keys, request } = this.describers[who].describe(step);
    const isMessage = step.topic !== undefined;
    const direction = step.what === "received" ? "in" : isMessage || step.what === "subscribe" || step.what === "connecting" ? "out" : "in";
    const way = direction === "out" ? words.toService(this.names[who]) : words.fromService(this.names[who]);
    const more = el("div", { id: freshId("message"), class: "whole", hidden: true });
    const button = el("button", {
      type: "button", "aria-expanded": "false", "aria-controls": more.id,
      onclick: () => this.toggle(button, more, step, at, request),
    },
    el("span", { class: "when" }, clock(at)), spoken(`${way}: `),
    el("span", { class: "arrow" }, el("b", {}, maskedText(title)), el("small", {}, detail)));
    const item = el("li", { class: `${who} ${direction}${isMessage ? "" : " step"}` }, button, more);
    this.keys.set(item, keys);
    return item;
  }

  toggle(button, more, step, at, request) {
    const opens = more.hidden;
    button.setAttribute("aria-expanded", String(opens));
    more.hidden = !opens;
    more.replaceChildren(...opens ? whole(step, at) : []);
    if (opens && request) {
      more.append(el("button", { type: "button", onclick: () => this.choose(request) }, words.sameCall));
    }
  }
}

/** Returns a whole message without its secrets. */
function whole(step, at) {
  const rows = [[words.time, el("time", { datetime: at.toISOString() }, at.toISOString())]];
  const topics = step.filters ?? (step.topic === undefined ? [] : [step.topic]);
  if (topics.length) rows.push([words.topic, el("span", {}, topics.map(topic => el("code", {}, maskedText(topic))))]);
  const list = el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat());
  if (step.payload === undefined) return [list];
  const text = readable(step.payload);
  return [list, text ? el("pre", { tabindex: "0", "aria-label": words.payload }, el("code", {}, text)) : el("p", { class: "soft" }, words.noPayload)];
}
