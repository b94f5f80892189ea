package import Domain

/// The identity provider of a request, and the app's credential for it.
package struct ProviderParameters {
    /// The provider as the request names it, known or not.
    package let provider: String
    private let given: Fields

    /// Reads `provider` and `credential`.
    package init(_ fields: Fields) throws(Rejection) {
        provider = try fields.requiredText("provider", length: 1...69)
        given = try fields.required("credential", fields.fields("credential"))
    }

    /// The provider; nil if none has this name.
    package var name: ProviderName? { ProviderName(requested: provider) }

    /// Reads the credential by the rules of its provider.
    package func credential() throws(Rejection) -> ProviderCredential {
        try ProviderCredential.parse(provider: provider, credential: given)
    }
}

/// The parameters of `account/loginWithProvider`, without the provider.
package struct ProviderLoginParameters {
    /// The country and the region.
    package let place: RequestRegion
    /// The terminal.
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
    /// Returns the required `provider`, which must exist.
    package func provider() throws(Rejection) -> ProviderName {
        guard let name = ProviderName(requested: try requiredText("provider", length: 1...69)) else {
            throw refuse("provider", "is not a provider")
        }
        return name
    }
}

extension ProviderName {
    /// Reads the name of a provider in a request; `auth2` is Apple.
    init?(requested name: String) { self.init(rawValue: name == "auth2" ? "apple" : name) }
}
