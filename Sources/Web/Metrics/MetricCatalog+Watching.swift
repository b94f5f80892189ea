extension MetricCatalog {
    /// The buckets for the times of commands: from a device that answers immediately to one that
    /// returns next week.
    private static let commandBuckets: [Double] = [
        0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600, 86_400,
    ]

    /// The metrics for operators: requests, commands, devices, and ages.
    static let watching: [Entry] = [
        Entry("lamplighter_build_info", .gauge, "Always 1; the label is the running version."),
        Entry(
            "lamplighter_requests_total",
            .counter,
            """
            Answers to requests of apps by service, method and code: ok, an error code, or repeated for one given \
            again. Methods that don't exist are other.
            """,
            seriesMax: 2000
        ),
        Entry(
            "lamplighter_request_seconds",
            .histogram,
            "Time from a request's arrival at its worker to the commit of its answer.",
            buckets: secondsBuckets
        ),
        Entry(
            "lamplighter_command_seconds",
            .histogram,
            """
            Time from sending a command to its outcome: done, failed, expired, superseded, or refused before it \
            was sent; one never sent counts from its acceptance.
            """,
            buckets: commandBuckets
        ),
        Entry(
            "lamplighter_reports_total",
            .counter,
            "Reports of devices by outcome: accepted, repeated, refused."
        ),
        Entry(
            "lamplighter_devices",
            .gauge,
            "Devices by product and state, online or offline; products with the most devices, the rest as other."
        ),
        Entry("lamplighter_sessions", .gauge, "Logins on terminals that have not ended."),
        Entry(
            "lamplighter_outbox_age_seconds",
            .gauge,
            "Age of a worker's oldest committed message that the broker has not confirmed."
        ),
        Entry(
            "lamplighter_gate_lag_seconds",
            .gauge,
            "Age of the oldest committed change of rights missing from the gate's file; 0 if none is."
        ),
        Entry(
            "lamplighter_store_reruns_total",
            .counter,
            "Transactions that were retried because another interfered; always 0 with a file."
        ),
        Entry(
            "lamplighter_database_connections",
            .gauge,
            "Connections of this process to the database, idle ones included; 0 if the store is a file."
        ),
        Entry(
            "lamplighter_revocation_seconds",
            .histogram,
            "Time from the end of a session to the command that makes the broker cut it off.",
            buckets: secondsBuckets
        ),
        Entry(
            "lamplighter_clock_step_seconds",
            .gauge,
            "Seconds by which the machine's clock was changed since the service started; negative: set back."
        ),
        Entry(
            "lamplighter_backup_age_seconds",
            .gauge,
            "Age of the newest backup that was read back; absent before the first backup."
        ),
        Entry("lamplighter_backup_failures_total", .counter, "Backups that failed."),
        Entry(
            "process_cpu_seconds_total",
            .counter,
            "Processor time used by this process."
        ),
    ]
}
