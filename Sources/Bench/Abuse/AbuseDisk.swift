/// The size of the data directory over the time of an attack, and its growth in a minute.
struct AbuseDisk: Sendable {
    /// Seconds since the attack began, and megabytes.
    private var samples: [(at: Double, size: Double)] = []

    private static let minute = 60.0
    /// The shortest attack that tells the growth in a minute: its first seconds fill caches that are filled
    /// only once.
    static let shortest = 10.0

    /// Adds a measurement; its moment must be later than the last.
    mutating func add(_ size: Double, at seconds: Double) { samples.append((seconds, size)) }

    /// Megabytes that were written in all.
    var written: Double { (samples.last?.size ?? 0) - (samples.first?.size ?? 0) }

    /// Returns megabytes in a minute; nil for an attack of less than ten seconds.
    ///
    /// Seen for a minute or longer it is the minute in which most was written. What is shorter goes on as in
    /// its second half: a burst at the beginning does not come again every few seconds.
    func aMinute(seconds: Double) -> Double? {
        guard seconds >= Self.shortest, let first = samples.first, let last = samples.last else {
            return nil
        }
        if seconds >= Self.minute { return worstMinute }
        let middle = samples.last { $0.at - first.at <= seconds / 2 } ?? first
        guard last.at > middle.at else { return written }
        let rate = (last.size - middle.size) / (last.at - middle.at)
        return written + max(0, rate) * max(0, Self.minute - (last.at - first.at))
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
