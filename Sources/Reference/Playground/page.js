// The playground: reads the service's addresses, and assembles lamp, app, messages and methods.

import { AppPanel } from "./app-panel.js";
import { CallPanel } from "./call-panel.js";
import { el, freshId } from "./dom.js";
import { Journal } from "./journal.js";
import { Lamp } from "./lamp.js";
import { LampPanel } from "./lamp-panel.js";
import { openSlot } from "./slot.js";
import { changeLanguage, words } from "./words.js";

const SPACE = "lamplighter.try";
const main = document.querySelector("main");

/** Returns the broker's address for a page from this location; null if nothing listens. */
function socketAddress({ httpPort, httpTlsPort, webSocketPort, webSocketTlsPort }) {
  const isSecure = location.protocol === "https:";
  const port = Number(location.port || (isSecure ? 443 : 80));
  // A page's policy can't name IPv6 addresses; a listener on loopback has both kinds.
  const host = location.hostname === "[::1]" ? "127.0.0.1" : location.hostname;
  if (!isSecure && port === httpPort) return webSocketPort ? `ws://${host}:${webSocketPort}/mqtt` : null;
  if (isSecure && port === httpTlsPort) return webSocketTlsPort ? `wss://${host}:${webSocketTlsPort}/mqtt` : null;
  // A proxy in front forwards WebSockets under its own name.
  return webSocketPort || webSocketTlsPort ? `${isSecure ? "wss" : "ws"}://${location.host}/mqtt` : null;
}

async function read(path) {
  const answer = await fetch(path, { cache: "no-cache" });
  return answer.ok ? answer.json() : null;
}

function head(...more) {
  const title = el("h1", { lang: words.tag }, words.title);
  const other = el("button", { type: "button", class: "language", lang: words.tag === "en" ? "zh" : "en", onclick: changeLanguage }, words.otherLanguage);
  return [el("div", { class: "head" }, title, other), ...more];
}

function notice(...parts) {
  main.replaceChildren(...head(el("div", { class: "card notice", role: "alert" }, el("p", {}, ...parts))));
}

/** Asks for keys if the service provides none; they stay in this tab. */
function askForKeys() {
  const kept = JSON.parse(sessionStorage.getItem(`${SPACE}.keys`) ?? "{}");
  return new Promise(resolve => {
    const field = (name, isNeeded, type = "text") => {
      const input = el("input", { id: freshId(name), name, type, required: isNeeded, autocomplete: "off", spellcheck: "false", value: kept[name] });
      return el("div", { class: "field" }, el("label", { for: input.id }, words[name], isNeeded ? null : el("em", {}, words.optional)), input);
    };
    const form = el("form", {
      class: "card", onsubmit: event => {
        event.preventDefault();
        const keys = Object.fromEntries(new FormData(form));
        sessionStorage.setItem(`${SPACE}.keys`, JSON.stringify(keys));
        resolve(keys);
      },
    },
    el("h2", {}, words.keysTitle), el("p", {}, words.keysLead),
    el("div", { class: "fields" }, field("appId", true), field("appSecret", true, "password"), field("productKey", false), field("productSecret", false, "password")),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, words.begin)));
    main.replaceChildren(...head(form));
  });
}

async function begin() {
  main.lang = words.tag;
  const [facts, contract] = await Promise.all([read("try/facts.json"), read("try/contract.json")]);
  if (!facts || !contract) {
    return notice(words.noService, " ", el("code", {}, "lamplighter up"), " ", words.noServiceThen, " ", el("code", {}, "http://127.0.0.1:8080/docs/try.html"));
  }
  const url = socketAddress(facts);
  if (!url) {
    const setting = location.protocol === "https:" ? "mqtt.webSocketTlsPort=8084" : "mqtt.webSocketPort=8083";
    return notice(words.mqttOff, " ", words.mqttOffCure, " ", el("code", {}, `--set ${setting}`), " ", words.mqttOffRestart);
  }
  const keys = facts.keys ?? await askForKeys();
  const store = await openSlot(SPACE);
  start({ ...facts, contract, url, keys, store });
}

function start({ root, contract, url, keys, store, mqtt = null }) {
  const journal = new Journal(({ method, params }) => call.goTo(method, params));
  const lamp = keys.productKey ? new Lamp({
    url, root, productKey: keys.productKey, productSecret: keys.productSecret, store, trace: step => journal.add("lamp", step),
  }) : null;
  const panel = new AppPanel({ url, root, appId: keys.appId, secret: keys.appSecret, store, contract, lamp, journal });
  const call = new CallPanel({ contract, panel, lamp, mqtt });
  const lampPanel = lamp && new LampPanel(lamp);
  const left = lampPanel?.element ?? el("section", { class: "card" }, el("h2", {}, words.lamp), el("p", {}, words.noLamp));
  main.replaceChildren(...head(el("p", { class: "lead" }, words.lead)),
    el("div", { class: "pair" }, left, panel.element), journal.element, call.element);
  panel.onsession = () => {
    call.drawSession();
    call.write();
  };
  if (lampPanel) {
    lampPanel.onchange = () => panel.takeLabel();
    lamp.plugIn();
  }
  panel.start();
}

begin().catch(error => notice(words.failed, " ", String(error.message ?? error), " ",
  el("button", { type: "button", onclick: () => location.reload() }, words.again)));
