import Glibc

/// A writer's turn at the credentials file: the lock of `PATH.lock`, until it is dropped.
///
/// A frozen writer must not block the others. A writer that has waited for `patience` without a sign of activity from
/// the holder (`keep`) puts a new file in the lock's place. The old holder checks before it writes and finds that its
/// turn is over; since the new holder rewrites the whole file, a write that was under way ends up in the old file.
///
/// A writer that commits elsewhere first makes a promise (`promise`), which is the size of the lock's file, and takes
/// it back when the credentials file is complete (`settle`). If the writer is killed in between, the next holder finds
/// the promise.
package struct CredentialsLock: ~Copyable, Sendable {
    /// The longest silence of a holder, in milliseconds: more than a commit or reading a large file takes.
    package static let patience: Int64 = 20_000
    private static let pauseMicroseconds: UInt32 = 1_000

    private let path: String
    private let file: Descriptor
    /// Whether an earlier holder fell silent or died with a promise: the file may lack its commits.
    package let isOwed: Bool

    /// Waits for the turn; takes it from a holder that is silent for `patience` milliseconds.
    ///
    /// - Throws: `CredentialsError.busy` if others have it for all of `longest` milliseconds.
    package static func take(
        of path: String,
        patience: Int64 = CredentialsLock.patience,
        longest: Int64? = nil
    ) throws(CredentialsError) -> CredentialsLock {
        let path = "\(path).lock"
        let file = try wait(path, patience: patience, longest: longest)
        let isOwed = try file.size > 0
        let lock = CredentialsLock(path: path, file: file, isOwed: isOwed)
        try lock.keep()
        return lock
    }

    /// Returns whether a holder, active or dead, has made a promise.
    package static func isPromised(of path: String) throws(CredentialsError) -> Bool {
        try open("\(path).lock").size > 0
    }

    private init(path: String, file: consuming Descriptor, isOwed: Bool) {
        self.path = path
        self.file = file
        self.isOwed = isOwed
    }

    private static func wait(_ path: String, patience: Int64, longest: Int64?) throws(CredentialsError) -> Descriptor {
        var file = try open(path)
        var state = try file.state
        let begun = milliseconds
        var end = begun + patience
        while true {
            if try file.lockAtOnce(), try file.isAt(path) { return file }
            if let longest, milliseconds > begun + longest { throw .busy }
            if milliseconds > end { try replace(path, unlessNewerThan: state) }
            // Another writer may have put a new file there.
            if try file.isAt(path) { usleep(pauseMicroseconds) } else { file = try open(path) }
            let now = try file.state
            if now != state { (state, end) = (now, milliseconds + patience) }
        }
    }

    /// Signals that the holder is active, before and during long work.
    ///
    /// - Throws: `CredentialsError.lostTurn` if another writer has taken the turn.
    borrowing func keep() throws(CredentialsError) {
        guard try file.isAt(path) else { throw .lostTurn }
        guard futimens(file.number, nil) == 0 else { throw .system(call: "futimens", errno: errno) }
    }

    /// Promises that this holder's coming commit will be written to the credentials file.
    package borrowing func promise() throws(CredentialsError) { try file.truncate(to: 1) }

    /// Records that the credentials file has everything that was committed.
    borrowing func settle() throws(CredentialsError) { try file.truncate(to: 0) }

    /// Takes a promise back since nothing was committed; keeps an earlier holder's promise.
    borrowing func withdraw() throws(CredentialsError) {
        if !isOwed { try settle() }
    }

    /// Puts a new file in the lock's place, unless another writer did or the holder was active.
    ///
    /// Replacements run one by one: of two writers that waited for the same holder, the second waits for the first. The
    /// new file always has a promise, whether or not the old holder made one.
    private static func replace(_ path: String, unlessNewerThan state: Descriptor.State) throws(CredentialsError) {
        let guardian = try Descriptor("\(path).replace", O_RDWR | O_CREAT, mode: 0o600)
        try guardian.belong(as: open(path))
        guard try guardian.lockAtOnce() else { return }
        let old = try open(path)
        guard try old.state == state else { return }
        let draft = "\(path).new"
        unlink(draft)
        let new = try Descriptor(draft, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        try new.belong(as: old)
        try new.truncate(to: 1)
        guard rename(draft, path) == 0 else { throw .system(call: "rename", errno: errno) }
    }

    private static func open(_ path: String) throws(CredentialsError) -> Descriptor {
        try Descriptor(path, O_RDWR | O_CREAT, mode: 0o600)
    }

    private static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
