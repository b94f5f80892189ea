package import Domain
package import Providers
import Synchronization

/// A pool of calls to identity providers and push services.
///
/// Each identity provider has its own limit of calls. All push services together have one limit.
package final class ProviderPool: BackgroundPool {
    private struct Calls {
        /// The number of running calls for each pair of provider name and URL.
        var byLine: [String: Int] = [:]
        var held = HeldWork()
        var all: Int { byLine.values.reduce(0, +) }
    }

    private let calls = Mutex(Calls())
    private let providers: IdentityProviders
    private let perProvider: Int
    private let bounds: PoolBounds
    private let meter = BackgroundMetrics(.provider)

    /// Makes a pool without a queue, so the limits apply to running calls.
    package init(_ providers: IdentityProviders, perProvider: Int, bounds: PoolBounds) {
        self.providers = providers
        self.perProvider = perProvider
        self.bounds = bounds
    }

    /// Closes the connections to the providers.
    package func shutdown() async { await providers.shutdown() }

    package func room(in kind: BackgroundPoolKind) -> Int {
        guard kind == .provider else { return 0 }
        return calls.withLock { bounds.waiting - $0.all }
    }

    package func refusal(of sender: Sender, in kind: BackgroundPoolKind, beside others: [Sender]) -> Rejection? {
        guard kind == .provider else { return .poolIsFull }
        return calls.withLock { calls in
            guard calls.held.mayTake(sender, bounds, beside: others) else { return .senderIsBusy }
            return calls.all + others.count < bounds.waiting ? nil : .poolIsFull
        }
    }

    package func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void) {
        let line: String
        switch work {
        case .identity(let credential, let settings): line = "\(credential.provider) \(settings.baseURL)"
        case .push: line = "push"
        default: return done(Prepared())
        }
        guard begin(line, sender) else {
            meter.rejected()
            return done(.refused(Self.isBusy))
        }
        Task { [self] in
            let start = ContinuousClock.now
            let prepared = await answer(to: work)
            meter.took(ContinuousClock.now - start)
            end(line, sender)
            done(prepared)
        }
    }

    private func answer(to work: BackgroundTask) async -> Prepared {
        var prepared = Prepared()
        if case .push(let send) = work { prepared.push = await send() }
        if case .identity(let credential, let settings) = work {
            do throws(ProviderFailure) {
                prepared.identity = .success(try await providers.verify(credential, for: settings))
            } catch {
                prepared.identity = .failure(error)
            }
        }
        return prepared
    }

    private static let isBusy = Rejection(
        .unavailable,
        "Too many requests to this provider at once; try again shortly.",
        retryAfter: 2
    )

    private func begin(_ line: String, _ sender: Sender) -> Bool {
        let busy: Int? = calls.withLock { calls in
            guard calls.all < bounds.waiting, calls.byLine[line, default: 0] < perProvider,
                calls.held.mayTake(sender, bounds)
            else { return nil }
            calls.byLine[line, default: 0] += 1
            calls.held.take(sender)
            return calls.all
        }
        if let busy { meter.depth(waiting: 0, busy: busy) }
        return busy != nil
    }

    private func end(_ line: String, _ sender: Sender) {
        let busy = calls.withLock { calls in
            HeldWork.lower(&calls.byLine, line)
            calls.held.release(sender)
            return calls.all
        }
        meter.depth(waiting: 0, busy: busy)
    }
}

/// The pools of a service, each for its own kinds of work.
package struct Pools: BackgroundPool {
    /// The pool that hashes passwords.
    package let passwords: PasswordPool
    /// The pool that calls identity providers and push services.
    package let providers: ProviderPool
    /// The pool that reads history, lists and logs.
    package let readers: ReadingPool

    /// Combines the pools.
    package init(passwords: PasswordPool, providers: ProviderPool, readers: ReadingPool) {
        self.passwords = passwords
        self.providers = providers
        self.readers = readers
    }

    package func room(in kind: BackgroundPoolKind) -> Int { pool(kind).room(in: kind) }

    package func refusal(
        of sender: Sender,
        in kind: BackgroundPoolKind,
        beside others: [Sender]
    ) -> Rejection? {
        pool(kind).refusal(of: sender, in: kind, beside: others)
    }

    package func submit(
        _ work: BackgroundTask,
        from sender: Sender,
        done: @escaping @Sendable (Prepared) -> Void
    ) {
        guard let kind = work.pool else { return done(Prepared()) }
        pool(kind).submit(work, from: sender, done: done)
    }

    private func pool(_ kind: BackgroundPoolKind) -> any BackgroundPool {
        switch kind {
        case .password: passwords
        case .provider: providers
        case .reading, .listing: readers
        }
    }
}

extension PasswordHasher: PasswordHashing {}
