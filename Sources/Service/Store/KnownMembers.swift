import Domain
import JSON
import ServiceSettings

/// The check for unknown members in a document; without this check, a misspelled name would be ignored.
enum KnownMembers {
    /// Adds a fault for each unknown member of an object.
    ///
    /// The path of the object must end in a dot or be empty.
    static func check(
        _ object: JSONObject,
        _ path: String,
        known: [String],
        faults: inout Faults
    ) {
        for member in object.members where !known.contains(member.key) {
            faults.add(unknown(path, member.key, known: known))
        }
    }

    /// Returns the rejection of an unknown member; the rejection suggests a similar name or lists all known names.
    static func unknown(_ path: String, _ name: String, known: [String]) -> Rejection {
        let shown = path + Rejection.shown(name, upTo: 64)
        let cure =
            Suggestion.nearest(to: String(name.prefix(64)), among: known).map { "did you mean \($0)?" }
            ?? "expected one of \(known.joined(separator: ", "))."
        return .invalid(shown, "\(shown) is unknown; \(cure)")
    }
}
