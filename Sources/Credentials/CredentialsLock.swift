import Glibc

/// A writer's turn at the credentials file: the lock of `PATH.lock`, until it is dropped.
///
/// A writer that is frozen must not keep the others from their work. Who has waited for `patience`, while the holder did
/// not say that it goes on (`keep`), puts a new file in the lock's place. The old holder sees before it writes that its
/// turn is over; and since the new one rewrites the whole file, a write that was on its way ends up in the old one.
///
/// A writer that commits elsewhere first says so (`promise`) by the size of the lock's file, and takes it back when the
/// credentials file has all (`settle`): of one that was killed in between, the next holder finds the promise.
package struct CredentialsLock: ~Copyable, Sendable {
    /// How long a holder may be silent, in milliseconds: more than a commit takes, or reading all that a large file has.
    package static let patience: Int64 = 20_000
    private static let pauseMicroseconds: UInt32 = 1_000

    private let path: String
    private let file: Descriptor
    /// Whether an earlier holder fell silent or died with a promise: what it committed may be missing in the file.
    package let isOwed: Bool

    /// Waits for the turn; takes it from a holder that is silent for so many milliseconds.
    ///
    /// - Throws: `CredentialsError.busy` where others have it for all of `longest` milliseconds.
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

    /// Whether a holder has promised something: one that is at work, or that died.
    package static func isPromised(of path: String) throws(CredentialsError) -> Bool {
        try open("\(path).lock").size > 0
    }

    private init(path: String, file: consuming Descriptor, isOwed: Bool) {
        self.path = path
        self.file = file
        self.isOwed = isOwed
    }

    private static func wait(
        _ path: String,
        patience: Int64,
        longest: Int64?
    ) throws(CredentialsError) -> Descriptor {
        var file = try open(path)
        var state = try file.state
        let begun = milliseconds
        var end = begun + patience
        while true {
            if try file.lockAtOnce(), try file.isAt(path) { return file }
            if let longest, milliseconds > begun + longest { throw .busy }
            if milliseconds > end { try replace(path, unlessNewerThan: state) }
            // Another one may have put a new file there.
            if try file.isAt(path) { usleep(pauseMicroseconds) } else { file = try open(path) }
            let now = try file.state
            if now != state { (state, end) = (now, milliseconds + patience) }
        }
    }

    /// Says that the holder goes on, before and during what takes long.
    ///
    /// - Throws: `CredentialsError.lostTurn` where another writer has taken the turn.
    borrowing func keep() throws(CredentialsError) {
        guard try file.isAt(path) else { throw .lostTurn }
        guard futimens(file.number, nil) == 0 else { throw .system(call: "futimens", errno: errno) }
    }

    /// Notes that what this holder is about to commit has to be written to the credentials file.
    package borrowing func promise() throws(CredentialsError) { try file.truncate(to: 1) }

    /// Notes that the credentials file has all that was committed.
    borrowing func settle() throws(CredentialsError) { try file.truncate(to: 0) }

    /// Takes a promise back since nothing was committed; an earlier holder's stays.
    borrowing func withdraw() throws(CredentialsError) {
        if !isOwed { try settle() }
    }

    /// Puts a new file in the lock's place, unless another one did so or the holder has spoken.
    ///
    /// One after the other: of two that waited for the same holder the second waits for the first. The new file has the
    /// old holder's promise, whether it made one or not.
    private static func replace(
        _ path: String,
        unlessNewerThan state: Descriptor.State
    ) throws(CredentialsError) {
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
