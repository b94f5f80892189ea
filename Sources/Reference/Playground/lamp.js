// A lamp that behaves like firmware. It registers, keeps its identity, repeats unanswered reports, and obeys commands.

import { Connection } from "./mqtt.js";
import { randomId } from "./lamplighter.js";
import { keepSecret } from "./mask.js";

const REPEAT_MS = 5000, REPEAT_MAX_MS = 300000, UNANSWERED_MAX = 16;
const TICK_MS = 5000, WARM_STEP = 0.5;
const RETURN_MS = 1000, RETURN_MAX_MS = 30000;
export const MODES = ["white", "warm", "color", "night"];

/** Returns the initial state of a lamp that never ran. */
const newborn = () => ({ lastCid: 0, mac: randomId(6), passcode: `lamp-${randomId(3)}` });

/**
 * A lamp of the demo's product. `onchange` is called when anything changes: its `values`, its
 * `phase` (`unplugged`, `connecting`, `registering`, `online`, `away`), or its `problem`, the code
 * of its last refusal.
 */
export class Lamp {
  /**
   * @param {{url: string, root: string, productKey: string, productSecret: string, store:
   *   Storage|any, trace: (step: import("./mqtt.js").Trace) => void}} options
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
      // A service with a different product key doesn't know the kept identity. The product key is different, for
      // example, if the service was started with another data directory.
      return kept.productKey === this.productKey ? kept : {};
    } catch {
      return {};
    }
  }

  keep() {
    const { productKey, values } = this;
    this.store.setItem("lamp", JSON.stringify({ ...this.kept, productKey, values }));
  }

  /** Sets the lamp's phase and reports the change. */
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

  /** Becomes another lamp, fresh from the factory. */
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

  /**
   * Reconnects within a second; the limit doubles at each attempt, up to half a minute. The delay is random, so that
   * many lamps don't reconnect at once.
   */
  comeBack() {
    for (const report of this.reports.values()) clearTimeout(report.timer);
    if (this.phase === "unplugged") return;
    this.become("away");
    this.pause = Math.min(this.pause * 2 || RETURN_MS, RETURN_MAX_MS);
    this.returning = setTimeout(() => this.open(), this.pause * (0.5 + Math.random() / 2));
  }

  dial(clientId, username, password) {
    const { url, trace } = this;
    return this.connection = new Connection({ url, clientId, username, password, trace });
  }

  /** Registers with the product's secret to get an identity. */
  register() {
    this.become("registering");
    const space = `${this.root}/product/${this.productKey}/${this.mac}`;
    const id = randomId(8);
    const connection = this.dial(this.mac, `product:${this.productKey}`, this.productSecret);
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
        // The service answers Forbidden if a lamp with this MAC is bound and the request lacks that lamp's secret.
        // The page has lost the secret, so it makes a new lamp.
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

  /** Connects with the lamp's identity. */
  connect() {
    this.become("connecting");
    const space = `${this.root}/device/${this.did}`;
    const connection = this.dial(this.did, `device:${this.did}`, this.kept.secret);
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
        // The identity is no longer valid: the lamp was removed, or its secret was rotated. The lamp registers again.
        this.problem = "refused";
        delete this.kept.did;
      }
      this.comeBack();
    };
  }

  // Reports

  /** Keeps a report, and sends it until it's answered. */
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

  /** Handles the answer to a report. */
  settle({ id, ok, error }) {
    const report = this.reports.get(id);
    if (!report) return;
    clearTimeout(report.timer);
    this.reports.delete(id);
    this.become(this.phase, ok ? null : error.code);
  }

  // Commands

  /** Carries out a command and reports the outcome. */
  obey(command) {
    // The lamp needn't check the command's deadline. The broker keeps no commands for the lamp while the lamp is
    // offline, and drops expired commands.
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

  /** Presses the switch on the lamp itself. */
  press() {
    this.values.power = !this.values.power;
    this.keep();
    this.report({ data: { power: this.values.power } });
  }

  /** Covers or uncovers the lamp: while covered, it's too hot. */
  overheat(value) {
    this.isOverheated = value;
    this.report({ alerts: [{ name: "overheat", value }] });
  }

  /** Breaks or repairs the lamp; while broken, it reports a fault. */
  fail(value) {
    this.isBroken = value;
    this.report({ faults: [{ name: "lampFailure", value }] });
  }

  /** Warms the lamp while it shines; it reports changes of half a degree. */
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
