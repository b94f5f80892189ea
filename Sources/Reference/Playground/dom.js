// Elements of the page. Texts from devices and users become text nodes and attributes, never
// markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element. A function under a name such as `onclick` listens to that event; true and false
 * set or omit an attribute; null and undefined omit it.
 * @param {string} name
 * @param {Object<string, any>} [attributes]
 * @param {...(Node|string|null|undefined|false|Array<Node|string>)} children
 */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Makes an element of a picture in the same way. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter(one => one !== null && one !== undefined && one !== false));
  return made;
}

let made = 0;

/** Returns an id that no other element of the page has. */
export const freshId = word => `${word}-${made += 1}`;

/** A text for screen readers only. */
export const spoken = text => el("span", { class: "spoken" }, text);

/** Sets a text unless it's unchanged, so that a live region announces only changes. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns a moment's local time of day, to the millisecond. */
export function clock(at) {
  const two = number => String(number).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
