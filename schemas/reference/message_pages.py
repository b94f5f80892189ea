"""The pages about topics, messages, documents and shared types, with each page's name and text."""

import catalog

from . import contract, markup, request_examples, schema_words

MESSAGES = {
    "messages/device": ("messages-device", "Messages of devices"),
    "messages/user": ("messages-user", "Messages to users"),
    "messages/app": ("messages-app", "Messages to app terminals"),
    "messages/link": ("messages-link", "Messages of Home Assistant"),
    "messages/system": ("messages-system", "Messages between back-end services"),
}
PAGES = {**MESSAGES, "documents": ("documents", "Documents")}
GROUPS = {
    "Products and devices": ("product", "device"), "App terminals and users": ("app",),
    "Home Assistant": ("link",),
    "The gate and other services": ("gate", "outside"),
}
DIRECTIONS = {"receive": "to the service", "send": "from the service", "both": "both"}
LOGINS = {
    "product": '-i $LL_MAC -u product:$LL_PRODUCT -P "$LL_PRODUCT_SECRET"',
    "device": '-i $LL_DID -u device:$LL_DID -P "$LL_DEVICE_SECRET"',
    "app": '-i $LL_TERMINAL -u app:$LL_APP -P "$LL_TOKEN"',
}
VARIABLES = {
    "{did}": "$LL_DID", "{productKey}": "$LL_PRODUCT", "{mac}": "$LL_MAC", "{uid}": "$LL_UID", "{appId}": "$LL_APP",
    "{terminalId}": "$LL_TERMINAL",
}
EXAMPLES_MAX = 6
EXAMPLE_MAC = "a4cf12b03e9d"


def topics_and_messages():
    return [("topics", topics()), *map(folder, MESSAGES)]


def documents_and_types():
    return [folder("documents"), ("types", types())]


def topics():
    """The page of all topics with their messages."""
    parts = [
        f"## {title}\n\n" + markup.table(["Topic", "Direction", "Message", ""], [
            row(one) for one in contract.channels().values() if one["who"] in sides])
        for title, sides in GROUPS.items()
    ]
    requests = [
        [markup.code(f"ll/v1/app/{{appId}}/{{terminalId}}/request/{name}"), method.link]
        for name, method in contract.methods().items()
    ]
    text = """# Topics

Topics are below the root, which is `ll/v1` by default (setting `root`). The exceptions are the topics that begin with \
`$` or `homeassistant/`. [Connecting](connecting.md#rights) lists what each kind of client may publish and subscribe. \
All messages are QoS 1 and not retained unless stated here."""
    return "\n\n".join([text, *parts, "## Requests", markup.table(["Topic", "Method"], requests)]) + "\n"


def row(channel):
    topic, direction = markup.code(contract.topic(channel)), DIRECTIONS[channel["action"]]
    return [topic, direction, message(channel), markup.escape(channel["summary"]) + notes(channel)]


def message(channel):
    """A channel's message as a link."""
    if "payload" not in channel:
        return "bytes: many messages in one"
    entry = contract.entries()[channel["payload"]]
    return f"[{markup.escape(entry.schema['title'])}]({PAGES[entry.file][0]}.md#{anchor(entry)})"


def notes(channel):
    found = ["retained"] if channel.get("retain") else []
    if channel.get("qos", 1) != 1:
        found.append(f"QoS {channel['qos']}")
    if channel.get("expires"):
        found.append("with message expiry")
    return f" ({', '.join(found)})" if found else ""


def address(channel):
    """The address of a channel's description: its message's section or the page of topics."""
    if "payload" not in channel:
        return "topics.html"
    entry = contract.entries()[channel["payload"]]
    return f"{PAGES[entry.file][0]}.html#{anchor(entry)}"


def anchor(entry):
    return "message-" + entry.name


# Messages.


def folder(file):
    """The page of one file's messages, or of the documents."""
    name, title = PAGES[file]
    sections = [section(entry) for entry in contract.entries().values() if entry.file == file]
    return name, "\n\n".join([f"# {title}", markup.escape(catalog.files()[file]["description"]), *sections]) + "\n"


def section(entry):
    channels = [one for one in contract.channels().values() if one.get("payload") == entry.name]
    place = f"{entry.file}#{entry.name}"
    examples = [one for one in contract.examples(place) if not one[0].startswith("unknown")]
    parts = [f"## {markup.escape(entry.schema['title'])} {{#{anchor(entry)}}}"]
    for one in channels:
        way = f"{markup.code(contract.topic(one))} – {DIRECTIONS[one['action']]}{notes(one)}"
        parts.append(f"{way}. {markup.escape(one['summary'])}")
    parts += [markup.prose(entry.schema.get("description", "")), schema_words.tables(place)]
    for title, value in examples[:EXAMPLES_MAX]:
        parts += [f"{markup.escape(title[:1].upper() + title[1:])}:", request_examples.json_block(value)]
    if channels and channels[0]["who"] in LOGINS and examples:
        parts.append(f"```sh\n{command(channels[0], examples[0][1])}\n```")
    return markup.paragraphs(parts)


def command(channel, example):
    """The shell command with which a device or a terminal publishes or receives the channel's message."""
    topic = contract.topic(channel)
    for name, variable in VARIABLES.items():
        topic = topic.replace(name, variable)
    end = f'-V 5 -h $LL_HOST -p $LL_PORT -q 1 {LOGINS[channel["who"]]} \\\n  -t "{topic}"'
    if channel["action"] == "send":
        return f"mosquitto_sub {end}"
    json = request_examples.shell(contract.compact(example)).replace(EXAMPLE_MAC, "'$LL_MAC'")
    return f"mosquitto_pub {end} \\\n  -m {json}"


def types():
    """The page of types that several messages share."""
    parts = [
        markup.paragraphs([
            f"## {schema_words.definition(place)} {{#{schema_words.anchor(place)}}}",
            markup.prose(contract.resolved(contract.schemas()[place])[0].get("description", "")),
            schema_words.tables(place)])
        for place in contract.nouns()
    ]
    return "\n\n".join(["# Types", "Types that several messages and answers share.", *parts]) + "\n"
