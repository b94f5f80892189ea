import Credentials

/// The rules for admission and rights, which depend only on records and the clock (reference: connecting#principals).
struct Admission {
    let root: String
    /// The digest of the secret of `service:lamplighter`, from the broker's configuration.
    let worker: Digest
    /// The sessions that a worker has revoked, even if the credentials file still shows them as valid.
    var revoked: SessionMarks
    /// The sessions whose token was used at this gate, even if the credentials file doesn't show this use yet.
    var used = SessionMarks()
    /// The old tokens that became invalid when newer tokens were used at this gate.
    var spent = SpentTokens()

    static let workerName = "lamplighter"

    /// The credentials of a connection attempt.
    struct Attempt {
        var username: String?
        var password: Digest?
        var clientId: String
        var certificate: ClientCertificate?
    }

    /// The result of a successful admission.
    struct Pass {
        var principal: Principal
        /// The digest of the secret with which the client was admitted.
        ///
        /// The value is nil if a certificate was used, or if the client is a terminal or a link.
        var secret: Digest?
        /// The moment from which the client's certificate is valid, or nil if the client used no certificate.
        var certificate: Int64?
        /// Whether the client connected with an API key.
        var isKey = false
        /// Whether the client is a terminal without a record or uses a product's secret.
        var isNewcomer = false
        /// Whether the client used a secret that many clients share: a product's or an app's.
        var isSecretShared = false
        /// The session whose token was used.
        var session: String?
        /// The session whose newest token has just been used for the first time, or nil in all other cases.
        var begun: Session?
    }

    /// Admits a connection attempt, or throws the reason for its refusal.
    ///
    /// `tables` is nil while the credentials file can't be read.
    func admit(_ attempt: Attempt, by tables: CredentialTables?, now: Int64) throws(RefusalReason) -> Pass {
        guard let username = attempt.username else { throw .noUsername }
        let principal = try Principal(username: username, clientId: attempt.clientId)
        if case .device(let did) = principal, let certificate = attempt.certificate, certificate.isOf(did) {
            return try admit(did, by: certificate, tables)
        }
        guard let password = attempt.password else { throw .noPassword }
        if principal == .service(name: Self.workerName), password == worker {
            return Pass(principal: principal, secret: worker)
        }
        guard let tables else { throw .credentialsUnavailable }
        if case .terminal(let terminalId, let appId) = principal {
            return try admit(terminalId, of: appId, password, by: tables, now: now)
        }
        if case .link(let sessionId) = principal {
            guard let session = link(sessionId, in: tables, at: now) else { throw .unknownPrincipal }
            var pass = Pass(principal: principal, secret: nil)
            guard isTerminals(password, session, at: now, noting: &pass) else { throw .badSecret }
            return pass
        }
        guard let secret = secret(of: principal, in: tables) else { throw .unknownPrincipal }
        guard secret == password else { throw .badSecret }
        var pass = Pass(principal: principal, secret: secret)
        if case .product = principal { (pass.isNewcomer, pass.isSecretShared) = (true, true) }
        return pass
    }

    /// Admits a device by its certificate, which the broker has verified.
    private func admit(
        _ did: String,
        by certificate: ClientCertificate,
        _ tables: CredentialTables?
    ) throws(RefusalReason) -> Pass {
        guard let tables else { throw .credentialsUnavailable }
        guard tables.devices[did] != nil else { throw .unknownPrincipal }
        guard counts(certificate.begin, of: did, by: tables) else { throw .certificateRevoked }
        return Pass(principal: .device(did: did), secret: nil, certificate: certificate.begin)
    }

    /// Returns false if a certificate whose validity begins at `begin` has been revoked, and otherwise true.
    private func counts(_ begin: Int64?, of did: String, by tables: CredentialTables) -> Bool {
        guard let begin, let from = tables.certificates[did] else { return true }
        return begin >= from
    }

    private func admit(
        _ terminalId: String,
        of appId: String,
        _ password: Digest,
        by tables: CredentialTables,
        now: Int64
    ) throws(RefusalReason) -> Pass {
        guard let secret = tables.apps[appId] else { throw .unknownPrincipal }
        let principal = Principal.terminal(terminalId: terminalId, appId: appId)
        var pass = Pass(principal: principal, secret: nil)
        guard let entry = tables.terminals[terminalId] else {
            guard secret == password else { throw .badSecret }
            (pass.isNewcomer, pass.isSecretShared) = (true, true)
            return pass
        }
        guard entry.appId == appId else { throw .terminalOfOtherApp }
        if entry.session?.isLink ?? false { throw .badSecret }
        let session = live(entry.session, at: now)
        if let session, isTerminals(password, session, at: now, noting: &pass) { return pass }
        guard secret == password else { throw .badSecret }
        if entry.session?.isKey ?? false { throw .sessionTokenRequired }
        if let session, isUsed(session) { throw .sessionTokenRequired }
        // The answer to the login may have been lost. The app can therefore still connect with its secret and repeat
        // the login. Until the app has repeated the login, the connection doesn't get the session's rights.
        pass.isSecretShared = true
        return pass
    }

