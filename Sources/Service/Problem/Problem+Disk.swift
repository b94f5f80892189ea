import Problems
import Storage

extension Problem {
    /// The minimum number of free bytes on a disk; a disk with fewer free bytes counts as full.
    private static let leastBytes: Int64 = 1 << 20

    /// Returns the error to report after a failed start.
    ///
    /// If a full disk caused the failure, the function returns a `Problem` that says so. Otherwise it returns `error`
    /// unchanged.
    static func ofStart(_ error: any Error, in path: String) -> any Error {
        let code = (error as? Problem)?.code
        let isOfFiles = code.map { [.databaseFailed, .dataDirectoryUnusable, .secretUnreadable].contains($0) } ?? true
        let isFull = isOfFiles && (DiskRoom.nearest(path)?.free ?? .max) < leastBytes
        guard isFull || StoreError.isFull(error) else { return error }
        return Problem.diskFull(path: path, sign: (error as? Problem)?.message ?? "\(error)")
    }
}
