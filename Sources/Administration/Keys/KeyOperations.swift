import Domain
import JSON
import Sodium
import Storage
import Web
import Workers

/// The operations on API keys.
enum KeyOperations {
    static let all: [Operation] = [
        Operation("listKeys", "GET", "keys", role: .viewer) { call in
            let app = try wantedApp(call)
            return Shown.page(try call.read { try $0.keys.all(of: app) }.map(row))
        }, Operation("addKey", "POST", "keys", role: .admin, add),
        Operation("rotateKey", "POST", "keys/{keyId}/secret", role: .admin, rotate),
        Operation("revokeKey", "DELETE", "keys/{keyId}", role: .admin, revoke),
    ]

    /// The maximum validity, in days, of an API key that expires.
    private static let daysMax: Int64 = 3650

    /// Returns the id of the app that the query names, or nil if the query names no app and so means all apps.
    static func wantedApp(_ call: OperationCall) throws -> AppID? {
        try call.request.query["appId"].map(id)
    }

    /// Returns the app id that a parameter of the query contains.
    static func id(of text: String) throws -> AppID {
        guard let app = AppID(text) else { throw Refused.invalid("appId", "This is not an app's id.") }
        return app
    }

    private static func row(_ key: APIKey) -> JSONObject {
        JSONObject(showing: [
            "keyId": key.id, "appId": key.app, "name": key.name, "terminalId": key.terminal,
            "scopes": key.scopes.map(\.text), "createdAt": key.createdAt, "expiresAt": key.expiresAt,
            "lastSeenAt": key.lastSeenAt, "endedAt": key.endedAt,
        ])
    }

    private static func live(_ call: OperationCall, _ act: inout Act, in tx: Transaction) throws -> APIKey {
        let id = try call.id("keyId", MessageKind.self)
        guard let key = try tx.keys.find(id), key.endedAt == nil else { throw Refused.notFound("key", id.text) }
        act = Act(subject: "key \(key.id)", app: key.app)
        return key
    }

    private static func secret() -> String { APIKey.prefix + Sodium.randomSecret() }

    private static func add(_ call: OperationCall) throws -> JSONObject {
        let name = try call.fields.text("name", length: 1...32) ?? ""
        guard APIKey.isName(name) else {
            throw Refused.invalid("name", "A key's name is 1 to 32 letters, digits, - and _.")
        }
        let scopes = try scopes(call)
        let days = try call.fields.integer("days", in: 1...daysMax)
        let secret = secret()
        let key = try call.act { work, act in
            let key = APIKey(
                id: KeyID(trusted: work.makeID("k")),
                app: try app(call, in: work.tx).id,
                name: name,
                terminal: TerminalID(trusted: Sodium.hex(Sodium.randomBytes(16))),
                scopes: scopes,
                createdAt: work.now,
                expiresAt: days.map { work.now.adding(seconds: $0 * 86_400) }
            )
            try refuseSurplus(key, call, in: work.tx)
            try work.tx.keys.add(key, token: secret)
            act = Act(subject: "key \(key.id)", app: key.app, after: .object(row(key)))
            return key
        }
        return row(key).adding([("key", .string(secret))])
    }

    /// Returns the scopes in the body, which must contain at least one.
    static func scopes(_ call: OperationCall) throws -> [KeyScope] {
        let texts = call.body["scopes"]?.arrayValue ?? []
        let scopes = try texts.map { value in
            guard let scope = value.stringValue.flatMap({ KeyScope($0) }) else {
                throw Refused.invalid("scopes", "The scopes are \(KeyScope.known), each also with :read.")
            }
            return scope
        }
        guard !scopes.isEmpty, Set(scopes).count == scopes.count else {
            throw Refused.invalid("scopes", "Name at least one scope, each once: \(KeyScope.known).")
        }
        return scopes
    }

    /// Returns the app that the body names.
    static func app(_ call: OperationCall, in tx: Transaction) throws -> App {
        let text = try call.fields.text("appId", length: 1...64) ?? ""
        guard let app = try AppID(text).flatMap({ try tx.apps.find($0) }) else { throw Refused.notFound("app", text) }
        return app
    }

    private static func refuseSurplus(_ key: APIKey, _ call: OperationCall, in tx: Transaction) throws {
        let others = try tx.keys.live(of: key.app)
        if others.contains(where: { $0.name == key.name }) {
            let detail = "The app \(key.app) already has a key \(key.name); rotate it, or revoke it first."
            throw Refused(409, .duplicated, detail, field: "name")
        }
        guard others.count < call.context.limits.keysPerApp else {
            throw Refused(409, .forbidden, "The app \(key.app) has \(others.count) keys; revoke one.")
        }
    }

    private static func rotate(_ call: OperationCall) throws -> JSONObject {
        let secret = secret()
        try call.act { work, act in
            let key = try live(call, &act, in: work.tx)
            try work.tx.keys.rotate(key, to: secret)
        }
        return ["key": .string(secret)]
    }

    private static func revoke(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let key = try live(call, &act, in: work.tx)
            try KeyLifecycle.end(key, in: &work)
            // Subscriptions made with the key belong to the app. They remain after the key is revoked.
            let made = try work.tx.eventSubscriptions.all(of: key.app).filter { $0.key == key.id.text }
            let rows = made.map { JSONObject(showing: ["subscriptionId": $0.id, "name": $0.name]) }
            return row(try work.tx.keys.find(key.id) ?? key).adding([
                ("subscriptions", .array(rows.map { .object($0) }))
            ])
        }
    }
}
