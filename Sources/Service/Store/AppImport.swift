package import Domain
package import JSON
import Sodium
package import Storage
import Wire

/// Takes app documents into the store.
package enum AppImport {
    /// What an import did.
    package struct Result: Sendable {
        /// The app as it is now.
        package let app: App
        /// True where there was none of its id.
        package let isNew: Bool
        /// The secret, where this import set it; it is never told again.
        package let secret: String?
    }

    /// Imports a document, new or in the place of an older version.
    ///
    /// - Throws: A `Problem` where the document is invalid.
    package static func run(
        _ document: JSONObject,
        from place: String,
        into store: Store
    ) throws -> Result {
        let app: App
        do {
            app = try AppCodec.decode(document)
        } catch {
            throw DocumentFile.invalid(place, error.message)
        }
        let given = try Secrets.given(document["secret"], "secret", place)
        let kept = JSONObject(members: document.members.filter { $0.key != "secret" })
        return try store.batch(at: StoreOpener.now()) { tx in
            let isNew = try tx.apps.find(app.id) == nil
            let secret = given ?? (isNew ? Sodium.randomSecret() : nil)
            try tx.apps.save(app, document: kept, secret: secret)
            return Result(app: app, isNew: isNew, secret: secret)
        }
    }
}
