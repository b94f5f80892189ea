// What the first view does not need is read when it is asked for.

/** Opens the dialog that connects a device; of a product, where one is named. */
export const connectDevice = async productKey => (await import('./connect.js')).connectDevice(productKey);
/** Opens the dialog for the operator's own password. */
export const choosePassword = async isFirst => (await import('./password.js')).choosePassword(isFirst);
/** Shows the way in. */
export const enter = async (root, options) => (await import('../pages/enter.js')).enter(root, options);
