// The panel of the app. The app is a terminal with its own connection. The panel has three steps: log in, bind,
// control.

import { html, render } from "./base/html.js";
import { fill, language, t } from "./base/words.js";
import { DeviceView } from "./device-view.js";
import { App, ConnectionRefused } from "./lamplighter.js";
import { keepSecret } from "./mask.js";
import { Notes } from "./notes.js";
import { card, choice, clock, field, problem } from "./pieces.js";

const COUNTRY = language === "zh" ? "86" : "49";

export class AppPanel {
  element = card("app");
  phase = "connecting";
  /** When the connection was lost; null while it's open. */
  lostAt = null;
  isRefused = false;
  user = null;
  names = new Map();
  /** @type {Map<string, DeviceView>} */
  devices = new Map();
  hasControlled = false;
  /** The views of the steps' problems, by step. */
  problems = {};
  /** Whether the reader logs in with an account. */
  isNamed = false;
  /** The label that the reader has typed; null for the label of this page's lamp. */
  label = null;

  /**
   * @param {{url: string, root: string, appId: string, secret: string, store: any, contract: any,
   *   lamp: import("./lamp.js").Lamp|null, journal: import("./journal.js").Journal, redraw: () =>
   *   void}} options `redraw` draws the panels that show the session.
   */
  constructor({ url, root, appId, secret, store, contract, lamp, journal, redraw }) {
    Object.assign(this, { contract, lamp, redraw });
    keepSecret(secret);
    this.app = new App({
      url, root, appId, secret, store,
      trace: step => {
        keepSecret(this.app?.credentials?.token);
        journal.add("app", step);
        if (step.what in t.appPhase) this.become(step.what);
      },
    });
    keepSecret(this.app.credentials?.token);
    this.app.on("status", ({ did, body }) => this.show(did, body));
    this.app.on("device", () => this.list());
    this.notes = new Notes(this);
    this.app.on("notification", ({ body }) => this.notes.take(body));
    this.app.on("ended", () => this.leave());
  }

  get uid() { return this.app.credentials?.uid ?? null; }

  // The connection

  /**
   * Connects and retries until the broker accepts; a refusal is shown, since retrying alone won't
   * help.
   */
  async start() {
    this.isRefused = false;
    this.app.timeout = 10000;
    for (;;) {
      try {
        await this.app.connect();
        break;
      } catch (error) {
        this.isRefused = error instanceof ConnectionRefused;
        if (this.isRefused) return this.become("refused");
      }
    }
    this.app.timeout = 30000;
    if (this.uid) await this.attempt("login", () => this.enter());
    this.draw();
  }

  become(phase) {
    this.phase = phase;
    this.lostAt = phase === "open" ? null : this.lostAt ?? new Date();
    this.draw();
  }

  // Requests

  /** Makes a request; if it begins a session, the page shows that session's user. */
  async request(method, params, timeout) {
    const result = await this.app.ask(method, params, timeout ? { timeout } : {});
    if (method === "device/control") this.hasControlled = true;
    if (result?.user && result.token) {
      this.user = result.user;
      this.problems = {};
      await this.load();
    }
    this.redraw();
    return result;
  }

  /** Makes a step's request; the step shows why it failed. */
  async attempt(step, act) {
    this.problems[step] = null;
    try {
      await act();
    } catch (error) {
      this.problems[step] = problem(error, this.contract);
    }
    this.redraw();
  }

  async enter() {
    this.user = (await this.app.account.whoami()).user;
    await this.load();
  }

  /** Reads what the page shows of a user. */
  async load() {
    await this.list();
    await this.notes.load();
  }

  /** Reads the names of the devices. */
  async list() {
    if (!this.uid) return;
    const { devices } = await this.app.device.list();
    for (const device of devices) this.names.set(device.did, device.alias || device.productName);
    this.draw();
  }

  leave() {
    this.user = null;
    this.devices.clear();
    this.notes.clear();
    this.hasControlled = false;
    this.redraw();
  }

