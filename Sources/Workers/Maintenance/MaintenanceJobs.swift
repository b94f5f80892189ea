package import Logging
import Storage

/// The jobs of maintenance, each in one line.
package enum MaintenanceJobs {
    /// Makes the jobs that read and delete rows.
    ///
    /// Also two processes may run them at once. They may read for a while, so they have a runner of their own.
    package static func rows(
        _ environment: Environment,
        logger _: Logger
    ) -> [any MaintenanceJob] {
        let others: [any MaintenanceJob] = [
            DeadLetterBound(environment),
            RequestBound(environment),
            ExcessRows.attempts(environment),
            RefusalBound(environment),
            ExcessRows.messageRecords(environment),
            InboxThinning(environment),
            AccountErasure(environment),
            ErasedContent(environment),
            UnboundDevices(environment),
            DeviceRetention(environment),
            HistoryDays(environment),
            StoreGauges(environment),
            StoreCounts(environment),
        ]
        return ExpiredRows.all(environment) + RowsEndedByWorkers.all(environment) + others
    }

    /// Makes the jobs that keep the room on the disk and the files of the database, where it has any; one process runs them.
    package static func files(
        _ environment: Environment,
        logger: Logger
    ) -> [any MaintenanceJob] {
        let ofAnyStore: [any MaintenanceJob] = [
            DiskWatch(environment, logger), HistoryCompaction(environment), LoadCounts(environment),
        ]
        guard environment.store.isFile else {
            return ofAnyStore + [
                HistoryPartitions(environment, logger), DatabaseSize(environment),
            ]
        }
        return ofAnyStore + [
            LogGrowth(environment), LogCopy(environment, logger), FileShrinking(environment),
        ]
    }
}
