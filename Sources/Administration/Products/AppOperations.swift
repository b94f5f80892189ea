import Domain
import JSON
import Service
import Sodium
import Storage
import Workers

/// The operations on apps.
enum AppOperations {
    static let all: [Operation] = [
        Operation("listApps", "GET", "apps", role: .viewer) { call in
            try call.read { tx in
                Shown.page(try tx.apps.all().map { try row($0, in: tx) })
            }
        }, Operation("addApp", "POST", "apps", role: .admin, add).takingDocument,
        Operation("checkApp", "POST", "apps/check", role: .viewer, check).takingDocument,
        Operation("showApp", "GET", "apps/{appId}", role: .viewer) { call in
            try call.read { try shown(try app(call, in: $0), call, in: $0) }
        }, Operation("changeApp", "PUT", "apps/{appId}", role: .admin, change).takingDocument,
        Operation("rotateAppSecret", "POST", "apps/{appId}/secret", role: .admin, rotate),
    ]

    /// Returns the app whose id is in the path.
    static func app(_ call: OperationCall, in tx: Transaction) throws -> App {
        let id = try call.id("appId", AppKind.self)
        guard let found = try tx.apps.find(id) else { throw Refused.notFound("app", id.text) }
        return found
    }

    private static func row(_ app: App, in tx: Transaction) throws -> JSONObject {
        let stamps = try tx.apps.stamps(app.id)
        return JSONObject(showing: [
            "appId": app.id, "name": app.name, "products": products(app), "users": try tx.accounts.count(ofApp: app.id),
            "sessions": try tx.sessions.liveCount(ofApp: app.id),
            "providers": app.providers.keys.map(\.rawValue).sorted(), "createdAt": stamps?.createdAt,
            "updatedAt": stamps?.updatedAt,
        ])
    }

    private static func products(_ app: App) -> JSONValue {
        switch app.products {
        case .all: "all"
        case .only(let keys): .array(keys.map { .string($0.text) })
        }
    }

    private static func document(_ app: App, in tx: Transaction) throws -> JSONObject {
        AppSecrets.removed(from: try tx.apps.document(app.id) ?? [:])
    }

    private static func shown(_ app: App, _ call: OperationCall, in tx: Transaction) throws -> JSONObject {
        let days = call.context.limits.sessionSeconds / 86_400
        return JSONObject(showing: [
            "row": try row(app, in: tx), "document": try document(app, in: tx),
            "policies": AppCodec.encode(app.policies, sessionDays: days),
            "providers": try ProviderOperations.rows(of: app, call.context, in: tx),
            "push": try ProviderOperations.pushRows(of: app, in: tx),
        ])
    }

    private static func check(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            let id = call.body["appId"]?.stringValue.flatMap { AppID($0) }
            let before = try id.flatMap { try tx.apps.find($0) }
            let old = try before.map { try document($0, in: tx) } ?? [:]
            var (problems, breaks): ([JSONValue], [JSONValue]) = ([], [])
            do {
                let after = try Import.checked(app: call.body, in: tx)
                if let before {
                    breaks = before.providers.keys.filter { after.providers[$0] == nil }.map {
                        ["path": .string("providers.\($0.rawValue)"), "why": "providerRemoved"]
                    }
                    let days = call.context.limits.sessionSeconds / 86_400
                    let (was, next) = (before.policies.sessionDays ?? days, after.policies.sessionDays ?? days)
                    if next < was { breaks.append(["path": "policies.sessionDays", "why": "sessionsShorter"]) }
                }
            } catch let rejection as Rejection {
                problems = ProductCheck.problems(rejection)
            }
            let new = AppSecrets.removed(from: call.body)
            return [
                "isNew": .bool(before == nil), "problems": .array(problems),
                "changes": .array(DocumentChanges.between(old, new)), "breaks": .array(breaks),
            ]
        }
    }

    private static func add(_ call: OperationCall) throws -> JSONObject {
        let outcome = try call.act { work, act in
            if let id = call.body["appId"]?.stringValue.flatMap({ AppID($0) }), try work.tx.apps.find(id) != nil {
                throw Refused(409, .duplicated, "The app \(id) already exists; change it instead.", field: "appId")
            }
            let outcome = try Import.app(.object(call.body), in: work.tx)
            act = Act(subject: "app \(outcome.id)", after: .object(AppSecrets.removed(from: call.body)))
            return outcome
        }
        return try call.read { tx in
            guard let id = AppID(outcome.id), let app = try tx.apps.find(id) else {
                throw Refused.notFound("app", outcome.id)
            }
            let secret = call.body["secret"] == nil ? outcome.secret : nil
            return try shown(app, call, in: tx).adding([("secret", secret.map { .string($0) })])
        }
    }

    private static func change(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let before = try app(call, in: work.tx)
            try ProductOperations.requireMatch(call, try work.tx.apps.stamps(before.id)?.updatedAt)
            guard call.body["appId"]?.stringValue == before.id.text else {
                throw Refused.invalid("appId", "The document names another app.")
            }
            act = Act(subject: "app \(before.id)", app: before.id, before: .object(try document(before, in: work.tx)))
            _ = try Import.app(.object(call.body), in: work.tx)
            act.after = .object(try document(try app(call, in: work.tx), in: work.tx))
        }
        return try call.read { try shown(try app(call, in: $0), call, in: $0) }
    }

    private static func rotate(_ call: OperationCall) throws -> JSONObject {
        let id = try call.id("appId", AppKind.self)
        try call.requireConfirmation(of: id.text)
        let secret = Sodium.randomSecret()
        try call.act { work, act in
            let app = try app(call, in: work.tx)
            act = Act(subject: "app \(id)", app: id)
            let document = try work.tx.apps.document(id) ?? [:]
            try work.tx.apps.save(app, document: document, secret: secret)
        }
        return ["secret": .string(secret)]
    }
}
