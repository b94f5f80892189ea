// Any method of the contract: a form made from its schema, its answer, and the same request in five
// languages.

import { el, freshId, say } from "./dom.js";
import { FILES, LANGUAGES, example, variables } from "./code.js";
import { Form } from "./form.js";
import { masked, readable } from "./mask.js";
import { problem } from "./problem.js";
import { words } from "./words.js";

export class CallPanel {
  /**
   * @param {{contract: any, panel: import("./app-panel.js").AppPanel, lamp:
   *   import("./lamp.js").Lamp|null, mqtt: {host: string, port: number}|null}} options
   */
  constructor({ contract, panel, lamp, mqtt }) {
    Object.assign(this, { contract, panel, lamp, mqtt });
    this.language = "sh";
    this.method = el("select", { id: freshId("method"), onchange: () => this.choose(this.method.value) }, groups(contract.methods));
    this.samples = el("select", { id: freshId("sample"), onchange: () => this.fill(Number(this.samples.value)) });
    this.about = el("p", { lang: "en" });
    this.reference = el("a", {}, words.inReference);
    this.session = el("p", { class: "soft" }, words.needsSession);
    this.fields = el("div", {});
    this.json = el("textarea", { id: freshId("json"), rows: 4, spellcheck: "false", oninput: () => this.readJSON() });
    this.fault = el("p", { class: "problem", role: "alert", hidden: true });
    this.answer = el("div", { class: "answer", role: "status" });
    this.code = el("code", {});
    this.block = el("pre", { tabindex: "0", "aria-label": words.code }, this.code);
    this.setup = el("div", {});
    this.copied = el("span", { class: "soft", role: "status" });
    this.element = el("section", { class: "card call", "aria-labelledby": "call" },
      el("h2", { id: "call" }, words.anyMethod), el("p", { class: "soft" }, words.anyMethodLead),
      el("div", { class: "halves" }, this.requestSide(), this.codeSide()));
    this.choose("device/list");
  }

