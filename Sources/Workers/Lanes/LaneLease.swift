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

    /// Throws `LaneInDoubt` if this process last renewed its lifetime too long ago; the lane's next turn must then not
    /// begin.
    func check() throws {
        if !isTrusted { throw LaneInDoubt() }
    }
}

/// The error thrown when another process may have the lane, because this process could not renew its lifetime.
struct LaneInDoubt: Error, CustomStringConvertible {
    var description: String { "this process has not reported to the database for too long; its lane may be lost" }
}
