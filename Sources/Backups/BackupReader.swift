import Problems
import Sodium
import SystemPackage

/// A reader that reads one backup from beginning to end, and refuses a changed backup.
final class BackupReader {
    private let path: String
    private let file: FileDescriptor
    private let passphrase: Passphrase?
    /// The backup's header.
    let header: BackupHeader
    private let bound: [UInt8]

    /// Opens a backup and reads its header.
    ///
    /// - Throws: A `Problem` if the file can't be read or isn't a backup.
    init(path: String, passphrase: Passphrase?) throws {
        (self.path, self.passphrase) = (path, passphrase)
        do { file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) } catch {
            throw Problem.backup(path, "it cannot be read: \(error)", why: "give a file that `lamplighter backup` made")
        }
        do {
            let magic = Array(BackupFormat.magic.utf8)
            guard try Self.read(file, magic.count) == magic else {
                throw Problem.backup(
                    path,
                    "it is not a backup of Lamplighter",
                    why: "its first line is not the first line of a backup"
                )
            }
            let line = try Self.line(file)
            guard let header = BackupHeader(line: line) else { throw Self.changed(path) }
            self.header = header
            bound = magic + line
        } catch {
            try? file.close()
            throw error
        }
    }

    deinit { try? file.close() }

    /// Reads all members: calls `onMember` with each member, then `onPiece` with each piece of its bytes.
    ///
    /// - Throws: A `Problem` for a missing or wrong passphrase, or a changed or incomplete file. After an error, the
    ///   bytes that were passed to `onPiece` must not be used.
    func read(onMember: (BackupMember) throws -> Void, onPiece: ([UInt8]) throws -> Void) throws -> BackupSummary {
        guard !header.isEncrypted || passphrase != nil else {
            throw Problem.backup(
                path,
                "it is encrypted",
                why: "its passphrase is needed",
                cures: [.init("--passphrase-file FILE", "name the file with the passphrase")]
            )
        }
        guard let key = header.key(passphrase),
            var stream = SealedStreamReader(key: key, header: try Self.read(file, SealedStream.headerBytes))
        else { throw Self.changed(path) }
        var bound = bound
        var rest = 0
        while true {
            guard let (piece, isLast) = stream.open(try sealed(), boundTo: bound) else {
                // If the passphrase is wrong or the header changed, the first piece can't be opened.
                guard bound.isEmpty || !header.isEncrypted else {
                    throw Problem.backup(
                        path,
                        "it can't be decrypted",
                        why: "the passphrase is wrong, or the file was changed"
                    )
                }
                throw Self.changed(path)
            }
            bound = []
            if isLast {
                guard rest == 0, let summary = BackupSummary(piece: piece), try Self.read(file, 1).isEmpty else {
                    throw Self.changed(path)
                }
                return summary
            }
            if rest > 0 {
                guard piece.count <= rest else { throw Self.changed(path) }
                rest -= piece.count
                try onPiece(piece)
            } else {
                guard let member = BackupMember(piece: piece) else { throw Self.changed(path) }
                rest = member.bytes
                try onMember(member)
            }
        }
    }

    private func sealed() throws -> [UInt8] {
        let length = try Self.read(file, 4)
        guard length.count == 4 else { throw Self.truncated(path) }
        let count = length.reduce(0) { $0 << 8 | Int($1) }
        guard count <= BackupFormat.pieceBytes + (64 << 10) else { throw Self.changed(path) }
        let bytes = try Self.read(file, count)
        guard bytes.count == count else { throw Self.truncated(path) }
        return bytes
    }

    private static func line(_ file: FileDescriptor) throws -> [UInt8] {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n"), line.count < BackupFormat.headerBytesMax {
            let byte = try read(file, 1)
            guard !byte.isEmpty else { break }
            line += byte
        }
        return line
    }

    /// Reads `count` bytes, or fewer at the end of the file.
    private static func read(_ file: FileDescriptor, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let now = try bytes.withUnsafeMutableBytes {
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]))
            }
            guard now > 0 else { break }
            done += now
        }
        return Array(bytes.prefix(done))
    }

    private static func changed(_ path: String) -> Problem {
        Problem.backup(path, "it was changed after it was written", why: "nothing in it is used; use another backup")
    }

    private static func truncated(_ path: String) -> Problem {
        Problem.backup(path, "its end is missing", why: "nothing in it is used; use another backup")
    }
}

extension Problem {
    /// Returns the problem that says why a backup's file can't be used.
    static func backup(_ path: String, _ what: String, why: String, cures: [Cure] = []) -> Problem {
        Problem(
            .backupUnusable,
            "the backup \(path) cannot be used: \(what)",
            at: path,
            why: why,
            cures: cures + [.init("lamplighter backup verify FILE", "checks whether a backup is intact")]
        )
    }
}
