import Administration
import Domain
import Files
import JSON
import Providers
import Service
import Sodium
import Storage
import Web
import Wire
import Workers

/// The operations with which operators sign in and out, and set their passwords.
struct SignIn: Sendable {
    private let context: ConsoleContext
    private let access: Access
    private let failures: FailedSignIns
    private let browsers: KnownBrowser
    private let hasher: PasswordHasher
    /// The hash with which the password is compared if no operator has the given name.
    ///
    /// Without this comparison, the service would refuse an unknown name faster than a known name with a wrong
    /// password. An attacker could then find out which names exist.
    private let dummy: String?

    init(_ context: ConsoleContext, _ access: Access, failures: FailedSignIns) {
        (self.context, self.access, self.failures) = (context, access, failures)
        browsers = KnownBrowser(secret: context.run.secrets.tools)
        hasher = PasswordHasher()
        dummy = try? hasher.hash(Array(Sodium.randomSecret().utf8))
    }

    /// The operations for sessions and passwords.
    var operations: [Operation] {
        [
            Operation("enter", "POST", "session/enter", role: nil, work: .blocking(enter)),
            Operation("signIn", "POST", "session", role: nil, work: .blocking(signIn)),
            Operation("showSession", "GET", "session", role: .viewer) { call in try signedIn(call.caller, call) },
            Operation("signOut", "DELETE", "session", role: .viewer, work: .blocking(signOut)),
            Operation("setPassword", "PUT", "session/password", role: .viewer, isForBrowsers: true, setPassword),
        ]
    }

    // MARK: Signing in

    private func enter(_ call: OperationCall) throws -> Reply {
        let token = try call.fields.requiredText("token", length: 1...64)
        // A valid token works even after many failed tries: it is too long to be guessed.
        let found = try call.store.batch(at: call.now, once: true) { tx in try tx.operators.takeLink(token: token) }
        guard let row = found else {
            try count([Self.links(call)], .link, for: call)
            try failures.tell(.link, from: call.request.address)
            let detail = "This link was used, or is older than 30 minutes. Make a new one: lamplighter console"
            throw Refused(401, ErrorCode.invalidToken.rawValue, detail)
        }
        return try begin(row, .link, for: call)
    }

    private func signIn(_ call: OperationCall) throws -> Reply {
        let name = try call.fields.requiredText("name", length: 1...64)
        let password = try call.fields.requiredText("password", length: 1...256)
        let row = try call.store.read { try $0.operators.find(name) }
        let limits = tries(of: row?.name, Self.counted(name, row), for: call)
        // The try is counted before the password is verified, so that concurrent tries are limited too.
        try count(limits, .password, name: row?.name, for: call)
        let bytes = PasswordRules.normalised(password) ?? []
        let isRight = hasher.verify(bytes, against: row?.passwordHash ?? dummy ?? "")
        guard isRight, let row, row.passwordHash != nil else {
            try failures.tell(.password, name: row?.name, from: call.request.address)
            throw Refused(401, ErrorCode.invalidCredentials.rawValue, "The name or the password is wrong.")
        }
        try call.store.batch(at: call.now, once: true) { tx in
            try tx.attempts.clear(limits[0].subject)
            for limit in limits.dropFirst() { try tx.attempts.takeBack(limit.subject) }
        }
        return try begin(row, .password, for: call)
    }

    /// Returns the limits on the number of password tries.
    ///
    /// A known browser has its own limit. All other browsers have no limits of their own: their tries are counted for
    /// each name, and for each pair of a name and an address. Each of these counts has a limit.
    private func tries(of name: String?, _ counted: String, for call: OperationCall) -> [AttemptTable.Limit] {
        let mark = access.browserMark(call.request)
        if let name, let number = browsers.number(in: mark, for: name) {
            return [Self.limit("browser/\(number)", OperatorSignIn.tries)]
        }
        return [
            Self.limit("from/\(call.request.address)/\(counted)", OperatorSignIn.tries),
            Self.limit("name/\(counted)", OperatorSignIn.triesPerName),
        ]
    }

    /// Returns the name under which a try is counted.
    ///
    /// A try with an operator's name is counted under this name. A try with any other name is counted under one of 256
    /// substitute names.
    private static func counted(_ name: String, _ row: Operator?) -> String {
        row?.name ?? "?\(Sodium.sha256(name.utf8)[0])"
    }

