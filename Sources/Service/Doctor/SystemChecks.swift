import Domain
import Files
import Problems
import ServiceSettings
import Storage
import Workers

/// The checks of the machine, which need no connection to the service.
enum SystemChecks {
    private static let roomWarn = Int64(1 << 30)

    /// Checks that the data directory and the secret files can be read only by their owner.
    static func secrets(_ directory: DataDirectory) -> Finding {
        let check = Check(.doctorSecrets, "secrets are readable by their owner only")
        let secrets = [directory.serverKey, directory.serviceSecret, directory.toolsSecret]
        let open = ([directory.path] + secrets).filter { (TextFile.mode($0) ?? 0) & 0o077 != 0 }
        guard let first = open.first else { return check(.pass, directory.path, found: "mode 0700") }
        let mode = String(TextFile.mode(first) ?? 0, radix: 8)
        return check(.fail, first, found: "other users can read it: mode 0\(mode)")
            .cured(by: "remove other users' permissions", "chmod -R go= '\(directory.path)'")
    }

    /// Checks that the disk has enough space for the database to grow.
    static func disk(_ directory: DataDirectory, _ reserve: DiskReserve) -> Finding {
        let check = Check(.doctorDisk, "the disk has space")
        guard let room = DiskGuard.Room.of(directory.path), room.total > 0 else {
            return check(.skip, directory.path, found: "the system does not report the free space")
        }
        let least = reserve.bytes(of: room.total)
        let state: Finding.State = room.free < least ? .fail : room.free < max(roomWarn, 2 * least) ? .warn : .pass
        let rule: FindingText =
            reserve.percent > 0
            ? "below \(least >> 20) MiB nothing more is accepted" : "no reserve is kept (limits.diskFreePercent)"
        let evidence: FindingText =
            "\(room.free >> 20) MiB free of \(room.total >> 20), \(room.free * 100 / room.total) %; \(rule)"
        return check(state, directory.path, found: evidence)
            .cured(by: "free some space: reports and requests that write wait for it", "df -h '\(directory.path)'")
    }

    /// Checks that the system's limit of open files allows the configured number of connections.
    static func limits(_ settings: Settings) -> Finding {
        let check = Check(.doctorLimits, "enough files can be open")
        let limit = FileLimit.current
        let wanted = UInt(settings.brokerConnections)
        guard limit.hard >= wanted else {
            return check(.warn, "RLIMIT_NOFILE", found: "at most \(limit.hard), for \(wanted) connections")
                .cured(by: "raise the limit before more devices connect", "ulimit -Hn \(wanted)")
        }
        return check(.pass, "RLIMIT_NOFILE", found: "\(limit.hard), for \(wanted) connections")
    }
}
