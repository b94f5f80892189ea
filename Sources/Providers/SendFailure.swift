/// The reason why an e-mail or text message was not accepted; it contains no address, text or secret.
package struct SendFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Whether retrying the same message is useless.
    package let isPermanent: Bool
    /// A summary for the log and the operator.
    package let summary: String

    /// Makes a failure after which the same message could still be accepted later.
    package static func temporary(_ summary: String) -> SendFailure {
        SendFailure(isPermanent: false, summary: summary)
    }

    /// Makes a failure after which the message will never be accepted.
    package static func permanent(_ summary: String) -> SendFailure { SendFailure(isPermanent: true, summary: summary) }

    package var description: String { summary }
}
