package import Domain

/// The functions by which HTTP requests reach the broker and the store.
package struct RequestFront: Sendable {
    /// A request, together with the credentials of its sender.
    package struct Asked: Sendable {
        /// The sender's app.
        package let app: AppID
        /// The sender's terminal.
        package let terminal: TerminalID
        /// The service and the method, such as `device/list`.
        package let name: String
        /// The payload, as it would be sent over MQTT.
        package let payload: [UInt8]
        /// The password that the sender would use over MQTT: a token or the app's secret.
        ///
        /// The authorization page leaves the password empty, because it knows only the secret's digest.
        package let password: String
        /// The digest that the gate checks to admit the request; if nil, the gate checks the password's digest.
        package let digest: [UInt8]?
        /// Whether the password is a token.
        package let isToken: Bool
        /// The client's address.
        package let address: String
        /// The header `traceparent`, or nil if it is absent or invalid.
        package let traceparent: String?
    }

    /// The answer to a request.
    package enum Outcome: Sendable {
        /// The worker's answer.
        case answer([UInt8])
        /// A refusal: the request had no effect, or the effect is unknown (`Rejection.outcomeUnknown`).
        case refusal(Rejection)
    }

    /// The app, terminal and user to which a token belongs.
    package struct Holder: Sendable {
        /// The app of the token's session or key.
        package let app: AppID
        /// The terminal of the token's session or key.
        package let terminal: TerminalID
        /// The user; nil for an API key.
        package let uid: UserID?
        /// The refusal if the token is no longer valid, and otherwise nil.
        package let refusal: Rejection?
        /// The digest that the gate checks if the holder is a linked service, and otherwise nil.
        package let digest: [UInt8]?

        /// Makes the description of a token's holder.
        package init(app: AppID, terminal: TerminalID, uid: UserID?, refusal: Rejection?, digest: [UInt8]? = nil) {
            self.app = app
            self.terminal = terminal
            self.uid = uid
            self.refusal = refusal
            self.digest = digest
        }
    }

    /// The first levels of every path; they are the same as the root of all topics.
    let root: String
    /// The rule for the origins of pages that may send requests.
    let origins: OriginRule
    /// Whether users connect over HTTPS.
    let isSecure: Bool
    /// Returns the holder of a token, or nil if no such token exists.
    let holder: @Sendable (_ token: String) async throws -> Holder?
    /// Sends a request to a worker, and returns the outcome.
    let ask: @Sendable (Asked) async -> Outcome
    /// The streams of users' messages; nil in tests.
    let streams: UserStreams?
    /// The streams of the event log.
    let events: EventStreams
    /// Receives the refusals of requests from pages whose origin isn't allowed.
    let tell: ListenerRefusal.Teller

    /// Creates the collection of functions.
    package init(
        root: String,
        origins: OriginRule,
        isSecure: Bool,
        holder: @escaping @Sendable (_ token: String) async throws -> Holder?,
        ask: @escaping @Sendable (Asked) async -> Outcome,
        streams: UserStreams?,
        events: EventStreams,
        tell: @escaping ListenerRefusal.Teller
    ) {
        self.root = root
        self.origins = origins
        self.isSecure = isSecure
        self.holder = holder
        self.ask = ask
        self.streams = streams
        self.events = events
        self.tell = tell
    }
}

extension Rejection {
    /// The refusal of a request that got no answer and may have taken effect.
    ///
    /// Every other refusal with the code `Unavailable` means that the request had no effect.
    package static let outcomeUnknown = Rejection(
        .unavailable,
        "There was no answer in time, and the request may have taken effect: repeat it with the same id.",
        reason: "outcomeUnknown"
    )

    /// The refusal of a request while the broker or the store can't be reached.
    package static let away = Rejection(.unavailable, "The service can't do this now; try again later.", retryAfter: 1)

    /// The HTTP status of the refusal.
    var httpStatus: Int { self == .outcomeUnknown ? 504 : code.httpStatus }
}
