/// A connection that a listener refused before any client was known, as the operator is told of it.
package struct ListenerRefusal: Sendable, Equatable {
    /// Why it was refused.
    package enum Reason: Sendable {
        /// The page that opened a WebSocket is of an origin that may not.
        case origin
        /// The TLS handshake failed.
        case handshake
        /// The address, or the listener, has as many connections as it may.
        case crowded
        /// The client, whose id is the detail, used QoS 2.
        case qos
        /// Somebody failed to sign in to the console.
        case signIn
    }

    /// The reason.
    package let reason: Reason
    /// The source address; the one that a proxy on this machine names for its client.
    package let address: String
    /// The operator whom a sign-in named; `?` where there is none of that name, empty for other refusals.
    package let name: String
    /// What the client showed or what was wrong, at most 128 bytes: the page's origin, the words of the TLS library,
    /// the proof that did not let in.
    package let detail: String

    /// The largest `detail`, in bytes.
    private static let detailMax = 128

    /// What is told of refusals, on any thread.
    package typealias Teller = @Sendable (ListenerRefusal) -> Void

    /// Describes a refusal.
    package init(_ reason: Reason, address: String, name: String = "", detail: String = "") {
        self.reason = reason
        self.address = address
        self.name = name
        self.detail = String(decoding: detail.utf8.prefix(Self.detailMax), as: UTF8.self)
    }
}
