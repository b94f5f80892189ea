/// The size of the data directory over the time of an attack, and its growth in a minute.
struct AbuseDisk: Sendable {
    /// Seconds since the attack began, and megabytes.
    private var samples: [(at: Double, size: Double)] = []

    private static let minute = 60.0
    /// Adds a measurement; its moment must be later than the last.
    mutating func add(_ size: Double, at seconds: Double) { samples.append((seconds, size)) }

    /// Megabytes that were written in all.
    var written: Double { (samples.last?.size ?? 0) - (samples.first?.size ?? 0) }

    /// Returns the megabytes of the minute in which most was written; nil for an attack of less than a minute.
    ///
    /// Nothing is concluded from seconds: buckets are emptied once, connections that flood are closed after ten
    /// seconds, and the file grows in steps.
    func aMinute(seconds: Double) -> Double? {
        seconds >= Self.minute && !samples.isEmpty ? worstMinute : nil
    }

    private var worstMinute: Double {
        var worst = 0.0
        var begin = 0
        for sample in samples {
            while sample.at - samples[begin].at > Self.minute { begin += 1 }
            let least = samples[begin...].prefix { $0.at < sample.at }.map(\.size).min()
            worst = max(worst, sample.size - (least ?? sample.size))
        }
        return worst
    }
}
