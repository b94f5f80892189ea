import JSON

/// The JSON of `/readyz`.
enum ReadinessText {
    /// Returns `{"ready", "parts": [{"name", "ready", "reason"?}]}`.
    static func json(_ parts: [Readiness.Part]) -> String {
        let rows = parts.map { part -> JSONValue in
            var members: [(String, JSONValue)] = [("name", .string(part.name)), ("ready", .bool(part.waitsFor == nil))]
            if let reason = part.waitsFor { members.append(("reason", .string(reason))) }
            return .object(JSONObject(members))
        }
        let all: JSONObject = ["ready": .bool(parts.allSatisfy { $0.waitsFor == nil }), "parts": .array(rows)]
        return String(decoding: JSONValue.object(all).encoded(), as: UTF8.self) + "\n"
    }
}
