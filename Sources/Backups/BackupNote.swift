package import Domain
package import Files
import Glibc
import JSON

/// The path and time of the newest backup that was read back without errors.
package struct BackupNote: Sendable, Equatable {
    /// The path of the backup.
    package let path: String
    /// The time at which the backup's copy of the database was taken.
    package let madeAt: Instant

    /// The age of the newest backup, in seconds, above which operators are warned.
    ///
    /// The limit is a day, plus two hours for making the next backup.
    package static let oldSeconds: Int64 = 26 * 3600

    /// Creates the note of a backup.
    init(path: String, madeAt: Instant) {
        (self.path, self.madeAt) = (path, madeAt)
    }

    /// Reads a data directory's note, or returns nil before the first backup.
    package init?(of directory: DataDirectory) {
        guard let bytes = TextFile.readBytes(directory.backupNote),
            let object = try? JSONValue.parse(bytes).objectValue, let path = object["path"]?.stringValue,
            let madeAt = object["madeAt"]?.intValue
        else { return nil }
        self.init(path: path, madeAt: Instant(milliseconds: madeAt))
    }

    /// Writes the note to the data directory.
    ///
    /// The record of an earlier failed backup is removed. If the directory already has the note of a later backup, that
    /// note is kept instead.
    ///
    /// - Throws: `Errno` if the note can't be written.
    func write(to directory: DataDirectory) throws {
        unlink(directory.backupFailure)
        if let other = BackupNote(of: directory), other.madeAt > madeAt { return }
        let object: JSONObject = [
            "path": .string(path), "madeAt": .integer(madeAt.milliseconds),
        ]
        try TextFile.write(bytes: JSONValue.object(object).encoded(), to: directory.backupNote)
        giveToOwner(directory)
    }

    /// Gives a note written by root to the directory's owner, so that the service can read it.
    private func giveToOwner(_ directory: DataDirectory) {
        var owner = stat()
        guard geteuid() == 0, stat(directory.path, &owner) == 0 else { return }
        _ = chown(directory.backupNote, owner.st_uid, owner.st_gid)
    }

    /// Returns the backup's age in seconds, or 0 if the clock was set back.
    package func age(at now: Instant) -> Int64 { max(0, (now.milliseconds - madeAt.milliseconds) / 1000) }
}
