import JSON

/// The pages of topics, their messages, documents and shared types.
struct MessagePages {
    let contract: Contract

    private static let names = [
        "messages/device": ("messages-device", "Messages of devices"),
        "messages/user": ("messages-user", "Messages to users"),
        "messages/app": ("messages-app", "Messages to app terminals"),
        "messages/system": ("messages-system", "Messages behind the broker"),
        "documents": ("documents", "Documents"),
    ]

    /// The page of all topics with their messages.
    var topics: ReferencePage {
        let groups = [
            ("Products and devices", ["product", "device"]), ("App terminals and users", ["app"]),
            ("The gate and other services", ["gate", "outside"]),
        ]
        let parts = groups.map { title, sides -> String in
            let own = contract.channels.filter { sides.contains($0.who) }
            return "## \(title)\n\n"
                + Markup.table(["Topic", "Direction", "Message", ""], own.map(row))
        }
        let methods = contract.methods.map { method -> [String] in
            [
                Markup.code("ll/v1/app/{appId}/{terminalId}/request/\(method.name)"),
                "[\(method.name)](service-\(method.service).md#\(method.anchor))",
            ]
        }
        let text = """
            # Topics

            All topics are below the root, `ll/v1` by default (setting `root`); only those that begin with \
            `$` are not. [Connecting](connecting.md#rights) lists what each kind of client may publish and subscribe. \
            All messages are QoS 1 and not retained unless stated here.

            \(parts.joined(separator: "\n\n"))

            ## Requests

            \(Markup.table(["Topic", "Method"], methods))

            """
        return ReferencePage(name: "topics", title: "Topics", group: .contract, markdown: text)
    }

    private func row(_ channel: Contract.Channel) -> [String] {
        let direction =
            switch channel.action {
            case "receive": "to the service"
            case "send": "from the service"
            default: "both"
            }
        let message = channel.payload.map { link(to: $0) } ?? "bytes: many messages in one"
        return [
            Markup.code(channel.topic), direction, message,
            Markup.escape(channel.summary) + notes(channel),
        ]
    }

    private func notes(_ channel: Contract.Channel) -> String {
        var notes: [String] = []
        if channel.isRetained { notes.append("retained") }
        if channel.qos != 1 { notes.append("QoS \(channel.qos)") }
        if channel.expires { notes.append("with message expiry") }
        return notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    }

    private func link(to name: String) -> String {
        guard let entry = contract.entry(name), let page = page(of: entry) else { return name }
        return "[\(Markup.escape(entry.title))](\(page).md#\(anchor(entry)))"
    }

    /// Returns the address of a channel's description: its message, or the page of topics.
    func address(of channel: Contract.Channel) -> String {
        guard let entry = channel.payload.flatMap({ contract.entry($0) }),
            let page = page(of: entry)
        else { return "topics.html" }
        return "\(page).html#\(anchor(entry))"
    }

    private func page(of entry: Contract.Entry) -> String? {
        Self.names[String(entry.place.prefix { $0 != "#" })]?.0
    }

    private func anchor(_ entry: Contract.Entry) -> String { "message-" + entry.name }

    // MARK: Messages

    /// The pages of messages, by the side that sends or receives them.
    var folders: [ReferencePage] {
        ["messages/device", "messages/user", "messages/app", "messages/system"].map(folder)
    }

    /// The documents that operators write, and `ready.json`.
    var documents: ReferencePage { folder("documents") }

    private func folder(_ file: String) -> ReferencePage {
        let (name, title) = Self.names[file] ?? (file, file)
        let entries = contract.entries.filter { $0.place.hasPrefix(file + "#") }
        let about = Markup.escape(contract.files[file]?.description ?? "")
        let parts = ["# \(title)", about] + entries.map(section)
        return ReferencePage(
            name: name,
            title: title,
            group: .contract,
            markdown: parts.joined(separator: "\n\n") + "\n"
        )
    }

    private func section(_ entry: Contract.Entry) -> String {
        var parts = ["## \(Markup.escape(entry.title)) {#\(anchor(entry))}"]
        for channel in contract.channels where channel.payload == entry.name {
            parts.append(
                "\(Markup.code(channel.topic)) – \(row(channel)[1])\(notes(channel)). "
                    + Markup.escape(channel.summary)
            )
        }
        parts.append(Markup.prose(entry.schema.text("description")))
        parts.append(SchemaTable(contract: contract).markdown(entry.place))
        let examples = (contract.examples[entry.place] ?? []).filter {
            !$0.title.hasPrefix("unknown")
        }
        for example in examples.prefix(6) {
            parts.append("\(Markup.escape(Self.capital(example.title))):")
            parts.append("```json\n\(PrettyJSON.text(example.value))\n```")
        }
        if let command = command(entry, examples.first?.value) {
            parts.append("```sh\n\(command)\n```")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func capital(_ text: String) -> String {
        (text.first?.uppercased() ?? "") + text.dropFirst()
    }

    /// Returns the command that publishes or shows the message, for devices, users and terminals.
    private func command(_ entry: Contract.Entry, _ example: JSONValue?) -> String? {
        guard let channel = contract.channels.first(where: { $0.payload == entry.name }),
            let login = Self.logins[channel.who], let example
        else { return nil }
        let filled = [
            ("{did}", "$LL_DID"), ("{productKey}", "$LL_PRODUCT"), ("{mac}", "$LL_MAC"),
            ("{uid}", "$LL_UID"),
            ("{appId}", "$LL_APP"), ("{terminalId}", "$LL_TERMINAL"),
        ].reduce(channel.topic) { $0.replacing($1.0, with: $1.1) }
        let end = "-V 5 -h $LL_HOST -p $LL_PORT -q 1 \(login) \\\n  -t \"\(filled)\""
        if channel.action == "send" { return "mosquitto_sub \(end)" }
        let json = String(decoding: example.encoded(), as: UTF8.self)
            .replacing("'", with: "'\\''").replacing("a4cf12b03e9d", with: "'$LL_MAC'")
        return "mosquitto_pub \(end) \\\n  -m '\(json)'"
    }

    private static let logins = [
        "product": "-i $LL_MAC -u product:$LL_PRODUCT -P \"$LL_PRODUCT_SECRET\"",
        "device": "-i $LL_DID -u device:$LL_DID -P \"$LL_DEVICE_SECRET\"",
        "app": "-i $LL_TERMINAL -u app:$LL_APP -P \"$LL_TOKEN\"",
    ]

    // MARK: Types

    /// The page of types that several messages share.
    var types: ReferencePage {
        let nouns = contract.shared.filter { contract.isNoun($0) }
        let parts = nouns.map { place -> String in
            let name = Contract.definition(place)
            let text =
                contract.schemas[place].map { contract.resolved($0).schema.text("description") }
                ?? ""
            return [
                "## \(name) {#\(Contract.nounAnchor(place))}", Markup.prose(text),
                SchemaTable(contract: contract).markdown(place),
            ].filter { !$0.isEmpty }.joined(separator: "\n\n")
        }
        let text = (["# Types", "Types that several messages and answers share."] + parts).joined(
            separator: "\n\n"
        )
        return ReferencePage(name: "types", title: "Types", group: .contract, markdown: text + "\n")
    }
}
