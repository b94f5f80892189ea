// A refusal in words: its code, its cause, and the remedy.

import { el } from "./dom.js";
import { LamplighterError, TimeoutError } from "./lamplighter.js";
import { words } from "./words.js";

/**
 * Shows an error, with the reference's explanation of its code.
 * @param {any} error
 * @param {{errors: Object<string, {cause: string, cure: string}>}} contract
 */
export function problem(error, contract) {
  if (error instanceof TimeoutError) return el("div", { class: "problem" }, el("p", {}, words.noAnswer));
  if (!(error instanceof LamplighterError)) return el("div", { class: "problem" }, el("p", {}, String(error?.message ?? error)));
  const known = contract.errors[error.code];
  return el("div", { class: "problem" },
    el("p", {}, el("b", {}, words.refused(error.code)), " ", error.body.message ?? "", error.field ? el("code", {}, error.field) : null),
    known ? el("p", { lang: "en" }, known.cause, " ", known.cure) : null,
    el("p", {}, el("a", { href: `errors.html#${encodeURIComponent(error.code)}` }, words.more)));
}
