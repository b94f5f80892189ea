// The app: a terminal with a connection of its own, in three steps: log in, bind, control.

import { DeviceView } from "./device-view.js";
import { clock, el, freshId, say } from "./dom.js";
import { App, ConnectionRefused } from "./lamplighter.js";
import { keepSecret } from "./mask.js";
import { problem } from "./problem.js";
import { words } from "./words.js";

const COUNTRY = words.tag === "zh" ? "86" : "49";

export class AppPanel {
  /**
   * @param {{url: string, root: string, appId: string, secret: string, store: any, contract: any,
   *   lamp: import("./lamp.js").Lamp|null, journal: import("./journal.js").Journal}} options
   */
  constructor({ url, root, appId, secret, store, contract, lamp, journal }) {
    Object.assign(this, { contract, lamp });
    /** Called when the session begins or ends. */
    this.onsession = () => {};
    keepSecret(secret);
    this.user = null;
    this.names = new Map();
    /** @type {Map<string, DeviceView>} */
    this.views = new Map();
    this.app = new App({
      url, root, appId, secret, store,
      trace: step => {
        keepSecret(this.app?.credentials?.token);
        journal.add("app", step);
        if (step.what in words.appPhase) this.become(step.what);
      },
    });
    keepSecret(this.app.credentials?.token);
    this.state = el("span", { class: "state", role: "status" });
    this.login = this.step(words.step1);
    this.bind = this.step(words.step2);
    this.control = this.step(words.step3);
    this.stale = el("p", { class: "soft" });
    this.devices = el("div", { class: "devices" });
    this.control.body.append(this.stale, this.devices);
    this.element = el("section", { class: "card", "aria-labelledby": "app" },
      el("div", { class: "head" }, el("h2", { id: "app" }, words.app), this.state),
      el("ol", { class: "steps" }, this.login.element, this.bind.element, this.control.element));
    this.app.on("status", ({ did, body }) => this.show(did, body));
    this.app.on("device", () => this.list());
    this.app.on("ended", () => this.leave());
    this.drawBind();
    this.draw();
  }

  step(title) {
    const mark = el("span", { class: "mark" });
    const body = el("div", {});
    return { element: el("li", {}, el("h3", {}, title, mark), body), body, mark };
  }

  get uid() { return this.app.credentials?.uid ?? null; }

  // The connection

  /**
   * Connects and retries until the broker accepts; a refusal is shown, since retrying alone won't
   * help.
   */
  async start() {
    this.app.timeout = 10000;
    for (;;) {
      try {
        await this.app.connect();
        break;
      } catch (error) {
        if (error instanceof ConnectionRefused) return this.refuse();
      }
    }
    this.app.timeout = 30000;
    if (this.uid) await this.enter().catch(error => this.failed(this.login, error));
    this.draw();
  }

  refuse() {
    this.become("refused");
    this.login.body.replaceChildren(el("button", { type: "button", onclick: () => this.start() }, words.again));
  }

  /** Shows the connection's state and, while it's lost, since when the values are out of date. */
  become(phase) {
    this.element.dataset.phase = phase;
    this.state.dataset.state = { open: "online", refused: "refused" }[phase] ?? "away";
    if (phase === "open") this.lostAt = null;
    else this.lostAt ??= new Date();
    say(this.state, words.appPhase[phase]);
    say(this.stale, this.lostAt && this.views.size ? words.asOf(clock(this.lostAt)) : "");
  }

  // Requests

  /** Makes a request; if it begins a session, the page takes it over. */
  async request(method, params, timeout) {
    const result = await this.app.ask(method, params, timeout ? { timeout } : {});
    if (method === "device/control") this.mark(this.control, true);
    if (result?.user && result.token) {
      this.user = result.user;
      await this.list();
      this.draw();
      this.onsession();
    }
    return result;
  }

  async enter() {
    this.user = (await this.app.account.whoami()).user;
    await this.list();
    this.onsession();
  }

  /** Reads the names of the devices. */
  async list() {
    if (!this.uid) return;
    const { devices } = await this.app.device.list();
    for (const device of devices) this.names.set(device.did, device.alias || device.productName);
    for (const [did, view] of this.views) view.update(view.status, this.names.get(did));
  }

  leave() {
    this.user = null;
    this.views.clear();
    this.devices.replaceChildren();
    this.mark(this.control, false);
    this.draw();
    this.onsession();
  }

  failed(step, error) {
    step.body.querySelector(".problem")?.remove();
    step.body.append(problem(error, this.contract));
  }

  // Views

  mark(step, isDone) {
    step.element.classList.toggle("done", isDone);
    say(step.mark, isDone ? words.done : "");
  }