  requestSide() {
    return el("form", {
      novalidate: true, onsubmit: event => {
        event.preventDefault();
        this.send();
      },
    },
    el("div", { class: "fields" },
      el("div", { class: "field" }, el("label", { for: this.method.id }, words.method), this.method),
      el("div", { class: "field" }, el("label", { for: this.samples.id }, words.example), this.samples)),
    this.about, el("p", {}, this.reference), this.session, this.fields,
    el("details", { class: "plain" }, el("summary", {}, words.json),
      el("label", { for: this.json.id, class: "spoken" }, words.json), this.json),
    this.fault, el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, words.send)), this.answer);
  }

  codeSide() {
    const name = freshId("language");
    const choices = LANGUAGES.map(([value, text]) => el("label", {}, el("input", {
      type: "radio", name, value, checked: value === this.language, onchange: () => {
        this.language = value;
        this.write();
      },
    }), el("span", {}, text)));
    return el("div", {}, el("h3", {}, words.code),
      el("fieldset", { class: "choice" }, el("legend", { class: "spoken" }, words.language), choices),
      this.block,
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => this.copy(this.source(), this.block) }, words.copy), this.copied),
      el("p", { class: "soft" }, words.codeLead),
      el("details", { class: "plain" }, el("summary", {}, words.setup), this.setup));
  }

  get spec() { return this.contract.methods.find(one => one.name === this.method.value); }

  /** Shows a method with its first example, or with given params. */
  choose(name, params) {
    this.method.value = name;
    const { spec } = this;
    say(this.about, spec.summary);
    this.reference.setAttribute("href", `service-${name.split("/")[0]}.html#${name.replace("/", "-")}`);
    this.form = new Form(spec.params, () => this.readForm());
    this.fields.replaceChildren(this.form.parts.length ? this.form.element : el("p", { class: "soft" }, words.noParams));
    this.samples.replaceChildren(...spec.examples.map((one, place) => el("option", { value: place }, one.title)),
      el("option", { value: -1 }, words.own));
    this.answer.replaceChildren();
    this.drawSession();
    if (params) this.set(params, -1);
    else this.fill(spec.params.required?.length ? 0 : -1);
  }

  /** Chooses a method and scrolls to it. */
  goTo(name, params) {
    this.choose(name, params);
    this.element.scrollIntoView({ block: "start" });
    this.method.focus({ preventScroll: true });
  }

  drawSession() { this.session.hidden = this.spec.session !== "always" || this.panel.uid !== null; }

  fill(place) {
    const sample = this.spec.examples[place];
    this.set(sample ? this.ours(sample.value) : {}, sample ? place : -1);
  }

  /** Returns an example with this page's lamp in place of the reference's invented one. */
  ours(params) {
    const own = structuredClone(params);
    if ("did" in own && this.lamp?.did) own.did = this.lamp.did;
    if ("did" in own && "passcode" in own && this.lamp) own.passcode = this.lamp.passcode;
    return own;
  }

  set(params, place) {
    this.params = params;
    this.samples.value = String(place);
    this.form.value = params;
    this.json.value = JSON.stringify(params, null, 2);
    this.showFault(null);
    this.write();
  }

  readForm() {
    this.params = this.form.value;
    this.json.value = JSON.stringify(this.params, null, 2);
    this.samples.value = "-1";
    this.showFault(null);
    this.write();
  }

  readJSON() {
    this.samples.value = "-1";
    try {
      const params = JSON.parse(this.json.value);
      if (params === null || typeof params !== "object" || Array.isArray(params)) throw new Error("{ … }");
      this.params = params;
      this.form.value = params;
      this.showFault(null);
    } catch (error) {
      this.showFault(words.notJSON(error.message));
    }
    this.write();
  }

  showFault(text) {
    this.fault.hidden = text === null;
    say(this.fault, text ?? "");
    this.json.setAttribute("aria-invalid", String(text !== null));
  }

  async send() {
    if (!this.fault.hidden) return this.json.focus();
    const began = performance.now();
    say(this.answer, words.sending);
    try {
      const result = await this.panel.request(this.method.value, this.params);
      this.answer.replaceChildren(el("p", {}, words.answered(Math.round(performance.now() - began))), shown(readable(JSON.stringify(result))));
    } catch (error) {
      this.answer.replaceChildren(problem(error, this.contract), error.body ? shown(readable(JSON.stringify(error.body))) : "");
    }
    this.drawSession();
    this.write();
  }

  // Code

  source(params = this.params) { return example(this.language, this.method.value, params); }

  write() {
    say(this.code, this.source(masked(this.params)));
    say(this.copied, "");
    this.setup.replaceChildren(...this.needs());
  }

  needs() {
    const file = FILES[this.language];
    const link = el("p", {}, el("a", { href: `examples/${file}` }, file), " · ", el("a", { href: "examples.html#variables" }, words.inReference));
    if (!this.mqtt) return [el("p", {}, words.setupElsewhere), link];
    const { app } = this.panel;
    const given = hidden => variables({
      ...this.mqtt, appId: app.appId, secret: hidden ?? app.secret, terminalId: app.terminalId,
      token: app.credentials ? hidden ?? app.credentials.token : "",
    });
    const block = el("pre", { tabindex: "0", "aria-label": words.setup }, el("code", {}, given("•••")));
    return [el("p", {}, words.setupFiles(file)), link, block,
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => this.copy(given(), block) }, words.copy))];
  }

  async copy(text, block) {
    try {
      await navigator.clipboard.writeText(text);
      say(this.copied, words.copied);
    } catch {
      getSelection().selectAllChildren(block);
      say(this.copied, words.notCopied);
    }
  }
}

const shown = text => el("pre", { tabindex: "0", "aria-label": words.answer }, el("code", {}, text));

/** Returns the methods as options, grouped by service. */
function groups(methods) {
  const services = new Map();
  for (const { name } of methods) {
    const service = name.split("/")[0];
    services.set(service, [...services.get(service) ?? [], el("option", { value: name }, name)]);
  }
  return [...services].map(([label, options]) => el("optgroup", { label }, options));
}
