/// The time zones of the calling codes that have a single one (`Texts/country-zones.txt`).
///
/// A wrong guess would wake people at the wrong hour; without a zone, times are in UTC, which users notice.
package enum CountryZone {
    /// Returns the IANA name of the zone, or nil if there is none or more than one.
    package static func name(of countryCode: String) -> String? { zones[countryCode] }

    private static let zones: [String: String] =
        EmbeddedTexts.file("country-zones.txt").description.split(separator: "\n")
        .reduce(into: [:]) { zones, line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, parts[0] != "#" else { return }
            zones[String(parts[0])] = String(parts[1])
        }
}
