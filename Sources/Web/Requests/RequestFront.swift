package import Domain

/// The service's functions that requests over HTTP call, since `Web` has neither a broker nor a store.
package struct RequestFront: Sendable {
    /// A request with its sender's credentials.
    package struct Asked: Sendable {
        /// The app.
        package let app: AppID
        /// The terminal.
        package let terminal: TerminalID
        /// The service and the method, such as `device/list`.
        package let name: String
        /// The payload, as over MQTT.
        package let payload: [UInt8]
        /// The sender's password, as over MQTT: a session's token or the app's secret.
        package let password: String
        /// Whether the password is a token.
        package let isToken: Bool
        /// The client's address.
        package let address: String
        /// The header `traceparent`.
        package let traceparent: String?
    }

    /// The answer to a request.
    package enum Outcome: Sendable {
        /// The worker's answer.
        case answer([UInt8])
        /// The refusal of a request that had no effect, or whose effect is unknown (`Rejection.outcomeUnknown`).
        case refusal(Rejection)
    }

    /// The holder of a token.
    package struct Holder: Sendable {
        /// The app.
        package let app: AppID
        /// The terminal.
        package let terminal: TerminalID
        /// The user; nil for an API key.
        package let uid: UserID?
        /// Why the token is no longer valid; nil while it is.
        package let refusal: Rejection?

        /// Names a token's holder.
        package init(app: AppID, terminal: TerminalID, uid: UserID?, refusal: Rejection?) {
            self.app = app
            self.terminal = terminal
            self.uid = uid
            self.refusal = refusal
        }
    }

    /// The first levels of all paths: the root of all topics.
    let root: String
    /// The pages that may call.
    let origins: OriginRule
    /// Whether users connect by https.
    let isSecure: Bool
    /// Returns a token's holder; nil if there is no such token.
    let holder: @Sendable (_ token: String) async throws -> Holder?
    /// Asks a worker.
    let ask: @Sendable (Asked) async -> Outcome
    /// The users' streams; nil if the broker can't be reached for them.
    let streams: UserStreams?
    /// The streams of the event log.
    let events: EventStreams
    /// Receives refused origins.
    let tell: ListenerRefusal.Teller

    /// Names the functions.
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
    /// The refusal of a request without an answer, which may have had its effect: the one `Unavailable` of that kind.
    package static let outcomeUnknown = Rejection(
        .unavailable,
        "There was no answer in time, and the request may have had its effect: repeat it with the same id.",
        reason: "outcomeUnknown"
    )

    /// The refusal of a request while the broker or the store can't be reached.
    package static let away = Rejection(.unavailable, "The service can't do this now; try again later.", retryAfter: 1)

    /// The status of the refusal over HTTP.
    var httpStatus: Int { self == .outcomeUnknown ? 504 : code.httpStatus }
}
