import Domain
import Files
import PostgreSQL
import Problems
import Storage
import Workers

/// The check that the gate refused few clients within the last hour, with the numbers by reason.
struct RefusalCheck {
    let directory: DataDirectory
    let place: StorePlace
    /// The service's own store if the check runs in the service's process; nil if the check must open the store.
    var store: Store?

    /// The number of refusals in an hour above which the doctor warns, which is about one every four seconds.
    private static let warnMin: Int64 = 1000

    private var subject: String { place.database?.place ?? directory.database }

    func run() -> Finding {
        let check = Check(.doctorRefusals, "the gate refuses few clients")
        do {
            let hourAgo = SystemClock().now.adding(seconds: -3600)
            let store = try store ?? StoreAccess.tool(directory, place)
            let counts = try store.read { try $0.refusals.counts(since: hourAgo) }
            let total = counts.reduce(0) { $0 + $1.times }
            let shown = counts.map { "\($0.times) \($0.reason)" }.joined(separator: ", ")
            let isMany = total > Self.warnMin
            return check(
                isMany ? .warn : .pass,
                "the last hour",
                evidence: counts.isEmpty ? "no refusals" : "\(total) refusals: \(shown)",
                cure: isMany ? "see the clients; `lamplighter explain REASON` says what to do" : "",
                command: isMany
                    ? "lamplighter refusals --since 1h --data '\(directory.path)'" : nil
            )
        } catch {
            return check.skipped(subject, because: error)
        }
    }
}
