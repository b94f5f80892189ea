// The name and the tags that operators give a device.

import { html } from '../base/html.js';
import { t } from '../base/words.js';
import { change } from '../base/api.js';
import { to } from '../base/route.js';
import { ask } from '../base/pieces.js';

/** Returns tags as texts: floor=2, spare. */
export const tagTexts = tags => Object.entries(tags).map(([name, value]) => (value ? `${name}=${value}` : name));

/** Returns a tag's text as a search term: tag:floor=2. */
export const tagTerm = text => `tag:${/\s/.test(text) ? `"${text}"` : text}`;

/** Tags, each a link to the devices that have it. */
export const tags = found => tagTexts(found).map(text => html`<a class="badge" href="${to(['devices'], { query: tagTerm(text) })}">${text}</a>`);

/** Asks for a device's name and tags and saves them, then calls `done`. */
export function askNames(row, done) {
  ask(t.device.names, html`<label><span>${t.device.name}</span><input name="name" maxlength="64" autocomplete="off" value="${row.name ?? ''}"></label>
    <label><span>${t.device.tags}</span><textarea name="tags" rows="4" spellcheck="false" value="${tagTexts(row.tags).join('\n')}"></textarea></label>`, t.device.saveNames, async ({ name, tags: text }) => {
    const wanted = Object.fromEntries(text.split('\n').map(line => line.trim()).filter(Boolean).map(line => {
      const [tag, ...value] = line.split('=');
      return [tag.trim(), value.join('=').trim()];
    }));
    const gone = Object.keys(row.tags).filter(tag => !(tag in wanted)).map(tag => [tag, null]);
    await change(['devices', row.did], { name: name.trim(), tags: { ...Object.fromEntries(gone), ...wanted } });
    done();
  });
}
