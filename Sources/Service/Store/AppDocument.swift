import Domain
import JSON

/// The check of the parts of an app document that `AppCodec` doesn't read, so that an import reports mistakes in them.
enum AppDocument {
    /// Adds a fault for each policy that is null, each unknown member, and each text that violates
    /// `schemas/documents.schema.json`.
    static func check(_ document: JSONObject, _ faults: inout Faults) {
        KnownMembers.check(document, "", known: AppCodec.members, faults: &faults)
        let policies = object(document["policies"])
        KnownMembers.check(
            policies,
            "policies.",
            known: AppCodec.policyMembers,
            faults: &faults
        )
        // The codec treats a policy that is null like a missing one, but the document's author must have meant
        // something by it.
        for policy in policies.members where policy.value == .null && AppCodec.policyMembers.contains(policy.key) {
            let path = "policies.\(policy.key)"
            faults.add(.invalid(path, "\(path) must not be null."))
        }
        for member in object(document["providers"]).members {
            guard let provider = ProviderName(rawValue: member.key) else { continue }
            KnownMembers.check(
                object(member.value),
                "providers.\(member.key).",
                known: ProviderSettings.members(of: provider),
                faults: &faults
            )
        }
        check(words: document, &faults)
    }

    private static func object(_ value: JSONValue?) -> JSONObject { value?.objectValue ?? [:] }

    // MARK: Words

    /// The parts of a message's text, with the maximum number of characters of each.
    private static let parts = ["subject": 200, "text": 10_000, "sms": 500]

    private static func check(words document: JSONObject, _ faults: inout Faults) {
        for template in members(document["texts"], "texts", faults: &faults) {
            let path = "texts.\(template.key)"
            guard OutgoingMessage.Template(rawValue: template.key) != nil else {
                let known = OutgoingMessage.Template.allCases.map(\.rawValue)
                faults.add(KnownMembers.unknown("texts.", template.key, known: known))
                continue
            }
            for language in members(template.value, path, faults: &faults) {
                let path = "\(path).\(language.key)"
                guard LanguageTag(language.key) != nil else {
                    faults.add(.invalid(path, "\(path) is not a language tag, such as de or pt-BR."))
                    continue
                }
                for part in members(language.value, path, faults: &faults) {
                    _ = faults.catching(try check(part: part, of: path))
                }
            }
        }
    }

    private static func check(part: JSONObject.Member, of path: String) throws(Rejection) {
        guard let max = parts[part.key] else {
            throw KnownMembers.unknown("\(path).", part.key, known: parts.keys.sorted())
        }
        let path = "\(path).\(part.key)"
        guard let text = part.value.stringValue, (1...max).contains(text.unicodeScalars.count) else {
            throw .invalid(path, "\(path) must be a text of 1 to \(max) characters.")
        }
    }

    private static func members(_ value: JSONValue?, _ path: String, faults: inout Faults) -> [JSONObject.Member] {
        guard let value, value != .null else { return [] }
        guard let object = value.objectValue else {
            faults.add(.invalid(path, "\(path) must be an object."))
            return []
        }
        return object.members
    }
}
