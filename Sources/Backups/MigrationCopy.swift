package import Files
import Glibc
import Problems
package import Storage

/// The copy of a database that is made before a later version changes it: the way back.
///
/// It is a database like the other, with the same secrets and people in it; the operator deletes it when the new
/// version has proved good.
package enum MigrationCopy {
    /// Copies a directory's database to `lamplighter.db.before-VERSION`, of mode 0600, and returns its path.
    ///
    /// `version` is that of the program which changes it afterwards.
    ///
    /// A copy that is there stays: it may be of a state before a start that failed half-way. `progress` is told the
    /// part that is done, from 0 to 1; what it throws ends the copy before its end.
    /// - Throws: A `Problem` where there is too little room, or what `progress` throws; then nothing was changed.
    package static func make(
        of store: Store,
        in directory: DataDirectory,
        before version: String,
        progress: (Double) throws -> Void
    ) throws -> String {
        let path = newPath(directory, version)
        let needed = try store.fileSize().bytes + DatabaseCopy.reserveBytes
        if let room = DiskRoom.nearest(directory.path), room.free < needed {
            throw Problem(
                .diskFull,
                "there is no room to copy \(directory.database) before it is migrated",
                at: directory.path,
                why:
                    "\(needed >> 20) MiB are needed, \(room.free >> 20) are free; nothing was changed",
                cures: [.init("df -h '\(directory.path)'", "see what is full")]
            )
        }
        let unfinished = path + ".unfinished"
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(unfinished + suffix) }
        // SQLite would make it readable by others.
        try TextFile.write("", to: unfinished)
        try store.copy(to: DatabaseCopy(path: unfinished), progress: progress)
        for suffix in ["-wal", "-shm", "-journal"] { unlink(unfinished + suffix) }
        guard rename(unfinished, path) == 0 else {
            throw Problem(
                .databaseFailed,
                "\(path) cannot be made",
                at: path,
                why: "the database is copied before it is migrated; nothing was changed"
            )
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