  /** Takes a status; null if the device is no longer the user's. */
  show(did, status) {
    if (status === null) {
      this.devices.delete(did);
    } else {
      if (!this.devices.has(did)) this.devices.set(did, new DeviceView(this, did));
      this.devices.get(did).status = status;
    }
    this.draw();
  }

  // Views

  draw() {
    const { devices, lostAt, phase } = this;
    this.element.dataset.phase = phase;
    const state = { open: "online", refused: "refused" }[phase] ?? "away";
    const stale = devices.size === 0 ? t.noDevices : lostAt && fill(t.asOf, clock(lostAt));
    render(html`
      <div class="head"><h2 id="app">${t.app}</h2><span class="state" role="status" data-state="${state}">${t.appPhase[phase]}</span></div>
      <ol class="steps">
        ${this.step("login", t.step1, this.uid !== null, this.login())}
        ${this.step("bind", t.step2, devices.size > 0, this.bind())}
        ${this.step("control", t.step3, this.hasControlled, html`<p class="soft">${stale}</p>
          <div class="devices">${[...devices.values()].map(device => device.view())}</div>`)}</ol>
      ${this.notes.view()}`, this.element);
  }

  step(name, title, isDone, body) {
    return html`<li class="${isDone ? "done" : ""}"><h3>${title}<span class="mark">${isDone && t.done}</span></h3>
      <div>${body}${this.problems[name]}</div></li>`;
  }

  login() {
    if (this.isRefused) return html`<button type="button" onclick=${() => this.start()}>${t.again}</button>`;
    if (this.uid) {
      return html`<p>${this.user?.anonymous ? fill(t.anonymous, this.uid) : this.uid}</p>
        <button type="button" onclick=${() => this.attempt("login", () => this.app.account.logout())}>${t.logout}</button>`;
    }
    const choose = isNamed => {
      this.isNamed = isNamed;
      this.draw();
    };
    const enter = event => {
      event.preventDefault();
      const { username, password } = event.target.elements;
      const account = this.isNamed ? { username: username.value, password: password.value } : {};
      return this.attempt("login", () => this.request(event.submitter.value, { countryCode: COUNTRY, ...account }));
    };
    return html`<form onsubmit=${enter}>
      ${choice("way", t.login, [[false, t.withoutAccount], [true, t.withAccount]], this.isNamed, choose)}
      <div class="fields" hidden=${!this.isNamed}>
        ${field("username", t.username, html`<input id="username" name="username" autocomplete="username" spellcheck="false">`)}
        ${field("password", t.password, html`<input id="password" name="password" type="password" autocomplete="current-password">`,
          html`<small>${t.passwordHint}</small>`)}</div>
      <small class="soft" hidden=${this.isNamed}>${t.loginHint}</small>
      <div class="row"><button class="main" value="${this.isNamed ? "account/login" : "account/loginAnonymous"}">${t.login}</button>
        <button value="account/register" hidden=${!this.isNamed}>${t.register}</button></div></form>`;
  }

  bind() {
    const { did, passcode } = this.label ?? this.lamp ?? {};
    const given = form => Object.fromEntries(new FormData(form));
    const bind = event => {
      event.preventDefault();
      return this.attempt("bind", () => this.request("device/bind", given(event.target)));
    };
    const form = html`<form onsubmit=${bind} oninput=${event => { this.label = given(event.target.form); }}>
      <div class="fields">
        ${field("did", t.did, html`<input id="did" name="did" autocomplete="off" spellcheck="false" value="${did}">`)}
        ${field("passcode", t.passcode, html`<input id="passcode" name="passcode" autocomplete="off" spellcheck="false" value="${passcode}">`)}</div>
      <small class="soft">${t.bindHint}</small>
      <div class="row"><button class="main" disabled=${this.uid === null}>${t.bind}</button></div></form>`;
    // Once a device is bound, the form is collapsed. The page's reader can open the form to bind other devices.
    return this.devices.size ? html`<details class="plain"><summary>${t.bindAnother}</summary>${form}</details>` : form;
  }
}
