import Domain
import Storage
import Synchronization
import Testing

@testable import Workers

@Suite("The reserve of room on the disk") struct DiskGuardTests {
    private final class Disk: Sendable {
        private let room = Mutex(DiskGuard.Room(free: 1000, total: 10_000))
        var now: DiskGuard.Room { room.withLock { $0 } }
        func set(free: Int64) { room.withLock { $0.free = free } }
    }

    private let disk = Disk()

    private func watcher(
        percent: Int = 5,
        bytesMax: Int64 = .max,
        stops: Bool = true
    ) -> DiskGuard {
        DiskGuard(.init(percent: percent, bytesMax: bytesMax), stops: stops) { [disk] in disk.now }
    }

    @Test("It is low below the reserve, and well with a tenth more, and tells each change once") func changes() {
        let watcher = watcher()
        var seen: [Bool?] = []
        for free: Int64 in [1000, 500, 499, 480, 500, 549, 550, 501, 499] {
            disk.set(free: free)
            seen.append(
                watcher.look().map {
                    if case .low = $0 { return true }
                    return false
                }
            )
        }

        #expect(seen == [nil, nil, true, nil, nil, nil, false, nil, true])
        #expect(watcher.isLow)
    }

    @Test("It says how much is free and how much is kept")
    func words() throws {
        let guarded = DiskGuard(.init(percent: 5, bytesMax: .max), stops: true) {
            .init(free: (31 << 20) / 2, total: 400 << 20)
        }
        guard case .low(let words)? = guarded.look() else { throw TestFailure() }
        #expect(words.contains("15.5 MiB free, less than the reserve of 20.0 MiB"), "\(words)")
    }

    private struct TestFailure: Error {}

    @Test("On a large disk so many bytes are enough")
    func cap() {
        let watcher = watcher(bytesMax: 100)
        disk.set(free: 101)
        #expect(watcher.look() == nil)

        disk.set(free: 99)
        #expect(watcher.look() != nil)
    }

    @Test("Of a disk that the store is not on, it tells and stops nothing")
    func tells() {
        let watcher = watcher(stops: false)
        disk.set(free: 499)
        #expect(watcher.look() != nil && !watcher.isLow)
        #expect(watcher.look() == nil)

        disk.set(free: 550)
        #expect(watcher.look() == .well)
    }

    @Test("With no share nothing is watched")
    func off() {
        disk.set(free: 0)
        #expect(watcher(percent: 0).look() == nil)
    }

    @Test("The system tells of the disk of a path, and of none that isn't there")
    func system() throws {
        let room = try #require(DiskGuard.Room.of("/"))
        #expect(room.free >= 0 && room.total >= room.free)
        #expect(DiskGuard.Room.of("/no/such/place") == nil)
    }
}
