// A device as the app sees it: its last report and its controls.

import { clock, el, freshId, say } from "./dom.js";
import { MODES } from "./lamp.js";
import { problem } from "./problem.js";
import { words } from "./words.js";

export class DeviceView {
  /** @param {import("./app-panel.js").AppPanel} panel @param {string} did */
  constructor(panel, did) {
    this.panel = panel;
    this.did = did;
    this.name = el("h3", {}, did);
    this.state = el("span", { class: "state" });
    this.about = el("span", { class: "soft" });
    this.points = el("div", { class: "points" });
    this.outcome = el("div", { class: "outcome", role: "status" });
    this.queue = el("input", { type: "checkbox", id: freshId("queue") });
    /** @type {Map<string, {element: HTMLElement, show: (value: any) => void}>} */
    this.controls = new Map();
    this.element = el("section", { class: "device" },
      el("div", { class: "head" }, this.name, this.state,
        el("button", { type: "button", onclick: () => panel.request("device/unbind", { did }).catch(error => this.fail(error)) }, words.unbind)),
      this.about, this.points,
      el("p", { class: "check" }, this.queue, el("label", { for: this.queue.id }, words.queue)), this.outcome);
  }

  /** Shows the newest status. */
  update(status, name) {
    this.status = status;
    say(this.name, name || this.did);
    this.state.dataset.state = status.online ? "online" : "away";
    say(this.state, status.online ? words.online : words.offline);
    say(this.about, [words.version(status.version), words.reportedAt(clock(new Date(status.ts))), ...status.alerts, ...status.faults].join(" · "));
    for (const [name, value] of Object.entries(status.data)) {
      if (!this.controls.has(name)) {
        this.controls.set(name, this.control(name, value));
        this.points.append(this.controls.get(name).element);
      }
      this.controls.get(name).show(value);
    }
  }

  control(name, value) {
    if (typeof value === "boolean") return this.toggle(name);
    if (name === "brightness" && typeof value === "number") return this.slider(name);
    if (name === "mode" && MODES.includes(value)) return this.choice(name);
    const shown = el("output", {});
    return {
      element: el("div", { class: "point" }, el("span", {}, words[name] ?? name), shown),
      show: next => say(shown, typeof next === "string" ? next : JSON.stringify(next) + (name === "temperature" ? " °C" : "")),
    };
  }

  toggle(name) {
    const label = el("span", { id: freshId("point") }, words[name] ?? name);
    const knob = el("button", {
      type: "button", role: "switch", "aria-checked": "false", "aria-labelledby": label.id,
      onclick: () => this.command({ [name]: !this.status.data[name] }),
    });
    return {
      element: el("div", { class: "point" }, label, knob),
      show: value => {
        knob.setAttribute("aria-checked", String(value));
        say(knob, value ? words.on : words.off);
      },
    };
  }

  slider(name) {
    const input = el("input", { type: "range", min: 0, max: 100, id: freshId("point") });
    const shown = el("output", { for: input.id });
    input.addEventListener("input", () => { shown.textContent = `${input.value} %`; });
    input.addEventListener("change", () => this.command({ [name]: Number(input.value) }));
    return {
      element: el("div", { class: "point" }, el("label", { for: input.id }, words[name]), input, shown),
      show: value => {
        input.value = String(value);
        say(shown, `${value} %`);
      },
    };
  }

  choice(name) {
    const input = el("select", {
      id: freshId("point"), onchange: () => this.command({ [name]: input.value }),
    }, MODES.map(mode => el("option", { value: mode }, words.modes[mode])));
    return {
      element: el("div", { class: "point" }, el("label", { for: input.id }, words[name]), input),
      show: value => { input.value = value; },
    };
  }

  /** Sends a command to the device, and shows the outcome. */
  async command(data) {
    const began = performance.now();
    say(this.outcome, words.sending);
    const isQueued = this.queue.checked;
    const params = isQueued ? { did: this.did, data, mode: "queue" } : { did: this.did, data, wait: true };
    try {
      const { cid, state, code } = await this.panel.request("device/control", params, 40000);
      say(this.outcome, words.outcome[state](cid, Math.round(performance.now() - began), code));
    } catch (error) {
      this.fail(error);
    }
    // A value that wasn't carried out isn't shown.
    this.update(this.status, this.name.textContent);
  }

  fail(error) { this.outcome.replaceChildren(problem(error, this.panel.contract)); }
}
