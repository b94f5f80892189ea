package import Domain

/// The fields of a profile that a request sets.
package struct ProfileParameters {
    private let profile: Profile
    private let fields: Fields

    /// Reads the fields of an object that has others beside them; `isZone` tells which time zones exist.
    package init(_ fields: Fields, isZone: (String) -> Bool) throws(Rejection) {
        profile = try ProfileCodec.decode(fields)
        self.fields = fields
        if let zone = profile.timezone, !isZone(zone) {
            throw fields.refuse("timezone", "is not an IANA time zone, such as Europe/Berlin")
        }
    }

    /// Reads `profile`; nil if absent.
    ///
    /// Refuses fields that profiles don't have.
    package init?(nestedIn fields: Fields, isZone: (String) -> Bool) throws(Rejection) {
        guard let nested = try fields.fields("profile") else { return nil }
        try ProfileCodec.checkNames(nested)
        try self.init(nested, isZone: isZone)
    }

    /// Merges them into the user's, unless the app's own data would exceed its limit.
    package func merge(into user: inout User) throws(Rejection) {
        var merged = user.profile
        merged.merge(profile)
        try ProfileCodec.checkCustom(merged, fields)
        user.profile = merged
    }
}
