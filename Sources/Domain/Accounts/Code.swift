/// The purpose of a code.
///
/// The rules in words (reference: accounts#codes).
package enum CodePurpose: String, Sendable, CaseIterable {
    case login, register, resetPassword, bind, operation, logoutTerminal

    /// Reads the number that SDKs send when they ask for a code.
    package init?(sending number: Int64) {
        switch number {
        case 0: self = .login
        case 1: self = .register
        case 2: self = .resetPassword
        case 10: self = .logoutTerminal
        default: return nil
        }
    }

    /// Reads the number that SDKs send when they check a code, which differs.
    package init?(checking number: Int64) {
        switch number {
        case 1: self = .register
        case 2: self = .login
        case 3: self = .resetPassword
        default: return nil
        }
    }

    /// Whether only logged-in users may ask for it.
    package var needsSession: Bool {
        switch self {
        case .login, .register, .resetPassword: false
        case .bind, .operation, .logoutTerminal: true
        }
    }
}

/// The limits of codes.
package enum CodeRules {
    /// How long a code lives, in seconds.
    package static let lifeSeconds: Int64 = 600
    /// How many tries a code has, right or wrong: so many for requests with its `codeToken`, and separately so
    /// many for all others.
    ///
    /// A code is one of 10^6. Strangers have 5 tries at each, and at most 10 codes a day go to one address: 50
    /// tries a day, one chance in 20,000, or one in 55 for a whole year of them without a pause, with a text or
    /// mail to the owner each time. The caller that had the code sent has the token and 5 tries more: 100 a
    /// day. Many addresses do not improve the odds: one source address has 20 codes an hour, 200 tries of 10^6,
    /// and an app 1,000.
    package static let wrongCodesMax = 5
    /// How long a ticket lives, in seconds.
    package static let ticketSeconds: Int64 = 300

    /// Tells whether a text has a code's form; no other is ever right.
    package static func accepts(_ text: String) -> Bool {
        text.utf8.count == 6
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// The scope that a code is bound to.
package struct CodeScope: Hashable, Sendable {
    /// The app that it was asked for in.
    package var app: AppID
    /// The region that it was asked for in.
    package var region: String
    /// Its purpose.
    package var purpose: CodePurpose
    /// The address that it was sent to.
    package var address: Address

    /// Binds a code.
    package init(app: AppID, region: String, purpose: CodePurpose, address: Address) {
        self.app = app
        self.region = region
        self.purpose = purpose
        self.address = address
    }
}
