import Glibc

/// The write-ahead log (`-wal`), kept so large that commits only overwrite old content.
///
/// On ext4, lengthening the file takes a third of a commit's time. When the engine starts the log again at the file's
/// beginning, it doesn't shorten the file. The engine ignores zeros after the last commit.
struct LogFile {
    /// The file's largest length in bytes: slightly more than the bytes written between two checkpoints.
    static let bytesMax = 36 << 20
    /// The maximum number of bytes to add at once, since commits wait while bytes are added.
    static let pieceBytes = 1 << 20
    /// The ratio between the file's intended length and the number of bytes that this process has written into it.
    ///
    /// Because of this ratio, the file stays small if the process seldom writes.
    private static let leadFactor = 4
    /// How much free disk space is needed to extend the file, as a multiple of `bytesMax`.
    private static let roomFactor = 8

    private let path: String
    /// The length that the file should have, in bytes.
    private let wanted: Int

    /// Describes a database's log, where `written` is the number of bytes that this process has written into the log.
    init(database path: String, written: Int) {
        self.path = path + "-wal"
        wanted = min(Self.bytesMax, written * Self.leadFactor)
    }

    /// Whether the file must be extended and the disk has enough space for that.
    var lacksPiece: Bool {
        var status = stat()
        guard stat(path, &status) == 0, nextPiece(status) > 0 else { return false }
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return false }
        return UInt(space.f_bavail) * UInt(space.f_frsize) >= UInt(Self.bytesMax * Self.roomFactor)
    }

    /// The error thrown when the file could not be extended.
    struct Failure: Error {}

    /// Extends the file with zeros, or returns false if it is long enough.
    ///
    /// The caller must hold the write lock, so that no other process appends meanwhile.
    ///
    /// - Throws: `Failure` if the file can't be opened or written. A partly written piece is removed.
    func lengthen() throws(Failure) -> Bool {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw Failure() }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Failure() }
        let zeros = [UInt8](repeating: 0, count: nextPiece(status))
        guard pwrite(file, zeros, zeros.count, status.st_size) == zeros.count else {
            ftruncate(file, status.st_size)
            throw Failure()
        }
        return !zeros.isEmpty
    }

    /// Flushes the added piece to the disk, so that a commit seldom has to do so.
    func sync() {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        fdatasync(file)
        close(file)
    }

    private func nextPiece(_ status: stat) -> Int {
        let missing = wanted - Int(status.st_size)
        guard missing >= Self.pieceBytes || wanted == Self.bytesMax else { return 0 }
        return max(0, min(missing, Self.pieceBytes))
    }
}
