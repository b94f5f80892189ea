/// The known regions, with their countries and endpoints, and the regions that this installation serves.
package struct Regions: Sendable, Equatable {
    /// The regions that this installation serves, of which the first is the default.
    package var served: [String]
    /// The regions by country code, where a missing code means the default region.
    package var byCountry: [String: String]
    /// The known endpoints of other regions.
    package var endpoints: [String: String]
    /// The default country code, from the policies of the requesting app.
    package var defaultCountryCode: String?

    /// Makes regions.
    package init(served: [String] = ["default"], byCountry: [String: String] = [:], endpoints: [String: String] = [:]) {
        (self.served, self.byCountry, self.endpoints) = (served, byCountry, endpoints)
    }

    /// A region as apps see it.
    package struct Region: Sendable, Equatable {
        /// The region's name.
        package var name: String
        /// The sorted country codes whose users belong to the region.
        package var countryCodes: [String]
        /// Whether the users of all unlisted country codes belong to the region.
        package var isDefault: Bool
        /// Whether this installation serves the region.
        package var isServed: Bool
        /// The endpoint of another installation that serves the region, if known.
        package var endpoint: String?
    }

    /// All known regions, beginning with the regions that this installation serves.
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

    /// Returns the region that the request names, or else the region of a country code.
    ///
    /// - Throws: `Rejection` with `RegionNotServed` if this installation doesn't serve the region.
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
