/// The regions of users by country, and those served here.
package struct Regions: Sendable, Equatable {
    /// The regions that this installation serves, the default one first.
    package var served: [String]
    /// Regions by country code; the default one for all others.
    package var byCountry: [String: String]
    /// Where other regions are served, as far as known.
    package var endpoints: [String: String]
    /// The country code of requests that name none: a policy of the app that asks.
    package var defaultCountryCode: String?

    /// Describes regions.
    package init(
        served: [String] = ["default"],
        byCountry: [String: String] = [:],
        endpoints: [String: String] = [:]
    ) {
        self.served = served
        self.byCountry = byCountry
        self.endpoints = endpoints
    }

    /// A region as apps see it.
    package struct Region: Sendable, Equatable {
        /// Its name.
        package var name: String
        /// The country codes whose users belong to it, in order.
        package var countryCodes: [String]
        /// Whether it has the users of all country codes that no region names.
        package var isDefault: Bool
        /// Whether it is served here.
        package var isServed: Bool
        /// Where else it is served, as far as known.
        package var endpoint: String?
    }

    /// All regions that are known here, those that are served first.
    package var all: [Region] {
        let others = Set(byCountry.values).union(endpoints.keys).subtracting(served).sorted()
        return (served + others).map { name in
            Region(
                name: name,
                countryCodes: byCountry.filter { $0.value == name }.map(\.key).sorted(),
                isDefault: name == served.first,
                isServed: served.contains(name),
                endpoint: endpoints[name]
            )
        }
    }

    /// Returns the region for a country code, or the one that the request names.
    ///
    /// - Throws: `Rejection` with `RegionNotServed` for one that is served elsewhere or nowhere.
    package func region(of countryCode: String, named: String?) throws(Rejection) -> String {
        let region = named ?? byCountry[countryCode] ?? served.first ?? "default"
        if served.contains(region) { return region }
        var rejection = Rejection(
            .regionNotServed,
            "This service does not serve the region \(region).",
            field: named == nil ? "params.countryCode" : "params.region"
        )
        rejection.region = region
        rejection.endpoint = endpoints[region]
        throw rejection
    }
}
