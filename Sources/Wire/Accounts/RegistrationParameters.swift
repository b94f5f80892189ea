package import Domain

/// The parameters of `account/register`, except the password.
package struct RegistrationParameters {
    /// The country and the region of the request.
    package let place: RequestRegion
    /// The phone number and the e-mail address of the request; the array is empty if both are absent.
    package let addresses: [Address]
    /// The requested username, or nil if the field `username` is absent or contains the phone number.
    package let username: Username?
    /// Whether the requested username is the phone number in any form.
    package let isNamedByPhone: Bool
    /// The proof of an address, or nil if the request has no proof or no address.
    package let proof: AddressProof?
    /// The fields of the user's profile, or nil if the request has none.
    package let profile: ProfileParameters?
    /// The terminal that registers.
    package let terminal: TerminalInfo

    /// Reads the country, the names, the terminal, `profile` and the proof.
    package init(
        _ fields: Fields,
        in regions: Regions,
        isZone: (String) -> Bool
    ) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        let country = place.countryCode
        let addresses = try fields.addresses(countryCode: country)
        let number = try fields.text("username", length: 0...320)
            .flatMap { Phone($0, countryCode: country) }
        isNamedByPhone = number.map { addresses.contains(.phone($0)) } ?? false
        username = isNamedByPhone ? nil : try fields.username()
        guard !addresses.isEmpty || username != nil else {
            let fault = "is missing: give a phone number, an e-mail address, a username, or several of them"
            throw fields.refuse("username", fault)
        }
        self.addresses = addresses
        terminal = try TerminalInfo(fields)
        profile = try ProfileParameters(nestedIn: fields, isZone: isZone)
        proof = addresses.isEmpty ? nil : try AddressProof(fields)
    }
}

extension RegistrationParameters {
    /// The e-mail address; nil if the request has none.
    package var email: EmailAddress? {
        for case .email(let email) in addresses { return email }
        return nil
    }

    /// Returns the request's addresses that the app allows for registration.
    ///
    /// If the app forbids registration by phone number, the phone number is left out.
    ///
    /// - Throws: `Rejection` with `PolicyRejected` if the only address is a phone number that the app forbids.
    package func provable(_ policies: AppPolicies) throws(Rejection) -> [Address] {
        let provable = addresses.filter { !$0.isPhone || policies.phoneRegistration }
        if provable.isEmpty, !addresses.isEmpty { throw AppPolicies.phoneIsOff }
        return provable
    }
}

/// The parameters of `account/convertAnonymous`, except the password: either a phone number or a username.
package enum ConversionParameters: Sendable, Equatable {
    case phone(Address, AddressProof)
    case username(Username)

    /// Reads `phone` and its proof, or `username`.
    ///
    /// - Throws: `Rejection`, with `PolicyRejected` if the app doesn't allow registration by phone number.
    package init(_ fields: Fields, of user: User, in regions: Regions, policies: AppPolicies) throws(Rejection) {
        guard fields.has("phone") else {
            self = .username(try Username(try fields.requiredText("username", length: 0...320)))
            return
        }
        guard !fields.has("username") else { throw fields.refuse("username", "and params.phone can't both be given") }
        let place = try RequestRegion(fields, of: user, in: regions)
        let address = try fields.address(countryCode: place.countryCode)
        if !policies.phoneRegistration { throw AppPolicies.phoneIsOff }
        self = .phone(address, try AddressProof(required: fields))
    }

    /// The user's login name after the conversion.
    package var name: LoginName {
        switch self {
        case .phone(let address, _): .address(address)
        case .username(let username): .username(username)
        }
    }
}
