import Files
import Glibc
import Problems
import Sodium
import SystemPackage

/// A writer of one backup's file.
///
/// The file has a temporary name until all of its bytes are on the disk. Only then does the file get its final name.
struct BackupWriter {
    private let path: String
    private let file: FileDescriptor
    private var stream: SealedStreamWriter
    /// The header's bytes; empty once the first piece has been written.
    ///
    /// The first piece authenticates the header's bytes, so that a changed header is detected.
    private var bound: [UInt8]

    private var unfinished: String { Self.unfinished(path) }

    /// Returns the temporary path of a backup that is being written.
    static func unfinished(_ path: String) -> String { path + ".part" }

    /// Creates the file, readable only by its owner, and writes the header.
    ///
    /// - Throws: A `Problem` if the file exists or can't be written, or the key can't be derived.
    init(path: String, header: BackupHeader, passphrase: Passphrase?) throws {
        self.path = path
        guard !TextFile.exists(path) else {
            throw Problem.backup(path, "a file with that name exists", why: "backups are not overwritten")
        }
        guard let key = header.key(passphrase), let stream = SealedStreamWriter(key: key) else {
            throw Problem.backup(path, "the key of the backup can't be derived", why: "that needs 256 MiB of memory")
        }
        self.stream = stream
        bound = Array(BackupFormat.magic.utf8) + header.line
        unlink(Self.unfinished(path))
        do {
            file = try TextFile.create(Self.unfinished(path))
        } catch {
            throw Problem.backup(
                path,
                "it cannot be written: \(error)",
                why: "the directory must exist and be writable"
            )
        }
        do {
            try put(bound + stream.header)
        } catch {
            discard()
            throw error
        }
    }

    /// Adds a member from a file of the data directory.
    ///
    /// - Throws: A `Problem` if the file can't be read, or the backup can't be written.
    mutating func add(_ name: String, from source: String, progress: (Double) throws -> Void) throws {
        let input: FileDescriptor
        do { input = try FileDescriptor.open(FilePath(source), .readOnly, options: .closeOnExec) } catch {
            throw Problem.backup(source, "it cannot be read: \(error)", why: "a backup contains everything")
        }
        defer { try? input.close() }
        let size = TextFile.size(source) ?? 0
        try seal(BackupMember(name: name, bytes: size).piece)
        var buffer = [UInt8](repeating: 0, count: BackupFormat.pieceBytes)
        var rest = size
        while rest > 0 {
            let count = try buffer.withUnsafeMutableBytes { bytes in
                try input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(min(rest, bytes.count))))
            }
            guard count > 0 else {
                throw Problem.backup(
                    source,
                    "the file became shorter while it was read",
                    why: "a backup contains everything"
                )
            }
            try seal(Array(buffer.prefix(count)))
            rest -= count
            try progress(Double(size - rest) / Double(max(1, size)))
        }
    }

    /// Writes the last piece and waits until the file is on the disk.
    ///
    /// - Throws: A `Problem` if the disk reports an error.
    mutating func seal(_ summary: BackupSummary) throws {
        try seal(summary.piece, isLast: true)
        guard fsync(file.rawValue) == 0 else {
            throw Problem.backup(path, "the disk refuses: \(Errno(rawValue: errno))", why: "nothing was kept")
        }
    }

    /// Gives the file its final name.
    ///
    /// - Throws: A `Problem` if the disk reports an error.
    func finish() throws {
        try? file.close()
        // `link` is tried first, because `rename` could replace a file that was created meanwhile. `rename` is used on
        // file systems without hard links.
        guard link(unfinished, path) == 0 || (errno == EPERM && rename(unfinished, path) == 0) else {
            throw Problem.backup(path, "it can't be renamed: \(Errno(rawValue: errno))", why: "nothing was kept")
        }
        unlink(unfinished)
        TextFile.syncDirectory(of: path)
    }

    /// Removes the unfinished file.
    func discard() {
        try? file.close()
        unlink(unfinished)
    }

    private mutating func seal(_ piece: [UInt8], isLast: Bool = false) throws {
        let sealed = stream.seal(piece, boundTo: bound, isLast: isLast)
        bound = []
        try put(withUnsafeBytes(of: UInt32(sealed.count).bigEndian, Array.init) + sealed)
    }

    private func put(_ bytes: [UInt8]) throws {
        do {
            try file.writeAll(bytes)
        } catch {
            throw Problem.backup(path, "it cannot be written: \(error)", why: "nothing was kept")
        }
    }
}
