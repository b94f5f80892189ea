/// The purpose of a code.
///
/// The documentation describes these rules (reference: accounts#codes).
package enum CodePurpose: String, Sendable, CaseIterable {
    case login, register, resetPassword, bind, operation, logoutTerminal

    /// The purposes by the numbers that SDKs send when they request a code.
    package static let requested: [Int64: CodePurpose] = [
        0: .login, 1: .register, 2: .resetPassword, 10: .logoutTerminal,
    ]
    /// The purposes by the numbers that SDKs send when they check a code.
    ///
    /// These numbers differ from the numbers in requests for a code.
    package static let checked: [Int64: CodePurpose] = [1: .register, 2: .login, 3: .resetPassword]

    /// Whether only logged-in users may request a code for this purpose.
    package var needsSession: Bool {
        switch self {
        case .login, .register, .resetPassword: false
        case .bind, .operation, .logoutTerminal: true
        }
    }
}

/// The limits of codes.
package enum CodeRules {
    /// The lifetime of a code, in seconds.
    package static let lifeSeconds: Int64 = 600
    /// The number of times that a code can be tried, right or wrong.
    ///
    /// Requests with the code's `codeToken` have this number of tries, and all other requests together have the same
    /// number.
    ///
    /// A code is one of 10^6. Strangers can try each code 5 times, and at most 10 codes a day are sent to an address.
    /// An attacker's 50 tries a day succeed with a chance of one in 20,000. After a year of tries the chance is one in
    /// 55, and each code has sent the owner a text or mail. The caller that requested the code also has the token,
    /// which allows 5 more tries of each code: 100 tries a day. An attack on many accounts has no better odds: one
    /// source address can request 20 codes an hour, which allow 200 tries of 10^6, and an app can request 1,000.
    package static let wrongCodesMax = 5
    /// The lifetime of a ticket, in seconds.
    package static let ticketSeconds: Int64 = 300

    /// Returns whether a text has the form of a code: six digits.
    ///
    /// A text of any other form is never a valid code.
    package static func accepts(_ text: String) -> Bool { text.utf8.count == 6 && text.utf8.allSatisfy(\.isDigit) }
}

/// The app, region, purpose and address for which a code is valid.
package struct CodeScope: Hashable, Sendable {
    /// The app that requested the code.
    package var app: AppID
    /// The region in which the code was requested.
    package var region: String
    /// The purpose of the code.
    package var purpose: CodePurpose
    /// The address to which the code was sent.
    package var address: Address

    /// Makes a scope.
    package init(app: AppID, region: String, purpose: CodePurpose, address: Address) {
        self.app = app
        self.region = region
        self.purpose = purpose
        self.address = address
    }
}
