// An app's API keys. With such a key, a server of the app's maker can make requests for the app's users.

import { html } from '../base/html.js';
import { t, fill } from '../base/words.js';
import { post, remove } from '../base/api.js';
import { shown, when, icon, attempt, ask, askTyped, badge } from '../base/pieces.js';
import { table } from '../base/table.js';
import { actButton } from '../base/session.js';
import { showSecret } from './device-acts.js';
import { madeBy } from './event-subscriptions.js';

/** Loads the keys of an app into the view. */
export const loadKeys = (view, appId) => view.load('keys', ['keys'], { appId });

/** The section of the app's page. */
export function keys(view, appId) {
  const again = () => loadKeys(view, appId);
  return html`<section class="stack"><div class="row apart"><h2>${t.apiKeys.title}</h2>${actButton('admin', [icon('plus'), t.apiKeys.add], () => add(appId, again))}</div>
    ${shown(view.state.keys, data => table(columns(view, again), data.items, { name: 'apiKeys', label: t.apiKeys.title, key: row => row.keyId }), () => html`<p class="soft">${t.apiKeys.none}</p>`)}</section>`;
}

const add = (appId, again) => ask(t.apiKeys.add, html`<label><span>${t.apps.name}</span><input name="name" required maxlength="32" pattern="[A-Za-z0-9_\\-]+" autocomplete="off" spellcheck="false"></label>
  <label><span>${t.apiKeys.scopes}</span><input name="scopes" required autocomplete="off" spellcheck="false" placeholder="device:read events"></label>
  <label><span>${t.audit.days}</span><input name="days" type="number" min="1" max="3650"></label>`,
t.apiKeys.add, async ({ name, scopes, days }) => {
  const made = await post(['keys'], { name, appId, scopes: scopes.trim().split(/[\s,]+/), days: days ? Number(days) : undefined });
  showSecret(made.key);
  again();
  return made;
});

const rotate = async (row, again) => {
  const made = await attempt(() => post(['keys', row.keyId, 'secret'], {}), t.apiKeys.rotated);
  if (made) { showSecret(made.key); again(); }
};

const revoke = (row, made, again) => askTyped({
  title: `${t.audit.revokeToken}: ${row.name}`, loses: [t.apiKeys.loses], keeps: made.length > 0 && fill(t.apiKeys.goOn, made.join(', ')), id: row.name, verb: t.audit.revokeToken,
  act: () => attempt(() => remove(['keys', row.keyId]), t.apiKeys.revoked).then(again),
});

const columns = (view, again) => [
  { id: 'name', label: t.apps.name, isHead: true, cell: row => html`${row.name} ${row.endedAt && badge(t.users.hasEnded)}<br><span class="soft small any">${row.keyId}, ${t.users.terminal} ${row.terminalId}</span>` },
  { id: 'scopes', label: t.apiKeys.scopes, cell: row => row.scopes.join(', ') },
  { id: 'used', label: t.audit.used, cell: row => when(row.lastSeenAt) }, { id: 'until', label: t.commands.expires, cell: row => when(row.endedAt ?? row.expiresAt) },
  { id: 'acts', label: t.acts.title, isActs: true, cell: row => html`<span class="row">${actButton('admin', t.secret.rotate, () => rotate(row, again), { disabled: row.endedAt !== undefined })}
    ${actButton('admin', t.audit.revokeToken, () => revoke(row, madeBy(view, row.keyId), again), { kind: 'danger', disabled: row.endedAt !== undefined })}</span>` },
];
