// The address determines the view: #/devices/ID/history?range=day. Back, reload and a pasted link all work.

/** Returns the parts of the address's path, and its query. */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query ?? '') };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns an address of the console; empty members of the query are left out. */
export function to(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const rest = given.length ? `?${new URLSearchParams(given)}` : '';
  return `#/${parts.map(part => encodeURIComponent(part)).join('/')}${rest}`;
}

/** Goes to an address of the console. */
export function go(address) {
  location.hash = address;
}

/** Changes members of the query in place, without a new entry in the browser's history. */
export function refine(changes) {
  const { parts, query } = here();
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === null || value === '') query.delete(name); else query.set(name, value);
  }
  history.replaceState(history.state, '', to(parts, Object.fromEntries(query)));
  dispatchEvent(new Event('refined'));
}
