import Problems

extension ProblemCode {
    /// The page about a problem of several processes on one database.
    var clusterPage: (title: String, text: String) {
        switch self {
        case .noSlotFree:
            (
                "no slot is free for another process",
                """
                At most 63 processes share one database. A process that ended normally has given its slot back; the slot
                of a killed process is free again after a minute. "lamplighter cluster status" shows all processes.
                """
            )
        case .slotLost:
            (
                "another process has taken this one's slot",
                """
                A process reports every 1.5 seconds that it is alive. After six seconds of silence others take its lanes,
                and after a minute its slot can be taken, too, once all others are in use. It must not continue then, or two
                processes would give the same numbers. Start it again; if this recurs, find out what froze it.
                """
            )
        case .lanesDiffer:
            (
                "processes divide the work differently",
                """
                The number of lanes of each worker is fixed when a database is first shared. A version with another
                number can't work on it. Start the version that the other processes run.
                """
            )
        case .databaseShared:
            (
                "other processes work on the database",
                """
                "lamplighter up" has its own broker and does all the work itself: next to other processes of the service,
                each message would be handled by some of them and not by others. So it does not start while another process
                works on the database, and no other process starts while it does. Stop it first, or start all processes with
                "lamplighter serve" and one broker. A process that was killed, or whose machine is gone, counts for a few
                seconds more. The message has the other process's name in the database: "lamplighter up p-..." has its own
                broker, "lamplighter p-..." shares the work.
                """
            )
        case .processUnknown:
            (
                "no process with that name shares the database",
                """
                "lamplighter cluster status" lists the processes by the names that "cluster drain" takes. A process that has
                ended is no longer listed.
                """
            )
        default:
            (
                "the store is not shared",
                """
                The file of a data directory belongs to one process. Several processes share the work on a PostgreSQL
                database, which the setting store names: see the guide "Growing past one machine".
                """
            )
        }
    }
}
