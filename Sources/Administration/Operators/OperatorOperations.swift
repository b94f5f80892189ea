package import Domain
package import JSON
import Sodium
import Storage
import Wire
import Workers

/// The operations on operators, their sessions and their tokens.
package enum OperatorOperations {
    static let all: [Operation] = [
        Operation("listOperators", "GET", "operators", role: .admin, list),
        Operation("addOperator", "POST", "operators", role: .admin, add),
        Operation("changeOperator", "PATCH", "operators/{name}", role: .admin, change),
        Operation("removeOperator", "DELETE", "operators/{name}", role: .admin, remove),
        Operation("makeLink", "POST", "operators/{name}/link", role: .admin, link),
        Operation("revokeOperator", "POST", "operators/{name}/revoke", role: .admin, revoke),
        Operation("listOperatorSessions", "GET", "operatorSessions", role: .viewer, sessions),
        Operation(
            "endOperatorSession",
            "DELETE",
            "operatorSessions/{sessionId}",
            role: .viewer,
            endSession
        ),
        Operation("listTokens", "GET", "tokens", role: .viewer, tokens),
        Operation("makeToken", "POST", "tokens", role: .viewer, isForBrowsers: true, makeToken),
        Operation("revokeToken", "DELETE", "tokens/{tokenId}", role: .viewer, revokeToken),
    ]

    // MARK: Operators

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let now = call.now
        return try call.read { tx in
            let (sessions, tokens) = (try tx.operators.sessions(), try tx.operators.tokens())
            return Shown.page(
                try tx.operators.all().map { row in
                    Self.row(
                        row,
                        sessions.filter { $0.name == row.name && $0.isLive(at: now) },
                        tokens: tokens.count { $0.name == row.name && now < $0.expiresAt }
                    )
                }
            )
        }
    }

    private static func row(_ row: Operator, _ sessions: [OperatorSession], tokens: Int) -> JSONObject {
        JSONObject(showing: [
            "name": row.name, "role": row.role.rawValue, "hasPassword": row.passwordHash != nil,
            "createdAt": row.createdAt, "lastSeenAt": sessions.map(\.seenAt).max().map(Shown.moment),
            "sessions": sessions.count, "tokens": tokens,
        ])
    }

    private static func found(_ call: OperationCall, in tx: Transaction) throws -> Operator {
        let name = call.parameter("name")
        guard let row = try tx.operators.find(name) else { throw Refused.notFound("operator", name) }
        return row
    }

    private static func role(_ call: OperationCall) throws -> OperatorRole {
        guard let role = try call.fields.word("role", as: OperatorRole.self) else {
            throw Refused.invalid("role", "role must be viewer, operator or admin.")
        }
        return role
    }

    private static func add(_ call: OperationCall) throws -> JSONObject {
        let name = try call.fields.requiredText("name", length: 1...64)
        let role = try Self.role(call)
        let link = try call.act { work, act in
            guard try work.tx.operators.find(name) == nil else {
                throw Refused(409, .duplicated, "The operator \(name) already exists.", field: "name")
            }
            act = Act(subject: "operator \(name)", after: ["role": .string(role.rawValue)])
            return try OperatorLink.make(of: name, role: role, in: work.tx)
        }
        return shown(link, call)
    }

    private static func shown(_ link: OperatorLink, _ call: OperationCall) -> JSONObject {
        JSONObject(showing: [
            "operator": link.name, "role": link.role.rawValue, "url": link.url(at: call.context.consoleURL),
            "expiresAt": link.expiresAt,
        ])
    }

    private static func change(_ call: OperationCall) throws -> JSONObject {
        let role = try Self.role(call)
        return try call.act { work, act in
            var row = try found(call, in: work.tx)
            try requireOtherAdmin(than: row, unless: role == .admin, in: work.tx)
            act.subject = "operator \(row.name)"
            act.before = ["role": .string(row.role.rawValue)]
            act.after = ["role": .string(role.rawValue)]
            row.role = role
            try work.tx.operators.save(row)
            let now = work.now
            return Self.row(
                row,
                try work.tx.operators.sessions(of: row.name).filter { $0.isLive(at: now) },
                tokens: try work.tx.operators.tokens(of: row.name).count
            )
        }
    }

    private static func requireOtherAdmin(than row: Operator, unless isStill: Bool, in tx: Transaction) throws {
        guard row.role == .admin, !isStill else { return }
        guard try tx.operators.all().contains(where: { $0.role == .admin && $0.name != row.name }) else {
            throw Refused(409, .forbidden, "\(row.name) is the only admin; make another admin first.")
        }
    }

    private static func remove(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let row = try found(call, in: work.tx)
            try requireOtherAdmin(than: row, unless: false, in: work.tx)
            act = Act(subject: "operator \(row.name)", before: ["role": .string(row.role.rawValue)])
            _ = try work.tx.operators.remove(row.name)
        }
        return [:]
    }

    private static func link(_ call: OperationCall) throws -> JSONObject {
        let link = try call.act { work, act in
            let row = try found(call, in: work.tx)
            act.subject = "operator \(row.name)"
            return try OperatorLink.make(of: row.name, role: row.role, in: work.tx)
        }
        return shown(link, call)
    }

    private static func revoke(_ call: OperationCall) throws -> JSONObject {
        let count = try call.act { work, act in
            let row = try found(call, in: work.tx)
            act.subject = "operator \(row.name)"
            let count = try work.tx.operators.revoke(row.name)
            act.after = ["sessionsEnded": Shown.count(count)]
            return count
        }
        return ["count": Shown.count(count)]
    }

    // MARK: Sessions

    private static func sessions(_ call: OperationCall) throws -> JSONObject {
        let name = call.caller.role == .admin ? nil : call.caller.name
        return try call.read { tx in
            let roles = Dictionary(try tx.operators.all().map { ($0.name, $0.role) }) { first, _ in first }
            let live = try tx.operators.sessions(of: name).filter { $0.isLive(at: call.now) }
            return Shown.page(
                live.map { session in
                    JSONObject(showing: [
                        "sessionId": session.id, "operator": session.name,
                        "role": (roles[session.name] ?? .viewer).rawValue, "way": session.way.rawValue,
                        "address": session.address, "client": session.client, "createdAt": session.createdAt,
                        "lastSeenAt": session.seenAt, "idleUntil": session.idleUntil, "expiresAt": session.expiresAt,
                        "isCurrent": session.id == call.caller.session?.id,
                    ])
                }
            )
        }
    }

    private static func endSession(_ call: OperationCall) throws -> JSONObject {
        let id = call.parameter("sessionId")
        try call.act { work, act in
            let session = try work.tx.operators.session(id)
            guard let session, call.caller.role == .admin || session.name == call.caller.name else {
                throw Refused.notFound("session with that id")
            }
            act = Act(subject: "session \(session.id)", before: ["operator": .string(session.name)])
            _ = try work.tx.operators.end(session.id)
        }
        return [:]
    }

    // MARK: Tokens

    /// Returns a token as a row (`Token`).
    package static func row(_ token: OperatorToken) -> JSONObject {
        JSONObject(showing: [
            "tokenId": token.id, "name": token.label, "operator": token.name, "role": token.role.rawValue,
            "createdAt": token.createdAt, "expiresAt": token.expiresAt, "lastUsedAt": token.usedAt,
        ])
    }

    private static func tokens(_ call: OperationCall) throws -> JSONObject {
        let name = call.caller.role == .admin ? nil : call.caller.name
        return try call.read { tx in
            Shown.page(try tx.operators.tokens(of: name).map(row))
        }
    }

    private static func makeToken(_ call: OperationCall) throws -> JSONObject {
        let label = try call.fields.requiredText("name", length: 1...64)
        let role = try call.fields.word("role", as: OperatorRole.self) ?? call.caller.role
        let days = try call.fields.integer("days", in: 1...OperatorSignIn.tokenDaysMax)
        guard role <= call.caller.role else {
            throw Refused(403, .forbidden, "A token can't have more rights than you.", field: "role")
        }
        let token = OperatorToken(
            id: "ot-" + Sodium.base64URL(Sodium.randomBytes(9)),
            label: label,
            name: call.caller.name,
            role: role,
            createdAt: call.now,
            expiresAt: call.now.adding(seconds: (days ?? OperatorSignIn.tokenDays) * 86_400)
        )
        let secret = Sodium.randomSecret()
        try call.act { work, act in
            guard try work.tx.operators.tokens(of: token.name).count < Operator.tokensMax else {
                throw Refused(409, .tooManyRequests, "You already have \(Operator.tokensMax) tokens; revoke one first.")
            }
            act = Act(subject: "token \(token.id)", after: ["name": .string(label), "role": .string(role.rawValue)])
            try work.tx.operators.add(token, secret: secret)
        }
        return ["token": .string(secret), "row": .object(row(token))]
    }

    private static func revokeToken(_ call: OperationCall) throws -> JSONObject {
        let id = call.parameter("tokenId")
        try call.act { work, act in
            let token = try work.tx.operators.token(id)
            guard let token, call.caller.role == .admin || token.name == call.caller.name else {
                throw Refused.notFound("token with that id")
            }
            act = Act(subject: "token \(id)", before: ["operator": .string(token.name), "name": .string(token.label)])
            _ = try work.tx.operators.removeToken(id)
        }
        return [:]
    }
}
