package import Domain
package import JSON
import Sodium
package import Storage
import Wire

/// Takes product documents into the store.
package enum ProductImport {
    /// What an import did.
    package struct Result: Sendable {
        /// The product as it is now.
        package let product: Product
        /// True where there was none of its key.
        package let isNew: Bool
        /// The secret, where this import set it; it is never told again.
        package let secret: String?
    }

    /// Imports a document, new or in the place of an older version.
    ///
    /// The secret is the document's `productSecret`; without one a new product gets a random secret and
    /// a known one keeps its own.
    /// - Parameter force: Whether data points that stored state uses may go or narrow.
    /// - Throws: A `Problem` where the document is invalid or would break stored state.
    package static func run(
        _ document: JSONObject,
        from place: String,
        into store: Store,
        force: Bool = false
    ) throws -> Result {
        let product: Product
        do {
            product = try ProductCodec.decode(document)
        } catch {
            throw DocumentFile.invalid(place, error.message)
        }
        let given = try Secrets.given(document["productSecret"], "productSecret", place)
        return try store.batch(at: StoreOpener.now()) { tx in
            let old = try tx.products.find(product.key)
            if let old, !force { try check(old, product, in: tx) }
            let secret = given ?? (old == nil ? Sodium.randomSecret() : nil)
            try tx.products.save(product, secret: secret)
            return Result(product: product, isNew: old == nil, secret: secret)
        }
    }

    private static func check(_ old: Product, _ new: Product, in tx: Transaction) throws {
        let narrowed = ProductRules.narrowed(from: old, to: new)
        guard !narrowed.isEmpty, try tx.products.isUsed(new.key, attributes: narrowed) else {
            return
        }
        throw Problem(
            .conflict,
            "product \(new.key.text) would lose or narrow \(narrowed.joined(separator: ", "))",
            at: new.key.text,
            why: "devices have stored values of it that would not fit any more",
            cures: [.init("lamplighter product import --force FILE", "do it all the same")]
        )
    }
}

/// Secrets that a document may bring along.
enum Secrets {
    /// The secret of a field; nil where there is none.
    static func given(_ value: JSONValue?, _ field: String, _ place: String) throws -> String? {
        guard let value else { return nil }
        guard let secret = value.stringValue, (16...128).contains(secret.utf8.count),
            secret.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw DocumentFile.invalid(
                place,
                "\(field) must have 16 to 128 printable ASCII characters; without it one is made"
            )
        }
        return secret
    }
}
