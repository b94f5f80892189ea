import Problems
import Storage

extension Problem {
    /// If a start fails and the disk has fewer free bytes than this, the cause is a full disk; every start writes more
    /// bytes.
    private static let leastBytes: Int64 = 1 << 20

    /// Returns the problem to report for a failed start: a full disk if that was the cause, otherwise the error itself.
    static func ofStart(_ error: any Error, in path: String) -> any Error {
        let code = (error as? Problem)?.code
        let isOfFiles = code.map { [.databaseFailed, .dataDirectoryUnusable, .secretUnreadable].contains($0) } ?? true
        let isFull = isOfFiles && (DiskRoom.nearest(path)?.free ?? .max) < leastBytes
        guard isFull || StoreError.isFull(error) else { return error }
        return Problem.diskFull(path: path, sign: (error as? Problem)?.message ?? "\(error)")
    }
}
