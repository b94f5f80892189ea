import Credentials
import Domain
import JSON
import Logging
import Mosquitto
import ServiceSettings
import Sodium
import Storage
import Synchronization
import Web
import Wire
import Workers

/// Passes requests over HTTP to the gate, which checks and publishes them, and their answers back.
///
/// It has its own connection to the broker, and a thread.
final class RequestConnection: StoppableWork {
    private struct Waiting {
        let isToken: Bool
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<RequestFront.Outcome, Never>
        /// Whether the request has left: its effect is unknown from then on.
        var isSent = false
    }

    private struct State {
        var isConnected = false
        /// The number of connections to the broker so far.
        var connections = 0
        var isStopping = false
        var waiting: [UInt64: Waiting] = [:]
        var unsent: [(number: UInt64, request: RequestFront.Asked)] = []
        var next: UInt64 = 1
    }

    private let state = Mutex(State())
    private let options: ConnectionOptions
    private let topics: Topics
    private let node: String
    private let waker: Waker
    private let logger = Logger(label: "lamplighter.requests")

    /// The longest wait for an answer: the listener ends answers after 60 s.
    private static let answerMax: Duration = .seconds(55)
    /// The maximum number of requests that wait for their answers.
    private static let waitingMax = 4_096

    /// Prepares a connection beside the workers'.
    init(_ context: RunContext, _ topics: Topics) throws {
        self.topics = topics
        node = String(Sodium.randomSecret().prefix(12))
        var options = try BrokerAccess.workers(context)
        options.clientID = "svc.lamplighter.http-\(node)"
        (options.cleanStart, options.sessionExpirySeconds) = (true, 0)
        options.batches = .init(incoming: topics.batches("http-\(node)"), outgoing: Topics.gateRequest)
        self.options = options
        waker = try Waker()
    }

    // MARK: Asking

    /// Asks a worker, and waits for its answer.
    func ask(_ request: RequestFront.Asked) async -> RequestFront.Outcome {
        await withCheckedContinuation { continuation in
            let isQueued = state.withLock { state in
                guard state.isConnected, !state.isStopping, state.waiting.count < Self.waitingMax else { return false }
                let number = state.next
                state.next += 1
                state.waiting[number] = Waiting(
                    isToken: request.isToken,
                    deadline: .now + Self.answerMax,
                    answer: continuation
                )
                state.unsent.append((number, request))
                return true
            }
            guard isQueued else { return continuation.resume(returning: .refusal(.away)) }
            waker.wake()
        }
    }

    /// The number of the connection to the broker; nil while the broker is away.
    var brokerRun: Int? { state.withLock { $0.isConnected ? $0.connections : nil } }

    // MARK: The thread

    func run() async {
        await PlainThread.run { [self] in
            var backoff = Backoff(limit: .seconds(2))
            while !isStopping {
                do { try work(&backoff) } catch {
                    logger.debug("the connection ended", metadata: ["error": "\(error)"])
                }
                end()
                let until = ContinuousClock.now + backoff.next()
                while !isStopping, ContinuousClock.now < until { PlainThread.pause(.milliseconds(20)) }
            }
        }
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        waker.wake()
    }

    /// Whether to end: once the service stops and no answer is awaited.
    private var isStopping: Bool { state.withLock { $0.isStopping && $0.waiting.isEmpty } }

    private func work(_ backoff: inout Backoff) throws {
        var client = try MosquittoClient(options, outlets: 1, waker: waker)
        _ = try client.connect()
        let refusals = topics.system("http/\(node)")
        try client.subscribe([refusals, "\(topics.root)/app/+/+/http/\(node)"])
        backoff.reset()
        state.withLock { state in
            state.isConnected = true
            state.connections += 1
        }
        var intake = Intake()
        while !isStopping {
            try send(over: &client)
            try client.flush()
            try client.receive(upTo: 1_000, linger: .zero, wait: .seconds(1), into: &intake)
            for delivery in intake.deliveries { take(delivery, of: intake, refusals: refusals) }
            dropLate()
        }
        client.disconnect()
    }

