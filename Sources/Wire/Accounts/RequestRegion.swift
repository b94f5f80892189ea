package import Domain

/// The country that a request about accounts names, and the region that follows from it.
package struct RequestRegion: Sendable, Equatable {
    /// The country code, as digits.
    package let countryCode: String
    /// The region, which is served here.
    package let region: String

    /// Reads `countryCode` and `region`.
    ///
    /// - Throws: `Rejection`; with `RegionNotServed` for a region that is served elsewhere or nowhere.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        countryCode = try fields.requiredText("countryCode", length: 0...16)
        try fields.check(countryCode: countryCode)
        region = try regions.region(
            of: countryCode,
            named: fields.text("region", length: 1...64)
        )
    }

    /// Reads the same of a request by a user, whose region it must be.
    package init(_ fields: Fields, of user: User, in regions: Regions) throws(Rejection) {
        try self.init(fields, in: regions)
        guard region == user.region else {
            throw fields.refuse("countryCode", "belongs to another region than the user")
        }
    }
}

extension Fields {
    /// Refuses what can't be the country code of this object.
    func check(countryCode: String) throws(Rejection) {
        guard CountryCode.accepts(countryCode) else {
            throw refuse("countryCode", "must be 1 to 3 digits, such as 49")
        }
    }
}
