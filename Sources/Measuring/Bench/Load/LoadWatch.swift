import Load

/// Detects when a count stays unchanged for too long.
struct LoadWatch {
    private var last = -1
    private var stopwatch = Stopwatch()

    /// Compares the current count with the last count.
    ///
    /// - Throws: `LoadError.timeout` if the count hasn't changed for ten seconds.
    mutating func look(_ count: Int) throws(LoadError) {
        if count != last {
            last = count
            stopwatch = Stopwatch()
        } else if stopwatch.seconds > 10 {
            throw .timeout("nothing has moved for 10 s, at \(count) messages")
        }
    }
}
