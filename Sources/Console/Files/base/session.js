// The signed-in operator and their rights.

import { html } from './html.js';
import { t, fill } from './words.js';

const RANK = { viewer: 0, operator: 1, admin: 2 };

/** The session as the service reports it; null while nobody is signed in. */
export let session = null;

export function setSession(value) {
  session = value;
}

/** Returns whether the operator has a role or a higher one. */
export const may = role => session !== null && RANK[session.role] >= RANK[role];

/** Returns the note on a disabled control; the note names the required role. */
export const needs = role => fill(t.needsRole, t.roles[role]);

/** A button for an act that requires a role: visible to all, enabled for operators with the role. */
export const actButton = (role, text, act, { kind = '', disabled, title } = {}) => html`<button type="button" class="${kind}"
  disabled=${!may(role) || !!disabled} title=${may(role) ? title : needs(role)} onclick=${act}>${text}</button>`;
