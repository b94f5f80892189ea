import Domain
import Storage
import Wire

/// A limit on an owner's actions of one kind in a window of time.
struct Quota: Sendable {
    /// The kind of actions that a quota counts, and the metric's label.
    enum Kind: String, Sendable, CaseIterable {
        case codePause, codesPerPurpose, codesPerAddress, codesPerTerminal, codesPerSource
        case codesPerApp, codesPerCountry
        case mailsPerTerminal, mailsPerSource
        case anonymousPerTerminal, anonymousPerSource, anonymousPerApp
        case namedPerTerminal, namedPerSource, namedPerApp
        case hashesPerTerminal, sessionsPerTerminal
        case registrationsPerSource, registrationsPerProduct
        case bindTriesPerUser, bindTriesPerTerminal, bindTriesPerDevice
        case previewsPerTerminal

        /// The message if the limit is reached.
        ///
        /// Limits with different owners often share a message, which then doesn't reveal whose limit was reached.
        var message: String {
            switch self {
            case .codePause, .codesPerPurpose, .codesPerAddress:
                "Too many codes; the last one that was sent is still valid unless it was used."
            case .codesPerTerminal, .codesPerSource, .codesPerApp, .codesPerCountry: "Too many codes were requested."
            case .mailsPerTerminal, .mailsPerSource: "Too many mails with links were requested."
            case .anonymousPerTerminal, .anonymousPerSource, .anonymousPerApp: "Too many new anonymous users."
            case .namedPerTerminal, .namedPerSource, .namedPerApp: "Too many new users."
            case .hashesPerTerminal: "Too many passwords from this terminal."
            case .sessionsPerTerminal: "Too many logins on this terminal."
            case .registrationsPerSource, .registrationsPerProduct: "Too many new devices of this product."
            case .bindTriesPerUser, .bindTriesPerTerminal, .bindTriesPerDevice: "Too many wrong tries; wait."
            case .previewsPerTerminal: "Too many invitations were previewed."
            }
        }
    }

    static let minute: Int64 = 60
    static let quarter: Int64 = 900
    static let hour: Int64 = 3600
    static let day: Int64 = 86_400

    var kind: Kind
    /// The owner of the count; each owner has one count of each kind.
    var owner: String
    var max: Int
    var seconds: Int64

    init(_ kind: Kind, _ owner: String, max: Int, seconds: Int64) {
        self.kind = kind
        self.owner = owner
        self.max = max
        self.seconds = seconds
    }

    /// The name of the count in the store.
    var subject: String { "\(kind.rawValue)/\(owner)" }

    fileprivate var limit: AttemptTable.Limit { AttemptTable.Limit(subject, max: max, windowSeconds: seconds) }

    /// Returns a source address's limit, or no limit if the address is unknown or exempt from limits.
    static func source(_ kind: Kind, _ address: String?, of what: String? = nil, max: Int, seconds: Int64) -> [Quota] {
        guard let address else { return [] }
        let owner = what.map { "\(address)/\($0)" } ?? address
        return [Quota(kind, owner, max: max, seconds: seconds)]
    }
}

/// The counts of quotas, read and changed in a transaction.
///
/// All counts are rows in the store. The purpose of the quotas is to limit costs, so the counts must survive a restart.
/// Refused requests don't count. After a first refusal, further requests are refused from memory (`QuotaFront`).
struct QuotaBook {
    let tx: Transaction
    let front: QuotaFront

    /// Throws `TooManyRequests` with the time to wait if a limit is reached.
    func check(_ quotas: [Quota]) throws {
        var reached: (kind: Quota.Kind, wait: Int64)?
        for quota in quotas {
            guard let wait = try wait(quota), wait > reached?.wait ?? 0 else { continue }
            reached = (quota.kind, wait)
        }
        guard let reached else { return }
        tx.afterCommit { [front] in front.count(reached.kind) }
        throw Rejection(.tooManyRequests, reached.kind.message, retryAfter: reached.wait)
    }

