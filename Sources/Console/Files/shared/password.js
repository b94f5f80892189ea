// The operator's own password.

import { html } from '../base/html.js';
import { t, fill } from '../base/words.js';
import { put } from '../base/api.js';
import { session, setSession } from '../base/session.js';
import { dialog, dialogHead, trouble, tell } from '../base/pieces.js';

/** Asks for a new password; with `isFirst`, after a sign-in by link, the dialog explains its purpose. */
export function choosePassword(isFirst = false) {
  const { operator } = session;
  const { element } = dialog(t.password.title, box => {
    const set = async event => {
      event.preventDefault();
      const { password, current } = Object.fromEntries(new FormData(event.target));
      box.set({ busy: true, problem: null });
      try {
        setSession(await put(['session', 'password'], { password, ...(current ? { current } : {}) }));
        box.close();
        tell(t.password.done);
      } catch (problem) {
        box.set({ busy: false, problem });
      }
    };
    return html`<form onsubmit=${set}>
      ${dialogHead(isFirst ? t.password.first : t.password.title, box)}
      <p>${fill(t.password.why, session.operator)}</p>
      <input type="text" name="username" autocomplete="username" value="${session.operator}" readonly hidden>
      ${session.hasPassword && html`<label><span>${t.password.current}</span><input type="password" name="current" autocomplete="current-password"></label>`}
      <label><span>${t.password.fresh}</span><input type="password" name="password" minlength="10" maxlength="256" required autocomplete="new-password"></label>
      ${box.state.problem && trouble(box.state.problem)}
      <div class="row end"><button type="button" onclick=${box.close}>${isFirst ? t.later : t.cancel}</button><button class="main" disabled=${box.state.busy}>${t.password.set}</button></div>
    </form>`;
  });
  // An operator who postpones the choice of a first password isn't asked again in this browser.
  if (isFirst) element.addEventListener('close', () => localStorage.setItem('passwordLater', operator));
}