    private static func links(_ call: OperationCall) -> AttemptTable.Limit {
        limit("from/\(call.request.address)", OperatorSignIn.linksPerAddress)
    }

    private static func limit(_ subject: String, _ max: Int) -> AttemptTable.Limit {
        .init("operator/\(subject)", max: max, windowSeconds: OperatorSignIn.triesSeconds)
    }

    private func count(
        _ limits: [AttemptTable.Limit],
        _ proof: FailedSignIns.Proof,
        name: String? = nil,
        for call: OperationCall
    ) throws {
        let wait = try call.store.batch(at: call.now, once: true) { try $0.attempts.take(limits) }
        guard let wait else { return }
        try failures.tell(proof, name: name, from: call.request.address, isTooMany: true)
        let detail = "Too many wrong tries; try again later, or make a link: lamplighter console"
        var refused = Refused(429, ErrorCode.tooManyRequests.rawValue, detail)
        refused.retryAfter = wait
        throw refused
    }

    /// Begins a session with a new token, even if the browser already has a session.
    private func begin(_ row: Operator, _ way: OperatorSession.Way, for call: OperationCall) throws -> Reply {
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
            let actor = Actor(.operator, row.name)
            var entry = AuditEntry(kind: .operatorAct, uid: nil, app: nil, actor: actor, detail: call.operation.id)
            entry.subject = "session \(session.id)"
            try tx.audit.add(entry)
        }
        var reply = Reply(try signedIn(Caller(row, role: row.role, way: .session(session)), call))
        reply.headers = [access.cookie(token), access.browserCookie(browsers.mark(for: row.name))]
        return reply
    }

    // MARK: Signing out and setting the password

    private func signOut(_ call: OperationCall) throws -> Reply {
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

    private static func current(_ row: Operator) -> AttemptTable.Limit {
        limit("current/\(row.name)", OperatorSignIn.tries)
    }

    private func setPassword(_ call: OperationCall) throws -> JSONObject {
        let password = try call.fields.requiredText("password", length: 1...256)
        let current = try call.fields.text("current", length: 1...256)
        guard let session = call.caller.session,
            let row = try call.store.read({ try $0.operators.find(call.caller.name) })
        else { throw Refused.unauthorized }
        let isFresh =
            session.way == .link && call.now < session.createdAt.adding(seconds: OperatorSignIn.linkTrustSeconds)
        if let hash = row.passwordHash, !isFresh {
            try count([Self.current(row)], .password, name: row.name, for: call)
            let bytes = current.flatMap { PasswordRules.normalised($0) } ?? []
            guard hasher.verify(bytes, against: hash) else {
                throw Refused(403, ErrorCode.invalidCredentials.rawValue, "The current password is wrong.")
            }
        }
        try call.store.batch(at: call.now) { try $0.attempts.clear(Self.current(row).subject) }
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
        return try signedIn(caller, call)
    }

    // MARK: Output

    private func signedIn(_ caller: Caller, _ call: OperationCall) throws -> JSONObject {
        let others = try call.store.read { try $0.operators.sessions(of: caller.name) }
            .count { $0.isLive(at: call.now) && $0.id != caller.session?.id }
        var (idle, end, way): (Instant?, Instant, String)
        switch caller.way {
        case .session(let session): (idle, end, way) = (session.idleUntil, session.expiresAt, session.way.rawValue)
        case .token(let token): (idle, end, way) = (nil, token.expiresAt, "token")
        case nil: throw Refused.unauthorized
        }
        let run = context.run
        let docs = run.publicURL + "/docs/"
        let hasPlayground = run.ports.webSocket != nil || run.ports.webSocketTLS != nil
        return JSONObject(showing: [
            "operator": caller.name, "role": caller.role.rawValue, "way": way, "hasPassword": caller.hasPassword,
            "idleUntil": idle, "expiresAt": end, "sessionId": caller.session?.id, "otherSessions": others,
            "version": Version.text, "isDevelopment": context.service.isDevelopment, "docs": docs,
            "playground": hasPlayground ? docs + "try.html" : nil,
        ])
    }
}
