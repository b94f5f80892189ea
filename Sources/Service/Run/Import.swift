package import Domain
package import JSON
import Problems
import Sodium
package import Storage

/// Brings products and apps in from their documents, for `up` and for the commands.
package enum Import {
    /// The result of an import.
    package struct Outcome: Sendable, Equatable {
        /// The product's key or the app's id.
        package let id: String
        /// The secret that holds from now on, where the document gave one or one was made.
        package let secret: String?
        /// Whether nothing of that id was there before.
        package let isNew: Bool
    }

    /// Stores a product document, new or in the place of an older version; without a `productKey` one is made.
    ///
    /// The secret is the document's `productSecret`, or made for a new product; an older one stays
    /// where the document has none. `isForced` also takes away what stored state uses.
    /// - Throws: `Rejection` with the field at fault; a `Problem` where stored state forbids it.
    @discardableResult
    package static func product(
        _ document: JSONValue,
        isForced: Bool = false,
        in tx: Transaction
    ) throws -> Outcome {
        guard let given = document.objectValue else {
            throw Rejection.invalid("", "A product document is a JSON object.")
        }
        let object = named(given, "productKey")
        let product = try ProductCodec.decode(object)
        let before = try tx.products.find(product.key)
        if let before, !isForced {
            try refuseLoss(from: before, to: product, in: tx)
        }
        let chosen = try Fields(object).text("productSecret", length: 16...256)
        let secret = chosen ?? (before == nil ? Sodium.randomSecret() : nil)
        try tx.products.save(product, secret: secret)
        // The broker's retained messages may show attributes that are now hidden.
        if let before, before.dataPoints != product.dataPoints {
            try tx.refreshes.addAll(of: product.key)
        }
        let macs = try Fields(object).texts("macs").map { text in
            guard let mac = MAC(text) else {
                throw Rejection.invalid("macs", "\(text) is no MAC: 12 lowercase hex digits.")
            }
            return mac
        }
        try tx.products.list(product.key, macs)
        return Outcome(id: product.key.text, secret: secret, isNew: before == nil)
    }

    /// Returns a document with its name; 128 random bits where it has none, so that it is unique.
    private static func named(_ document: JSONObject, _ field: String) -> JSONObject {
        guard document[field] == nil else { return document }
        let rest = document.members.filter { $0.key != field }
        return JSONObject(members: [.init(key: field, value: .string(DemoKeys.hex(16)))] + rest)
    }

    /// Refuses a version that does not fit what devices have stored, or that has no word for what is open
    /// on them.
    private static func refuseLoss(
        from old: Product,
        to new: Product,
        in tx: Transaction
    ) throws {
        let narrowed = ProductRules.narrowed(from: old, to: new)
        if !narrowed.isEmpty, try tx.products.isUsed(new.key, attributes: narrowed) {
            throw conflict(
                new.key,
                narrowed,
                why: "devices have stored values of it that would not fit any more"
            )
        }
        let lost = try tx.products.openConditions(new.key) { kind, name in
            ProductRules.isLost(kind, name, from: old, to: new)
        }
        if !lost.isEmpty {
            throw conflict(
                new.key,
                lost,
                why: "it is open on devices, which could no longer clear it"
            )
        }
    }

    private static func conflict(_ key: ProductKey, _ names: [String], why: String) -> Problem {
        Problem(
            .conflict,
            "product \(key) would lose or narrow \(names.joined(separator: ", "))",
            at: key.text,
            why: why,
            cures: [.init("lamplighter product import --force FILE", "do it all the same")]
        )
    }

    /// Reads an app document as an import would, and stores nothing.
    ///
    /// - Throws: `Rejection` with the field at fault.
    package static func checked(app document: JSONObject, in tx: Transaction) throws -> App {
        try completed(app: document, in: tx).app
    }

    /// Reads an app document with the id and the secrets that it leaves out, and stores nothing.
    private static func completed(
        app document: JSONObject,
        in tx: Transaction
    ) throws -> (app: App, document: JSONObject) {
        var object = named(document, "appId")
        if let id = object["appId"]?.stringValue.flatMap({ AppID($0) }) {
            object = AppSecrets.completed(object, from: try tx.apps.document(id))
        }
        let app = try AppCodec.decode(object)
        try AppDocument.check(object)
        return (app, object)
    }

    /// Stores an app document, new or in the place of an older version; without an `appId` one is made.
    ///
    /// The secret is the document's `secret`, or made for a new app; an older one stays where the
    /// document has none, and so do those of its providers.
    /// - Throws: `Rejection` with the field at fault.
    @discardableResult
    package static func app(_ document: JSONValue, in tx: Transaction) throws -> Outcome {
        guard let given = document.objectValue else {
            throw Rejection.invalid("", "An app document is a JSON object.")
        }
        let (app, whole) = try completed(app: given, in: tx)
        let before = try tx.apps.find(app.id)
        let isNew = before == nil
        let chosen = try Fields(whole).text("secret", length: 16...256)
        let secret = chosen ?? (isNew ? Sodium.randomSecret() : nil)
        var kept = whole
        kept["secret"] = nil
        try tx.apps.save(app, document: kept, secret: secret)
        // Its users see devices of its products only.
        if let before, before.products != app.products { try tx.refreshes.addAll() }
        return Outcome(id: app.id.text, secret: secret, isNew: isNew)
    }
}
