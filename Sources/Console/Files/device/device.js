// A device: its head and its tabs. The page's stream reports which tabs have changed, and only those are read again.

import { html } from '../base/html.js';
import { t, fill } from '../base/words.js';
import { to } from '../base/route.js';
import { shown, when, presence, badge, icon, user } from '../base/pieces.js';
import { actButton } from '../base/session.js';
import { tags, askNames } from '../shared/device-names.js';
import { drawState, startState } from './state.js';
import * as timeline from './timeline.js';
import * as commands from './commands.js';
import * as history from './history.js';
import * as who from './who.js';
import * as messages from './messages.js';
import * as info from './info.js';

const TABS = { state: { start: startState, draw: drawState }, timeline, commands, history, who, schedules: who.schedules, messages, info };

// A device is shown with the name that operators gave it. Without such a name, it is shown with its first user's alias.
const called = row => row?.name || row?.alias;
const tabName = view => (view.parts[2] in TABS ? view.parts[2] : 'state');
export const title = view => `${called(view.state.device?.data?.row) || view.parts[1]} – ${t.device.tabs[tabName(view)]}`;

export async function start(view) {
  view.did = view.parts[1];
  const tab = TABS[tabName(view)];
  const reload = () => view.load('device', ['devices', view.did]);
  let former = {};
  view.feed([`page:${view.did}`], (kind, data) => {
    if (kind === 'gone') return view.set({ gone: true });
    if (kind !== 'page') return undefined;
    const device = view.state.device?.data;
    if (device) view.set({ device: { ...view.state.device, data: { ...device, row: data.device } } });
    reload();
    const changed = name => former[name] !== data[name];
    tab.changed?.(view, { commands: changed('commands'), bindings: changed('bindings'), schedules: changed('schedules'), events: changed('events'), version: former.version !== data.device.version });
    former = { ...data, version: data.device.version };
    return undefined;
  });
  await reload();
  await tab.start(view);
}

export function draw(view) {
  const tab = tabName(view);
  return shown(view.state.device, device => html`
    ${view.state.gone && html`<p class="note warn" role="alert">${t.device.gone}</p>`}
    ${head(view, device)}
    <nav class="tabs" aria-label="${t.device.views}">${Object.keys(TABS).map(name => html`<a href="${to(['devices', view.did, name])}" aria-current=${name === tab ? 'page' : null}>${t.device.tabs[name]}</a>`)}</nav>
    <div class="live">${TABS[tab].draw(view, device)}</div>`);
}

function head(view, { row, presence: known, alerts }) {
  return html`<div class="head"><h1 tabindex="-1">${called(row) || row.did}</h1>
      <span class="row">${alerts.map(({ kind, name }) => badge(html`${icon(kind === 'alert' ? 'alert' : 'warn')}${name}`, kind === 'alert' ? 'warn' : 'bad'))}${tags(row.tags)}${actButton('operator', t.device.names, () => askNames(row, () => view.load('device', ['devices', view.did])), { kind: 'plain' })}</span>
      <p class="row">${called(row) && html`<code>${row.did}</code><span>·</span>`}<a href="${to(['products', row.productKey])}">${row.productName || row.productKey}</a><span>·</span><code>${row.mac}</code>
        ${row.owner && html`<span>·</span><span>${t.devices.owner} ${user(row.owner)}</span>${row.alias && html`<span class="soft">${fill(t.device.alias, row.alias)}</span>`}`}</p>
      <p class="row"><span tint=${row.online}>${presence(row.online)}</span>
        <span>${known.since !== undefined && html`${t.device.since} ${when(known.since)}`} ${t.device.knownBy[known.knownBy]}</span>
        <span>·</span><span tint=${row.version}>${fill(t.device.version, row.version)}</span>
        ${row.changedAt !== undefined && html`<span>·</span><span>${t.device.lastReport} ${when(row.changedAt)}</span>`}</p></div>`;
}
