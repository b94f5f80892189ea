package import Problems

extension Problem {
    /// Makes the problem of a process that finds no free slot in its database.
    static func noSlotFree() -> Problem {
        Problem(
            .noSlotFree,
            "63 processes already share the database",
            why: "each process numbers its writes by its own slot, and no slot is left",
            cures: [
                .init("lamplighter cluster status", "lists the processes"),
                .init("systemctl stop lamplighter-serve", "on a machine that is not needed"),
            ]
        )
    }

    /// Makes the problem of a process whose slot another process has taken.
    static func slotLost() -> Problem {
        Problem(
            .slotLost,
            "another process has this one's slot",
            why: "this one was silent for more than a minute, and all other slots were in use",
            cures: [.init("lamplighter serve", "start it again: it takes a new slot")]
        )
    }

    /// Makes the problem of a database whose work is divided differently than by this version.
    static func otherLanes(_ worker: String, found: Int, wanted: Int) -> Problem {
        Problem(
            .lanesDiffer,
            "the work of the \(worker) worker is divided into \(found) lanes, not \(wanted)",
            why: "all processes of a database must divide it alike, or two would do the same work",
            cures: [.init("lamplighter version", "start the version that the other processes run")]
        )
    }

    /// Makes the problem of `up` on a database that other processes share.
    static func databaseShared(with name: String) -> Problem {
        databaseInUse("the process \(name) is working on the database")
    }

    /// Makes the problem of `up` and another process on one database, in either order.
    static func databaseInUse(_ reason: String) -> Problem {
        Problem(
            .databaseShared,
            reason,
            why: "`up` does all the work itself, with its own broker",
            cures: [
                .init("lamplighter serve", "to share the work, using the others' broker"),
                .init("lamplighter cluster status", "lists the processes"),
            ]
        )
    }

    /// Makes the problem of a command that names a process that doesn't exist.
    package static func unknownProcess(_ name: String) -> Problem {
        Problem(
            .processUnknown,
            "no process called \(name) shares the database",
            why:
                "a process's name is the setting processName, or the machine's name and the process number",
            cures: [.init("lamplighter cluster status", "lists all names")]
        )
    }

    /// Makes the problem of a command about several processes on a store that isn't shared.
    package static func storeNotShared() -> Problem {
        Problem(
            .storeNotShared,
            "only one process uses this store",
            why: "several processes share the work only on a PostgreSQL database",
            cures: [
                .init("--store postgres://USER@HOST/DATABASE", "the database that they share")
            ]
        )
    }
}
