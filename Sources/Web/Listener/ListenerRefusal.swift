/// The refusal of a connection, request or sign-in by a listener, as reported to the operator.
package struct ListenerRefusal: Sendable, Equatable {
    /// The reason for a refusal.
    package enum Reason: Sendable {
        /// The page that opened a WebSocket or sent a request has an origin that isn't allowed.
        case origin
        /// The TLS handshake failed.
        case handshake
        /// The address or the listener reached its limit of connections.
        case crowded
        /// The client used QoS 2; `detail` is the client's id.
        case qos
        /// A sign-in to the console failed.
        case signIn
    }

    /// The reason for the refusal.
    package let reason: Reason
    /// The address that a proxy on this machine names, or else the source address.
    package let address: String
    /// The operator's name if a sign-in failed (`?` if there is no such operator); empty for all other refusals.
    package let name: String
    /// The detail of the refusal in at most 128 bytes, such as the page's origin.
    package let detail: String

    /// The maximum length of `detail`, in bytes.
    private static let detailMax = 128

    /// A function that receives refusals, on any thread.
    package typealias Teller = @Sendable (ListenerRefusal) -> Void

    /// Creates a refusal.
    package init(_ reason: Reason, address: String, name: String = "", detail: String = "") {
        (self.reason, self.address, self.name) = (reason, address, name)
        self.detail = String(decoding: detail.utf8.prefix(Self.detailMax), as: UTF8.self)
    }
}
