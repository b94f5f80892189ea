/// The regions by country, and those served here.
package struct Regions: Sendable, Equatable {
    /// The regions that this installation serves, the default one first.
    package var served: [String]
    /// The regions by country code; all other codes belong to the default one.
    package var byCountry: [String: String]
    /// The known endpoints of other regions.
    package var endpoints: [String: String]
    /// The default country code, a policy of the requesting app.
    package var defaultCountryCode: String?

    /// Describes regions.
    package init(served: [String] = ["default"], byCountry: [String: String] = [:], endpoints: [String: String] = [:]) {
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
        /// Whether users of all unlisted country codes belong to it.
        package var isDefault: Bool
        /// Whether it is served here.
        package var isServed: Bool
        /// The endpoint that serves it elsewhere, if known.
        package var endpoint: String?
    }

    /// All known regions, those served here first.
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
