// What the doctor and trials found, in the person's language: the words come in English, and with their values apart.

import { language, fill, read } from '../base/words.js';

let known = {};

/** Reads the words of the person's language; without them English is shown. */
export async function learn() {
  if (language === 'zh') known = Object.assign({}, ...Object.values(await read('zh-findings').catch(() => known)));
}

/** A finding's text. */
export const say = text => (typeof text === 'string' ? known[text] ?? text : fill(known[text.words] ?? text.words, ...(text.values ?? []).map(say)));
