package import Domain
package import JSON

/// Writes commands for devices and their outcomes for apps (PROTOCOL 2.4 and 3.3).
package enum CommandCodec {
    /// The command as the device gets it.
    package static func encode(_ command: Command) -> [UInt8] {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)),
            ("type", .string(command.kind.rawValue)), ("data", .object(command.data)),
            ("binary", command.binary.map { .string($0) }),
            ("actor", EventCodec.encode(command.actor, for: nil)),
            ("expiresAt", .integer(command.expiresAt.milliseconds)),
        ]).encoded()
    }

    /// The command's state as the answer to `control` gives it.
    package static func result(_ command: Command, product: Product?) -> JSONObject {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)),
            ("state", .string(command.state.rawValue)),
            ("code", command.state == .expired ? nil : command.code.map { .integer($0) }),
            (
                "data",
                command.state == .expired
                    ? nil
                    : command.result.map { .object(ProductRules.masked($0, product: product)) }
            ),
        ])
    }

    /// The outcome as the asking terminal is told.
    package static func outcome(_ command: Command, product: Product?) -> [UInt8] {
        var object = result(command, product: product)
        object["did"] = .string(command.did.text)
        return object.encoded()
    }
}
