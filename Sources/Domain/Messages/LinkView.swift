/// The content of a link's page.
package struct LinkView: Sendable, Equatable {
    /// The state of the visit.
    package enum Step: Sendable, Equatable {
        /// The link is valid; the page asks for confirmation.
        case ask
        /// The new password was refused, for this reason.
        case badPassword(BadPassword)
        /// The link took effect.
        case done
        /// The link is unknown, expired or used, or the account has another address by now.
        case over
        /// There are too many requests; the link may still work later.
        case busy
    }

    /// The problem with a new password.
    package enum BadPassword: Sendable, Equatable {
        /// The two entries differ.
        case differs
        /// It is too short or too long.
        case length
        /// It is easily guessed.
        case weak
    }

    /// The state of the visit.
    package var step: Step
    /// The link's effect; nil for an unknown one.
    package var kind: Link.Kind?
    /// The app's name; empty for an unknown link.
    package var appName: String
    /// The address that it concerns, masked.
    package var address: String
    /// The user's language.
    package var language: Language?

    /// Describes a page.
    package init(
        _ step: Step,
        kind: Link.Kind? = nil,
        appName: String = "",
        address: String = "",
        language: Language? = nil
    ) {
        self.step = step
        self.kind = kind
        self.appName = appName
        self.address = address
        self.language = language
    }
}
