import Domain

/// The codec of an event log's row, with length-prefixed strings as in the outbox.
enum EventRowCodec {
    static func encode(_ events: [LoggedEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(events.reduce(0) { $0 + $1.data.count + 160 })
        func append(_ piece: some Collection<UInt8>) {
            OutboxCodec.append(UInt32(piece.count), to: &bytes)
            bytes.append(contentsOf: piece)
        }
        for event in events {
            append(event.type.rawValue.utf8)
            append("\(event.ts.milliseconds)".utf8)
            let actor = event.actor
            for text in [
                event.did?.text, event.product?.text, event.uid?.text, event.app?.text, actor?.kind.rawValue, actor?.id,
            ] { append((text ?? "").utf8) }
            append(event.data)
        }
        return bytes
    }

    /// Returns a row in which an empty entry replaces each entry that names a user.
    ///
    /// An entry of the type `account.deleted` stays unchanged.
    static func forgetting(_ uid: UserID, in bytes: [UInt8]) -> [UInt8] {
        let name = Array(uid.text.utf8)
        var left: [UInt8] = []
        readEntries(of: bytes) { entry, event in
            left += event?.type != .accountDeleted && entry.contains(name) ? gone[...] : entry
        }
        return left
    }

    /// An entry without a type; it replaces a removed entry, and readers skip it.
    private static let gone = (0..<9).flatMap { _ in [0, 0, 0, 0] as [UInt8] }

    /// Returns a row's entries, with nil for each entry whose type this version doesn't know.
    static func decode(_ bytes: [UInt8]) -> [LoggedEvent?] {
        var events: [LoggedEvent?] = []
        readEntries(of: bytes) { events.append($1) }
        return events
    }

    /// Passes each entry's bytes and event to `body` (nil if the type is unknown).
    private static func readEntries(of bytes: [UInt8], _ body: (ArraySlice<UInt8>, LoggedEvent?) -> Void) {
        var rest = bytes[...]
        var start = rest.startIndex
        func text() -> String? { OutboxCodec.piece(&rest).map { String(decoding: $0, as: UTF8.self) } }
        while let type = text(), let ts = text(), let did = text(), let product = text(), let uid = text(),
            let app = text(), let kind = text(), let actor = text(), let data = OutboxCodec.piece(&rest)
        {
            let event = EventType(rawValue: type).map { type in
                LoggedEvent(
                    type,
                    at: Instant(milliseconds: Int64(ts) ?? 0),
                    did: did.isEmpty ? nil : DeviceID(trusted: did),
                    product: product.isEmpty ? nil : ProductKey(trusted: product),
                    uid: uid.isEmpty ? nil : UserID(trusted: uid),
                    actor: Actor.Kind(rawValue: kind).map { Actor($0, actor) },
                    app: app.isEmpty ? nil : AppID(trusted: app),
                    data: Array(data)
                )
            }
            body(bytes[start..<rest.startIndex], event)
            start = rest.startIndex
        }
    }
}
