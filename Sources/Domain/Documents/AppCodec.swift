package import JSON

/// Reads app documents (`schemas/documents.schema.json`).
package enum AppCodec {
    /// Reads an app document; its unknown fields are kept unchanged.
    package static func decode(_ object: JSONObject) throws(Rejection) -> App {
        let fields = Fields(object)
        return App(
            id: try fields.requiredID("appId", as: AppID.self),
            name: try fields.requiredText("name", length: 1...128),
            products: try products(fields),
            policies: try policies(fields),
            providers: try providers(fields)
        )
    }

    private static func providers(
        _ fields: Fields
    ) throws(Rejection) -> [ProviderName: ProviderSettings] {
        var providers: [ProviderName: ProviderSettings] = [:]
        for member in try fields.object("providers")?.members ?? [] {
            let settings = try ProviderSettings.parse(member.key, member.value)
            providers[settings.provider] = settings
        }
        return providers
    }

    private static func policies(_ fields: Fields) throws(Rejection) -> AppPolicies {
        var policies = AppPolicies()
        guard let said = try fields.fields("policies") else { return policies }
        policies.revealAccounts = try said.bool("revealAccounts") ?? policies.revealAccounts
        policies.emailRegistration =
            try said.word("emailRegistration", as: AppPolicies.EmailRegistration.self)
            ?? policies.emailRegistration
        policies.emailVerification =
            try said.bool("emailVerification") ?? policies.emailVerification
        policies.phoneRegistration =
            try said.bool("phoneRegistration") ?? policies.phoneRegistration
        policies.uidLogin = try said.bool("uidLogin") ?? policies.uidLogin
        policies.usernameChangeable =
            try said.bool("usernameChangeable") ?? policies.usernameChangeable
        policies.anonymous =
            try said.word("anonymous", as: AppPolicies.Anonymous.self) ?? policies.anonymous
        policies.defaultCountryCode = try said.text("defaultCountryCode", length: 0...16)
        if let code = policies.defaultCountryCode, !CountryCode.accepts(code) {
            throw said.refuse("defaultCountryCode", "must be 1 to 3 digits, such as 49")
        }
        policies.cancelProof = try said.bool("cancelProof") ?? policies.cancelProof
        policies.sessionDays = try said.integer("sessionDays", in: AppPolicies.sessionDaysRange)
        return policies
    }

    /// Writes the policies that concern a login, for terminals without a session.
    package static func encodeLogin(_ policies: AppPolicies) -> JSONObject {
        [
            "revealAccounts": .bool(policies.revealAccounts),
            "emailRegistration": .string(policies.emailRegistration.rawValue),
            "emailVerification": .bool(policies.emailVerification),
            "phoneRegistration": .bool(policies.phoneRegistration),
            "uidLogin": .bool(policies.uidLogin),
            "usernameChangeable": .bool(policies.usernameChangeable),
            "anonymous": .string(policies.anonymous.rawValue),
            "defaultCountryCode": policies.defaultCountryCode.map { .string($0) },
        ]
    }

    /// Writes all effective policies for operators; `sessionDays` is the service's default.
    package static func encode(_ policies: AppPolicies, sessionDays: Int64) -> JSONObject {
        var object = encodeLogin(policies)
        object["cancelProof"] = .bool(policies.cancelProof)
        object["sessionDays"] = .integer(policies.sessionDays ?? sessionDays)
        return object
    }

    /// Writes an app's settings of a provider, without the secret.
    package static func encode(_ settings: ProviderSettings) -> JSONObject {
        let place = settings.provider.hasIDTokens ? "issuer" : "baseUrl"
        return [
            "enabled": .bool(settings.isEnabled), "keepToken": .bool(settings.keepsToken),
            "clientIds": .array(settings.clientIDs.map { .string($0) }),
            "hasSecret": .bool(settings.clientSecret != nil),
            place: settings.baseURL.isEmpty ? nil : .string(settings.baseURL),
            "subject": settings.provider == .wechat ? .string(settings.subject.rawValue) : nil,
        ]
    }

    private static func products(_ fields: Fields) throws(Rejection) -> App.Products {
        guard let value = fields.object["products"] else { return .all }
        if value.stringValue == "all" { return .all }
        guard let keys = value.arrayValue else {
            throw .invalid("products", "products must be \"all\" or a list of product keys.")
        }
        let parsed = keys.map { $0.stringValue.flatMap { ProductKey($0) } }
        guard !parsed.contains(nil) else {
            throw .invalid("products", "products must hold product keys only.")
        }
        return .only(parsed.compactMap(\.self))
    }
}
