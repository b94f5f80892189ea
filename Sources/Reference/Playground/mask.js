// Masks secrets, so that people near the reader can't see them, and screenshots don't contain them.

const SECRET = /(?:secret|token|passw(?:or)?d|passcode|ticket|credential|label|qrcode|qrtext)$/i;
/** Texts that are secret wherever they appear: those that this page connects with. */
const known = new Set();
const SHOWN = "•••";

/** Masks a text from now on, in any message. */
export function keepSecret(text) {
  if (typeof text === "string" && text.length >= 6) known.add(text);
}

/**
 * Returns whether a member's value is secret. A verification code is secret; the `code` of an error or an outcome
 * isn't.
 */
function isSecret(name, value) {
  if (name === "code") return typeof value === "string" && !/^[A-Z][A-Za-z]+$/.test(value);
  return SECRET.test(name) && (typeof value === "string" || typeof value === "object") && value !== null;
}

/** Returns a copy of a value without its secrets. */
export function masked(value) {
  if (typeof value === "string") return maskedText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(
    ([name, inner]) => [name, isSecret(name, inner) ? SHOWN : masked(inner)]));
}

/** Returns a text without the known secrets. */
export function maskedText(text) {
  for (const secret of known) text = text.replaceAll(secret, SHOWN);
  return text;
}

/** Returns a message's payload in readable form: JSON over several lines, or the text itself. */
export function readable(payload) {
  if (payload === "") return "";
  try {
    return JSON.stringify(masked(JSON.parse(payload)), null, 2);
  } catch {
    return maskedText(payload);
  }
}
