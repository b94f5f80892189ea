// Connects a device: its product and MAC, the commands to paste, the label, and each step as it happens.

import { html } from '../base/html.js';
import { t, fill, count, now } from '../base/words.js';
import { get } from '../base/api.js';
import { subscribe } from '../base/feed.js';
import { to } from '../base/route.js';
import { icon, tick, dialog, dialogHead, attempt, copyable, device, when } from '../base/pieces.js';
import { may, session } from '../base/session.js';
import { code, saveLabels } from './label.js';

const randomMac = () => [...crypto.getRandomValues(new Uint8Array(6))].map((byte, i) => (i ? byte : (byte & 0xfc) | 2).toString(16).padStart(2, '0')).join('');
const STEPS = ['registered', 'connected', 'reported'];

/** Opens the dialog, from any page. */
export async function connectDevice(productKey) {
  const found = await attempt(() => get(['products']));
  if (!found || document.querySelector('dialog')) return;
  const box = dialog(t.connect.title, draw);
  box.element.addEventListener('close', () => box.state.end?.());
  const chosen = found.items.find(product => product.productKey === productKey) ?? found.items[0];
  box.set({ products: found.items, productKey: chosen?.productKey, mac: '', kind: 'mosquitto' });
}

function draw(box) {
  const { products, guide } = box.state;
  if (!products) return html`<div>${dialogHead(t.connect.title, box)}<p>${t.loading}</p></div>`;
  if (!products.length) return html`<div>${dialogHead(t.connect.title, box)}<p>${t.connect.noProduct}</p><p><a class="button main" href="${to(['products'])}" onclick=${box.close}>${t.nav.products}</a></p></div>`;
  return html`<div>${dialogHead(t.connect.title, box)}${guide ? waiting(box) : ask(box)}</div>`;
}

function ask(box) {
  const { products, productKey, mac } = box.state;
  const begin = event => {
    event.preventDefault();
    return open(box, productKey, mac.toLowerCase().replace(/[^0-9a-f]/g, ''));
  };
  return html`<form class="stack" onsubmit=${begin}>
    <p>${t.connect.about}</p>
    <label><span>${t.devices.product}</span><select value="${productKey}" onchange=${event => box.set({ productKey: event.target.value })}>${products.map(product => html`<option key=${product.productKey} value="${product.productKey}">${product.name} (${product.productKey})</option>`)}</select></label>
    <label><span>${t.connect.mac}</span><span class="row"><input required pattern="([0-9A-Fa-f]{2}[:\\-]?){5}[0-9A-Fa-f]{2}" title="${t.connect.macForm}" placeholder="a0b1c2d3e4f5" spellcheck="false" autocomplete="off" value="${mac}" oninput=${event => box.set({ mac: event.target.value })}>
      <button type="button" onclick=${() => box.set({ mac: randomMac() })}>${t.connect.anyMac}</button></span></label>
    <div class="row apart">${session.isDevelopment && session.docs ? html`<a href="${session.docs}try.html" target="_blank" rel="noopener">${t.connect.simulated}</a>` : html`<span></span>`}<button class="main">${t.connect.next}</button></div></form>`;
}

async function open(box, productKey, mac) {
  const guide = await attempt(() => get(['products', productKey, 'connect', mac]));
  if (!guide) return;
  box.set({ guide, mac, connection: guide.connection, since: now() });
  box.state.end = subscribe([`connect:${productKey}:${mac}`], (kind, data) => {
    if (kind === 'connect' && data.mac === mac) box.set({ connection: data });
  });
  if (may('operator')) {
    // If this request fails, the dialog shows no label.
    get(['products', productKey, 'labels', mac]).then(label => box.set({ label })).catch(() => {});
  }
}

function waiting(box) {
  const { guide, connection, productKey, mac, kind, label, since } = box.state;
  return html`<p>${t.connect.run}</p>
    <nav class="choices" aria-label="${t.connect.language}">${['mosquitto', 'python', 'c'].map(name => html`<button type="button" aria-pressed="${name === kind}" onclick=${() => box.set({ kind: name })}>${t.connect.kinds[name]}</button>`)}</nav>
    ${copyable(commands[kind](parts(guide, productKey, mac)))}
    ${!guide.demoSecret && html`<p class="soft small">${t.connect.secretWhere}</p>`}
    <section class="card" aria-live="polite"><h3>${t.connect.progress}</h3>
      ${connection.state === 'waiting' && html`<p class="row">${icon('wait')}<span class="beat">${t.connect.waiting}</span> <span class="soft small">${t.connect.since} ${when(since)}</span></p>`}
      ${connection.state === 'refused' && connection.refusal && html`<div class="note bad stack tight"><p class="strong">${icon('refusal')} ${t.connect.refused} ${t.reasons[connection.refusal.reason] ?? connection.refusal.title}</p>
        <p>${t.rules?.[connection.refusal.reason]?.[0] ?? connection.refusal.cause}</p><p>${t.rules?.[connection.refusal.reason]?.[1] ?? connection.refusal.cure}</p>
        <p class="soft small">${fill(t.times, count(connection.refusal.times))} · ${when(connection.refusal.at)}</p></div>`}
      <ol class="steps">${STEPS.map(step => html`<li key=${step}>${tick(isReached(connection.state, step))}<span>${t.connect.steps[step]}
        ${step === 'registered' && connection.did && html` ${device(connection.did, connection.deviceName)}`}</span></li>`)}</ol>
      ${connection.state === 'reported' && html`<p><a class="button main" href="${to(['devices', connection.did])}" onclick=${box.close}>${t.connect.openDevice}</a></p>`}</section>
    ${label && html`<div class="row">${code(label)}<div class="stack tight"><p>${t.connect.label}</p><p><button type="button" onclick=${() => saveLabels([{ ...label, name: mac }])}>${icon('download')}${t.connect.saveLabel}</button></p></div></div>`}
    <p class="row end"><button type="button" onclick=${() => { box.state.end?.(); box.set({ guide: null }); }}>${t.connect.another}</button></p>`;
}

