// The texts of both languages, for a test that compares them. The page reads its own texts through base/words.js.

import { read } from "./base/words.js";

export const all = { en: await read("en"), zh: await read("zh") };
