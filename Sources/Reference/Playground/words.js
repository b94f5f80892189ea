// The texts of both languages, for a test that compares them. The page doesn't use this file. It reads the texts of its
// language through base/words.js.

import { read } from "./base/words.js";

export const all = { en: await read("en"), zh: await read("zh") };
