// The playground. This script reads the service's addresses, and assembles the panels for the lamp, the app, the
// messages and the methods.

import { html, render } from "./base/html.js";
import { language, speak, t } from "./base/words.js";
import { AppPanel } from "./app-panel.js";
import { CallPanel } from "./call-panel.js";
import { Journal } from "./journal.js";
import { Lamp } from "./lamp.js";
import { LampPanel } from "./lamp-panel.js";
import { field } from "./pieces.js";
import { openSlot } from "./slot.js";

const SPACE = "lamplighter.try";
const KEYS = `${SPACE}.keys`;
const main = document.querySelector("main");

/** Returns the broker's address for a page from this location; null if nothing listens. */
function socketAddress({ httpPort, httpTlsPort, webSocketPort, webSocketTlsPort }) {
  const isSecure = location.protocol === "https:";
  const port = Number(location.port || (isSecure ? 443 : 80));
  // A page's security policy can't name IPv6 addresses, so a page from ::1 connects to 127.0.0.1. By default, the
  // service listens at both addresses.
  const host = location.hostname === "[::1]" ? "127.0.0.1" : location.hostname;
  if (!isSecure && port === httpPort) return webSocketPort ? `ws://${host}:${webSocketPort}/mqtt` : null;
  if (isSecure && port === httpTlsPort) return webSocketTlsPort ? `wss://${host}:${webSocketTlsPort}/mqtt` : null;
  // The page came through a proxy in front of the service. The proxy also forwards WebSockets that are opened at the
  // page's host and port.
  return webSocketPort || webSocketTlsPort ? `${isSecure ? "wss" : "ws"}://${location.host}/mqtt` : null;
}

async function read(path) {
  const answer = await fetch(path, { cache: "no-cache" });
  return answer.ok ? answer.json() : null;
}

/** Shows the page's head with the given content below it. */
function show(content) {
  const [tag, name] = language === "en" ? ["zh", "中文"] : ["en", "English"];
  render(html`<div class="head"><h1 lang="${language}">${t.title}</h1>
    <button type="button" class="language" lang="${tag}" onclick=${() => speak(tag)}>${name}</button></div>${content}`, main);
}

const notice = content => show(html`<div class="card notice" role="alert"><p>${content}</p></div>`);

/** Asks for keys if the service provides none; they stay in this tab. */
function askForKeys() {
  const kept = JSON.parse(sessionStorage.getItem(KEYS) ?? "{}");
  const key = (name, type, isNeeded) => field(name, html`${t[name]}${!isNeeded && html`<em>${t.optional}</em>`}`,
    html`<input id="${name}" name="${name}" type="${type}" required=${isNeeded} autocomplete="off" spellcheck="false" value="${kept[name]}">`);
  return new Promise(resolve => {
    const submit = event => {
      event.preventDefault();
      const keys = Object.fromEntries(new FormData(event.target));
      sessionStorage.setItem(KEYS, JSON.stringify(keys));
      resolve(keys);
    };
    show(html`<form class="card" onsubmit=${submit}><h2>${t.keysTitle}</h2><p>${t.keysLead}</p>
      <div class="fields">${key("appId", "text", true)}${key("appSecret", "password", true)}
        ${key("productKey", "text", false)}${key("productSecret", "password", false)}</div>
      <div class="row"><button class="main">${t.begin}</button></div></form>`);
  });
}

async function begin() {
  main.lang = language;
  const [facts, contract] = await Promise.all([read("try/facts.json"), read("try/contract.json")]);
  if (!facts || !contract) {
    return notice(html`${t.noService} <code>lamplighter up</code> ${t.noServiceThen} <code>http://127.0.0.1:8080/docs/try.html</code>`);
  }
  const url = socketAddress(facts);
  if (!url) {
    const setting = location.protocol === "https:" ? "mqtt.webSocketTlsPort=8084" : "mqtt.webSocketPort=8083";
    return notice(html`${t.mqttOff} ${t.mqttOffCure} <code>--set ${setting}</code> ${t.mqttOffRestart}`);
  }
  const keys = facts.keys ?? await askForKeys();
  start({ ...facts, contract, url, keys, store: await openSlot(SPACE) });
}

function start({ root, contract, url, keys, store, mqtt = null }) {
  const journal = new Journal(({ method, params }) => call.goTo(method, params));
  const lamp = keys.productKey ? new Lamp({
    url, root, productKey: keys.productKey, productSecret: keys.productSecret, store, trace: step => journal.add("lamp", step),
  }) : null;
  const redraw = () => panels.forEach(panel => panel.draw());
  const panel = new AppPanel({ url, root, appId: keys.appId, secret: keys.appSecret, store, contract, lamp, journal, redraw });
  const call = new CallPanel({ contract, panel, lamp, mqtt });
  const panels = lamp ? [new LampPanel(lamp), panel, call] : [panel, call];
  show(html`<p class="lead">${t.lead}</p><div class="pair">${!lamp && html`<section class="card"><h2>${t.lamp}</h2><p>${t.noLamp}</p></section>`}</div>`);
  const pair = main.querySelector(".pair");
  pair.append(...panels.slice(0, -1).map(({ element }) => element));
  pair.after(journal.element, call.element);
  redraw();
  if (lamp) {
    lamp.onchange = redraw;
    lamp.plugIn();
  }
  panel.start();
}

begin().catch(error => notice(html`${t.failed} ${String(error.message ?? error)} <button type="button" onclick=${() => location.reload()}>${t.again}</button>`));
