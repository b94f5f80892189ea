import Domain
import JSON
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("All data stored about a person")
struct PersonalDataTests {
    /// Returns the names of the columns of each table in a new store.
    private func columns(_ world: World) throws -> [String: Set<String>] {
        let rows = try world.store.read { tx in
            try tx.sql.query(
                """
                SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'grdb_%'
                """
            ) {
                ($0.next(String.self), $0.next(String.self))
            }
        }
        return Dictionary(grouping: rows, by: \.0).mapValues { Set($0.map(\.1)) }
    }

    @Test("Each column of each table is exported, or left out for a stated reason", .onlyOnFile)

    func coverage() throws {
        let tables = try columns(World())
        var exported: [String: Set<String>] = [:]
        for section in PersonalData.sections {
            exported[section.table, default: []].formUnion(section.columns.map(\.name))
        }
        for (table, columns) in tables where PersonalData.leftOut[table] == nil {
            for column in columns.sorted() {
                let isExported = exported[table]?.contains(column) == true
                let reason = PersonalData.leftOut["\(table).\(column)"]
                #expect(isExported || reason != nil, "\(table).\(column) is not exported")
            }
        }
        // Every table or column must exist if `leftOut` or a section mentions it.
        for name in PersonalData.leftOut.keys {
            let parts = name.split(separator: ".").map(String.init)
            let isThere = parts.count == 1 ? tables[parts[0]] != nil : tables[parts[0]]?.contains(parts[1]) == true
            #expect(isThere, "\(name) is not in the database")
        }
        for (table, columns) in exported { #expect(columns.isSubset(of: tables[table] ?? []), "\(table)") }
    }

    @Test(
        "A table with user ids is left out completely only for a stated reason",
        .onlyOnFile
    )
    func tablesOfUsers() throws {
        let named = try columns(World()).filter {
            !$0.value.isDisjoint(with: ["uid", "inviterUid"])
        }
        let whole = named.keys.filter { PersonalData.leftOut[$0] != nil }
        #expect(whole.sorted() == ["homeAssistant", "refresh"])
    }

    @Test("The document has the person's data, without secrets and other people's data") func document() throws {
        let world = try World()
        try world.fill()
        var user = User(
            uid: Make.uid,
            app: Make.app,
            region: "r",
            countryCode: "49",
            nickname: "Lena",
            isAnonymous: false,
            createdAt: Make.now
        )
        user.email = EmailAddress("lena@example.com")
        user.emailClaim = .verified
        user.passwordHash = "hash-of-password"
        let other = UserID(trusted: "u-0000000000002")
        let read = try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.accounts.insert(user, deviceID: "installation-secret")
            try tx.identities.save("wechat", "w-1", of: user, accessToken: "provider-token")
            try tx.avatars.save(.init(mediaType: "image/png", bytes: [0, 1, 2]), digest: "d", of: user.uid)
            try tx.sharings.insert(
                Sharing(
                    id: SharingID(trusted: "sh-1"),
                    did: Make.did,
                    app: Make.app,
                    inviter: user.uid,
                    guest: other,
                    way: .qrcode,
                    createdAt: Make.now,
                    expiresAt: Make.at(60)
                ),
                name: nil,
                code: "qr-secret"
            )
            for (cid, uid) in [(1, user.uid), (2, other)] as [(Int64, UserID)] {
                let actor = Actor(.user, uid.text, terminal: Make.terminal)
                try tx.bindings.insert(
                    Binding(did: Make.did, uid: uid, app: Make.app, role: cid == 1 ? .owner : .guest, boundAt: Make.now)
                )
                let event = Event(id: "e-\(cid)", type: "online", ts: Make.now, actor: actor)
                try tx.events.append([(Make.did, event)])
                try tx.commands.save([
                    Command(
                        did: Make.did,
                        cid: cid,
                        sn: 0,
                        kind: .write,
                        state: .done,
                        data: ["level": .integer(cid)],
                        binary: nil,
                        actor: actor,
                        app: Make.app,
                        createdAt: Make.now,
                        expiresAt: Make.now
                    )
                ])
                try tx.audit.add(AuditEntry(kind: .loggedIn, uid: user.uid, app: Make.app, actor: actor))
            }
            for to in ["lena@example.com", "mara@example.com"] {
                try tx.outgoingMessages.add(
                    OutgoingMessage(
                        id: MessageID(trusted: "m-\(to.prefix(4))"),
                        channel: .email,
                        to: to,
                        app: Make.app,
                        template: .code,
                        params: ["code": "987654"],
                        expiresAt: Make.at(60)
                    )
                )
                var sent = OutgoingMessageTests.message("m-s-\(to.prefix(4))")
                sent.to = to
                try tx.messageRecords.add(
                    sent,
                    MessageRecord(
                        id: sent.id,
                        channel: .email,
                        address: MaskedAddress.text(to),
                        template: .code,
                        app: Make.app,
                        provider: "smtp",
                        state: .sent,
                        tries: 1,
                        createdAt: Make.now,
                        endedAt: Make.now
                    )
                )
            }
            return try PersonalData.document(user, at: Make.at(5), in: tx)
        }

        func list(_ name: String) -> [JSONObject] { (read[name]?.arrayValue ?? []).compactMap(\.objectValue) }
        #expect(read["exportedAt"]?.intValue == Make.at(5).milliseconds)
        #expect(read["account"]?.objectValue?["email"] == "lena@example.com")
        #expect(read["account"]?.objectValue?["anonymous"] == false)
        #expect(read["avatar"]?.objectValue?["image"] == "AAEC")
        #expect(list("identities").map { $0["subject"] } == ["w-1"])
        #expect(list("devices").map { $0["role"] } == ["owner"])
        #expect(list("commands").map { $0["cid"] } == [1])
        #expect(list("commands").first?["data"]?.objectValue?["level"] == 1)
        #expect(list("events").map { $0["eventId"] } == ["e-1"])
        #expect(list("sharingsGiven").map { $0["sharingId"] } == ["sh-1"])
        #expect(list("audit").count == 2)
        #expect(list("messages").map { $0["to"] } == ["lena@example.com"])
        #expect(list("messageRecords").map { $0["to"] } == ["l•••@example.com"])
        let text = String(decoding: JSONValue.object(read).encoded(), as: UTF8.self)
        for secret in [
            other.text, "hash-of-password", "provider-token", "installation-secret", "qr-secret",
            "987654", "mara",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }
}
