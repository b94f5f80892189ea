package import Files
import PostgreSQL
import Problems
package import ServiceSettings
package import Storage
import Workers

/// A move of a stopped installation's store into a PostgreSQL database, or back into a file.
package struct StoreMover {
    private enum Target {
        case database(PostgresAddress)
        case file(String)
    }

    private let directory: DataDirectory
    private let settings: Settings
    private let target: Target
    /// The new place of the store, as the operator sees it.
    package let place: String

    /// Creates a move to a target, which is `postgres://USER@HOST/DATABASE` or `sqlite:DIRECTORY`.
    ///
    /// `directory` is the installation's data directory, which the caller has locked.
    /// - Throws: A `Problem` if the target has neither of these forms.
    package init(_ directory: DataDirectory, _ settings: Settings, to text: String) throws {
        self.directory = directory
        self.settings = settings
        if text.hasPrefix("sqlite:") {
            let path = String(text.dropFirst("sqlite:".count))
            target = .file(path)
            place = path
        } else {
            let address = try settings.database(named: text, by: "--to")
            target = .database(address)
            place = address.place
        }
    }

    /// Copies the store and compares the copy with it; returns the tables with the numbers of their rows and their
    /// checksums.
    ///
    /// `progress` is called with the current step and the completed part of the work, from 0 to 1. If `progress` throws
    /// an error, the move ends; the next move continues it.
    /// - Throws: A `Problem`, or an error of `progress`.
    package func run(progress: (String, Double) throws -> Void) throws -> [StoreMove.Table] {
        let source = try StoreAccess.tool(directory, StorePlace(settings))
        let (store, lock) = try open()
        defer { withExtendedLifetime(lock) {} }
        do { return try StoreMove(from: source, to: store).run(at: SystemClock().now, progress: progress) } catch let
            failure as StoreMove.Failure
        { throw MoveProblem(place).problem(failure) } catch let failure as Store.Failure {
            throw StoreProblem(directory, StorePlace(settings)).problem(failure)
        }
    }

    /// Opens the target; locks the target's directory if it is a different one.
    private func open() throws -> (Store, DirectoryLock?) {
        switch target {
        case .database(let address):
            let place = StorePlace(settings).naming(address)
            return (try StoreAccess.beingFilled(directory, place), nil)
        case .file(let path):
            let new = try DataDirectory.prepare(path)
            let lock = new.path == directory.path ? nil : try DirectoryLock(new)
            try copyKey(to: new)
            return (try StoreAccess.beingFilled(new, .file), lock)
        }
    }

    /// Copies the encryption key of the secrets to another data directory.
    private func copyKey(to new: DataDirectory) throws {
        let path = StorePlace(settings).serverKeyFile ?? directory.serverKey
        let key = try SecretFile.read(path)
        guard TextFile.exists(new.serverKey) else { return try TextFile.write(key + "\n", to: new.serverKey) }
        guard try SecretFile.read(new.serverKey) != key else { return }
        throw Problem.keyOfOtherStore(key: new.serverKey, source: path)
    }
}

/// The problem shown to an operator when a move fails.
private struct MoveProblem {
    private let place: String

    init(_ place: String) { self.place = place }

    func problem(_ failure: StoreMove.Failure) -> Problem {
        switch failure {
        case .targetInUse(let table):
            problem(
                .moveTargetInUse,
                "\(place) is not empty: its table \(table) has rows",
                why: "a move fills an empty store; nothing was changed",
                cures: [.init("--to ANOTHER", "a new database or directory")]
            )
        case .outboxNotEmpty(let rows, let topics):
            problem(
                .moveOutbox,
                "messages of \(rows) transactions wait to be published: " + topics.joined(separator: ", "),
                why: "promised messages to users and devices must be published first; nothing was changed",
                cures: [.init("lamplighter up", "start the service, and stop it after a few seconds")]
            )
        case .sourceInUse(let node):
            problem(
                .moveSourceInUse,
                "the process \(node) is working on the store",
                why: "the rows that the process writes would be missing; nothing was changed",
                cures: [.init("systemctl stop lamplighter", "on every machine; then wait 6 s")]
            )
        case .text(let row, let column, let reason):
            problem(
                .moveText,
                "PostgreSQL does not accept the text in \(column) of \(row): \(reason)",
                why: "the rows before this row were copied; the move continues once the text is corrected",
                cures: [
                    .init("sqlite3 lamplighter.db", "change or delete the row"),
                    .init("lamplighter migrate --to …", "the same command again"),
                ]
            )
        case .unequal(let table, let source, let target):
            problem(
                .moveUnequal,
                "the table \(table) has \(target.rows) rows in \(place) and \(source.rows) in the source, "
                    + "or their contents differ",
                why:
                    "the store was changed between two parts of the move, or damaged during the move",
                cures: [.init("--to ANOTHER", "start again, with an empty database or directory")]
            )
        }
    }

    private func problem(
        _ code: ProblemCode,
        _ message: String,
        why: String,
        cures: [Problem.Cure]
    ) -> Problem {
        Problem(code, message, at: place, why: why, cures: cures)
    }
}
