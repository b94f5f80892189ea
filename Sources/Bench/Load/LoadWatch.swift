import Load

/// Detects that a count has stood still for too long.
struct LoadWatch {
    private var last = -1
    private var since = LoadClock.nanoseconds

    /// Takes the current count.
    ///
    /// - Throws: `LoadError.timeout` if it hasn't changed for ten seconds.
    mutating func look(_ count: Int) throws(LoadError) {
        if count != last {
            last = count
            since = LoadClock.nanoseconds
        } else if LoadClock.nanoseconds - since > 10_000_000_000 {
            throw .timeout("nothing has moved for 10 s, at \(count) messages")
        }
    }
}
