// The newest notifications in the user's message centre. If the reader allows it, the browser shows the notifications
// too. The browser's push service delivers them while the page is closed.

import { html } from "./base/html.js";
import { fill, t } from "./base/words.js";
import { keepSecret } from "./mask.js";
import { clock } from "./pieces.js";

const SHOWN_MAX = 5;
// Under the page's Content-Security-Policy, only the Trusted Types policy `push-worker` may create a script's address.
// `push-worker` always returns the address below.
const address = new URL("./push-worker.js", import.meta.url).href;
const script = globalThis.trustedTypes?.createPolicy("push-worker", { createScriptURL: () => address }).createScriptURL("") ?? address;

/** Returns the registration of the service worker that shows pushes, once the worker is active. */
async function pushWorker() {
  const registration = await navigator.serviceWorker.register(script);
  const { active, installing } = registration;
  if (!active) await new Promise(resolve => { installing.onstatechange = () => installing.state === "activated" && resolve(null); });
  return registration;
}

export class Notes {
  /** @type {any[]} */
  rows = [];
  unread = 0;
  /** The service worker's registration, once there is one, and whether pushes reach it, in words. */
  worker = null;
  reached = "";

  /** @param {import("./app-panel.js").AppPanel} panel */
  constructor(panel) { this.panel = panel; }

  clear() { Object.assign(this, { rows: [], unread: 0, reached: "" }); }

  /** Reads the newest notifications once there is a session, and sets this browser's push address. */
  async load() {
    const { notifications, unread } = await this.panel.app.ask("notification/list", { limit: SHOWN_MAX });
    this.rows = notifications;
    this.count(unread);
    // `reach` isn't awaited, because the browser's push service can take seconds.
    this.reach();
  }

  /** Sets this browser's address at its push service as the terminal's, if the reader allows notifications. */
  async reach() {
    if (!this.mayShow || !navigator.serviceWorker) return;
    try {
      this.worker ??= await pushWorker();
      const { push } = await this.panel.app.ask("app/info");
      const { endpoint, keys } = (await this.subscription(push.vapidKey)).toJSON();
      [endpoint, keys.auth].forEach(keepSecret);
      await this.panel.app.ask("notification/setPush", { push: { kind: "webpush", address: endpoint, keys } });
      this.reached = t.reached;
    } catch (error) {
      this.reached = fill(t.notReached, String(error.message ?? error));
    }
    this.panel.draw();
  }

  /** Returns the browser's subscription with a key; a subscription with the key of an earlier service ends. */
  subscription(applicationServerKey) {
    const manager = this.worker.pushManager;
    const subscribe = () => manager.subscribe({ userVisibleOnly: true, applicationServerKey });
    return subscribe().catch(async error => {
      if (error.name !== "InvalidStateError") throw error;
      await (await manager.getSubscription()).unsubscribe();
      return subscribe();
    });
  }

  count(unread) { this.unread = unread.device + unread.home + unread.system; }

  /** Takes a change of the message centre. */
  take({ change, unread, ...row }) {
    const others = this.rows.filter(other => other.notificationId !== row.notificationId);
    if (change !== "deleted") others.push(row);
    this.rows = others.sort((a, b) => b.ts - a.ts).slice(0, SHOWN_MAX);
    this.count(unread);
    // If a push with this notification arrives later, the browser shows it in place of this one, because both have the
    // same tag.
    const shown = { body: row.text, tag: row.notificationId };
    if (change === "added" && this.mayShow) this.worker?.showNotification(row.title, shown) ?? new Notification(row.title, shown);
    this.panel.draw();
  }

  get mayShow() { return globalThis.Notification?.permission === "granted"; }

  async allow() {
    await Notification.requestPermission();
    this.panel.draw();
    await this.reach();
  }

  view() {
    if (!this.panel.uid) return "";
    const canAsk = globalThis.Notification?.permission === "default";
    return html`<section class="notes"><h3>${t.notifications}${this.unread > 0 && ` (${this.unread})`}</h3>
      <ol>${this.rows.map(row => html`<li key=${row.notificationId}><strong>${row.title}</strong> ${row.text}
        <span class="soft">${[clock(new Date(row.ts)), row.count > 1 && `× ${row.count}`, row.clearedAt && fill(t.clearedAt, clock(new Date(row.clearedAt)))]
          .filter(Boolean).join(" · ")}</span></li>`)}</ol>
      ${this.rows.length === 0 && html`<p class="soft">${t.noNotifications}</p>`}
      <div class="row"><button type="button" hidden=${this.unread === 0} onclick=${() => this.panel.request("notification/markRead", { all: true })}>${t.markRead}</button>
        <button type="button" hidden=${!canAsk} onclick=${() => this.allow()}>${t.allowNotifications}</button></div>
      ${this.reached && html`<p class="soft" role="status">${this.reached}</p>`}</section>`;
  }
}
