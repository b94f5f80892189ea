package import Files
import Glibc
import Problems
package import Storage

/// A copy of the database, made before a new version of the program changes the schema.
///
/// Operators can use the copy to return to the old version of the program.
///
/// The copy contains the database's secrets and personal data. Operators delete the copy once the new version works.
package enum MigrationCopy {
    /// Copies a directory's database to `lamplighter.db.before-VERSION`, with the mode 0600, and returns the copy's
    /// path.
    ///
    /// `version` is the version of the program that is about to change the database.
    ///
    /// An existing copy is kept, because it may come from an earlier start that failed halfway. The new copy's path
    /// then ends in a number. `progress` gets the copy's finished fraction, from 0 to 1. An error that `progress`
    /// throws stops the copy.
    /// - Throws: A `Problem` if the disk is too full or the finished copy can't be renamed. Other errors come from the
    ///   store, the file system or `progress`. In all cases, the database stays unchanged.
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
        // The file is created here, because other users could read a file that SQLite creates.
        try TextFile.write("", to: unfinished)
        try store.copy(to: DatabaseCopy(path: unfinished), progress: progress)
        for suffix in ["-wal", "-shm", "-journal"] { unlink(unfinished + suffix) }
        guard rename(unfinished, path) == 0 else { throw Problem.copyFailed(path: path) }
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
