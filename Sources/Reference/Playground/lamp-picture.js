// The picture of the lamp: it shows the lamp's state, and its title describes it.

import { svg } from "./dom.js";

const COLORS = { white: "#fffbe6", warm: "#ffc766", color: "#c08bff", night: "#ff8f5a" };

export class LampPicture {
  constructor() {
    this.title = svg("title");
    this.stops = [svg("stop", { offset: "0" }), svg("stop", { offset: "1" })];
    this.stops[0].classList.add("near");
    this.stops[1].classList.add("far");
    this.element = svg("svg", { class: "lamp-picture", viewBox: "0 0 240 230", role: "img" },
      this.title,
      svg("defs", {}, svg("radialGradient", { id: "glow" }, ...this.stops)),
      svg("ellipse", { class: "light", cx: 120, cy: 92, rx: 118, ry: 92, fill: "url(#glow)" }),
      svg("path", { class: "beam", d: "M70 108 L20 210 L220 210 L170 108 Z" }),
      svg("path", { class: "stand", d: "M120 108 V200" }),
      svg("ellipse", { class: "foot", cx: 120, cy: 206, rx: 44, ry: 10 }),
      svg("path", { class: "cord", d: "M146 110 V140" }),
      svg("circle", { class: "knob", cx: 146, cy: 144, r: 5 }),
      svg("path", { class: "shade", d: "M92 36 H148 Q153 36 155 41 L177 102 Q179 110 171 110 H69 Q61 110 63 102 L85 41 Q87 36 92 36 Z" }),
      svg("path", { class: "flame", d: "M104 22 q6 -7 0 -14 M120 22 q6 -7 0 -14 M136 22 q6 -7 0 -14" }));
  }

  /** Shows the values of a lamp, and describes them in the title. */
  show({ power, brightness, mode }, { isHot, isPlugged, text }) {
    const shines = power && isPlugged;
    this.title.textContent = text;
    this.element.classList.toggle("on", shines);
    this.element.classList.toggle("hot", isHot);
    this.element.classList.toggle("dead", !isPlugged);
    this.element.style.setProperty("--light", COLORS[mode] ?? COLORS.white);
    this.element.style.setProperty("--level", shines ? String(0.25 + 0.75 * brightness / 100) : "0");
  }
}
