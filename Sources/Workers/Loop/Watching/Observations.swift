import Domain
import Storage
import Wire

/// The part of a transaction's effects that operators watch: it goes to the metrics once the transaction is committed.
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
    /// When sessions ended whose connections the gate is told to close.
    private(set) var revoked: [Instant] = []

    /// Notes an answer to a request.
    mutating func note(_ answer: AnsweredRequest) { answers.append(answer) }

    /// Notes what was done with a command.
    mutating func note(_ step: CommandStep) { steps.append(step) }

    /// Notes a command whose state is final.
    mutating func note(_ command: EndedCommand) { commands.append(command) }

    /// Counts a report.
    mutating func count(_ outcome: ReportOutcome) { reports[outcome, default: 0] += 1 }

    /// Notes a refused message that is neither a request nor a dead letter.
    mutating func note(_ message: RefusedMessage) { refused.append(message) }

    /// Notes that the gate is told to close the connection of a session that ended at a moment.
    mutating func noteRevocation(since end: Instant) { revoked.append(end) }

    /// Adds those of another part of the transaction.
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
    /// Its topic, as it may be shown.
    var topic: String
    /// The code of the refusal.
    var code: String
    /// The trace that its sender named, or that was made for it.
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
    /// A method's name as a label, which only names that exist may be.
    struct Name: Hashable {
        var service: String
        var method: String

        /// Names a method; the parts that don't exist here are `other`.
        init(_ service: String, _ method: String, isKnown: Bool) {
            // Of a method that exists the service does, too.
            let isOurs =
                isKnown || WorkerName.allCases.contains { $0.services.contains(service) }
            self.service = isOurs ? service : Self.other
            self.method = isKnown ? method : Self.other
        }

        /// The labels of the metrics of requests.
        var labels: [(String, String)] { [("service", service), ("method", method)] }

        private static let other = "other"
    }

    /// What the log says of a request.
    enum Outcome {
        /// It was carried out, or its answer given again.
        case answered
        /// It was refused.
        case refused
        /// It was refused and is a dead letter, of which the log says more.
        case deadLetter
    }

    /// The terminal and the id of a request.
    struct Origin {
        var terminal: TerminalID
        var id: MessageID
    }

    /// The code of an answer that says that a request was carried out.
    static let ok = "ok"
    /// The code of an answer that was given before.
    static let repeated = "repeated"

    /// The method.
    var name: Name
    /// `ok`, `repeated`, or the code of a refusal.
    var code: String
    /// What the log says of it.
    var outcome = Outcome.answered
    /// The field at fault.
    var field: String?
    /// Where the request came from; nil for one that could not be read.
    var origin: Origin?
    /// The trace of the request.
    var trace: TraceID?
    /// When the request arrived; nil where only its age is known.
    var arrivedAt: ContinuousClock.Instant?
    /// How long it waited, where a command's outcome answers it.
    var waited: Duration?
}

extension AnsweredRequest {
    /// Describes the answer to a request; `refusal` is its error, else it says that the request was carried out.
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

    /// Describes an answer that is given again.
    init(repeatOf pending: PendingRequest) {
        self.init(pending)
        code = Self.repeated
    }

    /// Describes the answer that a command's outcome gives to the request that waited for it.
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
    /// What was done with it.
    enum Kind {
        case accepted, sent
    }

    /// What was done with it.
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
    /// Milliseconds since it was sent; since its acceptance if it was never sent.
    var milliseconds: Int64

    /// The outcome of a command that was given up before a device had it.
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
