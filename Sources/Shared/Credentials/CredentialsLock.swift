import Glibc

/// A writer's lock on the credentials file, held by locking the file `PATH.lock`.
///
/// The lock ends when this value is dropped, or when another writer takes the lock over.
///
/// A frozen writer must not block the other writers. If the holder shows no activity (`keep`) during the time
/// `patience`, a waiting writer replaces the lock's file with a new one. The old holder checks before each write
/// whether it still holds the lock. The old holder may already be writing to the old credentials file. This does no
/// harm, because the new holder makes a new file.
///
/// Before a commit to the store, a writer makes a promise (`promise`). The promise is to write the records to the
/// credentials file too. The lock's file contains 1 byte if there is a promise, and is empty otherwise. The writer
/// removes the promise (`settle`) when the credentials file is complete. If the writer dies before that, the next
/// holder finds the promise.
package struct CredentialsLock: ~Copyable, Sendable {
    /// How long a writer waits, in milliseconds, if the lock's holder shows no activity.
    ///
    /// A commit takes less time than this, and so does the reading of a large file.
    package static let patience: Int64 = 20_000
    private static let pauseMicroseconds: UInt32 = 1_000

    private let path: String
    private let file: Descriptor
    /// Whether an earlier holder broke its promise, so that the credentials file may lack committed records.
    package let isOwed: Bool

    /// Waits for the lock, or takes it from a holder inactive for `patience` milliseconds.
    ///
    /// - Throws: `CredentialsError.busy` if other writers hold the lock for all of `longest` milliseconds.
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

    /// Returns whether the lock's file contains a promise; the process that made the promise may have died.
    package static func isPromised(of path: String) throws(CredentialsError) -> Bool {
        try open("\(path).lock").size > 0
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
            // Another writer may have replaced the lock's file.
            if try file.isAt(path) { usleep(pauseMicroseconds) } else { file = try open(path) }
            let now = try file.state
            if now != state { (state, end) = (now, milliseconds + patience) }
        }
    }

    /// Signals that the holder is active; called before and during long work.
    ///
    /// - Throws: `CredentialsError.lostTurn` if another writer has taken over the lock.
    borrowing func keep() throws(CredentialsError) {
        guard try file.isAt(path) else { throw .lostTurn }
        guard futimens(file.number, nil) == 0 else { throw .system(call: "futimens", errno: errno) }
    }

    /// Promises that the holder's next commit will also be written to the credentials file.
    package borrowing func promise() throws(CredentialsError) { try file.truncate(to: 1) }

    /// Declares that the credentials file contains everything that was committed.
    borrowing func settle() throws(CredentialsError) { try file.truncate(to: 0) }

    /// Withdraws the promise of a holder that committed nothing; the promise of an earlier holder stays.
    borrowing func withdraw() throws(CredentialsError) {
        if !isOwed { try settle() }
    }

    /// Replaces the lock's file if its state is still `state`.
    ///
    /// If the state is unchanged, the file is still the same, and its holder is inactive. Only one writer at a time
    /// can replace the file. If two writers have waited, one replaces the file, and the other still waits. The new file
    /// always contains a promise, whether or not the old holder made one.
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
