import Domain
import JSON

/// Checks what of an app document the workers don't read yet, so that a slip isn't found out years later.
enum AppDocument {
    private static let flags = [
        "revealAccounts", "emailVerification", "phoneRegistration", "uidLogin",
        "usernameChangeable",
    ]
    private static let words = [
        "emailRegistration": ["code", "link", "none"], "anonymous": ["keep", "discard"],
    ]

    /// Refuses policies and providers that break `schemas/app.schema.json`.
    ///
    /// - Throws: `Rejection` with the field at fault.
    static func check(_ document: JSONObject) throws(Rejection) {
        for policy in try members(of: document, "policies") {
            try check(policy)
        }
        for provider in try members(of: document, "providers") {
            _ = try ProviderSettings.parse(provider.key, provider.value)
        }
    }

    private static func check(_ policy: JSONObject.Member) throws(Rejection) {
        let path = "policies.\(policy.key)"
        if flags.contains(policy.key), policy.value.boolValue == nil {
            throw .invalid(path, "\(path) must be true or false.")
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
        guard let object = value.objectValue else {
            throw .invalid(field, "\(field) must be an object.")
        }
        return object.members
    }
}
