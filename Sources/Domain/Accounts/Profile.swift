package import JSON

/// The personal details that a user entered.
package struct Profile: Sendable, Equatable {
    /// The display name.
    package var nickname: String?
    /// The temperature unit: 1 for °C, 2 for °F.
    package var tempUnit: Int64?
    /// An IANA time zone.
    package var timezone: String?
    /// Degrees north.
    package var latitude: Double?
    /// Degrees east.
    package var longitude: Double?
    /// The values of the fields `name`, `gender`, `birthday`, `address`, `remark` and `language`, by the field's name.
    package var texts: [String: String] = [:]
    /// The app's own data.
    package var custom: JSONObject?

    /// The gender that a user entered.
    package enum Gender: String, Sendable, CaseIterable {
        case male, female, other, unknown
    }

    /// The maximum number of bytes of the app's own data, as JSON.
    package static let customMax = 16_384

    /// The text fields, each with its maximum length in characters.
    package static let textFields: [(name: String, length: Int)] = [
        ("name", 64), ("gender", 32), ("birthday", 32), ("address", 256), ("remark", 256), ("language", 35),
    ]

    /// The names of all fields.
    package static let names: Set<String> = Set(
        ["nickname", "tempUnit", "timezone", "latitude", "longitude", "custom"] + textFields.map(\.name)
    )

    /// Makes an empty profile.
    package init() {}

    /// The language of messages to the user, as a language tag.
    package var language: String? { texts["language"].flatMap { $0.isEmpty ? nil : $0 } }

    /// Applies the fields that another profile sets, and keeps all other fields.
    package mutating func merge(_ other: Profile) {
        nickname = other.nickname ?? nickname
        tempUnit = other.tempUnit ?? tempUnit
        timezone = other.timezone ?? timezone
        latitude = other.latitude ?? latitude
        longitude = other.longitude ?? longitude
        texts.merge(other.texts) { $1 }
        if let more = other.custom { custom = Self.merged(custom ?? [:], more) }
    }

    /// Merges the app's own data key by key, where null removes a key.
    private static func merged(_ old: JSONObject, _ more: JSONObject) -> JSONObject {
        var merged = old
        for member in more.members {
            merged[member.key] = nil
            if case .null = member.value { continue }
            merged.members.append(member)
        }
        return merged
    }
}
