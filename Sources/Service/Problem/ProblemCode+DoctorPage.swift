import Problems

extension ProblemCode {
    /// The pages of `lamplighter explain` about what `doctor` checks.
    var doctorPage: (title: String, text: String) {
        switch self {
        case .doctorStore:
            ("the store", "Whether the database opens, has the settings it needs, and is intact.")
        case .doctorHistory:
            (
                "the history's records",
                """
                Whether the history has as many records of a day as were accepted: for up to 200 bound devices, different
                ones each time, the newest day with records and the day before (UTC). Too many are stored if two
                processes of earlier versions moved the same records, as during a rolling restart; charts and sums count those
                twice until they expire. Bring all processes to one version; "lamplighter history export" shows the records.
                Too few are stored if rows were deleted by hand, or the database lost what it had confirmed: see
                LL1314, and restore a backup next to this installation to compare.
                """
            )
        case .doctorBroker: ("the broker", "Whether the broker runs, answers, and drops nothing.")
        case .doctorGate:
            ("the gate", "Whether the gate is present, and refuses unknown clients.")
        case .doctorDisk:
            (
                "the disk",
                "Whether there is space, and whether only the service can read the directory."
            )
        case .doctorClock:
            (
                "the clock",
                """
                Whether the clock is right, and was not changed by 2 s or more while the service runs: reports, codes and
                sessions depend on it. Times stored while it was wrong are off by that amount.
                """
            )
        case .doctorLimits:
            (
                "the limits",
                "Whether the system lets the service open as many files as it has devices."
            )
        case .doctorSecrets:
            ("the secrets", "Whether only the service's user can read the files with secrets.")
        case .doctorService:
            ("the service", "Whether a service runs on the directory, and accepts work.")
        case .doctorRefusals:
            (
                "the gate's refusals",
                """
                The gate's refusals within the last hour, by reason; "lamplighter refusals" shows the
                clients, "lamplighter explain REASON" what to do. Many refusals mean a faulty device or
                app, or an attack.
                """
            )
        case .doctorAddresses:
            (
                "the addresses that limits count by",
                """
                Limits count by the address that a connection comes from, for IPv6 by its /64. 127.0.0.1 and
                ::1 are exempt. Behind a proxy that does not pass on client addresses, all
                clients count as one; if the proxy is on this machine, they are not counted at all.
                """
            )
        case .doctorCertificates:
            (
                "the certificates",
                """
                Whether the server's certificate and the authority can be read, fit their keys and each other, and are valid
                for more than 30 days, or a third of their lifetime if that is less; less than 7 days or a tenth, or an
                expired one, is a failure. The doctor connects to each listener of the running service, which must show the
                file's certificate. Renew your own certificate with "lamplighter tls init", one from a public authority
                with the tool that obtains it; the running service uses the new one within seconds. Renew the authority
                with "lamplighter tls init --renew-authority": from then on both are in authority.pem, the server's
                certificate chains to both; give the new file to all that trust the old one before it expires.
                """
            )
        default:
            (
                "the backups",
                """
                The age of the newest backup that was read back after it was written. More than 26 hours
                is a warning. "lamplighter backup FILE" makes one while the service runs; with the
                settings backup.directory, backup.every and backup.keep the service makes them.
                """
            )
        }
    }
}
