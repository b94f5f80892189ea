import Credentials

/// The rules for the admission and the rights of clients: a pure function of the records.
///
/// The rules in words (reference: connecting#principals).
struct Admission {
    let root: String
    /// The secret of `service:lamplighter`, known without a file.
    let worker: Digest
    /// Sessions that a worker revoked, even if the file does not show it yet.
    var revoked: SessionMarks
    /// Sessions whose token was used here, even if the file does not show it yet.
    var used = SessionMarks()
    /// Old tokens whose successors were used here, even if the file does not show it yet.
    var spent = SpentTokens()

    static let workerName = "lamplighter"

    /// The credentials of a connection attempt.
    struct Attempt {
        var username: String?
        var password: Digest?
        var clientId: String
        var certificate: ClientCertificate?
    }

    /// An admitted principal.
    struct Pass {
        var principal: Principal
        /// The digest that the secret matched; nil for a session's token, which may be replaced.
        var secret: Digest?
        /// The beginning of the validity of the certificate that the client presented instead of a secret; nil without
        /// a certificate.
        var certificate: Int64?
        /// Whether it connected with an API key.
        var isKey = false
        /// Whether the client is new: a terminal without a record, or any client with a product's secret.
        var isNewcomer = false
        /// Whether many clients share the secret: the product's or the app's.
        var isSecretShared = false
        /// The session whose token was used.
        var session: String?
        /// The session whose token was used for the first time: after the login, or while the token before it still
        /// worked.
        var begun: Session?
    }

    /// Checks a connection attempt; `tables` is nil while the file can't be read.
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
        guard let secret = secret(of: principal, in: tables) else { throw .unknownPrincipal }
        guard secret == password else { throw .badSecret }
        var pass = Pass(principal: principal, secret: secret)
        if case .product = principal { (pass.isNewcomer, pass.isSecretShared) = (true, true) }
        return pass
    }

    /// Admits a device by its certificate, which the broker has verified to be from the devices' authority.
    private func admit(
        _ did: String,
        by certificate: ClientCertificate,
        _ tables: CredentialTables?
    ) throws(RefusalReason) -> Pass {
        guard let tables else { throw .credentialsUnavailable }
        guard tables.devices[did] != nil else { throw .unknownPrincipal }
        guard counts(certificate.begin, of: did, by: tables) else { throw .certificateRevoked }
        return Pass(
            principal: .device(did: did),
            secret: nil,
            certificate: certificate.begin
        )
    }

    /// Whether a certificate that begins at this moment still counts; true without a certificate.
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
        let session = live(entry.session, at: now)
        if let session, isTerminals(password, session, at: now, noting: &pass) { return pass }
        guard secret == password else { throw .badSecret }
        if entry.session?.isKey ?? false { throw .sessionTokenRequired }
        if let session, isUsed(session) { throw .sessionTokenRequired }
        // The answer to the login may be lost: the app may repeat the login, and has no part in the session until then.
        pass.isSecretShared = true
        return pass
    }

    /// Whether a password is a token of the session on its terminal; notes the session and a first use if so.
    private func isTerminals(_ password: Digest, _ session: Session, at now: Int64, noting pass: inout Pass) -> Bool {
        let old = overlapping(session, at: now)
        guard session.token == password || old?.token == password else { return false }
        (pass.session, pass.isKey) = (session.sessionId, session.isKey)
        if session.token == password, old != nil || !isUsed(session) { pass.begun = session }
        return true
    }

    /// Whether a token of the session was ever used.
    private func isUsed(_ session: Session) -> Bool { session.isUsed || used.contains(session.sessionId) }

    /// Returns the token from before a refresh while it works: until the new token's first use, a minute at most.
    func overlapping(_ session: Session, at now: Int64) -> OldToken? {
        guard let old = session.old, now < old.until,
            !spent.contains(old, of: session.sessionId)
        else { return nil }
        return old
    }

    /// Returns the rights of an admitted principal by the current records; nil if it would no longer be admitted.
    ///
    /// `secret` is the principal's secret at its admission, or nil if that is unknown or doesn't matter. `certificate`
    /// is when the validity of the presented certificate begins; nil without one. `isStranger` means that the principal
    /// has no part in the session on its terminal: it connected with the app's secret, and the login came over another
    /// connection.
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
            return .terminal(
                terminalId: terminalId,
                appId: appId,
                session: session,
                root: root
            )
        }
    }

    /// Returns the session if it has neither expired nor been revoked.
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
        case .terminal: nil
        }
    }
}

/// Ids of the newest 10,000 sessions with a change that the file may not show yet.
///
/// The file follows soon; it has long shown the changes of older sessions.
struct SessionMarks {
    private var ids: Set<String> = []
    private var order: [String] = []
    private var next = 0
    private let limit: Int

    init(limit: Int = 10_000) {
        self.limit = limit
    }

    func contains(_ id: String) -> Bool {
        !ids.isEmpty && ids.contains(id)
    }

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

/// Old tokens that ended when their successors were used at this gate, within the last minute.
///
/// The service is notified, and the file follows soon.
struct SpentTokens {
    private var tokens: [String: OldToken] = [:]
    private let limit: Int

    init(limit: Int = 10_000) {
        self.limit = limit
    }

    func contains(_ old: OldToken, of sessionId: String) -> Bool { !tokens.isEmpty && tokens[sessionId] == old }

    mutating func insert(_ old: OldToken, of sessionId: String, now: Int64) {
        if tokens.count >= limit { tokens = tokens.filter { now < $0.value.until } }
        if tokens.count >= limit { tokens.removeAll() }
        tokens[sessionId] = old
    }
}
