/// The content of a link's page.
package struct LinkView: Sendable, Equatable {
    /// The state of a visit to the page.
    package enum Step: Sendable, Equatable {
        /// The link is valid, and the page asks the user to confirm the action.
        case ask
        /// The new password was refused for the given reason.
        case badPassword(BadPassword)
        /// The link took effect.
        case done
        /// The link is unknown, expired, used, or blocked by a later change of addresses.
        case over
        /// The visit was refused because there are too many requests. The link might still work later.
        case busy
    }

    /// The problem with a new password.
    package enum BadPassword: Sendable, Equatable {
        /// The two entries of the new password differ.
        case differs
        /// The password is too short or too long.
        case length
        /// The password is easily guessed.
        case weak
    }

    /// The state of a visit to the page.
    package var step: Step
    /// The link's effect; nil for an unknown link.
    package var kind: Link.Kind?
    /// The app's name; empty for an unknown link.
    package var appName: String
    /// The masked address that the link concerns.
    package var address: String
    /// The user's language.
    package var language: Language?

    /// Makes a page.
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
