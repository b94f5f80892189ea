import Glibc

/// The limit on the number of files, including connections, that a process can have open.
package enum FileLimit {
    /// Raises the limit as far as the system allows this user; child processes inherit the limit.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The limit that applies now, and the highest limit that this user can set.
    package static var current: (soft: UInt, hard: UInt) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return (0, 0) }
        return (UInt(limit.rlim_cur), UInt(limit.rlim_max))
    }
}

/// The limit on the memory that this process can use.
enum MemoryLimit {
    /// Makes the kernel limit the size of this process's data, in bytes.
    ///
    /// Only the soft limit is set, so that child processes can raise theirs.
    static func set(bytes: Int) {
        let kind = __rlimit_resource_t(RLIMIT_DATA.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
        setrlimit(kind, &limit)
    }
}
