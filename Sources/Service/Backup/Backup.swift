package import Domain
import Glibc
package import Storage
import SystemPackage
import Workers

/// Makes, checks and restores backups: the database, the keys and the secrets of a data directory in one file.
///
/// Made beside a running service without stopping it. Everything that was answered before it began is in it.
package struct Backup: Sendable {
    private let directory: DataDirectory

    /// Prepares backups of a data directory.
    package init(of directory: DataDirectory) { self.directory = directory }

    /// The result of making or checking a backup.
    package struct Report: Sendable {
        /// What the backup says about itself.
        package let header: BackupHeader
        /// The rows of each table.
        package let summary: BackupSummary
        /// Its size, in bytes.
        package let bytes: Int
    }

    /// A step of the work, and the part of it that is done, from 0 to 1.
    package typealias Progress = (_ step: String, _ done: Double) throws -> Void

    // MARK: Making

    /// Makes a backup at a path where nothing is yet, and reads it back.
    ///
    /// The database is copied, the copy is checked page by page, and what was written is opened again: only then has
    /// the backup its name.
    /// - Throws: A `Problem`; then there is no file of that name.
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
        // SQLite would make it readable by others.
        try TextFile.write("", to: copy.path)
        try store.copy(to: copy) { try progress("copying", $0) }
        let summary: BackupSummary
        do {
            try progress("checking", 0)
            summary = BackupSummary(try copy.check())
        } catch let damage as DatabaseCopy.Damage {
            throw Problem.backup(
                path,
                "the database is damaged: \(damage)",
                why: "a backup of it would be of no use",
                cures: [
                    .init(
                        "lamplighter restore FILE --data DIR",
                        "go back to the last backup that was whole"
                    )
                ]
            )
        }
        let header = BackupHeader(madeAt: now, isEncrypted: passphrase != nil)
        var writer = try BackupWriter(path: path, header: header, passphrase: passphrase)
        do {
            try writer.add(BackupFormat.database, from: copy.path) { try progress("writing", $0) }
            for name in directory.keptFiles {
                try writer.add(name, from: directory.path + "/" + name) { _ in }
            }
            try writer.seal(summary)
            try Self.readBack(
                BackupWriter.unfinished(path),
                passphrase,
                holds: summary,
                progress: progress
            )
            try writer.finish()
        } catch {
            writer.discard()
            throw error
        }
        return Report(header: header, summary: summary, bytes: TextFile.size(path) ?? 0)
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
            begin: { (member, done) = ($0, 0) },
            take: { piece in
                done += piece.count
                if member.name == BackupFormat.database {
                    try progress("reading back", Double(done) / Double(max(1, member.bytes)))
                }
            }
        )
        guard found == summary else {
            throw Problem.backup(
                path,
                "it does not read as it was written",
                why: "the disk may be failing"
            )
        }
    }

    /// Refuses to begin where the copy or the backup would fill a disk.
    private func checkRoom(for path: String) throws {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        let size = Int64(TextFile.size(directory.database) ?? 0)
        let isOneDisk =
            (try? Stat(directory.path))?.deviceID
            == (try? Stat(folder.isEmpty ? "/" : folder))?.deviceID
        for (place, needed) in [(directory.path, isOneDisk ? 2 * size : size), (folder, size)] {
            guard let room = Problem.room(of: place),
                room.free < needed + ServiceLimits.copyReserveBytes
            else {
                continue
            }
            throw Problem.backup(
                path,
                "there is too little room in \(place)",
                why:
                    "\((needed + ServiceLimits.copyReserveBytes) >> 20) MiB are needed, \(room.free >> 20) are free"
            )
        }
    }

    // MARK: Copies of the database

    /// The copy of the database that a process makes; it lies in the data directory, where the same may be read.
    private func leftCopy(of process: Int32) -> String { directory.path + "/backup-\(process).db" }

    private static func remove(_ copy: DatabaseCopy) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path + suffix) }
    }

    /// Removes the copies of processes that were killed.
    private func removeLeftCopies() {
        for name in TextFile.names(in: directory.path) where name.hasPrefix("backup-") {
            guard let process = Int32(name.dropFirst(7).prefix { $0.isNumber }),
                process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
            else { continue }
            unlink(directory.path + "/" + name)
        }
    }
}

// MARK: Checking and restoring

