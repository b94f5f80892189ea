import Backups
import Files
import Service
import Storage
import TestKit
import Testing

@Suite("The copy before a migration") struct MigrationCopyTests {
    @Test("The copy is complete, only its owner can read it, and it never replaces another copy")
    func migrationCopy() throws {
        let folder = try TemporaryDirectory()
        let directory = try DataDirectory.prepare(folder.path)
        let store = try StoreAccess.service(directory, .file) { _ in Issue.record("nothing is to be migrated") }

        var parts: [Double] = []
        let first = try MigrationCopy.make(of: store, in: directory, before: "9.8.7") { parts.append($0) }
        let second = try MigrationCopy.make(of: store, in: directory, before: "9.8.7") { _ in }

        #expect(first == "\(directory.database).before-9.8.7")
        #expect(second == first + ".2")
        #expect(parts.last == 1 && parts == parts.sorted())
        #expect(TextFile.mode(first) == 0o600)
        #expect(try DatabaseCopy(path: first).check().contains { $0.table == "account" })
        #expect(!TextFile.names(in: directory.path).contains { $0.contains("unfinished") })
    }
}
