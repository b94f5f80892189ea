// The storage of a tab's lamp and terminal. Two tabs with one identity would disconnect each other.

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
  // Without locks (a page served from elsewhere without TLS) each tab starts afresh.
  if (!navigator.locks) return null;
  // A reloaded page takes its former place again once that is free.
  if (await hold(`${space}.0`, { signal: AbortSignal.timeout(RELOAD_MS) })) return 0;
  for (let slot = 1; slot < SLOTS; slot++) {
    if (await hold(`${space}.${slot}`, { ifAvailable: true })) return slot;
  }
  return null;
}

/**
 * Returns a place of this tab's own, which its next visit finds again.
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
