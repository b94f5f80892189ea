package import Problems

extension ProblemCode {
    /// The page of `lamplighter explain`: a title and an explanation.
    package var page: (title: String, text: String) {
        switch self {
        case .dataDirectoryUnusable:
            (
                "the data directory cannot be used",
                """
                Everything Lamplighter keeps lies in one directory: the database, generated secrets, the
                broker's files. It must be a directory that the service's user can read and write, and
                no other user has to. Choose another with --data, or give this one to the user.
                """
            )
        case .dataDirectoryInUse:
            (
                "another service runs on the same data directory",
                """
                One directory belongs to one service at a time: two would both acknowledge messages and
                both publish. The holder has the file "lock" locked (flock); the lock goes with the
                process, so there is never a stale one to remove.
                """
            )
        case .portTaken:
            (
                "a port that is needed is taken",
                """
                "up" starts a broker of its own (--mqtt-port), serves the pages behind links (--http-port)
                and, apart from them, readiness and metrics (--health-port). Debian starts a mosquitto
                of its own when the package is installed; ours does not need it.
                Port 0 takes any free port; the banner and ready.json say which.
                """
            )
        case .mosquittoMissing:
            (
                "the program mosquitto was not found",
                """
                "up" runs Mosquitto as its broker. It looks in PATH and in /usr/sbin, where Debian puts
                it, or takes the path of the setting broker.program.
                """
            )
        case .brokerFailed:
            (
                "the broker did not start",
                """
                Mosquitto ended before it accepted connections. The last lines of its log are in the
                message; all of it is in broker/mosquitto.log of the data directory, and the
                configuration it was given in broker/mosquitto.conf.
                """
            )
        case .gateMissing:
            (
                "the gate, libLamplighterGate.so, was not found",
                """
                The gate is the plugin that decides who may connect, publish and subscribe; without it
                the broker is not started at all. It lies beside the executable (or in ../lib/lamplighter
                from there), or where the setting broker.gate says.
                Build it with: swift build --product LamplighterGate
                """
            )
        case .databaseTooNew:
            (
                "the database was written by a newer version",
                """
                Migrations only go forward. Run the newer version again, or restore a copy of the
                database from before it.
                """
            )
        case .databaseFailed:
            (
                "the database cannot be opened",
                """
                lamplighter.db is missing, damaged, not a database, or lies on a disk that does not let SQLite lock and
                sync it. Network file systems do not; a full disk does not either.
                """
            )
        case .databaseUnreachable, .databaseReadOnly, .databaseRefused, .databaseDurability,
            .databaseEncoding, .databaseLocale, .databaseTimeouts, .databaseClock, .storePassword,
            .backupOnServer, .doctorStandbys, .doctorDurability, .doctorTransactions, .doctorBloat,
            .doctorConnections:
            databasePage
        case .noSlotFree, .slotLost, .lanesDiffer, .databaseShared, .processUnknown,
            .storeNotShared:
            clusterPage
        case .storeHalfMoved, .moveTargetInUse, .moveOutbox, .moveSourceInUse, .moveText,
            .moveUnequal:
            movePage
        case .diskFull:
            (
                "the disk is full",
                """
                The service writes before it answers, from its start on, and the disk of the data directory
                has no room left. Nothing that was answered is lost: make room, or give the disk more, and
                start it again. While it runs it takes nothing more in before the disk is full
                (limits.diskFreePercent), and goes on by itself when there is room.
                """
            )
        case .certificateUnusable:
            (
                "a certificate or its key cannot be used",
                """
                Certificates and keys are PEM files; a key is that of RSA, P-256, P-384, P-521 or Ed25519, without a
                passphrase, and not readable by every user of the machine. The settings tls.certificate, tls.key and
                tls.authority name them; without those the service takes what "lamplighter tls init" made in
                the data directory's folder tls. A running service keeps the pair it has, and says so in its log; one that
                has ended is not taken in the place of one that holds. The message names the command that converts a
                file of another form, such as .p12 or .der.
                """
            )
        case .certificateKeyMismatch:
            (
                "a key belongs to another certificate",
                """
                A server proves with the key that its certificate is its own. The first certificate of the file must
                be the server's; those that lead to its authority follow. Often one of the two files was renewed
                and the other was not.
                """
            )
        case .certificateForeign:
            (
                "a certificate is of another authority",
                """
                Devices with certificates are admitted by one authority: tls.authority, else the one of
                "lamplighter tls init", whose key makes them. A certificate that another one signed would be
                refused by the broker, so it is not made.
                """
            )
        case .listenerOpen:
            (
                "a plain listener would be reached from other machines",
                """
                Without TLS, secrets, tokens and passwords go over the network in clear, so plain MQTT, WebSocket and
                HTTP listen on this machine alone. Let others come by TLS: "lamplighter tls init --name HOST"
                makes a certificate, and listeners of their own open. Where something else protects the way, such as
                a container's own network, --insecure (the setting insecure) lets them listen anywhere.
                """
            )
        case .gateNotLoaded:
            (
                "the broker runs without the gate",
                """
                The gate is the plugin that decides who may connect, publish and subscribe. "serve" asks for
                it when it connects: a batch of one message, which the gate publishes and a broker without it
                drops. Without the gate any client could be any device and read every user's messages, so
                the service takes nothing from such a broker and ends, at its start or when the broker comes
                back changed. Load libLamplighterGate.so in mosquitto.conf, as deploy/mosquitto/lamplighter.conf
                does, and restart the broker; its log says why a plugin was not loaded.
                """
            )
        case .consoleOpen:
            (
                "the console would be open to the network",
                """
                Operators' passwords and sessions must not go over a network in clear, whatever else protects it. The console
                listens on loopback unless console.host names another address; there it speaks TLS with the server's
                certificate ("lamplighter tls init", or tls.certificate), or stands behind a proxy that does: say so with
                console.proxy, and give console.url the address that operators type. From afar, "ssh -L 8082:127.0.0.1:8082
                HOST" needs neither. "--no-console" serves none.
                """
            )
        default: laterPage
        }
    }

