package import Domain

/// Slow work that is needed before a request can be carried out or refused.
///
/// Slow work never runs in a transaction or on the worker's thread. The result of verifying a password contains the
/// matched hash. The method later checks whether the account still has this hash.
package enum BackgroundTask: Sendable {
    /// Only commits the transaction, so that counts of attempts are stored before a secret is compared.
    case commit
    /// Only commits the transaction, so that counts of attempts are stored before a code is compared.
    ///
    /// The scopes are those of the codes for which an attempt was counted.
    case tried([CodeScope])
    /// Commits before the request is refused, so that the refusal takes as long as an answer after `commit`.
    case refusal(Rejection)
    /// Hashes a new password.
    case hash(SecretBytes)
    /// Verifies a password.
    ///
    /// Verifying against nil takes the same time and never matches.
    case verify(SecretBytes, against: String?)
    /// Verifies a password against every hash, so that the time doesn't reveal which hash matched first.
    case verifyEach(SecretBytes, against: [String?])
    /// Verifies one password, and hashes a second password whether or not the first matches.
    case both(verify: SecretBytes, against: String?, hash: SecretBytes)
    /// Asks an identity provider to verify a credential.
    case identity(ProviderCredential, ProviderSettings)
    /// Sends a test push, and returns the outcome of this push.
    case push(@Sendable () async -> PushEnd)
    /// Reads a page of a device's history.
    case history(HistoryQuestion)
    /// Reads a long list or log.
    case reading(StoreReading)
    /// Waits until the event log has an entry for a reader.
    case events(EventWait)

    /// The pool that does the work, or nil if no pool is needed.
    package var pool: BackgroundPoolKind? {
        switch self {
        case .commit, .tried, .refusal, .events: nil
        case .hash, .verify, .verifyEach, .both: .password
        case .identity, .push: .provider
        case .history: .reading
        case .reading: .listing
        }
    }

    /// Whether the work reads the store; such work can lead to a large answer.
    var readsStore: Bool { pool == .reading || pool == .listing }
}

extension BackgroundTask {
    /// The passwords that the work contains.
    private var secrets: [SecretBytes] {
        switch self {
        case .commit, .tried, .refusal, .identity, .push, .history, .reading, .events: []
        case .hash(let password), .verify(let password, _), .verifyEach(let password, _):
            [password]
        case .both(let old, _, let new): [old, new]
        }
    }

    /// The size of the waiting work in memory, in bytes, with an allowance for hashes.
    var bytes: Int { secrets.reduce(512) { $0 + $1.count } }

    /// Overwrites the work's passwords after the work was done or refused.
    func wipe() { for secret in secrets { secret.wipe() } }
}

/// A kind of slow work; each kind has its own limits.
package enum BackgroundPoolKind: String, Sendable, CaseIterable {
    /// Password hashing, which occupies a processor core and much memory.
    case password
    /// Calls to identity providers and push services, which mostly wait.
    case provider
    /// Reads of devices' history, which can take a long time.
    case reading
    /// Reads of long lists and logs.
    case listing
}

/// The result of slow work.
package struct Prepared: Sendable {
    /// The hash of the new password.
    package var hash: String?
    /// The hash that the given password matched, or nil if it matched no hash.
    package var matched: String?
    /// A new hash of the same password, if the matched hash has outdated parameters.
    package var rehashed: String?
    /// The scopes of the codes for which an attempt was counted, if any.
    package var tried: [CodeScope]?
    /// The identity provider's answer.
    package var identity: Result<VerifiedIdentity, ProviderFailure>?
    /// The outcome of a test push.
    package var push: PushEnd?
    /// The result of a request that only reads, as JSON.
    package var result: [UInt8] = []
    /// The wait for the next entry of the event log.
    ///
    /// If `result` contains a page without entries, the wait has not begun yet. If `result` itself is empty, the wait
    /// has ended.
    package var eventWait: EventWait?
    /// The page of history, without its rows.
    package var page: HistoryPage?
    /// While this object exists, the result counts as unanswered (`PoolBounds.unanswered`).
    var place: ResultPlace?
    /// The refusal of the work, if any.
    package var refusal: Rejection?

    /// Creates an empty result.
    package init() {}

    /// Creates the result of a task that is already complete, so that no thread of a pool has to run it.
    init(without work: BackgroundTask) {
        switch work {
        case .refusal(let rejection): refusal = rejection
        case .tried(let scopes): tried = scopes
        default: break
        }
    }

    /// Returns the result of refused work.
    package static func refused(_ rejection: Rejection) -> Prepared {
        var prepared = Prepared()
        prepared.refusal = rejection
        return prepared
    }
}

/// An object that counts a request as unanswered until the last reference to the object is released.
final class ResultPlace: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// A hasher of passwords that blocks the calling thread.
package protocol PasswordHashing: Sendable {
    /// Hashes a password with a new salt.
    func hash(_ password: [UInt8]) throws -> String
    /// Returns whether a hash was made from a password.
    func verify(_ password: [UInt8], against encoded: String) -> Bool
    /// Returns whether a hash was made with parameters other than the current ones.
    func needsRehash(_ encoded: String) -> Bool
}
