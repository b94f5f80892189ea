package import Domain
package import Storage
import Synchronization

/// A guard of the data directory's disk that decides whether data may be written.
///
/// If the free space falls below a reserve, requests that write are refused. Reports stay unacknowledged at the broker.
/// The reserve leaves enough space to end sessions and to delete data. If the store and the broker are on other
/// machines, the guard only reports. One thread checks the disk; any thread may read the result.
package final class DiskGuard: Sendable {
    /// The space of a disk, in bytes.
    package typealias Room = DiskRoom

    /// The error thrown when the disk has too little space for a batch.
    package struct IsLow: Error, CustomStringConvertible {
        package var description: String { "the disk is nearly full" }
    }

    /// A change found in a check of the disk.
    package enum News: Sendable, Equatable {
        /// Too little space is free; the text tells an operator the reason.
        case low(String)
        /// Enough space is free again.
        case well
    }

    private let reserve: DiskReserve
    /// Whether writes are stopped when too little space is free.
    private let stops: Bool
    private let measure: @Sendable () -> Room?
    private let low = Atomic<Bool>(false)

    /// Makes a guard that uses `measure` and, if `stops` is false, only reports.
    package init(_ reserve: DiskReserve, stops: Bool = true, measure: @escaping @Sendable () -> Room?) {
        self.reserve = reserve
        self.stops = stops
        self.measure = measure
    }

    /// Makes a guard of the disk that contains `path`; if `stops` is false, the guard only reports.
    package convenience init(path: String, _ reserve: DiskReserve, stops: Bool = true) {
        self.init(reserve, stops: stops) { Room.of(path) }
    }

    /// A guard that watches no disk.
    package static let none = DiskGuard(DiskReserve(percent: 0)) { nil }

    /// Whether the last check found too little space for writes.
    package var isLow: Bool { stops && low.load(ordering: .acquiring) }

    /// The disk's current space, or nil if it isn't watched or can't be measured.
    package var room: Room? { measure() }

    /// Checks the disk, and returns a change since the last check, if any.
    ///
    /// A shortage ends only when the free space exceeds the reserve by a tenth. So the state doesn't change too often.
    package func look() -> News? {
        guard reserve.percent > 0, let room = measure() else { return nil }
        let wanted = reserve.bytes(of: room.total)
        let wasLow = low.load(ordering: .acquiring)
        let isLow = room.free < (wasLow ? wanted + wanted / 10 : wanted)
        guard isLow != wasLow else { return nil }
        low.store(isLow, ordering: .releasing)
        return isLow ? .low(words(room, wanted)) : .well
    }

    private func words(_ room: Room, _ wanted: Int64) -> String {
        let (free, reserve) = (Self.megabytes(room.free), Self.megabytes(wanted))
        let effect =
            stops ? "reports wait, and requests that write are refused" : "the gate's file and the logs need space, too"
        return "the disk is nearly full: \(free) MiB free, less than the reserve of " + "\(reserve) MiB; \(effect)"
    }

    private static func megabytes(_ bytes: Int64) -> String {
        let tenths = (bytes * 10) >> 20
        return "\(tenths / 10).\(tenths % 10)"
    }
}
