/// The options of `lamplighter-bench reports`.
package struct BenchReportsOptions: Sendable {
    /// Devices that report.
    package var devices = 1000
    /// App terminals that the bound devices' statuses go to.
    package var terminals = 10
    /// Devices in the store for the second part; 0 leaves it out.
    package var stored = 100_000
    /// Rounds of A, B, C, D; the median of each counts.
    package var rounds = 3
    /// Seconds that each measurement takes, after a second of warm-up.
    package var seconds = 5.0
    /// Reports under way at most, over all devices.
    package var window = 4000

    /// The options of a full run.
    package init() {}
}
