package import Domain
import JSON

/// Functions that read the parameters of the service `notification`.
extension Fields {
    /// The maximum number of notifications that one request can name.
    package static let notificationIDsMax = 100

    /// Returns `kind`, which names a part of the message centre, or nil if the field is absent.
    package func notificationKind() throws(Rejection) -> Domain.Notification.Kind? {
        try word("kind", as: Domain.Notification.Kind.self)
    }

    /// Returns `unread`: whether only unread notifications are requested.
    package func onlyUnread() throws(Rejection) -> Bool { try bool("unread") ?? false }

    /// Returns `did`, or nil if the field is absent.
    package func anyDevice() throws(Rejection) -> DeviceID? { try id("did", as: DeviceID.self) }

    /// Returns `notificationIds`; nil if the request has `all` instead.
    package func notificationIDs() throws(Rejection) -> [NotificationID]? {
        guard has("notificationIds") else {
            guard try bool("all") == true else { throw refuse("notificationIds", "or params.all: true is missing") }
            return nil
        }
        guard !has("all"), !has("kind") else { throw refuse("notificationIds", "can't be combined with all or kind") }
        let names = try texts("notificationIds")
        let ids = names.compactMap { NotificationID($0) }
        guard (1...Self.notificationIDsMax).contains(ids.count), ids.count == names.count else {
            throw refuse("notificationIds", "must have 1 to \(Self.notificationIDsMax) ids")
        }
        return ids
    }

    /// Changes settings as requested, where `isZone` tells whether a time zone exists.
    ///
    /// - Returns: Whether the request changes anything.
    package func change(_ settings: inout NotificationSettings, isZone: (String) -> Bool) throws(Rejection) -> Bool {
        let before = settings
        for kind in Domain.Notification.Kind.allCases {
            switch try bool(kind.rawValue) {
            case true?: settings.off.remove(kind)
            case false?: settings.off.insert(kind)
            case nil: continue
            }
        }
        for member in try object("dids")?.members ?? [] {
            guard let did = DeviceID(member.key), let isOn = member.value.boolValue else {
                throw refuse("dids", "must contain device ids, each with true or false")
            }
            if isOn { settings.offDevices.remove(did) } else { settings.offDevices.insert(did) }
        }
        guard settings.offDevices.count <= NotificationSettings.devicesMax else {
            throw refuse("dids", "would switch off more than \(NotificationSettings.devicesMax) devices")
        }
        if let minutes = try integer("offlineMinutes", in: 0...NotificationSettings.offlineMinutesMax) {
            settings.offlineMinutes = minutes
        }
        if isNull("quiet") { settings.quiet = nil }
        if let quiet = try fields("quiet") { settings.quiet = try quiet.quietHours(isZone: isZone) }
        return settings != before
    }

    private func quietHours(isZone: (String) -> Bool) throws(Rejection) -> QuietHours {
        let (from, to) = (try minutes("from"), try minutes("to"))
        guard from != to else { throw refuse("to", "must differ from `from`") }
        let zone = try text("timezone", length: 1...64)
        if let zone, !isZone(zone) { throw refuse("timezone", "is not the name of a time zone") }
        return QuietHours(from: from, to: to, zone: zone)
    }

    private func minutes(_ name: String) throws(Rejection) -> Int64 {
        guard case .clock(let minutes)? = DayTime(try requiredText(name, length: 5...5)) else {
            throw refuse(name, "must be a time such as 22:30")
        }
        return minutes
    }

    /// Returns the period whose notifications `notification/explain` lists.
    ///
    /// If `from` or `to` is absent, the period has no limit on that side.
    package func explainedPeriod() throws(Rejection) -> (from: Instant, to: Instant) {
        (try instant("from") ?? Instant(milliseconds: 0), try instant("to") ?? .max)
    }

    /// Returns the user or device that `notification/send` addresses, and the message's content as JSON.
    package func makerMessage() throws(Rejection) -> (uid: UserID?, did: DeviceID?, content: [UInt8]) {
        let (uid, did) = (try id("uid", as: UserID.self), try anyDevice())
        guard (uid == nil) != (did == nil) else { throw refuse("uid", "or params.did must be present, but not both") }
        let data = try object("data")
        guard data.map({ $0.encoded().count <= 2_048 }) ?? true else {
            throw refuse("data", "must have at most 2048 bytes as JSON")
        }
        let kind = try notificationKind() ?? (did == nil ? .system : .device)
        let content = JSONObject(showing: [
            "title": try requiredText("title", length: 1...100), "text": try requiredText("text", length: 1...1_000),
            "kind": kind.rawValue, "data": data,
        ])
        return (uid, did, content.encoded())
    }

    /// A push address from a terminal's request.
    package struct GivenPush {
        /// The kind of push service, and the address.
        package let (kind, address): (PushKind, String)
        /// The keys for Web Push.
        package let keys: PushAddress.Keys?
        /// Whether the address belongs to the push service's test environment.
        package let isSandbox: Bool
    }

    /// Whether `push` is null, which removes the terminal's push address.
    package var removesPush: Bool { isNull("push") }

    /// Returns `push`, the terminal's push address, or nil if the field is absent or null.
    package func push() throws(Rejection) -> GivenPush? {
        guard let push = try fields("push") else { return nil }
        let kind = try push.required("kind", push.word("kind", as: PushKind.self))
        let address = try push.requiredText("address", length: 1...PushAddress.addressMax)
        guard address.utf8.count <= PushAddress.addressMax else {
            throw push.refuse("address", "must have at most \(PushAddress.addressMax) bytes")
        }
        let keys = try push.fields("keys")
        if keys == nil, kind == .webpush { throw push.refuse("keys", "is missing") }
        return GivenPush(
            kind: kind,
            address: address,
            keys: try keys.map { (keys) throws(Rejection) in
                PushAddress.Keys(
                    p256dh: try keys.requiredText("p256dh", length: 1...128),
                    auth: try keys.requiredText("auth", length: 1...64)
                )
            },
            isSandbox: try push.bool("sandbox") ?? false
        )
    }
}
