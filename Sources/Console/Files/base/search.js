// <ll-search>: a text field that suggests key:value terms. Shortly after typing, the field fires `ask` with the query.
//
// keys: [{ key, hint, values: [{ value, hint }] }]

import { html, render } from './html.js';
import { t } from './words.js';
import { icon } from './pieces.js';

let number = 0;

class Search extends HTMLElement {
  keys = [];
  #id = `search-${number += 1}`;
  #text = '';
  #hints = [];
  #place = -1;
  #timer;

  set value(text) {
    // The field already contains this text. A space that the user typed before the next term stays.
    if (text === this.#text.trim()) return;
    this.#text = text;
    this.#draw();
  }

  connectedCallback() {
    this.#draw();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  #draw() {
    if (!this.isConnected) return;
    const open = this.#hints.length > 0;
    render(html`<div class="find">${icon('search')}
      <input type="search" value="${this.#text}" placeholder="${this.getAttribute('label') ?? t.search.label}" aria-label="${this.getAttribute('label') ?? t.search.label}"
        autocomplete="off" spellcheck="false" role="combobox" aria-expanded="${open}" aria-controls="${this.#id}" aria-autocomplete="list"
        aria-activedescendant=${this.#place >= 0 ? `${this.#id}-${this.#place}` : null} oninput=${event => this.#type(event.target)} onkeydown=${event => this.#key(event)}
        onfocus=${event => this.#suggest(event.target)} onblur=${() => this.#close()}>
      <ul class="hints" role="listbox" id="${this.#id}" aria-label="${t.search.suggestions}" hidden=${!open}>${this.#hints.map((hint, i) => html`<li role="option" id="${this.#id}-${i}"
        aria-selected="${i === this.#place}" onpointerdown=${event => { event.preventDefault(); this.#take(hint); }}><code>${hint.text}</code><small>${hint.hint}</small></li>`)}</ul></div>`, this);
  }

  #type(input) {
    this.#text = input.value;
    this.#suggest(input);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), 180);
  }

  #ask() {
    clearTimeout(this.#timer);
    this.dispatchEvent(new CustomEvent('ask', { detail: this.#text.trim() }));
  }

  // Suggests completions of the term under the cursor.
  #suggest(input) {
    const word = input.value.slice(0, input.selectionStart).split(/\s+/).pop();
    const minus = word.startsWith('-') ? '-' : '';
    const [key, value] = word.slice(minus.length).split(':');
    if (value === undefined) {
      this.#hints = this.keys.filter(known => known.key.startsWith(key)).map(known => ({ text: `${minus}${known.key}:`, hint: known.hint }));
    } else {
      const known = this.keys.find(known => known.key === key);
      this.#hints = (known?.values ?? []).filter(option => option.value.startsWith(value) && option.value !== value)
        .map(option => ({ text: `${minus}${key}:${option.value}`, hint: option.hint ?? '' }));
    }
    this.#hints = this.#hints.slice(0, 12);
    this.#place = -1;
    this.#draw();
  }

  #close() {
    this.#hints = [];
    this.#place = -1;
    this.#draw();
  }

  #take({ text }) {
    const input = this.querySelector('input');
    const [before, after] = [input.value.slice(0, input.selectionStart), input.value.slice(input.selectionStart)];
    const done = text.endsWith(':') ? text : `${text} `;
    const head = before.slice(0, before.length - before.split(/\s+/).pop().length) + done;
    this.#text = input.value = head + after.replace(/^\S*\s*/, '');
    input.setSelectionRange(head.length, head.length);
    this.#suggest(input);
    if (!text.endsWith(':')) {
      this.#close();
      this.#ask();
    }
  }

  #key(event) {
    const last = this.#hints.length - 1;
    if (event.key === 'ArrowDown' && last >= 0) this.#place = this.#place >= last ? 0 : this.#place + 1;
    else if (event.key === 'ArrowUp' && last >= 0) this.#place = this.#place <= 0 ? last : this.#place - 1;
    else if (event.key === 'Tab' && !event.shiftKey && this.#place >= 0) this.#take(this.#hints[this.#place]);
    else if (event.key === 'Enter') {
      if (this.#place >= 0) this.#take(this.#hints[this.#place]); else { this.#close(); this.#ask(); }
    } else if (event.key === 'Escape' && last >= 0) {
      this.#close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
    this.#draw();
  }
}

customElements.define('ll-search', Search);
