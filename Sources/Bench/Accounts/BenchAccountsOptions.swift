/// The options of `lamplighter-bench accounts`.
package struct BenchAccountsOptions: Sendable {
    /// The number of app terminals that send requests.
    package var terminals = 100
    /// The number of users who log in at once.
    package var logins = 200
    /// The number of devices that report during the logins.
    package var devices = 1000
    /// The number of rounds; each figure is their median.
    package var rounds = 3
    /// The seconds that each measurement takes.
    package var seconds = 4.0

    /// Creates the options of a full run.
    package init() {}
}
