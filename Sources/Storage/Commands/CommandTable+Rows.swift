import Domain
import JSON
import Sodium
import Wire

/// The columns of a command's row.
extension CommandTable {
    static let columns = """
        did, cid, sn, kind, state, data, bytes, actor, appId, createdAt, expiresAt, doneAt, code,
        result, late, mode, refusal, steps, secret
        """

    func command(_ row: Row) -> Command {
        let actor = EventCodec.decode(row.withBytes(7, text: true) { try? JSONValue.parse($0) })
        var command = Command(
            did: DeviceID(trusted: row.text(0)),
            cid: row.integer(1),
            sn: row.integer(2),
            kind: Command.Kind(rawValue: row.text(3)) ?? .write,
            state: Command.State(rawValue: row.text(4)) ?? .expired,
            mode: Command.Mode(rawValue: row.text(15)) ?? .now,
            data: Self.object(row, 5) ?? [:],
            binary: row.optionalText(6),
            actor: actor ?? .system,
            app: row.optionalText(8).map { AppID(trusted: $0) },
            createdAt: Instant(milliseconds: row.integer(9)),
            expiresAt: Instant(milliseconds: row.integer(10)),
            steps: Self.steps(row, 17)
        )
        command.doneAt = row.optionalInteger(11).map { Instant(milliseconds: $0) }
        command.code = row.optionalInteger(12)
        command.result = Self.object(row, 13)
        command.isLate = row.bool(14)
        command.refusal = row.optionalText(16).flatMap(ErrorCode.init(rawValue:))
        command.hidden = row.optionalBytes(18).flatMap(transaction.key.open)
            .flatMap { try? JSONValue.parse($0).objectValue }
        return command
    }

    func bind(_ command: Command, _ binder: inout Binder) {
        binder.add(command.did.text)
        binder.add(command.cid)
        binder.add(command.sn)
        binder.add(command.kind.rawValue)
        binder.add(command.state.rawValue)
        binder.add(text: command.data.encoded())
        binder.add(command.binary)
        binder.add(EventCodec.stored(command.actor))
        binder.add(command.app?.text)
        binder.add(command.createdAt.milliseconds)
        binder.add(command.expiresAt.milliseconds)
        binder.add(command.doneAt?.milliseconds)
        binder.add(command.code)
        binder.add(command.result.map { String(decoding: $0.encoded(), as: UTF8.self) })
        binder.add(command.isLate)
        binder.add(command.mode.rawValue)
        binder.add(command.refusal?.rawValue)
        binder.add(text: Self.encode(command.steps))
        binder.add(bytes: command.hidden.map { transaction.key.seal($0.encoded()) })
    }

    /// Binds the changeable columns of a command, then its key.
    func bind(fateOf command: Command, _ binder: inout Binder) {
        binder.add(command.state.rawValue)
        binder.add(text: command.data.encoded())
        binder.add(command.binary)
        binder.add(command.doneAt?.milliseconds)
        binder.add(command.code)
        binder.add(command.result.map { String(decoding: $0.encoded(), as: UTF8.self) })
        binder.add(command.isLate)
        binder.add(command.refusal?.rawValue)
        binder.add(text: Self.encode(command.steps))
        binder.add(bytes: command.hidden.map { transaction.key.seal($0.encoded()) })
        binder.add(command.did.text)
        binder.add(command.cid)
    }

    private static func object(_ row: Row, _ column: Int32) -> JSONObject? {
        guard !row.isNull(column) else { return nil }
        return row.withBytes(column, text: true) { try? JSONValue.parse($0) }?.objectValue
    }

    /// Returns steps as `[[state, ts, cause], …]`; only the command's own actor names the sender, so that
    /// erasing an account has one place to change.
    private static func encode(_ steps: [Command.Step]) -> [UInt8] {
        JSONValue.array(
            steps.map { step in
                .array([
                    .string(step.state.rawValue), .integer(step.at.milliseconds),
                    .string(step.cause.rawValue),
                ])
            }
        ).encoded()
    }

    private static func steps(_ row: Row, _ column: Int32) -> [Command.Step] {
        guard !row.isNull(column) else { return [] }
        let stored = row.withBytes(column, text: true) { try? JSONValue.parse($0) }
        return (stored?.arrayValue ?? []).compactMap { value in
            guard let parts = value.arrayValue, parts.count == 3,
                let state = parts[0].stringValue.flatMap(Command.State.init(rawValue:)),
                let at = parts[1].intValue,
                let cause = parts[2].stringValue.flatMap(Command.Step.Cause.init(rawValue:))
            else { return nil }
            return Command.Step(state, at: Instant(milliseconds: at), by: cause)
        }
    }
}
