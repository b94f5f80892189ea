import Metrics
import Storage

/// A job that shrinks the database file after large deletions, in short steps that hardly delay commits.
///
/// The job starts when more than a quarter of the file is free. The job leaves an eighth of the file free, because new
/// rows reuse free pages.
struct FileShrinking: MaintenanceJob {
    private let environment: Environment
    private let free = Gauge(label: "lamplighter_database_free_bytes")
    private var isAtWork = false
    private var pages = 32

    /// The maximum duration of a step, since each step blocks other writers.
    ///
    /// After a longer step, the step size is halved.
    private static let stepMax: Duration = .milliseconds(4)
    private static let (pagesMin, pagesMax) = (8, 512)
    /// The job begins only if more than `beginMin` bytes are free; it ends as soon as at most `endMin` bytes are free.
    private static let (beginMin, endMin) = (Int64(16 << 20), Int64(8 << 20))

    let name = "fileShrinking"
    let pause: Duration = .milliseconds(20)

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        let size = try environment.store.fileSize()
        free.record(size.freeBytes)
        isAtWork = size.isShrinkable && isTooMuch(size)
        guard isAtWork else { return false }
        let began = ContinuousClock.now
        try environment.store.shrink(pages: pages)
        adapt(to: ContinuousClock.now - began)
        return true
    }

    private func isTooMuch(_ size: Store.FileSize) -> Bool {
        isAtWork
            ? size.freeBytes > max(Self.endMin, size.bytes / 8) : size.freeBytes > max(Self.beginMin, size.bytes / 4)
    }

    /// Adapts the step size to a step's duration, including its wait for other writers.
    private mutating func adapt(to took: Duration) {
        pages =
            took > Self.stepMax
            ? max(Self.pagesMin, pages / 2) : took < Self.stepMax / 2 ? min(Self.pagesMax, pages * 2) : pages
    }
}
