import JSON

/// The limit that keeps status messages below the size of a payload.
enum StatusSize {
    /// The maximum number of bytes of JSON of the state of a device with data points: names, values, and the names
    /// again, since a report can change them.
    static let bytesMax = 48 * 1024

    /// Refuses a state that would not fit into a status message.
    static func check(_ status: Status) -> Rejection? {
        // Nearly every state is far smaller, and its exact size isn't worth the time.
        guard status.attributes.reduce(0, { $0 + atMost($1) }) > bytesMax,
            status.attributes.reduce(0, { $0 + exactly($1) }) > bytesMax
        else { return nil }
        return .invalid("data", "A device's state has at most \(bytesMax) bytes of JSON.")
    }

    /// Returns an upper bound of a value's size: six bytes a character, 24 a number or word.
    private static func atMost(_ attribute: Status.Attribute) -> Int {
        12 * attribute.name.utf8.count + 8 + (attribute.value.stringValue.map { 6 * $0.utf8.count } ?? 24)
    }

    private static func exactly(_ attribute: Status.Attribute) -> Int {
        2 * JSONValue.string(attribute.name).encoded().count + 3
            + attribute.value.encoded().count
    }
}
