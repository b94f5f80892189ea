/// Which region the users of a country belong to, and which regions are served here.
package struct Regions: Sendable, Equatable {
    /// The regions that this installation serves, the default one first.
    package var served: [String]
    /// Regions by country code; the default one for all others.
    package var byCountry: [String: String]
    /// Where other regions are served, as far as known.
    package var endpoints: [String: String]

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

    /// The region for a country code, or the one that the request names.
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
