package import Storage

/// The lease of a lane that this process holds.
package struct LaneLease: Sendable {
    /// The lane that is held.
    package let lane: Lane
    /// The fence that each transaction of the lane checks.
    package let fence: Fence
    /// The membership of the process.
    package let membership: Membership

    /// Whether the lane certainly belongs to this process, as measured by the process's clock.
    var isTrusted: Bool { membership.isTrusted }

    /// Throws `LaneInDoubt` if this process hasn't renewed its lifetime for too long.
    func check() throws {
        if !isTrusted { throw LaneInDoubt() }
    }
}

/// The error thrown when another process may hold the lane by now.
struct LaneInDoubt: Error, CustomStringConvertible {
    var description: String { "this process has not reported to the database for too long; its lane may be lost" }
}
