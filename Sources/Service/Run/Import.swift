package import Domain
package import JSON
import Problems
import Providers
import Sodium
package import Storage

/// The import of products and apps from their documents, for `up` and for the commands.
package enum Import {
    /// The result of an import.
    package struct Outcome: Sendable, Equatable {
        /// The product's key or the app's id.
        package let id: String
        /// The new secret, or nil if the product or app keeps its secret.
        package let secret: String?
        /// Whether the product or app is new: its id was unknown before.
        package let isNew: Bool
    }

    /// Stores a new or changed product, and creates a `productKey` if the document has none.
    ///
    /// The secret is the document's `productSecret`. If the document has none, a new product gets a new secret. An
    /// existing product keeps its secret. The new version of a product might not fit the values that devices have
    /// stored, or might lack an alert or fault that is open. Such a version is stored only if `isForced` is set.
    /// - Throws: `Rejection` with the field at fault, or a `Problem` if stored states forbid the change.
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
        let product = try checked(product: object)
        let before = try tx.products.find(product.key)
        if let before, !isForced {
            try refuseLoss(from: before, to: product, in: tx)
        }
        let chosen = try Fields(object).text("productSecret", length: secretLength)
        let secret = chosen ?? (before == nil ? Sodium.randomSecret() : nil)
        try tx.products.save(product, secret: secret)
        // The retained statuses must be published again, since they can contain attributes that are hidden now.
        if let before, before.dataPoints != product.dataPoints { try tx.refreshes.addAll(of: product.key) }
        try tx.products.list(product.key, try macs(of: object))
        return Outcome(id: product.key.text, secret: secret, isNew: before == nil)
    }

    /// Checks a product document in the same way as an import, without storing it.
    ///
    /// - Throws: `Rejection` with the first field at fault, and with all other faults.
    package static func checked(product document: JSONObject) throws(Rejection) -> Product {
        var faults = Faults()
        KnownMembers.check(document, "", known: ProductCodec.members, faults: &faults)
        for (index, point) in (document["dataPoints"]?.arrayValue ?? []).enumerated() {
            let (object, known) = (point.objectValue ?? [:], ProductCodec.pointMembers)
            KnownMembers.check(object, "dataPoints.\(index).", known: known, faults: &faults)
        }
        check(secret: "productSecret", of: document, faults: &faults)
        _ = faults.catching(try macs(of: document))
        let product = faults.catching(try ProductCodec.decode(document))
        try faults.throwFirst()
        guard let product else { throw .invalid("", "The document can't be read.") }
        return product
    }

    private static let secretLength = 16...256

    private static func check(
        secret name: String,
        of document: JSONObject,
        faults: inout Faults
    ) {
        _ = faults.catching(try Fields(document).text(name, length: secretLength))
    }

    private static func macs(of document: JSONObject) throws(Rejection) -> [MAC] {
        var macs: [MAC] = []
        for text in try Fields(document).texts("macs") {
            guard let mac = MAC(text) else {
                let shown = Rejection.shown(text, upTo: 64)
                throw .invalid("macs", "macs: \(shown) is not a valid mac: \(MACKind.form).")
            }
            macs.append(mac)
        }
        return macs
    }

    /// Returns the document with an id of 128 random bits in `field`, or the unchanged document if `field` has a value.
    private static func named(_ document: JSONObject, _ field: String) -> JSONObject {
        guard document[field] == nil else { return document }
        let rest = document.members.filter { $0.key != field }
        return JSONObject(members: [.init(key: field, value: .string(DemoKeys.hex(16)))] + rest)
    }

    /// Throws a `Problem` if the new version endangers stored values, open alerts or open faults.
    ///
    /// Such a version removes or narrows an attribute, or lacks an open alert or fault.
    private static func refuseLoss(
        from old: Product,
        to new: Product,
        in tx: Transaction
    ) throws {
        let narrowed = ProductRules.narrowed(from: old, to: new)
        if !narrowed.isEmpty, try tx.products.isUsed(new.key, attributes: narrowed) {
            throw conflict(new.key, narrowed, why: "devices have stored values that might no longer fit")
        }
        let lost = try tx.products.openConditions(new.key) { kind, name in
            ProductRules.isLost(kind, name, from: old, to: new)
        }
        if !lost.isEmpty { throw conflict(new.key, lost, why: "devices have it open, and could no longer raise it") }
    }

    private static func conflict(_ key: ProductKey, _ names: [String], why: String) -> Problem {
        Problem.pointsWouldBreak(product: key.text, points: names.joined(separator: ", "), why: why)
    }

    /// Checks an app document in the same way as an import, without storing it.
    ///
    /// - Throws: `Rejection`, which names the first wrong field, and also contains all other faults.
    package static func checked(app document: JSONObject, in tx: Transaction) throws -> App {
        try completed(app: document, in: tx).app
    }

    private static func completed(
        app document: JSONObject,
        in tx: Transaction
    ) throws -> (app: App, document: JSONObject) {
        var object = named(document, "appId")
        if let id = object["appId"]?.stringValue.flatMap({ AppID($0) }) {
            object = AppSecrets.completed(object, from: try tx.apps.document(id) ?? [:])
        }
        var faults = Faults()
        AppDocument.check(object, &faults)
        check(secret: "secret", of: object, faults: &faults)
        let app = faults.catching(try AppCodec.decode(object))
        _ = faults.catching(try app?.push.checkKeys())
        try faults.throwFirst()
        guard let app else { throw Rejection.invalid("", "The document can't be read.") }
        return (app, object)
    }

    /// Stores a new or changed app, and creates an `appId` if the document has none.
    ///
    /// The secret is the document's `secret`. If the document has none, a new app gets a new secret. An existing app
    /// keeps its secret. Identity providers' secrets are also kept if the document omits them.
    /// - Throws: `Rejection` with the field at fault.
    @discardableResult
    package static func app(_ document: JSONValue, in tx: Transaction) throws -> Outcome {
        guard let given = document.objectValue else {
            throw Rejection.invalid("", "An app document is a JSON object.")
        }
        let (app, whole) = try completed(app: given, in: tx)
        let before = try tx.apps.find(app.id)
        let isNew = before == nil
        let chosen = try Fields(whole).text("secret", length: secretLength)
        let secret = chosen ?? (isNew ? Sodium.randomSecret() : nil)
        var kept = whole
        kept["secret"] = nil
        try tx.apps.save(app, document: kept, secret: secret)
        // If the app's list of products has changed, users see other devices than before. The devices' statuses must
        // therefore be published again.
        if let before, before.products != app.products { try tx.refreshes.addAll() }
        return Outcome(id: app.id.text, secret: secret, isNew: isNew)
    }
}
