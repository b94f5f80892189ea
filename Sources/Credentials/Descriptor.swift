import Glibc

/// An open file whose failed system calls become `CredentialsError`.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Opens a file that child programs do not inherit.
    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(CredentialsError) {
        number = open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .system(call: "open", errno: errno) }
    }

    deinit {
        close(number)
    }

    /// Takes the lock of this file; false if another process holds it.
    ///
    /// The lock ends with the descriptor.
    borrowing func lockAtOnce() throws(CredentialsError) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .system(call: "flock", errno: errno) }
        }
        return true
    }

    /// The identity of a file, and the time at which it was last written or touched.
    struct State: Equatable {
        var inode: ino_t
        var seconds: Int
        var nanoseconds: Int
    }

    /// The file's state.
    var state: State {
        get throws(CredentialsError) {
            var status = stat()
            guard fstat(number, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
            return State(
                inode: status.st_ino,
                seconds: status.st_mtim.tv_sec,
                nanoseconds: status.st_mtim.tv_nsec
            )
        }
    }

    /// The file's size in bytes.
    var size: Int {
        get throws(CredentialsError) {
            var status = stat()
            guard fstat(number, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
            return Int(status.st_size)
        }
    }

    /// Gives this file the owner of another file, if the system allows it.
    borrowing func belong(as other: borrowing Descriptor) throws(CredentialsError) {
        var status = stat()
        guard fstat(other.number, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
        // Only a superuser can do this, and only a superuser needs to.
        _ = fchown(number, status.st_uid, status.st_gid)
    }

    /// Returns whether a path still names this file.
    borrowing func isAt(_ path: String) throws(CredentialsError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(call: "stat", errno: errno) }
            return false
        }
        return try status.st_ino == state.inode
    }

    /// Reads `count` bytes from an offset, or fewer at the end of the file.
    borrowing func read(
        from offset: Int,
        count: Int
    ) throws(CredentialsError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        var have = 0
        while have < bytes.count {
            let place = off_t(offset &+ have)
            let got = bytes.withUnsafeMutableBytes { buffer -> Int in
                pread(number, buffer.baseAddress?.advanced(by: have), buffer.count &- have, place)
            }
            if got == 0 { break }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw .system(call: "pread", errno: errno) }
            have += got
        }
        bytes.removeLast(bytes.count - have)
        return bytes
    }

    /// Writes with one call, and throws if the system wrote only a part.
    borrowing func writeOnce(_ bytes: [UInt8]) throws(CredentialsError) {
        let taken = write(number, bytes, bytes.count)
        guard taken >= 0 else { throw .system(call: "write", errno: errno) }
        guard taken == bytes.count else { throw .system(call: "write", errno: ENOSPC) }
    }

    borrowing func truncate(to size: Int) throws(CredentialsError) {
        guard ftruncate(number, off_t(size)) == 0 else {
            throw .system(call: "ftruncate", errno: errno)
        }
    }

    borrowing func synchronize() throws(CredentialsError) {
        guard fsync(number) == 0 else { throw .system(call: "fsync", errno: errno) }
    }
}