  draw() {
    this.mark(this.login, this.uid !== null);
    this.login.body.replaceChildren(...this.uid ? this.loggedIn() : this.loginForm());
    this.drawDevices();
  }

  loggedIn() {
    return [el("p", {}, words.asUser(this.uid, this.user?.anonymous), " "),
      el("button", { type: "button", onclick: () => this.app.account.logout().catch(error => this.failed(this.login, error)) }, words.logout)];
  }

  loginForm() {
    const way = freshId("way");
    const name = el("input", { id: freshId("name"), autocomplete: "username", spellcheck: "false" });
    const password = el("input", { id: freshId("password"), type: "password", autocomplete: "current-password" });
    const enter = (method, params) => this.request(method, { countryCode: COUNTRY, ...params }).catch(error => this.failed(this.login, error));
    const account = () => ({ username: name.value, password: password.value });
    const fields = el("div", { class: "fields", hidden: true },
      el("div", { class: "field" }, el("label", { for: name.id }, words.username), name),
      el("div", { class: "field" }, el("label", { for: password.id }, words.password), password, el("small", {}, words.passwordHint)));
    const register = el("button", { type: "button", hidden: true, onclick: () => enter("account/register", account()) }, words.register);
    const hint = el("small", { class: "soft" }, words.loginHint);
    const choose = isNamed => {
      fields.hidden = register.hidden = !isNamed;
      hint.hidden = isNamed;
    };
    return [el("form", {
      onsubmit: event => {
        event.preventDefault();
        if (fields.hidden) enter("account/loginAnonymous", {});
        else enter("account/login", account());
      },
    },
    el("fieldset", { class: "choice" }, el("legend", { class: "spoken" }, words.login),
      [[words.withoutAccount, false], [words.withAccount, true]].map(([text, isNamed]) => el("label", {},
        el("input", { type: "radio", name: way, checked: !isNamed, onchange: () => choose(isNamed) }), el("span", {}, text)))),
    fields, hint,
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, words.login), register))];
  }

  drawBind() {
    const did = el("input", { id: freshId("did"), autocomplete: "off", spellcheck: "false", value: this.lamp?.did });
    const passcode = el("input", { id: freshId("passcode"), autocomplete: "off", spellcheck: "false", value: this.lamp?.passcode });
    const bind = async event => {
      event.preventDefault();
      this.bind.body.querySelector(".problem")?.remove();
      try {
        await this.request("device/bind", { did: did.value, passcode: passcode.value });
      } catch (error) {
        this.failed(this.bind, error);
      }
    };
    this.bindButton = el("button", { type: "submit", class: "main" }, words.bind);
    this.bindForm = el("form", { onsubmit: bind },
      el("div", { class: "fields" },
        el("div", { class: "field" }, el("label", { for: did.id }, words.did), did),
        el("div", { class: "field" }, el("label", { for: passcode.id }, words.passcode), passcode)),
      el("small", { class: "soft" }, words.bindHint), el("div", { class: "row" }, this.bindButton));
    this.another = el("details", { class: "plain" }, el("summary", {}, words.bindAnother));
    this.bind.body.replaceChildren(this.bindForm, this.another);
    /** Fills in the label of this page's lamp, unless another was entered. */
    this.takeLabel = () => {
      if (!this.lamp?.did || did.dataset.own) return;
      did.value = this.lamp.did;
      passcode.value = this.lamp.passcode;
    };
    for (const input of [did, passcode]) input.addEventListener("input", () => { did.dataset.own = "yes"; });
  }

  /** Takes a status; null if the device is no longer the user's. */
  show(did, status) {
    if (status === null) {
      this.views.get(did)?.element.remove();
      this.views.delete(did);
    } else {
      if (!this.views.has(did)) {
        this.views.set(did, new DeviceView(this, did));
        this.devices.append(this.views.get(did).element);
      }
      this.views.get(did).update(status, this.names.get(did));
    }
    this.drawDevices();
  }

  drawDevices() {
    this.mark(this.bind, this.views.size > 0);
    // Once a device is bound, the form moves aside and stays there for another.
    const place = this.views.size > 0 ? this.another : this.bind.body;
    if (this.bindForm.parentElement !== place) place.prepend(...this.views.size > 0 ? [this.another.firstElementChild] : [], this.bindForm);
    this.another.hidden = this.views.size === 0;
    this.bindButton.disabled = this.uid === null;
    this.stale.hidden = false;
    if (!this.views.size) say(this.stale, words.noDevices);
    else if (!this.lostAt) say(this.stale, "");
  }
}
