package import Domain
import JSON

extension Command: TableRow {
    package static let table = Table<Command>("command")

    package static func map(_ column: inout ColumnMapper<Command>) -> Command {
        var command = Command(
            did: column("did", \.did, as: .key),
            cid: column("cid", \.cid, as: .key),
            sn: column("sn", \.sn),
            kind: column("kind", \.kind),
            state: column("state", \.state, as: .changing),
            mode: column("mode", \.mode),
            data: column("data", \.data, as: .changing),
            binary: column("bytes", \.binary, as: .changing),
            actor: column.actor(\.actor),
            app: column("appId", \.app),
            createdAt: column("createdAt", \.createdAt),
            expiresAt: column("expiresAt", \.expiresAt),
            steps: column("steps", \.storedSteps, as: .changing).steps
        )
        command.doneAt = column("doneAt", \.doneAt, as: .changing)
        command.code = column("code", \.code, as: .changing)
        command.result = column("result", \.result, as: .changing)
        command.isLate = column("late", \.isLate, as: .changing)
        command.refusal = column("refusal", \.refusal, as: .changing)
        command.hidden = column.sealed("secret", { $0.hidden?.encoded() }, as: .changing)
            .flatMap { try? JSONValue.parse($0).objectValue }
        command.trace = column("trace") { $0.trace?.text }.flatMap { TraceID($0) }
        command.beneficiary = column("uid", \.beneficiary)
        return command
    }

    private var storedSteps: CommandSteps { CommandSteps(steps: steps) }
}

/// The steps of a command, stored as `[[state, ts, cause], …]`.
///
/// Steps don't name the command's sender. Only the command's own columns name the sender, so the steps needn't change
/// when the sender's account is erased.
private struct CommandSteps: ColumnValue {
    static var columnType: ColumnType { .text }
    var steps: [Command.Step]

    init(steps: [Command.Step]) { self.steps = steps }

    init(_ column: Column) {
        let stored = column.isNull ? nil : JSONValue(column).arrayValue
        steps = (stored ?? []).compactMap { value in
            guard let parts = value.arrayValue, parts.count == 3,
                let state = parts[0].stringValue.flatMap(Command.State.init(rawValue:)), let at = parts[1].intValue,
                let cause = parts[2].stringValue.flatMap(Command.Step.Cause.init(rawValue:))
            else { return nil }
            return Command.Step(state, at: Instant(milliseconds: at), by: cause)
        }
    }

    func bind(to parameter: Parameter) {
        JSONValue.array(
            steps.map { step in
                .array([.string(step.state.rawValue), .integer(step.at.milliseconds), .string(step.cause.rawValue)])
            }
        ).bind(to: parameter)
    }
}
