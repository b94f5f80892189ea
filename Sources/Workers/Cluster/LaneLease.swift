package import Storage

/// A lane that this process holds.
package struct LaneLease: Sendable {
    /// The lane.
    package let lane: Lane
    /// What each of its transactions checks.
    package let fence: Fence
    /// The process.
    package let membership: Membership

    /// Whether the lane is this process's without a doubt, as far as its clock tells.
    var isTrusted: Bool { membership.isTrusted }

    /// Stops a turn that begins too long after the process last said that it is alive.
    ///
    /// - Throws: `LaneInDoubt`.
    func check() throws {
        if !isTrusted { throw LaneInDoubt() }
    }
}

/// The process has not been able to say that it is alive: another one may have the lane.
struct LaneInDoubt: Error, CustomStringConvertible {
    var description: String { "the database was not told in time that this process is alive" }
}
