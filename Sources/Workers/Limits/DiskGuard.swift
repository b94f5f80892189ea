package import Domain
package import Storage
import Synchronization

/// A guard of the free space on the data directory's disk, which decides when nothing more may be written.
///
/// Below a reserve, requests that write are refused and reports stay with the broker unacknowledged. This happens
/// before the disk is full, so that there is still space to end sessions, and for the deletions that free space. If
/// store and broker are on other machines, which have their own disks, the guard only reports.
///
/// One thread checks the disk; any thread may read the result.
package final class DiskGuard: Sendable {
    /// The space of a disk, in bytes.
    package typealias Room = DiskRoom

    /// The error thrown when there is too little space to accept anything; the message is not the cause.
    package struct IsLow: Error, CustomStringConvertible {
        package var description: String { "the disk is nearly full" }
    }

    /// The change that a check found.
    package enum News: Sendable, Equatable {
        /// Nothing more may be written; the reason, as text for an operator.
        case low(String)
        /// There is enough space again.
        case well
    }

    private let reserve: DiskReserve
    /// Whether too little space stops writes.
    private let stops: Bool
    private let measure: @Sendable () -> Room?
    private let low = Atomic<Bool>(false)

    /// Makes a guard of the disk that `measure` measures; without `stops` it only reports.
    package init(_ reserve: DiskReserve, stops: Bool = true, measure: @escaping @Sendable () -> Room?) {
        self.reserve = reserve
        self.stops = stops
        self.measure = measure
    }

    /// Makes a guard of the disk that a path is on; without `stops` it only reports.
    package convenience init(path: String, _ reserve: DiskReserve, stops: Bool = true) {
        self.init(reserve, stops: stops) { Room.of(path) }
    }

    /// A guard that watches nothing.
    package static let none = DiskGuard(DiskReserve(percent: 0)) { nil }

    /// Whether the last check found too little space for writes.
    package var isLow: Bool { stops && low.load(ordering: .acquiring) }

    /// The current space of the disk; nil if it can't be measured, or nothing is watched.
    package var room: Room? { measure() }

    /// Checks the disk; returns a change since the last check.
    ///
    /// The disk has enough space again only with a tenth more than the reserve, so that its state doesn't change with
    /// every report.
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
            stops ? "reports and requests that write wait for space" : "the gate's file and the logs need space, too"
        return "the disk is nearly full: \(free) MiB free, less than the reserve of " + "\(reserve) MiB; \(effect)"
    }

    private static func megabytes(_ bytes: Int64) -> String {
        let tenths = (bytes * 10) >> 20
        return "\(tenths / 10).\(tenths % 10)"
    }
}
