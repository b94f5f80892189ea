/// The purpose of a code.
///
/// The documentation describes the rules for codes (reference: accounts#codes).
package enum CodePurpose: String, Sendable, CaseIterable {
    case login, register, resetPassword, bind, operation, logoutTerminal

    /// The purposes of codes, each by the number that SDKs send when they request such a code.
    package static let requested: [Int64: CodePurpose] = [
        0: .login, 1: .register, 2: .resetPassword, 10: .logoutTerminal,
    ]
    /// The purposes of codes, each by the number that SDKs send when they check such a code.
    ///
    /// A number can have another meaning than in `requested`.
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
    /// The maximum number of tries for one code.
    ///
    /// A try counts whether it is right or wrong. Tries with the code's `codeToken` have a separate count with the same
    /// maximum.
    ///
    /// There are 10^6 codes, and an address gets at most 10 codes per day. A stranger without the token thus has 50
    /// tries per day. The chance of success is 1 in 20,000 per day, and 1 in 55 per year. A caller with the token has
    /// 100 tries per day: 50 with the token, and 50 without it.
    ///
    /// One source address can request 20 codes per hour, and has 10 tries for each code: 200 tries per hour. One app
    /// can request 1,000 codes per hour.
    package static let wrongCodesMax = 5
    /// The lifetime of a ticket, in seconds.
    package static let ticketSeconds: Int64 = 300

    /// Returns whether a string has the form of a code: six digits.
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
        (self.app, self.region, self.purpose, self.address) = (app, region, purpose, address)
    }
}
