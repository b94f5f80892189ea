import Backups
import Domain
import Files
import Foundation
import Problems
import Workers

/// The check that a backup made within the last 26 hours was read back without errors.
struct BackupCheck {
    let directory: DataDirectory
    let place: StorePlace

    private static let check = Check(.doctorBackup, "there is a recent backup")

    func run() -> Finding {
        guard place.database == nil else {
            return Self.check(.skip, directory.path, found: "the database server makes its own backups")
                .cured(by: "keep server.key, service.secret and tools.secret with the backups")
        }
        if let reason = TextFile.read(directory.backupFailure) {
            return Self.check(.warn, directory.path, found: "the last backup failed: \(reason)")
                .cured(by: "fix the cause, or set another directory (backup.directory)")
        }
        let now = SystemClock().now
        guard let note = BackupNote(of: directory) else {
            let seconds = Int64(now.milliseconds / 1000 - Self.changed(directory.serverKey))
            guard seconds > BackupNote.oldSeconds else {
                return Self.check(.skip, directory.path, found: "the data is new; no backup was made yet")
            }
            return finding(.warn, of: directory.path, evidence: "no backup was made in \(seconds / 86_400) days")
        }
        let age = note.age(at: now)
        let state: Finding.State = age > BackupNote.oldSeconds ? .warn : .pass
        return finding(state, of: note.path, evidence: "\(age / 3600) h old, read back after it was written")
    }

    /// Returns the time of a file's last change, in seconds since 1970, or 0 if there is no file.
    private static func changed(_ path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map { Int64($0.timeIntervalSince1970) } ?? 0
    }

    private func finding(_ state: Finding.State, of subject: String, evidence: FindingText) -> Finding {
        let command = "lamplighter backup FILE --data '\(directory.path)'"
        return Self.check(state, subject, found: evidence)
            .cured(by: "make a backup, or let the service make backups (backup.directory)", command)
    }
}
