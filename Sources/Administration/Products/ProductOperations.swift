import Domain
import JSON
import Service
import Sodium
import Storage
import Web
import Workers

/// The operations on products.
enum ProductOperations {
    static let all: [Operation] = [
        Operation("listProducts", "GET", "products", role: .viewer, list),
        Operation("addProduct", "POST", "products", role: .admin, add).takingDocument,
        Operation("checkProduct", "POST", "products/check", role: .viewer) { call in
            try call.read { try ProductCheck.check(call.body, in: $0) }
        }.takingDocument,
        Operation("showProduct", "GET", "products/{productKey}", role: .viewer) { call in
            try call.read { try shown(try product(call, in: $0), in: $0) }
        }, Operation("changeProduct", "PUT", "products/{productKey}", role: .admin, change).takingDocument,
        Operation("rotateProductSecret", "POST", "products/{productKey}/secret", role: .admin, rotate),
        Operation("listMacs", "GET", "products/{productKey}/macs", role: .viewer, macs),
        Operation("allowMacs", "POST", "products/{productKey}/macs", role: .operator, allow),
        Operation("showConnection", "GET", "products/{productKey}/connect/{mac}", role: .viewer, connect),
    ]

    private static let macsMax = 1000

    private static func product(_ call: OperationCall, in tx: Transaction) throws -> Product {
        let key = try call.id("productKey", ProductKind.self)
        guard let found = try tx.products.find(key) else { throw Refused.notFound("product", key.text) }
        return found
    }

    // MARK: Reading

    private static func list(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            Shown.page(try tx.products.all().map { try row($0, in: tx) })
        }
    }

    private static func row(_ product: Product, in tx: Transaction) throws -> JSONObject {
        let stamps = try tx.products.stamps(product.key)
        return JSONObject(showing: [
            "productKey": product.key, "name": product.name, "registration": product.registration.rawValue,
            "reset": product.reset.rawValue, "remoteBind": product.remoteBind.rawValue,
            "points": product.dataPoints.count, "devices": try tx.products.deviceCount(product.key),
            "createdAt": stamps?.createdAt, "updatedAt": stamps?.updatedAt,
        ])
    }

    private static func shown(_ product: Product, in tx: Transaction) throws -> JSONObject {
        let counts = try tx.products.pointCounts(product.key)
        let points = product.dataPoints.map {
            JSONObject(showing: ["point": PointView.declared($0), "devices": counts[$0.name] ?? 0])
        }
        return JSONObject(showing: [
            "row": try row(product, in: tx), "document": ProductCodec.encode(product), "points": points,
            "listedMacs": try tx.products.macCount(product.key),
        ])
    }

    private static func macs(_ call: OperationCall) throws -> JSONObject {
        let limit = try call.limit()
        return try call.read { tx in
            let key = try product(call, in: tx).key
            let after = call.request.query["cursor"] ?? ""
            let macs = try tx.products.macs(key, after: after, limit: limit + 1)
            let items = try macs.prefix(limit).map { mac in
                let device = try tx.devices.find(key, mac)
                return JSONObject(showing: ["mac": mac, "did": device?.did, "deviceName": Shown.name(device?.name)])
            }
            let next = macs.count > limit ? macs[limit - 1].text : nil
            return Shown.page(items, next: next)
        }
    }

    private static func connect(_ call: OperationCall) throws -> JSONObject {
        let mac = try call.id("mac", MACKind.self)
        let run = try call.service().run
        let place = ConnectPlaces(run)
        let demo = run.demo.flatMap { demo in
            demo.productKey == call.parameter("productKey") && call.caller.role == .admin ? demo : nil
        }
        if let demo { try call.note(Act(subject: "product \(demo.productKey)")) }
        return try call.read { tx in
            let key = try product(call, in: tx).key
            return JSONObject(showing: [
                "connection": try ConnectView.state(key, mac, in: tx), "mqttUrl": place.mqtt,
                "mqttTLSUrl": place.mqttTLS, "webSocketUrl": place.webSocket,
                "root": place.root, "demoSecret": demo?.productSecret,
            ])
        }
    }

    // MARK: Changing

    private static func add(_ call: OperationCall) throws -> JSONObject {
        let outcome = try call.act { work, act in
            if let key = call.body["productKey"]?.stringValue.flatMap({ ProductKey($0) }),
                try work.tx.products.find(key) != nil
            {
                let detail = "The product \(key) already exists; change it instead."
                throw Refused(409, .duplicated, detail, field: "productKey")
            }
            let outcome = try Import.product(.object(call.body), in: work.tx)
            act.subject = "product \(outcome.id)"
            act.after = try ProductKey(outcome.id).flatMap { try work.tx.products.find($0) }
                .map { .object(ProductCodec.encode($0)) }
            return outcome
        }
        return try call.read { tx in
            guard let key = ProductKey(outcome.id), let product = try tx.products.find(key) else {
                throw Refused.notFound("product", outcome.id)
            }
            let secret = call.body["productSecret"] == nil ? outcome.secret : nil
            return try shown(product, in: tx).adding([("secret", secret.map { .string($0) })])
        }
    }

    private static func change(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let before = try product(call, in: work.tx)
            try requireMatch(call, try work.tx.products.stamps(before.key)?.updatedAt)
            guard call.body["productKey"]?.stringValue == before.key.text else {
                throw Refused.invalid("productKey", "The document names another product.")
            }
            _ = try Import.product(.object(call.body), isForced: call.request.query["force"] == "true", in: work.tx)
            act.subject = "product \(before.key)"
            act.before = .object(ProductCodec.encode(before))
            act.after = .object(ProductCodec.encode(try product(call, in: work.tx)))
        }
        return try call.read { try shown(try product(call, in: $0), in: $0) }
    }

    /// Throws `Refused` if another request has changed the document since the caller read it.
    static func requireMatch(_ call: OperationCall, _ updatedAt: Instant?) throws {
        guard let wanted = call.request.header("if-match") else { return }
        guard wanted.filter({ $0 != "\"" }) == updatedAt.map({ "\($0.milliseconds)" }) else {
            throw Refused(412, "Conflict", "The product was changed after it was read; read it again.")
        }
    }

    private static func rotate(_ call: OperationCall) throws -> JSONObject {
        let key = try call.id("productKey", ProductKind.self)
        try call.requireConfirmation(of: key.text)
        let secret = Sodium.randomSecret()
        try call.act { work, act in
            let product = try product(call, in: work.tx)
            act.subject = "product \(key)"
            try work.tx.products.save(product, secret: secret)
        }
        return ["secret": .string(secret)]
    }

    private static func allow(_ call: OperationCall) throws -> JSONObject {
        let texts = try call.fields.texts("macs")
        guard (1...macsMax).contains(texts.count) else {
            throw Refused.invalid("macs", "macs must list 1 to \(macsMax) addresses.")
        }
        let macs = try texts.map { text in
            guard let mac = MAC(text) else {
                throw Refused.invalid("macs", "\(text.prefix(64)) is not a MAC: 12 lowercase hex digits, or 15 digits.")
            }
            return mac
        }
        try call.act { work, act in
            let key = try product(call, in: work.tx).key
            act = Act(subject: "product \(key)", after: ["macs": .array(texts.map(JSONValue.string))])
            try work.tx.products.list(key, macs)
        }
        return ["count": Shown.count(macs.count)]
    }
}
