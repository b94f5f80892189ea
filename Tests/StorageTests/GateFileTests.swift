import Credentials
import Domain
import Foundation
import JSON
import Sodium
import Synchronization
import TestKit
import Testing

@testable import Storage

/// The contents of the credentials file, as the gate reads them.
struct GateFile {
    var tables = CredentialTables()
    var isDamaged = false

    init(_ world: World) throws {
        let bytes = [UInt8](try Data(contentsOf: world.directory.url.appending(path: "credentials")))
        var parser = CredentialsParser()
        var records: [Record] = []
        _ = parser.parse(bytes) { records.append($0) }
        for record in records { tables.apply(record) }
        isDamaged = parser.isDamaged
    }
}

@Suite("The gate's file and the store")
struct GateFileTests {
    private func digest(_ text: String) throws -> Digest {
        try #require(Digest(Sodium.sha256(text.utf8)))
    }

    private func filled() throws -> World {
        let world = try World()
        try world.store.rebuildCredentials()
        try world.fill()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.devices.setIdentity(Make.did, secret: "first", passcode: "123456", hardware: [:])
        }
        return world
    }

    @Test("The file has the highest number of a connection, written once for many connections")

    func connections() throws {
        let world = try filled()
        func connect(_ number: Int64) throws -> Int64 {
            try world.store.arrange(at: Make.now) { (tx) throws in
                var record = try #require(try tx.statuses.find(Make.did))
                record.status.presence.connection = number
                try tx.statuses.save(reported: [], moved: [record])
            }
            return try GateFile(world).tables.lastConnection
        }
        let first: Int64 = 1_790_000_000_000_000

        #expect(try connect(first) == first)
        #expect(try connect(first + 1) == first)
        #expect(try connect(first + Record.connectionsLead / 2) == first)
        let later = first + Record.connectionsLead / 2 + 1
        #expect(try connect(later) == later)
        #expect(try connect(later + 7) == later)

        try world.store.rebuildCredentials()

        #expect(try GateFile(world).tables.lastConnection == later + 7)
    }

    @Test("A batch's changes are in the file when the batch returns")
    func inStep() throws {
        let world = try filled()
        let first = try GateFile(world)
        #expect(try first.tables.devices == [Make.did.text: digest("first")])
        #expect(try first.tables.products == [Make.key.text: digest("product-secret")])

        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.devices.setIdentity(Make.did, secret: "second", passcode: "123456", hardware: [:])
        }
        #expect(try GateFile(world).tables.devices == [Make.did.text: digest("second")])

        try world.store.arrange(at: Make.now) { try $0.devices.forget(Make.did) }
        #expect(try GateFile(world).tables.devices.isEmpty)
    }

    @Test("All of a hundred thousand devices are in the file after a start")
    func many() throws {
        let directory = try TemporaryDirectory()
        do {
            let world = try World(directory)
            try world.fill()
            for first in stride(from: 1, to: 100_000, by: 5_000) {
                try world.store.arrange(at: Make.now) { (tx) throws in
                    try tx.sql.run(
                        """
                        INSERT INTO device (did, productKey, mac, secretHash, hardware, ownership,
                            ownershipSince, lastCid, createdAt)
                        VALUES ($1, $2, $3, $4, '{}', 1, 0, 0, 0)
                        """,
                        each: first..<first + 5_000
                    ) { number in
                        let secret = [UInt8](repeating: UInt8(number % 256), count: 32)
                        return ("d-x\(number)", Make.key, "\(number)", secret)
                    }
                }
            }
        }
        let world = try World(directory)
        try world.store.rebuildCredentials()
        let devices = try GateFile(world).tables.devices
        #expect((1...100_000).allSatisfy { devices["d-x\($0)"] != nil })
    }

    enum Harm: CaseIterable {
        case lost, empty, cut, damaged, older
    }

    @Test("A crash between the commit and the file is repaired at the next start", arguments: Harm.allCases)
    func rebuilds(
        _ harm: Harm
    ) throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "credentials")
        do {
            let world = try World(directory)
            try world.store.rebuildCredentials()
            try world.fill()
            let before = try Data(contentsOf: file)
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.devices.setIdentity(Make.did, secret: "first", passcode: "123456", hardware: [:])
            }
            let after = try Data(contentsOf: file)
            switch harm {
            case .lost: try FileManager.default.removeItem(at: file)
            case .empty: try Data().write(to: file)
            case .cut: try after.dropLast(3).write(to: file)
            case .damaged:
                var bytes = after
                bytes[bytes.count / 2] ^= 0xFF
                try bytes.write(to: file)
            case .older: try before.write(to: file)
            }
        }

        let world = try World(directory)
        try world.store.rebuildCredentials()
        let gate = try GateFile(world)
        #expect(!gate.isDamaged)
        #expect(try gate.tables.devices == [Make.did.text: digest("first")])
        #expect(try gate.tables.products == [Make.key.text: digest("product-secret")])
    }

    @Test("A session's beginning and end are in the file")
    func sessions() throws {
        let world = try World()
        var session = Domain.Session(
            id: SessionID(trusted: "s-1"),
            uid: Make.uid,
            app: Make.app,
            terminal: Make.terminal,
            platform: "",
            os: "",
            name: "",
            loginTime: Make.now,
            expiresAt: Make.at(100)
        )
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.accounts.insert(
                User(
                    uid: Make.uid,
                    app: Make.app,
                    region: "r",
                    countryCode: "49",
                    nickname: "n",
                    isAnonymous: true,
                    createdAt: Make.now
                ),
                deviceID: nil
            )
            try tx.sessions.begin(session, token: "token")
        }
        let live = try GateFile(world).tables.terminals[Make.terminal.text]
        #expect(try live?.session?.token == digest("token"))
        #expect(live?.appId == "demo")

        // The file records whether the session's token has ever been used.
        func isUsed() throws -> Bool? { try GateFile(world).tables.terminals[Make.terminal.text]?.session?.isUsed }
        #expect(try isUsed() == false)
        try world.store.rebuildCredentials()
        #expect(try isUsed() == false)
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.lock(users: [Make.uid])
            try tx.sessions.noteFirstUse(of: session)
        }
        #expect(try isUsed() == true)
        try world.store.rebuildCredentials()
        #expect(try isUsed() == true)

        try world.store.arrange(at: Make.now) { try $0.sessions.end(&session, .loggedOut) }
        let ended = try GateFile(world).tables.terminals[Make.terminal.text]
        #expect(ended?.session == nil && ended?.appId == "demo")
        #expect(session.endReason == .loggedOut)
        // If the session ends before its first use is reported, the report doesn't change the file.
        try world.store.arrange(at: Make.now) { try $0.sessions.noteFirstUse(of: session) }
        #expect(try GateFile(world).tables.terminals[Make.terminal.text]?.session == nil)
    }

    @Test("Changes by another process while the file is rewritten are not lost")
    func processes() throws {
        let world = try World()
        try world.store.rebuildCredentials()
        try world.fill()
        let other = try World(world.directory)
        let rounds = 60
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { part in
            for round in 0..<rounds {
                do {
                    switch part {
                    case 0: try world.store.rebuildCredentials()
                    case 1: try changeInTurn(world, "service-\(round % 2)", round)
                    default: try changeInTurn(other, "service-\(round % 2)", round + rounds)
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock(\.self) == [])
        let after = try GateFile(world).tables.services
        try world.store.rebuildCredentials()
        #expect(try GateFile(world).tables.services == after)
        #expect(after.count == 2)
    }

    /// Makes a change, and tries again after each `GateTurnMissed`, since the failed transaction has changed nothing.
    private func changeInTurn(_ world: World, _ name: String, _ number: Int) throws {
        while true {
            do { return try change(world, name, number) } catch is GateTurnMissed {}
        }
    }

    private func change(_ world: World, _ name: String, _ number: Int) throws {
        try world.store.arrange(at: Make.now) { tx in
            try tx.services.save(name, role: .gateway, secret: "secret \(number)")
        }
    }

    @Test("A removed service is missing from the file")
    func removed() throws {
        let world = try World()
        try world.store.rebuildCredentials()
        try change(world, "idp", 1)
        #expect(try GateFile(world).tables.services.keys.sorted() == ["idp"])
        #expect(try world.store.arrange(at: Make.now) { try $0.services.remove("idp") })
        #expect(try GateFile(world).tables.services.isEmpty)
        #expect(try !world.store.arrange(at: Make.now) { try $0.services.remove("idp") })
    }

    @Test("If the file can't be written, the batch fails, and the next batch rewrites the file")

    func unwritable() throws {
        let world = try filled()
        #expect(world.store.gateLag == .zero)
        let file = world.directory.path("credentials")
        // The test replaces the file with a folder of the same name, so writing fails.
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(throws: (any Error).self) {
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.devices.setIdentity(Make.did, secret: "second", passcode: "123456", hardware: [:])
            }
        }
        #expect(throws: (any Error).self) { try world.store.arrange(at: Make.now) { _ in } }
        #expect(world.store.gateLag > .zero)

        try FileManager.default.removeItem(atPath: file)
        try world.store.arrange(at: Make.now) { _ in }
        #expect(try GateFile(world).tables.devices == [Make.did.text: digest("second")])
        #expect(world.store.gateLag == .zero)
    }
}
