// A panel to call any method of the contract. The panel has a form made from the method's schema. The panel also shows
// the answer to the request, and the code of the same request in five languages.

import { html, render } from "./base/html.js";
import { fill, t } from "./base/words.js";
import { FILES, LANGUAGES, example, variables } from "./code.js";
import { Form } from "./form.js";
import { masked, readable } from "./mask.js";
import { block, card, choice, field, problem } from "./pieces.js";

export class CallPanel {
  element = card("call", "call");
  language = "sh";
  /** Why the params aren't an object; null if they are one. */
  fault = null;
  answer = null;
  copied = "";

  /**
   * @param {{contract: any, panel: import("./app-panel.js").AppPanel, lamp:
   *   import("./lamp.js").Lamp|null, mqtt: {host: string, port: number}|null}} options
   */
  constructor({ contract, panel, lamp, mqtt }) {
    Object.assign(this, { contract, panel, lamp, mqtt });
    this.choose("device/list");
  }

  get spec() { return this.contract.methods.find(one => one.name === this.method); }

  /** Shows a method with its first example, or with given params. */
  choose(name, params) {
    this.method = name;
    const { spec } = this;
    this.form = new Form(spec.params, () => this.take(this.form.value, -1));
    this.answer = null;
    if (params) this.set(params, -1);
    else this.fillIn(spec.params.required?.length ? 0 : -1);
  }

  /** Chooses a method and scrolls to it. */
  goTo(name, params) {
    this.choose(name, params);
    this.element.scrollIntoView({ block: "start" });
    this.element.querySelector("select").focus({ preventScroll: true });
  }

  fillIn(place) {
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
    this.form.value = params;
    this.take(params, place);
  }

  /** Takes over params with their place among the examples, -1 for the reader's own. */
  take(params, place, json = JSON.stringify(params, null, 2), fault = null) {
    Object.assign(this, { params, place, json, fault, copied: "" });
    this.draw();
  }

  readJSON(json) {
    try {
      const params = JSON.parse(json);
      if (params === null || typeof params !== "object" || Array.isArray(params)) throw new Error("{ … }");
      this.form.value = params;
      this.take(params, -1, json);
    } catch (error) {
      this.take(this.params, -1, json, fill(t.notJSON, error.message));
    }
  }

  async send(event) {
    event.preventDefault();
    if (this.fault !== null) return event.target.elements.json.focus();
    const began = performance.now();
    this.show(t.sending);
    try {
      const result = await this.panel.request(this.method, this.params);
      this.show(html`<p>${fill(t.answered, Math.round(performance.now() - began))}</p>${block(t.answer, readable(JSON.stringify(result)))}`);
    } catch (error) {
      this.show(html`${problem(error, this.contract)}${error.body && block(t.answer, readable(JSON.stringify(error.body)))}`);
    }
  }

  show(answer) {
    this.answer = answer;
    this.draw();
  }

  source(params = this.params) { return example(this.language, this.method, params); }

  async copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
      this.copied = t.copied;
    } catch {
      getSelection().selectAllChildren(button.parentElement.previousElementSibling);
      this.copied = t.notCopied;
    }
    this.draw();
  }

  // Views

  draw() {
    render(html`<h2 id="call">${t.anyMethod}</h2><p class="soft">${t.anyMethodLead}</p>
      <div class="halves">${this.request()}${this.code()}</div>`, this.element);
  }

  request() {
    const { contract, fault, form, json, method, panel, place, spec } = this;
    return html`<form novalidate onsubmit=${event => { this.send(event); }}>
      <div class="fields">
        ${field("method", t.method, html`<select id="method" value="${method}" onchange=${event => this.choose(event.target.value)}>
          ${groups(contract.methods)}</select>`)}
        ${field("sample", t.example, html`<select id="sample" value="${place}" onchange=${event => this.fillIn(Number(event.target.value))}>
          ${spec.examples.map(({ title }, i) => html`<option value="${i}">${title}</option>`)}<option value="-1">${t.own}</option></select>`)}</div>
      <p lang="en">${spec.summary}</p>
      <p><a href="service-${method.split("/")[0]}.html#${method.replace("/", "-")}">${t.inReference}</a></p>
      <p class="soft" hidden=${spec.session !== "always" || panel.uid !== null}>${t.needsSession}</p>
      <div key=${method}>${form.parts.length ? form.view() : html`<p class="soft">${t.noParams}</p>`}</div>
      <details class="plain"><summary>${t.json}</summary><label for="json" class="spoken">${t.json}</label>
        <textarea id="json" name="json" rows="4" spellcheck="false" aria-invalid="${fault !== null}" value="${json}"
          oninput=${event => this.readJSON(event.target.value)}></textarea></details>
      <p class="problem" role="alert" hidden=${fault === null}>${fault}</p>
      <div class="row"><button class="main">${t.send}</button></div>
      <div class="answer" role="status">${this.answer}</div></form>`;
  }

  code() {
    const choose = language => {
      Object.assign(this, { language, copied: "" });
      this.draw();
    };
    return html`<div><h3>${t.code}</h3>
      ${choice("language", t.language, LANGUAGES, this.language, choose)}
      ${block(t.code, this.source(masked(this.params)))}
      <div class="row">${this.copier(() => this.source())}<span class="soft" role="status">${this.copied}</span></div>
      <p class="soft">${t.codeLead}</p>
      <details class="plain"><summary>${t.setup}</summary><div>${this.needs()}</div></details></div>`;
  }

  copier(text) { return html`<button type="button" onclick=${event => this.copy(text(), event.target)}>${t.copy}</button>`; }

  needs() {
    const file = FILES[this.language];
    const links = html`<p><a href="examples/${file}">${file}</a> · <a href="examples.html#variables">${t.inReference}</a></p>`;
    if (!this.mqtt) return html`<p>${t.setupElsewhere}</p>${links}`;
    const { app } = this.panel;
    const given = hidden => variables({
      ...this.mqtt, appId: app.appId, secret: hidden ?? app.secret, terminalId: app.terminalId,
      token: app.credentials ? hidden ?? app.credentials.token : "",
    });
    return html`<p>${fill(t.setupFiles, file)}</p>${links}${block(t.setup, given("•••"))}<div class="row">${this.copier(given)}</div>`;
  }
}

/** Returns the methods as options, grouped by service. */
function groups(methods) {
  const services = [...new Set(methods.map(({ name }) => name.split("/")[0]))];
  return services.map(service => html`<optgroup label="${service}">${methods.filter(({ name }) => name.startsWith(`${service}/`))
    .map(({ name }) => html`<option value="${name}">${name}</option>`)}</optgroup>`);
}
