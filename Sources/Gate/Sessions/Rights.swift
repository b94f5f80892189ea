import Credentials

/// The topics that a connection may use, computed again whenever the credentials change.
///
/// This type contains all rules for topics, and its methods have no side effects (reference: connecting#rights).
struct Rights: Sendable {
    private var publish: [Filter] = []
    private var subscribe: [Filter] = []
    /// The filter of a terminal's own requests: the terminal may subscribe to them, but doesn't receive them.
    private var hidden: Filter?
    /// The filter of topics on which a link receives only its own messages.
    private var discovery: Filter?
    /// The filter of all users' topics.
    ///
    /// If the client has no session of a topic's user, the topic is refused as `sessionRequired`.
    private var users: Filter?
    /// The filter of the topics of the user who has a session on the terminal.
    private var user: Filter?
    /// The time at which the user's session expires, in milliseconds since the Unix epoch.
    private var userUntil: Int64 = 0
    private(set) var isService = false
    private(set) var isWorker = false
    /// Whether the client is a console, which watches all messages at a limited rate.
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

    /// Returns the rights of a user's Home Assistant.
    ///
    /// Home Assistant announces its start, and subscribes to all discovery messages. Users can't change this
    /// subscription. A link receives only its own discovery messages. No client receives the announcement of the start.
    static func link(_ session: Session, root: String) -> Rights {
        let (space, device) = ("\(root)/ha/\(session.sessionId)", "\(root)/user/\(session.uid)/device/+")
        var rights = Rights(
            publish: ["\(space)/+/set", "homeassistant/status"],
            subscribe: [
                "homeassistant/device/\(session.sessionId)/+/config", "\(space)/+/problem", "\(device)/status",
                "\(device)/event", "\(root)/system/worker/control",
            ]
        )
        rights.discovery = Filter("homeassistant/#")
        return rights
    }

    static func service(_ role: Role, root: String) -> Rights {
        var rights =
            switch role {
            case .worker: Rights(both: ["\(root)/#", "homeassistant/#", "$SYS/#", "$CONTROL/lamplighter/#"])
            case .gateway:
                Rights(publish: ["\(root)/system/outbound/result"], subscribe: ["\(root)/system/outbound/#"])
            case .scheduler: Rights(publish: ["\(root)/system/trigger/+"], subscribe: [])
            case .identity: Rights(publish: ["\(root)/system/session-invalid"], subscribe: [])
            case .console: Rights(publish: [], subscribe: ["\(root)/#"])
            case .custom(let publish, let subscribe): Rights(publish: publish, subscribe: subscribe)
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

    private init(both: [String]) { self.init(publish: both, subscribe: both) }
}

extension Rights {
    /// Returns the reason to refuse a message from the client, or nil to accept it.
    func refusalToPublish(_ topic: Bytes, retained: Bool) -> RefusalReason? {
        guard publish.contains(where: { $0.matches(topic) }) else { return .notAllowed }
        if retained && !isWorker { return .retainNotAllowed }
        return Topic.isName(topic) ? nil : .badTopic
    }

    /// Returns the reason to refuse a will, or nil if it may be sent.
    ///
    /// Mosquitto 2.0.11 delivers wills on `$CONTROL` to subscribers, so wills on `$` topics are refused.
    func refusalOfWill(_ topic: Bytes, retained: Bool) -> RefusalReason? {
        topic.first == Topic.dollar ? .reservedTopic : refusalToPublish(topic, retained: retained)
    }

    /// Returns the reason to refuse a subscription, or nil if all matching topics are allowed.
    ///
    /// Only services may use shared subscriptions. The topics of all other clients are private. In a shared
    /// subscription, the broker would still assign messages to a client whose rights have ended. These messages would
    /// be lost.
    func refusalToSubscribe(_ filter: Bytes, now: Int64) -> RefusalReason? {
        guard Topic.isFilter(filter) else { return .badTopic }
        guard let shared = SharedFilter(filter) else { return covers(filter, now: now) ? nil : refusalOutside(filter) }
        // With a shared subscription, a console would take messages away from the clients that it watches.
        guard isService, !isConsole else { return .sharedNotAllowed }
        guard let inner = shared.inner else { return .badTopic }
        return covers(inner, now: now) ? nil : .notAllowed
    }

    /// Returns the reason to refuse the form of a filter that the rights cover, or nil to accept the form.
    ///
    /// Services' filters may have any form. The form is limited only for discovery filters and for filters below a
    /// granted `{prefix}/#`.
    func refusalOfShape(_ filter: Bytes, rootLevels: Int, levels: Int) -> RefusalReason? {
        if let discovery, discovery.covers(filter) { return FilterShape.isDiscovery(filter) ? nil : .filterNotAllowed }
        guard !isService, levels > 0, let space = space(of: filter) else { return nil }
        let isAllowed = FilterShape.isAllowed(filter, behind: space, rootLevels: rootLevels, levels: levels)
        return isAllowed ? nil : .filterNotAllowed
    }

    private func space(of filter: Bytes) -> Int? {
        if let granted = subscribe.first(where: { $0.covers(filter) }) { return granted.spaceCount }
        return user?.spaceCount
    }

    /// Returns the reason to refuse a delivery to the client, or nil to let it through.
    func refusalToReceive(_ topic: Bytes, now: Int64) -> RefusalReason? {
        if subscribe.contains(where: { $0.matches(topic) }) {
            if let hidden, hidden.matches(topic) { return .ownRequest }
            return nil
        }
        if let user, user.matches(topic), now < userUntil { return nil }
        return refusalOutside(topic)
    }

    private func covers(_ filter: Bytes, now: Int64) -> Bool {
        if subscribe.contains(where: { $0.covers(filter) }) || discovery?.covers(filter) == true { return true }
        guard let user, now < userUntil else { return false }
        return user.covers(filter)
    }

    private func refusalOutside(_ topic: Bytes) -> RefusalReason {
        // Home Assistant also subscribes to other manufacturers' topics, and to all links' discovery messages. The gate
        // refuses the subscriptions to those topics, and the deliveries of other links' messages. These expected
        // refusals are not reported.
        if discovery != nil { return .ownRequest }
        return users?.covers(topic) == true ? .sessionRequired : .notAllowed
    }
}

/// A filter of the form `$share/{group}/{filter}`.
struct SharedFilter {
    /// The inner filter, or nil if the group or filter is missing or the group is a wildcard.
    let inner: Bytes?

    /// Parses a filter whose first level is `$share`, or returns nil for other filters.
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
