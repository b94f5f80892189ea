import Domain
import Storage
import Wire

/// Checks codes and tickets (PROTOCOL 3.1 and 4).
///
/// A try is counted in the transaction of `prepare`, before the one that compares: neither a crash
/// nor a hundred requests at once get more tries than there are.
enum CodeCheck {
    /// What is answered to a code that is wrong, used, too old, or was never sent.
    static let wrong = Rejection(
        .invalidCode,
        "The code is wrong or no longer valid; ask for a new one."
    )

    /// Counts a try; a ticket can't be guessed and isn't counted.
    ///
    /// Where none is left, or no code is out, the refusal waits for a commit like any other: the time
    /// it takes must not tell whether a code was sent to an address.
    static func prepare(
        _ proof: Proof,
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) throws -> Preparation {
        if try count(proof, purpose, address, region, call) { return .commit }
        try note(purpose, address, region, call)
        return .refusal(wrong)
    }

    /// Counts a try; false when none is left or no code is out.
    static func count(
        _ proof: Proof,
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) throws -> Bool {
        guard case .code(let code, let token) = proof else { return true }
        let scope = scope(purpose, address, region, call)
        return try CodeRules.accepts(code)
            && call.tx.codes.countTry(scope, token: token, max: CodeRules.triesMax)
    }

    /// Tells whether a code or ticket proves the address, and leaves it good: what is dear, such as
    /// a hash, comes after that, and using it up comes last.
    static func matches(
        _ proof: Proof,
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) throws -> Bool {
        try check(proof, scope(purpose, address, region, call), uses: false, call)
    }

    /// Uses a code or ticket up; false when it doesn't prove the address.
    static func use(
        _ proof: Proof,
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) throws -> Bool {
        try check(proof, scope(purpose, address, region, call), uses: true, call)
    }

    private static func check(
        _ proof: Proof,
        _ scope: CodeScope,
        uses: Bool,
        _ call: Call
    ) throws -> Bool {
        let codes = call.tx.codes
        switch proof {
        case .code(let code, let token):
            guard CodeRules.accepts(code) else { return false }
            let check = uses ? codes.use : codes.matches
            return try check(code, token, scope)
        case .ticket(let ticket):
            let check = uses ? codes.useTicket : codes.matchesTicket
            return try check(ticket, scope.address, scope.app, scope.region, call.request.terminal)
        }
    }

    /// The refusal of a wrong code, noted in the audit trail.
    static func refusal(
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) throws -> Reply {
        try note(purpose, address, region, call)
        return .refusal(wrong)
    }

    /// Notes in the audit trail that a code was wrong, at the account of whoever asked, or else of
    /// the address.
    static func note(
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) throws {
        let owner = try call.tx.accounts.find(proved: address, app: call.app.id, region: region)
        let detail = "\(purpose.rawValue) \(MaskedAddress.text(address.text))"
        try call.audit(.codeFailed, call.session?.uid ?? owner?.uid, detail)
    }

    /// What a code of this request is bound to.
    static func scope(
        _ purpose: CodePurpose,
        _ address: Address,
        _ region: String,
        _ call: Call
    ) -> CodeScope {
        CodeScope(app: call.app.id, region: region, purpose: purpose, address: address)
    }
}
