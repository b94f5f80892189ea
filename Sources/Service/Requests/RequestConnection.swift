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

/// A connection that passes HTTP requests to the gate and returns the answers.
final class RequestConnection: StoppableWork {
    private struct Waiting {
        let isToken: Bool
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<RequestFront.Outcome, Never>
        /// Whether the request was sent; without an answer, the effect of a sent request is unknown.
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
        /// The last batch: its first request's number, and how many requests are unanswered.
        var lastSent: (first: UInt64, unanswered: Int) = (1, 0)
        var lastSentAt = ContinuousClock.now

        /// The remaining wait of the unsent requests, during which further requests can join their batch.
        ///
        /// Requests that are sent together share a batch and a transaction. The wait ends when the last batch is
        /// answered, or when `pauseMax` has passed since that batch was sent.
        var pause: Duration {
            lastSent.unanswered > 0 ? max(.zero, lastSentAt + RequestConnection.pauseMax - .now) : .zero
        }
    }

    private let state = Mutex(State())
    private let options: ConnectionOptions
    private let topics: Topics
    private let node: String
    private let waker: Waker
    private let logger = Logger(label: "lamplighter.requests")

    /// The longest wait for an answer, below the listener's limit of 60 s.
    private static let answerMax: Duration = .seconds(55)
    /// The longest time that a request waits so that further requests can share its batch.
    private static let pauseMax: Duration = .milliseconds(1)
    /// The maximum number of requests that wait for their answers.
    private static let waitingMax = 4_096

    /// Prepares a connection to the broker that is separate from the workers' connections.
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

    /// Sends a request to a worker, and waits for the worker's answer.
    func ask(_ request: RequestFront.Asked) async -> RequestFront.Outcome {
        await withCheckedContinuation { continuation in
            let mustWake = state.withLock { state -> Bool? in
                guard state.isConnected, !state.isStopping, state.waiting.count < Self.waitingMax else { return nil }
                let number = state.next
                state.next += 1
                let deadline = ContinuousClock.now + Self.answerMax
                state.waiting[number] = Waiting(isToken: request.isToken, deadline: deadline, answer: continuation)
                state.unsent.append((number, request))
                return state.unsent.count == 1
            }
            guard let mustWake else { return continuation.resume(returning: .refusal(.away)) }
            if mustWake { waker.wake() }
        }
    }

    /// The current broker connection's number, or nil while there is no connection.
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

    /// Whether the thread must end: the service is stopping, and no request is waiting.
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
        var nextLook = ContinuousClock.now
        while !isStopping {
            let pause = try send(over: &client)
            try client.flush()
            try client.receive(upTo: 1_000, linger: .zero, wait: pause ?? .seconds(1), into: &intake)
            for delivery in intake.deliveries { take(delivery, of: intake, refusals: refusals) }
            guard .now >= nextLook else { continue }
            dropLate()
            nextLook = .now + .seconds(1)
        }
        client.disconnect()
    }

    private func send(over client: inout MosquittoClient) throws -> Duration? {
        let unsent = state.withLock { state -> [(number: UInt64, request: RequestFront.Asked)] in
            guard let first = state.unsent.first?.number, state.pause == .zero else { return [] }
            for (number, _) in state.unsent { state.waiting[number]?.isSent = true }
            (state.lastSent, state.lastSentAt) = ((first, state.unsent.count), .now)
            defer { state.unsent.removeAll(keepingCapacity: true) }
            return state.unsent
        }
        for (number, request) in unsent {
            let space = "\(topics.root)/app/\(request.app.text)/\(request.terminal.text)"
            try client.publish(
                topic: "\(space)/request/\(request.name)",
                payload: (request.digest ?? Sodium.sha256(request.password.utf8)) + request.payload,
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
        return state.withLock { $0.unsent.isEmpty ? nil : $0.pause }
    }

    private func take(_ delivery: Delivery, of intake: Intake, refusals: String) {
        guard let range = delivery.correlationData else { return }
        let number = intake.bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let taken = state.withLock { state in
            if number >= state.lastSent.first { state.lastSent.unanswered -= 1 }
            return state.waiting.removeValue(forKey: number)
        }
        guard let waiting = taken else { return }
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

    private func end() {
        let waiting = state.withLock { state in
            state.lastSent.unanswered = 0
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
    /// Creates the rejection that says why the gate refused a request.
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
                "The terminal has a session: send the session's token instead of the app's secret.",
                field: "token",
                reason: RefusalReason.sessionTokenRequired.rawValue
            )
        case .tooFast, .addressTooFast: self = Rejection(.tooManyRequests, "Too many requests.", retryAfter: 10)
        case .tooManyNewClients:
            self = Rejection(.tooManyRequests, "This address has too many new terminals.", retryAfter: 60)
        case .notAllowed, .badTopic, .tooManyLevels, .badClientId, .badUsername:
            self = Rejection(.forbidden, "The gate refused this request.")
        default: self = .away
        }
    }
}

extension EventStream: EventFeed {}
extension OAuthService: AuthorizationServer {}

extension RequestFront {
    /// Creates the handler of requests over HTTP.
    ///
    /// The handler sends requests over `connection`, and reads sessions and keys from the store of `environment`.
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
                    try environment.store.read(at: environment.clock.now) { tx in
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
                            refusal: session.refusal(at: environment.clock.now),
                            digest: session.isGrant ? try tx.oauth.gateDigest(of: session.id) : nil
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
