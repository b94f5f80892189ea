import Files
import PostgreSQL
import Problems
import Storage

/// The problem shown to an operator when a store can't be opened.
struct StoreProblem {
    private let directory: DataDirectory
    private let place: StorePlace

    init(_ directory: DataDirectory, _ place: StorePlace) {
        self.directory = directory
        self.place = place
    }

    /// The file of the key that secrets are sealed with.
    var serverKey: String { place.serverKeyFile ?? directory.serverKey }

    /// Refuses a file that has the database's name but isn't a database, before its key is missed.
    func checkIsDatabase() throws {
        let path = directory.database
        guard let start = TextFile.readBytes(path, upTo: 16), !start.isEmpty,
            start != Array("SQLite format 3\0".utf8)
        else { return }
        throw Problem(
            .databaseFailed,
            "\(path) is not a database",
            at: path,
            why: "the file does not start like an SQLite database",
            cures: [
                .init("cp BACKUP/lamplighter.db '\(path)'", "from a backup, with its server.key"),
                .init("mv '\(path)' '\(path).odd'", "set it aside and start with an empty one"),
            ]
        )
    }

    /// The cures that bring back a database's key.
    var keyCures: [Problem.Cure] {
        let copy = Problem.Cure("cp DIR/server.key '\(serverKey)'", "then start again")
        guard place.database == nil else {
            return [
                .init("cp DIR/server.key '\(serverKey)'", "from another process's data directory"),
                .init("--set serverKeyFile=FILE", "where the key of all processes is"),
            ]
        }
        return [
            .init(
                "lamplighter restore FILE --data DIR",
                "a backup of this database holds its server.key: continue with DIR, or take the key from it"
            ), copy,
        ]
    }

    /// The problem of a gate's file on another machine without a database that feeds it.
    static var gateWithoutDatabase: Problem {
        Problem(
            .settingInvalid,
            "gateFile is \"none\", but the store is a file",
            at: "gateFile",
            why: "the feed on another machine can read the gate's credentials only from a database",
            cures: [
                .init(
                    "--store postgres://USER@HOST/DATABASE",
                    "with `lamplighter feed` on the broker's machine"
                ),
                .init("--set gateFile=", "the file of the data directory, on the broker's machine"),
            ]
        )
    }

    static func unusable(_ path: String, _ error: any Error) -> Problem {
        guard !StoreError.isFull(error) else { return .diskFull(path, StoreError.summary(error)) }
        return Problem(
            .databaseFailed,
            "\(path) cannot be used: \(StoreError.summary(error))",
            at: path,
            why: "everything that the service keeps is in it",
            cures: [.init("lamplighter doctor", "look closer")]
        )
    }

    func problem(_ failure: Store.Failure) -> Problem {
        switch failure {
        case .diskFull(let path): .diskFull(path, failure.description)
        case .newerVersion(let path):
            Problem(
                .databaseTooNew,
                failure.description,
                at: path,
                why: "this version does not know what the newer one changed",
                cures: [.init("lamplighter version", "compare, and start the newer version")]
            )
        case .olderVersion(let path):
            Problem(
                .databaseFailed,
                failure.description,
                at: path,
                why: "this command does not change the tables",
                cures: [
                    .init("lamplighter migrate --data '\(directory.path)'", "bring it up to date")
                ]
            )
        case .foreignKey(let path):
            Problem(
                .serverKeyForeign,
                "\(serverKey) is not the key of \(path)",
                at: serverKey,
                why:
                    "the database's secrets were sealed with another key; nothing was changed",
                cures: keyCures
            )
        case .halfMoved(let path):
            Problem(
                .storeHalfMoved,
                failure.description,
                at: path,
                why: "`migrate --to` did not finish",
                cures: [.init("lamplighter migrate --to …", "the same command continues the move")]
            )
        case .unreachable, .readOnly, .refused, .wrongClock: server(failure)
        case .inUse(_, let reason): .databaseInUse(reason)
        case .wrongSetting(let name, _, _): wrongSetting(name, failure)
        case .cannotOpen: failed(failure)
        }
    }

    private func failed(_ failure: Store.Failure) -> Problem {
        Problem(
            .databaseFailed,
            failure.description,
            at: place.database?.place ?? directory.database,
            why: "everything that the service keeps is in it",
            cures: [.init("lamplighter doctor --data '\(directory.path)'", "look closer")]
        )
    }

    // MARK: PostgreSQL

    private static let makeDatabase = Problem.Cure(
        "CREATE DATABASE lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'",
        "create another database, with psql"
    )

    private func server(_ failure: Store.Failure) -> Problem {
        let text = failure.description
        return switch failure {
        case .readOnly:
            problem(
                .databaseReadOnly,
                text,
                why: "the service must write before it answers",
                cures: [.init("--store postgres://USER@HOST1,HOST2/DATABASE", "name every host")]
            )
        case .refused:
            problem(
                .databaseRefused,
                text,
                why: "the server answered, but did not admit the service",
                cures: [
                    .init("--set postgres.passwordFile=FILE", "a file of mode 0600, or ~/.pgpass"),
                    .init(
                        "psql --file deploy/postgres/roles.sql",
                        "create the role and the database"
                    ),
                ]
            )
        case .wrongClock:
            problem(
                .databaseClock,
                text,
                why: "deadlines would end too early or too late; at most a second is allowed",
                cures: [.init("sudo timedatectl set-ntp true", "on both machines")]
            )
        default:
            problem(
                .databaseUnreachable,
                text,
                why: "everything that the service keeps is in it",
                cures: [
                    .init("psql 'postgres://…' --command 'SELECT 1'", "try the same address"),
                    .init("lamplighter doctor --data '\(directory.path)'", "look closer"),
                ]
            )
        }
    }

    private func wrongSetting(_ name: String, _ failure: Store.Failure) -> Problem {
        let text = failure.description
        let direct = Problem.Cure(
            "--store postgres://…",
            "the server itself, not a connection pooler"
        )
        return switch name {
        case "server_encoding":
            problem(.databaseEncoding, text, why: "texts are UTF-8", cures: [Self.makeDatabase])
        case "lc_collate", "locale provider":
            problem(
                .databaseLocale,
                text,
                why: "ids are ordered by their bytes",
                cures: [Self.makeDatabase]
            )
        case "synchronous_commit":
            problem(
                .databaseDurability,
                text,
                why: "confirmed data must be on disk",
                cures: [direct]
            )
        case _ where name.hasSuffix("_timeout"):
            problem(
                .databaseTimeouts,
                text,
                why: "a frozen process would hold its locks",
                cures: [direct]
            )
        default: failed(failure)
        }
    }

    private func problem(
        _ code: ProblemCode,
        _ message: String,
        why: String,
        cures: [Problem.Cure]
    ) -> Problem {
        Problem(code, message, at: place.database?.place, why: why, cures: cures)
    }
}
