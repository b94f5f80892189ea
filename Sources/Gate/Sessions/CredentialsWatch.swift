// The compiler needs `CMosquittoBroker` for the fields of `timespec`, because that module's headers include the type.
import CMosquittoBroker
import Credentials
import Glibc

/// A reader of the credentials file: it reads appended records, or all records of a new file.
///
/// While the file is missing, unreadable, damaged or too old, `isReadable` is false. `tables` keeps its last contents,
/// but the gate admits only workers.
final class CredentialsWatch {
    private(set) var tables = CredentialTables()
    private(set) var isReadable = false
    /// The ids of replaced sessions, by terminal id.
    ///
    /// A session has been replaced if the file contains a later record of the same terminal. Such later records exist
    /// because the service appends a record to the file at each login. The ids are collected when the whole file is
    /// read.
    private(set) var followed: [String: [String]] = [:]
    private(set) var generation: UInt64 = 0

    private let path: String
    private let ageMax: Int
    /// The records from workers that the file might not contain yet, with their expiry times.
    private var told: [(record: Record, until: Int64)] = []
    private var file: Descriptor?
    private var seen: Descriptor.State?
    private var end = 0
    private var parser = CredentialsParser()

    /// The result of checking the file.
    enum News {
        /// Nothing changed.
        case nothing
        /// New records were appended.
        case records([Record])
        /// All records may have changed, or the file can't be read.
        ///
        /// If a new file has replaced the old file, `after` contains the last records of the old file.
        case everything(after: [Record])
    }

    /// How long a worker's record is kept, in milliseconds.
    ///
    /// The record is kept because a new file may not contain it yet.
    private static let toldFor: Int64 = 5_000

    /// Starts to watch a file.
    ///
    /// A file that is older than `ageMax` seconds counts as unreadable. If `ageMax` is 0, the file's age doesn't
    /// matter.
    init(path: String, ageMax: Int = 0) {
        (self.path, self.ageMax) = (path, ageMax)
    }

    /// Checks the file for changes, which takes only one system call if the file is unchanged.
    func look() -> News {
        var status = stat()
        guard stat(path, &status) == 0, !isStale(status) else { return lose() }
        let state = Descriptor.State(status)
        if state == seen { return .nothing }
        let isSameFile = file != nil && state.inode == seen?.inode
        seen = state
        if isSameFile, isReadable, state.size >= end, let records = readTail(to: state.size) {
            return records.isEmpty ? .nothing : .records(records)
        }
        let last = isSameFile ? [] : readLast()
        return reload(after: last)
    }

    /// Reads the records that were appended to the open file before it was replaced.
    ///
    /// If the record of a login makes the file too long, the service rewrites the file. The new file doesn't contain
    /// the session that the login has replaced. From the old file's last records, the gate learns that the terminal has
    /// logged in. Without these records, the gate would close the connection on which the terminal has logged in.
    private func readLast() -> [Record] {
        guard isReadable, let status = try? file?.status else { return [] }
        return readTail(to: Int(status.st_size)) ?? []
    }

    /// Applies records that the file doesn't contain yet.
    func learn(_ records: [Record]) {
        let now = Clock.steady()
        told.removeAll { $0.until <= now }
        for record in records {
            told.append((record, now &+ Self.toldFor))
            tables.apply(record)
        }
        generation &+= 1
    }

    private func isStale(_ status: stat) -> Bool {
        guard ageMax > 0 else { return false }
        return Clock.now() / 1_000 &- Int64(status.st_mtim.tv_sec) > Int64(ageMax)
    }

    /// Whether the file has changed since the last reading (one system call, no path lookup).
    var isBehind: Bool {
        guard let status = try? file?.status else { return true }
        return status.st_nlink == 0 || Descriptor.State(status) != seen
    }

    /// Reads and applies the records up to `size`, or returns nil if they are unreadable.
    private func readTail(to size: Int) -> [Record]? {
        guard let bytes = try? file?.read(from: end, count: size &- end) else { return nil }
        var records: [Record] = []
        end &+= parser.parse(bytes) { records.append($0) }
        guard !parser.isDamaged else { return nil }
        for record in records {
            tables.apply(record)
            // The file now contains the record that the worker sent, and perhaps newer records.
            told.removeAll { $0.record.kind == record.kind && $0.record.key == record.key }
        }
        if !records.isEmpty { generation &+= 1 }
        return records
    }

    private func reload(after last: [Record]) -> News {
        file = try? Descriptor(path, O_RDONLY)
        guard let state = try? file?.state else { return lose() }
        seen = state
        guard let bytes = try? file?.read(from: 0, count: state.size) else { return lose() }
        var fresh = CredentialTables()
        parser = CredentialsParser()
        followed.removeAll()
        end = parser.parse(bytes) { record in
            if case .terminal(let id, _, _) = record, let old = fresh.terminals[id]?.session {
                followed[id, default: []].append(old.sessionId)
            }
            fresh.apply(record)
        }
        isReadable = !parser.isDamaged && end > 0
        if isReadable {
            let now = Clock.steady()
            for (record, until) in told where until > now { fresh.apply(record) }
            tables = fresh
            generation &+= 1
        }
        return .everything(after: last)
    }

    private func lose() -> News {
        file = nil
        seen = nil
        let wasReadable = isReadable
        isReadable = false
        return wasReadable ? .everything(after: []) : .nothing
    }
}
