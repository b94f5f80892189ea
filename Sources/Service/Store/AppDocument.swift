import Domain
import JSON

/// The check of an app document for mistakes that `AppCodec` ignores, such as unknown members.
enum AppDocument {
    /// Adds a fault for each policy that is null, for each unknown member, and for each text that violates
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
        // The codec ignores a null policy, but a null in a document is probably a mistake.
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
        let push = object(document["push"])
        KnownMembers.check(push, "push.", known: PushSettings.members.keys.sorted() + ["content"], faults: &faults)
        for (name, known) in PushSettings.members {
            KnownMembers.check(object(push[name]), "push.\(name).", known: known, faults: &faults)
        }
        check(words: document, &faults)
    }

    private static func object(_ value: JSONValue?) -> JSONObject { value?.objectValue ?? [:] }

    // MARK: Words

    /// The parts of a message's text, with the maximum number of characters in each part.
    private static let parts = ["subject": 200, "text": 10_000, "sms": 500]

    private static func check(words document: JSONObject, _ faults: inout Faults) {
        for template in members(document["texts"], "texts", faults: &faults) {
            let path = "texts.\(template.key)"
            let known = OutgoingMessage.Template.worded.map(\.rawValue)
            guard known.contains(template.key) || NotificationText.isTemplate(template.key) else {
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
