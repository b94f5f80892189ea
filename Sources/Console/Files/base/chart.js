// <ll-chart>: a device's reports over time. Numbers are lines with a band from minimum to maximum. Words and Booleans
// are coloured bars, and times without reports are gaps. The arrow keys move the cross-hair.
//
//     data: { from, to, zone, series: [{ name, label, unit, kind: 'number' | 'words', points }] }
//     points: [{ at, value, min, max }]
//
// A series with a title has its own panel. The axis of a series with a floor begins at the floor. The data can set the
// height of the panels. A null value begins a gap. Selecting a range fires the event `zoom` with { from, to }.

import { html, render } from './html.js';
import { t, fill, dates, locale, value as shownValue } from './words.js';
import { ticks, tickText } from './calendar.js';

// The minimum width of the left margin. Long numbers on an axis make the margin wider.
const LEFT = 58;
const RIGHT = 12;
const PANEL = 170;
const LANE = 34;
const GAP = 18;
const FAR = 1e300; // beyond it, the distance between two numbers can be infinite

class Chart extends HTMLElement {
  #data;
  #width = 0;
  #left = LEFT;
  #place = null; // the cross-hair's index into #moments
  #moments = [];
  #drag = null;
  #watcher;

  set data(data) {
    const former = this.#moments[this.#place];
    this.#data = data;
    this.#moments = [...new Set(data.series.flatMap(series => series.points.map(point => point.at)))].sort((a, b) => a - b);
    this.#place = former === undefined ? null : nearest(this.#moments, former);
    this.draw();
  }

  connectedCallback() {
    this.#watcher = new ResizeObserver(([entry]) => {
      if (Math.abs(entry.contentRect.width - this.#width) < 1) return;
      this.#width = entry.contentRect.width;
      this.draw();
    });
    this.#watcher.observe(this);
  }

  disconnectedCallback() {
    this.#watcher.disconnect();
  }

