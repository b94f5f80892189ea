"""The console's scripts are made one with short names: that must change no meaning."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import ROOT

# What people write once in a while, and what a name by scope may get wrong.
MODULES = {
    "main.js": """
import { greet, count as counted, Box } from "./lib/other.js";
import * as whole from "./lib/whole.js";
const value = "outer", list = [1, 2, 3];
const say = (...words) => console.log(words.join(" "));
function shadows(value) { { const value = "block"; say(value); } return value; }
say(value, shadows("given"), shadows(value));
for (const value of list) { const twice = () => value * 2; say(twice()); }
for (let number = 0, end = 2; number < end; number++) say("turn", number, end, value);
const { a, b: renamed = value, ...others } = { a: 1, c: 3, d: 4 };
say(a, renamed, JSON.stringify(others), JSON.stringify({ a, value, list }));
const nested = (first, second = first + value, [third, { fourth = second } = {}] = []) =>
    [first, second, third, fourth].map((first) => list.map((second) => `${first}${second}${third ?? `${value}!`}`));
say(nested("x"), nested("x", "y", ["z", { fourth: "w" }]));
try { throw new Error("thrown"); } catch (value) { say(value.message); }
try { whole.fails(); } catch { say("failed", value); }
const chosen = list.length > 2 ? (value) => value + 1 : (value) => value - 1;
say(chosen(1), list.map((value) => value ? (list) => list : value).length);
switch (list.length) { case 3: { let value = "case"; say(value); break; } default: say("none"); }
class Counter {
    #count = 0;
    static made = 0;
    get count() { return this.#count; }
    add(value = list.length) { this.#count += value; const add = this.#count; return add; }
}
const counter = new Counter();
say(counter.add(), counter.add(1), counter.count, Counter.made);
const factorial = function own(number) { return number < 2 ? 1 : number * own(number - 1); };
say(factorial(5), hoisted());
function hoisted() { return value; }
const name = "mine", top = "also mine", self = (parent) => parent + name + top;
say(self("parent "), typeof window, greet(name), counted(), counted(), new Box(value).open());
const late = async (value) => { const { later } = await import("./lib/later.js"); return later(value); };
let last = list.length, next;
while (last-- > 0) { const list = [last]; next = [...(next ?? []), ...list]; }
say(next, whole.value, whole.add(1, 2), await late("asked"));
const one = 1
say(one); const two = 2; say(two); const three = 3;
const four = 4; for (const each of [one, two]) say(each); const five = () => { say(three); const six = 6; let seven = 7; return six + seven; };
let eight = 8; const { nine = 9 } = {}; if (eight) { say(nine); const ten = 10; say(ten, five(), four); }
// A view's closing tags have no need of names, nor its elements of lines between them; a text keeps both.
const html = (parts, ...values) => [parts.join("^").replace(/<[/][\\w-]*>/g, "</>").replace(/\\s*\\n\\s*/g, ""), ...values];
say(JSON.stringify(html`<ul class="a">
  ${list.map((value) => html`<li>${value} or
    more</li>
    <li></li>`)}
  ${value}</ul>`), `<b>
  ${value}</b>
  <i></i>`);
label: for (const x of list) { for (const y of list) { if (y > x) continue label; say(x, y); } }
""",
    "lib/other.js": """
const value = "the other's";
let calls = 0;
export function greet(name, greeting = `hello from ${value}`) { const text = greeting; return `${text}, ${name}`; }
export const count = () => ++calls;
export class Box { constructor(value) { Object.assign(this, { value, calls }); }
    open() { const { value: inner, calls } = this; return `${inner} ${calls} ${value}`; } }
""",
    "lib/whole.js": """
export const value = "whole";
export const add = (value, other) => { const sum = value + other; return sum; };
export const fails = () => { throw new TypeError("no"); };
""",
    "lib/later.js": "const prefix = 'later '; export const later = (value) => prefix + value;",
}


def tool():
    """The newest of the tool that the build made for itself."""
    found = [path for mode in ("debug", "release") for name in ("EmbedTool-tool", "EmbedTool")
             if (path := ROOT / ".build" / mode / name).exists()]
    assert found, "the build made no EmbedTool"
    return max(found, key=lambda path: path.stat().st_mtime)


class Embedding(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-embedding-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, texts, folder):
        for name, text in {"package.json": '{"type":"module"}', **texts}.items():
            path = self.folder / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def embed(self, texts):
        """Runs the tool over modules; gives how it ended, and the files that it made."""
        self.write(texts, "before")
        output = self.folder / "Texts.swift"
        done = subprocess.run(
            [tool(), "--page", "main.js", output, *(f"{name}={self.folder}/before/{name}" for name in texts)],
            capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return done, {}
        return done, dict(re.findall(r'\("([^"]+)", #+"""\n(.*?)\n"""#+\),', output.read_text(), re.DOTALL))

    def said(self, folder):
        done = subprocess.run(["node", "main.js"], cwd=self.folder / folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_what_is_made_one_with_short_names_says_the_same(self):
        done, made = self.embed(MODULES)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(made), ["main.js"])
        self.write(made, "after")
        self.assertGreater(self.said("before").count("\n"), 20)
        self.assertEqual(self.said("after"), self.said("before"))
        self.assertLess(len(made["main.js"]), 0.8 * sum(map(len, MODULES.values())))

    def test_data_are_made_short_and_stay_the_same(self):
        data = '{\n  "z first": [ 1, -2.50, "a  b\\" : \\\\", true ],\n\t"umlaut": "ü\\u00fc", "empty": {  }\n}\n'
        done, made = self.embed({"main.js": "console.log(1);", "words.json": data})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(made["words.json"], '{"z first":[1,-2.5,"a  b\\" : \\\\",true],"umlaut":"üü","empty":{}}')
        self.assertEqual(json.loads(made["words.json"]), json.loads(data))
        for text in ('{ "a": 1, }', '{ "a": 1', "{ a: 1 }"):
            with self.subTest(text):
                done, _ = self.embed({"main.js": "console.log(1);", "words.json": text})
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("words.json is not JSON", done.stderr)

    def test_what_scopes_can_not_tell_ends_the_build(self):
        for text, why in {
            "const a = 1; const f = (b = a) => { const a = 2; return a + b; }; f();": "a default reads a",
            "var a = 1;": "var is not known",
        }.items():
            with self.subTest(why):
                done, _ = self.embed({"main.js": text})
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
