package import Problems
import Storage

extension Problem {
    /// The free bytes below which a full disk counts as the cause: less than a start writes.
    private static let leastBytes: Int64 = 1 << 20

    /// Returns the problem of a failed start: a full disk if that was the cause, else the failure
    /// itself.
    static func ofStart(_ error: any Error, in path: String) -> any Error {
        let code = (error as? Problem)?.code
        let isOfFiles =
            code.map { [.databaseFailed, .dataDirectoryUnusable, .secretUnreadable].contains($0) }
            ?? true
        let isFull = isOfFiles && (DiskRoom.nearest(path)?.free ?? .max) < leastBytes
        guard isFull || StoreError.isFull(error) else { return error }
        return diskFull(path, (error as? Problem)?.message ?? StoreError.summary(error))
    }

    /// Makes the problem of a path's full disk, with the evidence.
    package static func diskFull(_ path: String, _ sign: String) -> Problem {
        Problem(
            .diskFull,
            "the disk of \(path) is full",
            at: path,
            why:
                "\(sign)\nnothing that was answered is lost; the service starts once there is space",
            cures: [
                .init("df -h '\(path)'", "see what is full"),
                .init("lamplighter up --data DIR", "after moving the directory to a larger disk"),
            ]
        )
    }
}
