package import Logging
import Storage

/// The lists of the maintenance jobs.
package enum MaintenanceJobs {
    /// Makes the jobs that read and delete rows.
    ///
    /// It does no harm if two processes run these jobs at the same time. The jobs have a separate runner, since their
    /// reads can take a while.
    package static func rows(_ environment: Environment, logger _: Logger) -> [any MaintenanceJob] {
        let others: [any MaintenanceJob] = [
            DeadLetterBound(environment),
            RequestBound(environment),
            ExcessRows.attempts(environment),
            RefusalBound(environment),
            ExcessRows.messageRecords(environment),
            InboxThinning(environment),
            EventRetention(environment),
            AccountErasure(environment),
            ErasedContent(environment),
            UnboundDevices(environment),
            DeviceRetention(environment),
            HistoryDays(environment),
            StoreGauges(environment),
            StoreCounts(environment),
        ]
        return ExpiredRows.all(environment) + others
    }

    /// Makes the jobs that watch the disk and maintain the files or partitions of the database.
    ///
    /// Each process with workers runs these jobs. If the database is a file, there is only one such process.
    package static func files(_ environment: Environment, logger: Logger) -> [any MaintenanceJob] {
        let ofAnyStore: [any MaintenanceJob] = [
            DiskWatch(environment, logger), HistoryCompaction(environment), LoadCounts(environment),
        ]
        guard environment.store.isFile else {
            return ofAnyStore + [HistoryPartitions(environment, logger), DatabaseSize(environment)]
        }
        return ofAnyStore + [LogGrowth(environment), LogCopy(environment, logger), FileShrinking(environment)]
    }
}