// A new device first connects with its product's credentials, to register. "connected" means that the device has
// connected with its own credentials.
function isReached(state, step) {
  const order = ['registered', 'connected', 'reported'];
  return order.includes(state) && order.indexOf(step) <= order.indexOf(state);
}

function parts({ mqttUrl, root, demoSecret }, productKey, mac) {
  const url = new URL(mqttUrl.replace(/^mqtt/, 'http'));
  return { host: url.hostname, port: url.port || '1883', root, productKey, mac, secret: demoSecret ?? 'PRODUCT_SECRET' };
}

const commands = {
  mosquitto: ({ host, port, root, productKey, mac, secret }) => `mosquitto_rr -h ${host} -p ${port} -q 1 -i ${mac} -u product:${productKey} -P '${secret}' \\
  -t ${root}/product/${productKey}/${mac}/register -e ${root}/product/${productKey}/${mac}/registered \\
  -m '{"id":"1","mac":"${mac}","passcode":"lamp-4711","hardware":{}}'

# ${t.connect.thenReport}
mosquitto_rr -h ${host} -p ${port} -q 1 -i DID -u device:DID -P 'SECRET' \\
  -t ${root}/device/DID/report -e ${root}/device/DID/response -m '{"id":"r1","data":{"power":true}}'`,
  python: ({ host, port, root, productKey, mac, secret }) => `import json, time
import paho.mqtt.client as mqtt

new = (mqtt.CallbackAPIVersion.VERSION2,) if hasattr(mqtt, "CallbackAPIVersion") else ()  # paho 2

def come(client_id, user, password, base, leaf, message, hear):
    client = mqtt.Client(*new, client_id=client_id)
    client.username_pw_set(user, password)
    client.on_connect = lambda client, *_: client.subscribe(f"{base}/{leaf}", 1)
    client.on_subscribe = lambda client, *_: client.publish(f"{base}/{message[0]}", json.dumps(message[1]), 1)
    client.on_message = lambda client, _, got: hear(json.loads(got.payload))
    client.connect("${host}", ${port})
    client.loop_start()
    return client

answers = []
base = "${root}/product/${productKey}/${mac}"
register = {"id": "1", "mac": "${mac}", "passcode": "lamp-4711", "hardware": {}}
client = come("${mac}", "product:${productKey}", "${secret}", base, "registered", ("register", register), answers.append)
while not answers:
    time.sleep(0.1)
client.disconnect()
me = answers[0]["result"]
print(me["did"], me["secret"])  # ${t.connect.keep}
report = {"id": "r1", "data": {"power": True}}
come(me["did"], "device:" + me["did"], me["secret"], "${root}/device/" + me["did"], "response", ("report", report), print)
time.sleep(3600)`,
  c: ({ host, port, root, productKey, mac, secret }) => `// gcc -o lamp lamp.c -lmosquitto
#include <mosquitto.h>
#include <stdio.h>
#include <string.h>

static const char *base = "${root}/product/${productKey}/${mac}";

static void on_connect(struct mosquitto *client, void *data, int code) {
    char topic[256];
    if (code != 0) { fprintf(stderr, "refused (%d)\\n", code); return; }
    snprintf(topic, sizeof topic, "%s/registered", base);
    mosquitto_subscribe(client, NULL, topic, 1);
}

static void on_subscribe(struct mosquitto *client, void *data, int id, int count, const int *qos) {
    const char *payload = "{\\"id\\":\\"1\\",\\"mac\\":\\"${mac}\\",\\"passcode\\":\\"lamp-4711\\",\\"hardware\\":{}}";
    char topic[256];
    snprintf(topic, sizeof topic, "%s/register", base);
    mosquitto_publish(client, NULL, topic, (int)strlen(payload), payload, 1, false);
}

static void on_message(struct mosquitto *client, void *data, const struct mosquitto_message *message) {
    printf("%.*s\\n", message->payloadlen, (char *)message->payload);  // ${t.connect.keep}
    mosquitto_disconnect(client);
}

int main(void) {
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("${mac}", true, NULL);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    mosquitto_message_callback_set(client, on_message);
    mosquitto_username_pw_set(client, "product:${productKey}", "${secret}");
    if (mosquitto_connect(client, "${host}", ${port}, 60) != MOSQ_ERR_SUCCESS) return 1;
    return mosquitto_loop_forever(client, -1, 1);
}`,
};
