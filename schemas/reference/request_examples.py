"""Writes requests as examples in each language, and values as JSON.

Each example uses the function `ask` of a small file in its language. The page of examples shows this file in full.
"""

from . import contract

C = """#include "ask.h"

int main(void)
{{
    return ask("{method}", "{text}");
}}"""


def blocks(method, params):
    """The examples in all languages, as Markdown fences."""
    json = contract.compact(params)
    text = json.replace("\\", "\\\\").replace('"', '\\"')
    examples = {
        "sh": f". ./ask.sh\nask {method} {shell(json)}",
        "python": f'from ask import ask\n\nprint(ask("{method}", {python(params)}))',
        "javascript": f'import {{ ask }} from "./ask.mjs";\n\nconsole.log(await ask("{method}", {json}));',
        "c": C.format(method=method, text=text),
        "swift": f'print(try await ask("{method}", #"{json}"#))',
    }
    return "\n\n".join(f"```{language}\n{example}\n```" for language, example in examples.items())


def over_http(method, params, needs_token):
    """The same request over HTTP, as Markdown fences, with a token or the app's secret."""
    json = contract.compact({"params": params})
    path = f"request/{method}" if needs_token else f"app/$LL_APP/$LL_TERMINAL/request/{method}"
    login = '-H "Authorization: Bearer $LL_TOKEN"' if needs_token else '-u "$LL_APP:$LL_SECRET"'
    held = "LL_TOKEN LL_HTTP" if needs_token else "LL_APP LL_SECRET LL_TERMINAL LL_HTTP"
    names = ", ".join(name.removeprefix("LL_").lower() for name in held.split())
    head = "Bearer {token}" if needs_token else "Basic {b64encode(f'{app}:{secret}'.encode()).decode()}"
    where = f"{{http}}/ll/v1/{path}".replace("$LL_APP", "{app}").replace("$LL_TERMINAL", "{terminal}")
    fetched = where.replace("{", "${")
    basic = "Bearer ${token}" if needs_token else "Basic ${btoa(`${app}:${secret}`)}"
    python_lines = [
        *([] if needs_token else ["from base64 import b64encode"]),
        "import os, urllib.request",
        "",
        f'{names} = (os.environ[name] for name in "{held}".split())',
        f'headers = {{"Authorization": f"{head}", "Content-Type": "application/json"}}',
        f"body = {python(json)}.encode()",
        f'print(urllib.request.urlopen(urllib.request.Request(f"{where}", body, headers)).read().decode())',
    ]
    script = [
        f'const [{names}] = "{held}".split(" ").map((name) => process.env[name]);',
        f"const answer = await fetch(`{fetched}`, {{",
        '  method: "POST",',
        f'  headers: {{ Authorization: `{basic}`, "Content-Type": "application/json" }},',
        f"  body: JSON.stringify({json}),",
        "});",
        "console.log(await answer.json());",
    ]
    examples = {
        "sh": f"curl -s \"$LL_HTTP/ll/v1/{path}\" {login} \\\n  -H 'Content-Type: application/json' -d {shell(json)}",
        "python": "\n".join(python_lines),
        "javascript": "\n".join(script),
    }
    return "\n\n".join(f"```{language}\n{example}\n```" for language, example in examples.items())


def shell(text):
    """A string, quoted as one word of a shell command."""
    return "'" + text.replace("'", "'\\''") + "'"


def python(value):
    """A value as a Python literal, with strings in double quotes."""
    if isinstance(value, list):
        return "[" + ", ".join(map(python, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{python(key)}: {python(inner)}" for key, inner in value.items()) + "}"
    return repr(value) if value is None or isinstance(value, bool) else contract.compact(value)


def json_block(value):
    """A value as JSON in a Markdown fence."""
    return f"```json\n{pretty(value)}\n```"


def pretty(value, indent=0):
    """A value as JSON, over several lines if it's long, with two spaces for each level."""
    flat = contract.compact(value)
    if len(flat) + indent < 76 or not isinstance(value, (list, dict)):
        return flat
    if isinstance(value, list):
        lines = [pretty(one, indent + 2) for one in value]
    else:
        lines = [f"{contract.compact(key)}: {pretty(one, indent + 2)}" for key, one in value.items()]
    space, ends = " " * indent, "[]" if isinstance(value, list) else "{}"
    return f"{ends[0]}\n" + ",\n".join(f"{space}  {line}" for line in lines) + f"\n{space}{ends[1]}"
