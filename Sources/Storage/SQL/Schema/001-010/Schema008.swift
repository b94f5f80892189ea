/// Schedules, their runs, and the time zone data that they were planned with.
///
/// A schedule goes with its creator's binding to the device, its runs go with it. What is due is found
/// by one index, in which nothing stands that isn't planned.
enum Schema008 {
    static let sql = """
        CREATE TABLE schedule (
            scheduleId TEXT NOT NULL PRIMARY KEY,
            did TEXT NOT NULL,
            uid TEXT NOT NULL,
            appId TEXT NOT NULL,
            date TEXT,
            weekDays {int} NOT NULL,
            monthDays {int} NOT NULL,
            time TEXT NOT NULL,
            sun {int} NOT NULL CHECK (sun IN (0, 1)),
            timezone TEXT NOT NULL,
            attrs TEXT NOT NULL,
            secretAttrs {bytes},
            remark TEXT NOT NULL,
            enabled {int} NOT NULL CHECK (enabled IN (0, 1)),
            misfire TEXT NOT NULL,
            createdAt {int} NOT NULL,
            activeSince {int} NOT NULL,
            updatedAt {int} NOT NULL,
            nextAt {int},
            FOREIGN KEY (did, uid) REFERENCES binding (did, uid) ON DELETE CASCADE
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX scheduleDue ON schedule (nextAt, scheduleId) WHERE nextAt IS NOT NULL;
        CREATE INDEX scheduleDevice ON schedule (did, scheduleId);
        CREATE INDEX scheduleCreator ON schedule (uid, scheduleId) WHERE sun = 1;
        CREATE INDEX scheduleZone ON schedule (timezone, scheduleId);

        CREATE TABLE scheduleRun (
            scheduleId TEXT NOT NULL
                REFERENCES schedule (scheduleId) ON DELETE CASCADE,
            dueAt {int} NOT NULL,
            firedAt {int} NOT NULL,
            state TEXT NOT NULL,
            cid {int},
            error TEXT,
            code {int},
            PRIMARY KEY (scheduleId, dueAt)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX scheduleRunOpen ON scheduleRun (scheduleId, cid) WHERE state = 'sent';
        CREATE INDEX scheduleRunAge ON scheduleRun (dueAt);

        CREATE TABLE zone (
            name TEXT NOT NULL PRIMARY KEY,
            rules {bytes} NOT NULL
        ) {strict};

        CREATE TABLE replan (
            subject TEXT NOT NULL PRIMARY KEY,
            reached TEXT NOT NULL
        ) {strict};

        """
}
