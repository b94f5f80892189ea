import Glibc

/// The space on a disk, in bytes.
package struct DiskRoom: Sendable, Equatable {
    /// How many bytes the process's system user can still use.
    package var free: Int64
    /// How many bytes the process's system user could use if the disk were empty.
    package var total: Int64

    /// Creates a description of a disk's space.
    package init(free: Int64, total: Int64) {
        (self.free, self.total) = (free, total)
    }

    /// Returns the space on a path's disk, or nil if the system doesn't report it.
    package static func of(_ path: String) -> DiskRoom? {
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return nil }
        let block = Int64(space.f_frsize)
        let taken = Int64(space.f_blocks) - Int64(space.f_bfree)
        return DiskRoom(free: Int64(space.f_bavail) * block, total: (taken + Int64(space.f_bavail)) * block)
    }

    /// Returns the space on a path's disk, even if the path doesn't exist yet.
    package static func nearest(_ path: String) -> DiskRoom? {
        var path = path
        while !path.isEmpty {
            if let room = of(path) { return room }
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        return of("/")
    }
}
