import Files
import Glibc
import Storage

extension Backup {
    /// Checks a backup: decrypts all of it, and checks each page of its database.
    ///
    /// The check writes a copy of the database to the folder `scratch`. The default is the backup's folder.
    /// - Throws: A `Problem` if the backup can't be read, was changed, or is damaged.
    package static func verify(
        _ path: String,
        passphrase: Passphrase?,
        scratch: String?,
        progress: Progress
    ) throws -> Report {
        let path = AbsolutePath.of(path)
        let folder =
            scratch.map { AbsolutePath.of($0) } ?? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let copy = DatabaseCopy(path: folder + "/.verify-\(getpid()).db")
        defer { remove(copy) }
        let reader = try BackupReader(path: path, passphrase: passphrase)
        let sink = try FileSink(copy.path)
        var (isDatabase, isKey) = (false, false)
        var keyLine: [UInt8] = []
        let summary = try reader.read(
            onMember: { member in
                isDatabase = member.name == BackupFormat.database
                isKey = member.name == BackupFormat.serverKey
                if isDatabase { sink.expect(member.bytes) }
            },
            onPiece: { piece in
                if isKey { keyLine += piece }
                if isDatabase { try sink.write(piece) { try progress("opening", $0) } }
            }
        )
        try sink.close()
        try progress("checking", 0)
        try check(copy, summary, keyLine: keyLine, of: path)
        return Report(header: reader.header, summary: summary, bytes: TextFile.size(path) ?? 0)
    }
}
