/// A reader of a record's body, which returns nil if bytes are missing.
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the record that the body contains, or nil if the body as a whole isn't a valid record.
    mutating func record() -> Record? {
        guard let tag = byte(), let kind = Record.Kind(rawValue: tag & ~Layout.removedFlag), let key = id() else {
            return nil
        }
        let record: Record? = tag & Layout.removedFlag != 0 ? .removed(kind, key: key) : rest(of: kind, key: key)
        return position == bytes.count ? record : nil
    }

    private mutating func rest(of kind: Record.Kind, key: String) -> Record? {
        switch kind {
        case .product: digest().map { .product(key: key, secret: $0) }
        case .device: digest().map { .device(did: key, secret: $0) }
        case .app: digest().map { .app(appId: key, secret: $0) }
        case .service: digest().flatMap { secret in role().map { .service(name: key, secret: secret, role: $0) } }
        case .terminal: terminal(key)
        case .connections: integer().map { .connections(known: $0) }
        case .certificates: integer().map { .certificates(did: key, from: $0) }
        }
    }

    private mutating func terminal(_ key: String) -> Record? {
        guard let appId = id(), let hasSession = byte() else { return nil }
        switch hasSession {
        case 0: return .terminal(terminalId: key, appId: appId, session: nil)
        case 1, 2, 3:
            guard var session = session() else { return nil }
            session.isUsed = hasSession != 3
            if hasSession == 2 {
                guard let token = digest(), let until = integer() else { return nil }
                session.old = OldToken(token: token, until: until)
            }
            return .terminal(terminalId: key, appId: appId, session: session)
        default: return nil
        }
    }

    private mutating func session() -> Session? {
        guard let sessionId = id(), let uid = id(), let token = digest(), let end = integer() else { return nil }
        return Session(sessionId: sessionId, uid: uid, token: token, expiresAt: end)
    }

    private mutating func role() -> Role? {
        switch byte() {
        case 1: return .worker
        case 2: return .gateway
        case 3: return .scheduler
        case 4: return .identity
        case 5:
            guard let publish = filters(), let subscribe = filters() else { return nil }
            return .custom(publish: publish, subscribe: subscribe)
        case 6: return .console
        default: return nil
        }
    }

    private mutating func filters() -> [String]? {
        guard let count = byte(), count <= Layout.filtersMax else { return nil }
        var list: [String] = []
        for _ in 0..<count {
            guard let bytes = text(), (1...Layout.filterMax).contains(bytes.count),
                let filter = String(validating: bytes, as: UTF8.self)
            else { return nil }
            list.append(filter)
        }
        return list
    }

    private mutating func id() -> String? {
        guard let bytes = text(), Layout.isID(bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func text() -> UnsafeRawBufferPointer? {
        guard let low = byte(), let high = byte() else { return nil }
        return take(Int(high) << 8 | Int(low))
    }

    private mutating func digest() -> Digest? {
        guard let bytes = take(32) else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self))
        }
        return Digest(words: (word(0), word(1), word(2), word(3)))
    }

    private mutating func integer() -> Int64? { take(8).map { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) } }

    private mutating func byte() -> UInt8? { take(1)?.first }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= bytes.count &- position else { return nil }
        defer { position &+= count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position &+ count)])
    }
}
