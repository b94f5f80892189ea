import Domain
import Logging

/// The writer of the log lines of a committed transaction.
///
/// Refused requests, other refused messages and dead letters are logged at `info`. Successful answers, and the steps
/// and ends of commands, are logged at `debug`.
struct ObservationLog {
    let logger: Logger
    let bounded: BoundedLog

    /// Writes the lines of a transaction.
    func write(_ effects: Effects) {
        for letter in effects.deadLetters {
            bounded.info(
                logger,
                "A message became a dead letter",
                metadata: Self.traced(
                    letter.trace,
                    [
                        "message.topic": "\(letter.topic)", "code": "\(letter.kind.rawValue)",
                        "reason": "\(letter.reason)",
                    ]
                )
            )
        }
        for answer in effects.observed.answers { write(answer) }
        for step in effects.observed.steps { write(step) }
        for command in effects.observed.commands { write(command) }
        for refused in effects.observed.refused {
            bounded.info(
                logger,
                "A message was refused",
                metadata: Self.traced(refused.trace, ["message.topic": "\(refused.topic)", "code": "\(refused.code)"])
            )
        }
    }

    private func write(_ answer: AnsweredRequest) {
        switch answer.outcome {
        case .deadLetter: break
        case .refused:
            bounded.info(logger, "A request was refused", metadata: metadata(of: answer))
        case .answered:
            logger.debug("A request was answered", metadata: metadata(of: answer))
        }
    }

    private func metadata(of answer: AnsweredRequest) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "request.method": "\(answer.name.service)/\(answer.name.method)", "code": "\(answer.code)",
        ]
        if let field = answer.field { metadata["field"] = "\(field)" }
        if let origin = answer.origin {
            metadata["request.id"] = "\(origin.id.text)"
            metadata["terminal.id"] = "\(origin.terminal.text)"
        }
        return Self.traced(answer.trace, metadata)
    }

    private func write(_ step: CommandStep) {
        logger.debug(
            step.kind == .accepted ? "A command was accepted" : "A command was sent",
            metadata: Self.traced(
                step.trace,
                ["device.id": "\(step.did.text)", "command.cid": .stringConvertible(step.cid)]
            )
        )
    }

    private func write(_ command: EndedCommand) {
        logger.debug(
            "A command ended",
            metadata: Self.traced(
                command.trace,
                [
                    "device.id": "\(command.did.text)", "command.cid": .stringConvertible(command.cid),
                    "command.outcome": "\(command.outcome)",
                    "command.milliseconds": .stringConvertible(command.milliseconds),
                ]
            )
        )
    }

    private static func traced(_ trace: TraceID?, _ values: Logger.Metadata) -> Logger.Metadata {
        guard let trace else { return values }
        return values.merging(["trace.id": "\(trace.text)"]) { _, new in new }
    }
}
