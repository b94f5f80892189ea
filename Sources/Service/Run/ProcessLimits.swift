import Glibc

/// The number of files, connections included, that a process can have open.
package enum FileLimit {
    /// Raises the limit as far as the system allows this user; children inherit it.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The limit in force, and the most this user could have.
    package static var current: (soft: UInt, hard: UInt) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return (0, 0) }
        return (UInt(limit.rlim_cur), UInt(limit.rlim_max))
    }
}

/// The limit of this process's memory.
enum MemoryLimit {
    /// Limits the bytes of data, which the kernel enforces; child processes have their own limits.
    ///
    /// The limit is soft: children can raise theirs up to the system's limit.
    static func set(bytes: Int) {
        let kind = __rlimit_resource_t(RLIMIT_DATA.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
        setrlimit(kind, &limit)
    }
}
