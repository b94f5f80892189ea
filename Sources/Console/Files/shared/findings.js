// What the doctor and trials found, in the person's language: the words come in English, and with their values apart.

import { language } from '../base/words.js';

let known = {};

/** Reads the words of the person's language; without them English is shown. */
export async function learn() {
  if (language === 'zh') known = (await import('../base/words-zh-findings.js')).default;
}

/** A finding's text. */
export const say = text => (typeof text === 'string' ? known[text] ?? text : (known[text.words] ?? text.words).replace(/\{(\d+)\}/g, (_, place) => say(text.values[place])));
