// A device as the app sees it: its last report and its controls.

import { html } from "./base/html.js";
import { fill, t } from "./base/words.js";
import { MODES } from "./lamp.js";
import { clock, problem } from "./pieces.js";

export class DeviceView {
  status = null;
  outcome = "";
  isQueued = false;
  /** The values that the reader has chosen and that aren't confirmed yet. */
  chosen = {};

  /** @param {import("./app-panel.js").AppPanel} panel @param {string} did */
  constructor(panel, did) { Object.assign(this, { panel, did }); }

  view() {
    const { did, panel, status } = this;
    const about = [fill(t.version, status.version), fill(t.reportedAt, clock(new Date(status.ts))), ...status.alerts, ...status.faults];
    return html`<section class="device" key=${did}>
      <div class="head"><h3>${panel.names.get(did) || did}</h3>
        <span class="state" data-state="${status.online ? "online" : "away"}">${status.online ? t.online : t.offline}</span>
        <button type="button" onclick=${() => this.attempt(() => panel.request("device/unbind", { did }))}>${t.unbind}</button></div>
      <span class="soft">${about.join(" · ")}</span>
      <div class="points">${Object.entries(status.data).map(([name, value]) => this.point(name, value))}</div>
      <p class="check"><input type="checkbox" id="${did}-queue" onchange=${event => { this.isQueued = event.target.checked; }}>
        <label for="${did}-queue">${t.queue}</label></p>
      <div class="outcome" role="status">${this.outcome}</div></section>`;
  }

  /** A data point with its control, or its value if it has none. */
  point(name, value) {
    const id = `${this.did}-${name}`, label = t.points[name] ?? name, chosen = this.chosen[name] ?? value;
    if (typeof value === "boolean") {
      return html`<div class="point" key=${name}><span id="${id}">${label}</span>
        <button type="button" role="switch" aria-checked="${value}" aria-labelledby="${id}" onclick=${() => { this.command({ [name]: !value }); }}>
          ${value ? t.on : t.off}</button></div>`;
    }
    if (name === "brightness" && typeof value === "number") {
      return html`<div class="point" key=${name}><label for="${id}">${label}</label>
        <input type="range" min="0" max="100" id="${id}" value="${chosen}" oninput=${event => this.choose({ [name]: Number(event.target.value) })}
          onchange=${event => this.command({ [name]: Number(event.target.value) })}>
        <output for="${id}">${chosen} %</output></div>`;
    }
    if (name === "mode" && MODES.includes(value)) {
      return html`<div class="point" key=${name}><label for="${id}">${label}</label>
        <select id="${id}" value="${chosen}" onchange=${event => this.command({ [name]: event.target.value })}>
          ${MODES.map(mode => html`<option value="${mode}">${t.modes[mode]}</option>`)}</select></div>`;
    }
    const unit = name === "temperature" ? " °C" : "";
    return html`<div class="point" key=${name}><span>${label}</span>
      <output>${typeof value === "string" ? value : JSON.stringify(value) + unit}</output></div>`;
  }

  choose(data) {
    Object.assign(this.chosen, data);
    this.panel.draw();
  }

  /** Sends a command to the device, and shows the outcome. */
  async command(data) {
    const began = performance.now();
    this.outcome = t.sending;
    this.choose(data);
    const params = { did: this.did, data, ...this.isQueued ? { mode: "queue" } : { wait: true } };
    await this.attempt(async () => {
      const { cid, state, code } = await this.panel.request("device/control", params, 40000);
      this.outcome = fill(t.outcome[state], cid, Math.round(performance.now() - began), code ?? t.noCode);
    });
    // If the device didn't apply the chosen value, the control shows the reported value again.
    this.chosen = {};
    this.panel.draw();
  }

  /** Makes a request, and shows why it failed. */
  async attempt(act) {
    try {
      await act();
    } catch (error) {
      this.outcome = problem(error, this.panel.contract);
      this.panel.draw();
    }
  }
}
