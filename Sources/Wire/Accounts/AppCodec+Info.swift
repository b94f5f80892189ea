package import Domain
import JSON

extension AppCodec {
    /// Returns the answer to `app/info`.
    package static func info(_ app: App, regions: [Regions.Region], sessionDays: Int64) -> Answer {
        let providers = app.providers.values.filter(\.isEnabled).map(\.provider.rawValue)
        return [
            "name": .string(app.name), "policies": .object(encodeLogin(app.policies)),
            "providers": .array(providers.sorted().map { .string($0) }), "regions": .array(regions.map { region($0) }),
            "passwordMinLength": .integer(Int64(PasswordRules.length.lowerBound)), "sessionDays": .integer(sessionDays),
        ]
    }

    private static func region(_ region: Regions.Region) -> JSONValue {
        .object([
            "region": .string(region.name), "countryCodes": .array(region.countryCodes.map { .string($0) }),
            "isDefault": .bool(region.isDefault), "isServed": .bool(region.isServed),
            "endpoint": region.endpoint.map { .string($0) },
        ])
    }
}
