// Who is signed in, and what that person may do.

import { html } from './html.js';
import { t, fill } from './words.js';

const RANK = { viewer: 0, operator: 1, admin: 2 };

/** The session as the service tells it; null while nobody is signed in. */
export let session = null;

export function setSession(value) {
  session = value;
}

/** Whether the operator's role reaches so far. */
export const may = role => session !== null && RANK[session.role] >= RANK[role];

/** What a control that the role does not reach says about itself. */
export const needs = role => fill(t.needsRole, t.roles[role]);

/** A button for an act that takes a role: seen by all, pressed by those who may. */
export const actButton = (role, text, act, { kind = '', disabled, title } = {}) => html`<button type="button" class="${kind}"
  disabled=${!may(role) || !!disabled} title=${may(role) ? title : needs(role)} onclick=${act}>${text}</button>`;
