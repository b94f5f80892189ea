import Problems
import Storage

extension Problem {
    /// The number of free bytes below which a full disk counts as the cause of a failed start.
    private static let leastBytes: Int64 = 1 << 20

    /// Returns the problem of a failed start: a full disk, or the error itself.
    static func ofStart(_ error: any Error, in path: String) -> any Error {
        let code = (error as? Problem)?.code
        let isOfFiles = code.map { [.databaseFailed, .dataDirectoryUnusable, .secretUnreadable].contains($0) } ?? true
        let isFull = isOfFiles && (DiskRoom.nearest(path)?.free ?? .max) < leastBytes
        guard isFull || StoreError.isFull(error) else { return error }
        return Problem.diskFull(path: path, sign: (error as? Problem)?.message ?? "\(error)")
    }
}
