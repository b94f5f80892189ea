import Domain
import Storage
import Synchronization
import Testing

@testable import Workers

@Suite("The reserve of disk space") struct DiskGuardTests {
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

    @Test("The disk is low below the reserve, and well again with a tenth more; each change is reported once")
    func changes() {
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

    @Test("The message states the free and the reserved space")
    func words() throws {
        let guarded = DiskGuard(.init(percent: 5, bytesMax: .max), stops: true) {
            .init(free: (31 << 20) / 2, total: 400 << 20)
        }
        guard case .low(let words)? = guarded.look() else { throw TestFailure() }
        #expect(words.contains("15.5 MiB free, less than the reserve of 20.0 MiB"), "\(words)")
    }

    private struct TestFailure: Error {}

    @Test("On a large disk the reserve is a fixed number of bytes")
    func cap() {
        let watcher = watcher(bytesMax: 100)
        disk.set(free: 101)
        #expect(watcher.look() == nil)

        disk.set(free: 99)
        #expect(watcher.look() != nil)
    }

    @Test("A full disk that doesn't contain the store is reported, but nothing is refused")
    func tells() {
        let watcher = watcher(stops: false)
        disk.set(free: 499)
        #expect(watcher.look() != nil && !watcher.isLow)
        #expect(watcher.look() == nil)

        disk.set(free: 550)
        #expect(watcher.look() == .well)
    }

    @Test("With a share of 0 nothing is watched")
    func off() {
        disk.set(free: 0)
        #expect(watcher(percent: 0).look() == nil)
    }

    @Test("The system reports the space of a path's disk, and nothing for a missing path")
    func system() throws {
        let room = try #require(DiskGuard.Room.of("/"))
        #expect(room.free >= 0 && room.total >= room.free)
        #expect(DiskGuard.Room.of("/no/such/place") == nil)
    }
}
