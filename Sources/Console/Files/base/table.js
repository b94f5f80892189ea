// Tables with row headers, a sorted column and a choice of columns. On a phone, each row is a card.

import { html } from './html.js';
import { t, fill } from './words.js';

/** Returns the ids of a table's hidden columns; by default, the columns with `isExtra` are hidden. */
function hiddenColumns(name, columns) {
  const kept = localStorage.getItem(`columns.${name}`);
  return new Set(kept === null ? columns.filter(column => column.isExtra).map(column => column.id) : kept.split(','));
}

// For each row, the values from which the row was drawn last, and the resulting view.
const drawn = new WeakMap();

// Returns a row's former view if the row is the same object, and the values in `from` are the same. Otherwise, the row
// is drawn again. In a long list, a change affects few rows. `from` also contains the column objects. If a column's
// cells depend on more than the row, the page makes a new object for the column in each drawing. Then all rows are
// drawn again. Shown times need no drawing, because they update themselves.
function unlessDrawn(row, from, draw) {
  const last = drawn.get(row);
  if (last?.from.length === from.length && from.every((part, i) => part === last.from[i])) return last.view;
  const view = draw();
  drawn.set(row, { from, view });
  return view;
}

/**
 * A table.
 *
 * columns: { id, label, cell(row), isHead, isNumber, isActs, sort } — `sort` makes the head a
 * button.
 *
 * options: the table's name and label, key(row) (each row is an object), sort: { id, descending },
 * onSort(id), isNew(row), chosen (a set), onChoose.
 */
export function table(columns, rows, { name, label, key, sort, onSort, isNew, chosen, onChoose }) {
  const hidden = hiddenColumns(name, columns);
  const seen = columns.filter(column => column.isHead || column.isActs || !hidden.has(column.id));
  return html`<div class="scroll"><table class="cards"><caption class="hush">${label}</caption>
    <thead><tr>${chosen && html`<th scope="col"><span class="hush">${t.choose}</span></th>`}
      ${seen.map(column => html`<th scope="col" class="${column.isNumber ? 'number' : ''}" aria-sort=${sort && sort.id === column.id ? (sort.descending ? 'descending' : 'ascending') : null}>
        ${column.isActs ? html`<span class="hush">${t.acts.title}</span>`
          : column.sort && onSort ? html`<button type="button" onclick=${() => onSort(column.id)}>${column.label}${sort?.id === column.id && html`<span aria-hidden="true">${sort.descending ? '▾' : '▴'}</span>`}</button>`
          : column.label}</th>`)}</tr></thead>
    <tbody>${rows.map(row => unlessDrawn(row, [isNew?.(row), chosen?.has(key(row)), ...seen], () => html`<tr key=${String(key(row))} data-key="${String(key(row))}" class="${isNew?.(row) ? 'new' : ''}">
      ${chosen && html`<td class="bare"><input type="checkbox" aria-label="${fill(t.chooseRow, String(key(row)))}" checked=${chosen.has(key(row))} onchange=${event => onChoose(key(row), event.target.checked)}></td>`}
      ${seen.map(column => (column.isHead
        ? html`<th scope="row" data-label="${column.label}"><div>${column.cell(row)}</div></th>`
        : html`<td data-label="${column.label}" class="${column.isNumber ? 'number' : ''}${column.isActs ? 'acts bare' : ''}" tint=${column.tint?.(row)}><div>${column.cell(row)}</div></td>`))}
    </tr>`))}</tbody></table></div>`;
}

/** The button and list that choose columns; this browser remembers the hidden ones. */
export function columnChoice(name, columns, redraw) {
  const hidden = hiddenColumns(name, columns);
  const turn = id => {
    if (!hidden.delete(id)) hidden.add(id);
    localStorage.setItem(`columns.${name}`, [...hidden].join());
    redraw();
  };
  return html`<button type="button" class="plain" popovertarget="columns-${name}">${t.columns}</button>
    <div popover id="columns-${name}" class="drop stack tight">${columns.filter(column => !column.isHead && !column.isActs).map(column =>
      html`<label class="tick"><input type="checkbox" checked=${!hidden.has(column.id)} onchange=${() => turn(column.id)}><span>${column.label}</span></label>`)}</div>`;
}
