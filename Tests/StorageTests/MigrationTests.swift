import Domain
import Foundation
import GRDB
import JSON
import TestKit
import Testing
import Wire

@testable import Storage

@Suite("The database's past")
struct MigrationTests {
    /// Leaves a database as the version of a step had it.
    private func leave(
        in directory: TemporaryDirectory,
        upTo step: String,
        _ fill: (Database) throws -> Void
    ) throws {
        let old = try DatabaseQueue(path: directory.path("test.db"))
        try Migrations.migrator().migrate(old, upTo: step)
        try old.write(fill)
        try old.close()
    }

    @Test("A database of a newer version is refused")
    func newer() throws {
        let directory = try TemporaryDirectory()
        do { _ = try World(directory) }
        try DatabaseQueue(path: directory.path("test.db")).write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('999-later')")
        }
        #expect(throws: Store.Failure.newerVersion(path: directory.path("test.db"))) {
            try World(directory)
        }
    }

    @Test("A tool does not migrate")
    func tool() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: Store.Failure.olderVersion(path: directory.path("test.db"))) {
            try World(directory, migrates: false)
        }
        do { _ = try World(directory) }
        _ = try World(directory, migrates: false)
    }

    @Test("Commands and requests of a database from before they lay in order are all there")
    func inOrder() throws {
        let directory = try TemporaryDirectory()
        try leave(in: directory, upTo: "011-sent-again") { database in
            for (did, cid, state) in [("b", 1, "done"), ("a", 1, "queued"), ("a", 2, "sent")] {
                try database.execute(
                    sql: """
                        INSERT INTO command (did, cid, sn, kind, state, data, actor, createdAt,
                            expiresAt, late, mode, steps)
                        VALUES (?, ?, 7, 'write', ?, '{"level":1}', '{"kind":"user","id":"u"}',
                            1000, 5000, 0, 'queue', '[["queued",1000,"asker"]]')
                        """,
                    arguments: [did, cid, state]
                )
            }
            try database.execute(
                sql: "INSERT INTO request VALUES ('t', 'r', x'01', x'02', 0, NULL, NULL, 1000)"
            )
        }

        let world = try World(directory)
        try world.store.read { tx in
            let device = DeviceID(trusted: "a")
            #expect(try tx.commands.waiting(device).map(\.cid) == [1])
            #expect(try tx.commands.open(device).map(\.cid) == [1, 2])
            #expect(try tx.commands.newest(device, limit: 9).map(\.cid) == [2, 1])
            let done = try #require(try tx.commands.find(DeviceID(trusted: "b"), 1))
            #expect(done.state == .done && done.mode == .queue && done.data == ["level": 1])
            #expect(done.steps.map(\.state) == [.queued] && done.actor.id == "u")
            let request = try tx.requests.find("t", MessageID(trusted: "r"))
            #expect(request?.content == [1] && request?.answer == [2])
        }
    }

    @Test("The senders of commands to devices that they left are known for their erasure")
    func formerBindings() throws {
        let directory = try TemporaryDirectory()
        try leave(in: directory, upTo: "012-in-order") { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            // One whose erasure is under way has no account any more.
            try database.execute(sql: "INSERT INTO cancellation VALUES ('u-1', 1, 1)")
            try database.execute(
                sql: """
                    INSERT INTO account (uid, appId, region, countryCode, nickname, anonymous,
                        tempUnit, timezone, createdAt)
                    VALUES ('u-11', 'demo', 'r', '49', '', 0, 1, 'UTC', 1)
                    """
            )
            let commands = [
                ("d-1", 1, "u-1"), ("d-1", 2, "u-1"), ("d-1", 3, "u-11"), ("d-2", 1, "u-11"),
            ]
            for (did, cid, uid) in commands {
                try database.execute(
                    sql: """
                        INSERT INTO command (did, cid, sn, kind, state, data, actor, createdAt,
                            expiresAt, late, mode)
                        VALUES (?, ?, 7, 'write', 'done', '{}', ?, 1000, 5000, 0, 'now')
                        """,
                    arguments: [
                        did, cid, EventCodec.stored(Actor(.user, uid, terminal: Make.terminal)),
                    ]
                )
            }
        }

        let world = try World(directory)
        let bindings = try world.store.read { tx in
            try tx.sql.query("SELECT uid, did, lastCid FROM formerBinding ORDER BY uid, did") {
                _ in
            } row: {
                "\($0.text(0)) \($0.text(1)) \($0.integer(2))"
            }
        }
        #expect(bindings == ["u-1 d-1 2", "u-11 d-1 3", "u-11 d-2 1"])
        try world.store.batch(at: Make.now) { (tx) throws in
            while try tx.cancellations.takeOutName(UserID(trusted: "u-1"), limit: 10) > 0 {}
            let actors = try tx.commands.newest(DeviceID(trusted: "d-1"), limit: 9).map(\.actor.id)
            #expect(actors == ["u-11", Actor.erased.id, Actor.erased.id])
        }
    }

    @Test("Accounts of before pending addresses lose an unchosen zone, and keep their last login")
    func accounts() throws {
        let directory = try TemporaryDirectory()
        try leave(in: directory, upTo: "016-turned-away") { database in
            for (uid, zone) in [("u-1", "UTC"), ("u-2", "Europe/Paris")] {
                try database.execute(
                    sql: """
                        INSERT INTO account (uid, appId, region, countryCode, nickname, anonymous,
                            tempUnit, timezone, createdAt, profile)
                        VALUES (?, 'demo', 'default', '86', '', 0, 1, ?, 1000,
                            '{"timezone":"UTC","gender":"f","birthday":"soon"}')
                        """,
                    arguments: [uid, zone]
                )
            }
            for (session, time) in [("s-1", 2000), ("s-2", 3000)] {
                try database.execute(
                    sql: """
                        INSERT INTO session (sessionId, uid, appId, terminalId, tokenHash, platform,
                            os, name, loginTime, expiresAt, endedAt)
                        VALUES (?, 'u-1', 'demo', ?, ?, '', '', '', ?, 9000, 4000)
                        """,
                    arguments: [session, session, session.data(using: .utf8), time]
                )
            }
        }

        let world = try World(directory)
        try world.store.read { tx in
            let first = try #require(try tx.accounts.find(UserID(trusted: "u-1")))
            #expect(first.timezone == "Asia/Shanghai" && first.lastLoginAt?.milliseconds == 3000)
            #expect(first.profile.texts["gender"] == "f")
            let second = try #require(try tx.accounts.find(UserID(trusted: "u-2")))
            #expect(second.timezone == "Europe/Paris" && second.lastLoginAt == nil)
        }
    }

    /// To rewrite the file after a migration was added, run this test with `LAMPLIGHTER_WRITE_SCHEMA=1`.
    @Test("The migrations make what schemas/database.sql says")
    func schema() throws {
        let file = packageRoot.appending(path: "schemas/database.sql")
        let text = try World().store.schema()
        if ProcessInfo.processInfo.environment["LAMPLIGHTER_WRITE_SCHEMA"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("What lay in a table of an older name is found under the present one")
    func names() throws {
        let directory = try TemporaryDirectory()
        try leave(in: directory, upTo: "020-refusals") { database in
            try database.execute(
                sql: """
                    INSERT INTO commandCall (did, at) VALUES ('d-1', 2000);
                    INSERT INTO formerBond VALUES ('u-1', 'd-1', 7, 0);
                    INSERT INTO historyTail VALUES (5000, 3, x'313233');
                    INSERT INTO meta (name, value) VALUES ('rollCallPending', '1'), ('scrub', '5');
                    """
            )
        }

        let world = try World(directory)
        try world.store.read { tx in
            let next = try tx.commands.nextDispatch(of: DeviceID(trusted: "d-1"))
            #expect(next?.at == Instant(milliseconds: 2000))
            #expect(try tx.sql.integer("SELECT lastCid FROM formerBinding WHERE uid = 'u-1'") == 7)
            #expect(try tx.history.buffer.depth().bytes == 3)
            #expect(try tx.meta.value("presenceReconciliationPending") == "1")
            #expect(try tx.meta.pendingVacuum() == "5")
        }
    }
}
