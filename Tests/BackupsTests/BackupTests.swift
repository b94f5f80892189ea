import Domain
import Files
import Glibc
import Problems
import Service
import Storage
import TestKit
import Testing

@testable import Backups

@Suite("Backups") struct BackupTests {
    private let folder: TemporaryDirectory
    private let directory: DataDirectory
    private let store: Store
    private static let now = Instant(milliseconds: 1_795_000_000_000)
    private static let product = ProductKey(trusted: String(repeating: "b", count: 32))
    private static let quiet: @Sendable (String, Double) -> Void = { _, _ in }

    init() throws {
        folder = try TemporaryDirectory()
        directory = try DataDirectory.prepare(folder.path + "/data")
        store = try StoreAccess.service(directory, .file)
        _ = try SecretFile.readOrMake(directory.serviceSecret)
    }

    private var file: String { folder.path + "/one.backup" }

    private func fill(_ names: [String]) throws {
        try store.batch(at: Self.now) { tx in
            for name in names { try tx.services.save(name, role: .worker, secret: "s") }
        }
    }

    @discardableResult
    private func make(_ passphrase: Passphrase? = nil) throws -> Backup.Report {
        try Backup(of: directory, version: "1.2.3").make(
            at: file,
            passphrase: passphrase,
            from: store,
            now: Self.now,
            progress: Self.quiet
        )
    }

    private func restored(_ passphrase: Passphrase? = nil, endsSessions: Bool = false) throws -> DataDirectory {
        let target = try DataDirectory.prepare(folder.path + "/restored")
        _ = try Backup.restore(
            file,
            into: target,
            passphrase: passphrase,
            endsSessions: endsSessions,
            now: Self.now,
            progress: Self.quiet
        )
        return target
    }

    private func refusal(_ body: () throws -> Void) -> Problem? {
        do {
            try body()
            return nil
        } catch {
            return error as? Problem
        }
    }

    private func verify(_ passphrase: Passphrase? = nil) throws {
        _ = try Backup.verify(file, passphrase: passphrase, scratch: nil, progress: Self.quiet)
    }

    @Test("A restored backup contains all committed data and keys, with the same file permissions")

    func roundTrip() throws {
        try fill((0..<50).map { "name-\($0)" })
        let report = try make()
        try fill(["later"])
        let target = try restored()

        #expect(report.summary.rows["service"] == 50)
        #expect(report.header.version == "1.2.3")
        #expect(report.bytes > 50_000)
        let key = TextFile.read(target.serverKey)
        #expect(key != nil && key == TextFile.read(directory.serverKey))
        #expect(TextFile.read(target.serviceSecret) == TextFile.read(directory.serviceSecret))
        #expect(TextFile.mode(file) == 0o600)
        #expect(TextFile.mode(target.database) == 0o600)
        let names = try StoreAccess.service(target, .file).read { try $0.services.all().map(\.name) }
        #expect(Set(names) == Set((0..<50).map { "name-\($0)" }))
    }

    @Test("Making a backup leaves no other files beside it or in the data directory") func leavesNothing() throws {
        try make()
        try verify()

        #expect(TextFile.names(in: folder.path) == ["data", "one.backup"])
        #expect(TextFile.names(in: directory.path).allSatisfy { !$0.hasPrefix("backup-") })
    }

    @Test("The copy left by a killed process is removed, but the copy of a running process is kept")

    func leftCopies() throws {
        try TextFile.write("x", to: directory.path + "/backup-999999999.db")
        try TextFile.write("x", to: directory.path + "/backup-1.db")
        try make()

        #expect(!TextFile.exists(directory.path + "/backup-999999999.db"))
        #expect(TextFile.exists(directory.path + "/backup-1.db"))
    }

    @Test("A backup that was truncated or changed anywhere is refused with a reason")
    func damage() throws {
        try fill(["one"])
        try make()
        let whole = try #require(TextFile.readBytes(file))
        var places = Array(stride(from: 0, to: whole.count, by: whole.count / 25))
        places += [0, 25, 60, 100, whole.count - 1]
        for place in places {
            try TextFile.write(bytes: Array(whole[..<place]), to: file)
            let cut = try #require(refusal { try verify() }, "cut at \(place)")
            #expect(cut.code == .backupUnusable && !cut.message.isEmpty)
            var changed = whole
            changed[place] ^= 0x10
            try TextFile.write(bytes: changed, to: file)
            let refused = try #require(refusal { try verify() }, "changed at \(place)")
            #expect(refused.code == .backupUnusable)
            #expect(refusal { _ = try restored() } != nil)
            #expect(!TextFile.exists(folder.path + "/restored/lamplighter.db"))
            #expect(!TextFile.exists(folder.path + "/restored/server.key"))
        }
        try TextFile.write(bytes: whole + [0], to: file)
        #expect(refusal { try verify() } != nil)
        try TextFile.write(bytes: whole, to: file)
        try verify()
    }

