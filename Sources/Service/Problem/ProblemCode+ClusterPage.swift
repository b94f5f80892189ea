import Problems

extension ProblemCode {
    /// The page about a problem of several processes on one database.
    var clusterPage: (title: String, text: String) {
        switch self {
        case .noSlotFree:
            (
                "no slot is free for another process",
                """
                At most 63 processes share one database. A process that ended well has given its slot back; that of
                one that was killed is free again after a minute. "lamplighter cluster status" shows all.
                """
            )
        case .slotLost:
            (
                "another process has taken this one's slot",
                """
                A process says every 1.5 seconds that it is alive. After six seconds of silence others take its lanes,
                and after a minute its slot may be taken, too, once all others are in use. It must not go on then, or two
                processes would number what they write alike. Start it again; if that recurs, look for what froze it.
                """
            )
        case .lanesDiffer:
            (
                "processes divide the work differently",
                """
                Into how many lanes a worker's messages are divided is fixed when a database is first shared. A
                version with another number can't run beside it. Start the version of the other processes.
                """
            )
        case .databaseShared:
            (
                "other processes work on the database",
                """
                "lamplighter up" has a broker of its own and does all the work itself: beside other processes of the service
                each message would be handled by some of them and not by others. So it does not start where another one
                works on the database, nor does another one where it does. Stop it first, or start all processes with
                "lamplighter serve" and one broker. One that was killed, or whose machine is gone, counts for some
                seconds more. The name in the message is what the database calls the other one: "lamplighter up p-..." has a
                broker of its own, "lamplighter p-..." shares the work.
                """
            )
        case .processUnknown:
            (
                "no process of that name shares the database",
                """
                "lamplighter cluster status" lists the processes by the names that "cluster drain" takes. One that has ended
                is no longer there.
                """
            )
        default:
            (
                "the store is not shared",
                """
                The file of a data directory belongs to one process. Several processes share the work on a database
                of PostgreSQL's, which the setting store names: see the guide "Growing past one machine".
                """
            )
        }
    }
}
