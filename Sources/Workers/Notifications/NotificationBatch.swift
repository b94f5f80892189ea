import Domain
import Metrics
import Storage
import Wire

/// The decisions about several notifications in one transaction, which locks their users.
///
/// The users, their settings and their push addresses are read before the first decision.
struct NotificationBatch {
    /// The users; erased users are missing.
    private var users: [UserID: User] = [:]
    private let settings: [UserID: NotificationSettings]
    private var addresses: [UserID: [PushAddress]]
    /// The stored hidden records that this batch turns into visible notifications.
    private var revealed: Set<NotificationID> = []
    private var usedAddresses: Set<TerminalID> = []
    private var products: [DeviceID: String] = [:]
    private var apps: [AppID: (name: String, words: AppWords?)] = [:]
    private var calendar: ScheduleCalendar
    /// The notifications and hidden records to add.
    private var added: [Notification] = []
    /// The notifications that were stored before and have changed.
    private var changed: [NotificationID: Notification] = [:]
    /// The newest notification for each user and each subject of a device.
    private var newest: [Subject: NotificationID] = [:]

    private struct Subject: Hashable {
        var uid: UserID
        var did: DeviceID
        var subject: String

        init?(_ note: Notification) {
            guard let did = note.did, !note.subject.isEmpty else { return nil }
            (uid, self.did, subject) = (note.uid, did, note.subject)
        }
    }

    /// Reads the users, settings and push addresses that are needed for decisions about the users' notifications.
    init(_ uids: Set<UserID>, in work: UnitOfWork) throws {
        for uid in uids { users[uid] = try work.tx.accounts.find(uid) }
        settings = try work.tx.notifications.settings(of: uids)
        addresses = try work.tx.pushAddresses.all(of: uids)
        calendar = ScheduleCalendar(work.tx, keepsNewZones: false)
    }

    private func settings(of uid: UserID) -> NotificationSettings { settings[uid] ?? NotificationSettings(uid) }

    /// Returns the newest notification about the subject of `note`, including the changes of this batch.
    private func latest(like note: Notification, _ stored: Notification?) -> Notification? {
        let known = Subject(note).flatMap { newest[$0] }.flatMap { id in added.first { $0.id == id } }
        return known ?? stored.map { changed[$0.id] ?? $0 }
    }

    private mutating func save(_ note: Notification) {
        if changed[note.id] == nil, let index = added.lastIndex(where: { $0.id == note.id }) {
            added[index] = note
        } else {
            changed[note.id] = note
        }
    }

    // MARK: Deciding

    /// Decides for each new notification, in order, whether it is shown and pushed.
    mutating func tell(_ drafts: [NotificationDraft], in work: inout UnitOfWork) throws {
        let notes = drafts.map { $0.note(work.makeID("t")) }
        let similar = try work.tx.notifications.similar(to: notes)
        for (index, draft) in drafts.enumerated() where users[draft.uid] != nil {
            var note = notes[index]
            try decide(&note, draft, beside: latest(like: note, similar[index]), in: &work)
            added.append(note)
            if let subject = Subject(note), !note.isHidden || note.outcome == .pending { newest[subject] = note.id }
        }
    }

    private mutating func decide(
        _ note: inout Notification,
        _ draft: NotificationDraft,
        beside before: Notification?,
        in work: inout UnitOfWork
    ) throws {
        let settings = settings(of: note.uid)
        guard draft.isSubscribed else { return note.hide(.notSubscribed, .notSubscribed) }
        if let why = settings.refusal(of: note.kind, note.did) { return note.hide(.off, why) }
        if note.subject == NotificationDraft.offline {
            guard settings.offlineMinutes > 0 else { return note.hide(.off, .offlineOff) }
            note.hide(.pending, .mightReturn)
            return note.dueAt = note.ts.adding(seconds: settings.offlineMinutes * 60)
        }
        if var before, !before.isHidden, before.ts.adding(seconds: Notification.collapseSeconds) > note.ts {
            (before.count, before.isRead, before.clearedAt) = (before.count + 1, false, nil)
            save(before)
            note.hide(.collapsed, .collapsed)
            return note.countedIn = before.id
        }
        let text = try draft.given ?? text(of: note, draft, in: work)
        (note.title, note.text, note.data) = (text.title, text.text, draft.data)
        try push(&note, sparing: draft.spared, in: &work)
    }

