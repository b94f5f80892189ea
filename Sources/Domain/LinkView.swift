/// What the page of a link shows.
package struct LinkView: Sendable, Equatable {
    /// Where the visitor stands.
    package enum Step: Sendable, Equatable {
        /// The link can be followed; the page asks whether to.
        case ask
        /// The new password won't do; the text says why.
        case badPassword(BadPassword)
        /// The link did what it does.
        case done
        /// The link is unknown, over, used, or the account has another address by now.
        case over
        /// Too much at once; later the link may still work.
        case busy
    }

    /// What is wrong with a new password.
    package enum BadPassword: Sendable, Equatable {
        /// It was typed in two ways.
        case differs
        /// It is too short or too long.
        case length
        /// It is easily guessed.
        case weak
    }

    /// Where the visitor stands.
    package var step: Step
    /// What following the link does; nil for an unknown one.
    package var kind: Link.Kind?
    /// The app's name; empty for an unknown link.
    package var appName: String
    /// The address that it is about, masked.
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
