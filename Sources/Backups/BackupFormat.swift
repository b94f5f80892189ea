package import Domain
import JSON
import Sodium

/// The format of a backup: a line that names it, a line of JSON with the data needed to open it, and a sealed stream.
///
/// The stream holds one member after another, each as a piece of JSON with its name and size and then its bytes, and
/// ends with a piece of JSON that sums up all of them. Each piece follows its length, as four bytes. A backup without a
/// passphrase has its key in the header: its data isn't secret then, but a change is still detected.
enum BackupFormat {
    /// The first line.
    static let magic = "lamplighter-backup 1\n"
    /// The maximum bytes of a member in one piece.
    static let pieceBytes = 256 << 10
    /// The maximum bytes of the second line.
    static let headerBytesMax = 4096
    /// The member that is the database.
    static let database = "lamplighter.db"
    /// The member that is the key with which the database's secrets are sealed.
    static let serverKey = "server.key"
    /// The memory and passes for deriving a key from a passphrase, as libsodium advises for files.
    static let derivation = (memoryBytes: 256 << 20, passes: 3)
}

/// The header of a backup, which can be read before the backup is opened.
package struct BackupHeader: Sendable, Equatable {
    /// The source of the stream's key.
    enum Lock: Sendable, Equatable {
        /// The key itself.
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

    /// The header's line.
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

    /// Reads a header's line; nil if it is malformed.
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
        // The bounds keep a changed header from requesting all memory.
        guard let salt = object["salt"]?.stringValue.flatMap(Sodium.bytes(base64:)),
            let memory = object["memoryBytes"]?.intValue, (8192...1 << 31).contains(memory),
            let passes = object["passes"]?.intValue, (1...16).contains(passes)
        else { return nil }
        lock = .passphrase(salt: salt, memoryBytes: Int(memory), passes: Int(passes))
    }

    /// Makes the header of a new backup.
    init(madeAt: Instant, version: String, isEncrypted: Bool) {
        self.madeAt = madeAt
        self.version = version
        let (memoryBytes, passes) = BackupFormat.derivation
        lock =
            isEncrypted
            ? .passphrase(salt: Sodium.randomBytes(Sodium.saltBytes), memoryBytes: memoryBytes, passes: passes)
            : .open(key: Sodium.randomBytes(SealedStream.keyBytes))
    }

    /// Returns the stream's key; nil without a needed passphrase, or memory to derive it.
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

/// One member of a backup.
struct BackupMember: Sendable, Equatable {
    /// The name: a path below the data directory.
    let name: String
    /// The size, in bytes.
    let bytes: Int

    /// Creates a member.
    init(name: String, bytes: Int) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads the piece before a member; nil if it is malformed or leads out of the directory.
    init?(piece: [UInt8]) {
        guard let object = try? JSONValue.parse(piece).objectValue,
            let name = object["member"]?.stringValue, let bytes = object["bytes"]?.intValue,
            bytes >= 0, !name.isEmpty,
            name.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { return nil }
        self.init(name: name, bytes: Int(bytes))
    }

    /// The piece in front of the member.
    var piece: [UInt8] { JSONValue.object(["member": .string(name), "bytes": .integer(Int64(bytes))]).encoded() }
}

/// The summary of a backup's contents, in its last piece.
package struct BackupSummary: Sendable, Equatable {
    /// The rows of each table.
    package var rows: [String: Int]

    /// The last piece.
    var piece: [UInt8] {
        let tables = rows.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer(Int64($0.value))) }
        return JSONValue.object(["tables": .object(JSONObject(tables))]).encoded()
    }

    /// Reads the last piece; nil if it is malformed.
    init?(piece: [UInt8]) {
        guard let tables = try? JSONValue.parse(piece).objectValue?["tables"]?.objectValue else { return nil }
        rows = tables.members.reduce(into: [:]) { rows, member in
            rows[member.key] = member.value.intValue.map { Int($0) }
        }
    }

    /// Creates a summary from the number of rows of each table.
    init(_ rows: [(table: String, rows: Int)]) { self.rows = rows.reduce(into: [:]) { $0[$1.table] = $1.rows } }
}
