// The actions that an operator can take on a device.

import { html } from '../base/html.js';
import { t, fill, count } from '../base/words.js';
import { get, post, remove } from '../base/api.js';
import { go } from '../base/route.js';
import { attempt, askTyped, dialog, dialogHead, copyable } from '../base/pieces.js';

/** Forgets a device; the id confirms it. */
export const forget = did => remove(['devices', did], { confirm: did });

/** Lists what would be lost, asks for confirmation, and deletes a device. */
export async function askForget(did) {
  const found = await attempt(() => get(['devices', did, 'removal']));
  if (!found) return;
  askTyped({
    title: t.device.forgetTitle, id: did, verb: t.device.forget,
    loses: [t.device.loses.device, found.users.length && fill(t.device.loses.users, found.users.join(', ')), found.records && fill(t.device.loses.records, count(found.records)),
      found.commands && fill(t.device.loses.commands, count(found.commands)), found.schedules && fill(t.device.loses.schedules, count(found.schedules)),
      found.invitations && fill(t.device.loses.invitations, count(found.invitations))].filter(Boolean),
    act: async () => { if (await attempt(() => forget(did), t.device.forgotten)) go('#/devices'); },
  });
}

/** Invalidates a secret and shows the new one, which can't be shown again. */
export function askNewSecret(parts, id) {
  askTyped({
    title: t.secret.title, id, verb: t.secret.rotate, loses: [t.secret.loses],
    act: async () => {
      const made = await attempt(() => post([...parts, 'secret'], { confirm: id }));
      if (made) showSecret(made.secret);
    },
  });
}

/** Shows a secret that can't be shown again. */
export const showSecret = secret => dialog(t.secret.fresh, box => html`<div>${dialogHead(t.secret.fresh, box)}<p class="note warn">${t.secret.once}</p>${copyable(secret)}
  <div class="row end"><button type="button" class="main" onclick=${box.close}>${t.secret.kept}</button></div></div>`);
