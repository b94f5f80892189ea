import Domain
import Wire

/// The counts of tries to give a proof: a passcode, a label or a scanned code.
///
/// Tries are counted before the proof is checked. So parallel requests get no extra tries. If the proof is correct,
/// `succeed` subtracts the try from the counts. A failed transaction counts no try.
///
/// A try for an unknown device counts only towards the user's limit for that device name. The try doesn't use up the
/// terminal's tries, but it is refused if the terminal has no tries left.
struct ProofTries {
    private let counted: [Quota]
    private static let seconds = BindingRules.triesWindowSeconds

    /// Counts a try; throws `TooManyRequests` if no try is left.
    init(_ counted: [Quota], checked: [Quota] = [], _ call: Call) throws {
        self.counted = counted
        if !checked.isEmpty { try call.quotas.check(counted + checked) }
        try call.quotas.take(counted)
    }

    /// Counts a try for the user only, or throws `TooManyRequests` if none is left.
    init(_ owner: String, _ call: Call) throws { try self.init([Self.own(owner, call)], call) }

    /// Counts a try for the device `target`, or throws `TooManyRequests` if none is left.
    ///
    /// `isThere` means that the device belongs to this app. `hasLabel` means that the request contains the device
    /// label's correct text. In that case, other users' tries for the device don't matter.
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
