// Modules that the first view doesn't need are loaded on demand.

/** Opens the dialog that connects a device, with a product if one is named. */
export const connectDevice = async productKey => (await import('./connect.js')).connectDevice(productKey);
/** Opens the dialog for the operator's own password. */
export const choosePassword = async isFirst => (await import('./password.js')).choosePassword(isFirst);
/** Shows the sign-in page. */
export const enter = async (root, options) => (await import('../pages/enter.js')).enter(root, options);
