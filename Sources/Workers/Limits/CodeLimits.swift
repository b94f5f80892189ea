import Domain
import Sodium
import Storage
import Wire

/// The limits on sending codes, the same for addresses with and without an account.
enum CodeLimits {
    /// The minimum time between two codes for the same purpose and address, in seconds.
    static let pauseSeconds: Int64 = 60

    /// Counts a code to be sent, or throws if any limit is reached.
    ///
    /// The code is counted only after all limits have been checked. So a refused terminal doesn't use up its app's and
    /// country's limits.
    static func count(_ scope: CodeScope, at place: RequestRegion, _ call: Call) throws {
        let digest = call.tx.hash(scope.address.key, boundTo: "codes \(scope.app.text) \(scope.region)")
        let address = Sodium.base64URL(digest)
        try call.quotas.take(
            try own(address, call) + call.perSource(.codesPerSource, max: call.limits.counts.codesPerSource)
                + general(address, of: scope, at: place, call)
        )
    }

    /// Returns the terminal's limit, which counts only the first code for each address in an hour.
    private static func own(_ address: String, _ call: Call) throws -> [Quota] {
        let terminal = call.request.terminal.text
        let mark = AttemptTable.Limit("code/known/\(terminal)/\(address)", perHour: 1)
        guard try call.tx.attempts.take([mark]) == nil else { return [] }
        let quota = Quota(.codesPerTerminal, terminal, max: call.limits.counts.codesPerTerminal, seconds: Quota.hour)
        // The terminal's own limit is reported before the limits that it shares with other terminals.
        try call.quotas.check([quota])
        return [quota]
    }

    private static func general(
        _ address: String,
        of scope: CodeScope,
        at place: RequestRegion,
        _ call: Call
    ) -> [Quota] {
        let app = scope.app.text
        let purpose = scope.purpose.rawValue
        let bounds = call.limits
        return [
            Quota(.codePause, "\(purpose)/\(address)", max: 1, seconds: pauseSeconds),
            Quota(.codesPerPurpose, "\(purpose)/\(address)", max: bounds.codesPerPurpose, seconds: Quota.hour),
            Quota(.codesPerAddress, address, max: bounds.codesPerAddress, seconds: Quota.day),
            Quota(.codesPerApp, app, max: bounds.codesPerHour, seconds: Quota.hour),
            Quota(.codesPerCountry, "\(app)/\(place.countryCode)", max: bounds.codesPerCountry, seconds: Quota.hour),
        ]
    }
}
