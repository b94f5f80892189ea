package import Problems

extension ProblemCode {
    /// The page of `lamplighter explain`: a title and an explanation.
    package var page: (title: String, text: String) {
        switch self {
        case .dataDirectoryUnusable:
            (
                "the data directory cannot be used",
                """
                Everything Lamplighter stores is in one directory: the database, generated secrets, the
                broker's files. The service's user must be able to read and write it; no other user
                needs to. Choose another with --data, or make this user its owner.
                """
            )
        case .dataDirectoryInUse:
            (
                "another service runs on the same data directory",
                """
                One directory belongs to one service at a time: two would both acknowledge messages and
                both publish. The running service holds a lock (flock) on the file "lock"; the lock ends with the
                process, so there is never a stale one to remove.
                """
            )
        case .portTaken:
            (
                "a required port is in use",
                """
                "up" starts its own broker (--mqtt-port), serves the pages behind links (--http-port)
                and, separately, readiness and metrics (--health-port). Debian starts its own mosquitto
                when the package is installed; Lamplighter does not need that one.
                Port 0 takes any free port; the banner and ready.json show which.
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
                message; the whole log is in broker/mosquitto.log of the data directory, its
                configuration in broker/mosquitto.conf.
                """
            )
        case .gateMissing:
            (
                "the gate, libLamplighterGate.so, was not found",
                """
                The gate is the plugin that decides who may connect, publish and subscribe; without it
                the broker is not started at all. It is next to the executable (or in ../lib/lamplighter
                from there), or where the setting broker.gate points.
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
                lamplighter.db is missing, damaged, not a database, or on a disk that does not let SQLite lock and
                sync it. Network file systems do not, nor does a full disk.
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
                has no space left. Nothing that was answered is lost: free some space, or enlarge the disk, and
                start the service again. A running service stops accepting messages before the disk is full
                (limits.diskFreePercent), and continues automatically when there is space.
                """
            )
        case .certificateUnusable:
            (
                "a certificate or its key cannot be used",
                """
                Certificates and keys are PEM files; a key is an RSA, P-256, P-384, P-521 or Ed25519 key without a
                passphrase, and not readable by every user of the machine. The settings tls.certificate, tls.key and
                tls.authority name them; by default the service uses what "lamplighter tls init" made in
                the data directory's folder tls. A running service keeps its current pair, and says so in its log; it never
                replaces a valid certificate by an expired one. The message names the command that converts a
                file of another format, such as .p12 or .der.
                """
            )
        case .certificateKeyMismatch:
            (
                "a key belongs to another certificate",
                """
                A server proves with the key that the certificate is its own. The first certificate of the file must
                be the server's; the chain to its authority follows. Often one of the two files was renewed
                and the other was not.
                """
            )
        case .certificateForeign:
            (
                "a certificate comes from another authority",
                """
                The broker accepts devices' certificates of one authority: tls.authority, or by default the one from
                "lamplighter tls init", whose key signs them. It would refuse a certificate signed by another
                authority, so none is made.
                """
            )
        case .listenerOpen:
            (
                "a plain listener could be reached from other machines",
                """
                Without TLS, secrets, tokens and passwords cross the network in the clear, so plain MQTT, WebSocket and
                HTTP listen on this machine only. Let others connect with TLS: "lamplighter tls init --name HOST"
                makes a certificate, and separate listeners open. If something else protects the network, such as
                a container's own network, --insecure (the setting insecure) lets plain listeners listen anywhere.
                """
            )
        case .gateNotLoaded:
            (
                "the broker runs without the gate",
                """
                The gate is the plugin that decides who may connect, publish and subscribe. "serve" checks for
                it when it connects, with a batch of one message, which the gate publishes and a broker without it
                drops. Without the gate, any client could pose as any device and read every user's messages, so
                the service accepts nothing from such a broker and ends, at its start or when the broker comes
                back without the gate. Load libLamplighterGate.so in mosquitto.conf, as deploy/mosquitto/lamplighter.conf
                does, and restart the broker; its log says why a plugin was not loaded.
                """
            )
        case .consoleOpen:
            (
                "the console would be open to the network",
                """
                Operators' passwords and sessions must not cross a network in the clear, whatever else protects it. The console
                listens on loopback unless console.host names another address; there it uses TLS with the server's
                certificate ("lamplighter tls init", or tls.certificate), or stands behind a proxy that does: set
                console.proxy then, and set console.url to the address that operators type. "ssh -L 8082:127.0.0.1:8082
                HOST" gives remote access without either. "--no-console" switches the console off.
                """
            )
        case .doctorStore, .doctorHistory, .doctorBroker, .doctorGate, .doctorDisk, .doctorClock,
            .doctorLimits, .doctorSecrets, .doctorService, .doctorRefusals, .doctorAddresses,
            .doctorCertificates, .doctorBackup:
            doctorPage
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
                --config (or LAMPLIGHTER_CONFIG) names a YAML or JSON file, recognised by its extension.
                Settings come from the file, then LAMPLIGHTER_… in the environment, then flags; later
                ones win.
                """
            )
        case .secretUnreadable:
            (
                "a file with a secret cannot be read",
                "A secret is a file of mode 0600 with one line. Secrets never appear in flags, arguments or logs."
            )
        case .serverKeyForeign:
            (
                "server.key is not the key of the database",
                """
                The key in server.key hashes and seals the secrets in the database, and the database holds a fingerprint of
                it. With another key, every secret, code and token would count as wrong, so nothing starts and nothing
                is changed. Often the database and the key come from two installations, or one of them was copied
                without the other. A backup holds both: "lamplighter restore FILE --data DIR" restores them together.
                """
            )
        case .usage:
            (
                "the command line is invalid",
                """
                A word is missing, unknown, or of the wrong kind. Every command explains its arguments with
                --help. The exit code is 2; every other failure exits with 1.
                """
            )
        case .documentUnreadable:
            (
                "a document cannot be read or written",
                "The file is missing, its permissions forbid it, or it is not JSON."
            )
        case .documentInvalid:
            (
                "a document does not fit its schema",
                """
                In schemas/generated, product.schema.json and app.schema.json define what a document may contain.
                Unknown members are refused. All faults are reported at once.
                """
            )
        case .notFound:
            ("nothing has that name", "The list command of the same noun shows what there is.")
        case .conflict:
            (
                "the change would break what is stored",
                "A data point that stored state uses cannot be removed or narrowed without --force."
            )
        case .dataMissing:
            (
                "there is no data directory",
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
                written under a temporary name, read back, and only then gets the requested name,
                so a file with that name is complete. Each part is authenticated: a file that was changed or
                cut off is refused as a whole. "lamplighter backup verify FILE" checks a file.
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
