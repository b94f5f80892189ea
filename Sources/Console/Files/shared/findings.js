// Shows findings in the operator's language. Findings come from the doctor, and from trials of an app's providers and
// push services. The service sends English words, and sends the values for their placeholders separately.

import { language, fill, read } from '../base/words.js';

let known = {};

/** Reads the words of the operator's language; without them, findings are shown in English. */
export async function learn() {
  if (language === 'zh') known = Object.assign({}, ...Object.values(await read('zh-findings').catch(() => known)));
}

/** Returns a finding's text. */
export const say = text => (typeof text === 'string' ? known[text] ?? text : fill(known[text.words] ?? text.words, ...(text.values ?? []).map(say)));
