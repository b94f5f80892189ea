import Domain
import Storage
import Wire

/// The part of a transaction's effects that operators watch, recorded once the transaction is committed.
struct Observations {
    /// The answers to requests, in order.
    private(set) var answers: [AnsweredRequest] = []
    /// The commands that were accepted or sent, in order.
    private(set) var steps: [CommandStep] = []
    /// The commands that have ended, with their outcomes.
    private(set) var commands: [EndedCommand] = []
    /// The number of reports for each outcome.
    private(set) var reports: [ReportOutcome: Int] = [:]
    /// The refused messages that are neither requests nor dead letters.
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

    /// Records the end time of a session whose connection the gate must close.
    mutating func addRevocation(since end: Instant) { revoked.append(end) }

    /// Adds the observations of a part of the transaction.
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
    /// The message's topic, without parts that may be secret.
    var topic: String
    /// The code of the refusal.
    var code: String
    /// The trace that the message's sender named, or a new trace.
    var trace: TraceID?
}

/// The outcome of a device's report.
enum ReportOutcome: String, CaseIterable {
    /// The report took effect.
    case accepted
    /// The report had already taken effect.
    case repeated
    /// The report breaks a rule, or its device is unknown.
    case refused
}

/// An answer to a request.
struct AnsweredRequest {
    /// The names of a service and of its method, as labels of metrics.
    struct Name: Hashable {
        var service: String
        var method: String

        /// Creates a method's name, in which `other` replaces an unknown service or method.
        init(_ service: String, _ method: String, isKnown: Bool) {
            // If the method is known, its service also exists.
            let isOurs =
                isKnown || WorkerName.allCases.contains { $0.services.contains(service) }
            self.service = isOurs ? service : Self.other
            self.method = isKnown ? method : Self.other
        }

        /// The labels of the metrics of requests.
        var labels: [(String, String)] { [("service", service), ("method", method)] }

        private static let other = "other"
    }

    /// The outcome of a request, for the log.
    enum Outcome {
        /// The request was carried out, or its earlier answer was repeated.
        case answered
        /// The request was refused.
        case refused
        /// The request was refused and became a dead letter, which has a more detailed log line.
        case deadLetter
    }

    /// The terminal and the id of a request.
    struct Origin {
        var terminal: TerminalID
        var id: MessageID
    }

    /// The code of the answer to a request that was carried out.
    static let ok = "ok"
    /// The code of an answer that was repeated.
    static let repeated = "repeated"

    /// The method of the request.
    var name: Name
    /// The code of the answer: `ok`, `repeated`, or the code of a refusal.
    var code: String
    /// The outcome of the request, for the log.
    var outcome = Outcome.answered
    /// The request's field that is at fault, or nil if no field is.
    var field: String?
    /// The request's origin, or nil if it could not be read.
    var origin: Origin?
    /// The trace of the request.
    var trace: TraceID?
    /// When the request arrived, or nil if the answer had to wait for a command's outcome.
    var arrivedAt: ContinuousClock.Instant?
    /// How long the answer had to wait for a command's outcome, or nil if it didn't have to wait.
    var waited: Duration?
}

extension AnsweredRequest {
    /// Describes the answer to a request: a refusal or, if `refusal` is nil, a success.
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

    /// Describes an answer that was repeated.
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
    /// The kind of the command's step.
    enum Kind {
        case accepted, sent
    }

    /// The kind of the command's step.
    var kind: Kind
    /// The device of the command.
    var did: DeviceID
    /// The number of the command.
    var cid: Int64
    /// The trace of the request that caused the command.
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
    /// The device of the command.
    var did: DeviceID
    /// The number of the command.
    var cid: Int64
    /// The trace of the request that caused the command.
    var trace: TraceID?
    /// The kind of the command.
    var kind: Command.Kind
    /// The outcome of the command, as a label.
    var outcome: String
    /// The milliseconds from the command's sending (or from its acceptance if it was never sent) to its end.
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
