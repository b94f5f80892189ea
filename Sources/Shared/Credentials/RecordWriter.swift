/// The layout of the credentials file.
///
/// The file consists of a header and records. All numbers are little-endian:
///
///     header   "LAMPGATE"  version: UInt16 = 1  reserved: UInt16 = 0  CRC-32C of the twelve bytes
///     record   length of body: UInt16  body  CRC-32C of length and body
///     body     kind: UInt8 (| 0x80 = removed)  key: text  and by kind
///              product, device, app   digest
///              service                digest  role: UInt8  for custom: two lists of text (count: UInt8)
///              terminal               appId: text  session: UInt8 (0 = no session, 1 = session,
///                                     2 = session with an old token, 3 = session with a token that was never used)
///                                     if 1, 2 or 3: sessionId uid: text  digest  expiresAt: Int64
///                                     if 2, in addition: digest  until: Int64
///              connections            known: Int64
///              certificates           from: Int64
///     text     length: UInt16  UTF-8 bytes
enum Layout {
    static let magic = Array("LAMPGATE".utf8)
    static let version: UInt16 = 1
    static let headerCount = 16
    /// The number of bytes of a record's length field and checksum, which are written before and after the body.
    static let frameCount = 6
    static let bodyMax = 65_535
    static let removedFlag: UInt8 = 0x80
    static let filterMax = 1_024
    static let filtersMax = 64

    static var header: [UInt8] {
        var bytes = magic
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: bytes.withUnsafeBytes(Checksum.of))
        return bytes
    }

    /// Returns whether bytes are an id of 1 to 64 characters of `[A-Za-z0-9_-]`.
    static func isID(_ bytes: some Collection<UInt8>) -> Bool {
        (1...64).contains(bytes.count) && bytes.allSatisfy(\.isIDCharacter)
    }
}

extension Record {
    /// Encodes the record with its length and checksum.
    ///
    /// - Throws: `CredentialsError.invalidRecord` if an id is malformed, if there are too many filters, if a filter is
    ///   empty or too long, or if the body is longer than `Layout.bodyMax`.
    package func encoded() throws(CredentialsError) -> [UInt8] {
        guard isValid else { throw .invalidRecord(kind: kind, key: key) }
        let body = encodedBody
        guard body.count <= Layout.bodyMax else { throw .invalidRecord(kind: kind, key: key) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + Layout.frameCount)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: body.count))
        bytes += body
        bytes.append(littleEndian: bytes.withUnsafeBytes(Checksum.of))
        return bytes
    }

    private var isValid: Bool {
        guard Layout.isID(key.utf8) else { return false }
        switch self {
        case .product, .device, .app, .connections, .certificates, .removed: return true
        case .service(_, _, let role): return role.isValid
        case .terminal(_, let appId, let session):
            guard Layout.isID(appId.utf8) else { return false }
            guard let session else { return true }
            return Layout.isID(session.sessionId.utf8) && Layout.isID(session.uid.utf8)
        }
    }

    private var encodedBody: [UInt8] {
        var bytes: [UInt8] = [kind.rawValue]
        bytes.append(text: key)
        switch self {
        case .product(_, let secret), .device(_, let secret), .app(_, let secret): bytes += secret.bytes
        case .service(_, let secret, let role):
            bytes += secret.bytes
            bytes.append(role)
        case .terminal(_, let appId, let session):
            bytes.append(text: appId)
            bytes.append(session)
        case .connections(let known): bytes.append(littleEndian: known)
        case .certificates(_, let from): bytes.append(littleEndian: from)
        case .removed: bytes[0] |= Layout.removedFlag
        }
        return bytes
    }
}

extension Role {
    fileprivate var isValid: Bool {
        guard case .custom(let publish, let subscribe) = self else { return true }
        return [publish, subscribe].allSatisfy { list in
            list.count <= Layout.filtersMax && list.allSatisfy { (1...Layout.filterMax).contains($0.utf8.count) }
        }
    }

    var code: UInt8 {
        switch self {
        case .worker: 1
        case .gateway: 2
        case .scheduler: 3
        case .identity: 4
        case .custom: 5
        case .console: 6
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(text: String) {
        append(littleEndian: UInt16(truncatingIfNeeded: text.utf8.count))
        append(contentsOf: text.utf8)
    }

    fileprivate mutating func append(_ role: Role) {
        append(role.code)
        guard case .custom(let publish, let subscribe) = role else { return }
        for list in [publish, subscribe] {
            append(UInt8(truncatingIfNeeded: list.count))
            for filter in list { append(text: filter) }
        }
    }

    fileprivate mutating func append(_ session: Session?) {
        guard let session else { return append(0) }
        append(session.old != nil ? 2 : session.isUsed ? 1 : 3)
        append(text: session.sessionId)
        append(text: session.uid)
        self += session.token.bytes
        append(littleEndian: session.expiresAt)
        guard let old = session.old else { return }
        self += old.token.bytes
        append(littleEndian: old.until)
    }
}

extension UInt8 {
    /// Whether the byte can occur in an id.
    package var isIDCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
