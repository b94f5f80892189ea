// A lamp as firmware would have it: it registers, keeps its identity, reports until it is answered, and obeys.

import { Connection } from "./mqtt.js";
import { randomId } from "./lamplighter.js";
import { keepSecret } from "./mask.js";

const REPEAT_MS = 5000, REPEAT_MAX_MS = 300000, UNANSWERED_MAX = 16;
const TICK_MS = 5000, WARM_STEP = 0.5;
const RETURN_MS = 1000, RETURN_MAX_MS = 30000;
export const MODES = ["white", "warm", "color", "night"];

/** What a lamp that never ran knows of itself. */
const newborn = () => ({ lastCid: 0, mac: randomId(6), passcode: `lamp-${randomId(3)}` });

/**
 * One lamp of the demo's product. `onchange` is called when anything of it changed: its `values`, its `phase` (`unplugged`,
 * `connecting`, `registering`, `online`, `away`), or `problem`, the code of what it was refused for.
 */
export class Lamp {
  /**
   * @param {{url: string, root: string, productKey: string, productSecret: string, store: Storage|any,
   *   trace: (step: import("./mqtt.js").Trace) => void}} options
   */
  constructor({ url, root, productKey, productSecret, store, trace }) {
    Object.assign(this, { url, root, productKey, productSecret, store, trace });
    this.onchange = () => {};
    this.phase = "unplugged";
    this.problem = null;
    this.pause = 0;
    this.reports = new Map();
    this.kept = { ...newborn(), ...this.read() };
    this.values = { power: false, brightness: 60, mode: "warm", temperature: 21.5, ...this.kept.values };
    this.isOverheated = false;
    [this.productSecret, this.kept.secret, this.kept.passcode].forEach(keepSecret);
    setInterval(() => this.warm(), TICK_MS);
  }

  get did() { return this.kept.did ?? null; }
  get mac() { return this.kept.mac; }
  get passcode() { return this.kept.passcode; }
  get isOnline() { return this.phase === "online"; }

  read() {
    try {
      const kept = JSON.parse(this.store.getItem("lamp") ?? "{}");
      // Another data directory behind the same address has other products.
      return kept.productKey === this.productKey ? kept : {};
    } catch {
      return {};
    }
  }

  keep() {
    const { productKey, values } = this;
    this.store.setItem("lamp", JSON.stringify({ ...this.kept, productKey, values }));
  }

  /** Sets what the lamp is doing, and tells. */
  become(phase, problem = this.problem) {
    this.phase = phase;
    this.problem = problem;
    this.keep();
    this.onchange();
  }

  // Connecting

  plugIn() {
    if (this.phase !== "unplugged") return;
    this.pause = 0;
    this.open();
  }

  unplug() {
    clearTimeout(this.returning);
    this.become("unplugged", null);
    this.connection?.close();
  }

  /** Becomes another lamp, as it leaves the factory. */
  renew() {
    this.unplug();
    this.reports.clear();
    this.kept = newborn();
    keepSecret(this.kept.passcode);
    this.plugIn();
  }

  open() {
    if (this.did && this.kept.secret) this.connect();
    else this.register();
  }

  /** Comes back later: a second, then twice as long; the random part keeps a crowd from coming back at once. */
  comeBack() {
    for (const report of this.reports.values()) clearTimeout(report.timer);
    if (this.phase === "unplugged") return;
    this.become("away");
    this.pause = Math.min(this.pause * 2 || RETURN_MS, RETURN_MAX_MS);
    this.returning = setTimeout(() => this.open(), this.pause * (0.5 + Math.random() / 2));
  }

  /** Gets an identity with the product's secret. */
  register() {
    this.become("registering");
    const space = `${this.root}/product/${this.productKey}/${this.mac}`;
    const id = randomId(8);
    const connection = new Connection({
      url: this.url, clientId: this.mac, username: `product:${this.productKey}`, password: this.productSecret, trace: this.trace,
    });
    this.connection = connection;
    connection.onopen = () => connection.subscribe([`${space}/registered`], () => {
      connection.publish(`${space}/register`, JSON.stringify({
        id, mac: this.mac, passcode: this.passcode, oldSecret: this.kept.secret,
        hardware: { link: "ethernet", wifiSoftVersion: "1.0-browser" },
      }));
    });
    connection.onmessage = (_topic, payload) => {
      const answer = JSON.parse(payload);
      if (answer.id !== id) return;
      if (answer.ok) {
        keepSecret(answer.result.secret);
        Object.assign(this.kept, { did: answer.result.did, secret: answer.result.secret });
        this.problem = null;
        this.pause = 0;
      } else {
        this.problem = answer.error.code;
        // Somebody has bound the lamp that this one was, and its secret is lost: it becomes another one.
        if (answer.error.code === "Forbidden") this.kept = newborn();
      }
      connection.close();
    };
    connection.onclose = refused => {
      if (refused !== null) this.problem = "refused";
      if (this.phase === "registering" && this.did && this.kept.secret && this.problem === null) this.connect();
      else this.comeBack();
    };
  }

