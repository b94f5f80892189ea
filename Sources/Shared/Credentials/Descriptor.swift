package import Glibc

/// An open file, whose failed system calls throw a `CredentialsError`.
package struct Descriptor: ~Copyable {
    let number: Int32

    /// Opens a file in such a way that child processes don't inherit the descriptor.
    package init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(CredentialsError) {
        number = open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .system(call: "open", errno: errno) }
    }

    deinit { close(number) }

    /// Locks the file until it is closed, or returns false if it is already locked.
    borrowing func lockAtOnce() throws(CredentialsError) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .system(call: "flock", errno: errno) }
        }
        return true
    }

    /// The metadata that distinguishes one state of a file from another.
    package struct State: Equatable {
        /// The file's inode number, which identifies it.
        package let inode: UInt
        /// The file's size in bytes.
        package let size: Int
        /// The time at which the file was last written or touched.
        private let seconds: Int
        private let nanoseconds: Int

        /// Takes the metadata that the system returned.
        package init(_ status: stat) {
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// The file's metadata from the system.
    package var status: stat {
        get throws(CredentialsError) {
            var status = stat()
            guard fstat(number, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
            return status
        }
    }

    /// The file's state.
    package var state: State { get throws(CredentialsError) { State(try status) } }

    /// The file's size in bytes.
    var size: Int { get throws(CredentialsError) { try state.size } }

    /// Changes the file's owner to the owner of another file, if the system allows this.
    borrowing func belong(as other: borrowing Descriptor) throws(CredentialsError) {
        let status = try other.status
        // Only a superuser can change the owner, and only a superuser needs to.
        _ = fchown(number, status.st_uid, status.st_gid)
    }

    /// Returns whether a path still leads to this file.
    borrowing func isAt(_ path: String) throws(CredentialsError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(call: "stat", errno: errno) }
            return false
        }
        return try State(status).inode == state.inode
    }

    /// Reads `count` bytes from an offset, or fewer at the end of the file.
    package borrowing func read(from offset: Int, count: Int) throws(CredentialsError) -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, have in
            while have < count {
                let rest = buffer.baseAddress?.advanced(by: have)
                let got = pread(number, rest, count &- have, off_t(offset &+ have))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                have &+= got
            }
        }
        if let failure { throw .system(call: "pread", errno: failure) }
        return bytes
    }

    /// Writes bytes with one system call, and throws if only some were written.
    borrowing func writeOnce(_ bytes: [UInt8]) throws(CredentialsError) {
        let taken = write(number, bytes, bytes.count)
        guard taken >= 0 else { throw .system(call: "write", errno: errno) }
        guard taken == bytes.count else { throw .system(call: "write", errno: ENOSPC) }
    }

    borrowing func truncate(to size: Int) throws(CredentialsError) {
        guard ftruncate(number, off_t(size)) == 0 else { throw .system(call: "ftruncate", errno: errno) }
    }

    borrowing func synchronize() throws(CredentialsError) {
        guard fsync(number) == 0 else { throw .system(call: "fsync", errno: errno) }
    }
}
