package import Domain
import JSON
import Sodium

/// A backup's format: a line with the format's name, a line of JSON (the header), and an encrypted stream.
///
/// The stream consists of pieces, and contains the data directory's files, which are called members. Each member begins
/// with a piece of JSON: the member's name and size. Further pieces contain the member's bytes. The last piece of the
/// stream is JSON that contains each table's number of rows. Each piece is preceded by its length, in four bytes.
///
/// Without a passphrase, the header contains the key. The data then isn't secret, but a damaged backup is still
/// detected.
enum BackupFormat {
    /// The first line of a backup.
    static let magic = "lamplighter-backup 1\n"
    /// The maximum number of a member's bytes in one piece.
    static let pieceBytes = 256 << 10
    /// The maximum length of the second line, in bytes.
    static let headerBytesMax = 4096
    /// The name of the member that contains the database.
    static let database = "lamplighter.db"
    /// The name of the member that contains the key for decrypting the database's secrets.
    static let serverKey = "server.key"
    /// The memory and the number of passes for deriving a key: the `MODERATE` limits of libsodium.
    static let derivation = (memoryBytes: 256 << 20, passes: 3)
}

/// The header of a backup, which can be read before the backup is opened.
package struct BackupHeader: Sendable, Equatable {
    /// The source of the stream's key.
    enum Lock: Sendable, Equatable {
        /// The key itself, which the header contains.
        case open(key: [UInt8])
        /// The parameters for deriving the key from a passphrase.
        case passphrase(salt: [UInt8], memoryBytes: Int, passes: Int)
    }

    /// The time at which the copy of the database was taken.
    package let madeAt: Instant
    /// The version of the program that made the backup.
    package let version: String
    let lock: Lock

    /// Whether a passphrase is needed to open the backup.
    package var isEncrypted: Bool {
        if case .passphrase = lock { return true }
        return false
    }

    /// The header as the second line of the backup.
    var line: [UInt8] {
        var members: [(String, JSONValue)] = [("madeAt", .integer(madeAt.milliseconds)), ("version", .string(version))]
        switch lock {
        case .open(let key): members.append(("key", .string(Sodium.base64(key))))
        case .passphrase(let salt, let memoryBytes, let passes):
            members += [
                ("salt", .string(Sodium.base64(salt))), ("memoryBytes", .integer(Int64(memoryBytes))),
                ("passes", .integer(Int64(passes))),
            ]
        }
        return JSONValue.object(JSONObject(members)).encoded() + [UInt8(ascii: "\n")]
    }

    /// Reads a header from a backup's second line, or returns nil if it's malformed.
    init?(line: [UInt8]) {
        guard let object = try? JSONValue.parse(line).objectValue, let madeAt = object["madeAt"]?.intValue,
            let version = object["version"]?.stringValue
        else { return nil }
        self.madeAt = Instant(milliseconds: madeAt)
        self.version = version
        if let key = object["key"]?.stringValue.flatMap(Sodium.bytes(base64:)) {
            lock = .open(key: key)
            return
        }
        // Without the bounds of `memoryBytes` and `passes`, a manipulated header could make this process use up all
        // memory or compute for very long.
        guard let salt = object["salt"]?.stringValue.flatMap(Sodium.bytes(base64:)),
            let memory = object["memoryBytes"]?.intValue, (8192...1 << 31).contains(memory),
            let passes = object["passes"]?.intValue, (1...16).contains(passes)
        else { return nil }
        lock = .passphrase(salt: salt, memoryBytes: Int(memory), passes: Int(passes))
    }

    /// Makes the header of a new backup.
    init(madeAt: Instant, version: String, isEncrypted: Bool) {
        (self.madeAt, self.version) = (madeAt, version)
        let (memoryBytes, passes) = BackupFormat.derivation
        lock =
            isEncrypted
            ? .passphrase(salt: Sodium.randomBytes(Sodium.saltBytes), memoryBytes: memoryBytes, passes: passes)
            : .open(key: Sodium.randomBytes(SealedStream.keyBytes))
    }

    /// Returns the key, or nil if a required passphrase is missing or there's too little memory.
    func key(_ passphrase: Passphrase?) -> [UInt8]? {
        switch lock {
        case .open(let key): key
        case .passphrase(let salt, let memoryBytes, let passes):
            passphrase.flatMap {
                Sodium.deriveKey(passphrase: $0.bytes, salt: salt, memoryBytes: memoryBytes, passes: passes)
            }
        }
    }
}

/// One member of a backup: a file of the data directory.
struct BackupMember: Sendable, Equatable {
    /// The member's name: its path relative to the data directory.
    let name: String
    /// The member's size, in bytes.
    let bytes: Int

    /// Creates a member.
    init(name: String, bytes: Int) {
        (self.name, self.bytes) = (name, bytes)
    }

    /// Reads the piece that precedes a member, or returns nil if it's invalid.
    ///
    /// A piece that names a file outside the data directory is also invalid.
    init?(piece: [UInt8]) {
        guard let object = try? JSONValue.parse(piece).objectValue,
            let name = object["member"]?.stringValue, let bytes = object["bytes"]?.intValue,
            bytes >= 0, !name.isEmpty,
            name.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { return nil }
        self.init(name: name, bytes: Int(bytes))
    }

    /// The piece that precedes the member's bytes.
    var piece: [UInt8] { JSONValue.object(["member": .string(name), "bytes": .integer(Int64(bytes))]).encoded() }
}

/// The summary of a backup's contents, stored in the backup's last piece.
package struct BackupSummary: Sendable, Equatable {
    /// Each table's number of rows.
    package var rows: [String: Int]

    /// The summary as the last piece of the backup.
    var piece: [UInt8] {
        let tables = rows.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer(Int64($0.value))) }
        return JSONValue.object(["tables": .object(JSONObject(tables))]).encoded()
    }

    /// Reads a summary from the last piece, or returns nil if it's malformed.
    init?(piece: [UInt8]) {
        guard let tables = try? JSONValue.parse(piece).objectValue?["tables"]?.objectValue else { return nil }
        rows = tables.members.reduce(into: [:]) { rows, member in
            rows[member.key] = member.value.intValue.map { Int($0) }
        }
    }

    /// Creates a summary from the number of rows of each table.
    init(_ rows: [(table: String, rows: Int)]) { self.rows = rows.reduce(into: [:]) { $0[$1.table] = $1.rows } }
}