    /// Returns whether a password is a token of the session.
    ///
    /// If so, the session is recorded in `pass`. If the session's newest token is used for the first time, `pass.begun`
    /// is also set.
    private func isTerminals(_ password: Digest, _ session: Session, at now: Int64, noting pass: inout Pass) -> Bool {
        let old = overlapping(session, at: now)
        guard session.token == password || old?.token == password else { return false }
        (pass.session, pass.isKey) = (session.sessionId, session.isKey)
        if session.token == password, old != nil || !isUsed(session) { pass.begun = session }
        return true
    }

    private func isUsed(_ session: Session) -> Bool { session.isUsed || used.contains(session.sessionId) }

    /// Returns the old token if it is still valid.
    ///
    /// Its validity ends a minute after the refresh, or when the new token is used.
    func overlapping(_ session: Session, at now: Int64) -> OldToken? {
        guard let old = session.old, now < old.until,
            !spent.contains(old, of: session.sessionId)
        else { return nil }
        return old
    }

    /// Returns an admitted principal's current rights, or nil if it would no longer be admitted.
    ///
    /// `secret` is the digest of the secret that admitted the principal. The value is nil if the digest is unknown or
    /// doesn't matter. `certificate` is the moment from which the presented certificate is valid, or nil if no
    /// certificate was presented. `isStranger` is true if the principal connected with the app's secret, but the
    /// terminal's session wasn't begun by a login on this connection. The principal then gets no rights of the session.
    func rights(
        of principal: Principal,
        secret: Digest?,
        certificate: Int64? = nil,
        isStranger: Bool = false,
        by tables: CredentialTables,
        now: Int64
    ) -> Rights? {
        if principal == .service(name: Self.workerName), secret == nil || secret == worker {
            return .service(.worker, root: root)
        }
        switch principal {
        case .product(let key, let mac):
            guard unchanged(tables.products[key], secret) else { return nil }
            return .product(key: key, mac: mac, root: root)
        case .device(let did):
            guard unchanged(tables.devices[did], secret),
                counts(certificate, of: did, by: tables)
            else { return nil }
            return .device(did: did, root: root)
        case .service(let name):
            guard let entry = tables.services[name], unchanged(entry.secret, secret) else { return nil }
            return .service(entry.role, root: root)
        case .terminal(let terminalId, let appId):
            let entry = tables.terminals[terminalId]
            guard tables.apps[appId] != nil, entry == nil || entry?.appId == appId else { return nil }
            let session = isStranger ? nil : live(entry?.session, at: now)
            return .terminal(terminalId: terminalId, appId: appId, session: session, root: root)
        case .link(let sessionId): return link(sessionId, in: tables, at: now).map { .link($0, root: root) }
        }
    }

    /// Returns the live session of a link, or nil if the link has no live session.
    private func link(_ sessionId: String, in tables: CredentialTables, at now: Int64) -> Session? {
        let session = live(tables.terminals[Session.terminal(ofLink: sessionId)]?.session, at: now)
        return session?.sessionId == sessionId && session?.isLink == true ? session : nil
    }

    /// Returns the session, or nil if it has expired or been revoked.
    func live(_ session: Session?, at now: Int64) -> Session? {
        guard let session, now < session.expiresAt, !revoked.contains(session.sessionId) else { return nil }
        return session
    }

    private func unchanged(_ record: Digest?, _ secret: Digest?) -> Bool {
        guard let record else { return false }
        guard let secret else { return true }
        return record == secret
    }

    private func secret(of principal: Principal, in tables: CredentialTables) -> Digest? {
        switch principal {
        case .product(let key, _): tables.products[key]
        case .device(let did): tables.devices[did]
        case .service(let name): tables.services[name]?.secret
        case .terminal, .link: nil
        }
    }
}

/// The 10,000 most recently changed sessions, whose changes the credentials file might not show yet.
struct SessionMarks {
    private var ids: Set<String> = []
    private var order: [String] = []
    private var next = 0
    private let limit: Int

    init(limit: Int = 10_000) { self.limit = limit }

    func contains(_ id: String) -> Bool { !ids.isEmpty && ids.contains(id) }

    mutating func insert(_ id: String) {
        guard ids.insert(id).inserted else { return }
        if order.count < limit {
            order.append(id)
        } else if order.indices.contains(next) {
            ids.remove(order[next])
            order[next] = id
            next = next &+ 1 < limit ? next &+ 1 : 0
        }
    }
}

/// The old tokens that became invalid because newer tokens were used at this gate.
///
/// The gate notifies the service when a new token is used. The credentials file shows the use soon after.
struct SpentTokens {
    private var tokens: [String: OldToken] = [:]
    private let limit: Int

    init(limit: Int = 10_000) { self.limit = limit }

    func contains(_ old: OldToken, of sessionId: String) -> Bool { !tokens.isEmpty && tokens[sessionId] == old }

    mutating func insert(_ old: OldToken, of sessionId: String, now: Int64) {
        if tokens.count >= limit { tokens = tokens.filter { now < $0.value.until } }
        if tokens.count >= limit { tokens.removeAll() }
        tokens[sessionId] = old
    }
}
