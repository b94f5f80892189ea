// A form made from a schema, with a field for each member by its type.

import { el, freshId } from "./dom.js";
import { words } from "./words.js";

const DEPTH_MAX = 3;

/** The kinds of fields: each provides an input, and converts its text to a value and back. */
const KINDS = {
  choice: schema => ({
    input: el("select", {}, el("option", { value: "" }, "–"), schema.enum.map(one => el("option", { value: JSON.stringify(one) }, String(one)))),
    read: JSON.parse, write: JSON.stringify,
  }),
  number: schema => ({
    input: el("input", { type: "number", step: schema.type === "integer" ? 1 : "any", min: schema.minimum, max: schema.maximum }),
    read: Number, write: String,
  }),
  text: (schema, name) => ({
    input: el("input", {
      type: /password/i.test(name) ? "password" : "text", maxlength: schema.maxLength, autocomplete: "off", spellcheck: "false",
    }),
    read: text => text, write: String,
  }),
  json: () => ({
    input: el("textarea", { rows: 2, spellcheck: "false", placeholder: words.hintJSON }), read: JSON.parse, write: value => JSON.stringify(value),
  }),
};

/** Returns the kind of field for a schema. */
function kindOf(schema) {
  if (schema.enum) return "choice";
  if (schema.type === "boolean") return "choice";
  if (schema.type === "integer" || schema.type === "number") return "number";
  return schema.type === "string" ? "text" : "json";
}

/** Returns a field's hint: the first sentence of its description, and its limits. */
function hint(schema) {
  const about = (schema.description ?? "").match(/^.*?\.(?=\s|$)/s)?.[0] ?? schema.description ?? "";
  const { minimum, maximum, minLength, maxLength } = schema;
  const range = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `${minimum} … ${maximum}`
    : maxLength !== undefined ? `${minLength ?? 0} … ${maxLength}` : "";
  return [about, range].filter(Boolean).join(" ");
}

/**
 * A member's field: `value` is undefined if it's empty, and reading it throws if the text isn't of
 * its kind.
 */
class Field {
  constructor(name, schema, isRequired, onchange) {
    const prepared = schema.type === "boolean" ? { ...schema, enum: [true, false] } : schema;
    this.part = KINDS[kindOf(prepared)](prepared, name);
    const { input } = this.part;
    input.id = freshId("field");
    input.addEventListener("input", onchange);
    const about = hint(schema);
    const note = about ? el("small", { id: `${input.id}-hint` }, about) : null;
    if (note) input.setAttribute("aria-describedby", note.id);
    if (isRequired) input.setAttribute("aria-required", "true");
    this.element = el("div", { class: "field" },
      el("label", { for: input.id }, el("code", {}, name), " ", isRequired ? el("em", {}, words.required) : null), input, note);
  }

  get value() {
    const text = this.part.input.value;
    if (text === "") return undefined;
    try {
      return this.part.read(text);
    } catch {
      return text;
    }
  }

  set value(value) { this.part.input.value = value === undefined ? "" : this.part.write(value); }
}

/** The fields of an object's members. */
export class Form {
  /** @param {any} schema @param {() => void} onchange @param {number} [depth] */
  constructor(schema, onchange, depth = 0) {
    const required = schema.required ?? [];
    this.parts = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
      const isRequired = required.includes(name);
      const isGroup = inner.properties && Object.keys(inner.properties).length > 0 && depth < DEPTH_MAX;
      return [name, isGroup ? new Group(name, inner, isRequired, onchange, depth) : new Field(name, inner, isRequired, onchange)];
    });
    // Required members are first.
    this.parts.sort(([a], [b]) => required.includes(b) - required.includes(a));
    this.element = el("div", { class: "fields" }, this.parts.map(([, part]) => part.element));
  }

  /** The object, without its empty members. */
  get value() {
    return Object.fromEntries(this.parts.map(([name, part]) => [name, part.value]).filter(([, value]) => value !== undefined));
  }

  set value(object) {
    for (const [name, part] of this.parts) part.value = object?.[name] ?? undefined;
  }
}

/** The field of a member that is itself an object. */
class Group {
  constructor(name, schema, isRequired, onchange, depth) {
    this.form = new Form(schema, onchange, depth + 1);
    this.element = el("fieldset", { class: "group" },
      el("legend", {}, el("code", {}, name), " ", isRequired ? el("em", {}, words.required) : null), this.form.element);
  }

  get value() {
    const inner = this.form.value;
    return Object.keys(inner).length ? inner : undefined;
  }

  set value(object) { this.form.value = object; }
}
