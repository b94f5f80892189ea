import Domain
import Wire

/// The counts of the tries to give a proof: a passcode, a label or a scanned code.
///
/// A try is counted before its proof is checked, so that simultaneous requests have no more tries than successive
/// requests. If the proof is correct, its count is taken back (`succeed`); if the request's transaction fails, the
/// count is rolled back with it.
///
/// More limits are checked than counted: a try for a device that doesn't exist is refused by the same limits as any
/// other try, but it counts only for that device name and user. Such a try doesn't reduce the terminal's tries for
/// other devices.
struct ProofTries {
    private let counted: [Quota]

    /// Counts a try, if there are tries left.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    init(_ counted: [Quota], checked: [Quota] = [], _ call: Call) throws {
        self.counted = counted
        if !checked.isEmpty { try call.quotas.check(counted + checked) }
        try call.quotas.take(counted)
    }

    /// Counts a try that is limited only for its user, such as a try of a scanned code, if there are tries left.
    init(_ owner: String, _ call: Call) throws {
        try self.init([Self.own(owner, call)], call)
    }

    /// Counts a try for a device that the caller names by `target`, if there are tries left.
    ///
    /// `isThere` means that the device belongs to this app. `hasLabel` means that the request contains the correct text
    /// of the device's label; then other users' tries for the device don't matter.
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

    /// Takes back the count of a try whose proof is correct.
    func succeed(_ call: Call) throws { try call.quotas.takeBack(counted) }
}
