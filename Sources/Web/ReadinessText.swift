import JSON

/// The JSON of `/readyz`.
enum ReadinessText {
    /// Returns `{"ready", "parts": [{"name", "ready", "reason"?}]}`.
    static func json(_ parts: [Readiness.Part]) -> String {
        let rows = parts.map {
            JSONObject(showing: ["name": $0.name, "ready": $0.waitsFor == nil, "reason": $0.waitsFor])
        }
        let all = JSONObject(showing: ["ready": parts.allSatisfy { $0.waitsFor == nil }, "parts": rows])
        return String(decoding: all.encoded(), as: UTF8.self) + "\n"
    }
}
