import Glibc

/// The log beside the database file (`-wal`), kept at a length at which commits overwrite old content.
///
/// A commit that makes the file longer also waits for the file system to find blocks and record the new length: on ext4
/// a third of its time. The engine keeps the file's length when the log starts over, and ignores zeros after the last
/// commit.
struct LogFile {
    /// The largest length of the file, in bytes: the writes between two checkpoints and a little more.
    static let bytesMax = 36 << 20
    /// The largest extension at once, in bytes, for which commits wait.
    static let pieceBytes = 1 << 20
    /// The ratio of the file's length to the bytes written, so that little use takes little space.
    private static let leadFactor = 4
    /// How many times the largest length must be free on the disk.
    private static let roomFactor = 8

    private let path: String
    /// The length to reach, in bytes.
    private let wanted: Int

    /// Describes the log of a database into which `written` bytes were written since it was opened.
    init(database path: String, written: Int) {
        self.path = path + "-wal"
        wanted = min(Self.bytesMax, written * Self.leadFactor)
    }

    /// Whether a piece must be added, and the disk has space for it.
    var lacksPiece: Bool {
        var status = stat()
        guard stat(path, &status) == 0, nextPiece(status) > 0 else { return false }
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return false }
        return UInt(space.f_bavail) * UInt(space.f_frsize) >= UInt(Self.bytesMax * Self.roomFactor)
    }

    /// The error that the file could not be made longer.
    struct Failure: Error {}

    /// Adds a piece of zeros; returns false if none is needed.
    ///
    /// Only for the holder of the database's write lock: no other process appends to the log meanwhile.
    ///
    /// - Throws: `Failure` if the system wrote only a part, which is then removed.
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

    /// Flushes the extension to the disk, so that a commit seldom waits for it.
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
