package import JSON

/// A codec for app documents (`schemas/documents.schema.json`).
package enum AppCodec {
    /// The members that an app document may have.
    package static let members = [
        "appId", "name", "secret", "policies", "providers", "push", "products", "texts", "$schema",
    ]
    /// The names of the policies that an app document can set.
    package static let policyMembers = encode(AppPolicies(), sessionDays: 0).members.map(\.key) + ["defaultCountryCode"]

    /// Parses an app document, and ignores unknown fields.
    ///
    /// - Throws: A `Rejection` for the first fault, with all other faults in `others`.
    package static func decode(_ object: JSONObject) throws(Rejection) -> App {
        let fields = Fields(object)
        var faults = Faults()
        let app = App(
            id: faults.catching(try fields.requiredID("appId", as: AppID.self)) ?? AppID(trusted: ""),
            name: faults.catching(try fields.requiredText("name", length: 1...128)) ?? "",
            products: faults.catching(try products(fields)) ?? .all,
            policies: policies(fields, &faults),
            providers: providers(fields, &faults),
            push: faults.catching(try fields.fields("push").map(PushSettings.parse)) ?? PushSettings()
        )
        try faults.throwFirst()
        return app
    }

    private static func providers(_ fields: Fields, _ faults: inout Faults) -> [ProviderName: ProviderSettings] {
        var providers: [ProviderName: ProviderSettings] = [:]
        guard let all = faults.catching(try fields.fields("providers")) else { return providers }
        for member in all.object.members {
            let settings = faults.catching(try ProviderSettings.parse(member.key, in: all))
            if let settings { providers[settings.provider] = settings }
        }
        return providers
    }

    private static func countryCode(_ said: Fields) throws(Rejection) -> String? {
        guard let code = try said.text("defaultCountryCode", length: 0...16) else { return nil }
        guard CountryCode.accepts(code) else {
            throw said.refuse("defaultCountryCode", "must be 1 to 3 digits, such as 49")
        }
        return code
    }

    private static func policies(_ fields: Fields, _ faults: inout Faults) -> AppPolicies {
        var policies = AppPolicies()
        guard let said = faults.catching(try fields.fields("policies")) else { return policies }
        func take(_ name: String, _ value: inout Bool) { value = faults.catching(try said.bool(name)) ?? value }
        take("revealAccounts", &policies.revealAccounts)
        policies.emailRegistration =
            faults.catching(try said.word("emailRegistration", as: AppPolicies.EmailRegistration.self))
            ?? policies.emailRegistration
        take("emailVerification", &policies.emailVerification)
        take("phoneRegistration", &policies.phoneRegistration)
        take("uidLogin", &policies.uidLogin)
        take("usernameChangeable", &policies.usernameChangeable)
        policies.anonymous =
            faults.catching(try said.word("anonymous", as: AppPolicies.Anonymous.self)) ?? policies.anonymous
        policies.defaultCountryCode = faults.catching(try countryCode(said))
        take("cancelProof", &policies.cancelProof)
        policies.sessionDays = faults.catching(try said.integer("sessionDays", in: AppPolicies.sessionDaysRange))
        return policies
    }

    /// Returns the JSON of the policies on registration and login, for terminals without a session.
    package static func encodeLogin(_ policies: AppPolicies) -> JSONObject {
        [
            "revealAccounts": .bool(policies.revealAccounts),
            "emailRegistration": .string(policies.emailRegistration.rawValue),
            "emailVerification": .bool(policies.emailVerification),
            "phoneRegistration": .bool(policies.phoneRegistration), "uidLogin": .bool(policies.uidLogin),
            "usernameChangeable": .bool(policies.usernameChangeable), "anonymous": .string(policies.anonymous.rawValue),
            "defaultCountryCode": policies.defaultCountryCode.map { .string($0) },
        ]
    }

    /// Returns all effective policies as JSON, where `sessionDays` is the service's default session lifetime.
    package static func encode(_ policies: AppPolicies, sessionDays: Int64) -> JSONObject {
        var object = encodeLogin(policies)
        object["cancelProof"] = .bool(policies.cancelProof)
        object["sessionDays"] = .integer(policies.sessionDays ?? sessionDays)
        return object
    }

    /// Returns an app's settings for a provider as JSON, without the secret.
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
        guard !parsed.contains(nil) else { throw .invalid("products", "products must contain only product keys.") }
        return .only(parsed.compactMap(\.self))
    }
}
