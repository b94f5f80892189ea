/// The time zones of the countries that have only one zone, by country calling code (`Texts/country-zones.txt`).
///
/// Users in other countries get UTC, which they can notice and correct. A wrongly guessed zone would be harder to
/// notice. Schedules would then run at the wrong hour.
package enum CountryZone {
    /// Returns a country's IANA time zone, or nil if the country is unknown or has several time zones.
    package static func name(of countryCode: String) -> String? { zones[countryCode] }

    private static let zones: [String: String] =
        EmbeddedTexts.file("country-zones.txt").description.split(separator: "\n")
        .reduce(into: [:]) { zones, line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, parts[0] != "#" else { return }
            zones[String(parts[0])] = String(parts[1])
        }
}
