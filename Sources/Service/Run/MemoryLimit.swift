import Glibc

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
