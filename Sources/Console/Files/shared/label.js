// A device's label: its QR code as a picture, and as a file to print.

import { html } from '../base/html.js';
import { t, fill } from '../base/words.js';

const path = rows => rows.map((row, y) => [...row].map((dot, x) => (dot === '1' ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('');

/** Returns the code as a picture. */
export const code = ({ rows, text }) => html`<svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="${fill(t.connect.qr, text)}"><path d="${path(rows)}" fill="#000" shape-rendering="crispEdges"/></svg>`;

/** Saves labels as one picture, four in a row, each with its name below. */
export function saveLabels(labels) {
  const safe = text => text.replace(/[<&>"]/g, sign => `&#${sign.charCodeAt(0)};`);
  const drawn = labels.map(({ rows, name }, i) => `<g transform="translate(${10 + (i % 4) * 90} ${10 + Math.floor(i / 4) * 100})"><path transform="scale(${70 / rows.length})" d="${path(rows)}"/>`
    + `<text x="35" y="82" font-family="monospace" font-size="6" text-anchor="middle">${safe(name)}</text></g>`).join('');
  const [width, height] = [370, 20 + Math.ceil(labels.length / 4) * 100];
  save('labels.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}mm"><rect width="${width}" height="${height}" fill="#fff"/>${drawn}</svg>`);
}

/** Saves a value as a JSON file; the name is given without its extension. */
export const saveJSON = (name, value) => save(`${name}.json`, 'application/json', JSON.stringify(value, null, 2));

function save(name, type, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
