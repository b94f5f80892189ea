package import Domain

/// The parameters of `account/login`: a name, and a password or a code.
package struct LoginParameters: Sendable, Equatable {
    /// The country and the region.
    package let place: RequestRegion
    /// The name.
    package let name: LoginName
    /// Whether the name was given as `account`, so that an e-mail address can also be a username.
    package let isAnyName: Bool
    /// The code; nil for a password.
    package let proof: AddressProof?
    /// The terminal.
    package let terminal: TerminalInfo

    /// Reads the country, the name, the terminal and `code`; requires either `code` or `password`.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        let field = try fields.loginField()
        isAnyName = field == "account"
        name = try fields.loginName(of: field, countryCode: place.countryCode)
        terminal = try TerminalInfo(fields)
        let code = try fields.text("code", length: 0...16)
        let token = try fields.text("codeToken", length: 1...64)
        proof = code.map { .code($0, token: token) }
        let hasPassword = fields.has("password")
        if hasPassword, proof != nil { throw fields.refuse("code", "stands in place of a password, not beside it") }
        if !hasPassword, proof == nil { throw fields.refuse("password", "is missing") }
        if proof != nil, name.address == nil { throw fields.refuse("code", "goes with a phone or an e-mail address") }
    }
}

/// The parameters of `account/loginOrRegister`, without the country and the password.
package struct ExternalLoginParameters: Sendable, Equatable {
    /// Whether a new user gets a first home.
    package let makesHome: Bool
    /// The app's own id for the user.
    package let name: LoginName
    /// The terminal.
    package let terminal: TerminalInfo

    /// Reads `createHome`, `uid` and the terminal.
    package init(_ fields: Fields) throws(Rejection) {
        makesHome = try fields.bool("createHome") ?? false
        name = .external(try fields.requiredText("uid", length: 1...128))
        terminal = try TerminalInfo(fields)
    }
}

/// The parameters of `account/loginAnonymous`.
package struct AnonymousLoginParameters: Sendable, Equatable {
    /// The country and the region.
    package let place: RequestRegion
    /// The secret of the app's installation; nil if it has none.
    package let deviceID: String?
    /// The terminal.
    package let terminal: TerminalInfo

    /// Reads the country, `deviceId` and the terminal.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        deviceID = try fields.text("deviceId", length: 16...64)
        terminal = try TerminalInfo(fields)
    }
}
