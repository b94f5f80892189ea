// The meaning of a message in a few words, and the messages that it relates to.

import { masked, maskedText } from "./mask.js";
import { words } from "./words.js";

const kinds = words.kinds;
const DETAIL_MAX = 120;

/**
 * The description of a connection's step: a `title`, a `detail`, the `keys` that it shares with
 * related steps, and for a request its `method` and `params`.
 * @typedef {{title: string, detail: string, keys: string[], request?: {method: string, params:
 *   object}}} Description
 */

/** Describes steps; it remembers requests to relate their answers. */
export class Describer {
  constructor() {
    /** @type {Map<string, string>} The methods by the ids of their requests. */
    this.methods = new Map();
  }

  /** @param {import("./mqtt.js").Trace} step @returns {Description} */
  describe(step) {
    switch (step.what) {
      case "connecting": return plain(kinds.connecting(step.username));
      case "open": return plain(kinds.open);
      case "closed": return plain(kinds.closed);
      case "refused": return plain(kinds.refused(step.code));
      case "subscribe": return { ...plain(kinds.subscribe(step.filters.length)), detail: step.filters.join(" ") };
      default: return this.message(step.topic.split("/"), body(step.payload));
    }
  }

  message(levels, body) {
    const last = levels.at(-1), above = levels.at(-2), third = levels.at(-3);
    if (third === "request") return this.request(`${above}/${last}`, body);
    if (last === "response") return levels.includes("device") ? stored(body) : this.answer(body);
    if (last === "register") return { title: kinds.register, detail: body?.mac ?? "", keys: [`id ${body?.id}`] };
    if (last === "registered") return { title: kinds.registered, detail: body?.result?.did ?? body?.error?.code ?? "", keys: [`id ${body?.id}`] };
    if (last === "report") return report(body);
    if (last === "command") return levels.includes("app") ? outcome(body) : command(body);
    if (last === "status") return status(body);
    if (last === "event") return { title: kinds.event(body?.type), detail: text(body?.name ?? ""), keys: [] };
    return { title: kinds.other(last), detail: text(body), keys: [] };
  }

  request(method, body) {
    const isRepeat = this.methods.has(body?.id);
    if (this.methods.size > 1000) this.methods.clear();
    this.methods.set(body?.id, method);
    return {
      title: isRepeat ? kinds.repeated(method) : kinds.request(method), detail: text(body?.params),
      keys: [`id ${body?.id}`], request: { method, params: body?.params ?? {} },
    };
  }

  answer(body) {
    const method = this.methods.get(body?.id) ?? "";
    const keys = [`id ${body?.id}`];
    if (body?.result?.cid) keys.push(`cid ${body.result.cid}`);
    if (!body?.ok) return { title: kinds.error(method, body?.error?.code), detail: text(body?.error?.message ?? ""), keys };
    return { title: kinds.ok(method), detail: text(body.result), keys };
  }
}

const plain = title => ({ title, detail: "", keys: [] });

function body(payload) {
  try {
    return payload ? JSON.parse(payload) : null;
  } catch {
    return payload;
  }
}

function report(body) {
  const alert = body?.alerts?.[0];
  const title = body?.cid ? kinds.obeys(body.cid) : alert ? kinds.alert(alert.name, alert.value !== false) : kinds.report;
  return { title, detail: text(body?.data), keys: [`id ${body?.id}`, ...body?.cid ? [`cid ${body.cid}`] : []] };
}

const stored = body => ({
  title: body?.ok ? kinds.stored(body.version) : kinds.notStored(body?.error?.code), detail: text(body?.error?.message ?? ""),
  keys: [`id ${body?.id}`],
});

const command = body => ({
  title: body?.type === "query" ? kinds.query(body.cid) : kinds.command(body?.cid), detail: text(body?.data),
  keys: [`cid ${body?.cid}`],
});

const outcome = body => ({
  title: kinds.outcome(body?.cid, body?.state), detail: text(body?.data), keys: [`cid ${body?.cid}`],
});

const status = body => body === null ? plain(kinds.gone) : {
  title: kinds.status(body.version), detail: `${body.online ? words.online : words.offline}, ${text(body.data)}`, keys: [],
};

/** Returns a value in one line without its secrets. */
function text(value) {
  if (value === undefined || value === null) return "";
  const whole = typeof value === "string" ? maskedText(value)
    : Object.entries(masked(value)).map(([name, inner]) => `${name} ${typeof inner === "string" ? inner : JSON.stringify(inner)}`).join(", ");
  return whole.length > DETAIL_MAX ? `${whole.slice(0, DETAIL_MAX)}…` : whole;
}
