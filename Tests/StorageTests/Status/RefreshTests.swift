import Domain
import PostgreSQL
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("Retained statuses to be published again", .onlyInDatabase)
struct RefreshTests {
    @Test("A worker that publishes refreshes waits for a transaction that requests them again")
    func again() throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (try World(directory), try World(directory))
        try first.fill()
        try first.store.arrange(at: Make.now) { tx in
            let user = User(
                uid: Make.uid,
                app: Make.app,
                region: "default",
                countryCode: "49",
                nickname: "n",
                isAnonymous: true,
                createdAt: tx.now
            )
            try tx.accounts.insert(user, deviceID: nil)
            try tx.bindings.insert(
                Binding(did: Make.did, uid: Make.uid, app: Make.app, role: .special, boundAt: tx.now)
            )
            try tx.refreshes.add([Refresh(did: Make.did, uid: Make.uid)])
        }
        func carryOut() throws {
            try second.store.batch(at: Make.now) { tx in
                try tx.sql.run("SET LOCAL lock_timeout = '20ms'")
                try tx.lock(devices: [Make.did])
                try tx.refreshes.remove(tx.refreshes.next(limit: 10))
            }
        }

        try first.store.batch(at: Make.now) { tx in
            // When the content of a product's statuses changes, the service adds refreshes with this function.
            try tx.refreshes.addAll(of: Make.key)
            #expect(try tx.refreshes.isWaiting())
            #expect(throws: PostgresError.self) { try carryOut() }
        }

        #expect(try second.store.read { try $0.refreshes.isWaiting() })
        try carryOut()
        #expect(try !second.store.read { try $0.refreshes.isWaiting() })
    }
}
