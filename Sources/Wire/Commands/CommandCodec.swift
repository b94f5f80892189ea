package import Domain
package import JSON

/// A codec for the commands that devices receive, and for the outcomes that apps receive.
package enum CommandCodec {
    private static let rowBytesMax = Payload.bytesMax - 2048

    /// Encodes the command for the device, with the server's time for devices that have no clock.
    package static func encode(_ command: Command, at now: Instant) -> [UInt8] {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)), ("type", .string(command.kind.rawValue)),
            ("data", .object(command.values)), ("binary", command.binary.map { .string($0) }),
            ("actor", EventCodec.encode(command.actor, for: nil)), ("ts", .integer(now.milliseconds)),
            ("expiresAt", .integer(command.expiresAt.milliseconds)),
        ]).encoded()
    }

    /// Returns the command's state and outcome as the result of `device/control`.
    package static func result(_ command: Command, product: Product?) -> JSONObject {
        JSONObject([
            ("cid", .integer(command.cid)), ("sn", .integer(command.sn)), ("state", .string(command.state.rawValue)),
            ("code", command.state == .expired ? nil : code(command)),
            (
                "data",
                command.state == .expired
                    ? nil : command.result.map { .object(ProductRules.masked($0, product: product)) }
            ),
        ])
    }

    /// Encodes only the command's number, by which an operator finds the command.
    package static func number(of command: Command) -> [UInt8] {
        JSONObject([("cid", .integer(command.cid))]).encoded()
    }

    /// Encodes the outcome for the terminal that sent the command.
    package static func outcome(_ command: Command, product: Product?) -> [UInt8] {
        var object = result(command, product: product)
        object["did"] = .string(command.did.text)
        return object.encoded()
    }

    /// Reads the content of `device/control`: either `data`, without the members that are null, or `binary`.
    package static func content(_ fields: Fields) throws(Rejection) -> (data: JSONObject, binary: String?) {
        let data = try fields.object("data")
        let binary = try fields.base64("binary")
        let members = data?.members.filter { $0.value != .null } ?? []
        guard !members.isEmpty || binary != nil else {
            throw .invalid("params.data", "params.data or params.binary is missing.")
        }
        guard members.isEmpty || binary == nil else {
            throw .invalid("params.binary", "A command can have params.data or params.binary, but not both.")
        }
        return (JSONObject(members: members), binary)
    }

    /// Returns a row of `device/commands`: the values, the sender and the outcome.
    ///
    /// If the result makes the row too large for an answer, the result is left out. The device's history contains the
    /// values of the result.
    package static func row(
        _ command: Command,
        product: Product?,
        for reader: UserID?
    ) -> AnswerRow {
        var row = object(command, product: product, for: reader)
        if command.result != nil, row.encoded().count > rowBytesMax { row["result"] = nil }
        return .object(row)
    }

    /// Returns a command with its result, regardless of the result's size.
    package static func object(_ command: Command, product: Product?, for reader: UserID?) -> JSONObject {
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
            ("doneAt", command.doneAt.map { .integer($0.milliseconds) }), ("late", command.isLate ? true : nil),
            ("steps", .array(command.steps.map { step($0, of: command, for: reader) })),
        ])
    }

    private static func step(_ step: Command.Step, of command: Command, for reader: UserID?) -> JSONValue {
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

    private static func code(_ command: Command) -> JSONValue? {
        command.refusal.map { .string($0.rawValue) } ?? command.code.map { .integer($0) }
    }
}
