import Domain
import JSON

/// Checks the parts of an app document that `AppCodec` does not read, so that mistakes show at the import.
enum AppDocument {
    /// Refuses policies that are null, and texts that break `schemas/documents.schema.json`.
    ///
    /// - Throws: `Rejection` with the field at fault.
    static func check(_ document: JSONObject) throws(Rejection) {
        // Who reads takes null for a policy that is not there; its writer meant something by it.
        var all = AppPolicies()
        all.defaultCountryCode = "49"
        let known = AppCodec.encode(all, sessionDays: 0)
        for policy in try members(of: document, "policies")
        where policy.value == .null && known[policy.key] != nil {
            let path = "policies.\(policy.key)"
            throw .invalid(path, "\(path) must not be null.")
        }
        for template in try members(of: document, "texts") { try check(words: template) }
    }

    // MARK: Words

    /// The parts of a message's words, with how long each may be.
    private static let parts = ["subject": 200, "text": 10_000, "sms": 500]

    private static func check(words template: JSONObject.Member) throws(Rejection) {
        let path = "texts.\(template.key)"
        guard OutgoingMessage.Template(rawValue: template.key) != nil else {
            throw unknown(path, OutgoingMessage.Template.allCases.map(\.rawValue))
        }
        for language in try members(template.value, path) {
            let path = "\(path).\(language.key)"
            guard LanguageTag(language.key) != nil else {
                throw .invalid(path, "\(path) is no tag of a language, such as de or pt-BR.")
            }
            for part in try members(language.value, path) { try check(part: part, of: path) }
        }
    }

    private static func check(part: JSONObject.Member, of path: String) throws(Rejection) {
        let path = "\(path).\(part.key)"
        guard let max = parts[part.key] else { throw unknown(path, parts.keys.sorted()) }
        guard let text = part.value.stringValue, (1...max).contains(text.unicodeScalars.count)
        else { throw .invalid(path, "\(path) must be a text of 1 to \(max) characters.") }
    }

    private static func unknown(_ path: String, _ known: [String]) -> Rejection {
        .invalid(path, "\(path) is unknown; there are \(known.joined(separator: ", ")).")
    }

    private static func members(
        of document: JSONObject,
        _ field: String
    ) throws(Rejection) -> [JSONObject.Member] {
        guard let value = document[field] else { return [] }
        return try members(value, field)
    }

    private static func members(
        _ value: JSONValue,
        _ path: String
    ) throws(Rejection) -> [JSONObject.Member] {
        guard let object = value.objectValue else {
            throw .invalid(path, "\(path) must be an object.")
        }
        return object.members
    }
}
