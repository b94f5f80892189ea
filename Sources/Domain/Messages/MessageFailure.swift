/// The reason why a message was not accepted.
package enum MessageFailure: Error, Sendable, Equatable {
    /// The provider refused the message this time.
    case refused(String)
    /// The provider will always refuse the message, for example because the address does not exist.
    case final(String)
    /// The provider can't be reached, or accepts no messages for at least `retryAfter` seconds.
    case unavailable(String, retryAfter: Int64 = 0)
    /// The push service no longer knows the terminal's address.
    case gone

    /// The reason as text for operators.
    package var reason: String {
        switch self {
        case .refused(let reason), .final(let reason), .unavailable(let reason, _): reason
        case .gone: "the push service no longer knows the terminal's address"
        }
    }
}
