package import JSON

/// The secrets in an app document that belong to the app's identity providers.
///
/// The app's own secret isn't included: only the hash of that secret is stored, in another place, so the secret can't
/// be shown again.
package enum AppSecrets {
    /// Returns a document with the secrets of providers that it leaves out, which are taken from the previous version.
    ///
    /// The output of `app export`, which contains no secrets, can therefore be imported again. If the document leaves
    /// out a whole provider, the provider is removed together with its secret.
    static func completed(_ document: JSONObject, from before: JSONObject?) -> JSONObject {
        guard let old = before?["providers"]?.objectValue, let new = document["providers"]?.objectValue else {
            return document
        }
        var document = document
        document["providers"] = .object(
            JSONObject(
                members: new.members.map { provider in
                    guard var object = provider.value.objectValue,
                        let known = old[provider.key]?.objectValue
                    else { return provider }
                    for field in known.members
                    where isSecret(field.key) && object[field.key] == nil {
                        object[field.key] = field.value
                    }
                    return .init(key: provider.key, value: .object(object))
                }
            )
        )
        return document
    }

    /// Returns a document without any secrets, to be shown or written to a file.
    package static func removed(from document: JSONObject) -> JSONObject {
        var document = document
        document["secret"] = nil
        guard let providers = document["providers"]?.objectValue else { return document }
        document["providers"] = .object(
            JSONObject(
                members: providers.members.map { provider in
                    guard let object = provider.value.objectValue else { return provider }
                    let shown = object.members.filter { !isSecret($0.key) }
                    return .init(key: provider.key, value: .object(JSONObject(members: shown)))
                }
            )
        )
        return document
    }

    /// Returns whether a field of a provider contains a secret.
    ///
    /// The fields with secrets are `clientSecret`, and additional fields whose names are like that of a secret.
    private static func isSecret(_ field: String) -> Bool {
        let name = field.lowercased()
        return ["secret", "password", "privatekey", "apikey"].contains { name.contains($0) }
    }
}
