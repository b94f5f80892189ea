/// The forms that a terminal's filters may have below the terminal's prefix or its user's prefix.
///
/// Mosquitto keeps a node of about 700 bytes for each level of each filter. Limits on a filter's form therefore also
/// limit the filter's memory. Workers publish on topics with one or two levels below a terminal's prefix. Workers also
/// publish on Response Topics that the terminal chooses. Below a user's prefix, the deepest topics have the form
/// `device/{did}/{what}` (`schemas/channels.yaml`).
enum FilterShape {
    /// The maximum length of a filter in bytes, not counting the prefix of a terminal or user.
    static let bytesMax = 256

    /// Returns whether a terminal may subscribe to a filter.
    ///
    /// After the prefix, the filter can have one level, or one level and `/#`. If the first level after the prefix is
    /// `response` or `device`, the whole filter can have up to `levels` levels. In this count, the root counts as two
    /// levels, however many levels it has.
    ///
    /// `own` is the length of the terminal's or user's prefix in bytes, without the slash.
    static func isAllowed(_ filter: Bytes, behind own: Int, rootLevels: Int, levels: Int) -> Bool {
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

    /// Returns whether a filter below `homeassistant` is within the limits on its bytes and levels.
    ///
    /// The limits are high enough for Home Assistant's own filters.
    static func isDiscovery(_ filter: Bytes) -> Bool { filter.count <= bytesMax && count(filter) <= 5 }

    /// Returns the number of levels of a topic or filter.
    static func count(_ topic: Bytes) -> Int {
        var count = 1
        for byte in topic where byte == Topic.slash { count &+= 1 }
        return count
    }
}
