import Domain

/// Every bound of the workers, each with its unit, in one place.
package struct Limits: Sendable {
    /// Messages that one batch takes at most.
    package var batchMax = 500
    /// How long a batch goes on reading while messages keep coming.
    package var batchLinger: Duration = .milliseconds(5)
    /// Messages that the broker may send to a worker before it gets acknowledgements.
    ///
    /// Senders take turns among what has been sent, and nothing passes what still waits in the broker: so the window
    /// is as large as what a worker holds in memory, and bounded there in bytes.
    package var receiveMaximum: UInt16 = 20_000
    /// Messages of a worker that the broker may hold unconfirmed, and as many packets where each is one.
    package var sendMaximum: UInt16 = 2000
    /// Receivers of one message above which it goes out a few at a time, so that what others are told
    /// can pass it.
    package var crowdMin = 50
    /// Messages to such crowds that go out together and that the broker may hold unconfirmed.
    package var crowdWindow = 8
    /// How long after them the next ones follow, in milliseconds; the cores have time for others then.
    package var crowdPause: Int64 = 2
    /// Pauses at most until a crowd has been told; with much waiting more goes out together.
    package var crowdPauses = 128
    /// Messages that wait in a worker's memory for the broker, above which it reads one at a time.
    package var backlogMax = 5000
    /// How long what the broker has taken may stay in the outbox, for the next batch to strike it out:
    /// a commit for that alone would hold up others.
    package var settleLinger: Duration = .milliseconds(200)
    /// Outbox rows that wait to be struck out at most.
    package var settleMax = 100
    /// Outbox rows that are read from the store at once.
    package var outboxPage = 20
    /// How long a worker sleeps when nothing comes.
    package var patience: Duration = .milliseconds(500)
    /// Statuses that are published anew in one turn.
    package var refreshPage = 500
    /// Dead letters that are kept.
    package var deadLettersMax = 10_000
    /// Rows of refusals that are kept; alike ones of an hour are one row of 1 KiB at most.
    package var refusalsMax = 1000
    /// How long they are kept, in seconds: 7 days.
    package var refusalSeconds: Int64 = 604_800
    /// How long a report's id is known, in seconds: 7 days.
    package var inboxSeconds: Int64 = 604_800
    /// How many of a device's report ids are known at least, whatever their age.
    package var inboxPerDevice = 10_000
    /// How long a request's id is known, in seconds: 10 minutes.
    package var requestSeconds: Int64 = 600
    /// How long history is kept unless the product says otherwise, in days.
    package var historyDays = 30
    /// Bytes that one device may write into its history in a day of UTC; 0 for no bound.
    ///
    /// Beyond them its state alone is kept. The arithmetic is beside `HistoryUse`.
    package var historyBytesPerDay: Int64 = 64 << 20
    /// Bytes of the history's tail above which it is sorted.
    package var historyTailBytes = 4 << 20
    /// How long a record waits in the tail at most, in seconds.
    package var historyTailSeconds: Int64 = 10
    /// Records that one answer about the past looks at, at most.
    package var historyScanMax = 5_000_000
    /// Questions about the past that are answered at the same time, of the store's four readers.
    package var historyReaders = 2
    /// Questions about the past that wait to be answered.
    package var historyQueue = 64
    /// Events or commands that one page of a log looks at, at most.
    package var logScanMax = 10_000
    /// Pieces of history that one transaction of the sorter writes.
    package var historyStep = 8
    /// Rows that one step of a sweep removes at most.
    package var sweepStep = 500
    /// Rows of a page unless the request says otherwise.
    package var pageDefault: Int64 = 100
    /// Rows of a page at most.
    package var pageMax: Int64 = 1000
    /// Commands that may wait for one device.
    package var queuedPerDevice = 100
    /// Devices to which waiting commands are sent in one turn.
    package var callPage = 100
    /// How long what waits for a device is held back after its connecting, in seconds, unless it
    /// subscribes before: what is sent to one that doesn't listen yet is lost.
    package var callSeconds: Int64 = 2
    /// Devices that one user may be bound to.
    package var devicesPerUser: Int64 = 1000
    /// Users that may be bound to one device.
    package var usersPerDevice = 10_000
    /// Devices that one user may make by binding from afar in a day.
    package var remoteDevicesPerDay = 200
    /// Invitations that one user may make in an hour.
    package var invitationsPerHour = 200
    /// Invitations to one device that wait for an answer.
    package var invitationsPerDevice = 200
    /// How long an invitation by name waits for an answer, in seconds: 24 hours.
    package var invitationSeconds = SharingRules.lifeSeconds(.user)
    /// How long a code that is to be scanned waits for it, in seconds: 15 minutes.
    package var invitationCodeSeconds = SharingRules.lifeSeconds(.qrcode)
    /// How long invitations that ended are remembered, in seconds: 30 days.
    package var endedInvitationSeconds: Int64 = 2_592_000
    /// Invitations, and guests, whose time is over, that one step ends: each is told to both sides.
    package var bondStep = 50
    /// Homes of one user.
    package var homesPerUser = 100
    /// New anonymous users of one app in an hour.
    package var anonymousPerHour = 100_000
    /// New terminals of one app in an hour.
    package var terminalsPerHour = 100_000
    /// Messages of one channel that the service sends at once.
    package var deliveriesAtOnce = 8
    /// Messages that one step of the delivery service takes up.
    package var deliveryPage = 100
    /// How long one try of sending may take, in seconds, before another begins.
    package var deliveryLease: Int64 = 60
    /// How long the first try's failure is waited out, in seconds; each further one twice as long.
    package var deliveryBackoff: Int64 = 5
    /// How long a gateway's answer is waited for at first, in seconds; each further time twice as
    /// long.
    package var gatewayPatience: Int64 = 20
    /// The longest wait between two tries of sending, in seconds.
    package var deliveryBackoffMax: Int64 = 900
    /// Refusals of one message by the other side after which it is given up.
    package var deliveryRefusals = 3
    /// Pages of links that are made at once.
    package var pagesAtOnce = 16
    /// New passwords that are tried with one user's links in an hour: each costs a hash.
    package var linkTriesPerHour = 20
    /// Links of one kind that are sent to one address in an hour.
    package var linksPerHour = 5
    /// How long a session lives, in seconds.
    package var sessionSeconds: Int64 = 604_800
    /// Codes of one purpose to one address in an hour.
    package var codesPerPurpose = 5
    /// Codes to one address in a day.
    package var codesPerAddress = 10
    /// Codes of one app in an hour.
    package var codesPerHour = 1000
    /// Codes of one app for one country code in an hour.
    package var codesPerCountry = 200
    /// Registrations of one e-mail address in a day that prove nothing (policies `link` and `none`);
    /// as many accounts log in by an address beside the one that has it.
    package var unprovedPerAddress = 2
    /// Wrong passwords for one name, one account or one terminal in 15 minutes.
    package var passwordFailures = 10
    /// Calls to one identity provider at the same time.
    package var providerCalls = 32
    /// Calls to all identity providers at the same time.
    package var providerCallsMax = 128
    /// How long a logout code works, in seconds: 5 minutes.
    package var logoutCodeSeconds: Int64 = 300
    /// How late an occurrence of a schedule may be taken up before it is missed, in seconds.
    package var triggerLateSeconds: Int64 = 300
    /// How long what is late already waits for its device when the broker has begun anew, in
    /// seconds.
    package var triggerSettleSeconds: Int64 = 10
    /// Triggers that are out at the same time.
    package var triggersMax = 1000
    /// Triggers in a second, when very many schedules are due in the same minute.
    package var triggersPerSecond = 1500
    /// Triggers that are said at once before that counts.
    package var triggersAtOnce = 500
    /// How long the runs of schedules are remembered, in seconds: 90 days.
    package var scheduleRunSeconds: Int64 = 7_776_000
    /// How long sessions that ended are remembered, in seconds: 30 days.
    package var endedSessionSeconds: Int64 = 2_592_000
    /// How long the audit trail is kept, in days; 0 for good.
    package var auditDays = 0
    /// How long a cancelled account can be had back by logging in, in seconds: 7 days.
    package var cancellationSeconds: Int64 = 604_800
    /// How long an anonymous user without devices may be away, in seconds: 90 days.
    package var idleAnonymousSeconds: Int64 = 7_776_000
    /// Threads that hash passwords at the same time, of 19 MiB each; 0 for half of the processors.
    package var hashThreads = 0
    /// Passwords that wait to be hashed.
    package var hashQueue = 256
    /// Bytes of what waits in one lane of slow work.
    package var slowQueueBytes = 1 << 20
    /// Bytes of the requests that wait for slow work, as they came.
    package var waitingBytes = 16 << 20
    /// What one terminal, source address, app and product may do.
    package var counts = CountLimits()
    /// How long a worker that stops still answers those who wait for slow work.
    package var drainMax: Duration = .seconds(2)
    /// The longest wait between two tries to reach the broker.
    package var reconnectMax: Duration = .seconds(5)

    /// Connections over which a worker publishes, beside the one over which messages come.
    package var outlets = 4
    /// Rows of the outbox that the broker has not confirmed, from which on a worker takes nothing in.
    package var outboxRows = 2000
    /// Bytes of such messages in a worker's memory, from which on it takes nothing in.
    package var outboxBytes = 32 << 20
    /// Messages that a worker has taken in and that wait for their turn, from which on it reads none.
    package var intakeMax = 20_000
    /// Bytes of such messages, from which on it reads none.
    package var intakeBytes = 16 << 20
    /// How long one batch may take, above which the next one is cut: others, who share the one writer of
    /// the store, wait for it.
    package var turnMax: Duration = .milliseconds(20)
    /// How old a status that waits must be for a newer one of the same device and user to take its
    /// place.
    package var staleAfter: Duration = .seconds(1)
    /// How often a worker sends itself a message through the broker, to see how late it is; zero for never.
    package var echoInterval: Duration = .seconds(1)
    /// How late a worker may answer before it says that it isn't ready.
    package var lateAfter: Duration = .seconds(5)

    /// The bounds unless settings change them.
    package init() {}
}
