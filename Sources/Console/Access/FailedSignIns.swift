import Domain
import JSON
import Service
import Storage
import Web

/// A reporter that stores failed sign-ins as refusals, and records some of them in the audit trail.
struct FailedSignIns: Sendable {
    /// The kind of proof with which the caller tried to sign in.
    enum Proof: String, Sendable {
        case password, link, token
    }

    private let context: ConsoleContext
    private let perAddress = Self.limit(OperatorSignIn.auditedPerAddress)
    private let together = Self.limit(OperatorSignIn.auditedTogether)

    init(_ context: ConsoleContext) { self.context = context }

    /// Returns a limit of `perMinute` tries or requests per minute.
    static func limit(_ perMinute: Int) -> VisitLimit {
        let start = ContinuousClock.now
        return VisitLimit(perMinute: perMinute) { (ContinuousClock.now - start).components.seconds }
    }

    /// Reports a failed sign-in, where `isTooMany` means that the caller has made too many tries.
    ///
    /// `name` is nil if the caller used a link or a token, or if no operator has the entered name. An unknown name
    /// could be a secret that was typed into the wrong field.
    ///
    /// - Throws: An error of the store.
    func tell(_ proof: Proof, name: String? = nil, from address: String, isTooMany: Bool = false) throws {
        let name = name ?? "?"
        context.run.refused(ListenerRefusal(.signIn, address: address, name: name, detail: proof.rawValue))
        guard perAddress.admit(address), together.admit("") else { return }
        try context.store.batch(at: context.now, once: true) { tx in
            let detail = isTooMany ? "\(proof.rawValue), too many tries" : proof.rawValue
            let actor = Actor(.operator, name)
            var entry = AuditEntry(kind: .loginFailed, uid: nil, app: nil, actor: actor, detail: detail)
            entry.subject = "address \(address)"
            try tx.audit.add(entry)
        }
    }
}
