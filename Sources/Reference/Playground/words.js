// The texts of both languages, for comparing them; the page reads its own through base/words.js.

import { read } from "./base/words.js";

export const all = { en: await read("en"), zh: await read("zh") };
