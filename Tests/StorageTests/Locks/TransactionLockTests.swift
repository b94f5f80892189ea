import Domain
import StoreTestKit
import Testing

@testable import Storage

@Suite("Transactions that lock")
struct TransactionLockTests {
    private func rename(_ tx: Transaction) throws {
        try tx.devices.update(Make.did, passcode: "another", hardware: nil)
    }

    @Test("A locked device may be written")
    func locked() throws {
        let world = try World()
        try world.fill()
        try world.store.batch(at: Make.now) { tx in
            try tx.lock(devices: [Make.did])
            try rename(tx)
        }
    }

    @Test("Writing a device without its lock ends a debug build")
    func unlocked() async throws {
        await #expect(processExitsWith: .failure) {
            let world = try World()
            try world.fill()
            try world.store.batch(at: Make.now) { tx in
                try tx.devices.allowReset(Make.did, until: Make.now)
            }
        }
    }

    @Test("A piece of work relies on no lock of the pieces before")
    func pieces() async throws {
        await #expect(processExitsWith: .failure) {
            let world = try World()
            try world.fill()
            try world.store.batch(at: Make.now) { tx in
                try tx.lock(devices: [Make.did])
                tx.beginPiece()
                try tx.devices.allowReset(Make.did, until: Make.now)
            }
        }
    }

    @Test("Locks of a piece that was undone are gone")
    func undone() async throws {
        await #expect(processExitsWith: .failure) {
            let world = try World()
            try world.fill()
            try world.store.batch(at: Make.now) { tx in
                try? tx.isolated {
                    try tx.lock(devices: [Make.did])
                    throw CancellationError()
                }
                try tx.devices.allowReset(Make.did, until: Make.now)
            }
        }
    }

    @Test("What a lock is taken for is read again where others may have changed it")
    func again() throws {
        let world = try World()
        try world.fill()
        try world.store.batch(at: Make.now) { tx in
            var reads = 0
            let did = try tx.lock {
                reads += 1
                return try tx.devices.find(Make.did)?.did
            } naming: {
                (users: [], devices: [$0].compactMap(\.self))
            }
            #expect(did == Make.did)
            #expect(reads == (TestStore.isPostgres ? 2 : 1))
        }
    }

    @Test(
        "A second read that names another device is a conflict",
        .enabled(if: TestStore.isPostgres)
    )
    func conflict() throws {
        let world = try World()
        try world.fill()
        #expect(throws: LockConflict.self) {
            try world.store.batch(at: Make.now) { tx in
                var number = 0
                _ = try tx.lock {
                    number += 1
                    return DeviceID(trusted: "d-\(number)")
                } naming: {
                    (users: [], devices: [$0])
                }
            }
        }
    }
}
