/// Every bound of the workers, each with its unit, in one place.
package struct Limits: Sendable {
    /// Messages that one batch takes at most.
    package var batchMax = 500
    /// How long a batch goes on reading while messages keep coming.
    package var batchLinger: Duration = .milliseconds(5)
    /// Messages that the broker may send to a worker before it gets acknowledgements.
    package var receiveMaximum: UInt16 = 1000
    /// Messages of a worker that the broker may hold unconfirmed.
    ///
    /// The library walks its list of them
    /// at each confirmation, so more would cost more than it gains.
    package var sendMaximum: UInt16 = 250
    /// Messages that wait in a worker's memory for the broker, above which it reads one at a time.
    package var backlogMax = 5000
    /// Outbox rows that are read from the store at once.
    package var outboxPage = 20
    /// How long a worker sleeps when nothing comes.
    package var patience: Duration = .milliseconds(500)
    /// Statuses that are published anew in one turn.
    package var refreshPage = 500
    /// Dead letters that are kept.
    package var deadLettersMax = 10_000
    /// How long a report's id is known, in seconds: 7 days.
    package var inboxSeconds: Int64 = 604_800
    /// How many of a device's report ids are known at least, whatever their age.
    package var inboxPerDevice = 10_000
    /// How long a request's id is known, in seconds: 10 minutes.
    package var requestSeconds: Int64 = 600
    /// How long history is kept unless the product says otherwise, in days.
    package var historyDays = 30
    /// Bytes of the history's tail above which it is sorted.
    package var historyTailBytes = 1 << 20
    /// How long a record waits in the tail at most, in seconds.
    package var historyTailSeconds: Int64 = 10
    /// Pieces of history that one transaction of the sorter writes.
    package var historyStep = 32
    /// Rows that one step of a sweep removes at most.
    package var sweepStep = 500
    /// Rows of a page unless the request says otherwise.
    package var pageDefault: Int64 = 100
    /// Rows of a page at most.
    package var pageMax: Int64 = 1000
    /// Devices that one user may be bound to.
    package var devicesPerUser: Int64 = 1000
    /// Users that may be bound to one device.
    package var usersPerDevice = 10_000
    /// New anonymous users of one app in an hour.
    package var anonymousPerHour = 100_000
    /// How long a session lives, in seconds.
    package var sessionSeconds: Int64 = 604_800
    /// The longest wait between two tries to reach the broker.
    package var reconnectMax: Duration = .seconds(5)

    /// The bounds unless settings change them.
    package init() {}
}
