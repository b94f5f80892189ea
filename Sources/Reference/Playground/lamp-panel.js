// The panel of the lamp. The panel shows the lamp's picture, state and label. Its buttons press the lamp's switch, pull
// the plug, cause faults, and make a new lamp.

import { html, render } from "./base/html.js";
import { fill, t } from "./base/words.js";
import { card } from "./pieces.js";

const COLORS = { white: "#fffbe6", warm: "#ffc766", color: "#c08bff", night: "#ff8f5a" };

export class LampPanel {
  element = card("lamp");

  /** @param {import("./lamp.js").Lamp} lamp */
  constructor(lamp) { this.lamp = lamp; }

  draw() {
    const { lamp } = this;
    const isPlugged = lamp.phase !== "unplugged";
    const text = described(lamp);
    const waiting = lamp.isOnline ? 0 : lamp.reports.size;
    const notes = [lamp.problem && fill(t.refusedFor, lamp.problem), waiting && fill(t.waitingReports, waiting)];
    render(html`
      <div class="head"><h2 id="lamp">${t.lamp}</h2>
        <span class="state" role="status" data-state="${lamp.isOnline ? "online" : "away"}">${t.phase[lamp.phase]}</span></div>
      ${picture(lamp, isPlugged, `${t.lamp}: ${text}`)}
      <p class="lamp-line">${text}</p>
      <div class="row"><button type="button" onclick=${() => lamp.press()}>${t.press}</button>
        <button type="button" onclick=${() => isPlugged ? lamp.unplug() : lamp.plugIn()}>${isPlugged ? t.unplug : t.plugIn}</button>
        <button type="button" title="${t.coverHint}" onclick=${() => lamp.overheat(!lamp.isOverheated)}>${lamp.isOverheated ? t.uncover : t.cover}</button>
        <button type="button" title="${t.breakHint}" onclick=${() => lamp.fail(!lamp.isBroken)}>${lamp.isBroken ? t.repair : t.break}</button></div>
      <p class="soft" role="status">${notes.filter(Boolean).join(" ")}</p>
      <h3>${t.identity}</h3>
      <dl class="label">${[[t.did, lamp.did ?? "–"], [t.passcode, lamp.passcode], [t.mac, lamp.mac]].map(([name, value]) =>
        html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>
      <small class="soft">${t.identityHint}</small>
      <div class="row"><button type="button" onclick=${() => lamp.renew()}>${t.freshLamp}</button></div>`, this.element);
  }
}

/** Returns a lamp's state in words. */
function described({ values: { power, brightness, mode, temperature }, isOverheated }) {
  const text = fill(t.lampIs[power ? "on" : "off"], brightness, t.modes[mode] ?? mode, temperature.toFixed(1));
  return isOverheated ? fill(t.tooHot, text) : text;
}

/** A picture of the lamp's state, which its title describes. */
function picture({ values: { power, brightness, mode }, isOverheated }, isPlugged, title) {
  const shines = power && isPlugged;
  const style = { "--light": COLORS[mode] ?? COLORS.white, "--level": shines ? String(0.25 + 0.75 * brightness / 100) : "0" };
  return html`<svg class="lamp-picture ${isOverheated ? "hot" : ""} ${isPlugged ? "" : "dead"}" viewBox="0 0 240 230" role="img" css=${style}>
    <title>${title}</title>
    <defs><radialGradient id="glow"><stop class="near" offset="0"/><stop class="far" offset="1"/></radialGradient></defs>
    <ellipse class="light" cx="120" cy="92" rx="118" ry="92" fill="url(#glow)"/>
    <path class="beam" d="M70 108 L20 210 L220 210 L170 108 Z"/>
    <path class="stand" d="M120 108 V200"/>
    <ellipse class="foot" cx="120" cy="206" rx="44" ry="10"/>
    <path class="cord" d="M146 110 V140"/>
    <circle class="knob" cx="146" cy="144" r="5"/>
    <path class="shade" d="M92 36 H148 Q153 36 155 41 L177 102 Q179 110 171 110 H69 Q61 110 63 102 L85 41 Q87 36 92 36 Z"/>
    <path class="flame" d="M104 22 q6 -7 0 -14 M120 22 q6 -7 0 -14 M136 22 q6 -7 0 -14"/></svg>`;
}