    /// Handles notifications whose conditions have ended.
    ///
    /// A visible notification is marked. A notification that is still hidden will never be shown.
    mutating func clear(_ drafts: [NotificationDraft], in work: inout UnitOfWork) throws {
        let notes = drafts.map { $0.note("") }
        let similar = try work.tx.notifications.similar(to: notes)
        for (index, note) in notes.enumerated() {
            guard var before = latest(like: note, similar[index]), before.clearedAt == nil else { continue }
            if before.isHidden {
                before.hide(.off, .returned)
                before.dueAt = nil
            } else {
                before.clearedAt = note.ts
            }
            save(before)
        }
    }

    /// Decides about notifications that are now due.
    ///
    /// A notification is due if its device has been offline long enough, or if the quiet hours that delayed its push
    /// have ended.
    mutating func wake(_ notes: [Notification], in work: inout UnitOfWork) throws {
        var bindings: [Int: Binding] = [:]
        let pairs = notes.map { (did: $0.did ?? DeviceID(trusted: ""), uid: $0.uid) }
        try work.tx.bindings.load(pairs) { bindings[$0] = $1 }
        for (index, note) in notes.enumerated() {
            var note = note
            note.dueAt = nil
            if note.isHidden {
                guard let binding = bindings[index], binding.isSubscribed, !binding.isOver(at: work.now) else {
                    note.hide(.notSubscribed, bindings[index]?.isSubscribed == false ? .notSubscribed : .unbound)
                    save(note)
                    continue
                }
                note.isHidden = false
                revealed.insert(note.id)
                var draft = NotificationDraft(uid: note.uid, eventID: "", kind: note.kind, type: note.type, ts: note.ts)
                draft.alias = binding.alias
                draft.values["minutes"] = "\((work.now.milliseconds - note.ts.milliseconds) / 60_000)"
                let text = try text(of: note, draft, in: work)
                (note.title, note.text) = (text.title, text.text)
                try push(&note, in: &work)
            } else if note.isRead {
                (note.outcome, note.why) = (.shown, .readMeanwhile)
            } else {
                try push(&note, in: &work)
            }
            save(note)
        }
    }

    // MARK: Texts

    private mutating func text(
        of note: Notification,
        _ draft: NotificationDraft,
        in work: UnitOfWork
    ) throws -> NotificationText {
        guard let user = users[note.uid] else { return NotificationText(title: "", text: "") }
        var values = draft.values
        let app = try app(user.app, in: work)
        values["app"] = app.name
        if let did = note.did { values["device"] = try draft.alias.isEmpty ? product(of: did, in: work) : draft.alias }
        return NotificationText.render(
            note.type,
            variant: draft.variant,
            values: values,
            language: user.profile.language,
            countryCode: user.countryCode
        ) { app.words?.words($0, $1) }
    }

    private mutating func app(_ id: AppID, in work: UnitOfWork) throws -> (name: String, words: AppWords?) {
        if let known = apps[id] { return known }
        let app = (try work.app(id)?.name ?? id.text, try work.tx.apps.document(id).map(AppWords.init))
        apps[id] = app
        return app
    }

    private mutating func product(of did: DeviceID, in work: UnitOfWork) throws -> String {
        if let known = products[did] { return known }
        let name = try work.product(of: did)?.name ?? did.text
        products[did] = name
        return name
    }

    /// Returns the content of a push that has the text for the given type but belongs to no notification.
    static func plain(
        _ type: String,
        for uid: UserID,
        with values: [String: String] = [:],
        in work: UnitOfWork
    ) throws -> [UInt8] {
        var batch = try NotificationBatch([uid], in: work)
        let id = "\(type)-\(work.now.milliseconds)"
        var draft = NotificationDraft(uid: uid, eventID: "", kind: .system, type: type, ts: work.now)
        draft.values = values
        var note = draft.note(id)
        let text = try batch.text(of: note, draft, in: work)
        (note.title, note.text) = (text.title, text.text)
        return NotificationCodec.payload(note)
    }

