package import Domain

/// A pool that has a bounded queue, and threads that hash and verify passwords.
package final class PasswordPool: BackgroundPool {
    private let queue: BackgroundQueue<BackgroundTask>

    /// Makes a pool, and a hash against which the passwords of unknown users are verified.
    package init(_ hasher: any PasswordHashing, threads: Int, bounds: PoolBounds) throws {
        let work = PasswordWork(
            hasher: hasher,
            dummy: try hasher.hash(Array("nobody's".utf8))
        )
        queue = BackgroundQueue(
            .password,
            threads: threads,
            bounds: bounds,
            // Hashing runs at a lower priority, so that it doesn't delay reports.
            begin: PlainThread.yieldToOthers,
            bytes: { $0.bytes },
            // The password is wiped as soon as it is no longer needed.
            discard: { $0.wipe() },
            carryOut: work.carryOut
        )
    }

    package func room(in kind: BackgroundPoolKind) -> Int { kind == .password ? queue.room : 0 }

    package func refusal(
        of sender: Sender,
        in kind: BackgroundPoolKind,
        beside others: [Sender]
    ) -> Rejection? {
        kind == .password ? queue.refusal(of: sender, beside: others) : .poolIsFull
    }

    package func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void) {
        guard work.pool == .password else { return done(Prepared()) }
        queue.submit(work, from: sender, done: done)
    }

    /// Closes the queue: waiting work is refused, and running work is finished.
    package func close() { queue.close() }
}

/// The work of hashing and verifying passwords.
private struct PasswordWork: Sendable {
    let hasher: any PasswordHashing
    /// A hash that belongs to no user, against which the passwords of unknown users are verified.
    let dummy: String

    @Sendable
    func carryOut(_ work: BackgroundTask) -> Prepared {
        var prepared = Prepared()
        do {
            switch work {
            case .commit, .tried, .refusal, .identity, .push, .history, .reading, .events: break
            case .hash(let password): prepared.hash = try hash(password)
            case .verify(let password, let encoded): try verify(password, against: encoded, into: &prepared)
            case .verifyEach(let password, let hashes):
                for encoded in hashes { try verify(password, against: encoded, into: &prepared) }
            case .both(let password, let encoded, let new):
                try verify(password, against: encoded, into: &prepared)
                prepared.hash = try hash(new)
            }
            return prepared
        } catch { return .refused(Rejection(.unavailable, "The password can't be hashed now.", retryAfter: 5)) }
    }

    private func hash(_ password: SecretBytes) throws -> String {
        try password.withBytes { bytes throws(any Error) in try hasher.hash(bytes) }
    }

    private func verify(_ password: SecretBytes, against encoded: String?, into prepared: inout Prepared) throws {
        let isRight = password.withBytes { hasher.verify($0, against: encoded ?? dummy) }
        guard isRight, let encoded, prepared.matched == nil else { return }
        prepared.matched = encoded
        if hasher.needsRehash(encoded) { prepared.rehashed = try hash(password) }
    }
}
