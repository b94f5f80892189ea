package import Domain

/// The parameters of `device/control`, without the device and the content (`CommandCodec`).
package struct ControlParameters: Sendable, Equatable {
    /// Whether an offline device gets the command later.
    package let mode: Command.Mode
    /// The life of the command, in seconds; nil for the default.
    package let ttl: Int64?
    /// The app's number, which is returned with the outcome.
    package let sn: Int64
    /// Whether the answer waits for the outcome.
    package let waits: Bool

    /// Reads `mode`, `ttl`, `sn` and `wait`.
    package init(_ fields: Fields) throws(Rejection) {
        mode = try fields.word("mode", as: Command.Mode.self) ?? .now
        ttl = try fields.integer("ttl", in: 1...Command.ttlMax)
        sn = try fields.integer("sn") ?? 0
        waits = try fields.bool("wait") ?? false
    }
}