    /// Adds one to all counts, or throws `TooManyRequests` if a limit is reached.
    func take(_ quotas: [Quota]) throws {
        if quotas.contains(where: { front.wait($0, at: tx.now) != nil }) { try check(quotas) }
        guard let wait = try tx.attempts.take(quotas.map(\.limit)) else {
            return quotas.forEach { front.noteCounted($0, at: tx.now) }
        }
        try check(quotas)
        throw Rejection(.tooManyRequests, quotas[0].kind.message, retryAfter: wait)
    }

    /// Subtracts a try from the counts of the quotas, because the try's proof is correct.
    func takeBack(_ quotas: [Quota]) throws { for quota in quotas { try tx.attempts.takeBack(quota.subject) } }

    private func wait(_ quota: Quota) throws -> Int64? {
        if let wait = front.wait(quota, at: tx.now) { return wait }
        let wait = try tx.attempts.retryAfter(quota.subject, max: quota.max, windowSeconds: quota.seconds)
        if let wait { front.refuse(quota, seconds: wait, at: tx.now) }
        return wait
    }
}

extension AttemptTable.Limit {
    /// Makes a limit on the attempts in an hour.
    init(_ subject: String, perHour max: Int) { self.init(subject, max: max, windowSeconds: Quota.hour) }

    /// Makes a limit on the attempts in a day.
    init(_ subject: String, perDay max: Int) { self.init(subject, max: max, windowSeconds: Quota.day) }
}

extension Transaction {
    /// Counts a try, or throws `TooManyRequests` with the given message if no try is left.
    func take(_ limit: AttemptTable.Limit, elseSay message: String) throws {
        if let wait = try attempts.take([limit]) { throw Rejection(.tooManyRequests, message, retryAfter: wait) }
    }
}

extension Call {
    /// The counts of quotas in the call's transaction.
    var quotas: QuotaBook { QuotaBook(tx: tx, front: environment.quotas) }

    private func perTerminal(_ kind: Quota.Kind, max: Int, seconds: Int64 = Quota.hour) -> Quota {
        Quota(kind, request.terminal.text, max: max, seconds: seconds)
    }

    private func perApp(_ kind: Quota.Kind, max: Int) -> Quota {
        Quota(kind, app.id.text, max: max, seconds: Quota.hour)
    }

    /// Returns the hourly limit of the request's source, if the source has a limit.
    func perSource(_ kind: Quota.Kind, max: Int) -> [Quota] {
        Quota.source(kind, request.sourceAddress, max: max, seconds: Quota.hour)
    }

    /// The limits on creating anonymous users.
    var anonymousQuotas: [Quota] {
        let counts = limits.counts
        return perSource(.anonymousPerSource, max: counts.anonymousPerSource) + [
            perTerminal(.anonymousPerTerminal, max: counts.anonymousPerTerminal, seconds: Quota.day),
            perApp(.anonymousPerApp, max: limits.anonymousPerHour),
        ]
    }

    /// The limits on creating named users.
    var namedQuotas: [Quota] {
        let counts = limits.counts
        return perSource(.namedPerSource, max: counts.namedPerSource) + [
            perTerminal(.namedPerTerminal, max: counts.namedPerTerminal), perApp(.namedPerApp, max: counts.namedPerApp),
        ]
    }

    /// The limits on sending e-mails with links.
    var mailQuotas: [Quota] {
        let counts = limits.counts
        let terminal = perTerminal(.mailsPerTerminal, max: counts.mailsPerTerminal)
        return perSource(.mailsPerSource, max: counts.mailsPerSource) + [terminal]
    }

    /// The limits on logins.
    var sessionQuotas: [Quota] { [perTerminal(.sessionsPerTerminal, max: limits.counts.sessionsPerTerminal)] }

    /// The limits on previews of invitations.
    var previewQuotas: [Quota] { [perTerminal(.previewsPerTerminal, max: limits.counts.previewsPerTerminal)] }

    /// The limits on computing password hashes.
    var hashQuotas: [Quota] {
        [perTerminal(.hashesPerTerminal, max: limits.counts.hashesPerTerminal, seconds: Quota.quarter)]
    }
}
