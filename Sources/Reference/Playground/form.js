// A form made from a schema. The form has a field for each member. The member's type determines the kind of field.

import { html } from "./base/html.js";
import { t } from "./base/words.js";
import { field } from "./pieces.js";

const DEPTH_MAX = 3;

/**
 * Returns the kind of field for a schema: its options or its input's type, if any, and the functions
 * that read and write its text.
 */
function kindOf({ type, enum: options }, name) {
  if (options || type === "boolean") return { options: options ?? [true, false], read: JSON.parse, write: JSON.stringify };
  if (type === "integer" || type === "number") return { type: "number", step: type === "integer" ? 1 : "any", read: Number, write: String };
  if (type === "string") return { type: /password/i.test(name) ? "password" : "text", read: String, write: String };
  return { read: JSON.parse, write: value => JSON.stringify(value) };
}

/** Returns a field's hint: the first sentence of its description, and its limits. */
function hint({ description = "", minimum, maximum, minLength, maxLength }) {
  const about = description.match(/^.*?\.(?=\s|$)/s)?.[0] ?? description;
  const range = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `${minimum} … ${maximum}`
    : maxLength !== undefined ? `${minLength ?? 0} … ${maxLength}` : "";
  return [about, range].filter(Boolean).join(" ");
}

const title = (name, isRequired) => html`<code>${name}</code> ${isRequired && html`<em>${t.required}</em>`}`;

/**
 * A member's field: `value` is undefined if the field is empty, and the text itself if the text can't be parsed.
 */
class Field {
  text = "";

  constructor(id, name, schema, isRequired, onchange) {
    Object.assign(this, { id, name, schema, isRequired, onchange, kind: kindOf(schema, name) });
  }

  get value() {
    if (this.text === "") return undefined;
    try {
      return this.kind.read(this.text);
    } catch {
      return this.text;
    }
  }

  set value(value) { this.text = value === undefined ? "" : this.kind.write(value); }

  view() {
    const about = hint(this.schema);
    const hintId = about ? `${this.id}-hint` : null;
    return field(this.id, title(this.name, this.isRequired), this.input(hintId), about && html`<small id="${hintId}">${about}</small>`);
  }

  input(hintId) {
    const { id, kind: { options, type, step }, schema, text } = this;
    const required = this.isRequired ? "true" : null;
    const take = event => {
      this.text = event.target.value;
      this.onchange();
    };
    if (options) {
      return html`<select id="${id}" aria-required=${required} aria-describedby=${hintId} value="${text}" oninput=${take}>
        <option value="">–</option>${options.map(value => html`<option value="${JSON.stringify(value)}">${String(value)}</option>`)}</select>`;
    }
    if (type) {
      return html`<input type="${type}" id="${id}" step=${step} min=${schema.minimum} max=${schema.maximum} maxlength=${schema.maxLength}
        autocomplete="off" spellcheck="false" aria-required=${required} aria-describedby=${hintId} value="${text}" oninput=${take}>`;
    }
    return html`<textarea id="${id}" rows="2" spellcheck="false" placeholder="${t.hintJSON}"
      aria-required=${required} aria-describedby=${hintId} value="${text}" oninput=${take}></textarea>`;
  }
}

/** The fields of an object's members. */
export class Form {
  /** @param {any} schema @param {() => void} onchange @param {string} [id] @param {number} [depth] */
  constructor(schema, onchange, id = "field", depth = 0) {
    const required = schema.required ?? [];
    this.parts = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
      const isGroup = Object.keys(inner.properties ?? {}).length > 0 && depth < DEPTH_MAX;
      const given = [`${id}-${name}`, name, inner, required.includes(name), onchange];
      return [name, isGroup ? new Group(...given, depth) : new Field(...given)];
    });
    // Required members come first.
    this.parts.sort(([a], [b]) => required.includes(b) - required.includes(a));
  }

  /** The object, without its empty members. */
  get value() {
    return Object.fromEntries(this.parts.map(([name, part]) => [name, part.value]).filter(([, value]) => value !== undefined));
  }

  set value(object) {
    for (const [name, part] of this.parts) part.value = object?.[name] ?? undefined;
  }

  view() { return html`<div class="fields">${this.parts.map(([, part]) => part.view())}</div>`; }
}

/** The field of a member that is itself an object. */
class Group {
  constructor(id, name, schema, isRequired, onchange, depth) {
    Object.assign(this, { name, isRequired, form: new Form(schema, onchange, id, depth + 1) });
  }

  get value() {
    const inner = this.form.value;
    return Object.keys(inner).length ? inner : undefined;
  }

  set value(object) { this.form.value = object; }

  view() { return html`<fieldset class="group"><legend>${title(this.name, this.isRequired)}</legend>${this.form.view()}</fieldset>`; }
}
