import Domain
import JSON
import Logging
import Storage
import StoreTestKit
import Testing

@testable import Workers

@Suite("Maintenance jobs") struct MaintenanceJobTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// SQL statements that insert rows that expired at `$1`; each key names the job that counts the rows.
    ///
    /// A test replaces `#` with a digit, so that the rows differ.
    private static let rows = [
        "inbox": "INSERT INTO inbox (did, id, version, at) VALUES ('d', '#', 1, $1)",
        "request": """
        INSERT INTO request (sender, id, content, sealed, at) VALUES ('t', '#', x'01', 0, $1)
        """, "attempt": "INSERT INTO attempt (subject, count, since, until) VALUES ('#', 1, $1, $1)",
        "code": """
        INSERT INTO code (scope, codeHash, codeToken, tries, sentAt, expiresAt)
        VALUES (x'0#', x'01', 't', 0, $1, $1)
        """, "ticket": "INSERT INTO ticket (ticketHash, scope, expiresAt) VALUES (x'0#', x'01', $1)",
        "link": """
        INSERT INTO link (tokenHash, kind, uid, content, createdAt, expiresAt)
        VALUES (x'0#', 'verify', 'u', x'01', $1, $1)
        """,
        "scheduleRun": """
        INSERT INTO scheduleRun (scheduleId, dueAt, firedAt, state)
        VALUES ('t-1', $1 + #, $1, 'done')
        """,
        "session": """
        UPDATE session SET endedAt = $1, endReason = 'loggedOut' WHERE uid = 'u-#'
        """,
        "notice": "INSERT INTO notice (noticeId, at) VALUES ('#', $1)",
        "logoutCode": "INSERT INTO logoutCode (uid, codeHash, expiresAt) VALUES ('#', x'01', $1)",
        "messageRecord": """
        INSERT INTO messageRecord (messageId, channel, address, addressHash, template, appId,
            provider, state, tries, createdAt, endedAt)
        VALUES ('m-#', 'email', 'a', x'01', 'code', 'demo', 'smtp', 'sent', 1, $1, $1)
        """,
        "endedInvitation": invitation("'e#'", "'rejected'"),
        "audit": """
        INSERT INTO audit (id, at, kind, actorKind, actorId)
        VALUES (1000 * $1 + #, $1, 'loggedIn', 'system', '')
        """,
        "cancellation": "INSERT INTO cancellation (uid, deletesAt) VALUES ('u-#', $1)",
        "deadLetter": """
        INSERT INTO deadLetter (id, worker, topic, payload, shapeOnly, reason, at)
        VALUES (#, 'status', 't', x'01', 0, 'r', $1)
        """,
    ]

    /// SQL statements that insert expired commands, invitations and guests; each key names the job that counts them.
    private static let rowsOfWorkers = [
        "command": """
        INSERT INTO command (did, cid, sn, kind, state, data, actorKind, actorId, createdAt,
            expiresAt, late, mode)
        VALUES ('d', #, 0, 'write', 'sent', '{}', 'system', '', $1, $1, 0, 'now')
        """,
        "invitation": invitation("'o#'", "'pending'"),
        "guest": """
        INSERT INTO binding (did, uid, appId, role, access, subscribed, alias, remark, boundAt,
            guestUntil)
        VALUES ('\(World.did(0).text)', 'g-#', 'demo', 'guest', 'control', 1, '', '', $1, $1)
        """,
    ]

    /// SQL that inserts rows for the jobs that delete rows without counting them.
    private static let uncounted = [
        "refusal": """
        INSERT INTO refusal (likeness, reason, firstAt, lastAt, times, detail)
        VALUES (x'0#', 'r', $1, $1, 1, x'01')
        """,
        "event": """
        INSERT INTO event (did, ts, seq, eventId, type, actorKind, actorId)
        VALUES ('\(World.did(0).text)', $1, #, 'e-#', 'online', 'system', '')
        """,
    ]

    private static func invitation(_ id: String, _ status: String) -> String {
        """
        INSERT INTO sharing (sharingId, did, appId, inviterUid, way, access, status, createdAt,
            expiresAt, changedAt)
        VALUES (\(id), 'd', 'demo', 'u-0', 'qrcode', 'control', \(status), $1, $1, $1)
        """
    }

    /// Returns a `World` with expired rows of all kinds, one bound device and one that was never bound.
    private func filledWorld() throws -> World {
        var limits = Limits()
        (limits.sweepStep, limits.historyStep) = (2, 2)
        (limits.auditDays, limits.deadLettersMax) = (30, 1)
        let world = try World(devices: 2, users: 6, limits: limits)
        try world.bind(0, 0)
        try world.write { (tx) throws in
            try tx.sql.run(
                """
                INSERT INTO schedule (scheduleId, did, uid, appId, weekDays, monthDays, time, sun,
                    timezone, attrs, remark, enabled, misfire, createdAt, activeSince, updatedAt)
                VALUES ('t-1', $1, 'u-0', 'demo', 0, 0, '08:00', 0, 'UTC', '{}', '', 0, 'skip',
                    0, 0, 0)
                """,
                World.did(0)
            )
            for (_, statement) in [Self.rows, Self.rowsOfWorkers, Self.uncounted].joined() {
                for digit in 1...5 {
                    let sql = statement.split(separator: "#", omittingEmptySubsequences: false)
                    try tx.sql.run(TestStore.bytes(in: sql.joined(separator: "\(digit)")), tx.now)
                }
            }
            try tx.history.append(
                (0..<5 as Range<Int64>).map { second in
                    let ts = tx.now.adding(seconds: second * 7200)
                    return HistoryRecord(did: World.did(0), ts: ts, data: ["level": 1])
                }
            )
        }
        // After 100 days, all these rows have to be deleted.
        world.clock.advance(seconds: 100 * 86_400)
        return world
    }

    private func jobs(_ world: World) -> [any MaintenanceJob] {
        MaintenanceJobs.files(world.environment, logger: Self.logger)
            + MaintenanceJobs.rows(world.environment, logger: Self.logger)
    }

    private func backlog(_ jobs: [any MaintenanceJob]) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for job in jobs { counts[job.name] = try job.backlog(limit: 100) }
        return counts
    }

    @Test("Each job has its own name, an interval, and a pause between its steps")
    func each() throws {
        let jobs = try jobs(World())
        #expect(Set(jobs.map(\.name)).count == jobs.count)
        for job in jobs { #expect(job.interval > .zero && job.pause > .zero, "\(job.name)") }
    }

    @Test("Each job runs until its backlog is gone")
    func end() throws {
        let world = try filledWorld()
        let jobs = jobs(world)
        let before = try backlog(jobs)
        for kind in Self.rows.keys { #expect(before[kind] == (kind == "deadLetter" ? 4 : 5), "\(kind)") }

        for job in jobs { try world.run(job) }

        let after = try backlog(jobs)
        #expect(Set(after.keys) == Set(before.keys))
        for (kind, count) in after where Self.rowsOfWorkers[kind] == nil { #expect(count == 0, "\(kind)") }
        for table in ["refusal", "event", "history", "historyBuffer", "scheduleRun"] {
            #expect(try world.count(table) == 0, "\(table)")
        }
        #expect(try world.read { try $0.meta.pendingVacuum() } == nil)
        #expect(try world.read { try $0.devices.count() } == 1)
    }

    @Test("Work that a worker ends is counted and left to the worker")
    func workers() throws {
        let world = try filledWorld()
        let jobs = jobs(world).filter { Self.rowsOfWorkers[$0.name] != nil }
        #expect(jobs.count == Self.rowsOfWorkers.count)
        for job in jobs {
            try world.run(job)
            #expect(try job.backlog(limit: 100) == 5, "\(job.name)")
            #expect(try job.backlog(limit: 3) == 3, "\(job.name)")
        }
    }

    @Test("The newest records of messages are kept, up to the limit") func messageRecords() throws {
        let world = try filledWorld()
        world.environment.limits.messageRecordsMax = 2
        world.environment.limits.messageRecordSeconds = 200 * 86_400
        let jobs = jobs(world).filter { $0.name.hasSuffix("essageRecord") }
        #expect(jobs.count == 2)
        for job in jobs { try world.run(job) }
        let left = try world.read { try $0.messageRecords.page(behind: .begin, limit: 10) }
        #expect(left.map(\.id.text) == ["m-5", "m-4"])
    }

    @Test("An audit trail that is kept forever has no backlog")
    func audit() throws {
        let world = try filledWorld()
        world.environment.limits.auditDays = 0
        let job = try #require(jobs(world).first { $0.name == "audit" })
        try world.run(job)
        #expect(try job.backlog(limit: 100) == 0)
        #expect(try world.count("audit") == 5)
    }
}
