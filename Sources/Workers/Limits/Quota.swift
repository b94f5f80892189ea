import Domain
import Storage
import Wire

/// A limit in a window of time: its kind, owner and number.
struct Quota: Sendable {
    /// The counted thing; the label of the metric.
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

        /// The message if the limit is reached, which does not reveal whose limit it is.
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
            case .bindTriesPerUser, .bindTriesPerTerminal, .bindTriesPerDevice: "Too many wrong proofs; wait."
            case .previewsPerTerminal: "Too many invitations were looked at."
            }
        }
    }

    static let minute: Int64 = 60
    static let quarter: Int64 = 900
    static let hour: Int64 = 3600
    static let day: Int64 = 86_400

    var kind: Kind
    /// The owner of the count within its kind.
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

    /// The limit on its count in the store.
    fileprivate var limit: AttemptTable.Limit { AttemptTable.Limit(subject, max: max, windowSeconds: seconds) }

    /// Returns the limit of a source address; none if the address isn't counted.
    static func source(_ kind: Kind, _ address: String?, of what: String? = nil, max: Int, seconds: Int64) -> [Quota] {
        guard let address else { return [] }
        let owner = what.map { "\(address)/\($0)" } ?? address
        return [Quota(kind, owner, max: max, seconds: seconds)]
    }
}

/// The counts of quotas in a transaction.
///
/// All are rows of the store and survive a restart: counts that protect money must, and the others cost nothing more.
/// Refused requests are not counted. After a first refusal the next ones are refused from memory (`QuotaFront`),
/// without reading the store.
struct QuotaBook {
    let tx: Transaction
    let front: QuotaFront

    /// Refuses if a limit is reached; counts nothing.
    ///
    /// - Throws: `Rejection` with `TooManyRequests` and the time until the last of the reached limits opens again.
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

    /// Counts one for each quota; refuses if a limit is reached, and counts none.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    func take(_ quotas: [Quota]) throws {
        if quotas.contains(where: { front.wait($0, at: tx.now) != nil }) { try check(quotas) }
        guard let wait = try tx.attempts.take(quotas.map(\.limit)) else {
            return quotas.forEach { front.noteCounted($0, at: tx.now) }
        }
        try check(quotas)
        throw Rejection(.tooManyRequests, quotas[0].kind.message, retryAfter: wait)
    }

    /// Takes back the counts of a try that proved right.
    func takeBack(_ quotas: [Quota]) throws { for quota in quotas { try tx.attempts.takeBack(quota.subject) } }

    private func wait(_ quota: Quota) throws -> Int64? {
        if let wait = front.wait(quota, at: tx.now) { return wait }
        let wait = try tx.attempts.retryAfter(quota.subject, max: quota.max, windowSeconds: quota.seconds)
        if let wait { front.refuse(quota, seconds: wait, at: tx.now) }
        return wait
    }
}

extension Transaction {
    /// Counts a try within a single limit.
    ///
    /// - Throws: `Rejection` with `TooManyRequests` and the message, if the limit is used up.
    func take(_ limit: AttemptTable.Limit, elseSay message: String) throws {
        if let wait = try attempts.take([limit]) { throw Rejection(.tooManyRequests, message, retryAfter: wait) }
    }
}

extension Call {
    /// The counts in the call's transaction.
    var quotas: QuotaBook { QuotaBook(tx: tx, front: environment.quotas) }

    private func perTerminal(
        _ kind: Quota.Kind,
        max: Int,
        seconds: Int64 = Quota.hour
    ) -> Quota {
        Quota(kind, request.terminal.text, max: max, seconds: seconds)
    }

    private func perApp(_ kind: Quota.Kind, max: Int) -> Quota {
        Quota(kind, app.id.text, max: max, seconds: Quota.hour)
    }

    /// Returns the hourly limit of the request's source address; none if the address isn't counted.
    func perSource(_ kind: Quota.Kind, max: Int) -> [Quota] {
        Quota.source(kind, request.sourceAddress, max: max, seconds: Quota.hour)
    }

    /// The limits of new anonymous users.
    var anonymousQuotas: [Quota] {
        let counts = limits.counts
        return perSource(.anonymousPerSource, max: counts.anonymousPerSource) + [
            perTerminal(
                .anonymousPerTerminal,
                max: counts.anonymousPerTerminal,
                seconds: Quota.day
            ),
            perApp(.anonymousPerApp, max: limits.anonymousPerHour),
        ]
    }

    /// The limits of new named users.
    var namedQuotas: [Quota] {
        let counts = limits.counts
        return perSource(.namedPerSource, max: counts.namedPerSource) + [
            perTerminal(.namedPerTerminal, max: counts.namedPerTerminal), perApp(.namedPerApp, max: counts.namedPerApp),
        ]
    }

    /// The limits of mails with links.
    var mailQuotas: [Quota] {
        let counts = limits.counts
        return perSource(.mailsPerSource, max: counts.mailsPerSource) + [
            perTerminal(.mailsPerTerminal, max: counts.mailsPerTerminal)
        ]
    }

    /// The limits of logins.
    var sessionQuotas: [Quota] { [perTerminal(.sessionsPerTerminal, max: limits.counts.sessionsPerTerminal)] }

    /// The limits of invitation previews.
    var previewQuotas: [Quota] { [perTerminal(.previewsPerTerminal, max: limits.counts.previewsPerTerminal)] }

    /// The limits of hashes.
    var hashQuotas: [Quota] {
        [perTerminal(.hashesPerTerminal, max: limits.counts.hashesPerTerminal, seconds: Quota.quarter)]
    }
}
