import Domain
import Synchronization

@testable import Workers

/// A fast password hasher for tests; each hash is a prefix followed by the password.
///
/// The prefix stands for the parameters of a real hash.
struct PlainHasher: PasswordHashing {
    var mark = "plain:"

    func hash(_ password: [UInt8]) throws -> String { mark + String(decoding: password, as: UTF8.self) }

    func verify(_ password: [UInt8], against encoded: String) -> Bool {
        encoded.split(separator: ":", maxSplits: 1).last.map(String.init) == String(decoding: password, as: UTF8.self)
    }

    func needsRehash(_ encoded: String) -> Bool { !encoded.hasPrefix(mark) }
}

/// A pool that records tasks; it does each task immediately or, if `isHeld`, when `release()` is called.
final class FakePool: BackgroundPool {
    private struct State {
        var isHeld = false
        var room = 1000
        var held: [@Sendable () -> Void] = []
        var journal: [BackgroundTask] = []
        var hasher = PlainHasher()
        var identify: Identify = { _, _ in .failure(.disabled) }
    }

    typealias Identify = @Sendable (ProviderCredential, ProviderSettings) -> Result<VerifiedIdentity, ProviderFailure>

    private let state = Mutex(State())

    /// Whether the pool keeps its tasks until `release()` is called.
    var isHeld: Bool {
        get { state.withLock(\.isHeld) }
        set { state.withLock { $0.isHeld = newValue } }
    }

    var room: Int {
        get { state.withLock(\.room) }
        set { state.withLock { $0.room = newValue } }
    }

    var hasher: PlainHasher {
        get { state.withLock(\.hasher) }
        set { state.withLock { $0.hasher = newValue } }
    }

    /// The function that answers in place of the identity providers.
    var identify: Identify {
        get { state.withLock(\.identify) }
        set { state.withLock { $0.identify = newValue } }
    }

    /// The tasks submitted so far, in order.
    var journal: [BackgroundTask] { state.withLock(\.journal) }
    var verifications: Int { journal.count { if case .verify = $0 { true } else { false } } }

    func room(in kind: BackgroundPoolKind) -> Int { room }

    func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void) {
        let (hasher, identify) = (hasher, identify)
        let isHeld = state.withLock { state in
            state.journal.append(work)
            if state.isHeld { state.held.append { done(Self.carryOut(work, hasher, identify)) } }
            return state.isHeld
        }
        if !isHeld { done(Self.carryOut(work, hasher, identify)) }
    }

    /// Does all tasks that the pool has kept.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for done in held { done() }
    }

    private static func carryOut(_ work: BackgroundTask, _ hasher: PlainHasher, _ identify: Identify) -> Prepared {
        var prepared = Prepared()
        func hash(_ password: SecretBytes) -> String? { password.withBytes { try? hasher.hash($0) } }
        func verify(_ password: SecretBytes, _ encoded: String?) {
            let isRight = password.withBytes { bytes in encoded.map { hasher.verify(bytes, against: $0) } ?? false }
            guard isRight, let encoded else { return }
            prepared.matched = encoded
            if hasher.needsRehash(encoded) { prepared.rehashed = hash(password) }
        }
        switch work {
        case .commit, .tried, .refusal, .push, .history, .reading, .events: break
        case .identity(let credential, let settings): prepared.identity = identify(credential, settings)
        case .hash(let password): prepared.hash = hash(password)
        case .verify(let password, let encoded): verify(password, encoded)
        case .verifyEach(let password, let hashes):
            for encoded in hashes where prepared.matched == nil { verify(password, encoded) }
        case .both(let password, let encoded, let new):
            verify(password, encoded)
            prepared.hash = hash(new)
        }
        return prepared
    }
}
