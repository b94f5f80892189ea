package import Domain

/// The parameters of `account/login`, except the password.
package struct LoginParameters: Sendable, Equatable {
    /// The country and the region of the request.
    package let place: RequestRegion
    /// The login name.
    package let name: LoginName
    /// Whether the name comes from the field `account`, in which an e-mail address can also be a username.
    package let isAnyName: Bool
    /// The code that proves the address, or nil for a login with a password.
    package let proof: AddressProof?
    /// The terminal that logs in.
    package let terminal: TerminalInfo

    /// Reads a login, which needs either `code` or `password`.
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
        if hasPassword, proof != nil { throw fields.refuse("code", "can't be combined with a password") }
        if !hasPassword, proof == nil { throw fields.refuse("password", "is missing") }
        if proof != nil, name.address == nil { throw fields.refuse("code", "needs a phone number or e-mail address") }
    }
}

/// The parameters of `account/loginOrRegister`, except the country and the password.
package struct ExternalLoginParameters: Sendable, Equatable {
    /// Whether the service creates a first home for a new user.
    package let makesHome: Bool
    /// The app's own id for the user.
    package let name: LoginName
    /// The terminal that logs in.
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
    /// The country and the region of the request.
    package let place: RequestRegion
    /// The secret that identifies this installation's anonymous user at a later login, or nil if it is absent.
    package let deviceID: String?
    /// The terminal that logs in.
    package let terminal: TerminalInfo

    /// Reads the country, `deviceId` and the terminal.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        deviceID = try fields.text("deviceId", length: 16...64)
        terminal = try TerminalInfo(fields)
    }
}
