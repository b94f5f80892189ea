/// The limits of the workers that settings or tests change, each with its unit.
///
/// The others are declared beside their rules.
package struct Limits: Sendable {
    /// The maximum number of messages in one batch.
    package var batchMax = 500
    /// The maximum number of requests in one transaction of a database that other processes write
    /// to as well.
    ///
    /// Requests lock users and devices in no fixed order, so transactions of several would wait for
    /// each other.
    package var requestsPerSharedCommit = 1
    /// The time for which a batch continues to read while messages arrive.
    package var batchLinger: Duration = .milliseconds(5)
    /// The maximum number of messages that the broker sends to a worker before it gets
    /// acknowledgements.
    ///
    /// Senders take turns among the messages in the worker, and the broker keeps strict order: so
    /// the window is as large as a worker's memory of messages, which is also limited in bytes.
    package var receiveMaximum: UInt16 = 20_000
    /// The maximum number of messages of a worker that the broker holds unconfirmed, or packets if
    /// each message is one.
    package var sendMaximum: UInt16 = 2000
    /// The number of receivers above which a message is published to a few at a time, so that other
    /// messages can overtake it.
    package var fanOutMin = 50
    /// The maximum number of messages of such fan-outs that are published together and that the
    /// broker holds unconfirmed.
    package var fanOutWindow = 8
    /// The pause before the next ones, in milliseconds, in which the cores have time for other
    /// work.
    package var fanOutPause: Int64 = 2
    /// The maximum number of pauses for one fan-out; a larger one publishes more messages at a
    /// time.
    package var fanOutPauses = 128
    /// The number of messages in a worker's memory waiting for the broker, from which on it
    /// receives nothing.
    package var backlogMax = 5000
    /// The time for which confirmed rows may stay in the outbox, for the next batch to delete them:
    /// a commit for that alone would delay others.
    package var confirmedLinger: Duration = .milliseconds(200)
    /// The maximum number of outbox rows that wait for deletion.
    package var confirmedRowsMax = 100
    /// The maximum number of outbox rows that are read from the store at once.
    package var outboxPage = 20
    /// The longest wait of a worker without messages.
    package var patience: Duration = .milliseconds(500)
    /// The maximum number of statuses that one turn publishes again.
    package var refreshPage = 500
    /// The maximum number of dead letters that are kept.
    package var deadLettersMax = 10_000
    /// The maximum number of rows of refusals that are kept; equal ones of an hour share one row of
    /// 1 KiB at most.
    package var refusalsMax = 1000
    /// The maximum number of records of sent and given up messages that are kept; one has about 300
    /// bytes.
    package var messageRecordsMax = 10_000
    /// The time for which they are kept, in seconds: 30 days.
    package var messageRecordSeconds: Int64 = 2_592_000
    /// The maximum number of log lines about refused and dead messages in a second.
    package var refusalLines = 20
    /// The time for which refusals are kept, in seconds: 7 days.
    package var refusalSeconds: Int64 = 604_800
    /// The time for which a report's id is known, in seconds: 7 days.
    package var inboxSeconds: Int64 = 604_800
    /// The number of newest report ids that are kept of a device that sends very many.
    package var inboxPerDevice = 10_000
    /// The time for which an expired link is kept, so that visitors see that it has expired, in
    /// seconds: 7 days.
    package var expiredLinkSeconds: Int64 = 604_800
    /// The time for which a request's id is known, in seconds: 10 minutes.
    package var requestSeconds: Int64 = 600
    /// The default time for which history is kept, in days.
    package var historyDays = 30
    /// The maximum number of bytes that one device may write into its history in a day of UTC; 0
    /// for no limit.
    ///
    /// Beyond them only its state is kept. `HistoryUse` documents the arithmetic.
    package var historyBytesPerDay: Int64 = 64 << 20
    /// The bytes of the history buffer above which it is sorted.
    package var historyBufferBytes = 4 << 20
    /// The longest time that a record waits in the history buffer, in seconds.
    package var historyBufferSeconds: Int64 = 10
    /// The maximum number of records that one answer about history reads.
    package var historyScanMax = 5_000_000
    /// The maximum number of history queries that are answered at the same time, of the store's
    /// four readers.
    package var historyReaders = 2
    /// The maximum number of history queries that wait to be answered.
    package var historyQueue = 512
    /// The number of history pages, and of lists, under way or unanswered, at which their readers
    /// pause.
    package var readingsFinished = 64
    /// The maximum number of long lists and logs that are read at the same time, of the store's
    /// four readers.
    package var listReaders = 1
    /// The maximum number of requests with finished slow work that one transaction answers: others'
    /// requests wait behind it.
    package var releasedAtOnce = 16
    /// The maximum number of events or commands that one page of a log reads.
    package var logScanMax = 10_000
    /// The chunks of history that one transaction of the compactor writes.
    package var historyStep = 8
    /// The maximum number of rows that one step of maintenance deletes, and that one turn of a
    /// worker ends.
    package var sweepStep = 500
    /// The default number of rows of a page.
    package var pageDefault: Int64 = 100
    /// The maximum number of rows of a page.
    package var pageMax: Int64 = 1000
    /// The maximum number of bytes sent to one terminal in a second before its further requests
    /// wait, and twice that at once; 0 for no limit.
    package var answerBytesPerSecond = 512 << 10
    /// The maximum number of requests of one terminal that wait for that, or for the readers.
    package var heldPerTerminal = 100
    /// The maximum number of commands that may be queued for one device.
    package var queuedPerDevice = 100
    /// The maximum number of devices to which one turn sends queued commands.
    package var dispatchPage = 100
    /// The time for which queued commands are held after a device has connected, in seconds, unless
    /// it subscribes earlier: commands to a device that doesn't listen yet are lost.
    package var dispatchSeconds: Int64 = 2
    /// The maximum number of devices that one user may be bound to.
    package var devicesPerUser: Int64 = 1000
    /// The maximum number of users that may be bound to one device.
    package var usersPerDevice = 10_000
    /// The maximum number of devices that one user may create by remote binding in a day.
    package var remoteDevicesPerDay = 200
    /// The maximum number of invitations that one user may make in an hour.
    package var invitationsPerHour = 200
    /// The maximum number of invitations to one device that wait for an answer.
    package var invitationsPerDevice = 200
    /// The life of an invitation by name, in seconds: 24 hours.
    package var invitationSeconds = SharingRules.lifeSeconds(.user)
    /// The life of an invitation by a code, in seconds: 15 minutes.
    package var invitationCodeSeconds = SharingRules.lifeSeconds(.qrcode)
    /// The time for which ended invitations are kept, in seconds: 30 days.
    package var endedInvitationSeconds: Int64 = 2_592_000
    /// The maximum number of expired invitations, and expired guests, that one step ends: both
    /// sides of each are notified.
    package var bindingStep = 50
    /// The maximum number of homes of one user.
    package var homesPerUser = 100
    /// The maximum number of new anonymous users of one app in an hour.
    package var anonymousPerHour = 100_000
    /// The maximum number of new terminals of one app in an hour.
    package var terminalsPerHour = 100_000
    /// The maximum number of messages of one channel that the service sends at once.
    package var messagesAtOnce = 8
    /// The maximum number of messages that one step of the delivery service leases.
    package var messagePage = 100
    /// The longest time of one try of sending, in seconds, before another begins.
    package var messageLease: Int64 = 60
    /// The pause after the first failed try, in seconds; it doubles with each further one.
    package var messageBackoff: Int64 = 5
    /// The first wait for a gateway's answer, in seconds; it doubles with each further one.
    package var gatewayPatience: Int64 = 20
    /// The longest wait between two tries of sending, in seconds.
    package var messageBackoffMax: Int64 = 900
    /// The number of refusals by the other side after which a message is given up.
    package var messageRefusals = 3
    /// The maximum number of pages of links that are rendered at once.
    package var pagesAtOnce = 16
    /// The maximum number of new passwords sent with one user's links in an hour: each costs a
    /// hash.
    package var linkTriesPerHour = 20
    /// The maximum number of links of one kind that are sent to one address in an hour.
    package var linksPerHour = 5
    /// The life of a session from its login or refresh, in seconds: 7 days.
    package var sessionSeconds: Int64 = 604_800
    /// The maximum number of codes of one purpose to one address in an hour.
    package var codesPerPurpose = 5
    /// The maximum number of codes to one address in a day.
    package var codesPerAddress = 10
    /// The maximum number of codes of one app in an hour.
    package var codesPerHour = 1000
    /// The maximum number of codes of one app for one country code in an hour.
    package var codesPerCountry = 200
    /// The maximum number of registrations of one e-mail address in a day without a proof (policies
    /// `link` and `none`), and the most accounts besides its owner's that log in by it.
    package var unprovedPerAddress = 2
    /// The maximum number of wrong passwords for one name, one account or one terminal in 15
    /// minutes.
    package var passwordFailures = 10
    /// The maximum number of calls to one identity provider at the same time.
    package var providerCalls = 32
    /// The maximum number of calls to all identity providers at the same time.
    package var providerCallsMax = 128
    /// The life of a logout code, in seconds: 5 minutes.
    package var logoutCodeSeconds: Int64 = 300
    /// The delay with which an occurrence of a schedule may still run, in seconds; later it is
    /// missed, and one that is fired earlier by more is refused.
    package var triggerLateSeconds: Int64 = 300
    /// The time for which occurrences due before the scheduler connected wait for devices, in
    /// seconds, if the broker has no session of it.
    ///
    /// Then the broker restarted without sessions, or the scheduler's client id is new.
    package var triggerSettleSeconds: Int64 = 10
    /// The maximum number of due occurrences that the scheduler reads from the store at once.
    package var triggerPage = 1000
    /// The maximum number of triggers in a second, when very many schedules are due in the same
    /// minute.
    package var triggersPerSecond = 1500
    /// The maximum number of triggers sent at once before that limit applies.
    package var triggersAtOnce = 500
    /// The time for which runs of schedules are kept, in seconds: 90 days.
    package var scheduleRunSeconds: Int64 = 7_776_000
    /// The time for which ended sessions are kept, in seconds: 30 days.
    package var endedSessionSeconds: Int64 = 2_592_000
    /// The time for which the audit trail is kept, in days; 0 for ever.
    package var auditDays = 0
    /// The time in which a login restores a cancelled account, in seconds: 7 days.
    package var cancellationSeconds: Int64 = 604_800
    /// The time after which an idle anonymous user without devices is erased, in seconds: 90 days.
    package var idleAnonymousSeconds: Int64 = 7_776_000
    /// The number of threads that hash passwords, of 19 MiB each; 0 for half of the processors.
    package var hashThreads = 0
    /// The maximum number of passwords that wait to be hashed.
    package var hashQueue = 256
    /// The maximum number of bytes of the work that waits in one lane of slow work.
    package var backgroundQueueBytes = 1 << 20
    /// The maximum number of bytes of the requests that wait for slow work, as received.
    package var waitingBytes = 16 << 20
    /// The limits of one terminal, source address, app and product.
    package var counts = CountLimits()
    /// The time for which a stopping worker still answers requests that wait for slow work.
    package var drainMax: Duration = .seconds(2)
    /// The longest wait between two tries to reach the broker.
    package var reconnectMax: Duration = .seconds(5)

    /// The number of connections over which a worker publishes, besides the one that receives
    /// messages.
    package var outlets = 4
    /// The number of connections of each lane for publishing, where several processes share the
    /// work.
    package var laneOutlets = 1
    /// The number of unconfirmed rows of the outbox from which on a worker receives nothing.
    package var outboxRows = 2000
    /// The bytes of such messages in a worker's memory from which on it receives nothing.
    package var outboxBytes = 32 << 20
    /// The number of received messages waiting for their turn from which on a worker receives none.
    package var intakeMax = 20_000
    /// The bytes of such messages from which on it receives none.
    package var intakeBytes = 24 << 20
    /// The time of one batch above which the next one is smaller: other workers share the store's
    /// only writer and wait for it.
    package var turnMax: Duration = .milliseconds(20)
    /// The age from which a waiting status may be replaced by a newer one of the same device and
    /// user.
    package var staleAfter: Duration = .seconds(1)
    /// The interval at which a worker sends itself an echo through the broker, to measure its
    /// delay; zero for never.
    package var echoInterval: Duration = .seconds(1)
    /// The delay above which a worker reports that it isn't ready.
    package var lateAfter: Duration = .seconds(5)

    /// Uses the default limits.
    package init() {}
}
