package import Domain

/// The parameters of `device/control`, except the device and the content.
///
/// `CommandCodec.content` reads the content.
package struct ControlParameters: Sendable, Equatable {
    /// How the command is handled while the device is offline.
    package let mode: Command.Mode
    /// The lifetime of the command, in seconds; nil for the default.
    package let ttl: Int64?
    /// The app's own number for the command, which is returned with the outcome.
    package let sn: Int64
    /// Whether the request is answered only when the command's outcome is known.
    package let waits: Bool

    /// Reads `mode`, `ttl`, `sn` and `wait`.
    package init(_ fields: Fields) throws(Rejection) {
        mode = try fields.word("mode", as: Command.Mode.self) ?? .now
        ttl = try fields.integer("ttl", in: 1...Command.ttlMax)
        sn = try fields.integer("sn") ?? 0
        waits = try fields.bool("wait") ?? false
    }
}