  #x(at) {
    const { from, to } = this.#data;
    return this.#left + (at - from) / (to - from) * (this.#width - this.#left - RIGHT);
  }

  #at(x) {
    const { from, to } = this.#data;
    return from + Math.min(1, Math.max(0, (x - this.#left) / (this.#width - this.#left - RIGHT))) * (to - from);
  }

  draw() {
    if (!this.#data || this.#width < 80) return;
    const panels = layOut(this.#data.series, this.#data.height ?? PANEL);
    this.#left = Math.max(LEFT, ...panels.flatMap(({ ticks = [] }) => ticks.map(number => 12 + 8 * tidy(number).length)));
    const height = panels.reduce((sum, panel) => sum + panel.height + GAP, 24);
    const moment = this.#moments[this.#place];
    render(html`
      <svg viewBox="0 0 ${this.#width} ${height}" height="${height}" aria-hidden="true">
        ${this.#timeAxis(height)}
        ${panels.map(panel => (panel.kind === 'number' ? this.#lines(panel) : this.#lanes(panel)))}
        ${moment !== undefined && html`<line class="chart-hair" x1="${this.#x(moment)}" x2="${this.#x(moment)}" y1="0" y2="${height - 24}"/>`}
        ${this.#drag && this.#selection(height)}
      </svg>
      <div class="chart-hit" role="slider" tabindex="0" aria-label="${fill(t.chart.label, this.#data.series.map(s => s.label).join(', '))}"
        aria-valuemin="0" aria-valuemax="${Math.max(0, this.#moments.length - 1)}" aria-valuenow="${this.#place ?? 0}"
        aria-valuetext="${moment === undefined ? t.chart.keys : this.#say(moment)}" onkeydown=${e => this.#key(e)}
        onpointermove=${e => this.#move(e)} onpointerdown=${e => this.#press(e)} onpointerup=${e => this.#release(e)}
        onpointerleave=${() => { if (!this.#drag) this.#put(null); }}></div>
      <p class="chart-say" aria-hidden="true">${moment === undefined ? html`<span class="soft">${t.chart.keys}</span>` : this.#legend(moment)}</p>`, this);
  }

  #timeAxis(height) {
    const { from, to, zone } = this.#data;
    const { step, found } = ticks(from, to, zone, Math.max(2, Math.floor(this.#width / 110)));
    return found.map(at => {
      const x = this.#x(at);
      // The text of the last line stands left of the line. On the right, the text would be cut off.
      const isLast = x > this.#width - 60;
      return html`<g><line class="chart-grid" x1="${x}" x2="${x}" y1="0" y2="${height - 22}"/>
      <text class="chart-text" text-anchor=${isLast && 'end'} x="${isLast ? x - 3 : x + 3}" y="${height - 6}">${tickText(at, step, zone, locale)}</text></g>`;
    });
  }

  #lines(panel) {
    const y = number => panel.top + panel.height - (number - panel.low) / (panel.high - panel.low) * panel.height;
    return html`<g>
      ${panel.ticks.map(number => html`<g><line class="chart-grid" x1="${this.#left}" x2="${this.#width - RIGHT}" y1="${y(number)}" y2="${y(number)}"/>
        <text class="chart-text" text-anchor="end" x="${this.#left - 6}" y="${y(number) + 4}">${tidy(number)}</text></g>`)}
      ${panel.series.map(series => html`<g class="s${series.place % 6}">
        <path class="chart-band" fill="currentColor" d="${runs(series.points).map(run => this.#band(run, y)).join('')}"/>
        <path class="chart-line" stroke="currentColor" d="${runs(series.points).map(run => this.#path(run, y)).join('')}"/></g>`)}
      ${(panel.title ?? panel.unit) && html`<text class="chart-text" x="${this.#left + 4}" y="${panel.top + 11}">${panel.title ?? panel.unit}</text>`}
    </g>`;
  }

  #path(run, y) {
    const points = run.map(point => `${this.#x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`);
    return points.length === 1 ? `M${points[0]}h3` : `M${points.join('L')}`;
  }

  #band(run, y) {
    if (run[0].min === undefined || run.length < 2) return '';
    const over = run.map(point => `${this.#x(point.at).toFixed(1)} ${y(point.max).toFixed(1)}`);
    const under = run.map(point => `${this.#x(point.at).toFixed(1)} ${y(point.min).toFixed(1)}`).reverse();
    return `M${over.join('L')}L${under.join('L')}Z`;
  }

  // A lane with a coloured bar for each value. The bar ends where the next value begins.
  #lanes(panel) {
    const [series] = panel.series;
    const words = [...new Set(series.points.map(point => point.value).filter(value => value !== null))];
    return html`<g>
      <text class="chart-text" text-anchor="end" x="${this.#left - 6}" y="${panel.top + 21}">${clip(series.label, 8)}</text>
      ${series.points.map((point, i) => {
        if (point.value === null) return null;
        const end = Math.min(series.points[i + 1]?.at ?? Infinity, this.#data.to);
        const [x, width] = [this.#x(point.at), Math.max(1, this.#x(end) - this.#x(point.at))];
        const off = point.value === false || point.value === 'off';
        return html`<g class="s${words.indexOf(point.value) % 6}">
          <rect x="${x}" y="${panel.top + 6}" width="${width}" height="${LANE - 12}" rx="2" fill="${off ? 'none' : 'currentColor'}"
            fill-opacity=".28" stroke="currentColor"/>
          ${width > 44 && html`<text class="chart-text" x="${x + 5}" y="${panel.top + 21}">${clip(String(point.value), Math.floor(width / 8))}</text>`}</g>`;
      })}
    </g>`;
  }

  #selection(height) {
    const [a, b] = [this.#drag.from, this.#drag.to].map(at => this.#x(at)).sort((a, b) => a - b);
    return html`<rect class="chart-gap" x="${a}" width="${b - a}" y="0" height="${height - 24}"/>`;
  }

  #valueAt(series, at) {
    if (series.kind === 'number') return series.points.find(point => point.at === at) ?? null;
    return series.points.findLast(point => point.at <= at) ?? null;
  }

  #words(series, at) {
    const point = this.#valueAt(series, at);
    if (!point || point.value === null) return t.chart.nothing;
    const text = shownValue(point.value, series.unit);
    return point.min === undefined || point.min === point.max ? text : `${text} (${tidy(point.min)} – ${tidy(point.max)})`;
  }

  #when(at) {
    return dates({ dateStyle: 'medium', timeStyle: 'medium' }, this.#data.zone).format(at);
  }

  #say(at) {
    return `${this.#when(at)}: ${this.#data.series.map(series => `${series.label} ${this.#words(series, at)}`).join('; ')}`;
  }

  #legend(at) {
    return html`<span class="strong">${this.#when(at)}</span>
      ${this.#data.series.map(series => html`<span><i class="s${series.place % 6}"></i>${series.label} ${this.#words(series, at)}</span>`)}`;
  }

  #put(place) {
    if (place === this.#place) return;
    this.#place = place;
    this.draw();
  }

  #key(event) {
    const last = this.#moments.length - 1;
    if (last < 0) return;
    const leap = Math.max(1, Math.round(last / 12));
    const at = this.#place ?? last;
    const places = { ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - leap, PageUp: at + leap, Home: 0, End: last };
    if (event.key in places) this.#put(Math.min(last, Math.max(0, places[event.key])));
    else if (event.key === '+' || event.key === '=') this.#zoom(this.#moments[at], 0.5);
    else if (event.key === '-') this.#zoom(this.#moments[at], 2);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #zoom(middle, factor) {
    const half = Math.max(30_000, (this.#data.to - this.#data.from) * factor / 2);
    this.#tell(middle - half, middle + half);
  }

  #tell(from, to) {
    this.dispatchEvent(new CustomEvent('zoom', { detail: { from: Math.round(from), to: Math.round(to) } }));
  }

  #press(event) {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    event.target.setPointerCapture(event.pointerId);
    this.#drag = { from: this.#at(event.offsetX), to: this.#at(event.offsetX) };
  }

  #move(event) {
    const at = this.#at(event.offsetX);
    if (this.#drag) {
      this.#drag.to = at;
      this.draw();
    }
    if (this.#moments.length) this.#put(nearest(this.#moments, at));
  }

  #release() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    const [from, to] = [drag.from, drag.to].sort((a, b) => a - b);
    if (this.#x(to) - this.#x(from) > 8) this.#tell(from, to); else this.draw();
  }
}

