// The lamp on the table: its picture, its switch, its plug, and its label.

import { el, say } from "./dom.js";
import { LampPicture } from "./lamp-picture.js";
import { words } from "./words.js";

export class LampPanel {
  /** @param {import("./lamp.js").Lamp} lamp */
  constructor(lamp) {
    this.lamp = lamp;
    /** Called when anything about the lamp changes. */
    this.onchange = () => {};
    this.picture = new LampPicture();
    this.state = el("span", { class: "state", role: "status" });
    this.line = el("p", { class: "lamp-line" });
    this.plug = el("button", { type: "button", onclick: () => lamp.phase === "unplugged" ? lamp.plugIn() : lamp.unplug() });
    this.cover = el("button", { type: "button", title: words.coverHint, onclick: () => lamp.overheat(!lamp.isOverheated) });
    this.did = el("code", {});
    this.note = el("p", { class: "soft", role: "status" });
    this.element = el("section", { class: "card", "aria-labelledby": "lamp" },
      el("div", { class: "head" }, el("h2", { id: "lamp" }, words.lamp), this.state),
      this.picture.element, this.line,
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => lamp.press() }, words.press), this.plug, this.cover),
      this.note,
      el("h3", {}, words.identity),
      el("dl", { class: "label" },
        el("dt", {}, words.did), el("dd", {}, this.did),
        el("dt", {}, words.passcode), el("dd", {}, this.passcode = el("code", {})),
        el("dt", {}, words.mac), el("dd", {}, this.mac = el("code", {}))),
      el("small", { class: "soft" }, words.identityHint),
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => lamp.renew() }, words.freshLamp)));
    lamp.onchange = () => {
      this.draw();
      this.onchange();
    };
    this.draw();
  }

  draw() {
    const { lamp } = this;
    const isPlugged = lamp.phase !== "unplugged";
    const text = words.lampIs(lamp.values, lamp.isOverheated);
    this.picture.show(lamp.values, { isHot: lamp.isOverheated, isPlugged, text: `${words.lamp}: ${text}` });
    this.state.dataset.state = lamp.isOnline ? "online" : "away";
    say(this.state, words.phase[lamp.phase]);
    say(this.line, text);
    say(this.plug, isPlugged ? words.unplug : words.plugIn);
    say(this.cover, lamp.isOverheated ? words.uncover : words.cover);
    say(this.did, lamp.did ?? "–");
    say(this.passcode, lamp.passcode);
    say(this.mac, lamp.mac);
    const waiting = lamp.isOnline ? 0 : lamp.reports.size;
    say(this.note, [lamp.problem ? words.refusedFor(lamp.problem) : "", waiting ? words.waitingReports(waiting) : ""].filter(Boolean).join(" "));
  }
}