    private var laterPage: (title: String, text: String) {
        switch self {
        case .settingUnknown:
            (
                "a setting has a name that does not exist",
                """
                A misspelt setting would silently keep its default, so it is an error instead.
                "lamplighter config" lists every setting with its value, default, unit and origin.
                """
            )
        case .settingInvalid:
            (
                "a setting's value is out of range or of the wrong kind",
                "\"lamplighter config\" lists every setting with its kind and unit."
            )
        case .configurationUnreadable:
            (
                "the configuration file cannot be read",
                """
                --config (or LAMPLIGHTER_CONFIG) names a YAML or JSON file, told apart by its ending.
                Settings come from the file, then LAMPLIGHTER_… in the environment, then flags; the
                later wins.
                """
            )
        case .secretUnreadable:
            (
                "a file with a secret cannot be read",
                "Secrets are files of mode 0600 that hold one line. They are never flags, logs or arguments."
            )
        case .serverKeyForeign:
            (
                "server.key is not the key of the database",
                """
                The file server.key hashes and seals what the database keeps secret, and the database holds a fingerprint of
                it. With another key each secret, code and token would count as wrong, so nothing starts and nothing
                is changed. Often the database and the key come from two installations, or one of them was copied
                without the other. A backup holds both: "lamplighter restore FILE --data DIR" puts them side by side.
                """
            )
        case .usage:
            (
                "the command line is invalid",
                """
                A word is missing, unknown, or not of the kind that the command takes. Every command
                says with --help what it takes. The exit code is 2, of every other failure 1.
                """
            )
        case .documentUnreadable:
            (
                "a document cannot be read or written",
                "The file is missing, its rights forbid it, or it is not JSON."
            )
        case .documentInvalid:
            (
                "a document does not fit its schema",
                """
                In schemas/generated, product.schema.json and app.schema.json say what a document may hold.
                A member that they don't name is refused. All faults are told at once.
                """
            )
        case .notFound:
            ("nothing has that name", "The list command of the same noun shows what there is.")
        case .conflict:
            (
                "the change would break what is stored",
                "A data point that stored state uses cannot be removed or narrowed, unless --force is given."
            )
        case .dataMissing:
            (
                "there is no data directory to work on",
                "\"lamplighter up\" makes one; --data says where it is."
            )
        case .notRunning:
            (
                "no service runs on this data directory",
                "The command talks to the running service through its broker; start it first."
            )
        case .backupUnusable:
            (
                "a backup cannot be made or used",
                """
                A backup is one file with the database, the keys and the secrets of a data directory. It is
                written under a name of its own, read back, and only then gets the name that was asked for,
                so a file of that name is whole. Each part of it is authenticated: one that was changed or
                cut off is refused as a whole. "lamplighter backup verify FILE" tells which ones are good.
                """
            )
        case .doctorStore:
            ("the store", "Whether the database opens, with the settings it needs, and is whole.")
        case .doctorHistory:
            (
                "the history's records",
                """
                Whether the history has as many records of a day as it took: of up to 200 bound devices, other ones each
                time, the newest day with records and the day before (UTC). More are stored than were taken where two
                processes of earlier versions moved the same records, as at a rolling restart; charts and sums count those
                twice until they are no longer kept. Bring all processes to one version; "lamplighter history export" shows the records.
                Fewer are stored where rows were deleted by hand, or the database lost what it had confirmed: see
                LL1314, and restore a backup beside this installation to compare.
                """
            )
        case .doctorBroker: ("the broker", "Whether the broker runs, answers, and drops nothing.")
        case .doctorGate:
            ("the gate", "Whether the gate is present, and refuses unknown clients.")
        case .doctorDisk:
            ("the disk", "Whether there is room, and whether the directory is ours alone.")
        case .doctorClock:
            (
                "the clock",
                """
                Whether the clock is set, and was not set by 2 s or more while the service runs: reports, codes and sessions
                live by it. Times that were stored meanwhile are wrong by as much.
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
                clients, "lamplighter explain REASON" what to do. Many mean a device or an app with a
                mistake, or an attack.
                """
            )
        case .doctorAddresses:
            (
                "the addresses that limits count by",
                """
                Limits count by the address that a connection comes from, of IPv6 by its /64. 127.0.0.1 and
                ::1 are exempt. Behind a proxy that does not pass on client addresses, all its
                clients count as one; on this machine, not at all.
                """
            )
        case .doctorCertificates:
            (
                "the certificates",
                """
                Whether the server's certificate and the authority can be read, fit their key and each other, and hold for
                longer than 30 days, or a third of their time where that is less; within 7 days or a tenth, and when
                one has ended, it is a failure. Each listener of the running service is connected to, and must show the
                file's certificate. One of one's own is renewed by "lamplighter tls init", one of a public authority
                by what gets it there; the running service takes the new one within seconds. The authority
                is renewed by "lamplighter tls init --renew-authority": both are in authority.pem from then on, the server's
                certificate leads to both, and until the old one ends the new file is given to all that trust it.
                """
            )
        case .doctorBackup:
            (
                "the backups",
                """
                The age of the newest backup that was read back after it was written. Beyond 26 hours
                it is a warning. "lamplighter backup FILE" makes one beside the running service; the
                settings backup.directory, backup.every and backup.keep have the service make them.
                """
            )
        default:
            (
                "an unexpected error",
                "The message says what. Please report it with the output of \"lamplighter doctor --json\"."
            )
        }
    }
}
