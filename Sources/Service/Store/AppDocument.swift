import Domain
import JSON

/// Checks the parts of an app document that the workers don't read yet, so that mistakes show at the import.
enum AppDocument {
    private static let flags = [
        "revealAccounts", "emailVerification", "phoneRegistration", "uidLogin",
        "usernameChangeable", "cancelProof",
    ]
    private static let words = [
        "emailRegistration": ["code", "link", "none"], "anonymous": ["keep", "discard"],
    ]

    /// Refuses policies and providers that break `schemas/documents.schema.json`.
    ///
    /// - Throws: `Rejection` with the field at fault.
    static func check(_ document: JSONObject) throws(Rejection) {
        for policy in try members(of: document, "policies") {
            try check(policy)
        }
        for provider in try members(of: document, "providers") {
            _ = try ProviderSettings.parse(provider.key, provider.value)
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
            guard Language(rawValue: language.key) != nil else {
                throw unknown(path, Language.allCases.map(\.rawValue))
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

    // MARK: Policies

    private static func check(_ policy: JSONObject.Member) throws(Rejection) {
        let path = "policies.\(policy.key)"
        if flags.contains(policy.key), policy.value.boolValue == nil {
            throw .invalid(path, "\(path) must be true or false.")
        }
        if policy.key == "sessionDays" {
            let days = AppPolicies.sessionDaysRange
            guard let given = policy.value.intValue, days.contains(given) else {
                throw .invalid(
                    path,
                    "\(path) must be a whole number from \(days.lowerBound) to \(days.upperBound)."
                )
            }
        }
        guard let allowed = words[policy.key] else { return }
        guard let word = policy.value.stringValue, allowed.contains(word) else {
            throw .invalid(path, "\(path) must be one of \(allowed.joined(separator: ", ")).")
        }
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
