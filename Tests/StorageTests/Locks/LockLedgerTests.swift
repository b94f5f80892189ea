import Domain
import Testing

@testable import Storage

@Suite("Locks of a transaction")
struct LockLedgerTests {
    private func user(_ number: Int) -> UserID { UserID(trusted: "u-\(number)") }
    private func device(_ number: Int) -> DeviceID { DeviceID(trusted: "d-\(number)") }

    @Test("Only locked rows may be written")
    func coverage() throws {
        var ledger = LockLedger()
        try ledger.lock(users: [user(1)], devices: [device(1)])
        try ledger.require(user(1))
        try ledger.require(device(1))
        #expect(throws: LockLedger.Breach.user(user(2))) { try ledger.require(user(2)) }
        #expect(throws: LockLedger.Breach.device(device(2))) { try ledger.require(device(2)) }
    }

    @Test("Either lock suffices for a row about a user and a device")
    func either() throws {
        var ledger = LockLedger()
        try ledger.lock(users: [user(1)])
        try ledger.lock(devices: [device(1)])
        try ledger.require(user(1), or: device(2))
        try ledger.require(user(2), or: device(1))
        #expect(throws: LockLedger.Breach.pair(user(2), device(2))) { try ledger.require(user(2), or: device(2)) }
    }

    @Test("Locks are taken in one order: users before devices, each in ascending order")
    func order() throws {
        var ledger = LockLedger()
        try ledger.lock(users: [user(2)], devices: [device(2)])
        #expect(throws: LockLedger.Breach.order("the user u-3", after: "the device d-2")) {
            try ledger.lock(users: [user(3)])
        }
        #expect(throws: LockLedger.Breach.order("the device d-1", after: "the device d-2")) {
            try ledger.lock(devices: [device(1)])
        }
        try ledger.lock(devices: [device(3)])
    }

    @Test("A lock that is already held can be taken again at any time")
    func again() throws {
        var ledger = LockLedger()
        try ledger.lock(users: [user(1)], devices: [device(1), device(2)])
        try ledger.lock(users: [user(1)], devices: [device(1)])
    }

    @Test("New users and devices are locked, and have no place in the order")
    func new() throws {
        var ledger = LockLedger()
        try ledger.lock(devices: [device(5)])
        ledger.lock(new: device(1))
        ledger.lock(new: user(1))
        try ledger.require(device(1))
        try ledger.require(user(1))
        try ledger.lock(devices: [device(6)])
    }

    @Test("The lock of all users and devices includes each, and precedes all other locks")
    func all() throws {
        var ledger = LockLedger()
        #expect(throws: LockLedger.Breach.all) { try ledger.requireAll() }
        try ledger.lockAll()
        try ledger.requireAll()
        try ledger.require(user(1))
        try ledger.lock(devices: [device(2)])
        try ledger.lock(devices: [device(1)])

        var late = LockLedger()
        try late.lock(devices: [device(1)])
        #expect(throws: LockLedger.Breach.order("everything", after: "the device d-1")) { try late.lockAll() }
    }
}
