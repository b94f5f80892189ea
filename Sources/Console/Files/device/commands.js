// Commands: each with its steps and their times, its sender, its deadline and its outcome.

import { html } from '../base/html.js';
import { t, fill, span, exact } from '../base/words.js';
import { shown, state, when, blank, more } from '../base/pieces.js';
import { actor, values } from '../shared/sentences.js';
import { table } from '../base/table.js';

export const start = view => view.list('commands', ['devices', view.did, 'commands']);
export const changed = (view, what) => what.commands && start(view);

export const draw = view => shown(view.state.commands, data => html`${table(columns, data.items, { name: 'commands', label: t.device.tabs.commands, key: row => row.cid })}${more(view, 'commands')}`,
  () => blank('out', t.commands.none, t.commands.noneWhy));

const columns = [
  { id: 'cid', label: 'cid', isHead: true, cell: row => String(row.cid) },
  { id: 'data', label: t.commands.what, cell: row => (row.kind === 'query' ? t.commands.query : values(row.data)) },
  { id: 'actor', label: t.commands.who, cell: row => actor(row.actor) },
  { id: 'state', label: t.commands.state, tint: row => row.state, cell: row => html`${state(row.state)}${row.isLate && html` <span class="soft small">${t.commands.late}</span>`}
    ${row.error && html` <span class="small">${t.causes[row.error] ?? row.error}</span>`}${row.code !== undefined && html` <span class="small">${fill(t.commands.code, row.code)}</span>`}` },
  { id: 'steps', label: t.commands.steps, cell: row => html`<ol class="small">${row.steps.map((step, i) => html`<li title="${exact(step.at)}">${t.states[step.state] ?? step.state} <span class="soft">${i === 0 ? when(step.at) : `+${span(step.at - row.steps[i - 1].at)}`} ${t.commands.by[step.by]}</span></li>`)}</ol>` },
  { id: 'expires', label: t.commands.expires, cell: row => (row.doneAt === undefined ? when(row.expiresAt) : html`<span class="soft">–</span>`) },
  { id: 'result', label: t.commands.result, cell: row => (row.result ? values(row.result) : '') },
];
