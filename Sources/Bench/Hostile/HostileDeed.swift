/// An attack of a hostile client, made as fast as it can.
enum HostileDeed: String, Sendable, CaseIterable {
    /// Subscribes to filters of very many levels, below its own space.
    case deepFilters = "deep-filters"
    /// The same with filters of few levels.
    case flatFilters = "flat-filters"
    /// `account/whoami` with QoS 0.
    case whoami
    /// The same with QoS 1, as many as the broker takes.
    case confirmed
    /// The same with QoS 2.
    case exactly
    /// A method that doesn't exist, with QoS 0.
    case unknownMethod = "unknown-method"
    /// Always 2,000 requests without an answer.
    case closedLoop = "closed-loop"
    /// Requests with 60,000 bytes of Correlation Data.
    case correlation
    /// Codes to numbers that are made up.
    case codes
    /// One anonymous user after another.
    case anonymous
    /// Always 400 registrations with a password under way.
    case hashes
    /// A device's reports of 53 KB of `binary`.
    case binary
    /// One device after another, by the product's secret.
    case registrations
    /// Connects and disconnects, without sending anything.
    case connects
    /// Sends as much as one may at once, goes, and comes back as the same terminal.
    case returns
    /// Connects with a large will, and vanishes.
    case wills
    /// Publishes where it may not.
    case forbidden
    /// PINGREQ without end.
    case pings
    /// Gives up filters that it never had.
    case unsubscribes
    /// Connects, sends half a packet and stays.
    case halves
    /// Reports of 500 at once, as large as they may be.
    case bundles
    /// Reports that devices send with QoS 1, as far as the broker confirms them.
    case reports
    /// The same with at most 16 reports without an answer, the number that honest devices keep to.
    case patientReports = "patient-reports"
    /// The same with QoS 0.
    case hastyReports = "hasty-reports"
    /// No connection at all: the processor is kept busy for `share` of the time.
    case burn
}
