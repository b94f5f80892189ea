import Foundation

/// The time of day, as the wire and the log need it.
package enum WallClock {
    /// Whole milliseconds since the Unix epoch.
    package static var milliseconds: Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}
