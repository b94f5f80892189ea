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

    /// Parses a term such as `device:d-1`, or returns nil for any other text.
    init?(_ term: Substring) {
        let parts = term.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let watch: Watch? =
            switch (parts[0], parts.count) {
            case (let name, 1): Self.plain.first { $0.text == name }
            case ("tap", 2): DeviceID(parts[1]).map { .tap($0) }
            case ("device", 2): DeviceID(parts[1]).map { .device($0) }
            case ("page", 2): DeviceID(parts[1]).map { .page($0) }
            case ("user", 2): UserID(parts[1]).map { .user($0) }
            case ("connect", 3): ProductKey(parts[1]).flatMap { key in MAC(parts[2]).map { .connect(key, $0) } }
            default: nil
            }
        guard let watch else { return nil }
        self = watch
    }

    /// The objects that are named without an id.
    private static let plain: [Watch] = [
        .overview, .system, .refusals, .deadLetters, .messages, .audit, .schedules, .tap(nil),
    ]

    /// Whether the watched object is the tap on messages.
    var isTap: Bool { if case .tap = self { true } else { false } }

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