// Returns the panels for all series, each with its distance from the top. Series of numbers with the same unit share a
// panel, unless they have titles. Each series of words gets a lane, which is a panel of its own.
function layOut(all, height) {
  const panels = [];
  all.forEach((series, place) => {
    series.place = place;
    const shared = series.kind === 'number' && !series.title && panels.find(panel => panel.kind === 'number' && panel.unit === series.unit);
    if (shared) shared.series.push(series);
    else panels.push({ kind: series.kind, unit: series.unit, title: series.title, series: [series], height: series.kind === 'number' ? height : LANE });
  });
  let top = 8;
  for (const panel of panels) {
    panel.top = top;
    top += panel.height + GAP;
    if (panel.kind === 'number') Object.assign(panel, scale(panel.series));
  }
  return panels;
}

function scale(all) {
  let [low, high] = [Infinity, -Infinity];
  for (const { points } of all) {
    for (const point of points) {
      if (point.value === null) continue;
      low = Math.min(low, point.min ?? point.value);
      high = Math.max(high, point.max ?? point.value);
    }
  }
  if (low > high) [low, high] = [0, 1];
  [low, high] = [Math.max(low, -FAR), Math.min(high, FAR)];
  // The axis of a series with a floor begins at the floor. Its range is at least 4, so that the labels of a count have
  // no fractions.
  const { floor } = all[0];
  if (floor !== undefined) [low, high] = [floor, Math.max(high, floor + 4)];
  if (low === high) [low, high] = [low - Math.max(1, Math.abs(low) / 10), high + Math.max(1, Math.abs(high) / 10)];
  const raw = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find(factor => factor * power >= raw) * power;
  low = Math.floor(low / step) * step;
  high = Math.ceil(high / step) * step;
  const found = [];
  for (let i = 0; low + i * step <= high + step / 2; i += 1) found.push(low + i * step);
  return { low, high, ticks: found };
}

function runs(points) {
  const found = [[]];
  for (const point of points) {
    if (point.value === null) found.push([]); else found[found.length - 1].push(point);
  }
  return found.filter(run => run.length);
}

function nearest(moments, at) {
  let [low, high] = [0, moments.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle] < at) low = middle + 1; else high = middle;
  }
  return low > 0 && at - moments[low - 1] < moments[low] - at ? low - 1 : low;
}

const tidy = number => String(Number.isSafeInteger(number) ? number : Number(number.toPrecision(12)));
const clip = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

customElements.define('ll-chart', Chart);

/** Returns a small line without axes, for a value's last hours. */
export function sparkline(points) {
  const known = points.filter(point => typeof point.value === 'number');
  if (known.length < 2) return null;
  const { low, high } = scale([{ points: known }]);
  const [from, to] = [known[0].at, known[known.length - 1].at];
  const place = point => `${((point.at - from) / Math.max(1, to - from) * 200).toFixed(1)} ${(30 - (point.value - low) / (high - low) * 28).toFixed(1)}`;
  return html`<svg class="spark s0" viewBox="0 0 200 32" preserveAspectRatio="none" aria-hidden="true">
    <path class="chart-line" stroke="currentColor" vector-effect="non-scaling-stroke" d="M${known.map(place).join('L')}"/></svg>`;
}
