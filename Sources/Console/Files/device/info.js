// Info: a device's facts, its current rights at the gate, and actions for operators.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { get, post } from '../base/api.js';
import { facts, when, icon, attempt } from '../base/pieces.js';
import { may, actButton } from '../base/session.js';
import { askForget, askNewSecret } from '../shared/device-acts.js';
import { code, saveLabels } from '../shared/label.js';

export async function start(view) {
  if (!may('operator')) return;
  try {
    view.set({ label: await get(['devices', view.did, 'label'], {}, view.signal) });
  } catch {
    // A device without a passcode has no label.
  }
}

export function draw(view, device) {
  const { row, presence } = device;
  return html`<div class="halves">
    <section class="stack"><h2>${t.info.about}</h2>${facts([['did', html`<code>${row.did}</code>`], ['MAC', html`<code>${row.mac}</code>`], [t.devices.product, row.productName || row.productKey], [t.devices.firmware, row.firmware],
      [t.info.created, when(row.createdAt)], [t.info.registered, row.registeredAt === undefined ? t.no : when(row.registeredAt)], [t.info.owned, device.ownershipSince > 0 && when(device.ownershipSince)], [t.info.users, device.users], [t.info.open, device.openCommands],
      [t.info.secret, device.hasSecret ? t.yes : t.no], [t.info.certificates, device.certificatesFrom !== undefined && when(device.certificatesFrom)], [t.info.reset, device.resetUntil !== undefined && when(device.resetUntil)],
      [t.info.connection, presence.connection], [t.info.run, presence.run], [t.info.listens, presence.listensFrom !== undefined && when(presence.listensFrom)]])}
      <h2>${t.info.hardware}</h2><pre tabindex="0">${JSON.stringify(device.hardware, null, 2)}</pre></section>
    <section class="stack"><h2>${t.info.grants}</h2><p class="soft">${t.info.grantsWhat}</p>
      <ul class="stack tight">${device.grants.map(grant => html`<li class="row">${icon(grant.startsWith('>') ? 'out' : 'in')}<span class="hush">${grant.startsWith('>') ? t.info.publishes : t.info.receives}</span><code>${grant.slice(2)}</code></li>`)}</ul>
      ${view.state.label && html`<h2>${t.info.label}</h2>${code(view.state.label)}<p><button type="button" onclick=${() => saveLabels([{ ...view.state.label, name: row.did }])}>${icon('download')}${t.connect.saveLabel}</button></p>`}
      <h2>${t.info.acts}</h2>
      <p class="row">${actButton('operator', t.device.kick, () => attempt(() => post(['devices', view.did, 'kick']), t.device.kicked))}
        ${actButton('operator', t.device.reset, () => attempt(() => post(['devices', view.did, 'reset'], { minutes: 10 }), t.device.resetAllowed))}
        ${actButton('admin', t.secret.rotate, () => askNewSecret(['devices', view.did], view.did))}
        ${actButton('admin', t.device.forget, () => askForget(view.did), { kind: 'danger' })}</p></section></div>`;
}
