package import JSON

/// The secrets in app documents.
///
/// The service accepts documents with secrets, and returns documents without secrets. The store contains the secrets in
/// encrypted form, beside the rest of the document.
package enum AppSecrets {
    /// The names of the document members that contain secrets.
    private static let places = ["providers", "push"]

    /// Returns a document without any secrets, to be shown or written to a file.
    package static func removed(from document: JSONObject) -> JSONObject {
        var document = parts(of: document) { !isSecret($0) }
        document["secret"] = nil
        return document
    }

    /// Returns a copy of the document, reduced to the secrets of providers and push services.
    package static func only(in document: JSONObject) -> JSONObject {
        let found = parts(of: document, isSecret)
        return JSONObject(members: found.members.filter { places.contains($0.key) })
    }

    /// Returns a document, with its missing secrets copied from the document `known`.
    ///
    /// The output of `app export`, which has no secrets, can thus be imported again. If a provider is missing from the
    /// document, its secret isn't copied. The import then removes the provider together with its secret.
    package static func completed(_ document: JSONObject, from known: JSONObject) -> JSONObject {
        var document = document
        for place in places {
            guard let old = known[place]?.objectValue, var new = document[place]?.objectValue else { continue }
            for member in old.members {
                guard let secrets = member.value.objectValue, var object = new[member.key]?.objectValue else {
                    continue
                }
                for secret in secrets.members where isSecret(secret.key) && object[secret.key] == nil {
                    object[secret.key] = secret.value
                }
                new[member.key] = .object(object)
            }
            document[place] = .object(new)
        }
        return document
    }

    /// Returns a copy of the document without some members of its providers and push services.
    ///
    /// If `isKept` returns false for a member's name, the copy lacks this member.
    private static func parts(of document: JSONObject, _ isKept: (String) -> Bool) -> JSONObject {
        var document = document
        for place in places {
            guard let all = document[place]?.objectValue else { continue }
            document[place] = .object(
                JSONObject(
                    members: all.members.map { member in
                        guard let object = member.value.objectValue else { return member }
                        let kept = JSONObject(members: object.members.filter { isKept($0.key) })
                        return .init(key: member.key, value: .object(kept))
                    }
                )
            )
        }
        return document
    }

    /// Returns whether a provider's or push service's field holds a secret, judged by its name.
    private static func isSecret(_ field: String) -> Bool {
        let name = field.lowercased()
        return name == "key" || name == "serviceaccount"
            || ["secret", "password", "privatekey", "apikey"].contains { name.contains($0) }
    }
}
