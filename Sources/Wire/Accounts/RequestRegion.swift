package import Domain
import JSON

/// The country that a request about accounts names, and the region that follows from it.
package struct RequestRegion: Sendable, Equatable {
    /// The country code, as digits.
    package let countryCode: String
    /// The region, which is served here.
    package let region: String

    /// Reads `countryCode` and `region`; without the former the country is that of a phone in E.164, or the app's
    /// default.
    ///
    /// - Throws: `Rejection`; with `RegionNotServed` for a region that is served elsewhere or nowhere.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        countryCode = try fields.countryCode(else: regions.defaultCountryCode)
        region = try regions.region(
            of: countryCode,
            named: fields.text("region", length: 1...64)
        )
    }

    private init(countryCode: String, region: String) {
        (self.countryCode, self.region) = (countryCode, region)
    }

    /// Reads the same of a request by a user, whose region it must be.
    ///
    /// An e-mail address alone needs no country; the user's own one counts.
    package init(_ fields: Fields, of user: User, in regions: Regions) throws(Rejection) {
        guard ["phone", "countryCode", "region"].contains(where: fields.has) else {
            self.init(countryCode: user.countryCode, region: user.region)
            return
        }
        try self.init(fields, in: regions)
        guard region == user.region else {
            throw fields.refuse("countryCode", "belongs to another region than the user")
        }
    }
}

extension Fields {
    /// The fields that may hold a phone number in E.164.
    private static let phones = ["phone", "account", "username", "userName"]

    /// Returns `countryCode`, else that of a phone in E.164, else a given one.
    func countryCode(else fallback: String?) throws(Rejection) -> String {
        if let given = try text("countryCode", length: 0...16) {
            try check(countryCode: given)
            return given
        }
        let numbers = Self.phones.compactMap { object[$0]?.stringValue }
        let own = numbers.lazy.compactMap(CountryCode.ofE164).first
        guard let code = own ?? fallback else {
            throw refuse("countryCode", "is missing, and no phone number in E.164 says it")
        }
        return code
    }

    /// Refuses what can't be the country code of this object.
    func check(countryCode: String) throws(Rejection) {
        guard CountryCode.accepts(countryCode) else {
            throw refuse("countryCode", "must be 1 to 3 digits, such as 49")
        }
    }
}
