package import JSON

/// A codec for users' profiles in the store and on the wire.
package enum ProfileCodec {
    /// Parses a stored profile.
    package static func decode(stored fields: Fields) throws(Rejection) -> Profile {
        var profile = Profile()
        profile.nickname = try fields.text("nickname", length: 0...64)
        profile.tempUnit = try fields.integer("tempUnit", in: 1...2)
        profile.timezone = try fields.text("timezone", length: 1...64)
        profile.latitude = try degrees("latitude", 90, fields: fields)
        profile.longitude = try degrees("longitude", 180, fields: fields)
        for (name, length) in Profile.textFields { profile.texts[name] = try fields.text(name, length: 0...length) }
        profile.custom = try fields.object("custom")
        return profile
    }

    private static func degrees(_ name: String, _ most: Double, fields: Fields) throws(Rejection) -> Double? {
        guard let number = try fields.number(name) else { return nil }
        guard (-most...most).contains(number) else { throw fields.refuse(name, "must lie within ±\(Int(most))") }
        return number
    }

    /// Returns the fields of a profile that have a value.
    ///
    /// Answers to users also contain default values for some fields without a value. The result doesn't contain these
    /// default values.
    package static func encode(_ profile: Profile) -> JSONObject {
        var object: JSONObject = [
            "nickname": profile.nickname.map { .string($0) }, "tempUnit": profile.tempUnit.map { .integer($0) },
            "timezone": profile.timezone.map { .string($0) }, "latitude": profile.latitude.map { .double($0) },
            "longitude": profile.longitude.map { .double($0) },
        ]
        for (name, _) in Profile.textFields { if let text = profile.texts[name] { object[name] = .string(text) } }
        if let custom = profile.custom { object["custom"] = .object(custom) }
        return object
    }
}
