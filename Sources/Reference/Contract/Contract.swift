import JSON

/// The contract as the program carries it: what `schemas/` says of methods, messages and channels.
package struct Contract: Sendable {
    /// One method of a service.
    package struct Method: Sendable {
        /// `device/list`.
        package let name: String
        /// One sentence about it.
        package let summary: String
        /// Where its sides are described: `methods/device#list`.
        let place: String
        /// Whether it needs a session's token: `always`, `sometimes` or `never`.
        let session: String
        /// The codes of the errors that it may answer.
        package let errors: [String]

        var service: String { String(name.prefix { $0 != "/" }) }
        /// The anchor of its section: `device-list`.
        var anchor: String { name.replacing("/", with: "-") }
    }

    /// A message or document of `messages/` or `documents`.
    struct Entry: Sendable {
        /// `messages/device#report`.
        let place: String
        let schema: JSONObject

        /// `report`.
        var name: String { Contract.definition(place) }
        var title: String { schema["title"]?.stringValue ?? name }
    }

    /// A topic that carries messages.
    package struct Channel: Sendable {
        /// `deviceReport`.
        package let name: String
        /// The topic below the root; one that begins with `$` stands alone.
        package let address: String
        let summary: String
        /// `device`, `product`, `app`, `gate` or `outside`.
        let who: String
        /// `receive` (the service subscribes), `send` or `both`.
        let action: String
        /// The name of the message; nil for bytes that are not JSON.
        let payload: String?
        let qos: Int64
        let isRetained: Bool
        let expires: Bool
    }

    /// A value that fits.
    struct Example: Sendable {
        /// Its name, in words.
        let title: String
        let value: JSONValue
    }

    /// The methods, in the order of the schemas.
    package private(set) var methods: [Method] = []
    /// The channels of messages, in their order.
    package private(set) var channels: [Channel] = []
    private(set) var entries: [Entry] = []
    /// What a file is about, by its path: `methods/device`.
    private(set) var files: [String: (title: String, description: String)] = [:]
    /// Every schema by its place: sides of methods (`methods/device#list.params`), messages, shared definitions.
    private(set) var schemas: [String: JSONObject] = [:]
    /// The places of shared definitions, in their order.
    private(set) var shared: [String] = []
    private(set) var examples: [String: [Example]] = [:]

    /// The contract that is built in.
    package static let builtIn = Contract(lines: Texts.text("reference.jsonl"))

    /// Reads lines as `schemas/bundle.py` writes them; a line of no known kind is left out.
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

    /// Finds a message or document by its name.
    func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Returns the definition in a place: `report` of `messages/device#report`.
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

    /// The whole topic, with the root in front that a service has unless its settings say otherwise.
    var topic: String { address.hasPrefix("$") ? address : "ll/v1/\(address)" }
}

extension JSONObject {
    /// The text of a member; empty where it is absent.
    func text(_ key: String) -> String { self[key]?.stringValue ?? "" }
}
