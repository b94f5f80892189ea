package import Domain
import JSON

/// The profile fields that a request sets.
package struct ProfileParameters {
    private let profile: Profile
    private let fields: Fields

    /// Reads a profile's fields from an object that can also have other fields.
    package init(_ fields: Fields, isZone: (String) -> Bool) throws(Rejection) {
        profile = try Self.read(fields)
        self.fields = fields
        if let zone = profile.timezone, !isZone(zone) {
            throw fields.refuse("timezone", "is not an IANA time zone, such as Europe/Berlin")
        }
    }

    /// Reads `profile`, which must have no unknown fields, or returns nil if it's absent.
    package init?(nestedIn fields: Fields, isZone: (String) -> Bool) throws(Rejection) {
        guard let nested = try fields.fields("profile") else { return nil }
        try Self.checkNames(nested)
        try self.init(nested, isZone: isZone)
    }

    /// Merges the fields into the user's profile.
    ///
    /// - Throws: `Rejection` if the app's own data would exceed its limit.
    package func merge(into user: inout User) throws(Rejection) {
        var merged = user.profile
        merged.merge(profile)
        try Self.checkCustom(merged, fields)
        user.profile = merged
    }

    /// Reads the profile fields that a user sets.
    ///
    /// - Throws: `Rejection`, which names the field at fault.
    private static func read(_ fields: Fields) throws(Rejection) -> Profile {
        var profile = try ProfileCodec.decode(stored: fields)
        if let gender = try fields.word("gender", as: Profile.Gender.self) { profile.texts["gender"] = gender.rawValue }
        if let text = profile.texts["birthday"], !text.isEmpty {
            guard let day = CalendarDate(written: text) else {
                throw fields.refuse("birthday", "must be a day, such as 1990-01-31")
            }
            profile.texts["birthday"] = day.description
        }
        try checkCustom(profile, fields)
        return profile
    }

    private static func checkCustom(_ profile: Profile, _ fields: Fields) throws(Rejection) {
        let size = profile.custom?.encoded().count ?? 0
        guard size > Profile.customMax else { return }
        throw fields.refuse("custom", "takes at most \(Profile.customMax) bytes in all")
    }

    /// Refuses a field that profiles don't have, because its value would be lost silently.
    private static func checkNames(_ fields: Fields) throws(Rejection) {
        for member in fields.object.members {
            if case .null = member.value { continue }
            guard Profile.names.contains(where: { $0.isSame(as: member.key) }) else {
                throw fields.refuse(member.key, "is not a field of a profile; custom holds the app's own data")
            }
        }
    }
}

/// The parameters of `account/setAvatar`.
package enum AvatarParameters: Sendable, Equatable {
    /// Sets a picture, which is given as base64 text.
    case set(String)
    /// Removes the picture.
    case remove

    /// Reads `data`; the value null removes the picture.
    package init(_ fields: Fields) throws(Rejection) {
        if fields.isNull("data") {
            self = .remove
        } else if let text = try fields.base64("data") {
            self = .set(text)
        } else {
            throw fields.refuse("data", "is missing")
        }
    }
}
