package import JSON

/// The secrets inside an app document, which the app has at identity providers.
///
/// The app's own secret isn't among them: it is stored separately as a hash, and can't be shown again.
package enum AppSecrets {
    /// Returns the document with the providers' secrets that it omits, taken from the previous version.
    ///
    /// The output of `app export` can thus be imported again. A provider that is left out entirely is removed with its
    /// secret.
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

    /// Returns the document without any secret, to be shown or written to a file.
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

    /// Returns whether a provider's field holds a secret: `clientSecret`, or an operator's additional field with a name
    /// like a secret's.
    private static func isSecret(_ field: String) -> Bool {
        let name = field.lowercased()
        return ["secret", "password", "privatekey", "apikey"].contains { name.contains($0) }
    }
}
