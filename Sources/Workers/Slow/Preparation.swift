package import Domain

/// Slow work that a request needs before it can be decided.
///
/// It never runs in a transaction or on the worker's thread. A verification names the hash that it
/// was made against, so that who decides later can see whether it is still the account's.
package enum Preparation: Sendable {
    /// Nothing but a commit: what was counted must stand before anything is compared.
    case commit
    /// Nothing but a commit: a try at the codes of these purposes was counted, and must stand.
    case tried([CodePurpose])
    /// Nothing but a commit, and then a refusal: it takes as long as what is refused after `commit`.
    case refusal(Rejection)
    /// Hashes a new password.
    case hash(SecretBytes)
    /// Verifies a password; against nil costs the same and never matches.
    case verify(SecretBytes, against: String?)
    /// Verifies a password against each of some hashes, of which the first that matches counts; all
    /// are tried, so that the time tells nothing.
    case verifyEach(SecretBytes, against: [String?])
    /// Verifies one password and, whatever comes of it, hashes another.
    case both(verify: SecretBytes, against: String?, hash: SecretBytes)
    /// Asks an identity provider.
    case identity(ProviderCredential, ProviderSettings)
    /// Reads a page of a device's past.
    case history(HistoryQuestion)

    /// Which pool does it; nil where nothing is slow about it.
    package var lane: SlowLane? {
        switch self {
        case .commit, .tried, .refusal: nil
        case .hash, .verify, .verifyEach, .both: .password
        case .identity: .provider
        case .history: .reading
        }
    }
}

extension Preparation {
    /// The passwords that it holds.
    private var secrets: [SecretBytes] {
        switch self {
        case .commit, .tried, .refusal, .identity, .history: []
        case .hash(let password), .verify(let password, _), .verifyEach(let password, _):
            [password]
        case .both(let old, _, let new): [old, new]
        }
    }

    /// What it takes in memory while it waits, in bytes, with an allowance for hashes and places.
    var bytes: Int { secrets.reduce(512) { $0 + $1.count } }

    /// Overwrites the passwords in it: it ran, or never will.
    func wipe() { for secret in secrets { secret.wipe() } }
}

/// A kind of slow work with a bound of its own.
package enum SlowLane: String, Sendable, CaseIterable {
    /// Password hashing: fills a processor and much memory.
    case password
    /// Calls to identity providers: wait for others.
    case provider
    /// Reads of the store that may take long.
    case reading
}

/// What came of slow work.
package struct Prepared: Sendable {
    /// The hash of the new password.
    package var hash: String?
    /// The hash that the given password was verified to match; nil when it did not match.
    package var matched: String?
    /// The same password hashed anew, where the matched hash has parameters of the past.
    package var rehashed: String?
    /// The purposes of the codes that a try was counted at.
    package var tried: [CodePurpose]?
    /// What the provider says.
    package var identity: Result<VerifiedIdentity, ProviderFailure>?
    /// The page of the past.
    package var page: HistoryPage?
    /// Why nothing came of it.
    package var refusal: Rejection?

    /// What came of work that gives nothing.
    package init() {}

    /// What comes of work in no lane.
    init(without work: Preparation) {
        switch work {
        case .refusal(let rejection): refusal = rejection
        case .tried(let purposes): tried = purposes
        default: break
        }
    }

    /// Work that was not done.
    package static func refused(_ rejection: Rejection) -> Prepared {
        var prepared = Prepared()
        prepared.refusal = rejection
        return prepared
    }
}

/// Hashes passwords; a seam, so that tests need neither memory nor time.
///
/// Every call blocks for as long as a hash takes.
package protocol PasswordHashing: Sendable {
    /// Hashes a password with a fresh salt.
    func hash(_ password: [UInt8]) throws -> String
    /// Tells whether a password has a hash.
    func verify(_ password: [UInt8], against encoded: String) -> Bool
    /// Tells whether a hash was made with other parameters than today's.
    func needsRehash(_ encoded: String) -> Bool
}
