import Domain
import Metrics
import Storage

/// Has the database file give back room after much was erased, in steps so small that no commit notices.
///
/// It lets a quarter of the file be free, since what is free now is mostly used again; then it brings it
/// down to an eighth.
struct Shrinker {
    private let environment: Environment
    private let free = Gauge(label: "lamplighter_database_free_bytes")
    private var isAtWork = false
    private var pages = 32
    private var nextLook = Instant(milliseconds: 0)

    /// How long a step may hold the writer; the next one is of half the pages where it took longer.
    private static let stepMax: Duration = .milliseconds(4)
    private static let (pagesMin, pagesMax) = (8, 512)
    private static let lookMilliseconds: Int64 = 5000
    /// Free bytes that are never worth the work.
    private static let (beginMin, endMin) = (Int64(16 << 20), Int64(8 << 20))

    init(_ environment: Environment) { self.environment = environment }

    /// Does one step where one is due; tells whether another follows soon.
    mutating func step() throws -> Bool {
        let now = environment.clock.now
        let waits = nextLook.milliseconds - now.milliseconds
        guard isAtWork || waits <= 0 || waits > Self.lookMilliseconds else { return false }
        nextLook = now.adding(milliseconds: Self.lookMilliseconds)
        let size = try environment.store.fileSize()
        free.record(size.freeBytes)
        isAtWork = size.isShrinkable && isTooMuch(size)
        guard isAtWork else { return false }
        let began = ContinuousClock.now
        try environment.store.shrink(pages: pages, at: now)
        adapt(to: ContinuousClock.now - began)
        return true
    }

    private func isTooMuch(_ size: Store.FileSize) -> Bool {
        isAtWork
            ? size.freeBytes > max(Self.endMin, size.bytes / 8)
            : size.freeBytes > max(Self.beginMin, size.bytes / 4)
    }

    /// The time includes the wait for other writers, which makes the steps smaller while there is much to do.
    private mutating func adapt(to took: Duration) {
        pages =
            took > Self.stepMax
            ? max(Self.pagesMin, pages / 2)
            : took < Self.stepMax / 2 ? min(Self.pagesMax, pages * 2) : pages
    }
}
