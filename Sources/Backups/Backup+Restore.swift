package import Domain
package import Files
import Glibc
import Problems
import Storage
import SystemPackage

extension Backup {
    /// Restores a backup into a directory that contains no data yet.
    ///
    /// The sequence numbers of commands and statuses are raised. Otherwise, devices and apps would ignore new commands
    /// and statuses as old. If `endsSessions` is false, sessions that ended after the backup was made are open again.
    /// - Throws: A `Problem`, or an error of the database or of `progress`. After any error, no restored file is left
    ///   in the directory.
    package static func restore(
        _ path: String,
        into directory: DataDirectory,
        passphrase: Passphrase?,
        endsSessions: Bool,
        now: Instant,
        progress: Progress
    ) throws -> Report {
        let path = AbsolutePath.of(path)
        try checkIsEmpty(directory)
        let reader = try BackupReader(path: path, passphrase: passphrase)
        var written: [Unpacked] = []
        var named: [Unpacked] = []
        do {
            let summary = try unpack(reader, into: directory, noting: &written, progress: progress)
            let copy = DatabaseCopy(path: unfinished(directory.database))
            try progress("checking", 0)
            let keyLine = TextFile.readBytes(unfinished(directory.serverKey)) ?? []
            try check(copy, summary, keyLine: keyLine, of: path)
            try copy.advanceNumbers()
            if endsSessions { try copy.endSessions(at: now) }
            try FileSink.sync(copy.path)
            // The database gets its final name last. So if the database exists, the restored directory is complete.
            for file in written.reversed() where file.to != directory.database {
                try name(file, from: path)
                named.append(file)
            }
            for file in written where file.to == directory.database { try name(file, from: path) }
            TextFile.syncDirectory(of: directory.database)
            return Report(header: reader.header, summary: summary, bytes: TextFile.size(path) ?? 0)
        } catch {
            for file in written { unlink(file.from) }
            for file in named { unlink(file.to) }
            throw error
        }
    }

    /// Returns the temporary path of a file that isn't completely restored yet.
    private static func unfinished(_ path: String) -> String { path + ".restoring" }

    private static func checkIsEmpty(_ directory: DataDirectory) throws {
        // If the database still has its temporary name, the keys beside it come from a killed restoration. In this
        // case, the keys may be replaced, so the directory counts as empty.
        let keys = TextFile.exists(unfinished(directory.database)) ? [] : directory.keptFiles
        if let taken = ([BackupFormat.database] + keys)
            .first(where: { TextFile.exists(directory.path + "/" + $0) })
        {
            throw Problem.directoryHoldsData(directory: directory.path, taken: taken)
        }
    }

    private typealias Unpacked = (from: String, to: String)

    /// Writes all members to temporary paths; adds each path to `written` before the file is created.
    private static func unpack(
        _ reader: BackupReader,
        into directory: DataDirectory,
        noting written: inout [Unpacked],
        progress: Progress
    ) throws -> BackupSummary {
        var sink: FileSink?
        var isDatabase = false
        let summary = try reader.read(
            onMember: { member in
                try sink?.close()
                let target = directory.path + "/" + member.name
                try TextFile.makeFolders(of: target)
                written.append((unfinished(target), target))
                sink = try FileSink(unfinished(target))
                sink?.expect(member.bytes)
                isDatabase = member.name == BackupFormat.database
            },
            onPiece: { piece in try sink?.write(piece) { if isDatabase { try progress("opening", $0) } } }
        )
        try sink?.close()
        return summary
    }

    private static func name(_ file: Unpacked, from path: String) throws {
        guard rename(file.from, file.to) == 0 else {
            throw Problem.backup(
                path,
                "\(file.to) cannot be written: \(Errno(rawValue: errno))",
                why: "nothing was restored"
            )
        }
    }
}
