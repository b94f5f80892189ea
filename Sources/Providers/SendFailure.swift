/// Why a mail or text was not taken; never with an address, a text or a secret in it.
package struct SendFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Whether another try of the same message is useless.
    package let isPermanent: Bool
    /// What happened, for the log and the operator.
    package let summary: String

    /// The same message may well be taken later.
    package static func temporary(_ summary: String) -> SendFailure {
        SendFailure(isPermanent: false, summary: summary)
    }

    /// The message will never be taken.
    package static func permanent(_ summary: String) -> SendFailure {
        SendFailure(isPermanent: true, summary: summary)
    }

    package var description: String { summary }
}
