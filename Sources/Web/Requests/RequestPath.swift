import Domain
import Wire

/// A path below the root of all topics (reference: http#paths).
enum RequestPath: Equatable {
    /// A request; the app and the terminal are nil if the path doesn't name them.
    case request(AppID?, TerminalID?, service: String, method: String)
    /// The stream of a user's messages.
    case stream
    /// The stream of the event log.
    case events

    /// Parses a path such as `/ll/v1/request/device/list`, or returns nil for an unknown path.
    init?(_ path: some StringProtocol, root: String) {
        let prefix = "/\(root)/"
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        let levels = path.utf8.dropFirst(prefix.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: Array($0), as: UTF8.self) }
        if let stream = ["stream": Self.stream, "events": .events][levels.joined(separator: "/")] {
            self = stream
            return
        }
        guard let method = levels.last, let service = levels.dropLast().last, Topics.isMethodWord(service),
            Topics.isMethodWord(method)
        else { return nil }
        switch levels.dropLast(2) {
        case ["request"]: self = .request(nil, nil, service: service, method: method)
        case let head where head.count == 4 && head[0] == "app" && head[3] == "request":
            guard let app = AppID(head[1]), let terminal = TerminalID(head[2]) else { return nil }
            self = .request(app, terminal, service: service, method: method)
        default: return nil
        }
    }

    /// The HTTP method that the path accepts in addition to OPTIONS.
    var method: String {
        switch self {
        case .request: "POST"
        case .stream, .events: "GET"
        }
    }
}
