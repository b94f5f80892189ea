import Domain
import Storage
import Wire

/// The methods `notification/…`, about the message centre of a user (`schemas/methods/notification.schema.json`).
enum NotificationMethods {
    static let all: [String: Method] = [
        "notification/list": Method(isReading: true, run: list),
        "notification/markRead": Method(locks: .user, run: markRead),
        "notification/delete": Method(locks: .user, run: delete),
        "notification/settings": Method(locks: .user, run: settings),
        "notification/explain": Method(isReading: true, run: explain),
        "notification/send": Method(run: send),
        "notification/setPush": Method(locks: .user, run: setPush),
        "notification/test": Method(locks: .user, prepare: prepareTest, run: test),
    ]

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        let (uid, fields, limit) = (try call.caller().uid, call.fields, try call.pageLimit())
        let cursor = try RowCursor(fields)
        let notes = try call.tx.notifications.page(
            of: uid,
            kind: fields.notificationKind()?.rawValue ?? "",
            did: fields.anyDevice()?.text ?? "",
            onlyUnread: fields.onlyUnread(),
            before: cursor.map { ($0.at, $0.id) } ?? (.max, ""),
            limit: limit + 1
        )
        let rows = AnswerRows.fitting(notes.prefix(limit), row: NotificationCodec.row)
        let last = rows.isEmpty || rows.count == notes.count ? nil : notes[rows.count - 1]
        let next = last.map { RowCursor(at: $0.ts, id: $0.id.text).text }
        return .result(NotificationCodec.page(rows, unread: try call.unread(of: uid), next: next))
    }

    @Sendable
    private static func markRead(_ call: inout Call) throws -> Reply {
        try change(.changed, &call) { ids, uid, table in try table.markRead(ids, of: uid) }
    }

    @Sendable
    private static func delete(_ call: inout Call) throws -> Reply {
        try change(.deleted, &call) { ids, uid, table in try table.delete(ids, of: uid) }
    }

    /// Changes the notifications that the request names, and notifies the user's open apps.
    private static func change(
        _ change: NotificationCodec.Change,
        _ call: inout Call,
        by body: ([NotificationID], UserID, NotificationTable) throws -> [Notification]
    ) throws -> Reply {
        let (uid, table) = (try call.caller().uid, call.tx.notifications)
        let named = try call.fields.notificationIDs()
        let ids = try named ?? table.ids(of: uid, kind: call.fields.notificationKind(), onlyUnread: change == .changed)
        let notes = try body(ids, uid, table)
        guard named == nil || Set(notes.map(\.id)) == Set(ids) else {
            throw Rejection(.resourceNotFound, "You have no such notification.", field: "params.notificationIds")
        }
        try call.work.publish(notes.map { (change, $0) })
        return .result(NotificationCodec.unread(try call.unread(of: uid)))
    }

    @Sendable
    private static func settings(_ call: inout Call) throws -> Reply {
        let uid = try call.caller().uid
        var settings = try call.tx.notifications.settings(of: [uid])[uid] ?? NotificationSettings(uid)
        if try call.fields.change(&settings, isZone: TimeZones.contains) { try call.tx.notifications.save(settings) }
        return .result(NotificationCodec.settings(settings))
    }

    // MARK: Reasons

    @Sendable
    private static func explain(_ call: inout Call) throws -> Reply {
        let uid = try call.caller().uid
        let did = try call.fields.anyDevice()
        if did != nil { _ = try DeviceMethods.bindingOfAnyProduct(call) }
        let (from, to) = try call.fields.explainedPeriod()
        let limit = try call.pageLimit()
        let notes = try call.tx.notifications.records(of: uid, did: did?.text ?? "", from: from, to: to, limit: limit)
        let rows = AnswerRows.fitting(notes) { note in
            NotificationCodec.reason(note, pushes: note.pushes.map(\.stored))
        }
        return .result(NotificationCodec.reasons(rows))
    }

    // MARK: The maker's messages

    @Sendable
    private static func send(_ call: inout Call) throws -> Reply {
        guard call.key != nil else {
            throw Rejection(.forbidden, "Only a maker's server can send notifications, with an API key.")
        }
        let message = try call.fields.makerMessage()
        let count: Int
        if let uid = message.uid {
            guard try call.tx.accounts.find(uid)?.app == call.app.id else {
                throw Rejection(.resourceNotFound, "The app has no such user.", field: "params.uid")
            }
            count = 1
        } else {
            count = try call.users(of: message.did)
        }
        // If a device has thousands of users, the notifier writes their notifications in several transactions.
        let actor = try call.actor()
        call.work.logMessage(message.content, uid: message.uid, did: message.did, by: actor, app: call.app.id)
        return .result(NotificationCodec.sent(count))
    }

    // MARK: Push addresses

    @Sendable
    private static func setPush(_ call: inout Call) throws -> Reply {
        let session = try call.userSession()
        guard let given = try call.fields.push() else {
            if call.fields.removesPush { try call.tx.pushAddresses.remove(session.terminal) }
            return .result(NotificationCodec.push(try call.tx.pushAddresses.find(session.terminal)))
        }
        if given.kind == .webpush {
            _ = try call.environment.outbound.check(given.address, field: "params.push.address")
        }
        let address = PushAddress(
            given.address,
            kind: given.kind,
            keys: given.keys,
            isSandbox: given.isSandbox,
            at: session.terminal,
            of: session.uid,
            app: session.app,
            since: call.tx.now
        )
        try call.tx.pushAddresses.set(address)
        return .result(NotificationCodec.push(address))
    }

    /// Counts and prepares a test push, or returns nil if there is no address.
    @Sendable
    private static func prepareTest(_ call: inout Call) throws -> BackgroundTask? {
        guard var address = try call.tx.pushAddresses.find(call.userSession().terminal) else { return nil }
        guard address.mayPush(at: call.tx.now) else {
            throw Rejection(.tooManyRequests, "The terminal has received too many pushes.", retryAfter: 3_600)
        }
        try call.tx.pushAddresses.save([address])
        return .push(try PushTest.prepare(address, by: call.environment, in: &call.work))
    }

    @Sendable
    private static func test(_ call: inout Call) throws -> Reply {
        guard let end = call.prepared.push else { return .result(NotificationCodec.tested(.noAddress, error: nil)) }
        if let address = try call.tx.pushAddresses.find(call.userSession().terminal) {
            try PushTest.end(end, of: address, in: call.work)
        }
        switch end {
        case .sent: return .result(NotificationCodec.tested(.sent, error: nil))
        case .gone, .failed: return .result(NotificationCodec.tested(.failed, error: end.error))
        case .notConfigured: return .result(NotificationCodec.tested(.notConfigured, error: nil))
        }
    }
}

extension Call {
    /// Returns the user's session, or throws if the terminal belongs to an API key.
    fileprivate func userSession() throws(Rejection) -> Session {
        guard key == nil else { throw Rejection(.forbidden, "A key's terminal gets no pushes.") }
        return try caller()
    }

    /// Returns how many of the app's users are bound to a device, or throws if the app has no such device.
    fileprivate func users(of did: DeviceID?) throws -> Int {
        guard let did, let record = try tx.statuses.find(did), app.products.contains(record.productKey) else {
            throw Rejection(.resourceNotFound, "The app has no such device.", field: "params.did")
        }
        return try tx.bindings.page(of: did, app: app.id, after: "", limit: limits.usersPerDevice).count
    }

    /// Returns the counts of a user's unread notifications.
    fileprivate func unread(of uid: UserID) throws -> NotificationCodec.Unread {
        try tx.notifications.unread(of: [uid])[uid] ?? [:]
    }
}
