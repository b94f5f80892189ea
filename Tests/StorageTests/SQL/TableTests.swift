import Domain
import JSON
import StoreTestKit
import Testing

@testable import Storage

@Suite("Described tables")
struct TableTests {
    /// A described table, and the columns that its description leaves out.
    ///
    /// Other statements or the engine write the columns that were left out.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var columns: [String]
        var others: [String]
        var testDescription: String { name }

        init<Record>(_ table: Table<Record>, others: [String] = []) {
            name = table.name
            columns = table.columns.split(separator: ", ").map(String.init)
            self.others = others
        }
    }

    @Test(
        "A description names each column of its table",
        .onlyOnFile,
        arguments: [
            Case(AccountRow.table), Case(AuditRow.table), Case(Binding.table),
            Case(CancellationTable.Entry.table), Case(Command.table, others: ["seq"]),
            Case(DeadLetter.table), Case(DispatchRequest.table),
            Case(DeviceRecord.table, others: ["lastCid"]),
            Case(EventRow.table), Case(Home.table), Case(LinkRow.table), Case(MessageRow.table),
            Case(RequestRow.table, others: ["seq"]), Case(ScheduleRow.table),
            Case(ScheduleRun.table), Case(SessionRow.table), Case(KeyRow.table), Case(SharingRow.table),
            Case(AnnouncedDevice.table),
            Case(StatusRecord.table), Case(WaiterRow.table),
        ]
    )
    func columns(_ table: Case) throws {
        let actual = try World().store.read { tx in
            try tx.sql.query("SELECT name FROM pragma_table_info($1)", table.name) { $0.next(String.self) }
        }

        #expect((table.columns + table.others).sorted() == actual.sorted())
    }

    @Test("Statements use the columns of their roles, and the key last")
    func statements() {
        let table = Table<Note>("note")

        #expect(table.columns == "id, text, seen, secret")
        #expect(
            table.insert.text
                == "INSERT INTO note (id, text, seen, secret) VALUES ($1, $2, $3, $4)"
        )
        #expect(table.upsert.text.hasSuffix(" ON CONFLICT (id) DO UPDATE SET text = excluded.text"))
        #expect(table.update.text == "UPDATE note SET text = $1 WHERE id = $2")
        #expect(table.updating(.apart).text == "UPDATE note SET seen = $1 WHERE id = $2")
        #expect(table.find == "SELECT id, text, seen, secret FROM note WHERE id = $1")
        #expect(table.columns(of: "n") == "n.id, n.text, n.seen, n.secret")
    }

    @Test("A row is read as it was written, and a sealed column is unreadable in the table") func rows() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            let table =
                "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, seen INTEGER, secret BLOB)"
            try tx.sql.run(
                TestStore.isPostgres ? PostgresMigrations.translate(table) : table
            )
            let notes = [
                Note(id: 1, text: "a", seen: nil, secret: [1, 2]), Note(id: 2, text: "", seen: Make.now, secret: nil),
            ]
            try tx.sql.run(Note.table.insert, each: notes)
            #expect(try tx.sql.rows(of: Note.table, "ORDER BY id") == notes)

            var changed = notes[0]
            changed.text = "b"
            changed.seen = Make.now
            try tx.sql.run(Note.table.update, changed)
            #expect(try tx.sql.find(Note.table, 1)?.text == "b")
            #expect(try tx.sql.find(Note.table, 1)?.seen == nil)
            try tx.sql.run(Note.table.updating(.apart), changed)
            #expect(try tx.sql.find(Note.table, 1) == changed)
            #expect(try tx.sql.find(Note.table, 3) == nil)

            let stored = try tx.sql.first("SELECT secret FROM note WHERE id = $1", 1) { $0.next([UInt8].self) }
            #expect(stored != [1, 2])
        }
    }
}

private struct Note: TableRow, Equatable {
    var id: Int64
    var text: String
    var seen: Instant?
    var secret: [UInt8]?

    static let table = Table<Note>("note")

    static func map(_ column: inout ColumnMapper<Note>) -> Note {
        Note(
            id: column("id", \.id, as: .key),
            text: column("text", \.text, as: .changing),
            seen: column("seen", \.seen, as: .apart),
            secret: column.sealed("secret", \.secret)
        )
    }
}
