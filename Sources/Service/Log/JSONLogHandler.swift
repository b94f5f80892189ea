import JSON
import Logging

/// A log handler that writes each event as a JSON object on one line.
struct JSONLogHandler: LineLogHandler {
    let label: String
    var ownLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// The reserved names; a metadata key that equals a reserved name gets the prefix `metadata.`.
    private static let own: Set<String> = ["time", "level", "label", "message"]

    func line(for event: LogEvent, at time: String) -> [UInt8] {
        var members: [(String, JSONValue?)] = [
            ("time", .string(time)), ("level", .string(event.level.rawValue)), ("label", .string(label)),
            ("message", .string(LogText.cut("\(event.message)"))),
        ]
        for (key, value) in values(of: event) {
            members.append((Self.own.contains(key) ? "metadata." + key : key, Self.json(value)))
        }
        return JSONObject(members).encoded()
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(LogText.cut(text))
        case .stringConvertible(let value): number(value) ?? .string(LogText.cut("\(value)"))
        case .array(let values): .array(values.map(json))
        case .dictionary(let values):
            .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }))
        }
    }

    private static func number(_ value: Any) -> JSONValue? {
        switch value {
        case let truth as Bool: .bool(truth)
        case let number as Int: .integer(Int64(number))
        case let number as Int64: .integer(number)
        case let number as Double where number.isFinite: .double(number)
        default: nil
        }
    }
}
