package import Files
import Glibc
import Problems
package import Storage

/// A copy of the database, made before a later version of the program changes it, so that the operator can go back.
///
/// The copy contains the database's secrets and personal data. The operator deletes the copy when the new version works
/// well.
package enum MigrationCopy {
    /// Copies a directory's database to `lamplighter.db.before-VERSION`, of mode 0600, and returns its path.
    ///
    /// `version` is the version of the program that changes the database afterwards.
    ///
    /// An existing copy is kept, because it can be from an earlier start that failed half-way. `progress` is called
    /// with the finished part, from 0 to 1; an error that it throws ends the copying.
    /// - Throws: A `Problem` if there is too little room, or the error that `progress` throws; in both cases, the
    ///   database is unchanged.
    package static func make(
        of store: Store,
        in directory: DataDirectory,
        before version: String,
        progress: (Double) throws -> Void
    ) throws -> String {
        let path = newPath(directory, version)
        let needed = try store.fileSize().bytes + DatabaseCopy.reserveBytes
        if let room = DiskRoom.nearest(directory.path), room.free < needed {
            throw Problem.noRoomForCopy(
                database: directory.database,
                directory: directory.path,
                needed: needed >> 20,
                free: room.free >> 20
            )
        }
        let unfinished = path + ".unfinished"
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(unfinished + suffix) }
        // The file is created here because SQLite would make it readable by others.
        try TextFile.write("", to: unfinished)
        try store.copy(to: DatabaseCopy(path: unfinished), progress: progress)
        for suffix in ["-wal", "-shm", "-journal"] { unlink(unfinished + suffix) }
        guard rename(unfinished, path) == 0 else {
            throw Problem.copyFailed(path: path)
        }
        TextFile.syncDirectory(of: path)
        return path
    }

    private static func newPath(_ directory: DataDirectory, _ version: String) -> String {
        let first = "\(directory.database).before-\(version)"
        var path = first
        var number = 2
        while TextFile.exists(path) {
            path = "\(first).\(number)"
            number += 1
        }
        return path
    }
}
