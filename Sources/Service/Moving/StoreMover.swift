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
    /// The new location of the store, as errors show it to the operator.
    package let place: String

    /// Creates a move to a target of the form `postgres://USER@HOST/DATABASE` or `sqlite:DIRECTORY`.
    ///
    /// `directory` is the installation's data directory, which the caller has locked.
    /// - Throws: A `Problem` if the target is neither `postgres://USER@HOST/DATABASE` nor `sqlite:DIRECTORY`.
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

    /// Copies and compares the store, and returns the tables with row counts and checksums.
    ///
    /// `progress` is called with the current step and the completed part, from 0 to 1. If `progress` throws an error,
    /// the move stops. The next call of `run` continues at the same point.
    /// - Throws: A `Problem`, or an error of `progress`.
    package func run(progress: (String, Double) throws -> Void) throws -> [StoreMove.Table] {
        let source = try StoreAccess.tool(directory, StorePlace(settings))
        let (store, lock) = try open()
        defer { withExtendedLifetime(lock) {} }
        do { return try StoreMove(from: source, to: store).run(at: SystemClock().now, progress: progress) } catch let
            failure as StoreMove.Failure
        { throw problem(failure) } catch let failure as Store.Failure {
            throw StoreProblem(directory, StorePlace(settings)).problem(failure)
        }
    }

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

    private func copyKey(to new: DataDirectory) throws {
        let path = StorePlace(settings).serverKeyFile ?? directory.serverKey
        let key = try SecretFile.read(path)
        guard TextFile.exists(new.serverKey) else { return try TextFile.write(key + "\n", to: new.serverKey) }
        guard try SecretFile.read(new.serverKey) != key else { return }
        throw Problem.keyOfOtherStore(key: new.serverKey, source: path)
    }

    private func problem(_ failure: StoreMove.Failure) -> Problem {
        switch failure {
        case .targetInUse(let table): .moveTargetInUse(place: place, table: table)
        case .outboxNotEmpty(let rows, let topics):
            .moveOutbox(rows: rows, topics: topics.joined(separator: ", "), place: place)
        case .sourceInUse(let node): .moveSourceInUse(node: node, place: place)
        case .text(let row, let column, let reason): .moveText(column: column, row: row, reason: reason, place: place)
        case .unequal(let table, let source, let target):
            .moveUnequal(table: table, place: place, copied: target.rows, given: source.rows)
        }
    }
}
