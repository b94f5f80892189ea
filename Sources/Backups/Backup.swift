package import Files
import Glibc
import Problems
import Sodium
import Storage

/// Backups of a data directory; each backup is one file with the database, keys and secrets.
///
/// A backup can be made while the service runs. A backup includes the effects of all requests that were answered
/// before the backup began.
package struct Backup: Sendable {
    let directory: DataDirectory
    /// The version of the program that makes the backups.
    let version: String

    /// Prepares backups of a data directory; each backup's header will contain the program's `version`.
    package init(of directory: DataDirectory, version: String) {
        (self.directory, self.version) = (directory, version)
    }

    /// The result of making or checking a backup.
    package struct Report: Sendable {
        /// The backup's header.
        package let header: BackupHeader
        /// The number of rows of each table.
        package let summary: BackupSummary
        /// The backup's size, in bytes.
        package let bytes: Int
    }

    /// A function that receives the current step's name and finished fraction, from 0 to 1.
    package typealias Progress = (_ step: String, _ done: Double) throws -> Void

    /// Removes a copy of the database, and the files that SQLite keeps beside the copy.
    static func remove(_ copy: DatabaseCopy) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path + suffix) }
    }

    /// Checks a backup's database: its pages, its key, and its numbers of rows.
    ///
    /// `keyLine` is the content of the backup's server.key.
    /// - Throws: A `Problem` if the database is damaged, or the key belongs to another database.
    static func check(_ copy: DatabaseCopy, _ summary: BackupSummary, keyLine: [UInt8], of path: String) throws {
        do {
            guard BackupSummary(try copy.check()) == summary else {
                throw DatabaseCopy.Damage("the numbers of rows in its tables differ from the recorded numbers")
            }
        } catch let damage as DatabaseCopy.Damage {
            throw Problem.backup(path, "its database is damaged: \(damage)", why: "use another backup")
        }
        guard try isSealed(copy, with: keyLine) else {
            throw Problem.backup(
                path,
                "its server.key is not the key of its database",
                why: "all secrets in the database would count as wrong; use another backup"
            )
        }
    }

    /// Returns whether the copy's secrets are sealed with the key in `keyLine` (from a `server.key`).
    static func isSealed(_ copy: DatabaseCopy, with keyLine: [UInt8]) throws -> Bool {
        let line = String(decoding: keyLine, as: UTF8.self).prefix { !$0.isNewline }
        guard let key = ServerKey(secret: String(line)) else { return false }
        return try copy.isSealed(with: key)
    }
}
