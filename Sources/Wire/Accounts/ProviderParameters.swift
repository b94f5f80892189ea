package import Domain

/// The identity provider in a request, and the credential that the app got from the provider.
package struct ProviderParameters {
    /// The provider's name in the request, which the service might not know.
    package let provider: String
    private let given: Fields

    /// Reads `provider` and `credential`.
    package init(_ fields: Fields) throws(Rejection) {
        provider = try fields.requiredText("provider", length: 1...69)
        given = try fields.required("credential", fields.fields("credential"))
    }

    /// The provider, or nil if no provider has this name.
    package var name: ProviderName? { ProviderName(requested: provider) }

    /// Parses the credential according to the rules of its provider.
    package func credential() throws(Rejection) -> ProviderCredential {
        try ProviderCredential.parse(provider: provider, credential: given)
    }
}

/// The parameters of `account/loginWithProvider`, except the provider and the credential.
package struct ProviderLoginParameters {
    /// The country and the region of the request.
    package let place: RequestRegion
    /// The terminal that logs in.
    package let terminal: TerminalInfo
    /// The profile of a new user.
    package let profile: ProfileParameters?

    /// Reads the country, the terminal and `profile`.
    package init(
        _ fields: Fields,
        in regions: Regions,
        isZone: (String) -> Bool
    ) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        terminal = try TerminalInfo(fields)
        profile = try ProfileParameters(nestedIn: fields, isZone: isZone)
    }
}

extension Fields {
    /// Returns the provider that the required field `provider` names.
    package func provider() throws(Rejection) -> ProviderName {
        guard let name = ProviderName(requested: try requiredText("provider", length: 1...69)) else {
            throw refuse("provider", "is not a provider")
        }
        return name
    }
}

extension ProviderName {
    /// Parses a provider's name in a request, where `auth2` means Apple.
    init?(requested name: String) { self.init(rawValue: name == "auth2" ? "apple" : name) }
}