    private func send(over client: inout MosquittoClient) throws {
        let unsent = state.withLock { state in
            for (number, _) in state.unsent { state.waiting[number]?.isSent = true }
            defer { state.unsent.removeAll(keepingCapacity: true) }
            return state.unsent
        }
        for (number, request) in unsent {
            let space = "\(topics.root)/app/\(request.app.text)/\(request.terminal.text)"
            try client.publish(
                topic: "\(space)/request/\(request.name)",
                payload: Sodium.sha256(request.password.utf8) + request.payload,
                outlet: 0,
                properties: PublishProperties(
                    responseTopic: "\(space)/http/\(node)",
                    sourceAddress: request.address,
                    correlationData: Self.bytes(of: number),
                    messageExpirySeconds: nil,
                    traceparent: request.traceparent
                )
            )
        }
    }

    private func take(_ delivery: Delivery, of intake: Intake, refusals: String) {
        guard let range = delivery.correlationData else { return }
        let number = intake.bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return }
        let payload = intake.bytes[delivery.payload]
        guard intake.bytes[delivery.topic].elementsEqual(refusals.utf8) else {
            return waiting.answer.resume(returning: .answer(Array(payload)))
        }
        let reason = try? JSONValue.parse(payload).objectValue?["reason"]?.stringValue
        let refusal = Rejection(reason.flatMap(RefusalReason.init(rawValue:)), isToken: waiting.isToken)
        waiting.answer.resume(returning: .refusal(refusal))
    }

    private func dropLate() {
        let late = state.withLock { state in
            let late = state.waiting.filter { $0.value.deadline <= .now }
            for number in late.keys { state.waiting[number] = nil }
            return late.values
        }
        for waiting in late { waiting.answer.resume(returning: .refusal(.outcomeUnknown)) }
    }

    /// Answers all requests after the connection's end.
    private func end() {
        let waiting = state.withLock { state in
            defer { (state.isConnected, state.waiting, state.unsent) = (false, [:], []) }
            return state.waiting.values
        }
        for waiting in waiting {
            waiting.answer.resume(returning: .refusal(waiting.isSent ? .outcomeUnknown : .away))
        }
    }

    private static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

extension Rejection {
    /// Converts the gate's reason for refusing a request.
    init(_ reason: RefusalReason?, isToken: Bool) {
        switch reason {
        case .badSecret, .unknownPrincipal, .terminalOfOtherApp:
            self =
                isToken
                ? Rejection(.invalidToken, "The token is not valid here.", field: "token")
                : Rejection(.invalidCredentials, "The app or its secret is wrong, or the terminal is another app's.")
        case .sessionTokenRequired:
            self = Rejection(
                .invalidToken,
                "The terminal has a session in use: its token is needed instead of the app's secret.",
                field: "token",
                reason: RefusalReason.sessionTokenRequired.rawValue
            )
        case .tooFast, .addressTooFast: self = Rejection(.tooManyRequests, "Too many requests.", retryAfter: 10)
        case .tooManyNewClients:
            self = Rejection(.tooManyRequests, "This address has too many new terminals.", retryAfter: 60)
        case .notAllowed, .badTopic, .tooManyLevels, .badClientId, .badUsername:
            self = Rejection(.forbidden, "The gate does not pass this request.")
        default: self = .away
        }
    }
}

extension EventStream: EventFeed {}

extension RequestFront {
    /// Connects requests over HTTP to the broker and the store.
    init(
        _ context: RunContext,
        _ environment: Environment,
        connection: RequestConnection,
        streams: UserStreams?,
        places: StreamPlaces
    ) {
        let blocking = BlockingPool(max: environment.limits.pagesAtOnce)
        let threads = StreamThreads()
        self.init(
            root: environment.topics.root,
            origins: OriginRule(context.settings.webSocketOrigins),
            isSecure: context.publicURL.hasPrefix("https://"),
            holder: { token in
                try await blocking.run {
                    try environment.store.read { tx in
                        if token.hasPrefix(APIKey.prefix) {
                            return try tx.keys.find(token: token).map { key in
                                let refusal = key.refusal(at: environment.clock.now)
                                return Holder(app: key.app, terminal: key.terminal, uid: nil, refusal: refusal)
                            }
                        }
                        guard let session = try tx.sessions.find(token: token) else { return nil }
                        return Holder(
                            app: session.app,
                            terminal: session.terminal,
                            uid: session.uid,
                            refusal: session.refusal(at: environment.clock.now)
                        )
                    }
                }
            },
            ask: { [connection] in await connection.ask($0) },
            streams: streams,
            events: EventStreams(places, perKey: environment.limits.eventReadersPerKey) { request in
                try await blocking.run { try EventStream(environment, threads, for: request) }
            },
            tell: context.refused
        )
    }
}
