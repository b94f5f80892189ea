// The code of a request in five languages. The code looks like the examples in the reference. In each language, the
// code calls the function `ask` from a file in the reference's folder examples/.

/** Returns a value in Python's form. */
function python(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${python(inner)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
}

/**
 * Returns a text as a raw Swift literal, with enough `#` signs that nothing in the text ends it.
 */
function swiftLiteral(text) {
  let signs = "#";
  while (text.includes(`"${signs}`) || text.includes(`\\${signs}`)) signs += "#";
  return `${signs}"${text}"${signs}`;
}

/** The languages in their order: their ids in the page, and their names. */
export const LANGUAGES = [["sh", "Shell"], ["python", "Python"], ["javascript", "JavaScript"], ["c", "C"], ["swift", "Swift"]];

/**
 * Returns a request in a language.
 * @param {string} language
 * @param {string} method
 * @param {object} params
 */
export function example(language, method, params) {
  const json = JSON.stringify(params);
  switch (language) {
    case "sh": return `. ./ask.sh\nask ${method} '${json.replaceAll("'", "'\\''")}'`;
    case "python": return `from ask import ask\n\nprint(ask("${method}", ${python(params)}))`;
    case "javascript": return `import { ask } from "./ask.mjs";\n\nconsole.log(await ask("${method}", ${json}));`;
    case "c":
      return `#include "ask.h"\n\nint main(void)\n{\n    return ask("${method}", "${json.replaceAll(/["\\]/g, "\\$&")}");\n}`;
    default: return `print(try await ask("${method}", ${swiftLiteral(json)}))`;
  }
}

/** The files that the examples of a language need. */
export const FILES = { sh: "ask.sh", python: "ask.py", javascript: "ask.mjs", c: "ask.h", swift: "Ask.swift" };

/** Quotes a text for a shell. */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns the variables that the examples read, for pasting into a shell.
 * @param {{host: string, port: number, appId: string, secret: string, terminalId: string, token:
 *   string}} given
 */
export function variables({ host, port, appId, secret, terminalId, token }) {
  return Object.entries({
    LL_HOST: host, LL_PORT: String(port), LL_APP: appId, LL_SECRET: secret, LL_TERMINAL: terminalId, LL_TOKEN: token,
  }).map(([name, value]) => `export ${name}=${quoted(value)}`).join("\n");
}
