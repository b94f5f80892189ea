/// The forms that a terminal's subscriptions may have within its own space.
///
/// Mosquitto keeps a node of some 700 bytes for each level of each filter, so a filter's form bounds the memory that it
/// costs. Below a terminal's own space, workers publish at one level, and to Response Topics of the terminal's choice;
/// below a user's, at `device/{did}/{what}` at the deepest (`schemas/channels.yaml`).
enum FilterShape {
    /// The maximum number of bytes after the terminal's own space.
    static let bytesMax = 256

    /// Returns whether a terminal may hold the filter: a single level, alone or with `/#`, or below `response` and
    /// `device` up to `levels` levels, counted with a root of two.
    ///
    /// `own` is the offset at which the terminal's or its user's space ends, before the slash.
    static func isAllowed(
        _ filter: Bytes,
        behind own: Int,
        rootLevels: Int,
        levels: Int
    ) -> Bool {
        guard own < filter.count else { return true }
        let rest = filter[(own &+ 1)...]
        guard rest.count <= bytesMax else { return false }
        let first = rest.prefix { $0 != Topic.slash }
        guard first.count < rest.count else { return true }
        guard first.elementsEqual("response".utf8) || first.elementsEqual("device".utf8) else {
            return rest.count == first.count &+ 2 && filter.last == Topic.hash
        }
        return count(filter) <= levels &+ rootLevels &- 2
    }

    /// Returns the number of levels of a topic or filter.
    static func count(_ topic: Bytes) -> Int {
        var count = 1
        for byte in topic where byte == Topic.slash { count &+= 1 }
        return count
    }
}
