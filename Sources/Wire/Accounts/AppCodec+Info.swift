package import Domain
import JSON

extension AppCodec {
    /// Returns the answer to `app/info`.
    package static func info(
        _ app: App,
        webPushKey: String?,
        regions: [Regions.Region],
        sessionDays: Int64
    ) -> Answer {
        let kinds = PushKind.allCases.filter(app.push.has).map { JSONValue.string($0.rawValue) }
        let providers = app.providers.values.filter(\.isEnabled).map(\.provider.rawValue)
        return JSONObject(showing: [
            "name": app.name, "policies": encodeLogin(app.policies), "providers": providers.sorted(),
            "regions": regions.map { region($0) }, "passwordMinLength": PasswordRules.length.lowerBound,
            "sessionDays": sessionDays, "push": JSONObject(showing: ["kinds": kinds, "vapidKey": webPushKey]),
        ])
    }

    private static func region(_ region: Regions.Region) -> JSONValue {
        JSONObject(showing: [
            "region": region.name, "countryCodes": region.countryCodes, "isDefault": region.isDefault,
            "isServed": region.isServed, "endpoint": region.endpoint,
        ]).shown
    }
}
