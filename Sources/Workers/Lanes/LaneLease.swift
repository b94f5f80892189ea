package import Storage

/// The lease of a lane that this process holds.
package struct LaneLease: Sendable {
    /// The lane.
    package let lane: Lane
    /// The fence that each of its transactions checks.
    package let fence: Fence
    /// The membership of the process.
    package let membership: Membership

    /// Whether the lane certainly belongs to this process, by its clock.
    var isTrusted: Bool { membership.isTrusted }

    /// Stops a turn that begins too long after the process last renewed its lifetime.
    ///
    /// - Throws: `LaneInDoubt`.
    func check() throws {
        if !isTrusted { throw LaneInDoubt() }
    }
}

/// The error of a process that could not renew its lifetime: another process may have the lane.
struct LaneInDoubt: Error, CustomStringConvertible {
    var description: String { "this process did not report to the database in time that it is alive" }
}
