import Domain
import Files
import PostgreSQL
import Problems
import Storage
import Workers

/// The check that the last hour had few refusals; the finding shows the number of refusals for each reason.
struct RefusalCheck {
    let directory: DataDirectory
    let place: StorePlace
    /// The service's own store, or nil if the check must open the store.
    var store: Store?

    /// The maximum number of refusals in an hour; if there are more, the doctor warns.
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
            let evidence: FindingText = counts.isEmpty ? "no refusals" : "\(total) refusals: \(shown)"
            let list = "lamplighter refusals --since 1h --data '\(directory.path)'"
            return check(total > Self.warnMin ? .warn : .pass, "the last hour", found: evidence)
                .cured(by: "see the clients; `lamplighter explain REASON` says what to do", list)
        } catch {
            return check.skipped(subject, because: error)
        }
    }
}
