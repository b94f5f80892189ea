import Domain
package import Providers
import Synchronization

/// Asks identity providers, a bounded number of calls at a time, each provider with a bound of its
/// own: one that hangs doesn't take the place of the others.
package final class ProviderPool: SlowPool {
    /// Apps may have providers of one name in different places.
    private struct Line: Hashable {
        var provider: ProviderName
        var baseURL: String
    }

    private let calls = Mutex<[Line: Int]>([:])
    private let providers: IdentityProviders
    private let perProvider: Int
    private let most: Int
    private let meter = SlowMetrics(.provider)

    /// Makes a pool over the providers.
    package init(_ providers: IdentityProviders, perProvider: Int, most: Int) {
        self.providers = providers
        self.perProvider = perProvider
        self.most = most
    }

    /// Ends the connections to the providers.
    package func shutdown() async { await providers.shutdown() }

    package func room(in lane: SlowLane) -> Int {
        guard lane == .provider else { return 0 }
        return calls.withLock { most - $0.values.reduce(0, +) }
    }

    package func submit(_ work: Preparation, done: @escaping @Sendable (Prepared) -> Void) {
        guard case .identity(let credential, let settings) = work else { return done(Prepared()) }
        let line = Line(provider: credential.provider, baseURL: settings.baseURL)
        guard begin(line) else {
            meter.rejected()
            return done(.refused(Self.isBusy))
        }
        Task { [self] in
            let start = ContinuousClock.now
            var prepared = Prepared()
            do throws(ProviderFailure) {
                prepared.identity = .success(try await providers.verify(credential, for: settings))
            } catch {
                prepared.identity = .failure(error)
            }
            meter.took(ContinuousClock.now - start)
            end(line)
            done(prepared)
        }
    }

    private static let isBusy = Rejection(
        .unavailable,
        "Too many ask this identity provider at once; try again shortly.",
        retryAfter: 2
    )

    private func begin(_ line: Line) -> Bool {
        let busy: Int? = calls.withLock { calls in
            let all = calls.values.reduce(0, +)
            guard all < most, calls[line, default: 0] < perProvider else { return nil }
            calls[line, default: 0] += 1
            return all + 1
        }
        if let busy { meter.depth(waiting: 0, busy: busy) }
        return busy != nil
    }

    private func end(_ line: Line) {
        let busy = calls.withLock { calls in
            calls[line] = calls[line, default: 1] == 1 ? nil : calls[line, default: 1] - 1
            return calls.values.reduce(0, +)
        }
        meter.depth(waiting: 0, busy: busy)
    }
}

/// The pools of a service, each for its lane.
package struct Pools: SlowPool {
    /// Hashes passwords.
    package let passwords: PasswordPool
    /// Asks identity providers.
    package let providers: ProviderPool
    /// Reads the past.
    package let readers: ReadingPool

    /// Puts the pools together.
    package init(passwords: PasswordPool, providers: ProviderPool, readers: ReadingPool) {
        self.passwords = passwords
        self.providers = providers
        self.readers = readers
    }

    package func room(in lane: SlowLane) -> Int { pool(lane).room(in: lane) }

    package func submit(_ work: Preparation, done: @escaping @Sendable (Prepared) -> Void) {
        guard let lane = work.lane else { return done(Prepared()) }
        pool(lane).submit(work, done: done)
    }

    private func pool(_ lane: SlowLane) -> any SlowPool {
        switch lane {
        case .password: passwords
        case .provider: providers
        case .reading: readers
        }
    }
}

extension PasswordHasher: PasswordHashing {}
