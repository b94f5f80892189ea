import Domain
import Wire

/// The counted tries of proofs: passcodes, labels and scanned codes.
///
/// A try is counted before its proof is checked, so that simultaneous requests have no more tries than successive ones.
/// The count of a right proof is taken back (`succeed`), and the count of a failed request is rolled back with it.
///
/// The checked and the counted limits differ: a try for a device that doesn't exist is refused by the same limits as
/// any other, but counts only for that name and user, so that it does not reduce the tries that the terminal has for
/// other devices.
struct ProofTries {
    private let counted: [Quota]

    /// Counts a try, if any are left.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    init(_ counted: [Quota], checked: [Quota] = [], _ call: Call) throws {
        self.counted = counted
        if !checked.isEmpty { try call.quotas.check(counted + checked) }
        try call.quotas.take(counted)
    }

    /// Counts a try that is limited for the user alone, such as for scanned codes, if any are left.
    init(_ owner: String, _ call: Call) throws {
        try self.init([Self.own(owner, call)], call)
    }

    /// Counts a try for a device that the caller names by `target`, if any are left.
    ///
    /// `isThere` means that the device belongs to this app. `hasLabel` means that the request has the right text of its
    /// label; then the tries of other users for the device don't count.
    init(_ target: String, isThere: Bool, hasLabel: Bool, _ call: Call) throws {
        let uid = try call.caller().uid.text
        let counts = call.limits.counts
        let terminal = Quota(
            .bindTriesPerTerminal,
            call.request.terminal.text,
            max: counts.bindTriesPerTerminal,
            seconds: BindingRules.triesWindowSeconds
        )
        guard isThere else {
            let own = Self.own("\(uid)/\(call.app.id.text):\(target)", call)
            try self.init([own], checked: [terminal], call)
            return
        }
        let device = Quota(
            .bindTriesPerDevice,
            target,
            max: counts.bindTriesPerDevice,
            seconds: BindingRules.triesWindowSeconds
        )
        let own = Self.own("\(uid)/\(target)", call)
        try self.init([own, terminal] + (hasLabel ? [] : [device]), call)
    }

    private static func own(_ owner: String, _ call: Call) -> Quota {
        Quota(
            .bindTriesPerUser,
            owner,
            max: call.limits.counts.bindTriesPerUser,
            seconds: BindingRules.triesWindowSeconds
        )
    }

    /// Takes back the count of a right proof.
    func succeed(_ call: Call) throws { try call.quotas.takeBack(counted) }
}
