import JSON

/// The counts of a hostile process: its messages and the broker's responses.
struct HostileTally: Sendable {
    var sent = 0
    var bytes = 0
    /// PUBACKs and PUBRECs that took a message.
    var confirmed = 0
    /// Those that refused it, and filters that were refused.
    var refused = 0
    /// Messages that came: answers, for the most part.
    var answered = 0
    var connects = 0
    /// CONNECTs that were refused.
    var turnedAway = 0
    /// Connections that the broker closed.
    var closed = 0
    /// The reason code of the last CONNACK that refused or DISCONNECT.
    var reason = 0
    /// Seconds of the processor.
    var processorSeconds = 0.0

    private static var names: [(String, WritableKeyPath<HostileTally, Int>)] {
        [
            ("sent", \.sent), ("bytes", \.bytes), ("confirmed", \.confirmed),
            ("refused", \.refused), ("answered", \.answered), ("connects", \.connects),
            ("turnedAway", \.turnedAway), ("closed", \.closed),
            ("reason", \.reason),
        ]
    }

    init() {}

    /// Reads what `json` wrote.
    init(_ json: JSONValue?) {
        let object = json?.objectValue
        for (name, path) in Self.names { self[keyPath: path] = Int(object?[name]?.intValue ?? 0) }
        processorSeconds = object?["processorSeconds"]?.doubleValue ?? 0
    }

    var json: JSONValue {
        .object(
            JSONObject(
                Self.names.map { ($0.0, .integer(Int64(self[keyPath: $0.1]))) }
                    + [("processorSeconds", .double(processorSeconds))]
            )
        )
    }

    /// One line for people.
    var text: String {
        "\(sent) sent, \(bytes >> 20) MB, \(answered) answered, \(refused) refused, "
            + "\(connects) connects, \(turnedAway) turned away, \(closed) closed"
            + (reason > 0 ? " (\(reason))" : "")
    }
}
