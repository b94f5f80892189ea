import Domain
import JSON
import Service
import Storage
import Web

/// Reports failed sign-ins: each as a refusal, some in the audit trail.
struct FailedSignIns: Sendable {
    /// The proof that was tried.
    enum Proof: String, Sendable {
        case password, link, token
    }

    private let context: ConsoleContext
    private let perAddress = Self.limit(OperatorSignIn.auditedPerAddress)
    private let together = Self.limit(OperatorSignIn.auditedTogether)

    init(_ context: ConsoleContext) { self.context = context }

    /// Returns a counter of visits per minute.
    static func limit(_ perMinute: Int) -> VisitLimit {
        let start = ContinuousClock.now
        return VisitLimit(perMinute: perMinute) {
            (ContinuousClock.now - start).components.seconds
        }
    }

    /// Reports a failed sign-in; with `isTooMany` the proof wasn't verified at all.
    ///
    /// `name` is nil if no operator has the name that was given: that text may be a secret typed into the wrong field.
    ///
    /// - Throws: The error of the store.
    func tell(_ proof: Proof, name: String? = nil, from address: String, isTooMany: Bool = false) throws {
        let name = name ?? "?"
        context.run.refused(ListenerRefusal(.signIn, address: address, name: name, detail: proof.rawValue))
        guard perAddress.admit(address), together.admit("") else { return }
        try context.store.batch(at: context.now, once: true) { tx in
            var entry = AuditEntry(
                kind: .loginFailed,
                uid: nil,
                app: nil,
                actor: Actor(.operator, name),
                detail: isTooMany ? "\(proof.rawValue), too many tries" : proof.rawValue
            )
            entry.subject = "address \(address)"
            try tx.audit.add(entry)
        }
    }
}
