// Timeline: the device's events in sentences, each with its actor and its reason.

import { html } from '../base/html.js';
import { t, dates, exact } from '../base/words.js';
import { shown, icon, blank, more, chips } from '../base/pieces.js';
import { entry } from '../shared/sentences.js';
import { to } from '../base/route.js';

const SIGNS = { report: 'in', command: 'out', event: 'alert', binding: 'share', refusal: 'refusal', act: 'user' };
const KINDS = Object.keys(SIGNS);

const query = view => ({ kinds: view.query.get('kinds') ?? '', limit: 50 });

export const start = view => view.list('timeline', ['devices', view.did, 'timeline'], query(view));

// New entries are inserted above the visible entries, and the visible entries don't move.
export async function changed(view) {
  if (!view.state.timeline?.data) return view.outrun('timeline');
  const fresh = await view.load('fresh', ['devices', view.did, 'timeline'], query(view));
  if (fresh) {
    const known = new Set(fresh.items.map(item => item.id));
    const list = view.state.timeline;
    const overlaps = list.data.items.some(item => known.has(item.id));
    const items = overlaps ? [...fresh.items, ...list.data.items.filter(item => !known.has(item.id))] : fresh.items;
    view.set({ timeline: { ...list, data: { items, next: overlaps ? list.data.next : fresh.next } } });
  }
  return undefined;
}

export function draw(view) {
  const kinds = view.query.get('kinds') ?? '';
  return html`${chips(t.timeline.kinds, [{ id: '', text: t.all, href: to(['devices', view.did, 'timeline']) },
    ...KINDS.map(kind => ({ id: kind, text: t.timeline.names[kind], href: to(['devices', view.did, 'timeline'], { kinds: kind }) }))], kinds)}
    ${shown(view.state.timeline, data => html`<ol class="times">${byDay(data.items)}</ol>${more(view, 'timeline')}`, () => blank('clock', t.timeline.none, t.timeline.noneWhy))}`;
}

const days = dates({ dateStyle: 'full' });
const times = dates({ timeStyle: 'medium' });

function byDay(items) {
  let day;
  return items.map(item => {
    const its = days.format(item.at);
    const isNew = its !== day;
    day = its;
    return html`${isNew && html`<li key=${`day ${its}`}><h2 class="small soft">${its}</h2></li>`}
      <li key=${item.id} class="${item.kind === 'refusal' || /^fault$|^alert$/.test(item.type) ? 'strong' : ''}"><time datetime="${new Date(item.at).toISOString()}" title="${exact(item.at)}">${times.format(item.at)}</time>
        <span class="${tone(item)}">${icon(SIGNS[item.kind] ?? 'clock')}</span><span class="any" dir="auto">${entry(item)}</span></li>`;
  });
}

const tone = ({ kind, type }) => (kind === 'refusal' || type === 'fault' || type === 'failed' ? 'bad' : type === 'alert' || type === 'offline' || type === 'expired' ? 'warn' : 'soft');