    @Test("An encrypted backup opens only with its passphrase, and contains no plain text") func passphrase() throws {
        try fill(["a-name-that-is-nowhere-else"])
        let right = Passphrase(bytes: Array("correct horse".utf8))
        try make(right)
        let bytes = try #require(TextFile.readBytes(file))
        let secret = try #require(TextFile.read(directory.serverKey)?.prefix(43))

        #expect(!String(decoding: bytes, as: UTF8.self).contains("nowhere-else"))
        #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
        #expect(refusal { try verify() }?.message.contains("encrypted") == true)
        let wrong = Passphrase(bytes: Array("correct hors".utf8))
        #expect(refusal { try verify(wrong) }?.message.contains("can't be decrypted") == true)
        try verify(right)
        #expect(TextFile.exists(try restored(right).database))
    }

    @Test("Neither a backup nor a restoration overwrites anything") func overwritesNothing() throws {
        try make()
        let before = TextFile.readBytes(file)
        #expect(refusal { try make() }?.code == .backupUnusable)
        #expect(TextFile.readBytes(file) == before)
        let taken = refusal {
            _ = try Backup.restore(
                file,
                into: directory,
                passphrase: nil,
                endsSessions: false,
                now: Self.now,
                progress: Self.quiet
            )
        }
        #expect(taken?.code == .dataDirectoryUnusable)
    }

    @Test("A killed restoration can be repeated") func killedRestoration() throws {
        try fill(["one"])
        try make()
        let target = try restored()
        let key = TextFile.readBytes(target.serverKey)
        #expect(rename(target.database, target.database + ".restoring") == 0)
        let again = try restored()
        #expect(TextFile.readBytes(again.serverKey) == key)
        #expect(try StoreAccess.service(target, .file).read { try $0.services.all().map(\.name) } == ["one"])
        #expect(!TextFile.exists(target.database + ".restoring"))
    }

    @Test("A restored device obeys the next command, because its command number exceeds all earlier ones")
    func numbers() throws {
        let did = DeviceID(trusted: String(repeating: "d", count: 32))
        try store.batch(at: Self.now) { tx in
            try tx.products.save(Product(key: Self.product, name: "Lamp"), secret: "s")
            try tx.devices.create(
                did,
                product: Self.product,
                mac: MAC(trusted: "0123456789ab")
            )
            _ = try tx.devices.nextCommandID(did)
        }
        try make()
        let target = try StoreAccess.service(try restored(), .file)
        let next = try target.batch(at: Self.now) { tx in
            try tx.lock(devices: [did])
            return try tx.devices.nextCommandID(did)
        }

        #expect(next > 1_000_000)
    }

    @Test(
        "A backup whose key doesn't belong to its database is neither made, nor verified, nor restored"
    )
    func foreignKey() throws {
        let right = try SecretFile.read(directory.serverKey)
        try TextFile.write("another\n", to: directory.serverKey)
        #expect(refusal { try make() }?.message.contains("not the key") == true)
        #expect(!TextFile.exists(file))

        let copy = DatabaseCopy(path: folder.path + "/copy.db")
        try store.copy(to: copy) { _ in }
        for (line, isRight) in [(right, true), ("another", false)] {
            try TextFile.write(line + "\n", to: directory.serverKey)
            let path = folder.path + "/\(isRight).backup"
            let header = BackupHeader(madeAt: Self.now, version: "1", isEncrypted: false)
            var writer = try BackupWriter(path: path, header: header, passphrase: nil)
            try writer.add(BackupFormat.database, from: copy.path) { _ in }
            try writer.add(BackupFormat.serverKey, from: directory.serverKey) { _ in }
            try writer.seal(BackupSummary(try copy.check()))
            try writer.finish()
            let target = try DataDirectory.prepare(folder.path + "/of-\(isRight)")
            let verified = refusal { _ = try Backup.verify(path, passphrase: nil, scratch: nil, progress: Self.quiet) }
            let restored = refusal {
                _ = try Backup.restore(
                    path,
                    into: target,
                    passphrase: nil,
                    endsSessions: false,
                    now: Self.now,
                    progress: Self.quiet
                )
            }
            #expect((verified == nil) == isRight && (restored == nil) == isRight)
            if !isRight { #expect(verified?.message.contains("not the key") == true) }
            #expect(TextFile.exists(target.database) == isRight)
        }
    }

    @Test("The newest backup is recorded, and its age is never negative")
    func note() throws {
        #expect(BackupNote(of: directory) == nil)
        try make()
        #expect(BackupNote(of: directory) == BackupNote(path: file, madeAt: Self.now))
        let later = Self.now.adding(seconds: 30)
        try BackupNote(path: "/b", madeAt: later).write(to: directory)
        try BackupNote(path: "/a", madeAt: Self.now.adding(seconds: -60)).write(to: directory)
        let note = try #require(BackupNote(of: directory))

        #expect(note.path == "/b")
        #expect(note.age(at: later.adding(seconds: 90)) == 90)
        #expect(note.age(at: later.adding(seconds: -90)) == 0)
    }
}
