import Domain
import JSON
import Storage
import Wire

/// `app/info`: an app's policies, providers and regions, for a terminal without a session.
enum AppInfo {
    static let methods: [String: Method] = [
        "app/info": Method(needsToken: false, isReading: true, run: run)
    ]

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let policies = call.app.policies
        let providers = call.app.providers.values.filter(\.isEnabled).map(\.provider.rawValue)
        return .result([
            "name": .string(call.app.name),
            "policies": .object(AppCodec.encodeLogin(policies)),
            "providers": .array(providers.sorted().map { .string($0) }),
            "regions": .array(call.environment.regions.all.map { region($0) }),
            "passwordMinLength": .integer(Int64(PasswordRules.length.lowerBound)),
            "sessionDays": .integer(max(1, call.sessionSeconds / 86_400)),
        ])
    }

    private static func region(_ region: Regions.Region) -> JSONValue {
        .object(
            JSONObject([
                ("region", .string(region.name)),
                ("countryCodes", .array(region.countryCodes.map { .string($0) })),
                ("isDefault", .bool(region.isDefault)), ("isServed", .bool(region.isServed)),
                ("endpoint", region.endpoint.map { .string($0) }),
            ])
        )
    }
}
