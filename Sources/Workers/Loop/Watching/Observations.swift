import Domain
import Storage
import Wire

/// The part of a transaction's effects that operators watch, recorded once the transaction is committed.
struct Observations {
    /// The answers to requests, in order.
    private(set) var answers: [AnsweredRequest] = []
    /// Commands that were accepted or sent, in order.
    private(set) var steps: [CommandStep] = []
    /// Commands with their outcomes.
    private(set) var commands: [EndedCommand] = []
    /// The number of reports by their outcome.
    private(set) var reports: [ReportOutcome: Int] = [:]
    /// Messages that were refused, and are neither requests nor dead letters.
    private(set) var refused: [RefusedMessage] = []
    /// The end times of sessions whose connections the gate must close.
    private(set) var revoked: [Instant] = []

    /// Adds an answer to a request.
    mutating func add(_ answer: AnsweredRequest) { answers.append(answer) }

    /// Adds a step of a command.
    mutating func add(_ step: CommandStep) { steps.append(step) }

    /// Adds a command whose state is final.
    mutating func add(_ command: EndedCommand) { commands.append(command) }

    /// Counts a report.
    mutating func count(_ outcome: ReportOutcome) { reports[outcome, default: 0] += 1 }

    /// Adds a refused message that is neither a request nor a dead letter.
    mutating func add(_ message: RefusedMessage) { refused.append(message) }

    /// Notes that the gate must close the connection of a session that ended at a moment.
    mutating func addRevocation(since end: Instant) { revoked.append(end) }

    /// Adds the observations of another part of the transaction.
    mutating func merge(_ other: Observations) {
        answers += other.answers
        steps += other.steps
        commands += other.commands
        if !other.reports.isEmpty { reports.merge(other.reports) { $0 + $1 } }
        refused += other.refused
        revoked += other.revoked
    }
}

/// A message that was refused.
struct RefusedMessage {
    /// Its topic, without parts that may be secret.
    var topic: String
    /// The code of the refusal.
    var code: String
    /// The trace that its sender named, or a new one.
    var trace: TraceID?
}

/// The outcome of a device's report.
enum ReportOutcome: String, CaseIterable {
    /// It took effect.
    case accepted
    /// It took effect before.
    case repeated
    /// It breaks a rule, or its device is unknown.
    case refused
}

/// An answer to a request.
struct AnsweredRequest {
    /// A method's name as a label, limited to names that exist.
    struct Name: Hashable {
        var service: String
        var method: String

        /// Names a method; the parts that don't exist are `other`.
        init(_ service: String, _ method: String, isKnown: Bool) {
            // The service of a known method exists, too.
            let isOurs =
                isKnown || WorkerName.allCases.contains { $0.services.contains(service) }
            self.service = isOurs ? service : Self.other
            self.method = isKnown ? method : Self.other
        }

        /// The labels of the metrics of requests.
        var labels: [(String, String)] { [("service", service), ("method", method)] }

        private static let other = "other"
    }

    /// The outcome of a request for the log.
    enum Outcome {
        /// It was carried out, or its earlier answer was repeated.
        case answered
        /// It was refused.
        case refused
        /// It was refused and is a dead letter, which has a more detailed log line.
        case deadLetter
    }

    /// The terminal and the id of a request.
    struct Origin {
        var terminal: TerminalID
        var id: MessageID
    }

    /// The code of the answer to a request that was carried out.
    static let ok = "ok"
    /// The code of a repeated answer.
    static let repeated = "repeated"

    /// The method.
    var name: Name
    /// `ok`, `repeated`, or the code of a refusal.
    var code: String
    /// The outcome for the log.
    var outcome = Outcome.answered
    /// The field at fault.
    var field: String?
    /// The origin of the request; nil if it could not be read.
    var origin: Origin?
    /// The trace of the request.
    var trace: TraceID?
    /// The arrival time of the request; nil if only its age is known.
    var arrivedAt: ContinuousClock.Instant?
    /// The time that the request waited, if a command's outcome answers it.
    var waited: Duration?
}

extension AnsweredRequest {
    /// Describes the answer to a request: `refusal`, or success without one.
    init(_ request: AppRequest, isKnown: Bool, refusal: Rejection?) {
        self.init(
            name: Name(request.service, request.method, isKnown: isKnown),
            code: refusal?.code.rawValue ?? Self.ok,
            outcome: refusal == nil ? .answered : .refused,
            field: refusal?.field,
            origin: Origin(terminal: request.terminal, id: request.id),
            trace: request.trace,
            arrivedAt: request.arrivedAt
        )
    }

    /// Describes the answer to a request whose method was looked up.
    init(_ pending: PendingRequest, refusal: Rejection? = nil) {
        self.init(pending.request, isKnown: pending.method.isKnown, refusal: refusal)
    }

    /// Describes a repeated answer.
    init(repeatOf pending: PendingRequest) {
        self.init(pending)
        code = Self.repeated
    }

    /// Describes the answer to the request that waited for a command's outcome.
    init(to waiter: Waiter, of command: Command, refusal: Rejection?, at now: Instant) {
        let method = command.kind == .query ? "query" : "control"
        self.init(
            name: Name("device", method, isKnown: true),
            code: refusal?.code.rawValue ?? Self.ok,
            outcome: refusal == nil ? .answered : .refused,
            field: refusal?.field,
            origin: Origin(terminal: waiter.terminal, id: waiter.requestID),
            trace: command.trace
        )
        waited = .milliseconds(max(0, now.milliseconds - command.createdAt.milliseconds))
    }
}

/// A command that was accepted or sent.
struct CommandStep {
    /// The kind of the step.
    enum Kind {
        case accepted, sent
    }

    /// The kind of the step.
    var kind: Kind
    /// The device.
    var did: DeviceID
    /// Its number.
    var cid: Int64
    /// The trace of the request that it comes from.
    var trace: TraceID?

    /// Describes a step of a command.
    init(_ kind: Kind, _ command: Command) {
        self.kind = kind
        did = command.did
        cid = command.cid
        trace = command.trace
    }
}

/// A command whose state is final.
struct EndedCommand {
    /// The device.
    var did: DeviceID
    /// Its number.
    var cid: Int64
    /// The trace of the request that it comes from.
    var trace: TraceID?
    /// Its kind.
    var kind: Command.Kind
    /// Its outcome, as a label.
    var outcome: String
    /// The milliseconds since it was sent, or since its acceptance if it was never sent.
    var milliseconds: Int64

    /// The outcome of a command that was refused before its device received it.
    private static let refused = "refused"

    /// Describes a command that has ended.
    init(_ command: Command, at now: Instant) {
        did = command.did
        cid = command.cid
        trace = command.trace
        kind = command.kind
        outcome = command.refusal == nil ? command.state.rawValue : Self.refused
        let begin = command.sentAt ?? command.createdAt
        milliseconds = max(0, (command.doneAt ?? now).milliseconds - begin.milliseconds)
    }
}
