/// The options of `lamplighter-bench reports`.
package struct BenchReportsOptions: Sendable {
    /// The number of devices that report.
    package var devices = 1000
    /// The number of app terminals that receive the bound devices' statuses.
    package var terminals = 10
    /// The number of devices in the store for the second part; 0 skips it.
    package var stored = 100_000
    /// The number of rounds of all phases; each figure is their median.
    package var rounds = 3
    /// The seconds that each measurement takes, after a second of warm-up.
    package var seconds = 5.0
    /// The most reports under way, over all devices.
    package var window = 4000

    /// Creates the options of a full run.
    package init() {}
}
