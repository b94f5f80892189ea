import Domain
import JSON
import Providers
import Service
import Sodium
import Storage
import Web
import Wire
import Workers

/// Signs operators in and out.
struct SignIn: Sendable {
    let access: Access
    private let hasher: PasswordHasher
    /// The hash of no password, against which those of unknown names are verified, in the same time.
    private let dummy: String?

    init(_ access: Access) {
        self.access = access
        hasher = PasswordHasher()
        dummy = try? hasher.hash(Array(Sodium.randomSecret().utf8))
    }

    /// The operations of signing in and out.
    var operations: [Operation] {
        [
            Operation("enter", "POST", "session/enter", role: nil, enter),
            Operation("signIn", "POST", "session", role: nil, signIn),
            Operation("showSession", "GET", "session", role: .viewer) { call in
                Reply(try Self.signedIn(call.caller, call))
            },
            Operation("signOut", "DELETE", "session", role: .viewer, signOut),
            Operation(
                "setPassword",
                "PUT",
                "session/password",
                role: .viewer,
                isForBrowsers: true,
                setPassword
            ),
        ]
    }

    // MARK: In

    private func enter(_ call: ConsoleCall) throws -> Reply {
        let token = try call.fields.requiredText("token", length: 1...64)
        let from = Self.address(call)
        try Self.count([from], call)
        let found = try call.store.batch(at: call.now, once: true) { tx in
            let row = try tx.operators.takeLink(token: token)
            if row != nil { try tx.attempts.takeBack(from.subject) }
            return row
        }
        guard let row = found else {
            throw Refused(
                401,
                ErrorCode.invalidToken.rawValue,
                "This link was used, or is older than 30 minutes. Make another one: lamplighter console"
            )
        }
        return try begin(row, .link, for: call)
    }

    private func signIn(_ call: ConsoleCall) throws -> Reply {
        let name = try call.fields.requiredText("name", length: 1...64)
        let password = try call.fields.requiredText("password", length: 1...256)
        let (byName, from) = (Self.name(name), Self.address(call))
        // Counted before it is known to be wrong, so that tries side by side have no more than the rest.
        try Self.count([byName, from], call)
        let row = try call.store.read { try $0.operators.find(name) }
        let bytes = PasswordRules.normalised(password) ?? []
        let isRight = hasher.verify(bytes, against: row?.passwordHash ?? dummy ?? "")
        guard isRight, let row, row.passwordHash != nil else {
            throw Refused(
                401,
                ErrorCode.invalidCredentials.rawValue,
                "The name or the password is wrong."
            )
        }
        try call.store.batch(at: call.now, once: true) { tx in
            try tx.attempts.clear(byName.subject)
            try tx.attempts.takeBack(from.subject)
        }
        return try begin(row, .password, for: call)
    }

    /// The tries that one name has.
    private static func name(_ name: String) -> AttemptTable.Limit {
        .init(
            "operator/name/\(name)",
            max: OperatorSignIn.triesPerName,
            windowSeconds: OperatorSignIn.triesSeconds
        )
    }

    /// The tries that one address has.
    private static func address(_ call: ConsoleCall) -> AttemptTable.Limit {
        .init(
            "operator/from/\(call.request.address)",
            max: OperatorSignIn.triesPerAddress,
            windowSeconds: OperatorSignIn.triesSeconds
        )
    }

    /// Counts a try, and refuses it where there are none left.
    private static func count(_ limits: [AttemptTable.Limit], _ call: ConsoleCall) throws {
        let wait = try call.store.batch(at: call.now, once: true) { try $0.attempts.take(limits) }
        guard let wait else { return }
        var refused = Refused(
            429,
            ErrorCode.tooManyRequests.rawValue,
            "Too many wrong tries; try again later, or make a link: lamplighter console"
        )
        refused.retryAfter = wait
        throw refused
    }

