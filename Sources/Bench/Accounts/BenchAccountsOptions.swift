/// The options of `lamplighter-bench accounts`.
package struct BenchAccountsOptions: Sendable {
    /// App terminals that ask.
    package var terminals = 100
    /// Users that log in at once.
    package var logins = 200
    /// Devices that report meanwhile.
    package var devices = 1000
    /// Rounds; the median of each counts.
    package var rounds = 3
    /// Seconds that each measurement takes.
    package var seconds = 4.0

    /// The options of a full run.
    package init() {}
}
