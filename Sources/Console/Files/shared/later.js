// Modules that the first view doesn't need are loaded on demand.

/** Imports a module. After an upgrade of the service, the module's address is gone: the new page is loaded instead. */
export async function later(load) {
  try {
    return await load();
  } catch (error) {
    const { status } = await fetch(import.meta.url, { cache: 'no-store' }).catch(() => ({}));
    if (status !== 404) throw error;
    location.reload();
    return new Promise(() => {});
  }
}

/** Opens the dialog that connects a device, with a product if one is named. */
export const connectDevice = async productKey => (await later(() => import('./connect.js'))).connectDevice(productKey);
/** Opens the dialog for the operator's own password. */
export const choosePassword = async isFirst => (await later(() => import('./password.js'))).choosePassword(isFirst);
/** Shows the sign-in page. */
export const enter = async (root, options) => (await later(() => import('../pages/enter.js'))).enter(root, options);
