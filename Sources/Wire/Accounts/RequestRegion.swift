package import Domain
import JSON

/// The country and the region of a request about an account.
package struct RequestRegion: Sendable, Equatable {
    /// The country code, as digits.
    package let countryCode: String
    /// The region, which this installation serves.
    package let region: String

    /// Reads `countryCode` and `region`.
    ///
    /// If `countryCode` is absent, a phone number in E.164 gives the country code. If the request has no such number
    /// either, the app's default country code is used.
    ///
    /// - Throws: `Rejection`, with `RegionNotServed` if this installation doesn't serve the region.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        countryCode = try fields.countryCode(else: regions.defaultCountryCode)
        region = try regions.region(
            of: countryCode,
            named: fields.text("region", length: 1...64)
        )
    }

    private init(countryCode: String, region: String) { (self.countryCode, self.region) = (countryCode, region) }

    /// Reads a request's country and region, and refuses a country outside the user's region.
    ///
    /// If `phone`, `countryCode` and `region` are all absent, the user's own country and region are used.
    package init(_ fields: Fields, of user: User, in regions: Regions) throws(Rejection) {
        guard ["phone", "countryCode", "region"].contains(where: fields.has) else {
            self.init(countryCode: user.countryCode, region: user.region)
            return
        }
        try self.init(fields, in: regions)
        guard region == user.region else {
            throw fields.refuse("countryCode", "belongs to a region other than the user's")
        }
    }
}

extension Fields {
    /// The fields that can contain a phone number in the format E.164.
    private static let phones = ["phone", "account", "username", "userName"]

    /// Returns `countryCode`, or else the country code of a phone number in E.164, or else `fallback`.
    func countryCode(else fallback: String?) throws(Rejection) -> String {
        if let given = try text("countryCode", length: 0...16) {
            try check(countryCode: given)
            return given
        }
        let numbers = Self.phones.compactMap { object[$0]?.stringValue }
        let own = numbers.lazy.compactMap(CountryCode.ofE164).first
        guard let code = own ?? fallback else {
            throw refuse("countryCode", "is missing, and no phone number in E.164 contains it")
        }
        return code
    }

    /// Refuses a string that can't be a country code.
    func check(countryCode: String) throws(Rejection) {
        guard CountryCode.accepts(countryCode) else { throw refuse("countryCode", "must be 1 to 3 digits, such as 49") }
    }
}
