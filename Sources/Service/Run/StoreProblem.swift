import Files
import PostgreSQL
import Problems
import Storage

/// The problem that is shown to an operator when a store can't be opened.
struct StoreProblem {
    private let directory: DataDirectory
    private let place: StorePlace

    init(_ directory: DataDirectory, _ place: StorePlace) { (self.directory, self.place) = (directory, place) }

    /// The file with the key that encrypts secrets.
    var serverKey: String { place.serverKeyFile ?? directory.serverKey }

    /// Throws a `Problem` if the database's file isn't an SQLite database.
    func checkIsDatabase() throws {
        let path = directory.database
        guard let start = TextFile.readBytes(path, upTo: 16), !start.isEmpty, start != Array("SQLite format 3\0".utf8)
        else { return }
        throw Problem.notADatabase(path: path)
    }

    /// The problem to report if the key of a database is missing.
    var keyMissing: Problem {
        place.database == nil ? .serverKeyMissing(key: serverKey) : .sharedKeyMissing(key: serverKey)
    }

    static func unusable(_ path: String, _ error: any Error) -> Problem {
        guard !StoreError.isFull(error) else { return .diskFull(path: path, sign: "\(error)") }
        return Problem.storeUnusable(path: path, error: "\(error)")
    }

    func problem(_ failure: Store.Failure) -> Problem {
        switch failure {
        case .diskFull(let path): .diskFull(path: path, sign: failure.description)
        case .newerVersion(let path): Problem.databaseTooNew(failure: failure.description, path: path)
        case .olderVersion(let path):
            Problem.databaseTooOld(failure: failure.description, path: path, directory: directory.path)
        case .foreignKey(let path) where place.database == nil: .serverKeyForeign(key: serverKey, path: path)
        case .foreignKey(let path): .sharedKeyForeign(key: serverKey, path: path)
        case .halfMoved(let path): .storeHalfMoved(failure: failure.description, path: path)
        case .unreachable, .readOnly, .refused, .wrongClock: server(failure)
        case .inUse(_, let reason): .databaseInUse(reason: reason)
        case .wrongSetting(let name, _, _): wrongSetting(name, failure)
        case .cannotOpen: failed(failure)
        }
    }

    private func failed(_ failure: Store.Failure) -> Problem {
        let place = place.database?.place ?? directory.database
        return .storeFailed(failure: failure.description, place: place, directory: directory.path)
    }

    // MARK: PostgreSQL

    private func server(_ failure: Store.Failure) -> Problem {
        let (text, place) = (failure.description, place.database?.place)
        return switch failure {
        case .readOnly: .databaseReadOnly(failure: text, place: place)
        case .refused: .databaseRefused(failure: text, place: place)
        case .wrongClock: .databaseClock(failure: text, place: place)
        default: .databaseUnreachable(failure: text, place: place, directory: directory.path)
        }
    }

    private func wrongSetting(_ name: String, _ failure: Store.Failure) -> Problem {
        let (text, place) = (failure.description, place.database?.place)
        return switch name {
        case "server_encoding": .databaseEncoding(failure: text, place: place)
        case "lc_collate", "locale provider": .databaseLocale(failure: text, place: place)
        case "synchronous_commit": .databaseDurability(failure: text, place: place)
        case _ where name.hasSuffix("_timeout"): .databaseTimeouts(failure: text, place: place)
        default: failed(failure)
        }
    }
}