extension Backup {
    /// Checks a backup: opens all of it, and each page of its database.
    ///
    /// The database is written beside the backup for that time, or to `scratch`.
    /// - Throws: A `Problem` where it isn't whole.
    package static func verify(
        _ path: String,
        passphrase: Passphrase?,
        scratch: String?,
        progress: Progress
    ) throws -> Report {
        let path = AbsolutePath.of(path)
        let folder =
            scratch.map { AbsolutePath.of($0) }
            ?? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let copy = DatabaseCopy(path: folder + "/.verify-\(getpid()).db")
        defer { remove(copy) }
        let reader = try BackupReader(path: path, passphrase: passphrase)
        let sink = try FileSink(copy.path)
        var isDatabase = false
        let summary = try reader.read(
            begin: { member in
                isDatabase = member.name == BackupFormat.database
                if isDatabase { sink.expect(member.bytes) }
            },
            take: { piece in
                if isDatabase { try sink.write(piece) { try progress("opening", $0) } }
            }
        )
        try sink.close()
        try progress("checking", 0)
        try check(copy, summary, of: path)
        return Report(header: reader.header, summary: summary, bytes: TextFile.size(path) ?? 0)
    }

    /// Restores a backup into a directory that holds no data yet.
    ///
    /// Numbers that receivers compare are raised, so that devices obey the next commands and apps believe the next
    /// statuses. Sessions that ended after the backup are open again, as the backup has them, unless `endsSessions`.
    /// - Throws: A `Problem`; then the directory is as it was.
    package static func restore(
        _ path: String,
        into directory: DataDirectory,
        passphrase: Passphrase?,
        endsSessions: Bool,
        progress: Progress
    ) throws -> Report {
        let path = AbsolutePath.of(path)
        if let taken = ([BackupFormat.database] + directory.keptFiles)
            .first(where: { TextFile.exists(directory.path + "/" + $0) })
        {
            throw Problem(
                .dataDirectoryUnusable,
                "\(directory.path) holds data already",
                at: directory.path + "/" + taken,
                why: "a restored database needs the keys of its backup, and nothing is overwritten",
                cures: [
                    .init("lamplighter restore FILE --data DIR", "restore into a new directory"),
                    .init(
                        "mv '\(directory.path)' '\(directory.path).old'",
                        "put the old data aside"
                    ),
                ]
            )
        }
        let reader = try BackupReader(path: path, passphrase: passphrase)
        var written: [(from: String, to: String)] = []
        func discard() { for file in written { unlink(file.from) } }
        do {
            var sink: FileSink?
            var isDatabase = false
            let summary = try reader.read(
                begin: { member in
                    try sink?.close()
                    let target = directory.path + "/" + member.name
                    try TextFile.makeFolders(of: target)
                    written.append((target + ".restoring", target))
                    sink = try FileSink(target + ".restoring")
                    sink?.expect(member.bytes)
                    isDatabase = member.name == BackupFormat.database
                },
                take: { piece in
                    try sink?.write(piece) { if isDatabase { try progress("opening", $0) } }
                }
            )
            try sink?.close()
            let copy = DatabaseCopy(path: directory.database + ".restoring")
            try progress("checking", 0)
            try check(copy, summary, of: path)
            try copy.advanceNumbers()
            if endsSessions { try copy.endSessions(at: SystemClock().now) }
            try FileSink.sync(copy.path)
            // The database last: without it the directory counts as empty.
            for file in written.reversed() where file.to != directory.database {
                try name(file, path)
            }
            for file in written where file.to == directory.database { try name(file, path) }
            TextFile.syncDirectory(of: directory.database)
            return Report(header: reader.header, summary: summary, bytes: TextFile.size(path) ?? 0)
        } catch {
            discard()
            throw error
        }
    }

    private static func name(_ file: (from: String, to: String), _ path: String) throws {
        guard rename(file.from, file.to) == 0 else {
            throw Problem.backup(
                path,
                "\(file.to) cannot be written: \(Errno(rawValue: errno))",
                why: "nothing was restored"
            )
        }
    }

    private static func check(
        _ copy: DatabaseCopy,
        _ summary: BackupSummary,
        of path: String
    ) throws {
        do {
            guard BackupSummary(try copy.check()) == summary else {
                throw DatabaseCopy.Damage("its tables have other numbers of rows than it says")
            }
        } catch let damage as DatabaseCopy.Damage {
            throw Problem.backup(
                path,
                "its database is damaged: \(damage)",
                why: "take another backup"
            )
        }
    }
}
