/// The purpose of a code.
///
/// The rules in words (reference: accounts#codes).
package enum CodePurpose: String, Sendable, CaseIterable {
    case login, register, resetPassword, bind, operation, logoutTerminal

    /// The purposes by the numbers that SDKs send when they request a code.
    package static let requested: [Int64: CodePurpose] = [
        0: .login, 1: .register, 2: .resetPassword, 10: .logoutTerminal,
    ]
    /// The purposes by the numbers that SDKs send when they check a code, which differ.
    package static let checked: [Int64: CodePurpose] = [1: .register, 2: .login, 3: .resetPassword]

    /// Whether only logged-in users may request it.
    package var needsSession: Bool {
        switch self {
        case .login, .register, .resetPassword: false
        case .bind, .operation, .logoutTerminal: true
        }
    }
}

/// The limits of codes.
package enum CodeRules {
    /// The life of a code, in seconds.
    package static let lifeSeconds: Int64 = 600
    /// The number of tries for a code, right or wrong: this many for requests with its `codeToken`, and as many for all
    /// others.
    ///
    /// A code is one of 10^6. Strangers have 5 tries at each, and one address gets at most 10 codes a day: 50 tries a
    /// day have a chance of one in 20,000, or one in 55 if they go on for a year, with a text or mail to the owner each
    /// time. The caller that had the code sent has the token and 5 more tries: 100 a day. Many addresses don't improve
    /// the odds: one source address has 20 codes an hour, 200 tries of 10^6, and an app 1,000 codes.
    package static let wrongCodesMax = 5
    /// The life of a ticket, in seconds.
    package static let ticketSeconds: Int64 = 300

    /// Returns whether a text has a code's form; no text of another form is ever right.
    package static func accepts(_ text: String) -> Bool { text.utf8.count == 6 && text.utf8.allSatisfy(\.isDigit) }
}

/// The scope that a code is bound to.
package struct CodeScope: Hashable, Sendable {
    /// The app that requested it.
    package var app: AppID
    /// The region that it was requested in.
    package var region: String
    /// Its purpose.
    package var purpose: CodePurpose
    /// The address that it was sent to.
    package var address: Address

    /// Makes a scope.
    package init(app: AppID, region: String, purpose: CodePurpose, address: Address) {
        self.app = app
        self.region = region
        self.purpose = purpose
        self.address = address
    }
}
