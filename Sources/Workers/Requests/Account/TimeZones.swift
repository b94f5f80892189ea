import Foundation

/// Which time zones there are.
enum TimeZones {
    private static let known = Set(TimeZone.knownTimeZoneIdentifiers)

    /// Tells whether a name is a time zone's.
    static func contains(_ name: String) -> Bool {
        if name == "UTC" || known.contains(name) { return true }
        // Links such as Asia/Calcutta aren't listed; a path is never looked up.
        return name.contains("/") && !name.contains(".") && TimeZone(identifier: name) != nil
    }
}
