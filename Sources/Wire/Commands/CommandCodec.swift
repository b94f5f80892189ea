package import Domain
package import JSON

/// Writes commands for devices and their outcomes for apps.
package enum CommandCodec {
    /// Writes the command for the device, with the server's time, by which a device without a clock sets one.
    package static func encode(_ command: Command, at now: Instant) -> [UInt8] {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)),
            ("type", .string(command.kind.rawValue)), ("data", .object(command.values)),
            ("binary", command.binary.map { .string($0) }),
            ("actor", EventCodec.encode(command.actor, for: nil)),
            ("ts", .integer(now.milliseconds)),
            ("expiresAt", .integer(command.expiresAt.milliseconds)),
        ]).encoded()
    }

    /// Returns the command's state as the result of `device/control`.
    package static func result(_ command: Command, product: Product?) -> JSONObject {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)),
            ("state", .string(command.state.rawValue)),
            ("code", command.state == .expired ? nil : code(command)),
            (
                "data",
                command.state == .expired
                    ? nil
                    : command.result.map { .object(ProductRules.masked($0, product: product)) }
            ),
        ])
    }

    /// Writes the outcome for the terminal that sent the command.
    package static func outcome(_ command: Command, product: Product?) -> [UInt8] {
        var object = result(command, product: product)
        object["did"] = .string(command.did.text)
        return object.encoded()
    }

    /// Writes a row of `device/commands`: the values, the sender and the outcome.
    package static func row(
        _ command: Command,
        product: Product?,
        for reader: UserID?
    ) -> JSONObject {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)),
            ("type", .string(command.kind.rawValue)), ("mode", .string(command.mode.rawValue)),
            ("state", .string(command.state.rawValue)),
            ("code", code(command)),
            ("data", .object(ProductRules.masked(command.data, product: product))),
            ("binary", command.binary.map { .string($0) }),
            (
                "result",
                command.result.map { .object(ProductRules.masked($0, product: product)) }
            ),
            ("actor", EventCodec.encode(command.actor, for: reader)),
            ("createdAt", .integer(command.createdAt.milliseconds)),
            ("expiresAt", .integer(command.expiresAt.milliseconds)),
            ("doneAt", command.doneAt.map { .integer($0.milliseconds) }),
            ("late", command.isLate ? true : nil),
            ("steps", .array(command.steps.map { step($0, of: command, for: reader) })),
        ])
    }

    private static func step(
        _ step: Command.Step,
        of command: Command,
        for reader: UserID?
    ) -> JSONValue {
        let actor: Actor =
            switch step.cause {
            case .asker: command.actor
            case .device: .device(command.did)
            case .system: .system
            }
        return .object([
            "state": .string(step.state.rawValue), "ts": .integer(step.at.milliseconds),
            "actor": EventCodec.encode(actor, for: reader),
        ])
    }

    /// Returns the device's own result code, or the code with which the service itself gave up.
    private static func code(_ command: Command) -> JSONValue? {
        command.refusal.map { .string($0.rawValue) } ?? command.code.map { .integer($0) }
    }
}
