import Domain

// If this version doesn't know a stored name, the name is read as the `unknown` case of its type.

extension Actor.Kind: StoredName { static let unknown = Self.system }
extension Command.Kind: StoredName { static let unknown = Self.write }
extension Command.State: StoredName { static let unknown = Self.expired }
extension Command.Mode: StoredName { static let unknown = Self.now }
extension Binding.Role: StoredName { static let unknown = Self.guest }
extension Binding.Access: StoredName { static let unknown = Self.read }
extension Sharing.Way: StoredName { static let unknown = Self.user }
extension Sharing.Status: StoredName { static let unknown = Self.revoked }
extension ErrorCode: StoredName { static let unknown = Self.internal }
extension Schedule.Misfire: StoredName { static let unknown = Self.skip }
extension ScheduleRun.State: StoredName { static let unknown = Self.failed }
extension OutgoingMessage.Channel: StoredName { static let unknown = Self.email }
extension OutgoingMessage.Template: StoredName { static let unknown = Self.code }
extension MessageRecord.State: StoredName { static let unknown = Self.failed }
extension Session.EndReason: StoredName { static let unknown = Self.loggedOut }
extension Sharing.AddresseeKind: StoredName { static let unknown = Self.anonymous }
extension OAuthToken.Kind: StoredName { static let unknown = Self.code }
extension EventSubscription.State: StoredName { static let unknown = Self.paused }
extension Domain.Notification.Kind: StoredName { static let unknown = Self.system }
extension Domain.Notification.Outcome: StoredName { static let unknown = Self.pending }
extension NotificationReason: StoredName { static let unknown = Self.waits }
extension PushKind: StoredName { static let unknown = Self.gateway }
