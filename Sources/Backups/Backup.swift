package import Files
import Glibc
import Problems
import Storage

/// Makes, checks and restores backups: the database, the keys and the secrets of a data directory in one file.
///
/// Made beside a running service without stopping it. Everything that was answered before it began is in it.
package struct Backup: Sendable {
    let directory: DataDirectory
    /// The version of the program that makes it.
    let version: String

    /// Prepares backups of a data directory by a version of the program.
    package init(of directory: DataDirectory, version: String) {
        self.directory = directory
        self.version = version
    }

    /// The result of making or checking a backup.
    package struct Report: Sendable {
        /// What the backup says about itself.
        package let header: BackupHeader
        /// The rows of each table.
        package let summary: BackupSummary
        /// Its size, in bytes.
        package let bytes: Int
    }

    /// A step of the work, and the part of it that is done, from 0 to 1.
    package typealias Progress = (_ step: String, _ done: Double) throws -> Void

    /// Removes a copy of the database with the files that SQLite keeps beside it.
    static func remove(_ copy: DatabaseCopy) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path + suffix) }
    }

    /// Checks the database of a backup: its pages, and that it has the rows that the backup says.
    ///
    /// - Throws: A `Problem` where it is damaged.
    static func check(
        _ copy: DatabaseCopy,
        _ summary: BackupSummary,
        of path: String
    ) throws {
        do {
            guard BackupSummary(try copy.check()) == summary else {
                throw DatabaseCopy.Damage("its tables have other numbers of rows than it says")
            }
        } catch let damage as DatabaseCopy.Damage {
            throw Problem.backup(
                path,
                "its database is damaged: \(damage)",
                why: "take another backup"
            )
        }
    }
}
