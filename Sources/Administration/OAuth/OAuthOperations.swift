import Domain
import JSON
import Sodium
import Storage
import Web
import Workers

/// The operations on OAuth clients.
enum OAuthOperations {
    static let all: [Operation] = [
        Operation("listOAuthClients", "GET", "oauth", role: .viewer) { call in
            let app = try KeyOperations.wantedApp(call)
            return Shown.page(try call.read { try $0.oauth.clients(of: app) }.map(row))
        }, Operation("addOAuthClient", "POST", "oauth", role: .admin, add),
        Operation("removeOAuthClient", "DELETE", "oauth/{clientId}", role: .admin, remove),
    ]

    /// The maximum number of OAuth clients of an app.
    private static let clientsMax = 20
    /// The largest number of sessions that one transaction ends.
    private static let endedAtOnce = 200

    private static func row(_ client: OAuthClient) -> JSONObject {
        JSONObject(showing: [
            "clientId": client.id, "appId": client.app, "name": client.name, "redirects": client.redirects,
            "scopes": client.scopes.map(\.text), "public": client.secretHash == nil,
        ])
    }

    private static func add(_ call: OperationCall) throws -> JSONObject {
        guard let name = try call.fields.text("name", length: 1...32) else {
            throw Refused.invalid("name", "A client's name has 1 to 32 characters.")
        }
        let redirects = (call.body["redirects"]?.arrayValue ?? []).map { $0.stringValue ?? "" }
        guard (1...10).contains(redirects.count), redirects.allSatisfy(OAuthClient.isRedirect) else {
            let detail = "Name 1 to 10 URLs with https, http to this machine, or an app's scheme."
            throw Refused.invalid("redirects", detail)
        }
        let scopes = try KeyOperations.scopes(call)
        guard !scopes.contains(where: { $0.service == .events }) else {
            throw Refused.invalid("scopes", "Only a key can read events.")
        }
        let secret = try call.fields.bool("public") == true ? nil : "llo_" + Sodium.randomSecret()
        let client = try call.act { work, act in
            let client = OAuthClient(
                id: ClientID(trusted: work.makeID("o")),
                app: try KeyOperations.app(call, in: work.tx).id,
                name: name,
                redirects: redirects,
                scopes: scopes,
                secretHash: secret.map { Sodium.sha256($0.utf8) }
            )
            let others = try work.tx.oauth.clients(of: client.app)
            guard !others.contains(where: { $0.name == name }), others.count < clientsMax else {
                let detail = "The app \(client.app) already has a client \(name), or \(clientsMax) clients; remove one."
                throw Refused(409, .duplicated, detail, field: "name")
            }
            try work.tx.oauth.add(client)
            (act.subject, act.app, act.after) = ("client \(client.id)", client.app, .object(row(client)))
            return client
        }
        return row(client).adding(secret.map { [("clientSecret", .string($0))] } ?? [])
    }

    /// Ends the client's sessions, a limited number at a time, and then deletes the client.
    private static func remove(_ call: OperationCall) throws -> JSONObject {
        let id = try call.id("clientId", MessageKind.self)
        var ended = 0
        while true {
            let count = try call.context.work { work in
                let sessions = try work.tx.oauth.sessions(of: id, limit: endedAtOnce)
                try work.tx.lock(users: sessions.map(\.uid))
                let live = try sessions.compactMap { try work.tx.sessions.find($0.id) }.filter { $0.endedAt == nil }
                for session in live { try SessionLifecycle.end(session, because: .operator, by: call.actor, in: &work) }
                return (found: sessions.count, ended: live.count)
            }
            ended += count.ended
            guard count.found == 0 else { continue }
            return try call.act { work, act in
                guard let client = try work.tx.oauth.client(id) else { throw Refused.notFound("client", id.text) }
                (act.subject, act.app, act.before) = ("client \(id)", client.app, .object(row(client)))
                try work.tx.oauth.remove(id)
                return ["clientId": .string(id.text), "ended": .integer(Int64(ended))]
            }
        }
    }
}
