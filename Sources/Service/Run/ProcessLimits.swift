import Glibc

/// The number of files, connections included, that a process may have open.
package enum FileLimit {
    /// Raises the limit as far as the system lets this user; children inherit it.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The limit in force, and the most this user could have.
    package static var current: (soft: UInt, hard: UInt) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return (0, 0)
        }
        return (UInt(limit.rlim_cur), UInt(limit.rlim_max))
    }
}

/// The memory that this process may have.
enum MemoryLimit {
    /// Bounds it to so many bytes of data, enforced by the kernel; child processes have bounds of their own.
    ///
    /// The bound is a soft one, which children may raise up to what the system allows them.
    static func set(bytes: Int) {
        let kind = __rlimit_resource_t(RLIMIT_DATA.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
        setrlimit(kind, &limit)
    }
}
