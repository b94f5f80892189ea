package import Domain

/// The parameters of `account/register`, beside the password.
package struct RegistrationParameters {
    /// The country and the region.
    package let place: RequestRegion
    /// The phone or the e-mail address, if any.
    package let address: Address?
    /// The requested username, next to the address or alone.
    package let username: Username?
    /// The proof of the address.
    package let proof: AddressProof?
    /// The profile.
    package let profile: ProfileParameters?
    /// The terminal.
    package let terminal: TerminalInfo

    /// Reads the country, the names, the terminal, `profile` and the proof.
    package init(
        _ fields: Fields,
        in regions: Regions,
        isZone: (String) -> Bool
    ) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        address = try fields.optionalAddress(countryCode: place.countryCode)
        username = try fields.username()
        guard address != nil || username != nil else {
            throw fields.refuse(
                "username",
                "is missing: give a phone or an e-mail address, a username, or both"
            )
        }
        terminal = try TerminalInfo(fields)
        profile = try ProfileParameters(nestedIn: fields, isZone: isZone)
        proof = address == nil ? nil : try AddressProof(fields)
    }
}

/// The parameters of `account/convertAnonymous`, beside the password: a phone with its proof, or a username.
package enum ConversionParameters: Sendable, Equatable {
    case phone(Address, AddressProof)
    case username(Username)

    /// Reads `phone` and its proof, or `username`.
    ///
    /// - Throws: `Rejection`; with `PolicyRejected` if the app does not register phones.
    package init(
        _ fields: Fields,
        of user: User,
        in regions: Regions,
        policies: AppPolicies
    ) throws(Rejection) {
        guard fields.has("phone") else {
            self = .username(try Username(try fields.requiredText("username", length: 0...320)))
            return
        }
        guard !fields.has("username") else {
            throw fields.refuse("username", "and params.phone can't both be given")
        }
        let place = try RequestRegion(fields, of: user, in: regions)
        let address = try fields.address(countryCode: place.countryCode)
        if !policies.phoneRegistration { throw AppPolicies.phoneIsOff }
        self = .phone(address, try AddressProof(required: fields))
    }

    /// The name under which the user is known from then on.
    package var name: LoginName {
        switch self {
        case .phone(let address, _): LoginName(address)
        case .username(let username): .username(username)
        }
    }
}
