// Describes each message in a few words. Related messages get a common key, such as a request's id. The journal uses
// the key to highlight these messages together.

import { fill, t } from "./base/words.js";
import { masked, maskedText } from "./mask.js";

const DETAIL_MAX = 120;

/**
 * The description of a connection's step: a `title`, a `detail`, the `keys` that it shares with
 * related steps, and for a request its `method` and `params`.
 * @typedef {{title: string, detail: string, keys: string[], request?: {method: string, params:
 *   object}}} Description
 */

/** @returns {Description} */
const described = (title, detail = "", keys = []) => ({ title, detail, keys });
/** Fills a text with values of any type, since a message can hold anything. */
const say = (text, ...values) => fill(text, ...values.map(String));
const byId = body => `id ${body?.id}`;
const byCommand = body => `cid ${body?.cid}`;

/** Describes steps; it remembers requests to relate their answers. */
export class Describer {
  constructor() {
    /** @type {Map<string, string>} The methods by the ids of their requests. */
    this.methods = new Map();
  }

  /** @param {import("./mqtt.js").Trace} step @returns {Description} */
  describe({ what, username, code, filters, topic, payload }) {
    if (topic !== undefined) return this.message(topic.split("/"), body(payload));
    return described(say(t.kinds[what], code ?? filters?.length ?? username), filters?.join(" "));
  }

  message(levels, body) {
    const [third, above, last] = [undefined, undefined, ...levels].slice(-3);
    if (third === "request") return this.request(`${above}/${last}`, body);
    switch (last) {
      case "response": return levels.includes("device") ? stored(body) : this.answer(body);
      case "register": return described(t.kinds.register, text(body?.mac), [byId(body)]);
      case "registered": return described(t.kinds.registered, text(body?.result?.did ?? body?.error?.code), [byId(body)]);
      case "report": return report(body);
      case "command": return levels.includes("app") ? outcome(body) : command(body);
      case "status": return status(body);
      case "event": return described(say(t.kinds.event, body?.type), text(body?.name));
      default: return described(last, text(body));
    }
  }

  request(method, body) {
    const isRepeat = this.methods.has(body?.id);
    if (this.methods.size > 1000) this.methods.clear();
    this.methods.set(body?.id, method);
    const title = say(isRepeat ? t.kinds.repeated : t.kinds.request, method);
    return { ...described(title, text(body?.params), [byId(body)]), request: { method, params: body?.params ?? {} } };
  }

  answer(body) {
    const method = this.methods.get(body?.id) ?? "";
    const keys = body?.result?.cid ? [byId(body), byCommand(body.result)] : [byId(body)];
    if (!body?.ok) return described(say(t.kinds.error, method, body?.error?.code), text(body?.error?.message), keys);
    return described(say(t.kinds.ok, method), text(body.result), keys);
  }
}

function body(payload) {
  try {
    return payload ? JSON.parse(payload) : null;
  } catch {
    return payload;
  }
}

function report(body) {
  const alert = body?.alerts?.[0];
  const title = body?.cid ? say(t.kinds.obeys, body.cid)
    : alert ? say(alert.value === false ? t.kinds.alertOver : t.kinds.alert, alert.name) : t.kinds.report;
  return described(title, text(body?.data), body?.cid ? [byId(body), byCommand(body)] : [byId(body)]);
}

const stored = body => described(
  body?.ok ? say(t.kinds.stored, body.version) : say(t.kinds.notStored, body?.error?.code), text(body?.error?.message), [byId(body)]);

const command = body => described(say(body?.type === "query" ? t.kinds.query : t.kinds.command, body?.cid), text(body?.data), [byCommand(body)]);

const outcome = body => described(say(t.kinds.outcome, body?.cid, body?.state), text(body?.data), [byCommand(body)]);

const status = body => body === null ? described(t.kinds.gone)
  : described(say(t.kinds.status, body.version), `${body.online ? t.online : t.offline}, ${text(body.data)}`);

/** Returns a value in one line without its secrets. */
function text(value) {
  if (value === undefined || value === null) return "";
  const whole = typeof value === "string" ? maskedText(value)
    : Object.entries(masked(value)).map(([name, inner]) => `${name} ${typeof inner === "string" ? inner : JSON.stringify(inner)}`).join(", ");
  return whole.length > DETAIL_MAX ? `${whole.slice(0, DETAIL_MAX)}…` : whole;
}
