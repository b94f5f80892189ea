package import JSON

/// A moment in whole milliseconds since the Unix epoch, as in all messages.
package struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    /// The latest moment allowed on the wire: 2^53−1 milliseconds.
    package static let max = Instant(milliseconds: 9_007_199_254_740_991)

    /// Makes a moment.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns the moment `seconds` later, or earlier if the number is negative.
    package func adding(seconds: Int64) -> Instant { Instant(milliseconds: milliseconds + seconds * 1000) }

    /// Returns the moment that is `count` milliseconds later.
    package func adding(milliseconds count: Int64) -> Instant { Instant(milliseconds: milliseconds + count) }

    /// Returns the number of seconds until another moment, rounded up and at least 0.
    package func seconds(until other: Instant) -> Int64 {
        Swift.max(0, (other.milliseconds - milliseconds + 999) / 1000)
    }
}

extension Instant {
    /// The maximum allowed difference between a process's clock and the database's clock, in milliseconds.
    package static let clockOffMax: Int64 = 1_000
    /// The maximum allowed difference between the clocks of two processes that use one database, in milliseconds.
    package static let clocksApartMax = 2 * clockOffMax
}

/// A time is shown in milliseconds since 1970.
extension Instant: Showable { package var shown: JSONValue { .integer(milliseconds) } }
