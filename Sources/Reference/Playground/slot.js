// The storage of a tab's lamp and terminal. Each tab has its own storage, because two tabs with the same identity would
// disconnect each other.

const SLOTS = 16;
const RELOAD_MS = 400;

/** Holds a lock as long as the page lives; resolves to false if another tab has it. */
function hold(name, options) {
  return new Promise(resolve => {
    navigator.locks.request(name, options, lock => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => {});
    }).catch(() => resolve(false));
  });
}

async function claim(space) {
  // If the page comes from another machine without TLS, the browser offers no locks. In this case, each tab starts with
  // empty storage.
  if (!navigator.locks) return null;
  // After a reload, the old page can still hold slot 0 for a moment.
  if (await hold(`${space}.0`, { signal: AbortSignal.timeout(RELOAD_MS) })) return 0;
  for (let slot = 1; slot < SLOTS; slot++) {
    if (await hold(`${space}.${slot}`, { ifAvailable: true })) return slot;
  }
  return null;
}

/**
 * Returns storage for this tab alone; a later visit finds the same storage again.
 * @param {string} space
 * @returns {Promise<{getItem(key: string): string|null, setItem(key: string, value: string): void,
 *   removeItem(key: string): void}>}
 */
export async function openSlot(space) {
  const slot = await claim(space);
  const store = slot === null ? sessionStorage : localStorage;
  const full = key => `${space}.${slot ?? "tab"}.${key}`;
  return {
    getItem: key => store.getItem(full(key)),
    setItem: (key, value) => store.setItem(full(key), value),
    removeItem: key => store.removeItem(full(key)),
  };
}
