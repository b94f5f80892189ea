import Credentials

/// The topics that a connection may use, computed when it is admitted and whenever the credentials change.
///
/// A pure value; the only place of these rules.
/// The rules in words (reference: connecting#rights).
struct Rights: Sendable {
    private var publish: [Filter] = []
    private var subscribe: [Filter] = []
    /// A terminal's own requests: within its subscription, but not delivered back.
    private var hidden: Filter?
    /// The space of all users, to distinguish refusals there from others.
    private var users: Filter?
    /// The space of the user whose session is on the terminal.
    private var user: Filter?
    /// The end of that session, in milliseconds since the Unix epoch.
    private var userUntil: Int64 = 0
    private(set) var isService = false
    private(set) var isWorker = false
    /// Whether it watches all messages, at a limited rate.
    private(set) var isConsole = false

    /// No rights.
    static let none = Rights()

    static func product(key: String, mac: String, root: String) -> Rights {
        let space = "\(root)/product/\(key)/\(mac)"
        return Rights(publish: ["\(space)/register"], subscribe: ["\(space)/registered"])
    }

    static func device(did: String, root: String) -> Rights {
        let space = "\(root)/device/\(did)"
        return Rights(
            publish: ["\(space)/report", "\(space)/info", "\(space)/presence"],
            subscribe: ["\(space)/command", "\(space)/response"]
        )
    }

    static func terminal(terminalId: String, appId: String, session: Session?, root: String) -> Rights {
        let space = "\(root)/app/\(appId)/\(terminalId)"
        var rights = Rights(publish: ["\(space)/request/#"], subscribe: ["\(space)/#"])
        rights.hidden = Filter("\(space)/request/#")
        rights.users = Filter("\(root)/user/#")
        rights.user = session.flatMap { Filter("\(root)/user/\($0.uid)/#") }
        rights.userUntil = session?.expiresAt ?? 0
        return rights
    }

    static func service(_ role: Role, root: String) -> Rights {
        var rights =
            switch role {
            case .worker:
                Rights(both: ["\(root)/#", "$SYS/#", "$CONTROL/lamplighter/#"])
            case .gateway:
                Rights(
                    publish: ["\(root)/system/outbound/result"],
                    subscribe: ["\(root)/system/outbound/#"]
                )
            case .scheduler: Rights(publish: ["\(root)/system/trigger/+"], subscribe: [])
            case .identity: Rights(publish: ["\(root)/system/session-invalid"], subscribe: [])
            case .console: Rights(publish: [], subscribe: ["\(root)/#"])
            case .custom(let publish, let subscribe):
                Rights(publish: publish, subscribe: subscribe)
            }
        rights.isService = true
        rights.isWorker = role == .worker
        rights.isConsole = role == .console
        return rights
    }

    private init() {}

    private init(publish: [String], subscribe: [String]) {
        // An invalid filter of a custom role grants nothing.
        self.publish = publish.compactMap(Filter.init)
        self.subscribe = subscribe.compactMap(Filter.init)
    }

    private init(both: [String]) {
        self.init(publish: both, subscribe: both)
    }
}

extension Rights {
    /// Returns the refusal of a message from the connection; nil lets it through.
    func refusalToPublish(_ topic: Bytes, retained: Bool) -> RefusalReason? {
        guard publish.contains(where: { $0.matches(topic) }) else { return .notAllowed }
        if retained && !isWorker { return .retainNotAllowed }
        return Topic.isName(topic) ? nil : .badTopic
    }

    /// Returns the refusal of a will at the time of its sending; nil lets it through.
    ///
    /// Mosquitto 2.0.11 hands wills on `$CONTROL` to subscribers, so none may go to a `$` topic.
    func refusalOfWill(_ topic: Bytes, retained: Bool) -> RefusalReason? {
        topic.first == Topic.dollar
            ? .reservedTopic : refusalToPublish(topic, retained: retained)
    }

    /// Returns the refusal of a subscription; nil if every topic that matches its filter is granted.
    ///
    /// Only services may share a subscription. All other clients' topics are private, and a group member that lost its
    /// rights would swallow its share of the messages.
    func refusalToSubscribe(_ filter: Bytes, now: Int64) -> RefusalReason? {
        guard Topic.isFilter(filter) else { return .badTopic }
        guard let shared = SharedFilter(filter) else { return covers(filter, now: now) ? nil : refusalOutside(filter) }
        // A console would take messages away from the clients that it watches.
        guard isService, !isConsole else { return .sharedNotAllowed }
        guard let inner = shared.inner else { return .badTopic }
        return covers(inner, now: now) ? nil : .notAllowed
    }

    /// Returns the refusal of a granted subscription's form; services and single topics have no limits of form.
    func refusalOfShape(_ filter: Bytes, rootLevels: Int, levels: Int) -> RefusalReason? {
        guard !isService, levels > 0, let space = space(of: filter) else { return nil }
        let isAllowed = FilterShape.isAllowed(filter, behind: space, rootLevels: rootLevels, levels: levels)
        return isAllowed ? nil : .filterNotAllowed
    }

    private func space(of filter: Bytes) -> Int? {
        if let granted = subscribe.first(where: { $0.covers(filter) }) { return granted.spaceCount }
        return user?.spaceCount
    }

    /// Returns the refusal of a delivery to the connection; nil lets it through.
    func refusalToReceive(_ topic: Bytes, now: Int64) -> RefusalReason? {
        if subscribe.contains(where: { $0.matches(topic) }) {
            if let hidden, hidden.matches(topic) { return .ownRequest }
            return nil
        }
        if let user, user.matches(topic), now < userUntil { return nil }
        return refusalOutside(topic)
    }

    private func covers(_ filter: Bytes, now: Int64) -> Bool {
        if subscribe.contains(where: { $0.covers(filter) }) { return true }
        guard let user, now < userUntil else { return false }
        return user.covers(filter)
    }

    private func refusalOutside(_ topic: Bytes) -> RefusalReason {
        users?.covers(topic) == true ? .sessionRequired : .notAllowed
    }
}

/// A filter of the form `$share/{group}/{filter}`.
struct SharedFilter {
    /// The filter inside; nil when group or filter is missing or the group has a wildcard.
    let inner: Bytes?

    /// Reads a filter whose first level is `$share`; nil for any other.
    init?(_ filter: Bytes) {
        var levels = Levels(filter)
        guard let first = levels.next(), first.elementsEqual("$share".utf8) else { return nil }
        guard let group = levels.next(), !group.isEmpty, !Topic.isPlus(group), !Topic.isHash(group) else {
            inner = nil
            return
        }
        let rest = filter.dropFirst(first.count &+ group.count &+ 2)
        inner = rest.isEmpty ? nil : Bytes(rebasing: rest)
    }
}
