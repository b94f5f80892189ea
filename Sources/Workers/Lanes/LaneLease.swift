package import Storage

/// The lease of a lane that this process holds.
package struct LaneLease: Sendable {
    /// The lane that is held.
    package let lane: Lane
    /// The fence that each transaction of the lane checks.
    package let fence: Fence
    /// The membership of the process.
    package let membership: Membership

    /// Whether this process's clock shows that no other process can have taken the lane yet.
    var isTrusted: Bool { membership.isTrusted }

    /// Throws `LaneInDoubt` if this process last renewed its lifetime so long ago that it may have lost the lane.
    func check() throws {
        if !isTrusted { throw LaneInDoubt() }
    }
}

/// The error thrown when another process may hold the lane by now.
struct LaneInDoubt: Error, CustomStringConvertible {
    var description: String { "this process has not reported to the database for too long; its lane may be lost" }
}
