import Administration
import Domain

/// An object of the console that a stream can watch.
enum Watch: Hashable, Sendable {
    case overview, system, refusals, deadLetters, messages, audit, schedules
    case device(DeviceID)
    case page(DeviceID)
    case user(UserID)
    case connect(ProductKey, MAC)
    case tap(DeviceID?)

    /// The maximum number of objects that a stream watches.
    static let countMax = 250

    /// Parses a term such as `device:d-1`; returns nil for any other text.
    init?(_ term: Substring) {
        let parts = term.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count) {
        case ("overview", 1): self = .overview
        case ("system", 1): self = .system
        case ("refusals", 1): self = .refusals
        case ("deadLetters", 1): self = .deadLetters
        case ("messages", 1): self = .messages
        case ("audit", 1): self = .audit
        case ("schedules", 1): self = .schedules
        case ("tap", 1): self = .tap(nil)
        case ("tap", 2):
            guard let did = DeviceID(parts[1]) else { return nil }
            self = .tap(did)
        case ("device", 2):
            guard let did = DeviceID(parts[1]) else { return nil }
            self = .device(did)
        case ("page", 2):
            guard let did = DeviceID(parts[1]) else { return nil }
            self = .page(did)
        case ("user", 2):
            guard let uid = UserID(parts[1]) else { return nil }
            self = .user(uid)
        case ("connect", 3):
            guard let key = ProductKey(parts[1]), let mac = MAC(parts[2]) else { return nil }
            self = .connect(key, mac)
        default: return nil
        }
    }

    /// Whether the watched object is the tap on messages.
    var isTap: Bool {
        if case .tap = self { true } else { false }
    }

    /// The term that names the watched object.
    var text: String {
        switch self {
        case .overview: "overview"
        case .system: "system"
        case .refusals: "refusals"
        case .deadLetters: "deadLetters"
        case .messages: "messages"
        case .audit: "audit"
        case .schedules: "schedules"
        case .device(let did): "device:\(did)"
        case .page(let did): "page:\(did)"
        case .user(let uid): "user:\(uid)"
        case .connect(let key, let mac): "connect:\(key):\(mac)"
        case .tap(let did): did.map { "tap:\($0)" } ?? "tap"
        }
    }

    /// Parses terms such as `device:d-1`.
    ///
    /// - Throws: `Refused` for an unknown term or too many terms.
    static func read(_ terms: [Substring]) throws -> [Watch] {
        guard terms.count <= countMax else {
            throw Refused.invalid("watch", "A stream can follow at most \(countMax) subjects.")
        }
        return try terms.map { term in
            guard let watch = Watch(term) else {
                throw Refused.invalid("watch", "\(term.prefix(64)) can't be watched.")
            }
            return watch
        }
    }
}