  /** Connects with the identity. */
  connect() {
    this.become("connecting");
    const space = `${this.root}/device/${this.did}`;
    const connection = new Connection({
      url: this.url, clientId: this.did, username: `device:${this.did}`, password: this.kept.secret, trace: this.trace,
    });
    this.connection = connection;
    connection.onopen = () => connection.subscribe([`${space}/command`, `${space}/response`], () => {
      this.pause = 0;
      this.become("online", null);
      this.reports.forEach((_report, id) => this.send(id));
      this.report({ data: { ...this.values } });
    });
    connection.onmessage = (topic, payload) => {
      const message = JSON.parse(payload);
      if (topic.endsWith("/command")) this.obey(message);
      else this.settle(message);
    };
    connection.onclose = refused => {
      if (refused !== null) {
        // The identity is no longer good: the lamp was removed, or its secret rotated. It registers again.
        this.problem = "refused";
        delete this.kept.did;
      }
      this.comeBack();
    };
  }

  // What it reports

  /** Keeps a report, and sends it until it is answered. */
  report(members) {
    const id = randomId(8);
    if (members.data && "temperature" in members.data) this.reported = members.data.temperature;
    if (this.reports.size >= UNANSWERED_MAX) this.reports.delete(this.reports.keys().next().value);
    this.reports.set(id, { payload: JSON.stringify({ id, ts: Date.now(), ...members }), pause: REPEAT_MS, timer: undefined });
    this.send(id);
    this.onchange();
  }

  send(id) {
    const report = this.reports.get(id);
    if (!report || !this.isOnline) return;
    clearTimeout(report.timer);
    this.connection.publish(`${this.root}/device/${this.did}/report`, report.payload);
    report.timer = setTimeout(() => this.send(id), report.pause);
    report.pause = Math.min(report.pause * 2, REPEAT_MAX_MS);
  }

  /** Takes the answer to a report. */
  settle({ id, ok, error }) {
    const report = this.reports.get(id);
    if (!report) return;
    clearTimeout(report.timer);
    this.reports.delete(id);
    this.become(this.phase, ok ? null : error.code);
  }

  // What it does

  /** Carries out a command and answers with what became of it. */
  obey(command) {
    // Its end needs no look: the connection takes no message that waited, and the broker drops one whose time is over.
    if (command.cid <= this.kept.lastCid) return;
    this.kept.lastCid = command.cid;
    if (command.type === "write") this.set(command.data);
    const asked = command.type === "query" ? Object.keys(command.data) : [];
    const names = asked.length ? asked.filter(name => name in this.values) : Object.keys(this.values);
    this.keep();
    this.report({ cid: command.cid, code: 0, data: Object.fromEntries(names.map(name => [name, this.values[name]])) });
  }

  set(data) {
    for (const name of ["power", "brightness", "mode"]) if (name in data) this.values[name] = data[name];
  }

  /** Somebody presses the switch on the lamp itself. */
  press() {
    this.values.power = !this.values.power;
    this.keep();
    this.report({ data: { power: this.values.power } });
  }

  /** Somebody covers the lamp, or uncovers it: it is too hot from then on, or no longer. */
  overheat(value) {
    this.isOverheated = value;
    this.report({ alerts: [{ name: "overheat", value }] });
  }

  /** The lamp grows warm while it shines; it reports half a degree. */
  warm() {
    const goal = 21.5 + (this.values.power ? this.values.brightness / 8 : 0) + (this.isOverheated ? 60 : 0);
    const next = Math.round((this.values.temperature + (goal - this.values.temperature) / 6) * 10) / 10;
    if (next === this.values.temperature) return;
    const before = this.reported ?? this.values.temperature;
    this.values.temperature = next;
    this.onchange();
    if (!this.isOnline || Math.abs(next - before) < WARM_STEP) return;
    this.report({ data: { temperature: next } });
  }
}
