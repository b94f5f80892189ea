import JSON

/// The contract built into the program: the methods, messages and channels of `schemas/`.
package struct Contract: Sendable {
    /// A method of a service.
    package struct Method: Sendable {
        /// The name: `device/list`.
        package let name: String
        /// A one-sentence summary.
        package let summary: String
        /// The place that describes its params and answer: `methods/device#list`.
        let place: String
        /// Whether the method requires a session's token: `always`, `sometimes` or `never`.
        let session: String
        /// The codes of the errors that the method can return.
        package let errors: [String]

        var service: String { String(name.prefix { $0 != "/" }) }
        /// The anchor of the method's section: `device-list`.
        var anchor: String { name.replacing("/", with: "-") }
    }

    /// A message or document of `messages/` or `documents`.
    struct Entry: Sendable {
        /// The place: `messages/device#report`.
        let place: String
        let schema: JSONObject

        /// The name: `report`.
        var name: String { Contract.definition(place) }
        var title: String { schema["title"]?.stringValue ?? name }
    }

    /// A topic that carries messages.
    package struct Channel: Sendable {
        /// The name: `deviceReport`.
        package let name: String
        /// The topic below the root, or the whole topic if it begins with `$`.
        package let address: String
        let summary: String
        /// The other side: `device`, `product`, `app`, `gate` or `outside`.
        let who: String
        /// `receive` (the service subscribes), `send` or `both`.
        let action: String
        /// The name of the message; nil for bytes that aren't JSON.
        let payload: String?
        let qos: Int64
        let isRetained: Bool
        let expires: Bool
    }

    /// A valid value.
    struct Example: Sendable {
        /// The name in words.
        let title: String
        let value: JSONValue
    }

    /// The methods, in the order of the schemas.
    package private(set) var methods: [Method] = []
    /// The channels of messages in their order.
    package private(set) var channels: [Channel] = []
    private(set) var entries: [Entry] = []
    /// The title and description of a file by its path: `methods/device`.
    private(set) var files: [String: (title: String, description: String)] = [:]
    /// The schemas by their places: params and answers of methods (`methods/device#list.params`),
    /// messages, shared definitions.
    private(set) var schemas: [String: JSONObject] = [:]
    /// The places of shared definitions in their order.
    private(set) var shared: [String] = []
    private(set) var examples: [String: [Example]] = [:]

    /// The contract built into the program.
    package static let builtIn = Contract(lines: Texts.text("reference.jsonl"))

    /// Parses lines written by `schemas/bundle.py`; lines of unknown kinds are skipped.
    init(lines: String) {
        for line in lines.utf8.split(separator: UInt8(ascii: "\n")) {
            guard let object = (try? JSONValue.parse(Array(line)))?.objectValue,
                let first = object.members.first, let place = first.value.stringValue
            else { continue }
            read(first.key, place, of: object)
        }
    }

    private mutating func read(_ kind: String, _ place: String, of line: JSONObject) {
        let schema = line["value"]?.objectValue
        switch kind {
        case "file": files[place] = (line.text("title"), line.text("description"))
        case "method":
            methods.append(
                Method(
                    name: line.text("title"),
                    summary: line.text("description"),
                    place: place,
                    session: line.text("session"),
                    errors: (line["errors"]?.arrayValue ?? []).compactMap(\.stringValue)
                )
            )
        case "entry":
            guard let schema else { return }
            entries.append(Entry(place: place, schema: schema))
            schemas[place] = schema
        case "schema":
            schemas[place] = schema
            if !place.contains(".") { shared.append(place) }
        case "example":
            guard let value = line["value"] else { return }
            let title = line.text("case").replacing("-", with: " ")
            examples[place, default: []].append(Example(title: title, value: value))
        case "channel": channels.append(Channel(name: place, line))
        default: return
        }
    }

    /// The names of the services, in the order of the schemas.
    package var services: [String] {
        methods.map(\.service).reduce(into: []) { all, one in
            if !all.contains(one) { all.append(one) }
        }
    }

    /// Returns a message or document by its name.
    func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Returns the definition's name in a place: `report` of `messages/device#report`.
    static func definition(_ place: String) -> String {
        String(place.drop { $0 != "#" }.dropFirst())
    }
}

extension Contract.Channel {
    fileprivate init(name: String, _ line: JSONObject) {
        self.name = name
        address = line.text("address")
        summary = line.text("summary")
        who = line.text("who")
        action = line.text("action")
        payload = line["payload"]?.stringValue
        qos = line["qos"]?.intValue ?? 1
        isRetained = line["retain"]?.boolValue ?? false
        expires = line["expires"]?.boolValue ?? false
    }

    /// The whole topic, with a service's default root.
    var topic: String { address.hasPrefix("$") ? address : "ll/v1/\(address)" }
}

extension JSONObject {
    /// Returns the text of a member; empty if it's absent.
    func text(_ key: String) -> String { self[key]?.stringValue ?? "" }
}
