// Views as templates. html`…` makes a tree of parts. render() changes only the document's nodes that differ from the
// tree. Values in a template become text nodes or attributes, never markup.

const templates = new WeakMap();
const TOKEN = /<\/[\w-]*>|<([\w-]+)((?:\s+[^\s=>/]+(?:=(?:"[^"]*"|\x01\d+\x02))?)*)\s*(\/?)>|([^<]+)/g;
const ATTRIBUTE = /([^\s=]+)(?:=(?:"([^"]*)"|\x01(\d+)\x02))?/g;
const PLACE = /\x01(\d+)\x02/;
const VOID = new Set(['br', 'col', 'hr', 'img', 'input', 'use', 'path', 'line', 'rect', 'circle']);

function parse(strings) {
  const source = strings.reduce((all, part, i) => `${all}\x01${i - 1}\x02${part}`);
  const root = { children: [] };
  const open = [root];
  for (const [token, tag, attributes, closed, text] of source.matchAll(TOKEN)) {
    const parent = open[open.length - 1];
    if (text !== undefined) {
      text.split(PLACE).forEach((piece, i) => {
        if (i % 2) parent.children.push(Number(piece));
        else if (piece.trim() || (piece && !piece.includes('\n'))) {
          parent.children.push(piece.replace(/^\s*\n\s*|\s*\n\s*$/g, '').replace(/\s+/g, ' '));
        }
      });
    } else if (tag) {
      const element = { tag, attributes: [], children: [] };
      for (const [, name, words, place] of attributes.matchAll(ATTRIBUTE)) {
        element.attributes.push([name, place === undefined ? (words ?? '').split(PLACE) : Number(place)]);
      }
      parent.children.push(element);
      if (!closed && !VOID.has(tag)) open.push(element);
    } else if (token) {
      open.pop();
    }
  }
  return root.children;
}

function build(part, values) {
  if (typeof part === 'string') return part;
  if (typeof part === 'number') return values[part];
  const props = {};
  for (const [name, value] of part.attributes) {
    props[name] = typeof value === 'number' ? values[value]
      : value.map((piece, i) => (i % 2 ? values[piece] ?? '' : piece)).join('');
  }
  return new Part(part.tag, props, flat(part.children.map(child => build(child, values))));
}

// An element of a view. An object that isn't a `Part`, such as a value of a message, becomes text.
class Part {
  constructor(tag, props, children) {
    Object.assign(this, { tag, props, key: props.key, children });
  }
}

// Flattens nested lists, drops absent values, and joins adjacent strings.
function flat(list, into = []) {
  for (const item of list) {
    if (item === null || item === undefined || item === false || item === true || item === '') continue;
    if (Array.isArray(item)) flat(item, into);
    else if (item instanceof Part) into.push(item);
    else if (typeof into[into.length - 1] === 'string') into[into.length - 1] += item;
    else into.push(String(item));
  }
  return into;
}

/** Makes a view: a node, or a list of nodes. */
export function html(strings, ...values) {
  let parts = templates.get(strings);
  if (!parts) templates.set(strings, parts = parse(strings));
  const made = flat(parts.map(part => build(part, values)));
  return made.length === 1 ? made[0] : made;
}

/** Makes an element's content match the view. */
export function render(view, element) {
  patchChildren(element, flat([view]));
}

const shown = Symbol('view');

function patchChildren(parent, wanted) {
  const keyed = new Map();
  const keys = new Set(wanted.map(view => view.key).filter(key => key !== undefined));
  for (const node of [...parent.childNodes]) {
    const key = node[shown]?.key;
    if (key === undefined) continue;
    if (keys.has(key)) keyed.set(key, node); else node.remove();
  }
  let next = parent.firstChild;
  for (const view of wanted) {
    const node = view.key === undefined ? next : keyed.get(view.key);
    if (node && isAlike(node, view)) {
      if (node === next) next = next.nextSibling; else parent.insertBefore(node, next);
      patch(node, view);
    } else {
      parent.insertBefore(create(view, parent), next);
    }
  }
  while (next) {
    const rest = next.nextSibling;
    next.remove();
    next = rest;
  }
}

function isAlike(node, view) {
  if (typeof view === 'string') return node.nodeType === 3;
  return node[shown]?.tag === view.tag && node[shown].key === view.key;
}

function create(view, parent) {
  if (typeof view === 'string') return document.createTextNode(view);
  const space = view.tag === 'svg' || (parent.namespaceURI?.endsWith('svg') && parent.localName !== 'foreignObject')
    ? 'http://www.w3.org/2000/svg' : 'http://www.w3.org/1999/xhtml';
  const node = document.createElementNS(space, view.tag);
  node[shown] = { tag: view.tag, key: view.key, props: {} };
  patch(node, view);
  view.props.ref?.(node);
  return node;
}

function patch(node, view) {
  if (typeof view === 'string') {
    if (node.data !== view) node.data = view;
    return;
  }
  const before = node[shown].props;
  // The node already shows this view, for example because a table's row didn't change.
  if (before === view.props) return;
  // A custom element draws its content itself.
  if (!view.tag.includes('-')) patchChildren(node, view.children);
  for (const name in before) if (!(name in view.props)) set(node, name, undefined, before[name]);
  for (const name in view.props) set(node, name, view.props[name], before[name]);
  node[shown].props = view.props;
}

function set(node, name, value, before) {
  if (name === 'key' || name === 'ref') return;
  if (name.startsWith('.')) {
    if (value !== before) node[name.slice(1)] = value;
  } else if (name.startsWith('on')) {
    listen(node, name.slice(2), value);
  } else if (name === 'css') {
    for (const key in value ?? {}) node.style.setProperty(key, value[key]);
  } else if (name === 'tint') {
    if (before !== undefined && before !== value) tint(node);
  } else if (name === 'value' || name === 'checked' || name === 'open') {
    // A `select` gets the view's value in each drawing, so that it shows the old choice again if the new choice was
    // refused. Other fields get the value only if it changed, so that a text that is being typed stays unchanged.
    if ((value !== before || node.localName === 'select') && node[name] !== (value ?? '')) node[name] = value ?? '';
  } else if (value === before) {
    return;
  } else if (value === undefined || value === null || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? '' : value);
  }
}

// Each time a view is drawn, it makes new functions. For each kind of event, one listener calls the newest function.
// While an asynchronous action is running, a second click doesn't start the action again.
function listen(node, kind, act) {
  const acts = node[shown].acts ??= {};
  if (!(kind in acts)) node.addEventListener(kind, event => {
    if (node.ariaBusy) return event.preventDefault();
    const acting = acts[kind]?.call(node, event);
    if (!acting?.finally || !/click|submit/.test(kind)) return undefined;
    node.ariaBusy = 'true';
    return acting.finally(() => { node.ariaBusy = null; });
  });
  acts[kind] = typeof act === 'function' ? act : null;
}

// Tints a changed value for a second, unless the user prefers reduced motion.
function tint(node) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  node.animate([{ backgroundColor: 'var(--mark)' }, { backgroundColor: 'transparent' }], 1000);
}
