import Domain
import Storage
import Wire

/// The checks of codes and tickets.
///
/// `prepare` counts a try. The count is committed before the code is compared. Crashes and parallel requests therefore
/// give no extra tries.
enum CodeCheck {
    /// The answer to a code that is wrong, used or expired, or was never sent.
    static let wrong = Rejection(.invalidCode, "The code is wrong or no longer valid; request a new code.")

    /// Counts a try of a code, but not of a ticket, which can't be guessed.
    ///
    /// If no code can match, the refusal waits for a commit, just as the check of a code does. So timing doesn't reveal
    /// whether a code was sent.
    static func prepare(_ proof: AddressProof, of scope: CodeScope, _ call: Call) throws -> BackgroundTask {
        if try count(proof, of: scope, call) { return .commit }
        try noteFailure(of: scope, call)
        return .refusal(wrong)
    }

    /// Counts a try in every scope that has a sent code with at least one try left.
    static func prepare(_ proof: AddressProof, ofAny scopes: [CodeScope], _ call: Call) throws -> BackgroundTask {
        let tried = try scopes.filter { try count(proof, of: $0, call) }
        if !tried.isEmpty { return .tried(tried) }
        try noteFailure(of: scopes[0], call)
        return .refusal(wrong)
    }

    /// Counts a try of a code, or returns false if the code is malformed, no code was sent or no try is left.
    static func count(_ proof: AddressProof, of scope: CodeScope, _ call: Call) throws -> Bool {
        guard case .code(let code, let token) = proof else { return true }
        return try CodeRules.accepts(code) && call.tx.codes.countTry(scope, token: token, max: CodeRules.wrongCodesMax)
    }

    /// Returns whether a code or ticket proves the address, without using up the code or ticket.
    static func matches(_ proof: AddressProof, of scope: CodeScope, _ call: Call) throws -> Bool {
        try check(proof, of: scope, uses: false, call)
    }

    /// Uses up a code or ticket, or returns false if it doesn't prove the address.
    static func use(_ proof: AddressProof, of scope: CodeScope, _ call: Call) throws -> Bool {
        try check(proof, of: scope, uses: true, call)
    }

    private static func check(_ proof: AddressProof, of scope: CodeScope, uses: Bool, _ call: Call) throws -> Bool {
        let codes = call.tx.codes
        switch proof {
        case .code(let code, let token):
            guard CodeRules.accepts(code) else { return false }
            let check = uses ? codes.use : codes.matches
            return try check(code, token, scope)
        case .ticket(let ticket):
            let check = uses ? codes.useTicket : codes.matchesTicket
            return try check(ticket, scope, call.request.terminal)
        }
    }

    /// Returns the refusal of a wrong code, and records the failure in the audit trail.
    static func refusal(of scope: CodeScope, _ call: Call) throws -> Reply {
        try noteFailure(of: scope, call)
        return .refusal(wrong)
    }

    /// Records a wrong code in the audit trail of the caller's account, or else of the address's account.
    static func noteFailure(of scope: CodeScope, _ call: Call) throws {
        let owner = try call.tx.accounts.find(proved: scope.address, app: scope.app, region: scope.region)
        let detail = "\(scope.purpose.rawValue) \(MaskedAddress.text(scope.address.text))"
        try call.audit(.codeFailed, of: call.session?.uid ?? owner?.uid, detail: detail)
    }
}

extension Call {
    /// Returns the scope in which a code of this request is valid.
    func codeScope(_ purpose: CodePurpose, _ address: Address, region: String) -> CodeScope {
        CodeScope(app: app.id, region: region, purpose: purpose, address: address)
    }
}
