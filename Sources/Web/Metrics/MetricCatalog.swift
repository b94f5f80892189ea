/// The metrics of Lamplighter itself, each with its meaning, its kind and, for histograms, its
/// buckets.
///
/// A metric without an entry (a library's own) is served too, with a help text that says so.
package enum MetricCatalog {
    /// The type of a metric in Prometheus.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A metric's name and meaning.
    package struct Entry: Sendable {
        /// The name on the `/metrics` page; units and `_total` are part of it.
        package let name: String
        /// The type in Prometheus.
        package let kind: Kind
        /// The text of the HELP line.
        package let help: String
        /// The upper bounds of a histogram's buckets, ascending; empty for other kinds.
        package let buckets: [Double]
        /// The maximum number of label sets that are kept apart; further ones share a series
        /// labelled `other`, so that a label with values from outside can't exhaust the memory.
        let seriesMax: Int

        init(
            _ name: String,
            _ kind: Kind,
            _ help: String,
            buckets: [Double] = [],
            seriesMax: Int = MetricCatalog.seriesMax
        ) {
            self.name = name
            self.kind = kind
            self.help = help
            self.buckets = buckets
            self.seriesMax = seriesMax
        }
    }

    /// The maximum number of label sets of one name that are kept apart, by default.
    static let seriesMax = 500
    /// The default buckets of a timer, in seconds.
    static let secondsBuckets = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// The default buckets of a recorder of amounts.
    static let amountBuckets: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000]

    /// All metrics of Lamplighter itself, in the order of the page.
    package static let entries: [Entry] = loop + watching + cluster

    private static let loop: [Entry] = [
        Entry(
            "lamplighter_messages_received_total",
            .counter,
            "Messages a worker received from the broker."
        ),
        Entry(
            "lamplighter_messages_published_total",
            .counter,
            "Messages a worker published."
        ),
        Entry(
            "lamplighter_batch_size",
            .histogram,
            "Messages in one transaction of a worker.",
            buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500]
        ),
        Entry(
            "lamplighter_commit_seconds",
            .histogram,
            "Time a worker's transaction took to commit.",
            buckets: secondsBuckets
        ),
        Entry(
            "lamplighter_rejected_total",
            .counter,
            "Messages refused by a rule; the label reason is the error code."
        ),
        Entry(
            "lamplighter_dead_letters_total",
            .counter,
            "Messages that could not be decoded or broke their schema, by reason."
        ),
        Entry(
            "lamplighter_history_dropped_total",
            .counter,
            "Records not stored because the device had used up its history quota of the day."
        ),
        Entry(
            "lamplighter_outbox_rows",
            .gauge,
            "Committed batches whose messages the broker has not confirmed yet."
        ),
        Entry(
            "lamplighter_outbox_bytes",
            .gauge,
            "Bytes of messages in a worker's memory that the broker has not confirmed yet."
        ),
        Entry(
            "lamplighter_intake_messages",
            .gauge,
            "Messages received by a worker that wait for their sender's turn."
        ),
        Entry(
            "lamplighter_intake_bytes",
            .gauge,
            "Bytes of messages that wait in a worker for their sender's turn."
        ),
        Entry(
            "lamplighter_broker_sessions_ended_total",
            .counter,
            "Sessions at the broker that this process ended because clients had left them there."
        ),
        Entry(
            "lamplighter_requests_held",
            .gauge,
            "Requests that wait because their terminals were sent too much recently (limits.answerBytes)."
        ),
        Entry(
            "lamplighter_oldest_unanswered_seconds",
            .gauge,
            "Age of the oldest message a worker has not answered: at the broker, in memory or unpublished."
        ),
        Entry(
            "lamplighter_statuses_left_out_total",
            .counter,
            "Statuses not published because a newer one of the same device and user was waiting."
        ),
        Entry(
            "lamplighter_statuses_missed_total",
            .counter,
            "Statuses that terminals missed by taking messages too slowly, published again; at most 200 at once."
        ),
        Entry(
            "lamplighter_sweep_backlog_rows",
            .gauge,
            "Expired rows that wait to be deleted, or ended by a worker, by kind; for history, devices."
        ),
        Entry(
            "lamplighter_window_used",
            .gauge,
            "Messages that a worker published and the broker has not confirmed yet."
        ),
        Entry(
            "lamplighter_reconnects_total",
            .counter,
            "Times a worker reconnected to the broker."
        ),
        Entry(
            "lamplighter_sessions_lost_total",
            .counter,
            "Times the broker had forgotten a worker's session, so that messages may be missing."
        ),
        Entry(
            "lamplighter_due_failures_total",
            .counter,
            "Times a worker failed on timed work or on work from other workers."
        ),
        Entry(
            "lamplighter_publish_refused_total",
            .counter,
            "Messages of a worker that the broker refused because of its rights or limits."
        ),
        Entry(
            "lamplighter_pool_waiting",
            .gauge,
            "Requests that wait for a background pool, such as password hashing."
        ),
        Entry(
            "lamplighter_pool_waiting_bytes",
            .gauge,
            "Bytes of requests that wait for a background pool."
        ),
        Entry(
            "lamplighter_limited_total",
            .counter,
            "Requests refused because a terminal, address, app or product had used up a quota, by limit."
        ),
        Entry(
            "lamplighter_devices_erased_total",
            .counter,
            "Devices erased because they were never bound and not seen for a while."
        ),
        Entry("lamplighter_pool_busy", .gauge, "Background tasks that a pool is running."),
        Entry(
            "lamplighter_pool_unanswered",
            .gauge,
            "Background tasks that a pool is running, or has finished and whose request is not answered yet."
        ),
        Entry(
            "lamplighter_pool_rejected_total",
            .counter,
            "Requests refused because a background pool was full."
        ),
        Entry(
            "lamplighter_pool_seconds",
            .histogram,
            "Time that a background task took, without waiting.",
            buckets: secondsBuckets
        ),
        Entry(
            "lamplighter_deliveries_total",
            .counter,
            "Attempts to send e-mails and texts, by channel and outcome: sent, retried, failed, expired."
        ),
        Entry(
            "lamplighter_schedule_triggers_total",
            .counter,
            "Triggers that the scheduler published, repeats included."
        ),
        Entry(
            "lamplighter_schedule_lag_seconds",
            .histogram,
            "Delay of the earliest trigger of a round.",
            buckets: secondsBuckets
        ),
        Entry(
            "lamplighter_schedule_runs_total",
            .counter,
            "Occurrences of schedules by outcome: done, failed, expired, missed."
        ),
        Entry(
            "lamplighter_schedules_due",
            .gauge,
            "Occurrences that are due and have not run yet, as far as the scheduler looks ahead."
        ),
        Entry("lamplighter_devices_online", .gauge, "Devices that are connected."),
        Entry("lamplighter_database_bytes", .gauge, "Size of the database file."),
        Entry(
            "lamplighter_database_free_bytes",
            .gauge,
            "Unused bytes in the database file; beyond a quarter the file shrinks."
        ),
        Entry(
            "lamplighter_wal_bytes",
            .gauge,
            "Size of the write-ahead log's file; it grows ahead of use."
        ),
        Entry(
            "lamplighter_broker_dropped_total",
            .counter,
            "Messages the broker dropped since its start, as counted by the broker."
        ),
        Entry(
            "lamplighter_broker_restarts_total",
            .counter,
            "Times the broker child was restarted."
        ),
        Entry(
            "lamplighter_certificate_remaining_seconds",
            .gauge,
            "Time until a certificate expires: the server's, or the authority's; negative afterwards."
        ),
        Entry(
            "lamplighter_certificate_lifetime_seconds",
            .gauge,
            "Total validity period of a certificate: the server's, or the authority's."
        ),
        Entry(
            "lamplighter_certificate_refused",
            .gauge,
            "1 while the certificate files can't be used and the previous certificates are kept; else 0."
        ),
        Entry("lamplighter_disk_free_bytes", .gauge, "Free space on the data directory's disk."),
        Entry(
            "lamplighter_disk_low",
            .gauge,
            "1 while there is less space than the reserve, and nothing more is accepted; else 0."
        ),
        Entry(
            "lamplighter_refusals_total",
            .counter,
            "Refusals that the gate and the listeners reported, except the doctor's probes, by reason; suppressed: refusals that they did not report."
        ),
        Entry(
            "lamplighter_http_connections",
            .gauge,
            "Connections that are open, by listener: pages, health."
        ),
        Entry(
            "lamplighter_http_closed_total",
            .counter,
            "HTTP connections that were closed early, by reason: address (it had too many), total, slow."
        ),
        Entry("lamplighter_ready", .gauge, "1 while every part accepts work, else 0."),
        Entry("process_resident_memory_bytes", .gauge, "Resident memory of this process."),
        Entry("process_start_time_seconds", .gauge, "Start of this process, as Unix time."),
        Entry("process_open_fds", .gauge, "File descriptors this process has open."),
    ]

    private static let byName = Dictionary(
        entries.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the entry of a name, or a new one for a library's metric.
    static func entry(_ name: String, _ kind: Kind, isTimer: Bool) -> Entry {
        if let known = byName[name] { return known }
        let buckets = kind == .histogram ? (isTimer ? secondsBuckets : amountBuckets) : []
        return Entry(name, kind, "Provided by a library; not described here.", buckets: buckets)
    }
}
