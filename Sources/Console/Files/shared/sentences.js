// The sentences of the audit trail's rows, of operators' actions, and of a device's timeline.

import { html } from '../base/html.js';
import { t, fill, value, span } from '../base/words.js';
import { to } from '../base/route.js';
import { device, user, state } from '../base/pieces.js';

/** The actor, with a link if there's a page. */
export function actor(who, names = {}) {
  if (!who) return t.actors.somebody;
  switch (who.kind) {
    case 'user': return who.id === 'erased' ? t.actors.erased : html`${t.actors.user} ${user(who.id, names[who.id])}`;
    case 'device': return html`${t.actors.device} ${device(who.id)}`;
    case 'schedule': return html`${t.actors.schedule} <a href="${to(['schedules'], { open: who.id })}">${who.id}</a>`;
    case 'service': return html`${t.actors.service} <span class="strong">${who.id}</span>`;
    case 'operator': return html`${t.actors.operator} <span class="strong">${who.id}</span>`;
    default: return t.actors.system;
  }
}

/** A row of the audit trail as a sentence. */
export function act(row) {
  const who = actor(row.actor);
  if (row.kind !== 'operatorAct') return html`${who}: ${t.audits[row.kind] ?? row.kind}${row.uid && row.uid !== row.actor.id && html` (${user(row.uid)})`}${row.detail && html` <span class="soft any">${row.detail}</span>`}`;
  return html`${who}: ${t.acts[row.act] ?? row.act}${row.subject && html` · ${subject(row)}`}`;
}

function subject({ act, subject, subjectName }) {
  const [noun, did] = subject.split(' ');
  if (noun === 'device' && did) return device(did, subjectName);
  if (/Product|Mac/.test(act)) return html`<a href="${to(['products', subject])}">${subject}</a>`;
  if (/App/.test(act)) return html`<a href="${to(['apps', subject])}">${subject}</a>`;
  if (/User|endSessions|Cancellation/.test(act)) return user(subject);
  return html`<span class="any">${subject}</span>`;
}

/** Values in readable form: power: true, brightness: 60. */
export const values = data => html`<span class="code any">${data === undefined || data === null ? '' : typeof data === 'object' && !Array.isArray(data)
  ? Object.entries(data).map(([name, one]) => `${name}: ${value(one)}`).join(', ') : value(data)}</span>`;

/** An entry of a device's timeline as a sentence: the actor, the act, the reason and the outcome. */
export function entry(item) {
  const who = actor(item.actor);
  switch (item.kind) {
    case 'report': return fill(t.timeline.report, values(item.data));
    case 'command': return command(item, who);
    case 'event': return event(item) ?? html`${item.type} ${item.name} ${item.cause} ${values(item.data)}`;
    case 'binding': return fill(t.timeline.bindings[item.type] ?? t.timeline.bindings.other, who, values(item.data), item.type);
    case 'refusal': return fill(t.timeline.refusal, t.reasons[item.type] ?? item.type, item.times > 1 ? fill(t.timeline.repeated, item.times) : '', html`<a href="${to(['refusals'], { query: `reason:${item.type}` })}">${t.why}</a>`);
    default: return html`${who}: ${t.acts[item.type] ?? item.type} ${item.data !== undefined && values(item.data)}`;
  }
}

// Returns the sentence for a device's event, or undefined if the event's type is unknown.
function event({ type, name, cause }) {
  const known = t.timeline.events[type];
  return known && fill(known, name, cause ? fill(t.timeline.because, t.causes[cause] ?? cause) : '');
}

function command(item, who) {
  const steps = item.steps ?? [];
  const last = steps[steps.length - 1];
  const took = steps.length > 1 ? last.at - steps[0].at : null;
  return html`${fill(t.timeline.command, who, values(item.data))} ${state(item.type)}${took !== null && html` <span class="soft">${fill(t.timeline.after, span(took))}</span>`}
    ${item.cause && item.cause !== '0' && html` <span class="soft">${t.causes[item.cause] ?? item.cause}</span>`}`;
}
