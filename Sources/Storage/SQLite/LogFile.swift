import Glibc

/// The write-ahead log beside the database file (`-wal`); the log's file is kept so large that commits only overwrite
/// old content.
///
/// On ext4, a commit that makes the file longer spends a third of its time on allocating blocks and on recording the
/// new length. When the engine starts the log again at the file's beginning, it doesn't shorten the file. The engine
/// ignores zeros after the last commit.
struct LogFile {
    /// The largest length of the file, in bytes: a little more than the amount of data that is written between two
    /// checkpoints.
    static let bytesMax = 36 << 20
    /// The maximum number of bytes to add at once, since commits wait while bytes are added.
    static let pieceBytes = 1 << 20
    /// The ratio of the file's intended length to the bytes written so far; with few writes, the file stays small.
    private static let leadFactor = 4
    /// The free space that the disk must have before the file is extended, as a multiple of the file's largest length.
    private static let roomFactor = 8

    private let path: String
    /// The length that the file should have, in bytes.
    private let wanted: Int

    /// Describes a database's log; `written` is the number of bytes that have been written into the log since the
    /// database was opened.
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

    /// Extends the file by a piece of zeros; returns false if the file is already long enough.
    ///
    /// The caller must hold the database's write lock, so that no other process appends to the log meanwhile.
    ///
    /// - Throws: `Failure` if the file can't be opened or the piece can't be written; a partly written piece is
    ///   removed.
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
