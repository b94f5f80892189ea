import Domain
import Wire

/// The counts of tries to give a proof: a passcode, a label or a scanned code.
///
/// A try is counted before its proof is checked, so that parallel requests get no extra tries. If the proof is correct,
/// `succeed` subtracts the try again; if the transaction fails, the try isn't counted either.
///
/// A try for a device that doesn't exist counts only towards the user's limit for that device name. Such a try is
/// refused if the terminal has no tries left; it doesn't use up one of the terminal's tries.
struct ProofTries {
    private let counted: [Quota]
    private static let seconds = BindingRules.triesWindowSeconds

    /// Counts a try; throws `TooManyRequests` if no try is left.
    init(_ counted: [Quota], checked: [Quota] = [], _ call: Call) throws {
        self.counted = counted
        if !checked.isEmpty { try call.quotas.check(counted + checked) }
        try call.quotas.take(counted)
    }

    /// Counts a try towards the user's own limit only, as for a scanned code; throws `TooManyRequests` if no try is
    /// left.
    init(_ owner: String, _ call: Call) throws { try self.init([Self.own(owner, call)], call) }

    /// Counts a try for a device that the caller names by `target`; throws `TooManyRequests` if no try is left.
    ///
    /// `isThere` means that the device belongs to this app. `hasLabel` means that the request contains the correct text
    /// of the device's label; then other users' tries for the device don't matter.
    init(_ target: String, isThere: Bool, hasLabel: Bool, _ call: Call) throws {
        let uid = try call.caller().uid.text
        let (counts, name) = (call.limits.counts, call.request.terminal.text)
        let terminal = Quota(.bindTriesPerTerminal, name, max: counts.bindTriesPerTerminal, seconds: Self.seconds)
        guard isThere else {
            let own = Self.own("\(uid)/\(call.app.id.text):\(target)", call)
            try self.init([own], checked: [terminal], call)
            return
        }
        let device = Quota(.bindTriesPerDevice, target, max: counts.bindTriesPerDevice, seconds: Self.seconds)
        let own = Self.own("\(uid)/\(target)", call)
        try self.init([own, terminal] + (hasLabel ? [] : [device]), call)
    }

    private static func own(_ owner: String, _ call: Call) -> Quota {
        Quota(.bindTriesPerUser, owner, max: call.limits.counts.bindTriesPerUser, seconds: seconds)
    }

    /// Undoes the counting of a try whose proof is correct.
    func succeed(_ call: Call) throws { try call.quotas.takeBack(counted) }
}
