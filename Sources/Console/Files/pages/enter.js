// Sign-in: with a one-time link, or with a name and a password.

import { html, render } from '../base/html.js';
import { t } from '../base/words.js';
import { post } from '../base/api.js';
import { copyable, trouble, languageButton } from '../base/pieces.js';

/** Shows the sign-in page, which passes the session to `welcome`. */
export function enter(root, { reason, welcome }) {
  const state = {};
  const set = changes => {
    Object.assign(state, changes);
    render(draw(), root);
  };
  const signIn = async act => {
    set({ busy: true, problem: null });
    try {
      welcome(await act());
    } catch (problem) {
      // If the service refuses the link, the link is void. A missing answer or a limit of tries (429) doesn't make the
      // link void.
      const isLink = state.token !== undefined && problem.status > 399 && problem.status < 429;
      set({ busy: false, problem, isLink, token: isLink ? undefined : state.token });
    }
  };
  const token = /^#enter=([\w-]+)/.exec(location.hash)?.[1];
  if (token) history.replaceState(null, '', '#/overview'); // a used token mustn't stay in the address

  const draw = () => html`<main class="enter" id="main">
    <img class="mark" src="mark.svg" alt="">
    <h1>${t.enter.title}</h1>
    ${reason && html`<p class="note" role="status">${t.enter.reasons[reason] ?? t.enter.reasons.expired}</p>`}
    ${state.isLink && html`<div class="note warn stack tight" role="alert"><p class="strong">${t.enter.linkExpired}</p><p>${t.enter.linkCure}</p>${copyable('lamplighter console')}</div>`}
    ${state.problem && !state.isLink && (state.problem.status === 401 ? html`<p class="note bad" role="alert">${t.enter.wrong}</p>` : trouble(state.problem))}
    ${state.token ? html`<button type="button" class="main" disabled=${state.busy} onclick=${() => signIn(() => post(['session', 'enter'], { token: state.token }))}>${t.enter.useLink}</button>`
      : html`<form onsubmit=${event => {
        event.preventDefault();
        const { name, password } = Object.fromEntries(new FormData(event.target));
        signIn(() => post(['session'], { name, password }));
      }}>
      <label><span>${t.enter.name}</span><input name="name" autocomplete="username" required maxlength="64" autocapitalize="none" spellcheck="false"></label>
      <label><span>${t.enter.password}</span><input name="password" type="password" autocomplete="current-password" required maxlength="256"></label>
      <button class="main" disabled=${state.busy}>${t.enter.enter}</button></form>
      <details><summary>${t.enter.noPassword}</summary><div class="stack tight"><p>${t.enter.linkCure}</p>${copyable('lamplighter console')}</div></details>`}
    <p class="small">${languageButton('link')}</p>
  </main>`;
  set({ token });
  document.title = `${t.enter.title} – Lamplighter`;
  root.querySelector('input')?.focus();
  if (token) signIn(() => post(['session', 'enter'], { token }));
}