    /// Sends each terminal a push with the number of notifications that were not pushed because of the hourly limit.
    static func sum(_ owed: [PushAddress], in work: inout UnitOfWork) throws {
        for var address in owed {
            let payload = try plain("more", for: address.uid, with: ["count": "\(address.leftOut)"], in: work)
            address.leftOut = 0
            _ = address.mayPush(at: work.now)
            try work.tx.pushAddresses.save([address])
            _ = try PushQueue.add(OutgoingPush(to: address, of: nil, payload: payload), in: &work)
        }
    }

    // MARK: Pushing

    private mutating func push(
        _ note: inout Notification,
        sparing terminal: TerminalID? = nil,
        in work: inout UnitOfWork
    ) throws {
        let settings = settings(of: note.uid)
        if note.kind == .system, settings.off.contains(.system) {
            return (note.outcome, note.why) = (.shown, .systemOff)
        }
        let all = addresses[note.uid] ?? []
        let own = all.filter { $0.terminal != terminal }
        guard !own.isEmpty else {
            return (note.outcome, note.why) = all.isEmpty ? (.noAddress, .noAddress) : (.shown, .ownLogin)
        }
        let isUrgent =
            note.type == EventType.deviceFault.rawValue
            || note.kind == .system && note.type != Notification.messageType
        if !isUrgent, let end = try quietEnd(of: settings, in: work) {
            return (note.outcome, note.why, note.dueAt) = (.held, .quiet, end)
        }
        for var address in own {
            var (outcome, end) = (Notification.Outcome.limited, PushEnd?.none)
            if address.mayPush(at: work.now) {
                let push = OutgoingPush(to: address, of: note.id, payload: NotificationCodec.payload(note))
                end = try PushQueue.add(push, in: &work)
                outcome = end?.outcome ?? .pending
            }
            addresses[note.uid] = addresses[note.uid]?.map { $0.terminal == address.terminal ? address : $0 }
            usedAddresses.insert(address.terminal)
            note.note(Notification.Push(address.terminal, outcome, error: end?.error, at: work.now))
        }
    }

    private mutating func quietEnd(of settings: NotificationSettings, in work: UnitOfWork) throws -> Instant? {
        guard let quiet = settings.quiet else { return nil }
        let name = quiet.zone ?? users[settings.uid]?.timezone ?? "UTC"
        return quiet.end(at: work.now, in: try calendar.zone(name) ?? .utc)
    }

    // MARK: Storing

    /// Stores the decisions, and publishes the changes of users' message centres.
    func store(in work: inout UnitOfWork) throws {
        try work.tx.notifications.add(added)
        try work.tx.notifications.save(Array(changed.values))
        try work.tx.notifications.trim(Set(added.map(\.uid)), to: work.limits.notificationsPerUser)
        let used = addresses.values.joined().filter { usedAddresses.contains($0.terminal) }
        try work.tx.pushAddresses.save(used)
        let news =
            added.map { (NotificationCodec.Change.added, $0) }
            + changed.values.map { (revealed.contains($0.id) ? .added : .changed, $0) }
        try work.publish(news.filter { !$0.1.isHidden })
        for note in added { work.tx.afterCommit { Self.decisions[note.outcome]?.increment() } }
    }

    private static let decisions = Dictionary(
        counting: "lamplighter_notifications_total",
        by: "outcome",
        Notification.Outcome.allCases
    )
}

extension UnitOfWork {
    /// Tells open apps about changes in message centres, with counts of unread notifications.
    mutating func publish(_ news: [(change: NotificationCodec.Change, note: Notification)]) throws {
        let unread = try tx.notifications.unread(of: Set(news.map(\.note.uid)))
        for (change, note) in news {
            let payload = NotificationCodec.push(change, note, unread: unread[note.uid] ?? [:])
            effects.publish(payload, to: topics.user(note.uid, "notification"))
        }
    }
}
