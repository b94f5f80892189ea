extension Store {
    /// A reason why a store can't be opened or used.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// A later version of the program wrote the file.
        case newerVersion(path: String)
        /// A setting on which durability depends could not be set.
        case wrongSetting(name: String, value: String, wanted: String)
        /// The file can't be opened.
        case cannotOpen(path: String, reason: String)
        /// The disk has no space to open the file.
        case diskFull(path: String)
        /// An earlier version of the program wrote the file, and this tool doesn't migrate it.
        case olderVersion(path: String)
        /// The secrets in the store were encrypted with another key.
        case foreignKey(path: String)
        /// `lamplighter migrate --to` has begun to fill the store, and has not finished.
        case halfMoved(path: String)
        /// No host of a database answers.
        case unreachable(path: String, reason: String)
        /// Every database host that answers is a standby or read-only.
        case readOnly(path: String, reason: String)
        /// The database refuses the user.
        case refused(path: String, reason: String)
        /// Another process uses the database, and this process must not use it at the same time.
        case inUse(path: String, reason: String)
        /// The database server's clock differs from this machine's by this many milliseconds.
        case wrongClock(milliseconds: Int64)

        package var description: String {
            switch self {
            case .newerVersion(let path):
                "\(path) was written by a newer version of lamplighter"
            case .wrongSetting(let name, let value, let wanted):
                "the database setting \(name) is \(value), not \(wanted)"
            case .cannotOpen(let path, let reason): "\(path) can't be opened: \(reason)"
            case .diskFull(let path): "the disk has no space to open \(path)"
            case .olderVersion(let path): "\(path) was written by an older version of lamplighter and must be migrated"
            case .foreignKey(let path): "\(path) was written with another server.key"
            case .halfMoved(let path): "\(path) is only partly filled by a move"
            case .unreachable(let path, let reason): "\(path) can't be reached: \(reason)"
            case .readOnly(let path, let reason): "no host of \(path) is writable: \(reason)"
            case .refused(let path, let reason): "\(path) refuses the user: \(reason)"
            case .inUse(let path, let reason): "\(path) is in use: \(reason)"
            case .wrongClock(let milliseconds): "the database's clock is \(milliseconds) ms ahead of this machine's"
            }
        }
    }
}