    /// Begins a session with a token of its own, whatever the browser had before.
    private func begin(
        _ row: Operator,
        _ way: OperatorSession.Way,
        for call: ConsoleCall
    ) throws -> Reply {
        let token = Sodium.randomSecret()
        let session = OperatorSession(
            id: "os-" + Sodium.base64URL(Sodium.randomBytes(9)),
            name: row.name,
            way: way,
            address: call.request.address,
            client: Rejection.shown(call.request.header("user-agent") ?? "", upTo: 200),
            createdAt: call.now
        )
        try call.store.batch(at: call.now, once: true) { tx in
            try tx.operators.begin(session, token: token)
            var entry = AuditEntry(
                kind: .operatorAct,
                uid: nil,
                app: nil,
                actor: Actor(.operator, row.name),
                detail: call.operation.id
            )
            entry.subject = "session \(session.id)"
            try tx.audit.add(entry)
        }
        let caller = Caller(
            name: row.name,
            role: row.role,
            hasPassword: row.passwordHash != nil,
            way: .session(session)
        )
        var reply = Reply(try Self.signedIn(caller, call))
        reply.headers = [access.cookie(token)]
        return reply
    }

    // MARK: Out, and the password

    private func signOut(_ call: ConsoleCall) throws -> Reply {
        switch call.caller.way {
        case .session(let session):
            try call.act { work, act in
                _ = try work.tx.operators.end(session.id)
                act.subject = "session \(session.id)"
            }
        case .token(let token):
            try call.act { work, act in
                _ = try work.tx.operators.removeToken(token.id)
                act.subject = "token \(token.id)"
            }
        case nil: break
        }
        var reply = Reply.empty
        reply.headers = [access.cookie(nil)]
        return reply
    }

    private func setPassword(_ call: ConsoleCall) throws -> Reply {
        let password = try call.fields.requiredText("password", length: 1...256)
        let current = try call.fields.text("current", length: 1...256)
        guard let session = call.caller.session,
            let row = try call.store.read({ try $0.operators.find(call.caller.name) })
        else { throw Refused.unauthorized }
        let isFresh =
            session.way == .link
            && call.now < session.createdAt.adding(seconds: OperatorSignIn.linkTrustSeconds)
        if let hash = row.passwordHash, !isFresh {
            let tries = Self.name(row.name)
            try Self.count([tries], call)
            let bytes = current.flatMap { PasswordRules.normalised($0) } ?? []
            guard hasher.verify(bytes, against: hash) else {
                throw Refused(
                    403,
                    ErrorCode.invalidCredentials.rawValue,
                    "The current password is wrong."
                )
            }
        }
        try call.store.batch(at: call.now) { try $0.attempts.clear(Self.name(row.name).subject) }
        let bytes = try PasswordRules.check(password, names: [row.name], field: "password")
        let hash = try hasher.hash(bytes)
        try call.act { work, act in
            try work.tx.operators.setPassword(hash, of: row.name)
            let ended = try work.tx.operators.revoke(row.name, except: session.id)
            act.subject = "operator \(row.name)"
            act.after = ["sessionsEnded": .integer(Int64(ended))]
        }
        var caller = call.caller
        caller.hasPassword = true
        return Reply(try Self.signedIn(caller, call))
    }

    // MARK: What is shown

    private static func signedIn(_ caller: Caller, _ call: ConsoleCall) throws -> JSONObject {
        let others = try call.store.read { try $0.operators.sessions(of: caller.name) }
            .count { $0.isLive(at: call.now) && $0.id != caller.session?.id }
        var (idle, end, way): (Instant?, Instant, String)
        switch caller.way {
        case .session(let session):
            (idle, end, way) = (session.idleUntil, session.expiresAt, session.way.rawValue)
        case .token(let token): (idle, end, way) = (nil, token.expiresAt, "token")
        case nil: throw Refused.unauthorized
        }
        let run = call.context.run
        let docs = run.publicURL + "/docs/"
        let hasPlayground = run.ports.webSocket != nil || run.ports.webSocketTLS != nil
        let members: [(String, JSONValue?)] = [
            ("operator", .string(caller.name)), ("role", .string(caller.role.rawValue)),
            ("way", .string(way)), ("hasPassword", .bool(caller.hasPassword)),
            ("idleUntil", idle.map { .integer($0.milliseconds) }),
            ("expiresAt", .integer(end.milliseconds)),
            ("sessionId", caller.session.map { .string($0.id) }),
            ("otherSessions", .integer(Int64(others))), ("version", .string(Version.text)),
            ("isDevelopment", .bool(call.context.isDevelopment)), ("docs", .string(docs)),
            ("playground", hasPlayground ? .string(docs + "try.html") : nil),
        ]
        return JSONObject(members)
    }
}
