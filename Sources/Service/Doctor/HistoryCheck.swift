import Domain
import Files
import Foundation
import PostgreSQL
import Problems
import Storage
import Workers

/// The check that the history has every acknowledged record exactly once.
struct HistoryCheck {
    let directory: DataDirectory
    let place: StorePlace
    let limits: Limits
    /// The service's own store, or nil if the check must open the store.
    var store: Store?

    /// The maximum number of randomly chosen devices whose records are compared.
    private static let devicesMax = 200

    private var subject: String { place.database?.place ?? directory.database }

    func run() -> Finding {
        let check = Check(.doctorHistory, "the history has each record exactly once")
        do {
            let days = try compare(in: store ?? StoreAccess.tool(directory, place))
            let wrong = days.filter { $0.stored != $0.taken }
            guard let first = wrong.max(by: { abs($0.stored - $0.taken) < abs($1.stored - $1.taken) }) else {
                return check(.pass, subject, found: "\(days.count) days of devices compared")
            }
            let (did, day) = (first.did.text, date(first.day))
            let evidence: FindingText = """
                \(wrong.count) of \(days.count) days of devices differ: for \(day), \(did) has \(first.stored) records, \
                but \(first.taken) were accepted
                """
            let cure: FindingText =
                first.stored > first.taken
                ? "some are stored twice: stop the processes of other versions, and see lamplighter explain LL1318"
                : "some are missing: see whether rows were deleted by hand, and lamplighter explain LL1318"
            return check(.fail, subject, found: evidence)
                .cured(by: cure, "lamplighter history export \(did) --from \(day)T00:00:00Z")
        } catch {
            return check.skipped(subject, because: error)
        }
    }

    private func compare(in store: Store) throws -> [HistoryComparison] {
        let start = "d-" + (0..<2).compactMap { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() }
        return try store.read { tx in
            let kept = try tx.products.all().compactMap(\.historyDays) + [limits.historyDays]
            let since = SystemClock().now.adding(seconds: -Int64(kept.min() ?? 1) * 86_400)
            return try tx.history.compare(from: start, since: since, limit: Self.devicesMax)
        }
    }

    private func date(_ day: Int64) -> String {
        Date(timeIntervalSince1970: Double(day) * 86_400).formatted(.iso8601.year().month().day())
    }
}
