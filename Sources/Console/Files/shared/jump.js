// <ll-jump>: the field at the top, which finds devices, users, products and schedules while operators type. The arrow
// keys select a result, and Enter opens it. If no result is selected, Enter searches the list of devices.

import { html, render } from '../base/html.js';
import { t } from '../base/words.js';
import { get } from '../base/api.js';
import { to, go } from '../base/route.js';
import { icon } from '../base/pieces.js';
import { tagTexts } from './device-names.js';

const join = (...parts) => parts.filter(Boolean).join(' · ');

// For each kind of result, the title, the details and the address that are shown.
const KINDS = {
  devices: row => ({ href: to(['devices', row.did]), title: row.name || row.alias || row.did, detail: join((row.name || row.alias) && row.did, row.mac, ...tagTexts(row.tags)) }),
  users: row => ({ href: to(['users', row.uid]), title: row.name || row.uid, detail: join(row.name && row.uid, row.appId) }),
  products: row => ({ href: to(['products', row.productKey]), title: row.name, detail: row.productKey }),
  schedules: row => ({ href: to(['schedules'], { open: row.scheduleId }), title: row.remark || row.scheduleId, detail: join(row.time, row.deviceName || row.did) }),
};

class Jump extends HTMLElement {
  #text = '';
  #found = null; // by kind, once the last query is answered
  #place = -1;
  #timer;
  #asking;

  connectedCallback() {
    this.#draw();
  }

  disconnectedCallback() {
    this.#close();
  }

  #rows() {
    return this.#found?.flatMap(({ rows }) => rows) ?? [];
  }

  #draw() {
    if (!this.isConnected) return;
    let number = -1;
    render(html`<div class="find">${icon('search')}
      <input type="search" value="${this.#text}" placeholder="${t.search.all}" aria-label="${t.search.all}" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="${this.#found !== null}"
        aria-controls="found" aria-autocomplete="list" aria-activedescendant=${this.#place >= 0 ? `found-${this.#place}` : null} oninput=${event => this.#type(event.target.value)} onkeydown=${event => this.#key(event)} onblur=${() => this.#close()}>
      <div class="hints" role="listbox" id="found" aria-label="${t.search.found}" hidden=${this.#found === null}>${this.#found?.map(({ kind, rows }) => html`<ul role="group" aria-label="${t.nav[kind]}">
        <li role="presentation" class="soft small">${t.nav[kind]}</li>${rows.map(row => {
          number += 1;
          const isChosen = number === this.#place;
          return html`<li role="option" id="found-${number}" aria-selected="${isChosen}" onpointerdown=${event => { event.preventDefault(); this.#leave(row.href); }}><span class="any">${row.title}</span><small class="any">${row.detail}</small></li>`;
        })}</ul>`)}${this.#found?.length === 0 && html`<ul><li role="option" aria-disabled="true" aria-selected="false">${t.nothingFound}</li></ul>`}</div></div>`, this);
  }

  #type(text) {
    this.#text = text;
    clearTimeout(this.#timer);
    this.#asking?.abort();
    if (text.trim()) this.#timer = setTimeout(() => this.#ask(text.trim()), 180); else this.#close();
  }

  async #ask(query) {
    const asking = this.#asking = new AbortController();
    let found;
    try {
      found = await get(['search'], { query }, asking.signal);
    } catch {
      return; // the query is incomplete, or the service is away: a later query can succeed
    }
    if (asking.signal.aborted) return;
    this.#found = Object.entries(KINDS).map(([kind, shown]) => ({ kind, rows: found[kind].map(shown) })).filter(({ rows }) => rows.length);
    this.#place = -1;
    this.#draw();
  }

  #close() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#found = null;
    this.#place = -1;
    this.#draw();
  }

  #leave(address) {
    this.#text = '';
    this.#close();
    go(address);
  }

  #key(event) {
    const rows = this.#rows();
    const last = rows.length - 1;
    if (event.key === 'ArrowDown' && last >= 0) this.#place = this.#place >= last ? 0 : this.#place + 1;
    else if (event.key === 'ArrowUp' && last >= 0) this.#place = this.#place <= 0 ? last : this.#place - 1;
    else if (event.key === 'Enter' && this.#text.trim()) this.#leave(rows[this.#place]?.href ?? to(['devices'], { query: this.#text.trim() }));
    else if (event.key === 'Escape' && this.#found) {
      this.#close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
    this.#draw();
    this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }
}

customElements.define('ll-jump', Jump);
