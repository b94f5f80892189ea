import JSON

/// The limit that keeps a device's state small enough for a status message.
enum StatusSize {
    /// The maximum size of a state, in bytes of JSON.
    ///
    /// Names count twice, because a status message also lists the changed attributes' names.
    static let bytesMax = 48 * 1024

    /// Refuses a state that would not fit into a status message.
    static func check(_ status: Status) -> Rejection? {
        // The exact size is computed only if the upper bound exceeds the limit, which is rare.
        guard status.attributes.reduce(0, { $0 + atMost($1) }) > bytesMax,
            status.attributes.reduce(0, { $0 + exactly($1) }) > bytesMax
        else { return nil }
        return .invalid("data", "A device's state has at most \(bytesMax) bytes of JSON.")
    }

    /// Returns an upper bound for an attribute's size in JSON.
    private static func atMost(_ attribute: Status.Attribute) -> Int {
        12 * attribute.name.utf8.count + 8 + (attribute.value.stringValue.map { 6 * $0.utf8.count } ?? 24)
    }

    private static func exactly(_ attribute: Status.Attribute) -> Int {
        2 * JSONValue.string(attribute.name).encoded().count + 3
            + attribute.value.encoded().count
    }
}
