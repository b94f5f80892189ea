import Dispatch
import Domain
import PostgreSQL
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("Transactions with locks")
struct TransactionLockTests {
    private func rename(_ tx: Transaction) throws {
        try tx.devices.update(Make.did, passcode: "another", hardware: nil)
    }

    @Test("A locked device can be written")
    func locked() throws {
        let world = try World()
        try world.fill()
        try world.store.batch(at: Make.now) { tx in
            try tx.lock(devices: [Make.did])
            try rename(tx)
        }
    }

    @Test("Writing an unlocked device ends a debug build")
    func unlocked() async throws {
        await #expect(processExitsWith: .failure) {
            let world = try World()
            try world.fill()
            try world.store.batch(at: Make.now) { tx in try tx.devices.allowReset(Make.did, until: Make.now) }
        }
    }

    @Test("A piece of work doesn't rely on locks of earlier pieces")
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

    @Test("Locks of a rolled-back piece are gone")
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

    @Test("The data that determines a lock is read again if others may have changed it")
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

    // MARK: The order in the database

    private static let users = [1, 2].map { UserID(trusted: "u-\($0)") }
    private static let devices = [1, 2].map { DeviceID(trusted: "d-\($0)") }

    private func twoOfEach() throws -> World {
        let world = try World()
        try world.store.arrange(at: Make.now) { tx in
            try tx.products.save(Make.product, secret: "product-secret")
            for did in Self.devices { try tx.devices.create(did, product: Make.key, mac: MAC(trusted: did.text)) }
            for uid in Self.users {
                try tx.accounts.insert(
                    User(
                        uid: uid,
                        app: Make.app,
                        region: "eu",
                        countryCode: "DE",
                        nickname: "",
                        isAnonymous: false,
                        createdAt: Make.now
                    ),
                    deviceID: nil
                )
            }
        }
        return world
    }

    @Test(
        "While a transaction waits for a lock, it holds the locks before it in the order, and no later ones",
        .onlyInDatabase,
        .endsInTime,
        arguments: [
            ("SELECT 1 FROM account WHERE uid = 'u-2' FOR UPDATE", "d-1 d-2"),
            ("SELECT 1 FROM status WHERE did = 'd-2' FOR UPDATE", ""),
        ]
    )
    func order(_ holding: String, _ free: String) throws {
        let world = try twoOfEach()
        let address = try TestStore.address(of: world.directory)
        let (holder, looker) = (try TestStore.connection(address), try TestStore.connection(address))
        try holder.execute("BEGIN; \(holding)")
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [store = world.store] in
            // The transaction requests the locks in the opposite order.
            _ = try? store.batch(at: Make.now) { tx in
                try tx.lock(users: Self.users.reversed(), devices: Self.devices.reversed())
            }
            ended.signal()
        }
        while try looker.execute(Self.waiting).texts == ["0"] {
            guard ended.wait(timeout: .now() + .milliseconds(1)) == .timedOut else {
                Issue.record("the transaction ended without waiting")
                return
            }
        }

        #expect(try looker.execute(Self.unlocked).texts == [free])
        try holder.execute("COMMIT")
        ended.wait()
    }

    /// The query that returns the number of transactions waiting for a lock.
    private static let waiting = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
    /// The query that returns the ids of the users and devices that no transaction has locked.
    private static let unlocked = """
        SELECT concat_ws(' ',
            (SELECT string_agg(uid, ' ' ORDER BY uid)
                FROM (SELECT uid FROM account FOR UPDATE SKIP LOCKED) AS a),
            (SELECT string_agg(did, ' ' ORDER BY did)
                FROM (SELECT did FROM status FOR UPDATE SKIP LOCKED) AS s))
        """
}
