import Domain
import Storage

/// Counts wrong proofs: passcodes, labels and scanned codes, for a device and for a user.
struct ProofTries {
    private let subjects: [String]

    /// Looks whether tries are left.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    init(_ subjects: [String], _ call: Call) throws {
        self.subjects = subjects
        let waits = try subjects.compactMap { subject in
            try call.tx.attempts.retryAfter(
                subject,
                max: BondRules.triesMax,
                windowSeconds: BondRules.triesWindowSeconds
            )
        }
        guard let wait = waits.max() else { return }
        throw Rejection(
            .tooManyRequests,
            "Too many wrong proofs; wait.",
            retryAfter: wait
        )
    }

    /// Counts a wrong one and refuses it; the count stays although the request fails.
    func refuse(_ rejection: Rejection, _ call: Call) throws -> Reply {
        for subject in subjects {
            try call.tx.attempts.add(subject, windowSeconds: BondRules.triesWindowSeconds)
        }
        return .refusal(rejection)
    }
}
