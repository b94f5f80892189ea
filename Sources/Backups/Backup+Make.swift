package import Domain
import Files
import Glibc
import Problems
package import Storage
import SystemPackage

extension Backup {
    /// Makes a backup at a new path, and reads it back.
    ///
    /// The database is copied, and the copy is checked page by page. The written backup is then read again. After these
    /// checks, the backup gets its final name. A note about the backup is written to the data directory.
    /// - Throws: A `Problem` if the backup fails, or an `Errno` if the note about it can't be written.
    package func make(
        at path: String,
        passphrase: Passphrase?,
        from store: Store,
        now: Instant,
        progress: Progress
    ) throws -> Report {
        let path = AbsolutePath.of(path)
        removeLeftCopies()
        try checkRoom(for: path)
        let copy = DatabaseCopy(path: leftCopy(of: getpid()))
        defer { Self.remove(copy) }
        // The file is created here, because other users could read a file that SQLite creates.
        try TextFile.write("", to: copy.path)
        try store.copy(to: copy) { try progress("copying", $0) }
        try progress("checking", 0)
        let summary = try summary(of: copy, for: path)
        let header = BackupHeader(madeAt: now, version: version, isEncrypted: passphrase != nil)
        var writer = try BackupWriter(path: path, header: header, passphrase: passphrase)
        do {
            try writer.add(BackupFormat.database, from: copy.path) { try progress("writing", $0) }
            for name in directory.keptFiles { try writer.add(name, from: directory.path + "/" + name) { _ in } }
            try writer.seal(summary)
            try Self.readBack(BackupWriter.unfinished(path), passphrase, holds: summary, progress: progress)
            try writer.finish()
        } catch {
            writer.discard()
            throw error
        }
        try BackupNote(path: path, madeAt: now).write(to: directory)
        return Report(header: header, summary: summary, bytes: TextFile.size(path) ?? 0)
    }

    /// Checks that the copy is undamaged, and that its secrets are sealed with the directory's `server.key`.
    private func summary(of copy: DatabaseCopy, for path: String) throws -> BackupSummary {
        let summary: BackupSummary
        do {
            summary = BackupSummary(try copy.check())
        } catch let damage as DatabaseCopy.Damage {
            throw Problem.backup(
                path,
                "the database is damaged: \(damage)",
                why: "a backup of a damaged database would be useless",
                cures: [
                    .init("lamplighter restore FILE --data DIR", "restore the last intact backup")
                ]
            )
        }
        guard try Self.isSealed(copy, with: TextFile.readBytes(directory.serverKey) ?? []) else {
            throw Problem.backup(
                path,
                "\(directory.serverKey) is not the key of the database",
                why: "after a restore with this key, all secrets in the database would count as wrong",
                cures: [.init("lamplighter doctor --data '\(directory.path)'", "look closer")]
            )
        }
        return summary
    }

    private static func readBack(
        _ path: String,
        _ passphrase: Passphrase?,
        holds summary: BackupSummary,
        progress: Progress
    ) throws {
        var member = BackupMember(name: "", bytes: 0)
        var done = 0
        let found = try BackupReader(path: path, passphrase: passphrase).read(
            onMember: { (member, done) = ($0, 0) },
            onPiece: { piece in
                done += piece.count
                if member.name == BackupFormat.database {
                    try progress("reading back", Double(done) / Double(max(1, member.bytes)))
                }
            }
        )
        guard found == summary else {
            throw Problem.backup(
                path,
                "the file read from the disk differs from the one written",
                why: "the disk may be failing"
            )
        }
    }

    /// Throws a `Problem` if a disk has too little space for the copy or the backup.
    private func checkRoom(for path: String) throws {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        let size = Int64(TextFile.size(directory.database) ?? 0)
        let isOneDisk = (try? Stat(directory.path))?.deviceID == (try? Stat(folder.isEmpty ? "/" : folder))?.deviceID
        for (place, needed) in [(directory.path, isOneDisk ? 2 * size : size), (folder, size)] {
            guard let room = DiskRoom.nearest(place),
                room.free < needed + DatabaseCopy.reserveBytes
            else {
                continue
            }
            throw Problem.backup(
                path,
                "there is not enough space in \(place)",
                why: "\((needed + DatabaseCopy.reserveBytes) >> 20) MiB are needed, \(room.free >> 20) are free"
            )
        }
    }

    /// Returns the path of the database copy that a process makes, in the protected data directory.
    private func leftCopy(of process: Int32) -> String { directory.path + "/backup-\(process).db" }

    private func removeLeftCopies() {
        for name in TextFile.names(in: directory.path) where name.hasPrefix("backup-") {
            guard let process = Int32(name.dropFirst(7).prefix { $0.isNumber }),
                process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
            else { continue }
            unlink(directory.path + "/" + name)
        }
    }
}
